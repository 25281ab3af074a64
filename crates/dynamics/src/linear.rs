//! What every method that solves linear systems does first.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_solvers::{BlockSolver, Layout};

use crate::DynamicsError;

/// Lets a solver analyze a pattern, or refuses one that it does not serve; a matrix of that pattern.
pub(crate) fn analyze(
    solver: &mut dyn BlockSolver,
    pattern: &Arc<Pattern>,
    positions: &[Vec3],
) -> Result<BlockMatrix, DynamicsError> {
    refuse_unsymmetric(pattern, solver.takes_unsymmetric(), solver.name())?;
    solver.analyze(pattern, &Layout { positions: Some(positions), elements: None })?;
    Ok(BlockMatrix::zero(pattern.clone()))
}

/// Fails where a pattern is unsymmetric and the solver serves symmetric ones alone.
pub(crate) fn refuse_unsymmetric(
    pattern: &Pattern,
    takes_unsymmetric: bool,
    solver: &str,
) -> Result<(), DynamicsError> {
    if pattern.is_symmetric() || takes_unsymmetric {
        return Ok(());
    }
    Err(DynamicsError::Unsupported(format!(
        "the forces have an unsymmetric tangent, which {solver} does not serve: take auto, lu, bicgstab or gmres"
    )))
}
