//! Two laws written out by hand, apart from those of the materials crate.
#![allow(dead_code, unreachable_pub)]

use pliant_algebra::mat3::{Mat3, dot};
use pliant_algebra::real::Real;
use pliant_materials::{Law, Tangent};

/// W = μ/2 (I₁ − 3) − μ ln J + λ/2 ln² J
#[derive(Clone, Copy, Debug)]
pub struct PlainNeoHookean;

#[derive(Clone, Copy)]
pub struct NeoHookeanTangent<R> {
    f_inverse_transposed: Mat3<R>,
    mu: R,
    lambda: R,
    pressure: R,
}

impl Law for PlainNeoHookean {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    const NEEDS_POSITIVE_J: bool = true;
    type Tangent<R: Real> = NeoHookeanTangent<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        let ln = f.determinant().ln();
        (f.norm_squared() - 3.0) * 0.5 * p[1] - p[1] * ln + p[0] * 0.5 * ln * ln
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        let j = f.determinant();
        f.scale(p[1]) + f.cofactor().scale((p[0] * j.ln() - p[1]) / j)
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        _: bool,
    ) -> (Mat3<R>, Self::Tangent<R>) {
        let j = f.determinant();
        let f_inverse_transposed = f.cofactor().scale(j.recip());
        let pressure = p[0] * j.ln() - p[1];
        let tangent = NeoHookeanTangent { f_inverse_transposed, mu: p[1], lambda: p[0], pressure };
        (f.scale(p[1]) + f_inverse_transposed.scale(pressure), tangent)
    }
}

impl<R: Real> Tangent<R> for NeoHookeanTangent<R> {
    type Node = [[R; 3]; 2];
    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> Self::Node {
        [gradient, self.f_inverse_transposed.mul_vec(gradient)]
    }
    #[inline(always)]
    fn block(&self, [a, u]: &Self::Node, [b, v]: &Self::Node) -> Mat3<R> {
        let diagonal = self.mu * dot(*a, *b);
        let mut block = Mat3::diagonal([diagonal; 3]);
        let (lu, pv) = (u.map3(self.lambda), v.map3(self.pressure));
        for i in 0..3 {
            for k in 0..3 {
                block.0[i][k] += lu[i] * v[k] - pv[i] * u[k];
            }
        }
        block
    }
}

trait Scaled<R> {
    fn map3(&self, s: R) -> [R; 3];
}
impl<R: Real> Scaled<R> for [R; 3] {
    #[inline(always)]
    fn map3(&self, s: R) -> [R; 3] {
        [self[0] * s, self[1] * s, self[2] * s]
    }
}

/// W = λ/2 tr² E + μ E : E
#[derive(Clone, Copy, Debug)]
pub struct PlainStVK;

#[derive(Clone, Copy)]
pub struct StVKTangent<R> {
    f: Mat3<R>,
    s: Mat3<R>,
    mu_left: Mat3<R>,
    mu: R,
    lambda: R,
}

#[inline(always)]
fn second_piola<R: Real>(p: &[R], f: &Mat3<R>) -> (Mat3<R>, Mat3<R>) {
    let e = (f.gram() - Mat3::identity()).scale(R::splat(0.5));
    let mut s = e.scale(p[1] * 2.0);
    let pressure = p[0] * e.trace();
    for i in 0..3 {
        s.0[i][i] += pressure;
    }
    (e, s)
}

impl Law for PlainStVK {
    const PARAMETERS: &'static [&'static str] = &["lambda", "mu"];
    type Tangent<R: Real> = StVKTangent<R>;

    #[inline(always)]
    fn energy<R: Real>(&self, p: &[R], f: &Mat3<R>) -> R {
        let (e, s) = second_piola(p, f);
        e.contract(&s) * 0.5
    }
    #[inline(always)]
    fn stress<R: Real>(&self, p: &[R], f: &Mat3<R>) -> Mat3<R> {
        *f * second_piola(p, f).1
    }
    #[inline(always)]
    fn stress_and_tangent<R: Real>(
        &self,
        p: &[R],
        f: &Mat3<R>,
        _: bool,
    ) -> (Mat3<R>, Self::Tangent<R>) {
        let s = second_piola(p, f).1;
        let mu_left = f.mul_transpose(f).scale(p[1]);
        (*f * s, StVKTangent { f: *f, s, mu_left, mu: p[1], lambda: p[0] })
    }
}

impl<R: Real> Tangent<R> for StVKTangent<R> {
    type Node = [[R; 3]; 3];
    #[inline(always)]
    fn node(&self, gradient: [R; 3]) -> Self::Node {
        [gradient, self.f.mul_vec(gradient), self.s.mul_vec(gradient)]
    }
    #[inline(always)]
    fn block(&self, [a, fa, _]: &Self::Node, [b, fb, sb]: &Self::Node) -> Mat3<R> {
        let mut block = self.mu_left.scale(dot(*a, *b));
        let (la, mb) = (fa.map3(self.lambda), fb.map3(self.mu));
        let geometric = dot(*a, *sb);
        for i in 0..3 {
            for k in 0..3 {
                block.0[i][k] += la[i] * fb[k] + mb[i] * fa[k];
            }
            block.0[i][i] += geometric;
        }
        block
    }
}
