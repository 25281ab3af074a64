//! [`SolverError`]: why a system could not be solved, and what to do about it.

use pliant_errors::Class;
use pliant_sections::SectionError;

/// Why a system could not be solved. Vertices are block rows of the matrix.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolverError {
    /// A pivot is not positive.
    #[error(
        "the matrix is not positive definite: the pivot of vertex {vertex}, axis {axis} is {pivot:.3e}; if the body is free, fix three vertices that are not on a line; if it is compressed or inverted, project the stiffness or take ldlt or minres"
    )]
    NotPositiveDefinite {
        /// The vertex at which it showed.
        vertex: usize,
        /// 0, 1 or 2.
        axis: usize,
        /// The pivot.
        pivot: f64,
    },
    /// The matrix is singular to working precision.
    #[error("the matrix is singular at vertex {vertex}: {remedy}")]
    Singular {
        /// The vertex at which it showed.
        vertex: usize,
        /// What to do.
        remedy: String,
    },
    /// A value is infinite or not a number.
    #[error("{what} of vertex {vertex} is not finite")]
    NotFinite {
        /// "a matrix block", "the right-hand side", …
        what: &'static str,
        /// Whose.
        vertex: usize,
    },
    /// An iteration ended without reaching its tolerance.
    #[error(
        "{solver} did not converge: relative residual {residual:.3e} after {iterations} iterations, wanted {tolerance:.3e} ({hint})"
    )]
    NotConverged {
        /// Which.
        solver: &'static str,
        /// How many were made.
        iterations: usize,
        /// What was reached.
        residual: f64,
        /// What was asked for.
        tolerance: f64,
        /// What to try.
        hint: String,
    },
    /// A direction of no positive curvature was met.
    #[error(
        "{solver} found the matrix or its preconditioner not positive definite: p·Ap = {curvature:.3e} after {iterations} iterations; take minres or ldlt, or project the stiffness of elements to positive semi-definite"
    )]
    Indefinite {
        /// Which.
        solver: &'static str,
        /// How many were made.
        iterations: usize,
        /// p·Ap
        curvature: f64,
    },
    /// The factorisation does not fit.
    #[error(
        "the factor needs {needed} bytes, and {available} are allowed: take an iterative solver"
    )]
    Memory {
        /// Bytes it needs.
        needed: u64,
        /// Bytes it may take.
        available: u64,
    },
    /// What a checkpoint holds of a solver does not suit it.
    #[error("{0}")]
    Checkpoint(#[from] SectionError),
    /// Calls out of order, lengths that differ, names that are unknown, matrices that do not suit.
    #[error("{0}")]
    Usage(String),
}

impl SolverError {
    /// Returns its class: systems that cannot be solved are failed computations, wrong calls and checkpoints bad input.
    pub fn class(&self) -> Class {
        match self {
            Self::NotPositiveDefinite { .. }
            | Self::Singular { .. }
            | Self::NotFinite { .. }
            | Self::NotConverged { .. }
            | Self::Indefinite { .. }
            | Self::Memory { .. } => Class::Computation,
            Self::Checkpoint(error) => error.class(),
            Self::Usage(_) => Class::Input,
        }
    }
}
