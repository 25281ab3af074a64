//! Small dense kernels that every other Pliant crate stands on.
//!
//! [`real`] is arithmetic for one number or eight in step, [`dispatch`] runs such code with the
//! instructions that the processor has, and on these stand 3x3 matrices ([`mat3`]), their singular
//! values ([`svd3`]), rotations ([`polar3`]) and eigenvectors ([`eigen3`]). [`sparse`] holds matrices of
//! 3x3 blocks.

pub mod dispatch;
pub mod eigen3;
mod frame;
pub mod lanes;
pub mod mat3;
pub mod polar3;
pub mod real;
pub mod sparse;
pub mod svd3;
pub mod vec3;
