//! Isotropic laws in the frame of principal stretches: F = U diag(σ) Vᵀ, W = ψ(σ).
//!
//! In that frame P is diagonal, P̂ᵢ = ∂ψ/∂σᵢ =: ψᵢ, and ∂P/∂F falls into one 3×3 matrix ψᵢⱼ and, for each
//! pair of axes, a symmetric mode ("flip") with the eigenvalue (ψᵢ − ψⱼ) / (σᵢ − σⱼ) and a skew mode
//! ("twist") with (ψᵢ + ψⱼ) / (σᵢ + σⱼ) (Irving, Teran, Fedkiw 2004; Teran et al. 2005; in this form Smith,
//! de Goes, Kim 2019, "Analytic eigensystems for isotropic distortion energies"). So the nearest
//! positive semi-definite tangent is known in closed form: that of the 3×3 matrix, and max(·, 0) on six numbers.

use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;
use pliant_algebra::svd3::{Svd3, svd3};

use crate::isotropic::Isotropic;
use crate::jet::{Jet, PAIRS};
use crate::law::Tangent;

/// Stretches closer than this, relative to their size, count as equal: the quotient would lose more
/// digits to cancellation than the limit has error.
const COINCIDENT: f64 = 2e-6;
/// σᵢ + σⱼ below this counts as zero.
const CANCELLING: f64 = 1e-6;

/// Derivatives of ψ(σ), and the eigenvalues of the six modes of pairs, in the order of the pairs
/// (1,2), (2,3), (1,3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum<R> {
    /// ψᵢ
    pub gradient: [R; 3],
    /// ψᵢⱼ in the order of [`PAIRS`].
    pub hessian: [R; 6],
    /// (ψᵢ − ψⱼ) / (σᵢ − σⱼ)
    pub flip: [R; 3],
    /// (ψᵢ + ψⱼ) / (σᵢ + σⱼ)
    pub twist: [R; 3],
}

impl<R: Real> Spectrum<R> {
    /// From ψ with its derivatives alone. Where σᵢ and σⱼ coincide the flip is its limit ψᵢᵢ − ψᵢⱼ.
    ///
    /// Where σᵢ + σⱼ vanishes the twist of a law that is smooth there has the limit ψᵢᵢ + ψᵢⱼ. Other
    /// laws have a kink (the nearest rotation jumps), and the same number keeps the tangent bounded.
    #[inline(always)]
    pub fn from_stretches(sigma: [R; 3], psi: &Jet<R>) -> Self {
        let (g, h) = (psi.first, psi.second);
        let mut flip = [R::zero(); 3];
        let mut twist = [R::zero(); 3];
        for k in 0..3 {
            let (i, j) = PAIRS[3 + k];
            let mean = (h[i] + h[j]) * 0.5;
            let difference = sigma[i] - sigma[j];
            let size = sigma[i].abs() + sigma[j].abs();
            let coincide = difference.abs().less_equal(size * COINCIDENT);
            let quotient = (g[i] - g[j]) / R::select(coincide, R::one(), difference);
            flip[k] = R::select(coincide, mean - h[3 + k], quotient);
            let sum = sigma[i] + sigma[j];
            let cancel = sum.abs().less_equal(R::splat(CANCELLING));
            let quotient = (g[i] + g[j]) / R::select(cancel, R::one(), sum);
            twist[k] = R::select(cancel, mean + h[3 + k], quotient);
        }
        Self { gradient: g, hessian: h, flip, twist }
    }

    /// The nearest positive semi-definite tangent with the same stress.
    #[inline(always)]
    fn projected(self) -> Self {
        let [a, b, c, ab, bc, ac] = self.hessian;
        let h = eigen3(&Mat3([[a, ab, ac], [ab, b, bc], [ac, bc, c]]));
        let Mat3([[a, ab, ac], [_, b, bc], [_, _, c]]) = h.positive_part();
        let zero = R::zero();
        let [f0, f1, f2] = self.flip;
        let [t0, t1, t2] = self.twist;
        Self {
            gradient: self.gradient,
            hessian: [a, b, c, ab, bc, ac],
            flip: [f0.max(zero), f1.max(zero), f2.max(zero)],
            twist: [t0.max(zero), t1.max(zero), t2.max(zero)],
        }
    }

