//! [`ContinuedVolume`]: laws whose volume ratio stands alone, continued to flat and inverted elements by J.
//!
//! Where W = f(I₁, I₂) + g(J), only g breaks down at J = 0. Below a threshold ε it is continued by its expansion,
//!
//! g̃(J) = g(ε) + g′(ε) (J − ε) + ½ g″(ε) (J − ε)²,
//!
//! which is convex where g is convex at ε, as those of the neo-Hookean laws are at any ε up to 1. J is a polynomial of F,
//! so W̃ has two continuous derivatives for every F and needs no SVD. [`Invertible`](crate::invertible::Invertible),
//! which goes by stretches, has a kink where σ₂ = −σ₃, and nearly incompressible bodies of it come to rest tangled up
//! with hundreds of inverted points where these have none.
//!
//! The price: F = 0 is a shallow minimum of an element on its own, as nothing of I₁ was changed. Neighbours pull it out.

use pliant_algebra::real::Real;

use crate::invariants::InvariantLaw;
use crate::jet::Jet;

/// A law with W = f(I₁, I₂) + g(J), g″ > 0 for J ≤ 1.
pub trait SeparateVolume: InvariantLaw {}

/// A law for any F. See the [module](self). [`ByInvariants`](crate::invariants::ByInvariants) makes a
/// [`Law`](crate::law::Law) of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContinuedVolume<L> {
    /// The law above the threshold.
    pub law: L,
    /// ε, the volume ratio J below which g is continued: above 0, and below 1.
    pub threshold: f64,
}

/// The default threshold. A bar of Poisson's ratio 0.3 that is free at its sides gets there when it is pressed to a tenth.
pub const VOLUME_THRESHOLD: f64 = 0.3;

impl<L: SeparateVolume> InvariantLaw for ContinuedVolume<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
    const NEEDS_POSITIVE_J: bool = false;
    const USES_I2: bool = L::USES_I2;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> R {
        self.derivatives(p, i1, i2, j).value
    }

    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        let s = j.max(R::splat(self.threshold));
        // Zero above the threshold, where nothing changes.
        let below = j - s;
        let mut w = self.law.derivatives(p, i1, i2, s);
        let bent = w.second[2] * below;
        w.value += below * (w.first[2] + bent * 0.5);
        w.first[2] += bent;
        w
    }
}
