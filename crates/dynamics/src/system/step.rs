//! How a step begins and ends: one way for every method.

use pliant_algebra::vec3::Vec3;
use pliant_forces::{Ask, Configuration, ForceError, Keyed, Memory, Tried};

use super::{Entry, System};
use crate::vector::check_finite;
use crate::{DynamicsError, State};

/// The end of a step, about to become the state. Lists are exchanged with those of the state, so that nothing is
/// copied.
pub struct End<'a> {
    /// Positions, m.
    pub x: &'a mut Vec<Vec3>,
    /// Velocities, m/s.
    pub v: &'a mut Vec<Vec3>,
    /// Accelerations, m/s².
    pub a: Accelerations<'a>,
    /// Time, s.
    pub time: f64,
    /// States of before to keep for multistep methods, the one that the step began with included.
    pub keep: usize,
    /// What models remember and what they have dissipated (J) since the start of the step, where a method has
    /// already followed it through steps of its own.
    pub followed: Option<(&'a mut Vec<Memory>, f64)>,
}

/// What is known of accelerations at the end of a step.
pub enum Accelerations<'a> {
    /// They belong to the end of the step.
    Known(&'a mut Vec<Vec3>),
    /// They are good enough to guess from.
    Guessed(&'a mut Vec<Vec3>),
    /// Nothing: those of before stay as a guess.
    Unknown,
}

impl System {
    /// Begins a step of h seconds: models look at the state, the pattern follows their couplings, and a state
    /// without memory gets that of bodies which have been at rest there for ever.
    ///
    /// Fails for systems that are restricted to x = x(q): methods that keep to that begin their steps another way.
    pub fn begin_step(&mut self, state: &mut State, h: f64) -> Result<(), DynamicsError> {
        if self.is_restricted() {
            return Err(DynamicsError::Unsupported(
                "this method moves every vertex by itself, and some belong to rigid parts or reduced bodies: take backward-euler, implicit-midpoint, trapezoidal, newmark or generalized-alpha, or a static analysis by newton".into(),
            ));
        }
        self.begin_restricted_step(state, h)
    }

    /// As [`System::begin_step`], for methods that keep to x = x(q) where there is a map.
    pub(crate) fn begin_restricted_step(
        &mut self,
        state: &mut State,
        h: f64,
    ) -> Result<(), DynamicsError> {
        self.start_memory(state)?;
        self.follow_couplings(&state.ahead(&state.x, &state.v, state.time, h))?;
        Ok(())
    }

    /// Gives a state the memory it lacks.
    pub fn start_memory(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        let fits = |entry: &Entry| match entry.memory.map(|k| state.memory.get(k)) {
            None => true,
            Some(None) => false,
            Some(Some(memory)) => {
                let layout = entry.character.memory;
                memory.numbers.len() == layout.numbers && memory.keyed.width() == layout.keyed
            }
        };
        let count = self.entries.iter().filter(|e| e.memory.is_some()).count();
        if count == state.memory.len() && self.entries.iter().all(fits) {
            return Ok(());
        }
        let mut all = Vec::with_capacity(count);
        let at = state.configuration();
        for entry in self.entries.iter().filter(|e| e.memory.is_some()) {
            let layout = entry.character.memory;
            let mut memory =
                Memory { numbers: vec![0.0; layout.numbers], keyed: Keyed::new(layout.keyed) };
            entry
                .model
                .start_memory(&at.part(entry.vertices.clone(), &[]).unwrap_or(at), &mut memory)?;
            all.push(memory);
        }
        state.memory = all;
        Ok(())
    }

    /// Fails where some model does not let a step end at these positions, m: where surfaces intersect that a barrier keeps apart.
    pub fn check_end(&mut self, x: &[Vec3]) -> Result<(), ForceError> {
        for entry in self.entries.iter_mut().filter(|e| e.character.checks_ends) {
            let done = entry.model.check_end(&x[entry.vertices.clone()], &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
        }
        Ok(())
    }

    /// Ends a step: the only way in which a state moves on. Held vertices are put where they are to be, what is
    /// restricted to x(q) is brought there to the last bit, models
    /// write what they will remember, and the state becomes that of the end. On error nothing has changed.
    pub fn end_step(&mut self, state: &mut State, end: End<'_>) -> Result<(), DynamicsError> {
        let End { x, v, mut a, time, keep, followed } = end;
        self.constraints.impose_positions(time, x);
        self.constraints.impose_velocities(time, v);
        let accelerations = match &mut a {
            Accelerations::Known(a) | Accelerations::Guessed(a) => Some(&mut a[..]),
            Accelerations::Unknown => None,
        };
        self.settle_end(x, v, accelerations);
        check_finite("new position", x)?;
        check_finite("new velocity", v)?;
        self.check_end(x)?;
        let dissipated = match followed {
            Some((memory, dissipated)) => {
                std::mem::swap(&mut self.tried, memory);
                dissipated
            }
            None => self.try_memory(&state.ahead(x, v, time, time - state.time))?,
        };
        state.remember(keep);
        std::mem::swap(&mut state.memory, &mut self.tried);
        std::mem::swap(&mut state.x, x);
        std::mem::swap(&mut state.v, v);
        state.knows_acceleration = false;
        match a {
            Accelerations::Known(a) => {
                self.constraints.impose_accelerations(time, a);
                std::mem::swap(&mut state.a, a);
                state.knows_acceleration = true;
            }
            Accelerations::Guessed(a) => std::mem::swap(&mut state.a, a),
            Accelerations::Unknown => {}
        }
        state.dissipated += dissipated;
        state.time = time;
        state.steps += 1;
        Ok(())
    }

    /// What models remember at the end of a step, written to `memory`; returns what they have dissipated, J. For
    /// [`End::followed`].
    pub(crate) fn follow_memory(
        &mut self,
        at: &Configuration<'_>,
        memory: &mut Vec<Memory>,
    ) -> Result<f64, DynamicsError> {
        let dissipated = self.try_memory(at)?;
        std::mem::swap(&mut self.tried, memory);
        Ok(dissipated)
    }

    /// Lets models write what they will remember at the end of a step, into `tried`; returns what they have
    /// dissipated, J.
    fn try_memory(&mut self, at: &Configuration<'_>) -> Result<f64, DynamicsError> {
        let mut dissipated = 0.0;
        if !self.has_memory() {
            return Ok(dissipated);
        }
        self.tried.resize_with(at.memory.len(), Memory::default);
        for entry in &mut self.entries {
            let Some(k) = entry.memory else { continue };
            let part = entry.part(at)?;
            let Memory { numbers, keyed } = &mut self.tried[k];
            let layout = entry.character.memory;
            numbers.resize(layout.numbers, 0.0);
            keyed.reset(layout.keyed);
            let mut ask = Ask {
                dissipated: Some(&mut dissipated),
                memory: Some(Tried { numbers, keyed }),
                ..Ask::default()
            };
            let done = entry.model.evaluate(&part, &mut ask, &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
        }
        Ok(dissipated)
    }
}
