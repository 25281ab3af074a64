//! Elastic tensors: rotations, orthotropy, checks.

use pliant_algebra::mat3::Mat3;
use pliant_materials::MaterialError;
use pliant_materials::anisotropic::position;
use pliant_materials::stiffness::Stiffness;

fn rotation() -> Mat3<f64> {
    Mat3([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
}

fn distance(a: &Stiffness, b: &Stiffness) -> f64 {
    a.0.iter().flatten().zip(b.0.iter().flatten()).fold(0.0, |m, (x, y)| (x - y).abs().max(m))
}

#[test]
fn an_isotropic_tensor_does_not_feel_rotations() {
    let c = Stiffness::isotropic(1.5, 1.0);
    assert!(distance(&c.rotated(&rotation()).unwrap(), &c) < 2e-15);
}

#[test]
fn equal_moduli_make_an_orthotropic_material_isotropic() {
    let (young, poisson) = (2.6, 0.3);
    let mu = young / (2.0 * (1.0 + poisson));
    let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let c = Stiffness::orthotropic([young; 3], [poisson; 3], [mu; 3]).unwrap();
    assert!(distance(&c, &Stiffness::isotropic(lambda, mu)) < 4e-15);
}

#[test]
fn a_pull_along_a_material_axis_shows_its_young_modulus_and_poisson_ratios() {
    let c = Stiffness::orthotropic([3.0, 2.0, 1.0], [0.3, 0.2, 0.1], [0.9, 0.8, 0.7]).unwrap();
    // σ for the strain of a unit pull along 1: ε = (1, −ν12, −ν31 E1/E3) / E1.
    let strain = [1.0 / 3.0, -0.3 / 3.0, -0.1, 0.0, 0.0, 0.0];
    for i in 0..6 {
        let stress: f64 = (0..6).map(|j| c.0[i][j] * strain[j]).sum();
        assert!((stress - if i == 0 { 1.0 } else { 0.0 }).abs() < 1e-15, "{i} {stress}");
    }
    assert_eq!([c.0[3][3], c.0[4][4], c.0[5][5]], [0.9, 0.8, 0.7]);
}

#[test]
fn turning_the_axes_moves_the_stiff_direction() {
    let c = Stiffness::orthotropic([9.0, 2.0, 1.0], [0.3, 0.2, 0.1], [0.9, 0.8, 0.7]).unwrap();
    // Material x along world y, material y along world z, material z along world x.
    let axes = Mat3([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let turned = c.rotated(&axes).unwrap();
    assert_eq!(turned.0[1][1], c.0[0][0]);
    assert_eq!(turned.0[0][0], c.0[2][2]);
    assert_eq!(turned.0[1][2], c.0[0][1]);
    // xy of the material is yz of the world.
    assert_eq!(turned.0[4][4], c.0[3][3]);
    let back = turned.rotated(&axes.transpose()).unwrap();
    assert!(distance(&back, &c) < 1e-15);
}

#[test]
fn tensors_that_give_energy_away_are_refused() {
    let poisson = Stiffness::orthotropic([1.0; 3], [0.6; 3], [1.0; 3]).unwrap_err();
    assert!(matches!(poisson, MaterialError::NotPositiveDefinite { pivot: 3, .. }), "{poisson}");
    let mut triangle = Stiffness::isotropic(1.5, 1.0).to_triangle();
    triangle[position(3, 3)] = -1.0;
    let error = Stiffness::from_triangle(&triangle).unwrap_err();
    assert!(error.to_string().contains("pivot 4"), "{error}");
    triangle[position(3, 3)] = f64::NAN;
    let error = Stiffness::from_triangle(&triangle).unwrap_err();
    assert!(error.to_string().starts_with("c44 = NaN"), "{error}");
}

#[test]
fn axes_that_are_no_rotation_are_refused() {
    let c = Stiffness::isotropic(1.5, 1.0);
    assert!(c.rotated(&Mat3::diagonal([1.0, 1.0, -1.0])).is_err());
    assert!(c.rotated(&Mat3::diagonal([1.0, 1.0, 1.1])).is_err());
    assert!(c.rotated(&Mat3::diagonal([f64::NAN; 3])).is_err());
}
