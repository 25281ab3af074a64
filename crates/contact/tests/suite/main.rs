//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod allocations;
mod analytic;
mod barrier;
mod broad;
mod ccd;
mod common;
mod derivatives;
mod distance;
mod friction;
mod mollifier;
mod normal;
mod overlap;
mod projection;
mod soft;
mod stepping;
mod surface;
