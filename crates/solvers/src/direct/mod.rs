//! Direct solvers: A is taken apart once, then each right-hand side costs two substitutions.
//!
//! | name | for | how |
//! |---|---|---|
//! | `cholesky` | symmetric positive definite | own multifrontal factorisation, parallel over the tree |
//! | `cholesky-single` | the same | the same in numbers of 4 bytes, solutions refined in numbers of 8 |
//! | `ldlt` | symmetric indefinite | faer's, rows exchanged inside supernodes, one thread |
//! | `lu` | unsymmetric | faer's, rows exchanged freely, one thread |

mod cholesky;
mod constrained;
mod dense;
mod diagnosis;
mod elimination;
mod ldlt;
mod lu;
mod numeric;
mod outer;
mod plan;
mod real;
mod residual;
mod scalar;
mod single;
mod statistics;
mod supernodes;
mod tasks;
mod triangular;

pub use cholesky::Cholesky;
pub use constrained::{ConstrainedDirect, Constraint};
pub use ldlt::Ldlt;
pub use lu::Lu;
pub use single::CholeskySingle;
pub use statistics::{Statistics, factor_pattern};
