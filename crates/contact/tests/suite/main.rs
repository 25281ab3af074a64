//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod barrier;
mod ccd;
mod common;
mod derivatives;
mod distance;
mod mollifier;
mod projection;
mod surface;
