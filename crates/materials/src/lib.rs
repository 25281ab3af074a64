//! Constitutive laws. They see a deformation gradient F and their parameters; never a mesh, an
//! element or a thread. Every law is written once over [`Real`](pliant_algebra::real::Real), so that
//! it serves one point and eight at a time with the same bits.

pub mod clamped;
pub mod corotational;
pub mod dense;
mod derived_real;
pub mod invariants;
pub mod invertible;
pub mod isotropic;
pub mod jet;
pub mod law;
pub mod linear;
pub mod neo_hookean;
pub mod projectable;
pub mod series;
pub mod spectral;
pub mod st_venant_kirchhoff;
pub mod stable_neo_hookean;
pub mod stretches;

pub use law::{Law, Tangent};
