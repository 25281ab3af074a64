//! What users look at, from F and P at a point.

use pliant_algebra::eigen3::{Eigen3, eigen3};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

/// Cauchy stress σ = P Fᵀ / J, Pa. Infinite or NaN where J = 0.
#[inline(always)]
pub fn cauchy_stress<R: Real>(f: &Mat3<R>, stress: &Mat3<R>) -> Mat3<R> {
    stress.mul_transpose(f).symmetric_part().scale(f.determinant().recip())
}

/// Second Piola-Kirchhoff stress S = F⁻¹ P, Pa. Infinite or NaN where J = 0.
#[inline(always)]
pub fn second_piola_stress<R: Real>(f: &Mat3<R>, stress: &Mat3<R>) -> Mat3<R> {
    (f.inverse() * *stress).symmetric_part()
}

/// Green strain E = ½ (FᵀF − I).
#[inline(always)]
pub fn green_strain<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    crate::st_venant_kirchhoff::green_strain(f)
}

/// Principal values, largest first, and their directions as columns.
#[inline(always)]
pub fn principal<R: Real>(symmetric: &Mat3<R>) -> Eigen3<R> {
    eigen3(symmetric)
}

/// Von Mises stress √(½ \[(σ₁−σ₂)² + (σ₂−σ₃)² + (σ₃−σ₁)²\]) of a Cauchy stress (VirTis section 5.3.2, corrected).
#[inline(always)]
pub fn von_mises<R: Real>(cauchy: &Mat3<R>) -> R {
    let s = &cauchy.0;
    let normal =
        (s[0][0] - s[1][1]).square() + (s[1][1] - s[2][2]).square() + (s[2][2] - s[0][0]).square();
    let shear = s[0][1].square() + s[1][2].square() + s[0][2].square();
    (normal * 0.5 + shear * 3.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn von_mises_of_uniaxial_shear_and_pressure() {
        assert_eq!(von_mises(&Mat3::diagonal([3.0, 0.0, 0.0])), 3.0);
        assert_eq!(von_mises(&Mat3::diagonal([-7.0; 3])), 0.0);
        let shear = Mat3([[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0; 3]]);
        assert!((von_mises(&shear) - 2.0 * 3f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn von_mises_is_that_of_the_principal_stresses() {
        let s = Mat3([[1.0, 0.4, -0.2], [0.4, -0.5, 0.3], [-0.2, 0.3, 2.0]]);
        let [a, b, c] = principal(&s).values;
        let exact = (0.5f64 * ((a - b).powi(2) + (b - c).powi(2) + (c - a).powi(2))).sqrt();
        assert!((von_mises(&s) - exact).abs() < 1e-14);
    }

    #[test]
    fn stresses_transform_into_each_other() {
        let f: Mat3<f64> = Mat3([[1.1, 0.2, -0.1], [0.05, 0.9, 0.3], [-0.2, 0.1, 1.25]]);
        let s = Mat3([[1.0, 0.4, -0.2], [0.4, -0.5, 0.3], [-0.2, 0.3, 2.0]]);
        let p = f * s;
        assert!((second_piola_stress(&f, &p) - s).max_abs() < 1e-15);
        let cauchy = (f * s).mul_transpose(&f).scale(1.0 / f.determinant());
        assert!((cauchy_stress(&f, &p) - cauchy).max_abs() < 1e-15);
    }

    #[test]
    fn green_strain_of_a_rotation_is_zero() {
        let r: Mat3<f64> = Mat3([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]]);
        assert!(green_strain(&r).max_abs() < 1e-15);
    }
}
