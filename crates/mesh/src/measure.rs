//! Measures: volume, centre of mass, inertia tensor, bounding box.
