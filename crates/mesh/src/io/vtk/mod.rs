//! Legacy `.vtk` unstructured grids.
