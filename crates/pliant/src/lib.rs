//! Pliant, a simulator for deformable bodies.
//!
//! This crate is the front door: it re-exports the crates that do the work, and [`prelude`] has what most programs
//! begin with.

pub use pliant_algebra as algebra;
pub use pliant_draw as draw;
pub use pliant_dynamics as dynamics;
pub use pliant_elements as elements;
pub use pliant_errors as errors;
pub use pliant_forces as forces;
pub use pliant_materials as materials;
pub use pliant_memory_fit as memory_fit;
pub use pliant_mesh as mesh;
pub use pliant_model as model;
pub use pliant_report as report;
pub use pliant_scene as scene;
pub use pliant_sections as sections;
pub use pliant_solvers as solvers;
pub use pliant_study as study;
pub use pliant_units as units;

pub mod prelude;
