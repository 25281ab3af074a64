//! TetGen's `.node`, `.ele` and `.face`: vertices, tetrahedra and labelled faces in files of one
//! stem.
//!
//! - Numbering starts at 0 or 1 as the first number of the `.node` file says.
//! - The region attribute of a tetrahedron becomes a region named by the number; 0 is no region.
//! - A nonzero marker of a vertex puts it into the vertex set named by the number.
//! - A nonzero marker of a face puts its vertices into the vertex set `face N`, a name that no
//!   vertex marker can have.
//!
//! Writing goes the other way: regions and vertex sets whose names are integers keep them, others
//! are numbered and noted, and a set `face N` that is made of whole boundary faces becomes their
//! marker.

pub(in crate::io) mod facets;
pub(in crate::io) mod labels;
mod read;
pub(in crate::io) mod write;

pub use read::read;
pub use write::{Options, write, write_ele, write_face, write_node};

/// For each node of a tet10 in VTK's order its position in a `.ele` line. TetGen has the middles
/// of edges 23, 03, 01, 12, 13, 02 where VTK has those of 01, 12, 02, 03, 13, 23.
const VTK_FROM_TETGEN: [usize; 10] = [0, 1, 2, 3, 6, 7, 9, 5, 8, 4];

/// The start of the names of sets that come from face markers.
const FACE_SETS: &str = "face ";
