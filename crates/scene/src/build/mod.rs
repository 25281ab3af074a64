//! From specifications to a simulation: meshes, bodies, the world, what restricts it, what is drawn of it.

pub(crate) mod model;
pub(crate) mod restriction;
pub(crate) mod simulation;
pub(crate) mod surface;
pub(crate) mod warnings;
pub(crate) mod world;
