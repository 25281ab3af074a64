//! `.stl` surfaces, text and binary.
