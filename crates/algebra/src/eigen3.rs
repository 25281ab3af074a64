//! Eigenvalues and eigenvectors of symmetric 3x3 matrices, without iteration or branch.
//!
//! The best separated eigenvector comes in closed form, one plane rotation gives the other two, and
//! the eigenvalues are Rayleigh quotients: errors of a few ulp of the largest |λ|, and vectors that
//! are orthogonal to a few ulp also when eigenvalues coincide.

use crate::frame::{basis, leading_direction, separated_eigenvector, unit_scale};
use crate::mat3::{Mat3, combine, dot, select3};
use crate::real::Real;

/// A = Q diag(λ) Qᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eigen3<R> {
    /// λ₁ ≥ λ₂ ≥ λ₃
    pub values: [R; 3],
    /// A rotation; its columns are the eigenvectors.
    pub vectors: Mat3<R>,
}

impl<R: Real> Eigen3<R> {
    /// Q diag(d) Qᵀ: an isotropic function of A from its values at the eigenvalues.
    #[inline(always)]
    pub fn with_values(&self, d: [R; 3]) -> Mat3<R> {
        self.vectors.scale_columns(d).mul_transpose(&self.vectors)
    }

    /// The nearest positive semi-definite matrix: negative eigenvalues become zero.
    #[inline(always)]
    pub fn positive_part(&self) -> Mat3<R> {
        let [a, b, c] = self.values;
        self.with_values([a.max(R::zero()), b.max(R::zero()), c.max(R::zero())])
    }
}

/// Decomposes a finite symmetric matrix; only the entries on and above the diagonal are read.
#[inline(always)]
pub fn eigen3<R: Real>(a: &Mat3<R>) -> Eigen3<R> {
    let [[a00, a01, a02], [_, a11, a12], [_, _, a22]] = a.0;
    let a = Mat3([[a00, a01, a02], [a01, a11, a12], [a02, a12, a22]]);
    let (down, up) = unit_scale(&a);
    let a = a.scale(down);

    let (n, largest) = separated_eigenvector(&a);
    let (s, t) = basis(n);
    let (a_s, a_t) = (a.mul_vec(s), a.mul_vec(t));
    let (ss, st, tt) = (dot(s, a_s), dot(s, a_t), dot(t, a_t));
    let (cos, sin) = leading_direction(ss, tt, st);
    let (b, c) = (combine(s, cos, t, sin), combine(t, cos, s, -sin));
    let n_value = dot(n, a.mul_vec(n));
    let b_value = dot(b, combine(a_s, cos, a_t, sin));
    let c_value = dot(c, combine(a_t, cos, a_s, -sin));

    // (n, b, c) is right-handed, and so is its cyclic shift (b, c, n).
    let first = R::select(largest, n_value, b_value);
    let second = R::select(largest, b_value, c_value);
    let third = R::select(largest, c_value, n_value);
    // Rounding may leave equal values out of order by an ulp.
    let second = second.min(first);
    let third = third.min(second);
    Eigen3 {
        values: [first * up, second * up, third * up],
        vectors: Mat3::from_columns(
            select3(largest, n, b),
            select3(largest, b, c),
            select3(largest, c, n),
        ),
    }
}
