//! Measures of stress and strain.

use pliant_algebra::mat3::Mat3;
use pliant_materials::measures::{
    cauchy_stress, green_strain, principal, second_piola_stress, von_mises,
};

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
