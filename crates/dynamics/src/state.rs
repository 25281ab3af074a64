//! [`State`]: where a body is, how it moves, and what multistep methods remember.

use pliant_algebra::vec3::{Vec3, norm};
use pliant_forces::{Configuration, Keyed, Memory, StepStart};
use pliant_sections::{SectionError, Sections};

use crate::DynamicsError;
use crate::vector::{check_finite, check_length};

/// A state of before: what a multistep method goes on from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Past {
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Velocities, m/s.
    pub v: Vec<Vec3>,
    /// When, s.
    pub time: f64,
}

/// All that changes from step to step. One entry a vertex, in the numbering of the system.
///
/// Whoever changes positions or velocities by hand calls [`State::restart`] afterwards.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Velocities, m/s.
    pub v: Vec<Vec3>,
    /// Accelerations, m/s², if `knows_acceleration`; otherwise those of the last step or so, from which
    /// implicit methods guess.
    pub a: Vec<Vec3>,
    /// Whether `a` belongs to this state.
    pub knows_acceleration: bool,
    /// Time, s.
    pub time: f64,
    /// Steps made.
    pub steps: u64,
    /// States of before, the latest first, as many as the last method wanted to have.
    pub past: Vec<Past>,
    /// What force models remember, committed at the end of the last step: one entry for each model of the
    /// system that has memory, in their order. Empty until the first step begins.
    pub memory: Vec<Memory>,
    /// Energy that models with memory have dissipated so far, J.
    pub dissipated: f64,
}

impl State {
    /// At rest at these positions.
    pub fn at_rest(x: &[Vec3]) -> Self {
        Self::new(x, &vec![[0.0; 3]; x.len()], 0.0)
    }

    /// Positions, velocities, time; velocities that are missing are zero.
    pub fn new(x: &[Vec3], v: &[Vec3], time: f64) -> Self {
        let mut v = v.to_vec();
        v.resize(x.len(), [0.0; 3]);
        Self { x: x.to_vec(), v, a: vec![[0.0; 3]; x.len()], time, ..Self::default() }
    }

