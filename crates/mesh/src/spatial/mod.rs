//! Spatial search: bounding-volume hierarchies, nearest points, winding numbers, distances between
//! surfaces.

pub mod bvh;
pub mod hausdorff;
pub mod triangles;
pub mod winding;

pub use bvh::{Aabb, Bvh};
pub use hausdorff::{Hausdorff, hausdorff};
pub use triangles::{Nearest, TriangleTree};
pub use winding::{WindingTree, winding_number};
