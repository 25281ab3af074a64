//! [`BlockSolver`]: methods for sparse systems of 3×3 blocks. Callers whose matrices may be of other kinds go through
//! [`LinearSolver`](crate::LinearSolver).

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use crate::{SolverError, SolverUse};

/// What else may be known of the vertices (block rows). Everything is optional.
#[derive(Debug, Clone, Copy, Default)]
pub struct Layout<'a> {
    /// Where they are at rest, m: for geometric orderings and for rigid-body modes.
    pub positions: Option<&'a [Vec3]>,
    /// Groups that are coupled all with all: the nodes of elements, `nodes` entries each.
    pub elements: Option<(&'a [u32], usize)>,
}

/// Why a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// A direct solver has solved.
    Direct,
    /// The residual is below the tolerance.
    Residual,
    /// The estimated error in the energy norm is.
    EnergyNorm,
    /// The right-hand side is zero.
    ZeroRightHandSide,
    /// Residuals no longer fall: rounding.
    Stagnation,
}

/// What a solve did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// Iterations, or for direct solvers steps of refinement.
    pub iterations: usize,
    /// ‖b − A x‖ / ‖b‖, computed from x.
    pub relative_residual: f64,
    /// Why it ended.
    pub reason: StopReason,
}

/// A solver of A x = b for matrices of 3×3 blocks. Not converging is an error, never a silent return.
pub trait BlockSolver: Send {
    /// The name users know it by.
    fn name(&self) -> &str;
    /// Whether it serves unsymmetric matrices.
    fn takes_unsymmetric(&self) -> bool;
    /// Looks at the pattern. Once for all matrices that have it.
    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError>;
    /// Looks at the values. Once for all right-hand sides.
    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError>;
    /// Solves. On entry `x` holds a first guess, which direct solvers ignore. `matrix` is the one that
    /// was factored, or one near it where the solver uses its factor as a preconditioner.
    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError>;
    /// Solves for several right-hand sides.
    fn solve_many(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec<Vec3>],
        x: &mut [Vec<Vec3>],
    ) -> Result<Vec<Report>, SolverError> {
        b.iter().zip(x).map(|(b, x)| self.solve(matrix, b, x)).collect()
    }
    /// Whether a matrix that is not positive definite is to be an error, for solvers that would otherwise go
    /// over to a method which takes it. Newton's method on an energy wants to know.
    fn wants_definite(&mut self, _yes: bool) {}
    /// From the next solve on, iterations stop at this relative residual instead of that of the settings:
    /// for those who solve roughly first. Direct solvers have no use for it.
    fn set_tolerance(&mut self, _relative: f64) {}
    /// Writes what later solves depend on besides the matrices and right-hand sides they are given: a solver that
    /// was chosen, a factor that is kept for other matrices, a tolerance. What `analyze` and `factor` make anew
    /// from what they are given is not written.
    fn save(&self, to: &mut Sections);
    /// Goes on where the solver that wrote these sections was. Called after `analyze` of the same pattern, in place
    /// of `factor`: `matrix` is the one that was factored last, if solves with it are still to come, and its
    /// factor is made again to the last bit.
    fn load(&mut self, from: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError>;
    /// Bytes held for the factor or the preconditioner.
    fn memory(&self) -> usize;
    /// Entries of the factor that are not zero, where there is one and it tells.
    fn factor_nonzeros(&self) -> Option<u64> {
        None
    }
    /// Floating-point operations of a factorisation, after analysis, where the solver tells.
    fn factor_flops(&self) -> Option<f64> {
        None
    }
    /// Methods that it has chosen by itself so far; none of solvers that choose nothing.
    fn chosen(&self) -> Option<SolverUse> {
        None
    }
    /// What the last set-up has to tell: a choice that was made, a shift of the diagonal.
    fn note(&self) -> Option<String> {
        None
    }
}
