//! Refinement: octasection, hexahedra into tetrahedra, quadratic nodes.
