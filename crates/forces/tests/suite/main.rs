//! The integration tests of this crate in one binary, as linking one for each file took most of the time of a test run.

mod admissible;
mod attachments;
mod catalogue;
mod cell_constants;
mod checks;
mod common;
mod corotated;
mod damping;
mod element_matrices;
mod friction;
mod inspection;
mod load_fields;
mod loads;
mod mass;
mod mean_dilatation;
mod membrane;
mod memory;
mod memory_tangents;
mod obstacles;
mod polynomial;
mod solid;
mod springs;
mod stand_in;
mod stress;
mod viscous;
