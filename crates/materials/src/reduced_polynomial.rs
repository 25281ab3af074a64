//! Reduced polynomial solid (VirTis 2.7.2, read as usual; Yeoh's for three terms).
//!
//! W = Σₙ aₙ (Ī₁ − 3)ⁿ + (1/D) (J − 1)²,  Ī₁ = I₁ J^{−2/3},  n = 1 … 5.
//!
//! Small strains: shear modulus 2 a₁, bulk modulus 2/D.

use pliant_algebra::real::Real;

use crate::invariants::{ByInvariants, InvariantLaw};
use crate::neo_hookean_isochoric::isochoric_factor;

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