    /// `yes` in lanes where the mask is true, else `no`.
    #[inline(always)]
    pub(crate) fn select(mask: R::Mask, yes: &Self, no: &Self) -> Self {
        let mut s = *yes;
        for k in 0..3 {
            s.gradient[k] = R::select(mask, yes.gradient[k], no.gradient[k]);
            s.flip[k] = R::select(mask, yes.flip[k], no.flip[k]);
            s.twist[k] = R::select(mask, yes.twist[k], no.twist[k]);
        }
        for k in 0..6 {
            s.hessian[k] = R::select(mask, yes.hessian[k], no.hessian[k]);
        }
        s
    }
}

/// ∂P/∂F in the frame of principal stretches.
#[derive(Clone, Copy, Debug)]
pub struct SpectralTangent<R> {
    u: Mat3<R>,
    v: Mat3<R>,
    /// Âᵢᵢₖₖ in the order of [`PAIRS`].
    hessian: [R; 6],
    /// Âᵢⱼᵢⱼ for the pairs.
    direct: [R; 3],
    /// Âᵢⱼⱼᵢ for the pairs.
    crossed: [R; 3],
}

impl<R: Real> SpectralTangent<R> {
    /// Puts the modes into the frame of F.
    #[inline(always)]
    pub fn new(svd: &Svd3<R>, spectrum: &Spectrum<R>, project: bool) -> Self {
        let s = if project { spectrum.projected() } else { *spectrum };
        let mut direct = s.flip;
        let mut crossed = s.flip;
        for k in 0..3 {
            direct[k] = (s.flip[k] + s.twist[k]) * 0.5;
            crossed[k] = (s.flip[k] - s.twist[k]) * 0.5;
        }
        Self { u: svd.u, v: svd.v, hessian: s.hessian, direct, crossed }
    }
}

impl<R: Real> Tangent<R> for SpectralTangent<R> {
    /// Vᵀ a
    type Node = [R; 3];

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> [R; 3] {
        self.v.transpose_mul_vec(gradient)
    }

    #[inline(always)]
    fn block(&self, a: &[R; 3], b: &[R; 3]) -> Mat3<R> {
        let [h00, h11, h22, h01, h12, h02] = self.hessian;
        let [d01, d12, d02] = self.direct;
        let [c01, c12, c02] = self.crossed;
        let (p0, p1, p2) = (a[0] * b[0], a[1] * b[1], a[2] * b[2]);
        let (a01, a12, a02) = (a[0] * b[1], a[1] * b[2], a[0] * b[2]);
        let (a10, a21, a20) = (a[1] * b[0], a[2] * b[1], a[2] * b[0]);
        let local = Mat3([
            [h00 * p0 + d01 * p1 + d02 * p2, h01 * a01 + c01 * a10, h02 * a02 + c02 * a20],
            [h01 * a10 + c01 * a01, h11 * p1 + d01 * p0 + d12 * p2, h12 * a12 + c12 * a21],
            [h02 * a20 + c02 * a02, h12 * a21 + c12 * a12, h22 * p2 + d02 * p0 + d12 * p1],
        ]);
        self.u * local.mul_transpose(&self.u)
    }
}

/// W(F) = ψ(σ)
#[inline(always)]
pub fn energy<L: Isotropic, R: Real>(law: &L, p: &[R], f: &Mat3<R>) -> R {
    law.stretch_energy(p, svd3(f).sigma)
}

/// P = U diag(ψᵢ) Vᵀ
#[inline(always)]
pub fn stress<L: Isotropic, R: Real>(law: &L, p: &[R], f: &Mat3<R>) -> Mat3<R> {
    let svd = svd3(f);
    svd.with_sigma(law.stretch_gradient(p, svd.sigma))
}

/// P and ∂P/∂F
#[inline(always)]
pub fn stress_and_tangent<L: Isotropic, R: Real>(
    law: &L,
    p: &[R],
    f: &Mat3<R>,
    project: bool,
) -> (Mat3<R>, SpectralTangent<R>) {
    let svd = svd3(f);
    let spectrum = law.spectrum(p, svd.sigma);
    (svd.with_sigma(spectrum.gradient), SpectralTangent::new(&svd, &spectrum, project))
}
