//! What the fuzz targets share: a bound on memory, and what must hold of everything that is read.

pub mod allocation;
