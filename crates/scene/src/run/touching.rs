//! [`Touching`]: contact between bodies since the start of a run.

use pliant_algebra::vec3::Vec3;
use pliant_contact::analytic::ShapeContact;
use pliant_contact::normal::NormalContact;
use pliant_dynamics::System;
use pliant_forces::Workspace;
use pliant_sections::{SectionError, Sections};
use serde_json::{Value, json};

use super::keys::Keys;

/// Contact of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactTally {
    /// Steps at whose end bodies were in contact.
    pub steps: u64,
    /// Steps at whose end the exact test has found no intersection; a step with one is not kept.
    pub tested: u64,
    /// The most pairs that repelled each other at the end of a step.
    pub most_pairs: u64,
    /// Pairs now.
    pub pairs: u64,
    /// The smallest distance of surfaces in contact at the end of a step, m; infinite where there was none.
    pub smallest_gap: f64,
    /// When that was, s.
    pub time: f64,
}

/// Watches the contact of a simulation.
#[derive(Debug, Default)]
pub(crate) struct Touching {
    tally: Option<ContactTally>,
    /// Time of the last look, s; none before the first.
    last: Option<f64>,
    work: Workspace,
}

impl Touching {
    pub(crate) fn tally(&self) -> Option<ContactTally> {
        self.tally
    }

    /// Takes in positions. A step is counted once, however often its end is looked at.
    pub(crate) fn look(&mut self, system: &System, x: &[Vec3], time: f64) {
        let Some(contact) = system.models_of::<NormalContact>().next() else { return };
        let tally = self.tally.get_or_insert(ContactTally {
            steps: 0,
            tested: 0,
            most_pairs: 0,
            pairs: 0,
            smallest_gap: f64::INFINITY,
            time: 0.0,
        });
        let mut found = contact.survey(x, &mut self.work);
        for shape in system.models_of::<ShapeContact>() {
            let other = shape.survey(x, &mut self.work);
            found.pairs += other.pairs;
            found.gap = found.gap.into_iter().chain(other.gap).reduce(f64::min);
        }
        let is_step = self.last.is_some_and(|last| last != time);
        self.last = Some(time);
        tally.pairs = found.pairs as u64;
        tally.most_pairs = tally.most_pairs.max(tally.pairs);
        tally.tested += u64::from(is_step);
        tally.steps += u64::from(is_step && found.pairs > 0);
        if let Some(gap) = found.gap.filter(|gap| *gap < tally.smallest_gap) {
            (tally.smallest_gap, tally.time) = (gap, time);
        }
    }

    pub(crate) fn save(&self, to: &mut Sections) {
        if let Some(t) = &self.tally {
            let mut section = to.write("contact");
            section.word(t.steps).word(t.tested).word(t.most_pairs);
            section.numbers([t.smallest_gap, t.time]).maybe_number(self.last);
        }
    }

    pub(crate) fn load(&mut self, from: &Sections) -> Result<(), SectionError> {
        if let Some(t) = &mut self.tally {
            let mut section = from.read("contact")?;
            (t.steps, t.tested, t.most_pairs) = (section.word()?, section.word()?, section.word()?);
            [t.smallest_gap, t.time] = section.numbers()?;
            self.last = section.maybe_number()?;
            section.finish()?;
        }
        Ok(())
    }
}

/// As `summary.json` has it. The gap is null where nothing touched.
pub(crate) fn contact_json(tally: ContactTally) -> Value {
    let ContactTally { steps, tested, most_pairs, pairs, smallest_gap, time } = tally;
    json!({
        "steps": steps, "tested_steps": tested, "intersections": 0, "most_pairs": most_pairs,
        "pairs": pairs, "smallest_gap": smallest_gap, "time": time,
    })
}

/// Reads what [`contact_json`] made.
pub(crate) fn contact_of(value: &Value) -> Option<ContactTally> {
    let keys = Keys(value.as_object()?);
    Some(ContactTally {
        steps: keys.whole_or_0("steps"),
        tested: keys.whole_or_0("tested_steps"),
        most_pairs: keys.whole_or_0("most_pairs"),
        pairs: keys.whole_or_0("pairs"),
        smallest_gap: keys.real("smallest_gap").unwrap_or(f64::INFINITY),
        time: keys.or_nan("time"),
    })
}
