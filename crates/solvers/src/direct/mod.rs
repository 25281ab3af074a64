//! Direct solvers: A is taken apart once, then each right-hand side costs two substitutions.
//!
//! | name | for | how |
//! |---|---|---|
//! | `cholesky` | symmetric positive definite | own multifrontal factorisation, parallel over the tree |

mod cholesky;
mod dense;
mod diagnosis;
mod elimination;
mod numeric;
mod plan;
mod residual;
mod statistics;
mod supernodes;
mod tasks;
mod triangular;

pub use cholesky::Cholesky;
pub use statistics::Statistics;
