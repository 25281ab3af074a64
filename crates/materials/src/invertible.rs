//! [`Invertible`]: any isotropic law, continued to flat and inverted elements.
//!
//! F = U diag(σ) Vᵀ with rotations U, V, so that an inverted F has σ₃ < 0 (Irving, Teran, Fedkiw 2004). With the
//! threshold ε, sᵢ = max(σᵢ, ε) and δ = σ − s, the energy is continued by its expansion
//!
//! ψ̃(σ) = ψ(s) + ψᵢ(s) δᵢ + ½ ψᵢⱼ(s) δᵢ δⱼ.
//!
//! A part k/2 ln² J of the energy cannot be continued so: where the other two stretches are large, J at the
//! threshold is above e, ln² J is concave there, and the expansion falls without bound as σ₃ does (by its first
//! term alone if the curvature is left out: the linear stress of Irving et al. has the same flaw). Instead ln J is
//! continued as a sum over the stretches, ln J = Σ L(σᵢ) with
//!
//! L(σ) = ln ε + u − ½ u² / (1 − u),  u = (σ − ε)/ε, below ε, and ln σ above:
//!
//! concave, with two continuous derivatives and a slope between 1/ε and 3/(2ε). So k/2 (Σ L)² is never below 0 and
//! grows as δ² does.
//!
//! ψ̃ and its first two derivatives are continuous at σᵢ = ε, and stress and tangent are derivatives of ψ̃
//! everywhere: where one stretch is continued and another is not, third and fourth derivatives of ψ
//! enter. They come by differentiating the expansion ([`Series`] over [`Jet`]). What remains is a kink where σ₂ = −σ₃:
//! there the nearest rotation, and with it the way back, changes side.
//!
//! Points below the threshold are rare, and the differentiated expansion is some thousand operations: it is
//! done one lane at a time by code compiled once for each law, whose arithmetic is [called](Called). In every kernel,
//! at every level of instructions, it took minutes to compile. Lanes above the threshold take the plain law.

use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::{F64x8, LANES};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::{Mask, Real};

use crate::called::Called;
use crate::eight::{self, EightPoints, Response};
use crate::isotropic::{Isotropic, MAX_PARAMETERS, lift};
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
        const { assert!(L::PARAMETERS.len() <= MAX_PARAMETERS, "too many parameters") };
        let mut line = [Series::constant(R::zero()); 3];
        let mut ln_j = R::zero();
        for i in 0..3 {
            let s = sigma[i].max(R::splat(self.threshold));
            let below = sigma[i] - s;
            line[i] = Series::line(s, below);
            let u = below * (1.0 / self.threshold);
            ln_j += s.ln() + u - u.square() * 0.5 / (R::one() - u);
        }
        let whole = self.law.stretch_energy(&lift!(Series, p)[..L::PARAMETERS.len()], line);
        let expanded = (line[0] * line[1] * line[2]).ln().square().sum();
        whole.sum() + self.law.log_modulus(p) * 0.5 * (ln_j.square() - expanded)
    }

    #[inline(never)]
    fn continued_energy(&self, p: &[f64], sigma: [f64; 3]) -> [f64; 1] {
        [self.continued(p, sigma)]
    }

    /// First, then second derivatives.
    #[inline(never)]
    fn continued_derivatives(&self, p: &[f64], sigma: [f64; 3]) -> [f64; 9] {
        let mut lifted = [Called(Jet::constant(0.0)); MAX_PARAMETERS];
        for (to, &from) in lifted.iter_mut().zip(p) {
            *to = Called(Jet::constant(from));
        }
        let jet = self.continued(&lifted[..L::PARAMETERS.len()], Jet::variables(sigma).map(Called));
        let Jet { first: [a, b, c], second: [d, e, f, g, h, i], .. } = jet.0;
        [a, b, c, d, e, f, g, h, i]
    }

    /// The nearest stretches at which the plain law is defined.
    #[inline(always)]
    fn admissible<R: Real>(&self, sigma: [R; 3]) -> [R; 3] {
        let floor = R::splat(self.threshold);
        [sigma[0].max(floor), sigma[1].max(floor), sigma[2].max(floor)]
    }
}

/// `f` of parameters and stretches, in the lanes where the mask is true.
#[inline(always)]
fn lane_by_lane<L, R: Real, const N: usize>(
    law: &L,
    mask: R::Mask,
    p: &[R],
    sigma: [R; 3],
    f: fn(&L, &[f64], [f64; 3]) -> [f64; N],
) -> [R; N] {
    let mut parameters = [[0.0; LANES]; MAX_PARAMETERS];
    let count = p.len().min(MAX_PARAMETERS);
    for k in 0..count {
        parameters[k] = p[k].unpack();
    }
    let sigma = [sigma[0].unpack(), sigma[1].unpack(), sigma[2].unpack()];
    let lanes = scalar_lanes(law, mask.to_bits(), &parameters[..count], &sigma, f);
    let mut packed = [R::zero(); N];
    for k in 0..N {
        packed[k] = R::repack(lanes[k]);
    }
    packed
}

