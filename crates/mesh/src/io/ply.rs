//! Stanford `.ply` surfaces.
