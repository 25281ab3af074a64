//! Neo-Hookean solid that separates shape from volume, Kharevych (2.4) in three dimensions.
//!
//! W = μ (I₁ J^{−2/3} − 3) + κ/2 (J − 1)²
//!
//! Its small-strain shear modulus is 2 μ and its bulk modulus κ: from Young and Poisson, μ is half the
//! shear modulus.

use pliant_algebra::real::Real;

use crate::catalogue::{Constant, LawEntry, LawName};
use crate::error::positive;
use crate::invariants::{ByInvariants, InvariantLaw};
use crate::jet::Jet;
use crate::variants::by_stretches;

/// The energy. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NeoHookeanIsochoricEnergy;

/// The law. See the [module](self).
pub type NeoHookeanIsochoric = ByInvariants<NeoHookeanIsochoricEnergy>;

/// J^{−2/3}
#[inline(always)]
pub(crate) fn isochoric_factor<R: Real>(j: R) -> R {
    j.cbrt().square().recip()
}

impl InvariantLaw for NeoHookeanIsochoricEnergy {
    const PARAMETERS: &'static [&'static str] = &["mu", "kappa"];
    const USES_I2: bool = false;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, _i2: R, j: R) -> R {
        p[0] * (i1 * isochoric_factor(j) - 3.0) + p[1] * (j - 1.0).square() * 0.5
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, _i2: R, j: R) -> Jet<R> {
        let [mu, kappa] = [p[0], p[1]];
        let inverse = j.recip();
        let factor = isochoric_factor(j);
        let slope = factor * inverse * (-2.0 / 3.0);
        let curvature = slope * inverse * (-5.0 / 3.0);
        let grown = j - 1.0;
        let mut w = Jet::constant(mu * (i1 * factor - 3.0) + kappa * grown.square() * 0.5);
        w.first[0] = mu * factor;
        w.first[2] = mu * i1 * slope + kappa * grown;
        w.second[2] = mu * i1 * curvature + kappa;
        w.second[5] = mu * slope;
        w
    }
}

const CONSTANTS: &[Constant] = &[
    Constant::modulus("mu", "Half the shear modulus"),
    Constant::modulus("kappa", "Bulk modulus"),
];

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "neo-hookean-isochoric",
    about: "rubber, shape and volume separate (Kharevych 2.4)",
    constants: CONSTANTS,
    from_lame: |lame, _| Ok(vec![0.5 * lame.mu, lame.bulk()]),
    from_own: |c| Ok(vec![positive("mu", c[0])?, positive("kappa", c[1])?]),
    bulk_modulus: Some(|p| p[1]),
    make: |inversion| by_stretches(NeoHookeanIsochoric::default(), inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`NeoHookeanIsochoric`]
    pub const NEO_HOOKEAN_ISOCHORIC: Self = Self::of(&ENTRY);
}
