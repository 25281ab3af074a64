//! Spatial search: bounding-volume hierarchies, nearest points, winding numbers.
