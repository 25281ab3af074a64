//! [`Clamped`]: inversion as Vega treats it. Not the gradient of an energy.
//!
//! Vega (section 4.3, after Irving et al. 2004 and Teran et al. 2005) clamps stretches below a
//! threshold to it, P = U diag(ψᵢ(max(σ, ε))) Vᵀ, and takes the stiffness of the clamped stretches in
//! the frame of F. So the stress stays constant while an element is pushed through itself, no energy
//! belongs to it, and the stiffness is not its derivative below the threshold. Here for comparison;
//! [`Invertible`](crate::invertible::Invertible) has none of these flaws.

use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::eight::{self, EightPoints};
use crate::isotropic::Isotropic;
use crate::law::Law;
use crate::spectral::{self, SpectralTangent, Spectrum};

/// An isotropic law with its stretches clamped from below. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamped<L> {
    /// The law above the threshold.
    pub law: L,
    /// ε, above 0.
    pub threshold: f64,
}

impl<L: Isotropic> Clamped<L> {
    /// With the law's own default threshold.
    pub fn new(law: L) -> Self {
        Self { law, threshold: L::INVERSION_THRESHOLD }
    }

    #[inline(always)]
    fn clamp<R: Real>(&self, sigma: [R; 3]) -> [R; 3] {
        let floor = R::splat(self.threshold);
        [sigma[0].max(floor), sigma[1].max(floor), sigma[2].max(floor)]
    }
}

impl<L: Isotropic> Isotropic for Clamped<L> {
    const INVERSION_THRESHOLD: f64 = L::INVERSION_THRESHOLD;

    #[inline(always)]
    fn stretch_energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        self.law.stretch_energy(p, self.clamp(sigma))
    }
    #[inline(always)]
    fn stretch_gradient<R: Real>(&self, p: &[R], sigma: [R; 3]) -> [R; 3] {
        self.law.stretch_gradient(p, self.clamp(sigma))
    }
    #[inline(always)]
    fn spectrum<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Spectrum<R> {
        self.law.spectrum(p, self.clamp(sigma))
    }
}

impl<L: Isotropic> Law for Clamped<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
    const TAKES_INVERSION: bool = true;
    const HAS_ENERGY: bool = false;
    type Tangent<R: Real> = SpectralTangent<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        spectral::energy(self, p, f)
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        spectral::stress(self, p, f)
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        project: bool,
    ) -> (Mat3<R>, SpectralTangent<R>) {
        spectral::stress_and_tangent(self, p, f, project)
    }
    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>) {
        eight::spectral(self, level, points);
    }
}
