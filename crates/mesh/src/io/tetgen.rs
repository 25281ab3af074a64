//! TetGen `.node`, `.ele` and `.face`.
