//! [`QuasiStatic`]: motion so slow that inertia and damping do not count: a state of rest at every time.

use super::{Integrator, StepReport, check_step, failed_at};
use crate::newton::{Converged, Counters, NewtonReport};
use crate::{DynamicsError, State, StaticReport, Statics, System};

/// The smallest part of a step that is tried before the load is brought up from none.
const SMALLEST: f64 = 1.0 / 256.0;

/// An integrator that solves for rest at the end of each step, under the loads and with the supports of
/// that time. Velocities are zero.
///
/// A solve starts from the state before. Where it fails the step is halved; where that does not help
/// either, loads and displacements are brought up from none, as for a state that is far from rest.
pub struct QuasiStatic {
    statics: Statics,
}

impl QuasiStatic {
    /// With a static method.
    pub fn new(statics: Statics) -> Self {
        Self { statics }
    }

    /// In halves, or smaller parts.
    fn follow(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StaticReport, DynamicsError> {
        let start = state.time;
        // In parts of h: exact numbers, so that the end is the end.
        let (mut done, mut part) = (0.0, 0.5);
        loop {
            let next: f64 = done + part;
            state.time = start + next * h;
            match self.statics.solve_at_once(system, state) {
                Ok(report) if next >= 1.0 => return Ok(report),
                Ok(_) => {
                    done = next;
                    // Twice as far where that ends on a multiple of itself.
                    if (done / (2.0 * part)).fract() == 0.0 {
                        part *= 2.0;
                    }
                }
                Err(cause @ DynamicsError::Load { .. }) => {
                    part *= 0.5;
                    if part < SMALLEST {
                        return Err(cause);
                    }
                }
                Err(other) => return Err(other),
            }
        }
    }

    fn attempt(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StaticReport, DynamicsError> {
        state.check(system.vertices())?;
        let start = state.time;
        state.time = start + h;
        let at_once = self.statics.solve_at_once(system, state);
        state.time = start;
        match at_once {
            Err(DynamicsError::Load { .. }) => {}
            done_or_hopeless => return done_or_hopeless,
        }
        let before = state.clone();
        let mut outcome = self.follow(system, state, h);
        if matches!(outcome, Err(DynamicsError::Load { .. })) {
            state.clone_from(&before);
            state.time = start + h;
            outcome = self.statics.solve(system, state);
        }
        if outcome.is_err() {
            *state = before;
        }
        outcome
    }
}

impl Integrator for QuasiStatic {
    fn name(&self) -> &'static str {
        "quasi-static"
    }

    /// None: a state of rest does not depend on the step that led there.
    fn order(&self) -> usize {
        0
    }

    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        check_step(h)?;
        let (start, before) = (state.time, self.counters().iterations);
        match self.attempt(system, state, h) {
            Ok(StaticReport { residual, scale, .. }) => {
                state.time = start + h;
                state.steps += 1;
                let (iterations, reason) = (self.counters().iterations - before, Converged::Force);
                let newton = Some(NewtonReport { iterations, residual, scale, reason });
                Ok(StepReport { newton })
            }
            Err(cause) => Err(failed_at(system, state, &[], h, false, cause)),
        }
    }

    fn counters(&self) -> Counters {
        self.statics.solver().counters()
    }

    fn forget(&mut self) {
        self.statics.forget();
    }
}
