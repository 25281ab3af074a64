//! Veronda-Westmann soft tissue (1970) in the isochoric form.
//!
//! W = c₁ (exp(c₂ (Ī₁ − 3)) − 1) − ½ c₁ c₂ (Ī₂ − 3) + κ/2 ln² J,  Ī₁ = I₁ J^{−2/3},  Ī₂ = I₂ J^{−4/3}.
//!
//! Small strains: shear modulus c₁ c₂, bulk modulus κ. c₂ says how fast the tissue stiffens.

use pliant_algebra::real::Real;

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::error::positive;
use crate::invariants::{ByInvariants, InvariantLaw};
use crate::neo_hookean_isochoric::isochoric_factor;
use crate::variants::by_stretches;

/// The energy. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VerondaWestmannEnergy;

/// The law. See the [module](self).
pub type VerondaWestmann = ByInvariants<VerondaWestmannEnergy>;

impl InvariantLaw for VerondaWestmannEnergy {
    const PARAMETERS: &'static [&'static str] = &["c1", "c2", "kappa"];
    /// The exponential would make the energy of flatter elements astronomic.
    const INVERSION_THRESHOLD: f64 = 0.4;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R {
        let [c1, c2, kappa] = [p[0], p[1], p[2]];
        let factor = isochoric_factor(j);
        let stretched = (c2 * (i1 * factor - 3.0)).exp() - 1.0;
        let sheared = c2 * (i2 * factor.square() - 3.0);
        c1 * (stretched - sheared * 0.5) + kappa * j.ln().square() * 0.5
    }

    #[inline(always)]
    fn log_modulus<R: Real>(&self, p: &[R]) -> R {
        p[2]
    }
}

const CONSTANTS: &[Constant] = &[
    Constant::modulus("c1", "First constant of the law: the shear modulus over c2"),
    Constant::number("c2", "Second constant of the law: how fast the tissue stiffens")
        .beside_moduli_or(1.0),
    Constant::modulus("kappa", "Bulk modulus"),
];

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "veronda-westmann",
    about: "soft tissue that stiffens exponentially, isochoric",
    constants: CONSTANTS,
    // The shear modulus is c₁ c₂.
    from_lame: |lame, c2| Ok(vec![lame.mu / positive("c2", c2[0])?, c2[0], lame.bulk()]),
    from_own: |c| Ok(vec![positive("c1", c[0])?, positive("c2", c[1])?, positive("kappa", c[2])?]),
    bulk_modulus: Some(|p| p[2]),
    make: |inversion| by_stretches(VerondaWestmann::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`VerondaWestmann`]
    pub const VERONDA_WESTMANN: Self = Self::of(&ENTRY);
}
