//! Frame indifference, isotropy, rest, and the limit of small strains.

use crate::common;

use common::{Random, cases, sample, size};
use pliant_algebra::mat3::Mat3;
use pliant_materials::parameters::Lame;
use pliant_materials::stiffness::Stiffness;
use pliant_materials::{Constants, LawName, Material, PointLaw};

#[test]
fn laws_are_frame_indifferent() {
    let mut random = Random(4);
    for case in cases().iter().filter(|case| !case.is_linear()) {
        for f in case.domain() {
            let q = random.rotation();
            let (w, p) = (case.energy(&f), case.stress(&f));
            let scale = size(&p).max(1.0);
            assert!((case.energy(&(q * f)) - w).abs() < 2e-12 * scale, "{}: W(QF)", case.name);
            assert!(size(&(case.stress(&(q * f)) - q * p)) < 2e-12 * scale, "{}: P(QF)", case.name);
        }
    }
}

#[test]
fn isotropic_laws_know_no_direction() {
    let mut random = Random(5);
    for case in cases().iter().filter(|case| case.is_isotropic()) {
        for f in case.domain() {
            let q = random.rotation();
            let p = case.stress(&f);
            let scale = size(&p).max(1.0);
            assert!(size(&(case.stress(&(f * q)) - p * q)) < 2e-12 * scale, "{}", case.name);
        }
    }
}

#[test]
fn bodies_at_rest_are_free_of_energy_and_stress() {
    for case in &cases() {
        let rest = Mat3::identity();
        assert!(case.energy(&rest).abs() < 1e-15, "{}: {}", case.name, case.energy(&rest));
        assert!(size(&case.stress(&rest)) < 4e-15, "{}: {:?}", case.name, case.stress(&rest));
    }
}

/// A at rest is Hooke's tensor.
fn distance_to_hooke(law: &dyn PointLaw, p: &[f64], hooke: Lame) -> f64 {
    let a = law.stress_and_tangent(p, &Mat3::identity(), false).1;
    let mut worst = 0.0f64;
    for k in 0..3 {
        for l in 0..3 {
            let mut expected = Mat3::zero();
            expected.0[k][l] += hooke.mu;
            expected.0[l][k] += hooke.mu;
            if k == l {
                expected += Mat3::diagonal([hooke.lambda; 3]);
            }
            worst = worst.max(size(&(a.columns[k][l] - expected)));
        }
    }
    worst
}

#[test]
fn small_strains_obey_hooke_with_the_given_moduli() {
    let given = [
        Constants::YoungPoisson { young: 2.0, poisson: 0.3 },
        Constants::YoungPoisson { young: 2.0, poisson: -0.4 },
        Constants::Lame { lambda: 3.0, mu: 0.7 },
    ];
    for constants in given {
        let hooke = match constants {
            Constants::YoungPoisson { young, poisson } => {
                Lame::from_young_poisson(young, poisson).unwrap()
            }
            _ => Lame { lambda: 3.0, mu: 0.7 },
        };
        for law in LawName::ALL {
            let p = constants.parameters(law).unwrap();
            let error = distance_to_hooke(&*Material::new(law).point(), &p, hooke);
            assert!(error < 1e-14, "{}: {error:e} for {constants:?}", law.name());
        }
    }
}

/// λ + (4γ − 2) μ in place of λ.
#[test]
fn veronda_westmann_of_nienhuys_changes_the_first_lame_constant() {
    let law = LawName::VERONDA_WESTMANN_NIENHUYS;
    let p = Constants::Own(vec![1.5, 1.0, 0.7]).parameters(law).unwrap();
    let point = Material::new(law).point();
    assert!(distance_to_hooke(&*point, &p, Lame { lambda: 1.5 + 0.8, mu: 1.0 }) < 2e-15);
    assert!(distance_to_hooke(&*point, &p, Lame { lambda: 1.5, mu: 1.0 }) > 0.7);
}

