//! MEDIT's `.mesh`, the text form of the format of INRIA's meshers (Mmg, libMeshb).
//!
//! - The reference of a tetrahedron or hexahedron becomes a region named by the number; 0 is no
//!   region.
//! - A nonzero reference of a vertex puts it into the vertex set named by the number; that of an
//!   edge, triangle or quadrilateral puts its vertices into the set `edges N`, `triangles N` or
//!   `quadrilaterals N`.
//! - Other sections are passed over.
//!
//! Writing goes the other way, as for TetGen: names that are integers stay, others are numbered and
//! noted, and a set `triangles N` (`quadrilaterals N` for hex8) that is made of whole boundary
//! faces becomes their reference.

mod read;
mod write;

pub use read::read;
pub use write::write;

/// The starts of the names of sets that come from facets.
const FACET_SETS: [&str; 3] = ["edges ", "triangles ", "quadrilaterals "];
