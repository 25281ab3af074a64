//! Neo-Hookean solid that separates shape from volume, Kharevych (2.4) in three dimensions.
//!
//! W = μ (I₁ J^{−2/3} − 3) + κ/2 (J − 1)²
//!
//! Its small-strain shear modulus is 2 μ and its bulk modulus κ: from Young and Poisson, μ is half the
//! shear modulus.

use pliant_algebra::real::Real;

use crate::invariants::{ByInvariants, InvariantLaw};
use crate::jet::Jet;

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