#[inline(never)]
fn scalar_lanes<L, const N: usize>(
    law: &L,
    lanes: u8,
    p: &[[f64; LANES]],
    sigma: &[[f64; LANES]; 3],
    f: fn(&L, &[f64], [f64; 3]) -> [f64; N],
) -> [[f64; LANES]; N] {
    let mut results = [[0.0; LANES]; N];
    for l in (0..LANES).filter(|l| lanes >> l & 1 == 1) {
        let mut parameters = [0.0; MAX_PARAMETERS];
        for (to, from) in parameters.iter_mut().zip(p) {
            *to = from[l];
        }
        let values = f(law, &parameters[..p.len()], [sigma[0][l], sigma[1][l], sigma[2][l]]);
        for (result, value) in results.iter_mut().zip(values) {
            result[l] = value;
        }
    }
    results
}

impl<L: Isotropic> Isotropic for Invertible<L> {
    const INVERSION_THRESHOLD: f64 = L::INVERSION_THRESHOLD;

    #[inline(always)]
    fn stretch_energy<R: Real>(&self, p: &[R], sigma: [R; 3]) -> R {
        let plain = self.law.stretch_energy(p, self.admissible(sigma));
        let below = self.is_below(sigma);
        if below.any() {
            let [continued] = lane_by_lane(self, below, p, sigma, Self::continued_energy);
            R::select(below, continued, plain)
        } else {
            plain
        }
    }

    #[inline(always)]
    fn log_modulus<R: Real>(&self, p: &[R]) -> R {
        self.law.log_modulus(p)
    }

    #[inline(always)]
    fn stretch_gradient<R: Real>(&self, p: &[R], sigma: [R; 3]) -> [R; 3] {
        let mut gradient = self.law.stretch_gradient(p, self.admissible(sigma));
        let below = self.is_below(sigma);
        if below.any() {
            let continued = lane_by_lane(self, below, p, sigma, Self::continued_derivatives);
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
            let psi = from_nine(lane_by_lane(self, below, p, sigma, Self::continued_derivatives));
            let continued = Spectrum::from_stretches(sigma, &psi);
            Spectrum::select(below, &continued, &plain)
        } else {
            plain
        }
    }

    fn respond(
        &self,
        level: Level,
        sigma: &[F64x8; 3],
        points: &mut EightPoints<'_>,
        response: &mut Response,
    ) {
        let stretches = |l: usize| [sigma[0].0[l], sigma[1].0[l], sigma[2].0[l]];
        let mut above = *sigma;
        for l in 0..LANES {
            for (to, s) in above.iter_mut().zip(self.admissible(stretches(l))) {
                to.0[l] = s;
            }
        }
        self.law.respond(level, &above, points, response);
        for l in (0..LANES).filter(|&l| self.is_below(stretches(l))) {
            self.continue_lane(l, stretches(l), points, response);
        }
    }
}

impl<L: Isotropic> Invertible<L> {
    /// Puts the continuation into one lane.
    fn continue_lane(
        &self,
        lane: usize,
        sigma: [f64; 3],
        points: &mut EightPoints<'_>,
        response: &mut Response,
    ) {
        let mut p = [0.0; MAX_PARAMETERS];
        for (to, from) in p.iter_mut().zip(points.parameters) {
            *to = from.0[lane];
        }
        let p = &p[..L::PARAMETERS.len()];
        if let Some(energy) = &mut points.energy {
            [energy.0[lane]] = self.continued_energy(p, sigma);
        }
        if points.tangent.is_some() {
            let psi = from_nine(self.continued_derivatives(p, sigma));
            response.write(&Spectrum::from_stretches(sigma, &psi), lane);
        } else if points.stress.is_some() {
            let psi = from_nine(self.continued_derivatives(p, sigma));
            response.write_gradient(psi.first, lane);
        }
    }
}

/// The derivatives as [`Invertible::continued_derivatives`] hands them over.
#[inline(always)]
fn from_nine<R: Real>([a, b, c, d, e, f, g, h, i]: [R; 9]) -> Jet<R> {
    let mut psi = Jet::constant(R::zero());
    (psi.first, psi.second) = ([a, b, c], [d, e, f, g, h, i]);
    psi
}

impl<L: Isotropic> Law for Invertible<L> {
    const PARAMETERS: &'static [&'static str] = L::PARAMETERS;
    const TAKES_INVERSION: bool = true;
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
