//! Legacy `.vtk` unstructured grids, versions 2.0 to 5.1, ASCII and binary.
//!
//! Regions are the cell array `region` (−1: none) with their names in the field array
//! `region_names`; sets are arrays `set:NAME` of zeros and ones. Other cell arrays of one component are cell
//! data.

pub(in crate::io) mod column;
pub(in crate::io) mod grid;
mod kind;
mod names;
mod read;
pub(in crate::io) mod scalar;
mod sections;
pub(in crate::io) mod write;

pub use read::read;
pub use write::write;

/// How a legacy file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Numbers as big-endian binary, else as text. Both give all bits back.
    pub binary: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { binary: true }
    }
}
