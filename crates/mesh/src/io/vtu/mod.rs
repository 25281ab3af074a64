//! VTK's XML unstructured grids, `.vtu`: text, inline base64, zlib, and appended data.
//!
//! Regions are the cell array `region` (−1: none) with their names in the field array
//! `region_names`, UTF-8 texts each ended by a zero; sets are arrays `set:NAME` of zeros and ones. Other cell
//! arrays of one component are cell data, written as `Float64`.
//! The names are plain bytes rather than VTK's `String` type because meshio refuses a file with
//! the latter; both are read.

mod base64;
mod encode;
mod input;
mod payload;
mod read;
mod write;
pub(in crate::io) mod xml;

pub use read::{FrameState, read, read_state};
pub use write::{write, write_with_data};

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// As text, with the fewest digits that give all bits back.
    Ascii,
    /// In binary, as base64.
    Base64,
    /// In binary, compressed, as base64.
    #[default]
    Zlib,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// How numbers are written.
    pub encoding: Encoding,
}

/// Data on the points or cells of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DataArray<'a> {
    /// Its name; data named alike in another array of the same place is replaced by most readers.
    pub name: &'a str,
    /// Numbers for each point or cell: 1 for a scalar, 3 for a vector, 6 or 9 for a tensor
    /// (xx, yy, zz, xy, yz, xz, or row by row).
    pub components: usize,
    /// The numbers, those of a point or cell together.
    pub values: DataValues<'a>,
}

/// Numbers of a [`DataArray`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DataValues<'a> {
    /// Double precision.
    F64(&'a [f64]),
    /// Single precision.
    F32(&'a [f32]),
    /// Integers.
    I32(&'a [i32]),
    /// Small integers and flags.
    U8(&'a [u8]),
}
