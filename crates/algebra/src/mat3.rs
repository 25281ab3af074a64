//! 3x3 matrices over [`Real`]: `m.0[i][j]` is row i, column j.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::real::Real;

/// A 3x3 matrix, row-major.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Mat3<R>(pub [[R; 3]; 3]);

/// Fills a matrix entry by entry. A macro, as closures may stay calls outside the SIMD level.
macro_rules! entries {
    ($i:ident, $j:ident => $value:expr) => {{
        let mut m = Mat3::zero();
        for $i in 0..3 {
            for $j in 0..3 {
                m.0[$i][$j] = $value;
            }
        }
        m
    }};
}

impl<R: Real> Mat3<R> {
    /// All entries 0.
    #[inline(always)]
    pub fn zero() -> Self {
        Self([[R::zero(); 3]; 3])
    }
    /// Ones on the diagonal.
    #[inline(always)]
    pub fn identity() -> Self {
        Self::diagonal([R::one(); 3])
    }
    /// d on the diagonal, zero elsewhere.
    #[inline(always)]
    pub fn diagonal(d: [R; 3]) -> Self {
        let z = R::zero();
        Self([[d[0], z, z], [z, d[1], z], [z, z, d[2]]])
    }
    /// The matrix with these columns.
    #[inline(always)]
    pub fn from_columns(a: [R; 3], b: [R; 3], c: [R; 3]) -> Self {
        Self([[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]]])
    }
    /// The same matrix in each lane.
    #[inline(always)]
    pub fn splat(m: &Mat3<f64>) -> Self {
        entries!(i, j => R::splat(m.0[i][j]))
    }
    /// Column j.
    #[inline(always)]
    pub fn column(&self, j: usize) -> [R; 3] {
        [self.0[0][j], self.0[1][j], self.0[2][j]]
    }
    /// Aᵀ
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        entries!(i, j => self.0[j][i])
    }
    /// s A
    #[inline(always)]
    pub fn scale(&self, s: R) -> Self {
        entries!(i, j => self.0[i][j] * s)
    }
    /// A diag(d): column j times d\[j\].
    #[inline(always)]
    pub fn scale_columns(&self, d: [R; 3]) -> Self {
        entries!(i, j => self.0[i][j] * d[j])
    }
    /// Aᵀ B
    #[inline(always)]
    pub fn transpose_mul(&self, b: &Self) -> Self {
        let a = &self.0;
        let b = &b.0;
        entries!(i, j => a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j])
    }
    /// A Bᵀ
    #[inline(always)]
    pub fn mul_transpose(&self, b: &Self) -> Self {
        entries!(i, j => dot(self.0[i], b.0[j]))
    }
    /// Aᵀ A, exactly symmetric.
    #[inline(always)]
    pub fn gram(&self) -> Self {
        let (a, b, c) = (self.column(0), self.column(1), self.column(2));
        let (ab, ac, bc) = (dot(a, b), dot(a, c), dot(b, c));
        Self([[dot(a, a), ab, ac], [ab, dot(b, b), bc], [ac, bc, dot(c, c)]])
    }
    /// A v
    #[inline(always)]
    pub fn mul_vec(&self, v: [R; 3]) -> [R; 3] {
        [dot(self.0[0], v), dot(self.0[1], v), dot(self.0[2], v)]
    }
    /// Aᵀ v
    #[inline(always)]
    pub fn transpose_mul_vec(&self, v: [R; 3]) -> [R; 3] {
        [dot(self.column(0), v), dot(self.column(1), v), dot(self.column(2), v)]
    }
    /// a bᵀ
    #[inline(always)]
    pub fn outer(a: [R; 3], b: [R; 3]) -> Self {
        entries!(i, j => a[i] * b[j])
    }
    /// The cofactor matrix det(A) A⁻ᵀ, also the derivative of det A with respect to A. Its rows are
    /// the cross products of the rows of A.
    #[inline(always)]
    pub fn cofactor(&self) -> Self {
        let [a, b, c] = self.0;
        Self([cross(b, c), cross(c, a), cross(a, b)])
    }
    /// det A
    #[inline(always)]
    pub fn determinant(&self) -> R {
        dot(self.0[0], cross(self.0[1], self.0[2]))
    }
    /// A⁻¹; entries are infinite or NaN where det A = 0.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        let cofactor = self.cofactor();
        cofactor.transpose().scale(dot(self.0[0], cofactor.0[0]).recip())
    }
    /// tr A
    #[inline(always)]
    pub fn trace(&self) -> R {
        self.0[0][0] + self.0[1][1] + self.0[2][2]
    }
    /// A : B = Σ Aᵢⱼ Bᵢⱼ
    #[inline(always)]
    pub fn contract(&self, b: &Self) -> R {
        dot(self.0[0], b.0[0]) + dot(self.0[1], b.0[1]) + dot(self.0[2], b.0[2])
    }
    /// Σ Aᵢⱼ²
    #[inline(always)]
    pub fn norm_squared(&self) -> R {
        self.contract(self)
    }
    /// The Frobenius norm, √(A : A).
    #[inline(always)]
    pub fn norm(&self) -> R {
        self.norm_squared().sqrt()
    }
    /// The largest |Aᵢⱼ| (NaN may pass unseen).
    #[inline(always)]
    pub fn max_abs(&self) -> R {
        let mut rows = [R::zero(); 3];
        for i in 0..3 {
            let [a, b, c] = self.0[i];
            rows[i] = a.abs().max(b.abs()).max(c.abs());
        }
        rows[0].max(rows[1]).max(rows[2])
    }
    /// ½ (A + Aᵀ)
    #[inline(always)]
    pub fn symmetric_part(&self) -> Self {
        entries!(i, j => (self.0[i][j] + self.0[j][i]) * 0.5)
    }
    /// ½ (A − Aᵀ)
    #[inline(always)]
    pub fn skew_part(&self) -> Self {
        entries!(i, j => (self.0[i][j] - self.0[j][i]) * 0.5)
    }
    /// The w of A − Aᵀ = \[w\]×, twice the axial vector of the skew part.
    #[inline(always)]
    pub fn axial(&self) -> [R; 3] {
        let a = &self.0;
        [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]]
    }
    /// \[w\]×, with \[w\]× v = w × v.
    #[inline(always)]
    pub fn cross_matrix(w: [R; 3]) -> Self {
        let z = R::zero();
        Self([[z, -w[2], w[1]], [w[2], z, -w[0]], [-w[1], w[0], z]])
    }
    /// `yes` in lanes where the mask is true, else `no`.
    #[inline(always)]
    pub fn select(mask: R::Mask, yes: &Self, no: &Self) -> Self {
        entries!(i, j => R::select(mask, yes.0[i][j], no.0[i][j]))
    }
}

