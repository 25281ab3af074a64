//! [`Problem`]: r(y) = 0, the one question of statics and of implicit steps.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;
use pliant_sections::Sections;

use crate::DynamicsError;
use crate::newton::{Converged, Counters, NewtonReport, Phases};
use crate::stopping::{Iterate, Stopping};
use crate::vector::add_scaled;

/// What a residual tells besides itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// The largest of the forces that r is the sum of, N: what |r| is compared with.
    pub scale: f64,
    /// Φ with ∂Φ/∂y = r on what is free, and the size its rounding is relative to, J; none where there
    /// is no energy.
    pub energy: Option<(f64, f64)>,
    /// The largest residual of a constraint row over its tolerance; 0 where there are none.
    pub rows: f64,
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
    /// Both in one pass: r(y), and ∂r/∂y without projection.
    fn linearize(
        &mut self,
        y: &[Vec3],
        r: &mut [Vec3],
        matrix: &mut BlockMatrix,
    ) -> Result<Evaluation, ForceError>;
    /// What the Jacobian depends on besides y: one that was made for other numbers is no use.
    fn kind(&self) -> [f64; 3];
    /// The largest α ≤ `limit` for which y + α d, and all that lies on the way there, is inside the domain of
    /// every force model.
    fn admissible(&mut self, y: &[Vec3], d: &[Vec3], limit: f64) -> Result<f64, ForceError>;
    /// Lets models whose couplings may change look at y. Returns true if the pattern is another one now:
    /// residuals and Jacobians of before are no use then.
    fn follow_couplings(&mut self, y: &[Vec3]) -> Result<bool, DynamicsError>;
    /// Says whether a solve is done.
    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged>;
}

/// Lengths of steps along a direction that lead out of the domain of a model at `reach` times its length stay this
/// far inside.
const INSIDE: f64 = 0.9;

/// The longest step along a direction of which `reach` times its length is admissible, at most `limit`.
pub(crate) fn inside(reach: f64, limit: f64) -> f64 {
    if reach < limit { INSIDE * reach } else { limit }
}

/// A solver for r(y) = 0. Not converging is an error with numbers in it.
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
    /// Writes what it keeps from solve to solve, such as a Jacobian, and what its linear solver keeps.
    fn save(&self, to: &mut Sections);
    /// Goes on where the solver that wrote these sections was, with problems of this pattern and these rest
    /// positions: the next solve has the bits of the one that it would have made.
    fn load(
        &mut self,
        from: &Sections,
        pattern: &Arc<Pattern>,
        positions: &[Vec3],
    ) -> Result<(), DynamicsError>;
    /// Forgets what it keeps from solve to solve, such as a factored Jacobian: the next solve is that of a
    /// new solver. Those that keep nothing have nothing to do.
    fn forget(&mut self) {}
}
