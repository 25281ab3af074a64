//! Laws by principal stretches: [`StretchLaw`] asks for the energy alone, [`ByStretches`] makes a
//! full [`Law`] of it.

use std::fmt::Debug;

use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::eight::{self, EightPoints};
use crate::isotropic::{Isotropic, MAX_PARAMETERS, lift};
use crate::jet::Jet;
use crate::law::Law;
use crate::spectral::{self, SpectralTangent, Spectrum};

/// An isotropic law by its energy density ψ(σ₁, σ₂, σ₃), symmetric in the stretches.
///
/// F is decomposed with rotations only, so σ₃ < 0 where F is inverted. At most
/// [`MAX_PARAMETERS`](crate::isotropic::MAX_PARAMETERS) parameters.
pub trait StretchLaw: Copy + Debug + Send + Sync + 'static {
    /// Names of the parameters in `p`.
    const PARAMETERS: &'static [&'static str];
    /// Whether the energy is undefined for σ₃ ≤ 0.
    const NEEDS_POSITIVE_J: bool = true;
    /// Default of [`Invertible`](crate::invertible::Invertible).
    const INVERSION_THRESHOLD: f64 = 0.2;
    /// Energy density, J/m³, zero for σ = (1, 1, 1).
    fn energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R;
    /// The energy with its derivatives. By forward differentiation, unless a law has something faster.
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Jet<R> {
        const { assert!(Self::PARAMETERS.len() <= MAX_PARAMETERS, "too many parameters") };
        self.energy(&lift!(Jet, p)[..Self::PARAMETERS.len()], Jet::variables(sigma))
    }
}

/// A [`StretchLaw`] as a [`Law`]: stress and tangent by forward differentiation and the SVD.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByStretches<L>(pub L);

impl<L: StretchLaw> Law for ByStretches<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
    const NEEDS_POSITIVE_J: bool = L::NEEDS_POSITIVE_J;
    const TAKES_INVERSION: bool = !L::NEEDS_POSITIVE_J;
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

impl<L: StretchLaw> Isotropic for ByStretches<L> {
    const INVERSION_THRESHOLD: f64 = L::INVERSION_THRESHOLD;

    #[inline(always)]
    fn stretch_energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        self.0.energy(p, sigma)
    }
    #[inline(always)]
    fn stretch_gradient<R: Real>(&self, p: &[R], sigma: [R; 3]) -> [R; 3] {
        self.0.derivatives(p, sigma).first
    }
    #[inline(always)]
    fn spectrum<R: Real>(&self, p: &[R], sigma: [R; 3]) -> Spectrum<R> {
        Spectrum::from_stretches(sigma, &self.0.derivatives(p, sigma))
    }
}
