//! The mesh doctor: finds, names and repairs what is wrong with a mesh.