impl Mat3<f64> {
    /// From nine entries, row after row.
    pub fn from_array(m: [f64; 9]) -> Self {
        Self([[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]])
    }
    /// Nine entries, row after row.
    pub fn to_array(self) -> [f64; 9] {
        let [a, b, c] = self.0;
        [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
    }
}

impl<P: crate::lanes::Pack> Mat3<P> {
    /// Lane l is `matrices[l]`.
    #[inline(always)]
    pub fn from_lanes(matrices: &[Mat3<f64>; crate::lanes::LANES]) -> Self {
        let mut lanes = [[[0.0; crate::lanes::LANES]; 3]; 3];
        for (l, m) in matrices.iter().enumerate() {
            for i in 0..3 {
                for j in 0..3 {
                    lanes[i][j][l] = m.0[i][j];
                }
            }
        }
        entries!(i, j => P::from_lanes(lanes[i][j]))
    }
    /// The matrix of each lane.
    #[inline(always)]
    pub fn to_lanes(&self) -> [Mat3<f64>; crate::lanes::LANES] {
        let mut matrices = [Mat3([[0.0; 3]; 3]); crate::lanes::LANES];
        for i in 0..3 {
            for j in 0..3 {
                let lanes = self.0[i][j].to_lanes();
                for (l, m) in matrices.iter_mut().enumerate() {
                    m.0[i][j] = lanes[l];
                }
            }
        }
        matrices
    }
    /// From packs in memory.
    #[inline(always)]
    pub fn load(m: &Mat3<crate::lanes::F64x8>) -> Self {
        entries!(i, j => P::load(&m.0[i][j]))
    }
    /// To packs in memory.
    #[inline(always)]
    pub fn store(&self) -> Mat3<crate::lanes::F64x8> {
        entries!(i, j => self.0[i][j].store())
    }
}

impl<R: Real> Add for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        entries!(i, j => self.0[i][j] + b.0[i][j])
    }
}

impl<R: Real> Sub for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        entries!(i, j => self.0[i][j] - b.0[i][j])
    }
}

impl<R: Real> AddAssign for Mat3<R> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<R: Real> SubAssign for Mat3<R> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl<R: Real> Neg for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        entries!(i, j => -self.0[i][j])
    }
}

impl<R: Real> Mul for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let a = &self.0;
        let b = &b.0;
        entries!(i, j => a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j])
    }
}

/// a · b
#[inline(always)]
pub fn dot<R: Real>(a: [R; 3], b: [R; 3]) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b
#[inline(always)]
pub fn cross<R: Real>(a: [R; 3], b: [R; 3]) -> [R; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// s a + t b
#[inline(always)]
pub(crate) fn combine<R: Real>(a: [R; 3], s: R, b: [R; 3], t: R) -> [R; 3] {
    [a[0] * s + b[0] * t, a[1] * s + b[1] * t, a[2] * s + b[2] * t]
}

/// `yes` in lanes where the mask is true, else `no`.
#[inline(always)]
pub(crate) fn select3<R: Real>(mask: R::Mask, yes: [R; 3], no: [R; 3]) -> [R; 3] {
    [R::select(mask, yes[0], no[0]), R::select(mask, yes[1], no[1]), R::select(mask, yes[2], no[2])]
}
