//! Shape functions and quadrature only: no materials, no assembly.
//!
//! An [`Element`] of dimension D with N nodes is a type without data. Its [`Point`]s carry the reference gradients
//! ∂N_a/∂ξ as constants, so that all an assembler keeps for one element and point is (∂X/∂ξ)⁻¹ and
//! the weight: ten numbers for a volume element, whatever its nodes.
//!
//! ```
//! use pliant_elements::{Element, Tri3};
//! // A right triangle with legs of 3 m and 4 m, standing upright.
//! let x = [[0.0, 0.0, 1.0], [3.0, 0.0, 1.0], [0.0, 0.0, 5.0]];
//! assert_eq!(Tri3::measure(&x), 6.0);
//! ```

mod element;
mod face;
mod hex20;
mod hex8;
mod mass;
mod point;
mod quad4;
mod quad8;
mod quadrature;
mod seg2;
mod tet10;
mod tet4;
mod tri3;
mod tri6;

pub use element::{Element, measure, pseudo_inverse};
pub use face::{Face, points};
pub use hex8::{Hex8, Hex8Bbar};
pub use hex20::Hex20;
pub use mass::{consistent_mass, lumped_mass, shape_integrals};
pub use point::Point;
pub use quad4::Quad4;
pub use quad8::Quad8;
pub use quadrature::{
    Rule, cube_rule, gauss_legendre, line_rule, square_rule, tetrahedron_rule, triangle_rule,
};
pub use seg2::Seg2;
pub use tet4::Tet4;
pub use tet10::{Tet10, Tet10Bbar};
pub use tri3::Tri3;
pub use tri6::Tri6;
