//! [`Touching`]: contact between bodies since the start of a run.

use pliant_algebra::vec3::Vec3;
use pliant_contact::analytic::ShapeContact;
use pliant_contact::friction::ContactFriction;
use pliant_contact::normal::NormalContact;
use pliant_contact::resultants::Resultants;
use pliant_contact::soft::SoftContact;
use pliant_dynamics::{State, System};
use pliant_forces::Workspace;
use pliant_model::ContactMode;
use pliant_sections::{SectionError, Sections};
use pliant_units::{number, si};
use serde_json::{Value, json};

use super::keys::{Keys, vector};

/// Pairs of bodies whose forces are written to the history, at most: 16 bodies have so many.
pub(crate) const MOST_PAIRS: u32 = 120;

/// Contact of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactTally {
    /// How bodies answer.
    pub mode: ContactMode,
    /// Steps at whose end bodies were in contact.
    pub steps: u64,
    /// Steps at whose end the exact test has found no intersection; a step with one is not kept.
    pub tested: u64,
    /// Newton iterations of the former.
    pub newton: u64,
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
    /// The greatest pressure at the end of a step, Pa; 0 in modes other than a barrier.
    pub greatest_pressure: f64,
    /// Sets of bodies that are stepped as systems of their own, now.
    pub islands: u64,
    /// How many of these sleep.
    pub asleep: u64,
}

impl ContactTally {
    /// How deep a body has been inside of another, m.
    pub fn greatest_depth(&self) -> f64 {
        (-self.smallest_gap).max(0.0)
    }
}

/// Forces of contact at the end of a run, and what friction has taken since its start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactForces {
    /// Work of friction between bodies, ΣF·Δu, J; not a number with methods that remember no slip, where it is a part of what the balance
    /// has as dissipated.
    pub friction_work: f64,
    /// The part of it that places which stick would give back, J.
    pub friction_stored: f64,
    /// Of the pairs of bodies that touch, in the order of the scene.
    pub pairs: Vec<PairForce>,
}

/// What one body exerts on another by contact, friction included.
#[derive(Debug, Clone, PartialEq)]
pub struct PairForce {
    /// The body that the force is on, and the one that exerts it.
    pub bodies: [String; 2],
    /// N
    pub force: Vec3,
    /// About the origin, N m.
    pub torque: Vec3,
}

/// Watches the contact of a simulation.
#[derive(Debug, Default)]
pub(crate) struct Touching {
    mode: ContactMode,
    tally: Option<ContactTally>,
    /// Time of the last look, s; none before the first.
    last: Option<f64>,
    work: Workspace,
    sums: Resultants,
    friction: Workspace,
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
            (found.pairs, found.gap, 0.0, found.pressure)
        } else if let Some(contact) = system.models_of::<SoftContact>().next() {
            let found = contact.survey(x, &mut self.work);
            (found.pairs, found.gap, found.distance, 0.0)
        } else if let Some(list) = system.last_meetings() {
            let deepest = list.iter().map(|m| m.depth).reduce(f64::max);
            (list.len(), deepest.map(|depth| -depth), 0.0, 0.0)
        } else {
            return;
        };
        let tally = self.tally.get_or_insert(ContactTally {
            mode: self.mode,
            steps: 0,
            newton: 0,
            tested: 0,
            most_pairs: 0,
            pairs: 0,
            smallest_gap: f64::INFINITY,
            time: 0.0,
            distance: 0.0,
            greatest_pressure: 0.0,
            islands: 1,
            asleep: 0,
        });
        let (mut pairs, mut gap, distance, mut pressure) = found;
        for shape in system.models_of::<ShapeContact>() {
            let other = shape.survey(x, &mut self.work);
            pairs += other.pairs;
            gap = gap.into_iter().chain(other.gap).reduce(f64::min);
            pressure = pressure.max(other.pressure);
        }
        let is_step = self.last.is_some_and(|last| last != time);
        self.last = Some(time);
        tally.pairs = pairs as u64;
        tally.most_pairs = tally.most_pairs.max(tally.pairs);
        tally.greatest_pressure = tally.greatest_pressure.max(pressure);
        tally.tested += u64::from(is_step && barrier.is_some());
        tally.steps += u64::from(is_step && pairs > 0);
        if let Some(gap) = gap.filter(|gap| *gap < tally.smallest_gap) {
            (tally.smallest_gap, tally.time, tally.distance) = (gap, time, distance);
        }
    }

    /// Counts the Newton iterations of a step whose end was looked at.
    pub(crate) fn count(&mut self, iterations: usize) {
        if let Some(tally) = self.tally.as_mut().filter(|tally| tally.pairs > 0) {
            tally.newton += iterations as u64;
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

    /// The forces between bodies in a state; `start` are the positions from which the last step led there.
    pub(crate) fn forces(
        &mut self,
        system: &System,
        state: &State,
        start: Option<&[Vec3]>,
    ) -> &Resultants {
        let Self { work, friction, sums, .. } = self;
        sums.clear();
        for contact in system.models_of::<NormalContact>() {
            contact.resultants(&state.x, start, work, sums);
        }
        for contact in system.models_of::<SoftContact>() {
            contact.resultants(&state.x, work, sums);
        }
        for (model, memory) in system.memories_of::<ContactFriction>(state) {
            model.resultants(&state.x, memory, friction, sums);
        }
        for model in system.models_of::<ContactFriction>().filter(|model| !model.remembers()) {
            model.resultants_moving((&state.x, &state.v), friction, sums);
        }
        sums
    }

    /// The work of friction, and the stored part of it, J.
    pub(crate) fn friction(&mut self, system: &System, state: &State) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (model, memory) in system.memories_of::<ContactFriction>(state) {
            sums[0] += ContactFriction::work(memory);
            sums[1] += model.stored(&state.x, memory, &mut self.friction);
        }
        // Methods without a memory do not know it by itself.
        if system.models_of::<ContactFriction>().any(|model| !model.remembers()) {
            sums[0] = f64::NAN;
        }
        sums
    }

    pub(crate) fn save(&self, to: &mut Sections) {
        if let Some(t) = &self.tally {
            let mut section = to.write("contact");
            section.word(t.steps).word(t.tested).word(t.most_pairs).word(t.newton);
            let numbers = [t.smallest_gap, t.time, t.distance, t.greatest_pressure];
            section.numbers(numbers).maybe_number(self.last);
        }
    }

    pub(crate) fn load(&mut self, from: &Sections) -> Result<(), SectionError> {
        if let Some(t) = &mut self.tally {
            let mut section = from.read("contact")?;
            for word in [&mut t.steps, &mut t.tested, &mut t.most_pairs, &mut t.newton] {
                *word = section.word()?;
            }
            [t.smallest_gap, t.time, t.distance, t.greatest_pressure] = section.numbers()?;
            self.last = section.maybe_number()?;
            section.finish()?;
        }
        Ok(())
    }
}

