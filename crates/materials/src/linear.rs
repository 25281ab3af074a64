//! Linear elasticity: Hooke's law for the strain ε = ½ (F + Fᵀ) − I of Cauchy.
//!
//! W = μ ε:ε + ½ λ tr² ε,  P = 2 μ ε + λ tr ε I,  K = μ (a·b) I + μ b aᵀ + λ a bᵀ.
//!
//! The only law here that is not frame indifferent: a rotation by θ leaves ε of order θ².

use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::real::Real;

use crate::catalogue::{LawEntry, LawName};
use crate::law::{Law, Tangent};

/// Hooke's law. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Linear;

/// ε
#[inline(always)]
pub(crate) fn cauchy_strain<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    f.symmetric_part() - Mat3::identity()
}

/// 2 μ ε + λ tr ε I
#[inline(always)]
pub(crate) fn hooke<R: Real>(lambda: R, mu: R, strain: &Mat3<R>) -> Mat3<R> {
    strain.scale(mu + mu) + Mat3::diagonal([lambda * strain.trace(); 3])
}

impl Law for Linear {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    const TAKES_INVERSION: bool = true;
    const IS_LINEAR: bool = true;
    type Tangent<R: Real> = HookeTangent<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        let strain = cauchy_strain(f);
        p[1] * strain.norm_squared() + p[0] * strain.trace().square() * 0.5
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        hooke(p[0], p[1], &cauchy_strain(f))
    }
    /// Positive semi-definite as it is.
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        _project: bool,
    ) -> (Mat3<R>, HookeTangent<R>) {
        (self.stress(p, f), HookeTangent { lambda: p[0], mu: p[1] })
    }
}

/// K = μ (a·b) I + μ b aᵀ + λ a bᵀ
#[derive(Clone, Copy, Debug)]
pub struct HookeTangent<R> {
    pub(crate) lambda: R,
    pub(crate) mu: R,
}

impl<R: Real> Tangent<R> for HookeTangent<R> {
    /// a, λ a
    type Node = ([R; 3], [R; 3]);

    #[inline(always)]
    fn node(&self, a: [R; 3]) -> Self::Node {
        (a, [a[0] * self.lambda, a[1] * self.lambda, a[2] * self.lambda])
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        let mu_b = [b.0[0] * self.mu, b.0[1] * self.mu, b.0[2] * self.mu];
        Mat3::outer(a.0, b.1) + Mat3::outer(mu_b, a.0) + Mat3::diagonal([dot(a.0, mu_b); 3])
    }
}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "linear",
    about: "Hooke's law for small strains and small rotations",
    make: |_| Box::new(Linear),
    ..LawEntry::SMALL_STRAIN
};

impl LawName {
    /// [`Linear`]
    pub const LINEAR: Self = Self::of(&ENTRY);
}
