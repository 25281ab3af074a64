//! hex8-bbar: derivatives, rigid modes, the patch test, and what it is for.

use crate::common;

use common::laws::{PlainNeoHookean, PlainStVK};
use common::{deformed, everything, irregular_box, norm, pattern_of, random};
use nalgebra::{DMatrix, SymmetricEigen};
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Hex8, Hex8Bbar};
use pliant_forces::{
    Configuration, ForceModel, Parameters, Partition, Solid, finite_difference_check,
};
use pliant_materials::Law;

fn derivatives<L: Law>(law: L) {
    let mesh = irregular_box(8, [3, 2, 2]);
    let partition = Partition::with_chunk_size(&mesh, 5).unwrap();
    let mut model =
        Solid::new(&mesh, &partition, Hex8Bbar, Box::new(law), Parameters::Uniform(&[8.0, 1.0]))
            .unwrap();
    let x = deformed(&mesh, &partition, 0.01);
    let mut r = random(3);
    let d: Vec<Vec3> = x.iter().map(|_| [r(), r(), r()]).collect();
    let state = Configuration::new(&x, &x, 0.0);
    let report =
        finite_difference_check(&mut model, &state, &d, &[1e-3, 1e-4, 1e-5, 1e-6]).unwrap();
    assert!(report.best_gradient().unwrap() < 2e-9, "{report:?}");
    assert!(report.best_tangent() < 2e-9, "{report:?}");
    let pattern = pattern_of(&model, x.len());
    let all = everything(&mut model, &x, &pattern, 1.0).unwrap();
    for block in all.matrix.diagonal() {
        assert!(
            (block[1] - block[3]).abs() + (block[2] - block[6]).abs() + (block[5] - block[7]).abs()
                < 1e-12
        );
    }
}

#[test]
fn gradient_and_tangent_are_the_derivatives_of_its_energy() {
    derivatives(PlainStVK);
    derivatives(PlainNeoHookean);
}

#[test]
fn affine_states_are_those_of_the_plain_element() {
    let mesh = irregular_box(8, [3, 3, 3]);
    let partition = Partition::with_chunk_size(&mesh, 8).unwrap();
    let x: Vec<Vec3> = partition
        .vertices()
        .apply(&mesh.vertices)
        .iter()
        .map(|&[x, y, z]| [1.2 * x + 0.1 * y, 0.9 * y - 0.2 * z, 1.1 * z + 0.1 * x])
        .collect();
    let parameters = Parameters::Uniform(&[8.0, 1.0]);
    let mut plain =
        Solid::new(&mesh, &partition, Hex8, Box::new(PlainNeoHookean), parameters).unwrap();
    let mut mean =
        Solid::new(&mesh, &partition, Hex8Bbar, Box::new(PlainNeoHookean), parameters).unwrap();
    let pattern = pattern_of(&plain, x.len());
    let a = everything(&mut plain, &x, &pattern, 1.0).unwrap();
    let b = everything(&mut mean, &x, &pattern, 1.0).unwrap();
    assert!((a.energy - b.energy).abs() < 1e-14 * a.energy);
    // Irregular hexahedra: forces inside vanish for both.
    let rest = partition.vertices().apply(&mesh.vertices);
    let inside = |p: &Vec3| (0..3).all(|k| p[k] > 1e-9 && p[k] < [1.0, 0.8, 0.9][k] - 1e-9);
    let scale = norm(&b.gradient);
    for (p, g) in rest.iter().zip(&b.gradient) {
        assert!(!inside(p) || g.iter().all(|g| g.abs() < 1e-13 * scale), "{g:?}");
    }
}

fn spectrum<E: Element<3, 8>>(element: E, lambda: f64) -> Vec<f64> {
    let mut mesh = irregular_box(8, [2, 1, 1]);
    mesh.vertex_sets.clear();
    mesh.cells.truncate(8);
    let used = mesh.cells.clone();
    mesh.vertices = used.iter().map(|&v| mesh.vertices[v as usize]).collect();
    mesh.cells = (0..8).collect();
    let partition = Partition::new(&mesh).unwrap();
    let parameters = [lambda, 1.0];
    let mut model = Solid::new(
        &mesh,
        &partition,
        element,
        Box::new(PlainStVK),
        Parameters::Uniform(&parameters),
    )
    .unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let pattern = pattern_of(&model, 8);
    let dense = everything(&mut model, &rest, &pattern, 1.0).unwrap().matrix.to_dense();
    let eigen = SymmetricEigen::new(DMatrix::from_row_slice(24, 24, &dense));
    let mut values: Vec<f64> = eigen.eigenvalues.iter().copied().collect();
    values.sort_by(f64::total_cmp);
    values
}

#[test]
fn only_one_mode_resists_with_the_bulk_modulus() {
    let (plain, mean) = (spectrum(Hex8, 1e4), spectrum(Hex8Bbar, 1e4));
    for values in [&plain, &mean] {
        assert!(values[..6].iter().all(|v| v.abs() < 1e-11 * values[23]));
        assert!(values[6] > 1e-2);
    }
    let stiff = |values: &[f64]| values.iter().filter(|&&v| v > 100.0).count();
    assert_eq!(stiff(&mean), 1, "{mean:?}");
    assert!(stiff(&plain) >= 7, "{plain:?}");
}

#[test]
fn rigid_rotation_costs_nothing() {
    let mesh = irregular_box(8, [2, 2, 2]);
    let partition = Partition::new(&mesh).unwrap();
    let mut model = Solid::new(
        &mesh,
        &partition,
        Hex8Bbar,
        Box::new(PlainNeoHookean),
        Parameters::Uniform(&[8.0, 1.0]),
    )
    .unwrap();
    let (s, c) = 1.1_f64.sin_cos();
    let x: Vec<Vec3> = partition
        .vertices()
        .apply(&mesh.vertices)
        .iter()
        .map(|&[x, y, z]| [x, c * y - s * z, s * y + c * z])
        .collect();
    let pattern = pattern_of(&model, x.len());
    let all = everything(&mut model, &x, &pattern, 1.0).unwrap();
    assert!(all.energy.abs() < 1e-14 && norm(&all.gradient) < 1e-12, "{}", norm(&all.gradient));
    assert_eq!(model.name(), "hex8-bbar PlainNeoHookean");
}
