//! Supports that move where something is in their way.
//!
//! A tool that is driven by more than a gap in one step would have to pass through what it presses on before that can give way. It is
//! led there in pieces instead: the linear answer of all bodies to what is left of the way, as far as that is free. Where the tool has come near
//! a surface the barrier couples both, and the next answer takes what it touches along.

use pliant_algebra::vec3::{self, Vec3};

use super::step_problem::StepProblem;
use crate::{DynamicsError, NonlinearSolver, Problem};

/// Pieces of a way at most, and how many of them may be shorter than a part of what is left.
const PIECES: usize = 64;
const FRUITLESS: (usize, f64) = (10, 1e-3);

impl StepProblem<'_> {
    /// Moves d by `way`, which is that of what is held, with what is free in its way. An error names what stops it where it does not get there.
    pub(super) fn lead(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        d: &mut [Vec3],
        way: &mut [Vec3],
    ) -> Result<(), DynamicsError> {
        let mut next = std::mem::take(&mut self.work.led);
        next.resize(d.len(), [0.0; 3]);
        let outcome = match self.lead_with(solver, d, way, &mut next) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let time = self.place(d);
                let at = self.state.ahead(&self.work.x, &self.work.v, time, self.h);
                let (Ok(error) | Err(error)) = self.system.obstruction(&at, &next, 1.0);
                Err(error.into())
            }
            Err(error) => Err(error),
        };
        self.work.led = next;
        outcome
    }

    /// The same; leaves what could not be gone in `way` and the last direction in `next`, and returns whether all of it was.
    fn lead_with(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        d: &mut [Vec3],
        way: &mut [Vec3],
        next: &mut [Vec3],
    ) -> Result<bool, DynamicsError> {
        let mut fruitless = 0;
        for _ in 0..PIECES {
            self.follow_couplings(d.as_flattened())?;
            next.copy_from_slice(d);
            self.prescribe(solver, next, way)?;
            for (next, &d) in next.iter_mut().zip(&*d) {
                *next = vec3::sub(*next, d);
            }
            let length = self.safe_length(d.as_flattened(), next.as_flattened(), 1.0)?;
            for (d, &next) in d.iter_mut().zip(&*next) {
                *d = vec3::add_scaled(*d, next, length);
            }
            if length >= 1.0 {
                return Ok(true);
            }
            for way in way.iter_mut() {
                *way = vec3::scale(*way, 1.0 - length);
            }
            fruitless += usize::from(length < FRUITLESS.1);
            if fruitless > FRUITLESS.0 {
                return Ok(false);
            }
        }
        Ok(false)
    }
}
