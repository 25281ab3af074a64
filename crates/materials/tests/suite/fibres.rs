//! Fibres in a matrix against closed forms, and active tension.

use crate::common;

use common::{Random, size};
use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::F64x8;
use pliant_algebra::mat3::{Mat3, dot};
use pliant_materials::eight::{Blocks, EightPoints};
use pliant_materials::fibres::{ActiveTension, Family, Fibres};
use pliant_materials::{Constants, Inversion, LawName, Material, MaterialError, PointLaw};

const ALONG: Family = Family { k1: 2.0, k2: 0.5, dispersion: 0.0, direction: [2.0, 0.0, 0.0] };

/// P = 2 k₁ E exp(k₂ E²) F A, of one family without a matrix.
fn stress(family: Family, f: &Mat3<f64>) -> Mat3<f64> {
    PointLaw::stress(&Fibres, &family.parameters().unwrap(), f)
}

#[test]
fn a_pull_along_the_fibre_follows_its_closed_form_and_one_across_finds_nothing() {
    for l in [1.05f64, 1.3, 1.8] {
        let e = l * l - 1.0;
        let expected = 4.0 * e * (0.5 * e * e).exp() * l;
        let p = stress(ALONG, &Mat3::diagonal([l, 0.9, 0.8]));
        assert!((p.0[0][0] / expected - 1.0).abs() < 1e-14, "{p:?} {expected}");
        assert!(size(&(p - Mat3::diagonal([p.0[0][0], 0.0, 0.0]))) == 0.0, "{p:?}");
        assert_eq!(stress(ALONG, &Mat3::diagonal([0.95, l, l])), Mat3::zero());
    }
}

