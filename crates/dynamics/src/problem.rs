//! [`Problem`]: r(y) = 0 in plain numbers, the one question of statics and of implicit steps.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::Vec3;
use pliant_forces::{ForceError, Inspection};
use pliant_sections::Sections;
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::{SolverUse, sums};

use crate::DynamicsError;
use crate::newton::{Converged, Counters, NewtonReport, Phases};
use crate::stopping::{Iterate, Stopping};

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

/// Nonlinear equations r(y) = 0 for n numbers. The unknowns of vertices are their vectors one after the other
/// (`as_flattened` makes such a list of one of vectors, at no cost); r is then in N for y in m.
pub trait Problem {
    /// Size and sparsity of the Jacobian, and so n.
    fn shape(&self) -> Shape;
    /// Rest positions of the vertices that block rows stand for, m, for linear solvers that want them; none where block
    /// rows stand for anything else.
    fn positions(&self) -> Option<&[Vec3]>;
    /// The size of the body, m.
    fn size(&self) -> f64;
    /// r(y), with zeros where something is held.
    fn residual(&mut self, y: &[f64], r: &mut [f64]) -> Result<Evaluation, ForceError>;
    /// ∂r/∂y with the constraints in it, its stiffness projected to positive semi-definite element by
    /// element if `project`.
    fn jacobian(&mut self, y: &[f64], project: bool, matrix: &mut Matrix)
    -> Result<(), ForceError>;
    /// Both in one pass: r(y), and ∂r/∂y without projection.
    fn linearize(
        &mut self,
        y: &[f64],
        r: &mut [f64],
        matrix: &mut Matrix,
    ) -> Result<Evaluation, ForceError>;
    /// Weights of mass, stiffness and damping in the Jacobian: one that was made with other weights is no use.
    fn weights(&self) -> [f64; 3];
    /// The longest way of a vertex if y changes by d, to first order, m.
    fn longest_move(&mut self, y: &[f64], d: &[f64]) -> f64;
    /// The largest α ≤ `limit` for which y + α d, and all that lies on the way there, is inside the domain of
    /// every force model.
    fn admissible(&mut self, y: &[f64], d: &[f64], limit: f64) -> Result<f64, ForceError>;
    /// The same with a margin, so that this length may be gone.
    fn safe_length(&mut self, y: &[f64], d: &[f64], limit: f64) -> Result<f64, ForceError> {
        Ok(inside(self.admissible(y, d, limit)?, limit))
    }
    /// Lets models whose couplings may change look at y. Returns true if the shape is another one now:
    /// residuals and Jacobians of before are no use then.
    fn follow_couplings(&mut self, y: &[f64]) -> Result<bool, DynamicsError>;
    /// Says whether Jacobians are upper bounds in part ([`Character::majorised`](pliant_forces::Character::majorised)).
    fn is_majorised(&self) -> bool {
        false
    }
    /// Says whether bodies may be in each other's way ([`Character::activation`](pliant_forces::Character::activation)).
    fn has_contact(&self) -> bool {
        false
    }
    /// Says whether a solve is done.
    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged>;
    /// Returns the problem as one of a body that may be tangled; none for those that are not states of rest of bodies whose
    /// vertices are the unknowns.
    fn tangled(&mut self) -> Option<&mut dyn Tangled> {
        None
    }
}

/// A state of rest of a body, for methods that have to know whether it is tangled.
pub trait Tangled: Problem {
    /// Inverted points and the smallest J at y; none where nothing has elements.
    fn inspect(&mut self, y: &[f64]) -> Result<Option<Inspection>, ForceError>;
    /// ∂r/∂y of the body in its rest shape, with the constraints in it: how stiff it is, whatever has become of it.
    fn rest_jacobian(&mut self, matrix: &mut Matrix) -> Result<(), ForceError>;
    /// Lets easier laws stand in for those of the body, or takes them away. Returns true while any does.
    fn stand_in(&mut self, on: bool) -> bool;
    /// Sets to zero what is held.
    fn filter(&self, d: &mut [f64]);
}

/// The blocks of a matrix, for problems whose unknowns are vectors of vertices.
pub fn blocks_of(matrix: &mut Matrix) -> Result<&mut BlockMatrix, ForceError> {
    let kind = matrix.shape().kind();
    matrix.blocks_mut().ok_or_else(|| {
        ForceError::Unsupported(format!("a problem of vertices has a matrix of blocks, not {kind}"))
    })
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
        y: &mut [f64],
    ) -> Result<NewtonReport, DynamicsError>;
    /// Before a solve, moves y by `way`, which is what is prescribed for held vertices and zero elsewhere. Methods that
    /// have a Jacobian may take along what is free, so that elements next to the held vertices are not crushed.
    fn prescribe(
        &mut self,
        _problem: &mut dyn Problem,
        y: &mut [f64],
        way: &[f64],
    ) -> Result<(), DynamicsError> {
        sums::add_scaled(y, 1.0, way);
        Ok(())
    }
    /// What was done since it was made.
    fn counters(&self) -> Counters;
    /// Where its time went, of those that look at the clock.
    fn phases(&self) -> Phases {
        Phases::default()
    }
    /// Methods that its linear solver has taken in place of the one that was given by name; none where that is the one that solves, and
    /// of methods that solve no linear systems.
    fn chosen(&self) -> Option<SolverUse> {
        None
    }
    /// |r| at the start and after each iteration of the last solve, N.
    fn history(&self) -> &[f64];
    /// Writes what it keeps from solve to solve, such as a Jacobian, and what its linear solver keeps.
    fn save(&self, to: &mut Sections);
    /// Goes on where the solver that wrote these sections was, with problems of this shape and these rest
    /// positions: the next solve has the bits of the one that it would have made.
    fn load(
        &mut self,
        from: &Sections,
        shape: &Shape,
        positions: Option<&[Vec3]>,
    ) -> Result<(), DynamicsError>;
    /// Forgets what it keeps from solve to solve, such as a factored Jacobian: the next solve is that of a
    /// new solver. Those that keep nothing have nothing to do.
    fn forget(&mut self) {}
}