#[test]
fn own_constants_have_the_documented_moduli() {
    let moduli = [
        (LawName::NEO_HOOKEAN_ISOCHORIC, 1.0, 2.0),
        (LawName::MOONEY_RIVLIN, 1.8, 10.0),
        (LawName::VERONDA_WESTMANN, 0.4, 10.0),
        (LawName::REDUCED_POLYNOMIAL, 1.0, 5.0),
        (LawName::OGDEN, 0.945, 5.0),
        (LawName::CIARLET_GEYMONAT, 1.4, 2.4 + 2.8 / 3.0),
    ];
    for (law, mu, bulk) in moduli {
        let p = sample(law).parameters(law).unwrap();
        let hooke = Lame { lambda: bulk - 2.0 / 3.0 * mu, mu };
        let error = distance_to_hooke(&*Material::new(law).point(), &p, hooke);
        assert!(error < 1e-14, "{}: {error:e}", law.name());
    }
}

#[test]
fn an_isotropic_tensor_makes_the_anisotropic_law_that_of_hooke() {
    let p = Stiffness::isotropic(1.5, 1.0).to_triangle();
    let anisotropic = Material::new(LawName::ANISOTROPIC).point();
    let linear = Material::new(LawName::LINEAR).point();
    let mut random = Random(6);
    let f = random.matrix();
    let difference = anisotropic.stress(&p, &f) - linear.stress(&[1.5, 1.0], &f);
    assert!(size(&difference) < 1e-15);
}

/// Corotation in the frame of least displacements is the polar one for an element without a
/// preferred direction.
#[test]
fn least_displacement_with_equal_moments_is_polar() {
    let law = LawName::COROTATIONAL_LEAST_DISPLACEMENT;
    let p = Constants::Lame { lambda: 1.5, mu: 1.0 }.parameters(law).unwrap();
    let polar = Material::new(LawName::COROTATIONAL).point();
    let mut random = Random(7);
    for _ in 0..10 {
        let f = random.with_stretches([1.4, 1.0, 0.7]);
        let other = Material::new(law).point().stress(&p, &f);
        assert!(size(&(other - polar.stress(&[1.5, 1.0], &f))) < 1e-14);
    }
}

/// A rotation by θ leaves σxx = σyy = 2 (μ + λ)(cos θ − 1), σzz = 2 λ (cos θ − 1) in the linear law.
#[test]
fn the_linear_law_mistakes_rotations_for_compression() {
    let (s, c) = 0.5f64.sin_cos();
    let f = Mat3([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]);
    let p = Material::new(LawName::LINEAR).point().stress(&[1.5, 1.0], &f);
    let side = 2.0 * 2.5 * (c - 1.0);
    let expected = Mat3::diagonal([side, side, 2.0 * 1.5 * (c - 1.0)]);
    assert!(size(&(p - expected)) < 1e-15);
}

#[test]
fn laws_that_take_any_deformation_return_numbers() {
    let mut random = Random(8);
    let mut list = vec![Mat3::zero(), -Mat3::identity(), Mat3::diagonal([1.0, 0.0, 0.0])];
    for sigma in [[1.0, 1.0, -1.0], [1.0, 1e-9, -1e-9], [1e-9; 3], [5.0, 3.0, -2.0], [0.7; 3]] {
        list.push(random.with_stretches(sigma));
        list.push(Mat3::diagonal(sigma));
    }
    for case in cases().iter().filter(|case| !case.law.needs_positive_j()) {
        for f in &list {
            assert!(case.energy(f).is_finite(), "{}: W at {f:?}", case.name);
            for project in [false, true] {
                let (p, a) = case.law.stress_and_tangent(&case.p, f, project);
                let all = p.to_array().into_iter().chain(a.to_matrix().into_iter().flatten());
                for x in all {
                    assert!(x.is_finite(), "{} at {f:?}", case.name);
                }
            }
        }
    }
}

/// The continued stress pulls an inverted element back, however far it went.
#[test]
fn invertible_laws_push_inverted_elements_back() {
    for case in &cases() {
        if !case.name.starts_with("invertible") && !case.name.contains("stable") {
            continue;
        }
        for depth in [0.1, 0.0, -0.2, -0.5, -0.9] {
            let p = case.stress(&Mat3::diagonal([1.0, 1.0, depth]));
            assert!(p.0[2][2] < 0.0, "{}: P33 = {} at {depth}", case.name, p.0[2][2]);
        }
    }
}
