//! Reduced polynomial solid (VirTis 2.7.2, read as usual; Yeoh's for three terms).
//!
//! W = Σₙ aₙ (Ī₁ − 3)ⁿ + (1/D) (J − 1)²,  Ī₁ = I₁ J^{−2/3},  n = 1 … 5.
//!
//! Small strains: shear modulus 2 a₁, bulk modulus 2/D.

use pliant_algebra::real::Real;
use pliant_units::Dimension;

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::error::positive;
use crate::invariants::{ByInvariants, InvariantLaw};
use crate::neo_hookean_isochoric::isochoric_factor;
use crate::variants::by_stretches;

/// The energy. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReducedPolynomialEnergy;

/// The law. See the [module](self).
pub type ReducedPolynomial = ByInvariants<ReducedPolynomialEnergy>;

impl InvariantLaw for ReducedPolynomialEnergy {
    const PARAMETERS: &'static [&'static str] = &["a1", "a2", "a3", "a4", "a5", "inverse_d"];
    const USES_I2: bool = false;
    /// Powers of Ī₁ grow fast in flatter elements.
    const INVERSION_THRESHOLD: f64 = 0.3;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, _i2: R, j: R) -> R {
        let e = i1 * isochoric_factor(j) - 3.0;
        let sum = e * (p[0] + e * (p[1] + e * (p[2] + e * (p[3] + e * p[4]))));
        sum + p[5] * (j - 1.0).square()
    }
}

const POWER: &str = "Constant of that power of I₁ − 3";
/// 1/Pa
const COMPLIANCE: Dimension = Dimension { exponents: [1, -1, 2, 0] };

const CONSTANTS: &[Constant] = &[
    Constant::modulus("a1", POWER),
    Constant::modulus("a2", POWER).or(0.0),
    Constant::modulus("a3", POWER).or(0.0),
    Constant::modulus("a4", POWER).or(0.0),
    Constant::modulus("a5", POWER).or(0.0),
    Constant::new("d", COMPLIANCE, "Compressibility, 1/Pa"),
];

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "reduced-polynomial",
    about: "powers of the first invariant up to the fifth (Yeoh)",
    constants: CONSTANTS,
    from_lame: |lame, _| Ok(vec![0.5 * lame.mu, 0.0, 0.0, 0.0, 0.0, 0.5 * lame.bulk()]),
    from_own: |c| {
        Ok(vec![positive("a1", c[0])?, c[1], c[2], c[3], c[4], 1.0 / positive("d", c[5])?])
    },
    bulk_modulus: Some(|p| 2.0 * p[5]),
    make: |inversion| by_stretches(ReducedPolynomial::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`ReducedPolynomial`]
    pub const REDUCED_POLYNOMIAL: Self = Self::of(&ENTRY);
}
