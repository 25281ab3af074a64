//! Linear systems of 3×3 blocks: direct and iterative solvers, orderings, preconditioners, constraints.
//!
//! Solvers know arrays, not meshes: a matrix ([`BlockMatrix`](pliant_algebra::sparse::BlockMatrix)), and for
//! those who can use it a [`Layout`] with the places of the vertices and the groups they are coupled by.
//! `analyze` looks at the pattern alone, `factor` at the values, `solve` at a right-hand side; each may be
//! repeated without what came before it.

mod auto;
mod choose;
mod constraints;
pub mod direct;
mod error;
pub mod iterative;
pub mod ordering;
mod solver;

pub use auto::Auto;
pub use choose::{Choice, SolverName};
pub use constraints::{Constrained, Constraints};
pub use error::SolverError;
pub use solver::{Layout, LinearSolver, Report, StopReason};
