//! Generators: meshes from a few numbers.
