//! Small dense kernels that every other Pliant crate stands on.

pub mod vec3;
