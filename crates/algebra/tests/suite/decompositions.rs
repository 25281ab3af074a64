//! SVD, polar and eigen decompositions of random, singular, inverted, degenerate and scaled
//! matrices: their defining properties to a few ulp, and agreement with a general library.

use crate::common;

use common::{ULP, matrices, oracle, orthogonality, relative, rotations, singular_values};
use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::polar3::{Polar3, RotationDerivative, polar3, rotation3};
use pliant_algebra::svd3::svd3;
use proptest::prelude::*;

fn check_svd(f: &Mat3<f64>) -> Result<(), TestCaseError> {
    let svd = svd3(f);
    let [s1, s2, s3] = svd.sigma;
    prop_assert!(s1 >= s2 && s2 >= s3.abs(), "order of {:?}", svd.sigma);
    prop_assert!(orthogonality(&svd.u) <= 8.0 * ULP, "U {:e}", orthogonality(&svd.u));
    prop_assert!(orthogonality(&svd.v) <= 8.0 * ULP, "V {:e}", orthogonality(&svd.v));
    prop_assert!(svd.u.determinant() > 0.0 && svd.v.determinant() > 0.0);
    let residual = relative(&(svd.recompose() - *f), s1);
    prop_assert!(residual <= 12.0 * ULP, "residual {residual:e} of {f:?}");
    Ok(())
}

fn check_polar(f: &Mat3<f64>, polar: &Polar3<f64>) -> Result<(), TestCaseError> {
    let s1 = svd3(f).sigma[0];
    let r = &polar.rotation;
    prop_assert!(orthogonality(r) <= 12.0 * ULP, "R {:e}", orthogonality(r));
    prop_assert!(r.determinant() > 0.0);
    let residual = relative(&(*r * polar.stretch - *f), s1);
    prop_assert!(residual <= 16.0 * ULP, "residual {residual:e} of {f:?}");
    Ok(())
}

fn check_eigen(a: &Mat3<f64>) -> Result<(), TestCaseError> {
    let eigen = eigen3(a);
    let [l1, l2, l3] = eigen.values;
    prop_assert!(l1 >= l2 && l2 >= l3);
    prop_assert!(orthogonality(&eigen.vectors) <= 8.0 * ULP);
    prop_assert!(eigen.vectors.determinant() > 0.0);
    let scale = l1.abs().max(l3.abs());
    let residual = relative(&(eigen.with_values(eigen.values) - *a), scale);
    prop_assert!(residual <= 16.0 * ULP, "residual {residual:e} of {a:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn svd_recomposes_any_matrix(f in matrices()) {
        check_svd(&f)?;
    }

    #[test]
    fn singular_values_agree_with_a_general_library(f in matrices()) {
        let svd = svd3(&f);
        let scale = svd.sigma[0];
        prop_assume!(scale > 0.0);
        let unit = oracle(&f.scale(1.0 / scale));
        let mut exact: Vec<f64> = unit.singular_values().iter().copied().collect();
        exact.sort_by(|a, b| b.total_cmp(a));
        for i in 0..3 {
            let error = (svd.sigma[i].abs() / scale - exact[i]).abs();
            prop_assert!(error <= 12.0 * ULP, "sigma {i} off by {error:e} in {f:?}");
        }
    }

    #[test]
    fn the_last_singular_value_has_the_sign_of_the_determinant(
        u in rotations(), v in rotations(), s in prop::array::uniform3(0.1..2.0f64), flip: bool,
    ) {
        let sign = if flip { -1.0 } else { 1.0 };
        let f = u.scale_columns([s[0], sign * s[1], s[2]]).mul_transpose(&v);
        prop_assert_eq!(svd3(&f).sigma[2] < 0.0, flip);
    }

    #[test]
    fn polar_recomposes_any_matrix(f in matrices()) {
        check_polar(&f, &polar3(&f))?;
    }

    #[test]
    fn closed_form_rotation_is_that_of_the_svd(
        u in rotations(), v in rotations(), s in prop::array::uniform3(0.3..2.0f64), inverted: bool,
    ) {
        // The gap sigma2 + sigma3 of an inverted matrix decides how well its rotation is defined.
        let mut s = s;
        s.sort_by(|a, b| b.total_cmp(a));
        if inverted { s[2] *= -0.5; }
        let f = u.scale_columns(s).mul_transpose(&v);
        let error = (rotation3(&f) - u.mul_transpose(&v)).max_abs();
        prop_assert!(error <= 24.0 * ULP * s[0] / (s[1] + s[2]), "{error:e}");
    }

    #[test]
    fn rotation_of_a_rotation_is_itself(r in rotations(), e in -300.0..300.0f64) {
        let error = (rotation3(&r.scale(e.exp2())) - r).max_abs();
        prop_assert!(error <= 8.0 * ULP, "{error:e}");
    }

    #[test]
    fn eigenvectors_diagonalise_any_symmetric_matrix(m in matrices()) {
        check_eigen(&m.symmetric_part())?;
    }

    #[test]
    fn eigenvectors_serve_coinciding_eigenvalues(q in rotations(), d in singular_values()) {
        let a = q.scale_columns(d).mul_transpose(&q).symmetric_part();
        check_eigen(&a)?;
    }

    #[test]
    fn eigenvalues_agree_with_a_general_library(m in matrices()) {
        let a = m.symmetric_part();
        let eigen = eigen3(&a);
        let scale = eigen.values[0].abs().max(eigen.values[2].abs());
        prop_assume!(scale > 0.0);
        let unit = oracle(&a.scale(1.0 / scale));
        let mut exact: Vec<f64> = unit.symmetric_eigenvalues().iter().copied().collect();
        exact.sort_by(|a, b| b.total_cmp(a));
        for i in 0..3 {
            let error = (eigen.values[i] / scale - exact[i]).abs();
            prop_assert!(error <= 12.0 * ULP, "lambda {i} off by {error:e} in {a:?}");
        }
    }

    #[test]
    fn positive_part_has_no_negative_eigenvalue_and_keeps_the_others(
        q in rotations(), d in prop::array::uniform3(-1.0..1.0f64),
    ) {
        let a = q.scale_columns(d).mul_transpose(&q).symmetric_part();
        let clipped = q.scale_columns(d.map(|x| x.max(0.0))).mul_transpose(&q);
        prop_assert!((eigen3(&a).positive_part() - clipped).max_abs() <= 16.0 * ULP);
    }

    #[test]
    fn rotation_derivative_is_the_slope_of_the_rotation(
        u in rotations(), v in rotations(), s in prop::array::uniform3(0.3..2.0f64), flip: bool,
        df in prop::array::uniform9(-1.0..1.0f64).prop_map(Mat3::from_array),
    ) {
        let mut s = s;
        s.sort_by(|a, b| b.total_cmp(a));
        if flip { s[2] *= -0.5; }
        let f = u.scale_columns(s).mul_transpose(&v);
        let exact = RotationDerivative::new(&polar3(&f), RotationDerivative::<f64>::FLOOR).apply(&df);
        // Fourth-order differences: the error falls with h⁴, rounding grows with 1/h.
        let h = 1e-3 * (s[1] + s[2]);
        let at = |t: f64| rotation3(&(f + df.scale(t * h)));
        let slope = (at(1.0) - at(-1.0)).scale(8.0 / 12.0 / h) - (at(2.0) - at(-2.0)).scale(1.0 / 12.0 / h);
        let error = relative(&(exact - slope), exact.max_abs().max(1.0));
        prop_assert!(error < 1e-8, "{error:e}");
    }
}

