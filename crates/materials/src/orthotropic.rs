//! Linear elasticity with moduli along and between three axes: nine constants that make the tensor of the
//! [anisotropic](crate::anisotropic) law.

use crate::anisotropic;
use crate::catalogue::{Constant, LawEntry, LawName};
use crate::stiffness::Stiffness;

const CONSTANTS: &[Constant] = &[
    Constant::modulus("young1", "Modulus along the first material axis"),
    Constant::modulus("young2", "Modulus along the second material axis"),
    Constant::modulus("young3", "Modulus along the third material axis"),
    Constant::number("poisson12", "Ratio between the first two material axes"),
    Constant::number("poisson23", "Ratio between the second and third material axes"),
    Constant::number("poisson31", "Ratio between the third and first material axes"),
    Constant::modulus("shear12", "Shear modulus between the first two material axes"),
    Constant::modulus("shear23", "Shear modulus between the second and third material axes"),
    Constant::modulus("shear31", "Shear modulus between the third and first material axes"),
];

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "orthotropic",
    about: "linear, with moduli along and between three axes",
    constants: CONSTANTS,
    from_own: |c| {
        let three = |k: usize| [c[k], c[k + 1], c[k + 2]];
        Ok(Stiffness::orthotropic(three(0), three(3), three(6))?.to_triangle().to_vec())
    },
    ..anisotropic::ENTRY
};

impl LawName {
    /// See the module `orthotropic`.
    pub const ORTHOTROPIC: Self = Self::of(&ENTRY);
}
