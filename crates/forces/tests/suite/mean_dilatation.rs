//! hex8-bbar and tet10-bbar: derivatives, rigid modes, the patch test, and what it is for.

use crate::common;

use common::laws::{PlainNeoHookean, PlainStVK};
use common::{deformed, everything, irregular_box, norm, pattern_of, random};
use nalgebra::{DMatrix, SymmetricEigen};
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Hex8, Hex8Bbar, Tet10, Tet10Bbar};
use pliant_forces::{
    Configuration, ForceModel, Parameters, Partition, Solid, finite_difference_check,
};
use pliant_materials::anisotropic::Anisotropic;
use pliant_materials::linear::Linear;
use pliant_materials::{Law, PointLaw};

fn derivatives<E: Element<3, N>, const N: usize>(element: E, law: impl Law, tolerance: f64) {
    let mesh = irregular_box(N, [3, 2, 2]);
    let partition = Partition::with_chunk_size(&mesh, 5).unwrap();
    let mut model =
        Solid::new(&mesh, &partition, element, Box::new(law), Parameters::Uniform(&[8.0, 1.0]))
            .unwrap();
    let x = deformed(&mesh, &partition, 0.01);
    let mut r = random(3);
    let d: Vec<Vec3> = x.iter().map(|_| [r(), r(), r()]).collect();
    let state = Configuration::new(&x, &x, 0.0);
    let report =
        finite_difference_check(&mut model, &state, &d, &[1e-4, 1e-5, 1e-6, 3e-7]).unwrap();
    assert!(report.best_gradient().unwrap() < tolerance, "{report:?}");
    assert!(report.best_tangent() < tolerance, "{report:?}");
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
    derivatives(Hex8Bbar, PlainStVK, 2e-9);
    derivatives(Hex8Bbar, PlainNeoHookean, 2e-9);
    derivatives(Tet10Bbar, PlainStVK, 2e-8);
    derivatives(Tet10Bbar, PlainNeoHookean, 2e-8);
}

fn affine<P: Element<3, N>, M: Element<3, N>, const N: usize>(plain: P, mean: M) {
    let mesh = irregular_box(N, [3, 3, 3]);
    let partition = Partition::with_chunk_size(&mesh, 8).unwrap();
    let x: Vec<Vec3> = partition
        .vertices()
        .apply(&mesh.vertices)
        .iter()
        .map(|&[x, y, z]| [1.2 * x + 0.1 * y, 0.9 * y - 0.2 * z, 1.1 * z + 0.1 * x])
        .collect();
    let parameters = Parameters::Uniform(&[8.0, 1.0]);
    let mut plain =
        Solid::new(&mesh, &partition, plain, Box::new(PlainNeoHookean), parameters).unwrap();
    let mut mean =
        Solid::new(&mesh, &partition, mean, Box::new(PlainNeoHookean), parameters).unwrap();
    let pattern = pattern_of(&plain, x.len());
    let a = everything(&mut plain, &x, &pattern, 1.0).unwrap();
    let b = everything(&mut mean, &x, &pattern, 1.0).unwrap();
    assert!((a.energy - b.energy).abs() < 1e-14 * a.energy);
    // Irregular cells: forces inside vanish for both.
    let rest = partition.vertices().apply(&mesh.vertices);
    let inside = |p: &Vec3| (0..3).all(|k| p[k] > 1e-9 && p[k] < [1.0, 0.8, 0.9][k] - 1e-9);
    let scale = norm(&b.gradient);
    for (p, g) in rest.iter().zip(&b.gradient) {
        assert!(!inside(p) || g.iter().all(|g| g.abs() < 1e-13 * scale), "{g:?}");
    }
}

#[test]
fn affine_states_are_those_of_the_plain_element() {
    affine(Hex8, Hex8Bbar);
    affine(Tet10, Tet10Bbar);
}

