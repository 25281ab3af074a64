//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod bounds;
mod cell_data;
mod checkpoints;
mod curved;
mod depth;
mod errors;
mod fields;
mod formulas;
mod friction;
mod load_fields;
mod load_patch;
mod mass;
mod measures;
mod memory;
mod options;
mod output;
mod parse;
mod rest;
mod restriction;
mod retry;
mod run;
mod scenes;
mod schema;
mod stages;
mod summary;
mod vega;
