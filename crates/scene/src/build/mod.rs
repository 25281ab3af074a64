//! From specifications to a simulation: meshes, bodies, the world, what restricts it, what is drawn of it.

mod apart;
mod fibres;
pub(crate) mod model;
pub(crate) mod norm;
pub(crate) mod overlap;
pub(crate) mod probe_stress;
pub(crate) mod restriction;
pub(crate) mod simulation;
pub(crate) mod size;
pub(crate) mod stability;
pub(crate) mod surface;
pub(crate) mod warnings;
pub(crate) mod world;
