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