    /// The configuration of the state itself, with what models remember.
    pub fn configuration(&self) -> Configuration<'_> {
        Configuration { memory: &self.memory, ..Configuration::new(&self.x, &self.v, self.time) }
    }

    /// The same with all the time there is for what remembers to relax.
    pub fn after_long(&self) -> Configuration<'_> {
        self.ahead(&self.x, &self.v, self.time, f64::INFINITY)
    }

    /// A configuration within a step of h seconds that begins with this state.
    pub fn ahead<'a>(
        &'a self,
        x: &'a [Vec3],
        v: &'a [Vec3],
        time: f64,
        h: f64,
    ) -> Configuration<'a> {
        let start = StepStart { x: &self.x, v: &self.v, time: self.time, step: h };
        Configuration { start: Some(start), memory: &self.memory, ..Configuration::new(x, v, time) }
    }

    /// Becomes a copy of another state. No allocation if it was one of the same size before.
    pub fn copy_from(&mut self, other: &Self) {
        // All fields by name: a new one cannot be left out.
        let Self { x, v, a, knows_acceleration, time, steps, past, memory, dissipated } = other;
        self.x.clone_from(x);
        self.v.clone_from(v);
        self.a.clone_from(a);
        (self.knows_acceleration, self.time, self.steps) = (*knows_acceleration, *time, *steps);
        self.past.resize_with(past.len(), Past::default);
        for (to, from) in self.past.iter_mut().zip(past) {
            to.x.clone_from(&from.x);
            to.v.clone_from(&from.v);
            to.time = from.time;
        }
        self.memory.resize_with(memory.len(), Memory::default);
        for (to, from) in self.memory.iter_mut().zip(memory) {
            to.copy_from(from);
        }
        self.dissipated = *dissipated;
    }

    /// Forgets accelerations and past states.
    pub fn restart(&mut self) {
        self.a.fill([0.0; 3]);
        self.knows_acceleration = false;
        self.past.clear();
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// The fastest vertex and its speed, m/s.
    pub fn fastest(&self) -> (usize, f64) {
        let faster = |best: (usize, f64), (i, &v): (usize, &Vec3)| {
            let speed = norm(v);
            if speed > best.1 { (i, speed) } else { best }
        };
        self.v.iter().enumerate().fold((0, 0.0), faster)
    }

    /// An error where lengths differ from `vertices` or a number is not finite.
    pub fn check(&self, vertices: usize) -> Result<(), DynamicsError> {
        check_length("positions", self.x.len(), vertices)?;
        check_length("velocities", self.v.len(), vertices)?;
        check_length("accelerations", self.a.len(), vertices)?;
        check_finite("position", &self.x)?;
        check_finite("velocity", &self.v)?;
        if self.knows_acceleration {
            check_finite("acceleration", &self.a)?;
        }
        if !self.time.is_finite() {
            let accepted = "a finite number is needed";
            return Err(DynamicsError::Setting { what: "time", found: self.time, accepted });
        }
        Ok(())
    }

    /// How many past states lie h, 2h, … before this one.
    pub fn evenly_spaced(&self, h: f64) -> usize {
        let expected = |k: usize| self.time - h * (k + 1) as f64;
        // Times are sums of steps: they differ from multiples by rounding.
        let fits = |&(k, past): &(usize, &Past)| (past.time - expected(k)).abs() <= 1e-6 * h;
        self.past.iter().enumerate().take_while(fits).count()
    }

    /// Puts this state into the past, of which `keep` states stay. No allocation once there are that
    /// many.
    pub(crate) fn remember(&mut self, keep: usize) {
        if keep == 0 {
            self.past.clear();
            return;
        }
        if self.past.len() < keep {
            self.past.push(Past::default());
        }
        self.past.truncate(keep);
        self.past.rotate_right(1);
        let latest = &mut self.past[0];
        latest.x.clone_from(&self.x);
        latest.v.clone_from(&self.v);
        latest.time = self.time;
    }

    /// Takes a step in which nothing moves, to a time, s: as many states of before stay as there were.
    pub fn stay(&mut self, time: f64) {
        self.remember(self.past.len());
        self.time = time;
        self.steps += 1;
    }

    /// Writes all of it, as sections of their own.
    pub fn save(&self, to: &mut Sections) {
        to.write("state").number(self.time).word(self.steps).flag(self.knows_acceleration);
        for (name, list) in self.lists() {
            to.write(name).vectors(list);
        }
        let mut past = to.write("past");
        past.count(self.past.len());
        for Past { x, v, time } in &self.past {
            past.number(*time).vectors(x).vectors(v);
        }
        let mut memory = to.write("memory");
        memory.number(self.dissipated).count(self.memory.len());
        for Memory { numbers, keyed } in &self.memory {
            memory.vectors(numbers.as_chunks::<1>().0).count(keyed.width());
            memory.words(keyed.keys()).vectors(keyed.values().as_chunks::<1>().0);
        }
    }

    fn lists(&self) -> [(&'static str, &[Vec3]); 3] {
        [("positions", &self.x), ("velocities", &self.v), ("accelerations", &self.a)]
    }

    /// The state that was written by [`State::save`], to the last bit.
    pub fn load(from: &Sections) -> Result<Self, SectionError> {
        let mut state = Self::default();
        let mut section = from.read("state")?;
        state.time = section.number()?;
        state.steps = section.word()?;
        state.knows_acceleration = section.flag()?;
        section.finish()?;
        for (name, list) in [
            ("positions", &mut state.x),
            ("velocities", &mut state.v),
            ("accelerations", &mut state.a),
        ] {
            let mut section = from.read(name)?;
            *list = section.vectors()?;
            section.finish()?;
        }
        let n = state.len();
        for (name, list) in state.lists() {
            if list.len() != n {
                let found = format!("{} vertices, and {n} positions", list.len());
                return Err(from.read(name)?.wrong(found));
            }
        }
        let mut section = from.read("past")?;
        for _ in 0..section.count()? {
            let time = section.number()?;
            let (x, v) = (section.vectors_of(n)?, section.vectors_of(n)?);
            state.past.push(Past { x, v, time });
        }
        section.finish()?;
        let mut section = from.read("memory")?;
        state.dissipated = section.number()?;
        for _ in 0..section.count()? {
            let (numbers, width) = (section.vectors::<1>()?.into_flattened(), section.count()?);
            let (keys, values) = (section.words()?, section.vectors::<1>()?.into_flattened());
            let keyed = Keyed::from_parts(width, keys, values)
                .ok_or_else(|| section.wrong("entries that are not in the order of their keys"))?;
            state.memory.push(Memory { numbers, keyed });
        }
        section.finish()?;
        Ok(state)
    }

    /// The file of [`State::save`] alone.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut sections = Sections::new();
        self.save(&mut sections);
        sections.to_bytes()
    }

    /// The state that was written by [`State::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DynamicsError> {
        Ok(Self::load(&Sections::from_bytes(bytes)?)?)
    }
}
