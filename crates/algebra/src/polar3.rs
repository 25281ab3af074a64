//! The rotation in a deformation gradient, F = R S, and how it changes with F.
//!
//! R = U Vᵀ of the [SVD with two rotations](crate::svd3): always a rotation, the one nearest to F.
//! S is symmetric with eigenvalues σ₁ ≥ σ₂ ≥ |σ₃|, the last negative where F is inverted.
//!
//! Fast path. φ = tr S = σ₁ + σ₂ + σ₃ is the largest root of the quartic
//! (φ² − |F|²)² = 4 |cof F|² + 8 φ det F, and R = ∂φ/∂F, which with C = FᵀF is
//!
//! R = (½ (φ² + |F|²) F + φ cof F − F C) / D,  D = φ ½ (φ² − |F|²) − det F = (σ₁+σ₂)(σ₂+σ₃)(σ₃+σ₁)
//!
//! (φ as in Higham & Noferini 2016; the derivative as in Lin, Chitalu, Komura 2022). Whatever the
//! error of φ, the right side is F times a polynomial of C, so its own polar factor is R: a single
//! Newton-Schulz step X (3 I − XᵀX) / 2 squares what is left. No singular values are needed, and
//! inverted F are served too. Where σ₂ + σ₃ is small against σ₁ the formula loses digits and such
//! lanes take the SVD.

use crate::mat3::Mat3;
use crate::real::{Mask, Real};
use crate::svd3::svd3;

/// F = R S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polar3<R> {
    /// R, a rotation.
    pub rotation: Mat3<R>,
    /// S, symmetric.
    pub stretch: Mat3<R>,
}

/// R and S of any finite matrix. Entries that are infinite or NaN give NaN.
#[inline(always)]
pub fn polar3<R: Real>(f: &Mat3<R>) -> Polar3<R> {
    let rotation = rotation3(f);
    Polar3 { rotation, stretch: rotation.transpose_mul(f).symmetric_part() }
}

/// R alone.
#[inline(always)]
pub fn rotation3<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    let (rotation, good) = closed_form(f);
    if good.all() {
        return rotation;
    }
    Mat3::select(good, &rotation, &svd3(f).rotation())
}

/// Halley steps for φ: with these the fast path serves σ₂, σ₃ down to a twentieth of σ₁.
const STEPS: usize = 2;
/// D / φ³ is 8/27 for a rotation and about (σ₂ + σ₃) / σ₁ for thin F. Below this bound the residual
/// |R S − F| would pass a few ulp.
const SEPARATION: f64 = 0.05;
/// |XᵀX − I| before the Newton-Schulz step, which leaves ¾ of its square.
const NEARLY_ORTHOGONAL: f64 = 1e-8;
/// |F|² whose cube neither overflows nor underflows.
const NORM_SQUARED: (f64, f64) = (1e-60, 1e60);

/// The fast path, and where its result can be used.
#[inline(always)]
fn closed_form<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R::Mask) {
    let c = f.gram();
    let norm2 = c.trace();
    let cofactor = f.cofactor();
    let det = crate::mat3::dot(f.0[0], cofactor.0[0]);
    let cofactor2 = cofactor.norm_squared();
    // φ² = |F|² + 2 i₂ and i₂² = |cof F|² + 2 φ det F with i₂ = σ₁σ₂ + σ₂σ₃ + σ₃σ₁: one round from
    // the bound √3 |F|, which is exact for multiples of a rotation.
    let bound = (norm2 * 3.0).sqrt();
    let i2 = (cofactor2 + (bound + bound) * det).max(R::zero()).sqrt();
    let mut phi = (norm2 + (i2 + i2)).sqrt();
    // p(φ) = φ⁴ − 2 |F|² φ² − 8 det F φ + |F|⁴ − 4 |cof F|², with p' / 4 and p'' / 4.
    let linear = det + det;
    let constant = norm2 * norm2 - cofactor2 * 4.0;
    for _ in 0..STEPS {
        let square = phi * phi;
        let value = ((square - (norm2 + norm2)) * phi - linear * 4.0) * phi + constant;
        let slope = (square - norm2) * phi - linear;
        let curvature = square * 3.0 - norm2;
        phi -= value * slope / ((slope * slope * 4.0) - value * curvature * 0.5);
    }
    let square = phi * phi;
    let d = (square - norm2) * phi * 0.5 - det;
    let inverse = d.recip();
    let along = (square + norm2) * 0.5 * inverse;
    let x = f.scale(along) + cofactor.scale(phi * inverse) - (*f * c).scale(inverse);

    let gram = x.gram();
    let excess = (gram - Mat3::identity()).max_abs();
    let half = gram.scale(R::splat(-0.5)) + Mat3::diagonal([R::splat(1.5); 3]);
    let good = excess.less(R::splat(NEARLY_ORTHOGONAL))
        & d.greater(phi.abs() * square * SEPARATION)
        // Of the other roots, whose rotations are not the nearest, those with D > 0 are too small.
        & (square * 3.0).greater(norm2)
        & norm2.greater(R::splat(NORM_SQUARED.0))
        & norm2.less(R::splat(NORM_SQUARED.1));
    (x * half, good)
}

