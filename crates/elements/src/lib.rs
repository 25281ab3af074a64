//! Shape functions and quadrature only: no materials, no assembly.
//!
//! An [`Element`] of N nodes is a type without data. Its [`Point`]s carry the reference gradients
//! ∂N_a/∂ξ as constants, so that all an assembler keeps for one element and point is (∂X/∂ξ)⁻¹ and
//! the weight: ten numbers, whatever the element.

mod element;
mod hex8;
mod mass;
mod point;
mod quadrature;
mod tet10;
mod tet4;

pub use element::Element;
pub use hex8::{Hex8, Hex8Bbar};
pub use mass::{consistent_mass, lumped_mass};
pub use point::Point;
pub use quadrature::{Rule, cube_rule, gauss_legendre, tetrahedron_rule};
pub use tet4::Tet4;
pub use tet10::Tet10;
