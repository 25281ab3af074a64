//! VTK's XML `.vtu` unstructured grids.