/// Eigenvalues of the stiffness at rest of the first cells of an irregular box with shear modulus 1, ascending.
fn spectrum<E: Element<3, N>, const N: usize>(element: E, lambda: f64, cells: usize) -> Vec<f64> {
    let mut mesh = irregular_box(N, [2, 1, 1]);
    mesh.vertex_sets.clear();
    mesh.cells.truncate(cells * N);
    let mut used = mesh.cells.clone();
    used.sort_unstable();
    used.dedup();
    mesh.vertices = used.iter().map(|&v| mesh.vertices[v as usize]).collect();
    for v in &mut mesh.cells {
        *v = used.binary_search(v).unwrap() as u32;
    }
    let n = used.len();
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
    let pattern = pattern_of(&model, n);
    let dense = everything(&mut model, &rest, &pattern, 1.0).unwrap().matrix.to_dense();
    let eigen = SymmetricEigen::new(DMatrix::from_row_slice(3 * n, 3 * n, &dense));
    let mut values: Vec<f64> = eigen.eigenvalues.iter().copied().collect();
    values.sort_by(f64::total_cmp);
    values
}

fn count(values: &[f64], good: impl Fn(f64) -> bool) -> usize {
    values.iter().filter(|&&v| good(v)).count()
}

#[test]
fn only_one_mode_resists_with_the_bulk_modulus() {
    let (plain, mean) = (spectrum(Hex8, 1e4, 1), spectrum(Hex8Bbar, 1e4, 1));
    for values in [&plain, &mean] {
        assert!(values[..6].iter().all(|v| v.abs() < 1e-11 * values[23]));
        assert!(values[6] > 1e-2);
    }
    assert_eq!(count(&mean, |v| v > 100.0), 1, "{mean:?}");
    assert!(count(&plain, |v| v > 100.0) >= 7, "{plain:?}");
}

