//! Wavefront `.obj` surfaces: vertices, texture coordinates, normals, faces with their groups and
//! materials. Lines, points, curves and display attributes are passed over, with a note.

pub(super) mod polygon;
mod read;
mod write;

pub use read::read;
pub use write::write;

/// The group of faces that precede every `g` and `o`, as the format names it.
const DEFAULT_GROUP: &str = "default";
