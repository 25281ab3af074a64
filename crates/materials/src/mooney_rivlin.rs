//! Mooney-Rivlin solid, Vega (12) (Bower 2009, section 3.5.5).
//!
//! W = μ₁₀ (Ī₁ − 3) + μ₀₁ (Ī₂ − 3) + v₁ (J − 1)²,  Ī₁ = I₁ J^{−2/3},  Ī₂ = I₂ J^{−4/3},
//!
//! where Vega's II_C is tr C², so its ½ (I_C² − II_C) is I₂. Small strains: shear modulus 2 (μ₁₀ + μ₀₁), bulk
//! modulus 2 v₁.

use pliant_algebra::real::Real;

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::error::{ensure, positive};
use crate::invariants::{ByInvariants, InvariantLaw};
use crate::jet::Jet;
use crate::neo_hookean_isochoric::isochoric_factor;
use crate::variants::by_stretches;

/// The energy. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MooneyRivlinEnergy;

/// The law. See the [module](self).
pub type MooneyRivlin = ByInvariants<MooneyRivlinEnergy>;

impl InvariantLaw for MooneyRivlinEnergy {
    const PARAMETERS: &'static [&'static str] = &["mu10", "mu01", "v1"];

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R {
        let factor = isochoric_factor(j);
        p[0] * (i1 * factor - 3.0) + p[1] * (i2 * factor.square() - 3.0) + p[2] * (j - 1.0).square()
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        let [mu10, mu01, two_v1] = [p[0], p[1], p[2] + p[2]];
        let inverse = j.recip();
        let factor = isochoric_factor(j);
        let slope = factor * inverse * (-2.0 / 3.0);
        let curvature = slope * inverse * (-5.0 / 3.0);
        let factor2 = factor.square();
        let slope2 = factor2 * inverse * (-4.0 / 3.0);
        let curvature2 = slope2 * inverse * (-7.0 / 3.0);
        let mut w = Jet::constant(self.energy(p, i1, i2, j));
        w.first[0] = mu10 * factor;
        w.first[1] = mu01 * factor2;
        w.first[2] = mu10 * i1 * slope + mu01 * i2 * slope2 + two_v1 * (j - 1.0);
        w.second[2] = mu10 * i1 * curvature + mu01 * i2 * curvature2 + two_v1;
        w.second[4] = mu01 * slope2;
        w.second[5] = mu10 * slope;
        w
    }
}

const CONSTANTS: &[Constant] = &[
    Constant::modulus("mu10", "Mooney's constant of the first invariant"),
    Constant::modulus("mu01", "Mooney's constant of the second invariant"),
    Constant::modulus("v1", "Mooney-Rivlin's stiffness against change of volume"),
];

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "mooney-rivlin",
    about: "rubber with both invariants (Vega 12)",
    constants: CONSTANTS,
    // μ₁₀ : μ₀₁ = 3 : 1
    from_lame: |lame, _| Ok(vec![0.375 * lame.mu, 0.125 * lame.mu, 0.5 * lame.bulk()]),
    from_own: |c| {
        let sum = c[0] + c[1];
        ensure(sum > 0.0, "mu10 + mu01", sum, "must be above 0, half the shear modulus")?;
        Ok(vec![c[0], c[1], positive("v1", c[2])?])
    },
    bulk_modulus: Some(|p| 2.0 * p[2]),
    make: |inversion| by_stretches(MooneyRivlin::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`MooneyRivlin`]
    pub const MOONEY_RIVLIN: Self = Self::of(&ENTRY);
}