#[test]
fn one_mode_a_tetrahedron_resists_with_the_bulk_modulus() {
    let (plain, mean) = (spectrum(Tet10, 1e5, 1), spectrum(Tet10Bbar, 1e5, 1));
    assert_eq!((count(&plain, |v| v > 100.0), count(&mean, |v| v > 100.0)), (4, 1), "{plain:?}");
    // One cell for itself has three more modes without energy: fields of no shear whose dilatation is 0 in the middle. Cells side by side
    // share such a field, which then has a dilatation in some of them.
    assert_eq!(count(&mean, |v| v.abs() < 1e-9), 9, "{mean:?}");
    for cells in [4, 12] {
        let mean = spectrum(Tet10Bbar, 1e3, cells);
        assert_eq!(count(&mean, |v| v.abs() < 1e-9), 6, "{cells}: {mean:?}");
        assert!(mean[6] > 1e-4, "{cells}: {mean:?}");
        assert_eq!(count(&mean, |v| v > 20.0), cells, "{cells}: {mean:?}");
    }
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

/// Hooke's law, isotropic and anisotropic, on irregular cells.
fn linear_models() -> Vec<(Solid<Hex8Bbar, 8>, Vec<Vec3>)> {
    let mesh = irregular_box(8, [3, 2, 2]);
    let partition = Partition::with_chunk_size(&mesh, 5).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let triangle = [
        10.0, 4.0, 3.0, 0.3, 0.1, -0.2, 12.0, 5.0, 0.2, 0.0, 0.1, 9.0, -0.1, 0.2, 0.1, 2.0, 0.1,
        0.1, 3.0, 0.2, 1.5,
    ];
    let laws: [(Box<dyn PointLaw>, &[f64]); 2] =
        [(Box::new(Linear), &[8.0, 1.0]), (Box::new(Anisotropic), &triangle)];
    let made = |(law, p): (Box<dyn PointLaw>, &[f64])| {
        let model = Solid::new(&mesh, &partition, Hex8Bbar, law, Parameters::Uniform(p)).unwrap();
        (model, rest.clone())
    };
    laws.into_iter().map(made).collect()
}

#[test]
fn linear_laws_stay_linear() {
    for (mut model, rest) in linear_models() {
        let n = rest.len();
        let mut r = random(5);
        let d: Vec<Vec3> = (0..n).map(|_| [r(), r(), r()]).collect();
        let at = |s: f64| -> Vec<Vec3> {
            rest.iter().zip(&d).map(|(x, d)| std::array::from_fn(|k| x[k] + s * d[k])).collect()
        };
        let pattern = pattern_of(&model, n);
        // Far beyond inversion: the strain is linear there as everywhere.
        let [one, two, back] =
            [1.0, 2.0, -3.0].map(|s| everything(&mut model, &at(s), &pattern, 1.0).unwrap());
        let scale = norm(&one.gradient);
        for v in 0..n {
            for k in 0..3 {
                let g = one.gradient[v][k];
                assert!((two.gradient[v][k] - 2.0 * g).abs() < 1e-13 * scale);
                assert!((back.gradient[v][k] + 3.0 * g).abs() < 1e-13 * scale);
            }
        }
        assert!((two.energy / one.energy - 4.0).abs() < 1e-13);
        // One matrix for all states, and forces and energy are its products.
        assert_eq!(one.matrix.values, two.matrix.values);
        let dense = one.matrix.to_dense();
        let flat: Vec<f64> = d.iter().flatten().copied().collect();
        let product: Vec<f64> = dense
            .chunks(3 * n)
            .map(|row| row.iter().zip(&flat).map(|(a, b)| a * b).sum())
            .collect();
        for (g, k) in one.gradient.iter().flatten().zip(&product) {
            assert!((g - k).abs() < 1e-12 * scale, "{g} {k}");
        }
        let work: f64 = product.iter().zip(&flat).map(|(a, b)| 0.5 * a * b).sum();
        assert!((work / one.energy - 1.0).abs() < 1e-12);
        let state = Configuration::new(&rest, &rest, 0.0);
        let report = finite_difference_check(&mut model, &state, &d, &[1e-2]).unwrap();
        assert!(report.best_tangent() < 1e-12, "{report:?}");
        // Nothing is inverted for a law that knows no inversion.
        assert!(!model.character().bounds_steps);
    }
}

#[test]
fn the_linear_law_has_the_stiffness_of_others_at_rest() {
    let mesh = irregular_box(8, [3, 2, 2]);
    let partition = Partition::with_chunk_size(&mesh, 5).unwrap();
    let rest = partition.vertices().apply(&mesh.vertices);
    let parameters = Parameters::Uniform(&[80.0, 1.0]);
    let mut linear = Solid::new(&mesh, &partition, Hex8Bbar, Box::new(Linear), parameters).unwrap();
    let mut other =
        Solid::new(&mesh, &partition, Hex8Bbar, Box::new(PlainStVK), parameters).unwrap();
    let pattern = pattern_of(&linear, rest.len());
    let a = everything(&mut linear, &rest, &pattern, 1.0).unwrap().matrix;
    let b = everything(&mut other, &rest, &pattern, 1.0).unwrap().matrix;
    let flat = |m: &pliant_algebra::sparse::BlockMatrix| m.values.as_flattened().to_vec();
    let largest = flat(&a).iter().fold(0.0_f64, |m, k| m.max(k.abs()));
    for (a, b) in flat(&a).iter().zip(&flat(&b)) {
        assert!((a - b).abs() < 1e-13 * largest, "{a} {b}");
    }
    // Stresses come of the same strain: their volume part is that of the mean.
    let mut r = random(9);
    let x: Vec<Vec3> = rest.iter().map(|x| std::array::from_fn(|k| x[k] + 0.01 * r())).collect();
    for (_, volume, stress) in linear.stresses(&x).unwrap() {
        assert!(volume > 0.0 && stress.piola.norm() > 1e-3);
    }
}
