//! Constitutive laws. They see a deformation gradient F and their parameters; never a mesh, an
//! element or a thread. Every law is written once over [`Real`](pliant_algebra::real::Real), so that
//! it serves one point and eight at a time with the same bits.

pub mod law;

pub use law::{Law, Tangent};
