//! Corotational linear elasticity: Hooke's law in the frame of the polar rotation, F = R S.
//!
//! W = μ |F − R|² + λ/2 tr²(S − I),  P = 2 μ (F − R) + λ tr(S − I) R
//!
//! (Vega section 4.1; Kharevych section 2.2.3, whose R K (Rᵀx − X) is this force on a linear tetrahedron).
//! Two tangents:
//!
//! - [`Corotational`], exact: dP = 2 μ dF + λ (R:dF) R + c dR with c = λ tr(S − I) − 2 μ and
//!   dR = R \[w\]×, (tr S I − S) w = axial(RᵀdF). Contracted with a, b:
//!   K = 2 μ (a·b) I + λ (Ra)(Rb)ᵀ + \[Ra\]×ᵀ M \[Rb\]×,  M = c R (tr S I − S)⁻¹ Rᵀ.
//!   The skew modes have the eigenvalues of 2 μ + 2 c (tr S I − S)⁻¹, which is all there is to project.
//! - [`CorotationalWarped`], approximate: the stiffness of Hooke's law rotated, R frozen (Müller & Gross 2004).
//!   Positive semi-definite always, but not the derivative of P, so Newton converges linearly.

use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::polar3::{Polar3, RotationDerivative, polar3, rotation3};
use pliant_algebra::real::Real;

use crate::catalogue::{Continuation, LawEntry, LawName};
use crate::law::{Law, Tangent};
use crate::linear::HookeTangent;

/// The law with its exact tangent. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corotational;

/// The law with the rotation frozen in its tangent. See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CorotationalWarped;

#[inline(always)]
fn energy<R: Real>(p: &[R], f: &Mat3<R>) -> R {
    let r = rotation3(f);
    let trace = r.contract(f) - 3.0;
    p[1] * (*f - r).norm_squared() + p[0] * trace.square() * 0.5
}

#[inline(always)]
fn stress<R: Real>(p: &[R], f: &Mat3<R>, r: &Mat3<R>) -> Mat3<R> {
    let two_mu = p[1] + p[1];
    (*f - *r).scale(two_mu) + r.scale(p[0] * (r.contract(f) - 3.0))
}

/// c (tr S I − S)⁻¹ with its eigenvalues raised to −μ. By eigenvalues σᵢ + σⱼ, none of which is below zero: in a
/// mirror image two of them vanish at once, and their signs would be those of rounding.
#[inline(always)]
fn projected_spin<R: Real>(polar: &Polar3<R>, coefficient: R, mu: R) -> Mat3<R> {
    let trace = polar.stretch.trace();
    let modes = eigen3(&(Mat3::diagonal([trace; 3]) - polar.stretch));
    let least = modes.values[0].abs() * 1e-6 + f64::MIN_POSITIVE;
    modes.with_values(modes.values.map(|sum| (coefficient / sum.max(least)).max(-mu)))
}

impl Law for Corotational {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    const TAKES_INVERSION: bool = true;
    const HAS_FRAMES: bool = true;
    type Tangent<R: Real> = CorotationalTangent<R>;

    #[inline(always)]
    fn frame<R: Real>(&self, _: &[R], f: &Mat3<R>) -> Option<Mat3<R>> {
        Some(rotation3(f))
    }
    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        energy(p, f)
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        stress(p, f, &rotation3(f))
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        project: bool,
    ) -> (Mat3<R>, CorotationalTangent<R>) {
        let polar = polar3(f);
        let r = polar.rotation;
        let two_mu = p[1] + p[1];
        let coefficient = p[0] * (polar.stretch.trace() - 3.0) - two_mu;
        let spin = if project {
            projected_spin(&polar, coefficient, p[1])
        } else {
            let derivative = RotationDerivative::new(&polar, RotationDerivative::<R>::FLOOR);
            derivative.inverse().scale(coefficient)
        };
        let tangent = CorotationalTangent {
            rotation: r,
            spin: (r * spin).mul_transpose(&r),
            two_mu,
            lambda: p[0],
        };
        (stress(p, f, &r), tangent)
    }
}

