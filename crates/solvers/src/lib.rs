//! Linear systems: direct and iterative solvers of 3×3 blocks, orderings, preconditioners, constraints, and
//! [`LinearSolver`] above them for matrices that may also be dense or bordered.
//!
//! Solvers know arrays, not meshes: a matrix ([`BlockMatrix`](pliant_algebra::sparse::BlockMatrix)), and for
//! those who can use it a [`Layout`] with the places of the vertices and the groups they are coupled by.
//! `analyze` looks at the pattern alone, `factor` at the values, `solve` at a right-hand side; each may be
//! repeated without what came before it.

mod auto;
mod choose;
mod constraints;
mod cost;
pub mod direct;
mod error;
pub mod iterative;
mod linear;
pub mod matrix;
mod options;
pub mod ordering;
mod solver;
mod solver_use;
pub mod sums;

pub use auto::Auto;
pub use choose::{Choice, SolverName};
pub use constraints::{Constrained, Constraints};
pub use error::SolverError;
pub use linear::{AnyMatrix, LinearSolver};
pub use solver::{BlockSolver, Layout, Report, StopReason};
pub use solver_use::SolverUse;
