//! What pushes a body from outside: gravity, point, body and surface loads.
//!
//! [`DeadLoad`] keeps its direction and its share of each vertex; [`Pressure`] follows the normal of
//! the surface it acts on, [`Shear`] its sides, [`Follower`] whichever way its faces turn. All follow a
//! [`TimeCurve`]; their amounts may be [`LoadField`]s of the position at rest and of time, for which [`FieldLoad`] is the
//! dead one. What acts on faces is integrated over [`Faces`], whole faces of cells, with their own shape functions, so
//! that a uniform traction on the side of a body gives a uniform stress on every element.

mod curve;
mod dead;
mod faces;
mod field;
mod field_load;
mod follower;
mod following;
mod pressure;
mod shear;

pub use curve::TimeCurve;
pub(crate) use curve::curve_factor;
pub use dead::DeadLoad;
pub use faces::{FacePoint, FaceVisitor, Faces};
pub use field::{Amount, LoadField, Phase};
pub use field_load::FieldLoad;
pub use follower::{Carried, Follower};
pub use following::{FaceForce, FaceRequest, Following};
pub use pressure::{Pressed, Pressure};
pub use shear::{Shear, Sheared};