/// As `summary.json` has it. The gap is null where nothing touched.
pub(crate) fn contact_json(tally: ContactTally, forces: &ContactForces) -> Value {
    let ContactTally { mode, steps, tested, most_pairs, pairs, smallest_gap, time, .. } = tally;
    // Other modes do not look for intersections.
    let intersections = (mode == ContactMode::Barrier).then_some(0);
    let pair = |p: &PairForce| json!({"bodies": p.bodies, "force": p.force, "torque": p.torque});
    json!({
        "mode": mode.name(), "steps": steps, "newton_iterations": tally.newton, "tested_steps": tested, "intersections": intersections,
        "most_pairs": most_pairs, "pairs": pairs, "smallest_gap": smallest_gap, "time": time,
        "min_gap": smallest_gap, "distance": tally.distance,
        "greatest_pressure": tally.greatest_pressure,
        "islands": tally.islands, "asleep": tally.asleep,
        "friction_work": forces.friction_work, "friction_stored": forces.friction_stored,
        "forces": forces.pairs.iter().map(pair).collect::<Vec<_>>(),
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
        newton: keys.whole_or_0("newton_iterations"),
        tested: keys.whole_or_0("tested_steps"),
        most_pairs: keys.whole_or_0("most_pairs"),
        pairs: keys.whole_or_0("pairs"),
        smallest_gap: keys.real("smallest_gap").unwrap_or(f64::INFINITY),
        time: keys.or_nan("time"),
        greatest_pressure: keys.real("greatest_pressure").unwrap_or(0.0),
        islands: keys.whole_or_0("islands").max(1),
        asleep: keys.whole_or_0("asleep"),
    })
}

/// Reads the forces that [`contact_json`] made.
pub(crate) fn contact_forces_of(value: &Value) -> ContactForces {
    let Some(object) = value.as_object() else { return ContactForces::default() };
    let pair = |p: &Value| {
        let name = |k: usize| Some(p["bodies"][k].as_str()?.to_owned());
        let (force, torque) = (vector(&p["force"]), vector(&p["torque"]));
        Some(PairForce { bodies: [name(0)?, name(1)?], force, torque })
    };
    ContactForces {
        friction_work: Keys(object).or_nan("friction_work"),
        friction_stored: Keys(object).real("friction_stored").unwrap_or(0.0),
        pairs: value["forces"].as_array().into_iter().flatten().filter_map(pair).collect(),
    }
}