/// The derivative of R with respect to F.
///
/// From RᵀδF = Ω S + δS with Ω = RᵀδR = \[w\]× skew and δS symmetric, the skew part gives
/// (tr S I − S) w = axial(RᵀδF), where axial(A) is the a of A − Aᵀ = \[a\]×. The matrix has the
/// eigenvalues σ₂+σ₃, σ₃+σ₁, σ₁+σ₂.
///
/// The singular case is σ₂ + σ₃ → 0, two stretches that cancel: the nearest rotation then jumps, and
/// its derivative grows like 1 / (σ₂ + σ₃). The inverse is clamped smoothly in place: its determinant
/// is kept above `floor` · tr S · tr adj, which keeps the smallest eigenvalue in effect above
/// `floor` · tr S and leaves lanes away from it exact. Where two of them vanish, as in a mirror image, the
/// inverse stays of the order of 1 / tr S. F = 0 gives δR = 0.
#[derive(Clone, Copy, Debug)]
pub struct RotationDerivative<R> {
    rotation: Mat3<R>,
    inverse: Mat3<R>,
}

impl<R: Real> RotationDerivative<R> {
    /// A relative floor that only acts where the rotation itself has lost half its digits.
    pub const FLOOR: f64 = 1e-8;

    /// Prepares the derivative at F = R S.
    #[inline(always)]
    pub fn new(polar: &Polar3<R>, floor: f64) -> Self {
        let trace = polar.stretch.trace();
        let g = Mat3::diagonal([trace; 3]) - polar.stretch;
        let adjugate = g.cofactor();
        let det = crate::mat3::dot(g.0[0], adjugate.0[0]);
        // Where two eigenvalues vanish so does the adjugate, and what is left of it is rounding.
        let least = trace * floor * adjugate.trace().max(trace.square() * floor);
        let det = det.max(least);
        let inverse = R::select(det.greater(R::zero()), det.recip(), R::zero());
        Self { rotation: polar.rotation, inverse: adjugate.scale(inverse) }
    }

    /// (tr S I − S)⁻¹, clamped.
    #[inline(always)]
    pub fn inverse(&self) -> &Mat3<R> {
        &self.inverse
    }

    /// w with Rᵀ δR = \[w\]× for a change δF.
    #[inline(always)]
    pub fn spin(&self, df: &Mat3<R>) -> [R; 3] {
        self.inverse.mul_vec(self.rotation.transpose_mul(df).axial())
    }

    /// δR for a change δF.
    #[inline(always)]
    pub fn apply(&self, df: &Mat3<R>) -> Mat3<R> {
        self.rotation * Mat3::cross_matrix(self.spin(df))
    }
}

#[cfg(test)]
mod tests {
    use super::closed_form;
    use crate::mat3::Mat3;

    /// Two rotations in general position.
    fn rotated(stretches: [f64; 3]) -> (Mat3<f64>, Mat3<f64>) {
        let u = Mat3([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]]);
        let v = Mat3([[0.6, -0.64, 0.48], [0.8, 0.48, -0.36], [0.0, 0.6, 0.8]]);
        (u.scale_columns(stretches).mul_transpose(&v), u.mul_transpose(&v))
    }

    #[test]
    fn closed_form_serves_stretches_within_a_factor_of_twenty() {
        for i in 0..=16 {
            for j in 0..=16 {
                // The largest is 1, the others go from 1/20 to 1.
                let (a, b) = (f64::from(i) / 16.0, f64::from(j) / 16.0);
                let (f, exact) = rotated([0.05f64.powf(a), 1.0, 0.05f64.powf(b)]);
                let (r, good) = closed_form(&f);
                assert!(good, "stretches {a} {b}");
                assert!(
                    (r - exact).max_abs() <= 32.0 * f64::EPSILON,
                    "{:e}",
                    (r - exact).max_abs()
                );
            }
        }
    }

    #[test]
    fn closed_form_serves_inverted_matrices() {
        let (f, exact) = rotated([1.0, 0.8, -0.1]);
        let (r, good) = closed_form(&f);
        assert!(good && (r - exact).max_abs() <= 32.0 * f64::EPSILON);
    }

    #[test]
    fn closed_form_declines_where_the_rotation_is_ill_defined() {
        for stretches in [[1.0, 0.02, 0.02], [1.0, 0.5, -0.5], [1.0, 0.0, 0.0], [0.0; 3]] {
            assert!(!closed_form(&rotated(stretches).0).1, "{stretches:?}");
        }
    }
}
