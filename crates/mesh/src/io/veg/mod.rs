//! Vega's `.veg`: vertices, tetrahedra or cubes, materials, element sets, and regions that give a
//! set its material; any part of it may come from another file by `*INCLUDE`.
//!
//! What the reader makes of it:
//! - Numbering starts at 0 where the number 0 appears and at 1 otherwise, for vertices and elements
//!   apart. Vertices and elements go where their numbers say; sets follow the elements' numbering.
//! - A set that a `*REGION` uses becomes a region of that name. Where regions overlap the later one
//!   wins, and a set that loses elements so is kept whole among the cell sets too. Sets that no
//!   region uses are cell sets. The set `allElements` is always there.
//! - An included file is looked for beside the file that includes it, then beside the first one.
//! - Keywords are taken in any case; names are compared without their blanks, as Vega does.

mod lines;
mod material;
pub(in crate::io) mod nearest;
pub(in crate::io) mod numbers;
mod read;
mod regions;
mod write;

pub use read::read;
pub use write::write;

/// Vega's name for the set of all elements, which needs no definition.
const ALL_ELEMENTS: &str = "allElements";

/// A name as it is compared: without its blanks.
fn key(name: &str) -> String {
    name.chars().filter(|c| !c.is_ascii_whitespace()).collect()
}
