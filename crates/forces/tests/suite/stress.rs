//! Stress and strain out: closed forms in homogeneous states, means over elements of two materials, and
//! what cannot be told.

use crate::common;

use common::irregular_box;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::Vec3;
use pliant_forces::solid::solid;
use pliant_forces::{ElementName, ForceError, Parameters, Partition, Stress};
use pliant_materials::Material;

const LAMBDA: f64 = 1.5;
const MU: f64 = 1.0;

/// Largest difference of entries.
fn off(a: &Mat3<f64>, b: &Mat3<f64>) -> f64 {
    (*a - *b).norm()
}

#[test]
fn a_homogeneous_state_has_the_stress_of_its_closed_form_everywhere() {
    let f = Mat3([[1.2, 0.1, 0.0], [0.0, 0.9, 0.05], [0.1, 0.0, 1.1]]);
    let j = f.determinant();
    let left = f.mul_transpose(&f);
    // Neo-Hookean: J σ = μ (F Fᵀ − I) + λ ln J I.
    let identity = Mat3::identity();
    let cauchy = ((left - identity).scale(MU) + identity.scale(LAMBDA * j.ln())).scale(1.0 / j);
    let green = (f.gram() - identity).scale(0.5);
    let energy = MU * ((f.norm_squared() - 3.0) * 0.5 - j.ln()) + LAMBDA * j.ln().powi(2) * 0.5;
    for element in ElementName::ALL {
        let mesh = irregular_box(element.cell_type().nodes(), [2, 2, 1]);
        let partition = Partition::with_chunk_size(&mesh, 3).unwrap();
        let law = Material::by_name("neo-hookean").unwrap().point();
        let everywhere = Parameters::Uniform(&[LAMBDA, MU]);
        let body = solid(&mesh, &partition, element, law, everywhere, &|_| true).unwrap();
        let rest = partition.vertices().apply(&mesh.vertices);
        let x: Vec<Vec3> = rest.iter().map(|&p| f.mul_vec(p)).collect();
        let name = element.name();
        let all = body.stresses(&x).unwrap();
        assert_eq!(all.len(), mesh.cell_count());
        let volume: f64 = all.iter().map(|(_, volume, _)| volume).sum();
        assert!((volume - 0.72).abs() < 1e-13, "{name}: {volume}");
        for (k, (cell, _, s)) in all.iter().enumerate() {
            assert_eq!(*cell as usize, k);
            assert!(off(&s.cauchy, &cauchy) < 1e-13, "{name}: {:?}", s.cauchy);
            assert!(off(&s.green, &green) < 1e-14, "{name}");
            assert!((s.jacobian - j).abs() < 1e-14, "{name}");
            assert!((s.energy_density - energy).abs() < 1e-14, "{name}");
            // P = J σ F⁻ᵀ
            let piola = (cauchy * f.inverse().transpose()).scale(j);
            assert!(off(&s.piola, &piola) < 1e-13, "{name}");
        }
        for s in body.vertex_stresses(&x, (&mesh).into(), &partition).unwrap() {
            assert!(off(&s.unwrap().cauchy, &cauchy) < 1e-13, "{name}");
        }
    }
}

#[test]
fn von_mises_and_principal_values_are_those_of_the_textbook() {
    let sigma = Mat3([[3.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, -1.0]]);
    let zero = Mat3::zero();
    let s = Stress { cauchy: sigma, piola: zero, green: zero, energy_density: 0.0, jacobian: 1.0 };
    let (values, directions) = s.principal();
    for (found, expected) in values.iter().zip([4.0, 2.0, -1.0]) {
        assert!((found - expected).abs() < 1e-14, "{values:?}");
    }
    let d = directions[0];
    assert!((d[0].abs() - 0.5_f64.sqrt()).abs() < 1e-14 && (d[0] - d[1]).abs() < 1e-14, "{d:?}");
    // √(½ ((4−2)² + (2+1)² + (4+1)²))
    assert!((s.von_mises() - 19.0_f64.sqrt()).abs() < 1e-14);
    assert_eq!(Stress::six(&sigma), [3.0, 3.0, -1.0, 1.0, 0.0, 0.0]);
}

#[test]
fn at_vertices_the_elements_around_count_by_their_volume() {
    let mesh = irregular_box(8, [2, 1, 1]);
    let partition = Partition::new(&mesh).unwrap();
    let law = Material::by_name("linear").unwrap().point();
    // The second cell is twice as stiff.
    let parameters = [0.0, 1.0, 0.0, 2.0];
    let each = Parameters::PerElement(&parameters);
    let body = solid(&mesh, &partition, ElementName::Hex8, law, each, &|_| true).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let x: Vec<Vec3> = rest.iter().map(|p| [1.01 * p[0], p[1], p[2]]).collect();
    let cells = body.stresses(&x).unwrap();
    // P = 2 μ ε; σ = P F / J keeps the entry that is along the stretch.
    let along = |s: &Stress| s.piola.0[0][0];
    assert!((along(&cells[0].2) - 0.02).abs() < 1e-15);
    assert!((along(&cells[1].2) - 0.04).abs() < 1e-15);
    let (a, b) = (cells[0].1, cells[1].1);
    let shared = (0.02 * a + 0.04 * b) / (a + b);
    for (v, s) in body.vertex_stresses(&x, (&mesh).into(), &partition).unwrap().iter().enumerate() {
        let uses = |cell: usize| mesh.cell(cell).contains(&(v as u32));
        let expected = match (uses(0), uses(1)) {
            (true, true) => shared,
            (true, false) => 0.02,
            _ => 0.04,
        };
        assert!((along(&s.unwrap()) - expected).abs() < 1e-15, "vertex {v}");
    }
}

#[test]
fn an_inverted_element_is_named_where_its_law_cannot_tell() {
    let mesh = irregular_box(4, [1, 1, 1]);
    let partition = Partition::new(&mesh).unwrap();
    let law = Material::by_name("neo-hookean").unwrap().point();
    let everywhere = Parameters::Uniform(&[LAMBDA, MU]);
    let body = solid(&mesh, &partition, ElementName::Tet4, law, everywhere, &|_| true).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let x: Vec<Vec3> = rest.iter().map(|p| [-p[0], p[1], p[2]]).collect();
    match body.stresses(&x) {
        Err(ForceError::Inverted { element, jacobian, law, .. }) => {
            assert!(element < 6 && (jacobian + 1.0).abs() < 1e-13 && law == "NeoHookean");
        }
        other => panic!("{other:?}"),
    }
}
