//! Singular values of 3x3 matrices, in the variant with two rotations.
//!
//! F = U Σ Vᵀ with det U = det V = +1 and σ₁ ≥ σ₂ ≥ |σ₃|: a reflection goes into the sign of σ₃, as
//! inversion-safe elasticity needs it (Irving, Teran, Fedkiw 2004, section 4).
//!
//! The route, without iteration or branch:
//! 1. scale F exactly to entries near 1;
//! 2. V from C = FᵀF: its best separated eigenvector in closed form, and one plane rotation for the
//!    other two. C holds σ² only to an ulp of σ₁², so small σ would be lost, were it not for
//! 3. u₁ = F v₁ / σ₁ and the 2x2 matrix of F v₂, F v₃ in the plane across u₁, whose own SVD turns
//!    v₂, v₃ and gives u₂, u₃, σ₂ and the signed σ₃ with an error of a few ulp of σ₁.
//!
//! The idea to take V from FᵀF and U from F V is that of McAdams et al. 2011, who iterate in single
//! precision. Cyclic Jacobi sweeps in double precision cost several times more.

use crate::frame::{basis, leading_direction, separated_eigenvector, unit_scale, unit2};
use crate::mat3::{Mat3, combine, dot, select3};
use crate::real::Real;

/// F = U diag(σ) Vᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd3<R> {
    /// A rotation; its columns are the left singular vectors.
    pub u: Mat3<R>,
    /// σ₁ ≥ σ₂ ≥ |σ₃|; only the last can be negative.
    pub sigma: [R; 3],
    /// A rotation; its columns are the right singular vectors.
    pub v: Mat3<R>,
}

impl<R: Real> Svd3<R> {
    /// U diag(σ) Vᵀ
    #[inline(always)]
    pub fn recompose(&self) -> Mat3<R> {
        self.with_sigma(self.sigma)
    }

    /// U diag(s) Vᵀ: an isotropic function of F from its values at the singular values.
    #[inline(always)]
    pub fn with_sigma(&self, s: [R; 3]) -> Mat3<R> {
        self.u.scale_columns(s).mul_transpose(&self.v)
    }

    /// The rotation U Vᵀ nearest to F.
    #[inline(always)]
    pub fn rotation(&self) -> Mat3<R> {
        self.u.mul_transpose(&self.v)
    }
}

/// Decomposes any finite matrix: singular, inverted, zero, with equal singular values, with entries
/// of any size. Entries that are infinite or NaN give NaN.
#[inline(always)]
pub fn svd3<R: Real>(f: &Mat3<R>) -> Svd3<R> {
    let (down, up) = unit_scale(f);
    let f = f.scale(down);

    // Right vectors: n from the closed form, a and b in the plane across it.
    let (n, largest) = separated_eigenvector(&f.gram());
    let (s, t) = basis(n);
    let (fn_, fs, ft) = (f.mul_vec(n), f.mul_vec(s), f.mul_vec(t));
    let (cos, sin) = leading_direction(dot(fs, fs), dot(ft, ft), dot(fs, ft));
    let (a, b) = (combine(s, cos, t, sin), combine(t, cos, s, -sin));
    let (fa, fb) = (combine(fs, cos, ft, sin), combine(ft, cos, fs, -sin));
    // (n, a, b) is right-handed, and so is its cyclic shift (a, b, n).
    let (v1, f1) = (select3(largest, n, a), select3(largest, fn_, fa));
    let (v2, f2) = (select3(largest, a, b), select3(largest, fa, fb));
    let (v3, f3) = (select3(largest, b, n), select3(largest, fb, fn_));

    // The largest singular value, at least 1 unless F = 0.
    let square = dot(f1, f1);
    let sigma1 = square.sqrt();
    let zero = square.equals(R::zero());
    let inverse = sigma1.recip();
    let e1 = [R::one(), R::zero(), R::zero()];
    let u1 = select3(zero, e1, [f1[0] * inverse, f1[1] * inverse, f1[2] * inverse]);

    // The other two, in the plane across u₁.
    let (s, t) = basis(u1);
    let (x2, y2) = (dot(s, f2), dot(t, f2));
    let (x3, y3) = (dot(s, f3), dot(t, f3));
    let (cos, sin) = leading_direction(x2 * x2 + y2 * y2, x3 * x3 + y3 * y3, x2 * x3 + y2 * y3);
    let (v2, v3) = (combine(v2, cos, v3, sin), combine(v3, cos, v2, -sin));
    let ((cos_u, sin_u), sigma2) = unit2(x2 * cos + x3 * sin, y2 * cos + y3 * sin);
    let sigma3 = (y3 * cos - y2 * sin) * cos_u - (x3 * cos - x2 * sin) * sin_u;
    let (u2, u3) = (combine(s, cos_u, t, sin_u), combine(t, cos_u, s, -sin_u));

    // Rounding may leave equal values out of order by an ulp.
    let sigma2 = sigma2.min(sigma1);
    let sigma3 = sigma3.abs().min(sigma2).copysign(sigma3);
    Svd3 {
        u: Mat3::from_columns(u1, u2, u3),
        sigma: [sigma1 * up, sigma2 * up, sigma3 * up],
        v: Mat3::from_columns(v1, v2, v3),
    }
}
