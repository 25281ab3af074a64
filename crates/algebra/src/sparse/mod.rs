//! Sparse matrices of 3×3 blocks: one block couples two vertices.
//!
//! A [`Pattern`] says which blocks there are: all of them by rows, or for symmetric matrices the
//! upper triangle by rows, the diagonal block first. A [`BlockMatrix`] adds the values, a
//! [`Product`] multiplies, on all threads and with the same bits on any number of them.

mod export;
mod matrix;
mod parts;
mod pattern;
mod product;

pub use export::Csr;
pub use matrix::BlockMatrix;
pub use parts::for_each_part;
pub use pattern::{Pattern, PatternError, Slot};
pub use product::Product;

/// A 3×3 block, row after row.
pub type Block = [f64; 9];
