//! Mass-spring networks, and springs that attach bodies to each other and to the world.
//!
//! [`Springs`] is the force model of a network; [`network`](mesh_springs) makes one from the cells of
//! a mesh, with van Gelder's constants if wanted; [`quality`](damp_for_quality) fits its damping.
//! [`Attachments`] pull points of bodies to targets or to each other; [`Grabs`] do so while a simulation runs.

mod attachment;
mod grabs;
mod kernel;
mod model;
mod network;
mod parts;
mod quality;

pub use attachment::{Attachment, Attachments, End, Point};
pub use grabs::{Grab, Grabs};
pub use model::{DampingTangent, Springs};
pub use network::{Spring, Stiffness, lumped_masses, mesh_springs};
pub use quality::{QualityFit, damp_for_quality};

/// The name by which scenes and commands ask for springs along the edges of a mesh in place of elements and a law.
pub const MASS_SPRING: &str = "mass-spring";
/// One line about [`MASS_SPRING`] for users.
pub const MASS_SPRING_ABOUT: &str = "springs along the edges of the mesh";
