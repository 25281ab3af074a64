//! What every method that solves linear systems does first.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_solvers::{Layout, LinearSolver};

use crate::DynamicsError;

/// Lets a solver analyze a pattern, or refuses one that it does not serve; a matrix of that pattern.
pub(crate) fn analyze(
    solver: &mut dyn LinearSolver,
    pattern: &Arc<Pattern>,
    positions: &[Vec3],
) -> Result<BlockMatrix, DynamicsError> {
    if !pattern.is_symmetric() && !solver.takes_unsymmetric() {
        return Err(DynamicsError::Unsupported(format!(
            "the forces have an unsymmetric tangent, which {} does not serve: take auto, lu, bicgstab or gmres",
            solver.name()
        )));
    }
    solver.analyze(pattern, &Layout { positions: Some(positions), elements: None })?;
    Ok(BlockMatrix::zero(pattern.clone()))
}