/// Fibres across the planes of a simple shear are stretched to I₄ = 1 + γ²; those along them are not.
#[test]
fn simple_shear_stretches_the_fibres_across_it() {
    for g in [0.2f64, -0.6] {
        let f = Mat3([[1.0, g, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        let across = Family { direction: [0.0, 1.0, 0.0], ..ALONG };
        let e = g * g;
        let pull = 4.0 * e * (0.5 * e * e).exp();
        let expected = Mat3([[0.0, pull * g, 0.0], [0.0, pull, 0.0], [0.0; 3]]);
        assert!(size(&(stress(across, &f) - expected)) < 1e-15);
        assert_eq!(stress(ALONG, &f), Mat3::zero());
    }
}

#[test]
fn evenly_dispersed_fibres_have_no_direction() {
    let mut random = Random(21);
    let family = |direction| Family { dispersion: 1.0 / 3.0, direction, ..ALONG };
    let f = random.with_stretches([1.4, 1.1, 0.8]);
    let e: f64 = (f.norm_squared() - 3.0) / 3.0;
    let expected = f.scale(2.0 * 2.0 * e * (0.5 * e * e).exp() / 3.0);
    for _ in 0..5 {
        assert!(size(&(stress(family(random.vector()), &f) - expected)) < 1e-14);
    }
}

/// With k₂ = 0 the energy is ½ k₁ E², which small k₂ tend to.
#[test]
fn fibres_that_do_not_stiffen_are_the_limit_of_those_that_do() {
    let f = Mat3::diagonal([1.2, 1.0, 0.9]);
    let energy = |k2| PointLaw::energy(&Fibres, &Family { k2, ..ALONG }.parameters().unwrap(), &f);
    let e = 1.2f64 * 1.2 - 1.0;
    assert!((energy(0.0) - e * e).abs() < 1e-15);
    for k2 in [4e-4f64, 6e-4, 1e-3, 2.0] {
        // To both sides of where the series takes over.
        let exact = 2.0 / (2.0 * k2) * (k2 * e * e).exp_m1();
        assert!((energy(k2) / exact - 1.0).abs() < 1e-11, "{k2}: {} {exact}", energy(k2));
    }
}

/// What a matrix law and its fibres add up to is the same for one point and for eight, at every level of instructions.
#[test]
fn fibres_in_a_matrix_add_up() {
    let matrix = Material::new(LawName::MOONEY_RIVLIN);
    let (material, plain) = (matrix.with_fibres(3).unwrap(), matrix.point());
    let law = material.point();
    let matrix = Constants::Own(vec![0.6, 0.3, 5.0]).parameters(LawName::MOONEY_RIVLIN).unwrap();
    let mut random = Random(22);
    let mut p = matrix.clone();
    for dispersion in [0.0, 0.1, 0.3] {
        let family = Family { dispersion, direction: random.vector(), ..ALONG };
        p.extend(family.parameters().unwrap());
    }
    assert_eq!(law.parameters().len(), p.len());
    let f = random.with_stretches([1.5, 1.3, 1.2]);
    let families = || p[3..].chunks(6);
    let energy = families().map(|p| PointLaw::energy(&Fibres, p, &f)).sum::<f64>();
    assert!(
        (law.energy(&p, &f) - plain.energy(&matrix, &f) - energy).abs() < 1e-14 && energy > 0.1
    );

    let packs: Vec<F64x8> = p.iter().map(|&v| F64x8([v; 8])).collect();
    let gradient = f.to_array().map(|v| F64x8([v; 8]));
    let shapes = [[0.3, -0.5, 0.2], [1.0, 0.1, -0.4]];
    let packed = shapes.map(|s: [f64; 3]| s.map(|v| F64x8([v; 8])));
    for level in Level::available() {
        for add in [false, true] {
            let zero = F64x8([0.0; 8]);
            let (mut energy, mut stress) = (zero, [zero; 9]);
            let mut values = [[F64x8([1.0; 8]); 9]; 3];
            law.evaluate(
                level,
                &mut EightPoints {
                    parameters: &packs,
                    gradient: &gradient,
                    energy: Some(&mut energy),
                    stress: Some(&mut stress),
                    tangent: Some(Blocks {
                        shapes: &packed,
                        values: &mut values,
                        all: false,
                        add,
                        project: false,
                    }),
                },
            );
            assert!((energy.0[3] - law.energy(&p, &f)).abs() < 1e-14);
            let piola = law.stress(&p, &f).to_array();
            assert!((0..9).all(|k| (stress[k].0[5] - piola[k]).abs() < 1e-13));
            let block = law.block(&p, &f, false, shapes[0], shapes[1]).to_array();
            let before = if add { 1.0 } else { 0.0 };
            assert!((0..9).all(|k| (values[1][k].0[7] - block[k] - before).abs() < 1e-12));
        }
    }
}

#[test]
fn active_fibres_pull_with_their_tension_along_their_present_direction() {
    let mut random = Random(23);
    for _ in 0..5 {
        let a = random.rotation().mul_vec([1.0, 0.0, 0.0]);
        let f = random.with_stretches([1.3, 0.9, 0.7]);
        let p = [2.5, a[0], a[1], a[2]];
        let pull = PointLaw::stress(&ActiveTension, &p, &f).mul_vec(a);
        let fa = f.mul_vec(a);
        let length = dot(fa, fa).sqrt();
        assert!((0..3).all(|k| (pull[k] - 2.5 * fa[k] / length).abs() < 1e-14));
        assert!((PointLaw::energy(&ActiveTension, &p, &f) - 2.5 * (length - 1.0)).abs() < 1e-14);
        // Differences of the stress along a random direction.
        let (h, d) = (1e-6, random.matrix());
        let of = |s: f64| PointLaw::stress(&ActiveTension, &p, &(f + d.scale(s)));
        let slope = (of(h) - of(-h)).scale(0.5 / h);
        let tangent = PointLaw::stress_and_tangent(&ActiveTension, &p, &f, false).1;
        assert!(size(&(tangent.apply(&d) - slope)) < 1e-8);
    }
    let crushed = PointLaw::stress(&ActiveTension, &[1.0, 1.0, 0.0, 0.0], &Mat3::zero());
    assert!(size(&crushed).is_finite());
}

#[test]
fn wrong_fibres_are_refused_by_name() {
    let refused = |family: Family| match family.parameters().unwrap_err() {
        MaterialError::OutOfRange { parameter, .. } => parameter,
        other => panic!("{other}"),
    };
    assert_eq!(refused(Family { k1: -1.0, ..ALONG }), "k1");
    assert_eq!(refused(Family { k2: f64::NAN, ..ALONG }), "k2");
    assert_eq!(refused(Family { dispersion: 0.4, ..ALONG }), "dispersion");
    assert!(refused(Family { direction: [0.0; 3], ..ALONG }).contains("direction"));
    for law in LawName::ALL {
        let one_sided =
            [LawName::COROTATIONAL_QR, LawName::COROTATIONAL_LEAST_DISPLACEMENT].contains(&law);
        let polynomial = law == LawName::ST_VENANT_KIRCHHOFF_POLYNOMIAL;
        let refuses = law.entry().is_linear || one_sided || polynomial;
        assert_eq!(Material::new(law).with_fibres(1).is_err(), refuses, "{law:?}");
    }
    assert!(Material::new(LawName::NEO_HOOKEAN).with_fibres(4).is_err());
    // Fibres go with any variant of the matrix.
    let continued = Inversion::Continued(None);
    let law = Material::new(LawName::NEO_HOOKEAN).with_fibres(1).unwrap();
    assert!(!law.with_inversion(continued).unwrap().point().needs_positive_j());
}
