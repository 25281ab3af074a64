//! [`Problem`]: r(y) = 0, the one question of statics and of implicit steps.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;

use crate::DynamicsError;
use crate::newton::{Counters, NewtonReport, Phases};
use crate::vector::add_scaled;

/// What a residual tells besides itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// The largest of the forces that r is the sum of, N: what |r| is compared with.
    pub scale: f64,
    /// Φ with ∂Φ/∂y = r on what is free, and the size its rounding is relative to, J; none where there
    /// is no energy.
    pub energy: Option<(f64, f64)>,
}

/// Nonlinear equations for one vector a vertex, in N for unknowns in m.
pub trait Problem {
    /// The pattern of the Jacobian.
    fn pattern(&self) -> &Arc<Pattern>;
    /// Rest positions, for linear solvers that want them.
    fn positions(&self) -> &[Vec3];
    /// The size of the body, m.
    fn size(&self) -> f64;
    /// r(y), with zeros where something is held.
    fn residual(&mut self, y: &[Vec3], r: &mut [Vec3]) -> Result<Evaluation, ForceError>;
    /// ∂r/∂y with the constraints in it, its stiffness projected to positive semi-definite element by
    /// element if `project`.
    fn jacobian(
        &mut self,
        y: &[Vec3],
        project: bool,
        matrix: &mut BlockMatrix,
    ) -> Result<(), ForceError>;
    /// What the Jacobian depends on besides y: one that was made for other numbers is no use.
    fn kind(&self) -> [f64; 3];
}

/// Whoever solves r(y) = 0. Not converging is an error with numbers in it.
pub trait NonlinearSolver: Send {
    /// Starts from y and ends there; on error y is where the last good iterate was.
    fn solve(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [Vec3],
    ) -> Result<NewtonReport, DynamicsError>;
    /// Before a solve, moves y by `way`, which is what is prescribed for held vertices and zero elsewhere. Who
    /// has a Jacobian may take along what is free, so that elements next to the held vertices are not crushed.
    fn lead(
        &mut self,
        _problem: &mut dyn Problem,
        y: &mut [Vec3],
        way: &[Vec3],
    ) -> Result<(), DynamicsError> {
        add_scaled(y, way, 1.0);
        Ok(())
    }
    /// What was done since it was made.
    fn counters(&self) -> Counters;
    /// Where its time went, of those that look at the clock.
    fn phases(&self) -> Phases {
        Phases::default()
    }
    /// |r| at the start and after each iteration of the last solve, N.
    fn history(&self) -> &[f64];
    /// Forgets what it keeps from solve to solve, such as a factored Jacobian: the next solve is that of a
    /// new solver. Those that keep nothing have nothing to do.
    fn forget(&mut self) {}
}
