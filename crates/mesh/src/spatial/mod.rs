//! Spatial search: bounding-volume hierarchies, nearest points, winding numbers.

pub mod bvh;

pub use bvh::{Aabb, Bvh};
