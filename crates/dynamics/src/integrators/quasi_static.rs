//! [`QuasiStatic`]: motion so slow that inertia and damping do not count: a state of rest at every time.

use pliant_sections::Sections;
use pliant_solvers::SolverUse;

use super::entry::{IntegratorEntry, Solves};
use super::{Integrator, Method, StepReport, check_step, failed_at};
use crate::StaticOptions;
use crate::newton::{Converged, Counters, NewtonReport};
use crate::{DynamicsError, LoadRule, State, StaticReport, Statics, System};

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
            match self.statics.solve_at_once(system, state, start + next * h - state.time) {
                Ok(report) if next >= 1.0 => return Ok(report),
                Ok(_) => {
                    done = next;
                    state.time = start + next * h;
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
        match self.statics.solve_at_once(system, state, h) {
            Err(DynamicsError::Load { .. }) => {}
            result => return result,
        }
        let before = state.clone();
        let mut outcome = self.follow(system, state, h);
        // With contact the answer depends on the path, and there may be no other.
        if matches!(outcome, Err(DynamicsError::Load { .. })) && !system.has_contact() {
            state.copy_from(&before);
            outcome = self.statics.solve_after(system, state, h);
        }
        if outcome.is_err() {
            *state = before;
        }
        outcome
    }
}

impl Method for QuasiStatic {
    fn name(&self) -> &'static str {
        "quasi-static"
    }

    /// None: a state of rest does not depend on the step that led there.
    fn order(&self) -> usize {
        0
    }

    fn save(&self, to: &mut Sections) {
        self.statics.save(to);
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        self.statics.load(from, system)
    }

    fn forget(&mut self) {
        self.statics.forget();
    }
}

impl Integrator for QuasiStatic {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        check_step(h)?;
        let (start, steps) = (state.time, state.steps);
        let before = self.counters().iterations;
        match self.attempt(system, state, h) {
            Ok(StaticReport { residual, scale, definite, .. }) => {
                (state.time, state.steps) = (start + h, steps + 1);
                let (iterations, reason) = (self.counters().iterations - before, Converged::Force);
                let newton = Some(NewtonReport { iterations, residual, scale, reason, definite });
                Ok(StepReport { newton })
            }
            Err(cause) => Err(failed_at(system, state, &[], h, false, cause)),
        }
    }

    fn counters(&self) -> Counters {
        self.statics.solver().counters()
    }

    fn chosen(&self) -> Option<SolverUse> {
        self.statics.solver().chosen()
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "quasi-static",
    about: "a state of rest at every time; no inertia, no damping",
    solves: Solves::Rest,
    options: &[],
    load_rule: LoadRule::Rest,
    make: |o| {
        let statics = StaticOptions {
            newton: o.newton,
            solver: o.solver,
            ..StaticOptions::default()
                .with_force_tolerance(o.newton.force_tolerance)
                .with_absolute_force(o.newton.absolute_force)
        };
        Ok(Box::new(QuasiStatic::new(o.static_method.statics(&statics)?)))
    },
    ..IntegratorEntry::IMPLICIT
};
