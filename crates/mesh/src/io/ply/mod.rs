//! Stanford `.ply` surfaces: text, and binary of either byte order, with any property types in any
//! order. Normals and texture coordinates belong to vertices here.

mod header;
mod read;
mod write;

pub use read::read;
pub use write::{Options, write};

/// The names under which texture coordinates are found.
const TEXTURE: [[&str; 2]; 3] = [["s", "t"], ["u", "v"], ["texture_u", "texture_v"]];
