//! Compressible neo-Hookean solid, Vega (11) (Bonet & Wood 2008, page 162).
//!
//! W = μ/2 (I₁ − 3) − μ ln J + λ/2 ln² J
//! P = μ F + (λ ln J − μ) F⁻ᵀ
//! K = μ (a·b) I + λ h_a h_bᵀ + (μ − λ ln J) h_b h_aᵀ,  h_a = F⁻ᵀ a.

use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::real::Real;

use crate::catalogue::{LawEntry, LawName};
use crate::continued_volume::SeparateVolume;
use crate::eight::{self, EightPoints};
use crate::invariants::InvariantLaw;
use crate::jet::Jet;
use crate::law::{Law, Tangent};
use crate::projectable::Projectable;
use crate::spectral;
use crate::variants::by_volume;

/// The law. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NeoHookean;

/// (F⁻ᵀ, J)
#[inline(always)]
pub(crate) fn inverse_transpose<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R) {
    let cofactor = f.cofactor();
    let j = dot(f.0[0], cofactor.0[0]);
    (cofactor.scale(j.recip()), j)
}

impl Law for NeoHookean {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    const NEEDS_POSITIVE_J: bool = true;
    type Tangent<R: Real> = Projectable<NeoHookeanTangent<R>, R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        let ln_j = f.determinant().ln();
        p[1] * ((f.norm_squared() - 3.0) * 0.5 - ln_j) + p[0] * ln_j.square() * 0.5
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        let (h, j) = inverse_transpose(f);
        f.scale(p[1]) + h.scale(p[0] * j.ln() - p[1])
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        project: bool,
    ) -> (Mat3<R>, Self::Tangent<R>) {
        if project {
            let (stress, tangent) = spectral::stress_and_tangent(self, p, f, true);
            return (stress, Projectable::Projected(tangent));
        }
        let (h, j) = inverse_transpose(f);
        let pressure = p[0] * j.ln() - p[1];
        let stress = f.scale(p[1]) + h.scale(pressure);
        let tangent = NeoHookeanTangent { h, mu: p[1], volumetric: p[0], crossed: -pressure };
        (stress, Projectable::Plain(tangent))
    }
    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>) {
        eight::isotropic(self, level, points);
    }
}

/// K = μ (a·b) I + v h_a h_bᵀ + c h_b h_aᵀ with h_a = F⁻ᵀ a.
#[derive(Clone, Copy, Debug)]
pub struct NeoHookeanTangent<R> {
    pub(crate) h: Mat3<R>,
    pub(crate) mu: R,
    pub(crate) volumetric: R,
    pub(crate) crossed: R,
}

/// What one gradient gives to [`NeoHookeanTangent`].
#[derive(Clone, Copy, Debug)]
pub struct NeoHookeanNode<R> {
    a: [R; 3],
    mu_a: [R; 3],
    h: [R; 3],
    volumetric_h: [R; 3],
    crossed_h: [R; 3],
}

impl<R: Real> Tangent<R> for NeoHookeanTangent<R> {
    type Node = NeoHookeanNode<R>;

    #[inline(always)]
    fn node(&self, a: [R; 3]) -> Self::Node {
        let h = self.h.mul_vec(a);
        let (v, c) = (self.volumetric, self.crossed);
        NeoHookeanNode {
            a,
            mu_a: [a[0] * self.mu, a[1] * self.mu, a[2] * self.mu],
            h,
            volumetric_h: [h[0] * v, h[1] * v, h[2] * v],
            crossed_h: [h[0] * c, h[1] * c, h[2] * c],
        }
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        Mat3::outer(a.h, b.volumetric_h)
            + Mat3::outer(b.h, a.crossed_h)
            + Mat3::diagonal([dot(a.a, b.mu_a); 3])
    }
}

impl InvariantLaw for NeoHookean {
    const PARAMETERS: &'static [&'static str] = <Self as Law>::PARAMETERS;
    const USES_I2: bool = false;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, _i2: R, j: R) -> R {
        let ln_j = j.ln();
        p[1] * ((i1 - 3.0) * 0.5 - ln_j) + p[0] * ln_j.square() * 0.5
    }
    #[inline(always)]
    fn log_modulus<R: Real>(&self, p: &[R]) -> R {
        p[0]
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        let mut w = Jet::constant(InvariantLaw::energy(self, p, i1, i2, j));
        let inverse = j.recip();
        let pressure = p[0] * j.ln() - p[1];
        w.first[0] = p[1] * 0.5;
        w.first[2] = pressure * inverse;
        w.second[2] = (p[0] - pressure) * inverse.square();
        w
    }
}

impl SeparateVolume for NeoHookean {}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "neo-hookean",
    about: "rubber, compressible, with ln J (Vega 11)",
    make: |inversion| by_volume(NeoHookean, inversion),
    ..LawEntry::LAME
};

impl LawName {
    /// [`NeoHookean`]
    pub const NEO_HOOKEAN: Self = Self::of(&ENTRY);
}