/// See the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct CorotationalTangent<R> {
    rotation: Mat3<R>,
    /// M
    spin: Mat3<R>,
    two_mu: R,
    lambda: R,
}

/// What one gradient gives to [`CorotationalTangent`].
#[derive(Clone, Copy, Debug)]
pub struct CorotationalNode<R> {
    /// R a; its products are those of a.
    ra: [R; 3],
    lambda_ra: [R; 3],
    /// M \[Ra\]×
    spin: Mat3<R>,
}

impl<R: Real> Tangent<R> for CorotationalTangent<R> {
    type Node = CorotationalNode<R>;

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> Self::Node {
        let ra = self.rotation.mul_vec(gradient);
        let [x, y, z] = ra;
        let mut spin = self.spin;
        for i in 0..3 {
            // Row times [Ra]×.
            let m = self.spin.0[i];
            spin.0[i] = [m[1] * z - m[2] * y, m[2] * x - m[0] * z, m[0] * y - m[1] * x];
        }
        let lambda_ra = [x * self.lambda, y * self.lambda, z * self.lambda];
        CorotationalNode { ra, lambda_ra, spin }
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        let [x, y, z] = a.ra;
        let m = &b.spin.0;
        let mut block =
            Mat3::outer(a.ra, b.lambda_ra) + Mat3::diagonal([self.two_mu * dot(a.ra, b.ra); 3]);
        for k in 0..3 {
            // [Ra]×ᵀ times a column.
            block.0[0][k] += z * m[1][k] - y * m[2][k];
            block.0[1][k] += x * m[2][k] - z * m[0][k];
            block.0[2][k] += y * m[0][k] - x * m[1][k];
        }
        block
    }
}

impl Law for CorotationalWarped {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    const TAKES_INVERSION: bool = true;
    const HAS_FRAMES: bool = true;
    type Tangent<R: Real> = WarpedTangent<R>;

    #[inline(always)]
    fn frame<R: Real>(&self, _: &[R], f: &Mat3<R>) -> Option<Mat3<R>> {
        Some(rotation3(f))
    }
    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        energy(p, f)
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        stress(p, f, &rotation3(f))
    }
    /// Positive semi-definite as it is.
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        _project: bool,
    ) -> (Mat3<R>, WarpedTangent<R>) {
        let rotation = rotation3(f);
        let hooke = HookeTangent { lambda: p[0], mu: p[1] };
        (stress(p, f, &rotation), WarpedTangent { rotation, hooke })
    }
}

/// R K Rᵀ with Hooke's K: the same form, for R a and R b.
#[derive(Clone, Copy, Debug)]
pub struct WarpedTangent<R> {
    pub(crate) rotation: Mat3<R>,
    pub(crate) hooke: HookeTangent<R>,
}

impl<R: Real> Tangent<R> for WarpedTangent<R> {
    type Node = <HookeTangent<R> as Tangent<R>>::Node;

    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> Self::Node {
        self.hooke.node(self.rotation.mul_vec(gradient))
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        self.hooke.block(a, b)
    }
}

/// Its line in the catalogue. The energy is quadratic in the stretches: continued, it is itself.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "corotational",
    about: "Hooke's law in the rotated frame (polar), exact tangent; takes inverted elements",
    bulk_modulus: None,
    make: |_| Box::new(Corotational),
    ..LawEntry::LAME
};

/// What forms of corotation have in common that are not the gradient of an energy, or have an approximate tangent.
pub(crate) const OTHER: LawEntry = LawEntry {
    inversion: Continuation::Refused("this form of corotation takes inverted elements as it is"),
    ..ENTRY
};

/// The line of the warped stiffness in the catalogue.
pub(crate) static WARPED: LawEntry = LawEntry {
    name: "corotational-warped",
    about: "the same forces with the approximate warped stiffness (Müller-Gross)",
    make: |_| Box::new(CorotationalWarped),
    ..OTHER
};

impl LawName {
    /// [`Corotational`]
    pub const COROTATIONAL: Self = Self::of(&ENTRY);
    /// [`CorotationalWarped`]
    pub const COROTATIONAL_WARPED: Self = Self::of(&WARPED);
}