#[test]
fn svd_of_chosen_hard_cases() {
    let reflect = Mat3::diagonal([1.0, 1.0, -1.0]);
    let ones = Mat3([[1.0; 3]; 3]);
    let shear = Mat3([[1.0, 1e8, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let graded = Mat3([[1.0, 1e-8, 1e-16], [1e-8, 1e-8, 1e-16], [1e-16, 1e-16, 1e-16]]);
    // det of the scaled deviator of FᵀF is −0: neither end of its spectrum stands apart.
    let even = Mat3([[0.0, 1e-9, 1e-9], [0.0, -1.0, 1.0], [1.0, 1e-9, 0.0]]);
    let (zero, one) = (Mat3::zero(), Mat3::identity());
    let cases = [zero, one, -one, reflect, ones, shear, graded, even];
    for f in cases {
        for e in [0, -150, 150, -290, 290] {
            let f = f.scale(10f64.powi(e));
            check_svd(&f).unwrap();
            check_polar(&f, &polar3(&f)).unwrap();
            check_eigen(&f.symmetric_part()).unwrap();
        }
    }
    for tiny in [5e-324, 1e-310, f64::MIN_POSITIVE] {
        let svd = svd3(&ones.scale(tiny));
        assert!((svd.sigma[0] / tiny - 3.0).abs() <= 0.5 && svd.sigma[1].abs() <= tiny);
        assert!(orthogonality(&svd.u) <= 8.0 * ULP);
    }
    let svd = svd3(&ones.scale(1e307));
    assert!((svd.sigma[0] / 3e307 - 1.0).abs() <= 8.0 * ULP);
}

#[test]
fn infinite_and_nan_entries_give_nan_and_no_panic() {
    for bad in [f64::INFINITY, f64::NAN] {
        let f = Mat3::diagonal([1.0, bad, 1.0]);
        assert!(svd3(&f).sigma[0].is_nan());
        assert!(rotation3(&f).0[0][0].is_nan());
        assert!(eigen3(&f).values[0].is_nan());
    }
}

#[test]
fn rotation_derivative_is_bounded_where_the_rotation_jumps() {
    let df = Mat3([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]);
    for s in [[1.0, 0.5, -0.5], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]] {
        let polar = Polar3 { rotation: Mat3::identity(), stretch: Mat3::diagonal(s) };
        let dr = RotationDerivative::new(&polar, 1e-3).apply(&df);
        assert!(dr.max_abs() <= 2.1e3, "{s:?}: {dr:?}");
        assert_eq!(dr.max_abs() == 0.0, s[0] == 0.0);
    }
}
