//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod cell_data;
mod checkpoints;
mod errors;
mod formulas;
mod memory;
mod options;
mod output;
mod parse;
mod restriction;
mod retry;
mod run;
mod scenes;
mod schema;
mod summary;
mod vega;
