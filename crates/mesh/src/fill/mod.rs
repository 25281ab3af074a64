//! Filling a closed surface with tetrahedra by isosurface stuffing.
