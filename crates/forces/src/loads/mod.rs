//! What pushes a body from outside: gravity, point, body and surface loads.
//!
//! [`DeadLoad`] keeps its direction and its share of each vertex; [`Pressure`] follows the normal of
//! the surface it acts on, [`Shear`] its sides, [`Follower`] whichever way its faces turn. All follow a
//! [`TimeCurve`].

mod curve;
mod dead;
mod follower;
mod following;
mod pressure;
mod shear;

pub use curve::TimeCurve;
pub use dead::DeadLoad;
pub use follower::{Carried, Follower};
pub use following::{FaceForce, FaceRequest, Following};
pub use pressure::{Faces, Pressure};
pub use shear::{Shear, Sheared};
