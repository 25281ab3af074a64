//! Shape functions and quadrature only: no materials, no assembly.
