//! St. Venant-Kirchhoff: Hooke's law for the strain E = ½ (C − I) of Green (Vega section 4.2).
//!
//! W = μ E:E + ½ λ tr² E,  S = 2 μ E + λ tr E I,  P = F S, and with a, b contracted
//!
//! K = (a·S b) I + λ (Fa)(Fb)ᵀ + μ ((a·b) F Fᵀ + (Fb)(Fa)ᵀ).
//!
//! In invariants W = λ/8 (I₁ − 3)² + μ/4 (I₁² − 2 I₂ − 2 I₁ + 3), Vega (7). Polynomial, so defined for any F, but it does not
//! resist inversion: the stress of a uniaxial compression has its extremum at the stretch 1/√3, and
//! a mirrored body is at rest.

use pliant_algebra::dispatch::Level;
use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::real::Real;

use crate::catalogue::{Continuation, LawEntry, LawName};
use crate::eight::{self, EightPoints};
use crate::invariants::InvariantLaw;
use crate::jet::Jet;
use crate::law::{Law, Tangent};
use crate::linear::hooke;
use crate::projectable::Projectable;
use crate::spectral;
use crate::variants::by_stretches;

/// The law. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StVenantKirchhoff;

/// E = ½ (FᵀF − I)
#[inline(always)]
pub(crate) fn green_strain<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    (f.gram() - Mat3::identity()).scale(R::splat(0.5))
}

impl Law for StVenantKirchhoff {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    type Tangent<R: Real> = Projectable<StVenantKirchhoffTangent<R>, R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        let strain = green_strain(f);
        p[1] * strain.norm_squared() + p[0] * strain.trace().square() * 0.5
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        *f * hooke(p[0], p[1], &green_strain(f))
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
        let s = hooke(p[0], p[1], &green_strain(f));
        let left = f.mul_transpose(f).scale(p[1]);
        let tangent = StVenantKirchhoffTangent { f: *f, s, left, lambda: p[0], mu: p[1] };
        (*f * s, Projectable::Plain(tangent))
    }
    fn evaluate(&self, level: Level, points: &mut EightPoints<'_>) {
        eight::isotropic(self, level, points);
    }
}

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct StVenantKirchhoffTangent<R> {
    f: Mat3<R>,
    s: Mat3<R>,
    /// μ F Fᵀ
    left: Mat3<R>,
    lambda: R,
    mu: R,
}

/// What one gradient gives to [`StVenantKirchhoffTangent`].
#[derive(Clone, Copy, Debug)]
pub struct StVenantKirchhoffNode<R> {
    a: [R; 3],
    sa: [R; 3],
    fa: [R; 3],
    lambda_fa: [R; 3],
    mu_fa: [R; 3],
}

impl<R: Real> Tangent<R> for StVenantKirchhoffTangent<R> {
    type Node = StVenantKirchhoffNode<R>;

    #[inline(always)]
    fn node(&self, a: [R; 3]) -> Self::Node {
        let fa = self.f.mul_vec(a);
        StVenantKirchhoffNode {
            a,
            sa: self.s.mul_vec(a),
            fa,
            lambda_fa: [fa[0] * self.lambda, fa[1] * self.lambda, fa[2] * self.lambda],
            mu_fa: [fa[0] * self.mu, fa[1] * self.mu, fa[2] * self.mu],
        }
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        Mat3::outer(a.fa, b.lambda_fa)
            + Mat3::outer(b.fa, a.mu_fa)
            + self.left.scale(dot(a.a, b.a))
            + Mat3::diagonal([dot(a.a, b.sa); 3])
    }
}

impl InvariantLaw for StVenantKirchhoff {
    const PARAMETERS: &'static [&'static str] = <Self as Law>::PARAMETERS;
    const NEEDS_POSITIVE_J: bool = false;
    /// Above 1/√3, where the uniaxial energy is convex.
    const INVERSION_THRESHOLD: f64 = 0.7;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], i1: R, i2: R, _j: R) -> R {
        // tr C² − 2 tr C + 3 = |C − I|², in a form that keeps its digits at rest.
        let e = i1 - 3.0;
        p[0] * e.square() * 0.125 + p[1] * (e.square() + e * 4.0 - (i2 - 3.0) * 2.0) * 0.25
    }
    #[inline(always)]
    fn derivatives<R: Real>(&self, p: &[R], i1: R, i2: R, j: R) -> Jet<R> {
        let mut w = Jet::constant(InvariantLaw::energy(self, p, i1, i2, j));
        let e = i1 - 3.0;
        w.first[0] = p[0] * e * 0.25 + p[1] * (e * 0.5 + 1.0);
        w.first[1] = p[1] * -0.5;
        w.second[0] = p[0] * 0.25 + p[1] * 0.5;
        w
    }
}

/// Its line in the catalogue.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "st-venant-kirchhoff",
    about: "Hooke's law for Green's strain; soft in compression",
    make: |inversion| by_stretches(StVenantKirchhoff, inversion),
    ..LawEntry::LAME
};

/// The line of the same law as polynomials, for which elements have a model of their own.
pub(crate) static POLYNOMIAL: LawEntry = LawEntry {
    name: "st-venant-kirchhoff-polynomial",
    about: "the same on tet4, as cubic polynomials of the displacements with third derivatives",
    inversion: Continuation::Refused(
        "polynomials go on through inversion; use st-venant-kirchhoff",
    ),
    make: |_| Box::new(StVenantKirchhoff),
    ..LawEntry::LAME
};

impl LawName {
    /// [`StVenantKirchhoff`]
    pub const ST_VENANT_KIRCHHOFF: Self = Self::of(&ENTRY);
    /// [`StVenantKirchhoff`] as polynomials of the displacements.
    pub const ST_VENANT_KIRCHHOFF_POLYNOMIAL: Self = Self::of(&POLYNOMIAL);
}
