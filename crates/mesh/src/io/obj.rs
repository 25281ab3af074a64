//! Wavefront `.obj` surfaces.
