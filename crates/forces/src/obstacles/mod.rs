//! Obstacles as smooth penalty potentials (Kharevych 3.2.10): a body can rest on a floor, a ball, a
//! box, or inside of one, before full contact comes.
//!
//! Each vertex that enters an obstacle to a depth p pays φ(p), which grows as p³ within the
//! smoothing depth and as p² beyond it: twice continuously differentiable at first touch, so that
//! Newton's method sees no jump. The potential conserves energy; a vertex rests a little inside.
//! As the document advises, what is drawn may be moved out by [`Shape::nearest_free`], which does
//! not touch the mechanics.
//!
//! [`Friction`] holds back what slides along an obstacle.
//!
//! [`LocalPlanes`] stand for something that moves and is touched while a simulation runs, as a probe does.

mod friction;
mod local_planes;
mod meeting;
mod penalty;
mod shape;

pub use friction::{Friction, Stepping};
pub use local_planes::{LocalPlane, LocalPlanes};
pub use meeting::{Meeting, Meets, Wall};
pub use penalty::{Obstacle, Penalty};
pub use shape::{Shape, Side, axis_of};
