//! Krylov solvers and their preconditioners.
//!
//! All of them give the same bits on any number of threads: sums are made piece by piece in a fixed
//! order, and triangular solves follow a tree of branches that the pattern alone determines. After
//! the first solve nothing is allocated.

mod bicgstab;
mod block;
mod block_diagonal;
mod breakdown;
mod cg;
mod cg_iteration;
mod diagonal;
mod eisenstat;
mod eisenstat_pass;
mod gmres;
mod ic0;
mod ict;
mod incomplete;
mod krylov;
mod minres;
mod multigrid;
mod operator;
mod precision;
mod preconditioner;
mod shape;
mod single;
mod ssor;
mod stale;
mod stretch;
mod substitution;
mod system;
mod tree;
mod triangular;
mod vectors;

pub use bicgstab::Bicgstab;
pub use block_diagonal::BlockDiagonal;
pub use cg::Cg;
pub use diagonal::Diagonal;
pub use eisenstat::EisenstatCg;
pub use gmres::Gmres;
pub use ic0::Ic0;
pub use ict::Ict;
pub use minres::Minres;
pub use multigrid::{Multigrid, MultigridOptions};
pub use operator::{MatrixOperator, Operator, OperatorCg, Scaling};
pub use preconditioner::{Preconditioner, PreconditionerName};
pub use ssor::Ssor;
pub use stale::StaleFactor;
pub use system::{Settings, Stop};

use pliant_algebra::sparse::{BlockMatrix, Pattern};

use crate::SolverError;

/// Fails on unsymmetric patterns.
fn needs_symmetric_matrix(pattern: &Pattern, solver: &str) -> Result<(), SolverError> {
    if pattern.is_symmetric() {
        return Ok(());
    }
    Err(SolverError::Usage(format!(
        "{solver} serves symmetric matrices: take gmres or bicgstab, or lu"
    )))
}

/// Fails where a diagonal entry is below zero, or is zero in a row that is not.
fn needs_positive_diagonal(matrix: &BlockMatrix) -> Result<(), SolverError> {
    for (vertex, block) in matrix.diagonal().enumerate() {
        // Rows that are zero as a whole have an error of their own, as have values that are NaN.
        if block.iter().all(|&v| v == 0.0) {
            continue;
        }
        for axis in 0..3 {
            let pivot = block[4 * axis];
            if pivot <= 0.0 {
                return Err(SolverError::NotPositiveDefinite { vertex, axis, pivot });
            }
        }
    }
    Ok(())
}
