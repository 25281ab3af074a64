//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod agreement;
mod any_matrix;
mod auto;
mod checkpoints;
mod direct;
mod direct_common;
mod direct_constrained;
mod direct_single;
mod eisenstat_single;
mod iterative;
mod iterative_common;
mod iterative_constraints;
mod orderings;
mod stale;
