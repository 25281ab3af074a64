//! Spatial search: bounding-volume hierarchies, nearest points, winding numbers, distances between
//! surfaces.

mod aabb;
pub mod bvh;
pub mod hausdorff;
pub mod triangles;
pub mod winding;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use hausdorff::{Hausdorff, hausdorff};
pub use triangles::{Nearest, TriangleTree};
pub use winding::{WindingTree, winding_number};
