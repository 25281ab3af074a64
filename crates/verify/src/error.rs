//! [`VerifyError`]: why a problem could not be computed.

use pliant_dynamics::DynamicsError;
use pliant_errors::Class;
use pliant_forces::ForceError;
use pliant_materials::MaterialError;
use pliant_mesh::MeshError;
use pliant_model::ModelError;
use pliant_solvers::SolverError;

/// Why a problem could not be computed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Its mesh could not be made.
    #[error("{0}")]
    Mesh(#[from] MeshError),
    /// Its material.
    #[error("{0}")]
    Material(#[from] MaterialError),
    /// Its forces.
    #[error("{0}")]
    Force(#[from] ForceError),
    /// Its solver.
    #[error("{0}")]
    Solver(#[from] SolverError),
    /// Its solution was not found.
    #[error("{0}")]
    Dynamics(#[from] DynamicsError),
    /// Its body could not be made.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// The set-up is wrong.
    #[error("{0}")]
    SetUp(String),
}

impl VerifyError {
    /// Returns its class: that of what could not be made or solved.
    pub fn class(&self) -> Class {
        match self {
            Self::Mesh(error) => error.class(),
            Self::Material(error) => error.class(),
            Self::Force(error) => error.class(),
            Self::Solver(error) => error.class(),
            Self::Dynamics(error) => error.class(),
            Self::Model(error) => error.class(),
            Self::SetUp(_) => Class::Input,
        }
    }
}
