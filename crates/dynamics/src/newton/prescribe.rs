//! Prescribed motions: supports that move take the body along.
//!
//! Where held vertices are moved alone, the elements next to them are crushed, and Newton begins far from
//! any equilibrium. The linear answer of the body to their way is a better start.

use pliant_solvers::sums::{add_scaled, norm, set_sum};

use super::{Form, Newton};
use crate::{DynamicsError, Evaluation, Problem};

/// The difference that J w is taken from, relative to the body, and how well that system is solved.
const DIFFERENCE: f64 = 1e-6;
/// The difference is at most this part of the way on which nothing meets, but not so small that nothing but rounding is left of it.
const OF_GAP: f64 = 1e-3;
const LEAST: f64 = 1e-5;

impl Newton {
    /// y ← y + w + δ with J δ = −r − J w, the linear answer to the way w of what is held, if that has less
    /// energy (or, without one, a smaller |r|) than y + w alone.
    pub(super) fn carry_along(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
        way: &[f64],
    ) -> Result<(), DynamicsError> {
        let far = problem.longest_move(y, way);
        if far == 0.0 {
            return Ok(());
        }
        self.prepare(problem)?;
        // Whatever the matrix holds is of another place.
        self.assembled = None;
        let mut small = DIFFERENCE * problem.size() / far;
        if problem.has_contact() {
            // Well within every gap, where the barrier is nearly linear.
            let clear = problem.safe_length(y, way, 1.0)?;
            small = small.min(OF_GAP * clear).max(LEAST * small);
        }
        let answer = self.answer(problem, y, way, small);
        // Made for a state that is left behind.
        self.stale = None;
        let carried = match answer {
            Ok(()) => {
                set_sum(&mut self.next, y, 1.0, &self.delta);
                add_scaled(&mut self.next, 1.0, way);
                problem.residual(&self.next, &mut self.next_r).map(|e| merit(e, &self.next_r)).ok()
            }
            Err(DynamicsError::Linear(_) | DynamicsError::Force(_)) => None,
            Err(other) => return Err(other),
        };
        add_scaled(y, 1.0, way);
        let Some(carried) = carried else { return Ok(()) };
        let alone = problem.residual(y, &mut self.r).map(|e| merit(e, &self.r)).ok();
        // Beyond what it has passed through a support alone would have less energy.
        if problem.has_contact() || alone.is_none_or(|alone| carried < alone) {
            y.copy_from_slice(&self.next);
        }
        Ok(())
    }

    /// δ of J δ = −r − J w. J w is a difference, as J knows only what is free.
    fn answer(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
        way: &[f64],
        small: f64,
    ) -> Result<(), DynamicsError> {
        let here = problem.residual(y, &mut self.r)?;
        set_sum(&mut self.next, y, small, way);
        problem.residual(&self.next, &mut self.next_r)?;
        for (r, next) in self.r.iter_mut().zip(&self.next_r) {
            *r += (next - *r) / small;
        }
        self.begin(here);
        if let Form::Inexact(_) = self.settings.form {
            self.solver.set_tolerance(DIFFERENCE);
        }
        self.direction(problem, y, false, false)
    }
}

fn merit(evaluation: Evaluation, r: &[f64]) -> f64 {
    evaluation.energy.map_or_else(|| norm(r), |(energy, _)| energy)
}
