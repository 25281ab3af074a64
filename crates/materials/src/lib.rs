//! Constitutive laws. They see a deformation gradient F and their parameters; never a mesh, an
//! element or a thread. Every law is written once over [`Real`](pliant_algebra::real::Real), so that
//! it serves one point and eight at a time with the same bits.

pub mod anisotropic;
mod called;
pub mod catalogue;
pub mod ciarlet_geymonat;
pub mod compression_resistance;
#[doc(hidden)]
pub mod continued_volume;
pub mod corotational;
pub mod corotational_frames;
pub mod corotational_hybrid;
#[doc(hidden)]
pub mod dense;
mod derived_real;
#[doc(hidden)]
pub mod eight;
pub mod energy;
mod error;
pub mod fibres;
pub mod holzapfel_gasser_ogden;
pub mod homogeneous;
pub mod invariants;
pub mod invertible;
#[doc(hidden)]
pub mod isotropic;
#[doc(hidden)]
pub mod jet;
mod law;
pub mod linear;
mod material;
pub mod maxwell;
pub mod measures;
pub mod mooney_rivlin;
pub mod neo_hookean;
pub mod neo_hookean_isochoric;
pub mod neo_hookean_nienhuys;
pub mod ogden;
mod orthotropic;
pub mod parameters;
mod point;
#[doc(hidden)]
pub mod projectable;
pub mod reduced_polynomial;
mod reinforced;
#[doc(hidden)]
pub mod series;
#[doc(hidden)]
pub mod spectral;
pub mod st_venant_kirchhoff;
pub mod stable_neo_hookean;
pub mod stiffness;
pub mod stretches;
pub mod tissue;
pub mod variants;
pub mod veronda_westmann;
pub mod veronda_westmann_nienhuys;

pub use catalogue::{Constant, Continuation, Inversion, LawEntry, LawName};
pub use error::MaterialError;
pub use law::{Law, Tangent};
pub use material::Material;
pub use parameters::Constants;
pub use point::{Operations, PointLaw};
pub use reinforced::Reinforced;
