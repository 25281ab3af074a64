//! Reordering of vertices and cells for locality.
