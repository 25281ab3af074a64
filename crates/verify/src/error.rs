//! [`VerifyError`]: why a problem could not be computed.

use pliant_dynamics::DynamicsError;
use pliant_forces::ForceError;
use pliant_materials::MaterialError;
use pliant_mesh::MeshError;
use pliant_solvers::SolverError;

/// Why a problem could not be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Its mesh could not be made.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Its material.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// Its forces.
    #[error(transparent)]
    Force(#[from] ForceError),
    /// Its solver.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// Its solution was not found.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// The set-up is wrong.
    #[error("{0}")]
    SetUp(String),
}
