//! Continued energies over stretches from −10 to 10.

use crate::common;

use common::sample;
use pliant_algebra::mat3::Mat3;
use pliant_materials::corotational::Corotational;
use pliant_materials::{Constants, Inversion, Law, LawName, Material, PointLaw, Tangent};

const STRETCHES: [f64; 19] = [
    -10.0, -6.0, -3.0, -1.5, -1.0, -0.5, -0.2, -0.05, 0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 3.0,
    6.0, 10.0,
];

/// The least W on the grid, and where.
fn least(law: &dyn PointLaw, p: &[f64]) -> (f64, [f64; 3]) {
    let mut least = (f64::INFINITY, [1.0; 3]);
    for a in STRETCHES {
        for b in STRETCHES {
            for c in STRETCHES {
                let w = law.energy(p, &Mat3::diagonal([a, b, c]));
                assert!(!w.is_nan(), "{} at {a}, {b}, {c}", law.name());
                if w < least.0 {
                    least = (w, [a, b, c]);
                }
            }
        }
    }
    least
}

#[test]
fn no_deformation_has_less_energy_than_rest() {
    let mut wrong = Vec::new();
    for law in LawName::ALL {
        let Ok(material) = Material::new(law).with_inversion(Inversion::Continued(None)) else {
            continue;
        };
        let mut constants = vec![sample(law)];
        let ratios = [0.0, 0.3, 0.45, 0.49, 0.495];
        constants.extend(ratios.map(|poisson| Constants::YoungPoisson { young: 1.0, poisson }));
        for constants in constants {
            let Ok(p) = constants.parameters(law) else { continue };
            // Without λ nothing in this law resists a change of volume; W falls to −0.07.
            if law == LawName::VERONDA_WESTMANN_NIENHUYS && p[0] == 0.0 {
                continue;
            }
            let (w, at) = least(&*material.point(), &p);
            if w < -1e-12 {
                wrong.push(format!("{} with {constants:?}: W = {w:.3e} at {at:?}", law.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two sums of stretches vanish in a mirror image, and with rounding their signs are anything.
#[test]
fn projected_tangents_of_nearly_mirrored_corotational_bodies_stay_bounded() {
    let p = [1.5, 1.0];
    for k in 0..200 {
        let noise = |i: u32| 1e-15 * f64::from((k * 7 + i * 13) % 11) - 5e-15;
        let f = Mat3([
            [-1.0 + noise(0), noise(1), noise(2)],
            [noise(3), 1.0 + noise(4), noise(5)],
            [noise(6), noise(7), 1.0 + noise(8)],
        ]);
        let (_, tangent) = Law::stress_and_tangent(&Corotational, &p, &f, true);
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let node = tangent.node(axis);
            let block: Mat3<f64> = tangent.block(&node, &node);
            assert!(block.max_abs() <= 2.0 * 1.0 + 1.5 + 1e-12, "{f:?}: {block:?}");
            assert!((0..3).all(|i| block.0[i][i] >= -1e-12), "{f:?}: {block:?}");
        }
    }
}
