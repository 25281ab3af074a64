//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod common;
mod folders;
mod material;
mod matrices;
mod mesh;
mod modes;
mod run;
mod solvers;
mod statuses;
mod step;
mod study;
