//! [`Invertible`]: any isotropic law, continued to flat and inverted elements.
//!
//! F = U diag(σ) Vᵀ with rotations U, V, so that an inverted F has σ₃ < 0 (Irving, Teran, Fedkiw 2004). With the
//! threshold ε, sᵢ = max(σᵢ, ε) and δ = σ − s, the energy is continued by its expansion
//!
//! ψ̃(σ) = ψ(s) + ψᵢ(s) δᵢ + ½ ψᵢⱼ(s) δᵢ δⱼ.
//!
//! ψ̃ and its first two derivatives are continuous at σᵢ = ε, and stress and tangent are derivatives of ψ̃
//! everywhere: where one stretch is continued and another is not, third and fourth derivatives of ψ
//! enter. They come by differentiating the expansion ([`Series`] over [`Jet`]), for those lanes only
//! that are below the threshold; the others take the plain law. What remains is a kink where σ₂ = −σ₃:
//! there the nearest rotation, and with it the way back, changes side.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::{Mask, Real};

use crate::isotropic::{Isotropic, lift};
use crate::jet::Jet;
use crate::law::Law;
use crate::series::Series;
use crate::spectral::{self, SpectralTangent, Spectrum};

/// An isotropic law for any F. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Invertible<L> {
    /// The law above the threshold.
    pub law: L,
    /// ε, above 0. Where ψ is concave at the threshold, as St. Venant-Kirchhoff is below 1/√3, the
    /// continuation pushes the wrong way: see [`Isotropic::INVERSION_THRESHOLD`].
    pub threshold: f64,
}

impl<L: Isotropic> Invertible<L> {
    /// With the law's own default threshold.
    pub fn new(law: L) -> Self {
        Self { law, threshold: L::INVERSION_THRESHOLD }
    }

    /// Lanes in which some stretch is below the threshold; the last is the smallest.
    #[inline(always)]
    fn is_below<R: Real>(&self, sigma: [R; 3]) -> R::Mask {
        sigma[0].min(sigma[1]).min(sigma[2]).less(R::splat(self.threshold))
    }

    /// ψ̃
    #[inline(always)]
    fn continued<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        let mut line = [Series::constant(R::zero()); 3];
        for i in 0..3 {
            let s = sigma[i].max(R::splat(self.threshold));
            line[i] = Series::line(s, sigma[i] - s);
        }
        self.law.stretch_energy(&lift!(Series, p)[..L::PARAMETERS.len()], line).sum()
    }

    /// ψ̃ with its derivatives.
    #[inline(always)]
    fn continued_jet<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Jet<R> {
        self.continued(&lift!(Jet, p)[..L::PARAMETERS.len()], Jet::variables(sigma))
    }

    /// The nearest stretches at which the plain law is defined.
    #[inline(always)]
    fn admissible<R: Real>(&self, sigma: [R; 3]) -> [R; 3] {
        let floor = R::splat(self.threshold);
        [sigma[0].max(floor), sigma[1].max(floor), sigma[2].max(floor)]
    }
}

impl<L: Isotropic> Isotropic for Invertible<L> {
    const INVERSION_THRESHOLD: f64 = L::INVERSION_THRESHOLD;

    #[inline(always)]
    fn stretch_energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        let plain = self.law.stretch_energy(p, self.admissible(sigma));
        let below = self.is_below(sigma);
        if below.any() { R::select(below, self.continued(p, sigma), plain) } else { plain }
    }

    #[inline(always)]
    fn stretch_gradient<R: Real>(&self, p: &[R], sigma: [R; 3]) -> [R; 3] {
        let mut gradient = self.law.stretch_gradient(p, self.admissible(sigma));
        let below = self.is_below(sigma);
        if below.any() {
            let continued = self.continued_jet(p, sigma).first;
            for i in 0..3 {
                gradient[i] = R::select(below, continued[i], gradient[i]);
            }
        }
        gradient
    }

    #[inline(always)]
    fn spectrum<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Spectrum<R> {
        let plain = self.law.spectrum(p, self.admissible(sigma));
        let below = self.is_below(sigma);
        if below.any() {
            let continued = Spectrum::from_stretches(sigma, &self.continued_jet(p, sigma));
            Spectrum::select(below, &continued, &plain)
        } else {
            plain
        }
    }
}

impl<L: Isotropic> Law for Invertible<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
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
}
