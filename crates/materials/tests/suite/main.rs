//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod catalogue;
mod common;
mod derivatives;
mod energy;
mod fibres;
mod homogeneous;
mod invariance;
mod inversion;
mod parameters;
mod parts;
mod point_values;
mod projection;
