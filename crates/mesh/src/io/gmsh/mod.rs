//! Gmsh `.msh` 2.2 and 4.1, text and binary.
