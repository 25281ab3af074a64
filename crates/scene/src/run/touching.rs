//! [`Touching`]: contact between bodies since the start of a run.

use pliant_algebra::vec3::Vec3;
use pliant_contact::normal::NormalContact;
use pliant_contact::soft::SoftContact;
use pliant_dynamics::System;
use pliant_forces::Workspace;
use pliant_model::ContactMode;
use pliant_sections::{SectionError, Sections};
use pliant_units::{number, si};
use serde_json::{Value, json};

use super::keys::Keys;

/// Contact of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactTally {
    /// How bodies answer.
    pub mode: ContactMode,
    /// Steps at whose end bodies were in contact.
    pub steps: u64,
    /// Steps at whose end the exact test has found no intersection; a step with one is not kept.
    pub tested: u64,
    /// The most pairs that repelled each other at the end of a step.
    pub most_pairs: u64,
    /// Pairs now.
    pub pairs: u64,
    /// The smallest distance of surfaces in contact at the end of a step, m, negative where one was inside the other; infinite where
    /// there was none.
    pub smallest_gap: f64,
    /// When that was, s.
    pub time: f64,
    /// The contact distance of the two bodies there, m; 0 in modes without one.
    pub distance: f64,
}

impl ContactTally {
    /// How deep a body has been inside of another, m.
    pub fn greatest_depth(&self) -> f64 {
        (-self.smallest_gap).max(0.0)
    }
}

/// Watches the contact of a simulation.
#[derive(Debug, Default)]
pub(crate) struct Touching {
    mode: ContactMode,
    tally: Option<ContactTally>,
    /// Time of the last look, s; none before the first.
    last: Option<f64>,
    work: Workspace,
}

impl Touching {
    /// Of a scene with that mode.
    pub(crate) fn new(mode: ContactMode) -> Self {
        Self { mode, ..Self::default() }
    }

    pub(crate) fn mode(&self) -> ContactMode {
        self.mode
    }

    pub(crate) fn tally(&self) -> Option<ContactTally> {
        self.tally
    }

    /// Takes in positions. A step is counted once, however often its end is looked at.
    pub(crate) fn look(&mut self, system: &System, x: &[Vec3], time: f64) {
        let barrier = system.models_of::<NormalContact>().next();
        let found = if let Some(contact) = barrier {
            let found = contact.survey(x, &mut self.work);
            (found.pairs, found.gap, 0.0)
        } else if let Some(contact) = system.models_of::<SoftContact>().next() {
            let found = contact.survey(x, &mut self.work);
            (found.pairs, found.gap, found.distance)
        } else if let Some(list) = system.last_meetings() {
            let deepest = list.iter().map(|m| m.depth).reduce(f64::max);
            (list.len(), deepest.map(|depth| -depth), 0.0)
        } else {
            return;
        };
        let tally = self.tally.get_or_insert(ContactTally {
            mode: self.mode,
            steps: 0,
            tested: 0,
            most_pairs: 0,
            pairs: 0,
            smallest_gap: f64::INFINITY,
            time: 0.0,
            distance: 0.0,
        });
        let (pairs, gap, distance) = found;
        let is_step = self.last.is_some_and(|last| last != time);
        self.last = Some(time);
        tally.pairs = pairs as u64;
        tally.most_pairs = tally.most_pairs.max(tally.pairs);
        tally.tested += u64::from(is_step && barrier.is_some());
        tally.steps += u64::from(is_step && pairs > 0);
        if let Some(gap) = gap.filter(|gap| *gap < tally.smallest_gap) {
            (tally.smallest_gap, tally.time, tally.distance) = (gap, time, distance);
        }
    }

    /// A sentence where bodies have sunk into each other deeper than they are meant to.
    pub(crate) fn warning(&self) -> Option<String> {
        let t = self.tally.filter(|t| t.distance > 0.0 && t.greatest_depth() > t.distance)?;
        let depth = t.greatest_depth();
        Some(format!(
            "bodies have sunk into each other by {}, {} times the contact distance of {}, at t = {}: raise contact.stiffness or contact.distance, or take contact.mode = \"barrier\"",
            si(depth, "m"),
            number(depth / t.distance),
            si(t.distance, "m"),
            si(t.time, "s"),
        ))
    }

    pub(crate) fn save(&self, to: &mut Sections) {
        if let Some(t) = &self.tally {
            let mut section = to.write("contact");
            section.word(t.steps).word(t.tested).word(t.most_pairs);
            section.numbers([t.smallest_gap, t.time, t.distance]).maybe_number(self.last);
        }
    }

    pub(crate) fn load(&mut self, from: &Sections) -> Result<(), SectionError> {
        if let Some(t) = &mut self.tally {
            let mut section = from.read("contact")?;
            (t.steps, t.tested, t.most_pairs) = (section.word()?, section.word()?, section.word()?);
            [t.smallest_gap, t.time, t.distance] = section.numbers()?;
            self.last = section.maybe_number()?;
            section.finish()?;
        }
        Ok(())
    }
}

/// As `summary.json` has it. The gap is null where nothing touched.
pub(crate) fn contact_json(tally: ContactTally) -> Value {
    let ContactTally { mode, steps, tested, most_pairs, pairs, smallest_gap, time, distance } =
        tally;
    // Other modes do not look for intersections.
    let intersections = (mode == ContactMode::Barrier).then_some(0);
    json!({
        "mode": mode.name(), "steps": steps, "tested_steps": tested, "intersections": intersections,
        "most_pairs": most_pairs, "pairs": pairs, "smallest_gap": smallest_gap, "time": time,
        "distance": distance,
    })
}

/// Reads what [`contact_json`] made.
pub(crate) fn contact_of(value: &Value) -> Option<ContactTally> {
    let keys = Keys(value.as_object()?);
    let mode = value["mode"].as_str().unwrap_or_default();
    let mode = ContactMode::NAMES.into_iter().find(|(name, _)| *name == mode);
    Some(ContactTally {
        mode: mode.map_or(ContactMode::default(), |(_, mode)| mode),
        distance: keys.real("distance").unwrap_or(0.0),
        steps: keys.whole_or_0("steps"),
        tested: keys.whole_or_0("tested_steps"),
        most_pairs: keys.whole_or_0("most_pairs"),
        pairs: keys.whole_or_0("pairs"),
        smallest_gap: keys.real("smallest_gap").unwrap_or(f64::INFINITY),
        time: keys.or_nan("time"),
    })
}
