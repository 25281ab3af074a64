//! Stiffness and mass given as a matrix for each cell.

use crate::checks;
use crate::common;

use std::sync::Arc;

use checks::{Random, Storage, dense, energy, gradient, state};
use common::irregular_box;
use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::{Vec3, add, norm, sub};
use pliant_elements::{Element, Hex8, Tet4, consistent_mass};
use pliant_forces::solid::solid;
use pliant_forces::{
    Cells, ElementMatrices, ElementName, ForceModel, Parameters, Partition,
    finite_difference_check, mass,
};
use pliant_materials::Material;
use pliant_mesh::VolumeMesh;

const LAME: Parameters<'static> = Parameters::Uniform(&[1.5, 1.0]);

/// A model of Hooke's law on the cells for which `chosen` holds.
fn linear(
    mesh: &VolumeMesh,
    partition: &Partition,
    chosen: &dyn Fn(usize) -> bool,
) -> Box<dyn ForceModel> {
    let law = Material::by_name("linear").unwrap().point();
    solid(mesh, partition, ElementName::of(mesh.cell_type), law, LAME, chosen).unwrap()
}

/// The stiffness matrices of all cells, one after another.
fn stiffness_of_cells(mesh: &VolumeMesh, partition: &Partition) -> Vec<f64> {
    let rest = partition.vertices().apply(&mesh.vertices);
    let v = vec![[0.0; 3]; rest.len()];
    let new = partition.vertices().old_to_new();
    let mut all = Vec::new();
    for (c, cell) in mesh.cells().enumerate() {
        let mut one = linear(mesh, partition, &|other| other == c);
        let k = dense(&mut *one, state(&rest, &v, 0.0), (1.0, 0.0), false, Storage::Full).unwrap();
        let of = |r: usize| 3 * new[cell[r / 3] as usize] as usize + r % 3;
        let size = 3 * cell.len();
        for r in 0..size {
            // Symmetric to the bit, as tables from other programs are.
            all.extend((0..size).map(|s| 0.5 * (k[of(r)][of(s)] + k[of(s)][of(r)])));
        }
    }
    all
}

fn equals_the_solid<const N: usize>(cells: [usize; 3]) {
    let mesh = irregular_box(N, cells);
    let partition = Partition::with_chunk_size(&mesh, 7).unwrap();
    let matrices = stiffness_of_cells(&mesh, &partition);
    let mut model = ElementMatrices::<N>::new(&mesh, &partition, &matrices).unwrap();
    let mut whole = linear(&mesh, &partition, &|_| true);
    let mut random = Random(1);
    let x: Vec<Vec3> = partition
        .vertices()
        .apply(&mesh.vertices)
        .iter()
        .map(|&p| add(p, [0; 3].map(|_| 0.1 * random.next())))
        .collect();
    let v = vec![[0.0; 3]; x.len()];
    let at = state(&x, &v, 0.0);
    let (e, exact) = (energy(&model, at), energy(&*whole, at));
    assert!((e - exact).abs() < 1e-13 * exact);
    let (g, exact) = (gradient(&model, at), gradient(&*whole, at));
    let size = exact.iter().map(|&g| norm(g)).fold(0.0, f64::max);
    for (&g, &exact) in g.iter().zip(&exact) {
        assert!(norm(sub(g, exact)) < 1e-13 * size);
    }
    for storage in [Storage::Upper, Storage::Full] {
        let k = dense(&mut model, at, (0.7, 0.0), false, storage).unwrap();
        let exact = dense(&mut *whole, at, (0.7, 0.0), false, storage).unwrap();
        for (row, exact) in k.iter().zip(&exact) {
            for (k, exact) in row.iter().zip(exact) {
                assert!((k - exact).abs() < 1e-13, "{k} {exact}");
            }
        }
    }
    let direction = random.vectors(x.len(), 1.0);
    let report = finite_difference_check(&mut model, &at, &direction, &[1e-2, 1e-3]).unwrap();
    assert!(report.best_gradient().unwrap() < 1e-11 && report.best_tangent() < 1e-11);
    let step = model.stable_step(&at, &vec![0.1; x.len()]);
    let exact = whole.stable_step(&at, &vec![0.1; x.len()]);
    // The solid adds the norms of its points, which is as much for one point and more for several.
    assert!(step > (1.0 - 1e-10) * exact && step < 2.0 * exact, "{step} {exact}");
}

#[test]
fn matrices_of_a_linear_solid_give_its_energy_forces_and_stiffness() {
    equals_the_solid::<4>([2, 2, 1]);
    equals_the_solid::<8>([2, 2, 2]);
}

/// Mass matrices of all cells as 3N × 3N numbers.
fn masses_of_cells<E: Element<3, N>, const N: usize>(mesh: &VolumeMesh, density: f64) -> Vec<f64> {
    let rule = E::mass_rule();
    let mut all = Vec::new();
    for cell in mesh.cells() {
        let x = std::array::from_fn(|a| mesh.vertices[cell[a] as usize]);
        let mass = consistent_mass::<E, 3, N>(&rule, &x);
        for r in 0..3 * N {
            for s in 0..3 * N {
                let same = r % 3 == s % 3;
                all.push(if same { density * mass[r / 3][s / 3] } else { 0.0 });
            }
        }
    }
    all
}

fn masses_agree<E: Element<3, N>, const N: usize>(element: E) {
    let mesh = irregular_box(N, [3, 2, 2]);
    let partition = Partition::with_chunk_size(&mesh, 5).unwrap();
    let matrices = masses_of_cells::<E, N>(&mesh, 3.0);
    let lumped = mass::lumped_of_matrices::<N>(&mesh, &partition, &matrices).unwrap();
    let exact = mass::lumped(&mesh, &partition, element, &|_| 3.0).unwrap();
    for (m, exact) in lumped.iter().zip(&exact) {
        assert!((m - exact).abs() < 1e-14, "{m} {exact}");
    }
    let model = linear(&mesh, &partition, &|_| true);
    let n = mesh.vertex_count();
    let pattern = Arc::new(Pattern::symmetric(n, |couple| model.couplings(couple)).unwrap());
    let found = mass::consistent_of_matrices::<N>(&mesh, &partition, &matrices, &pattern).unwrap();
    let exact = mass::consistent(&mesh, &partition, element, &|_| 3.0, &pattern).unwrap();
    for (m, exact) in found.values.as_flattened().iter().zip(exact.values.as_flattened()) {
        assert!((m - exact).abs() < 1e-14, "{m} {exact}");
    }
    let few = Arc::new(Pattern::symmetric(n, |_| ()).unwrap());
    let error = mass::consistent_of_matrices::<N>(&mesh, &partition, &matrices, &few);
    assert!(error.unwrap_err().to_string().contains("has no slot for the coupling"));
}

#[test]
fn masses_of_cells_give_lumped_and_consistent_mass() {
    masses_agree(Tet4);
    masses_agree(Hex8);
}

#[test]
fn rigid_rotations_are_not_free_but_the_reference_may_be_turned() {
    let mesh = irregular_box(4, [1, 1, 1]);
    let partition = Partition::new(&mesh).unwrap();
    let matrices = stiffness_of_cells(&mesh, &partition);
    let turned = |angle: f64| -> Vec<Vec3> {
        let (s, c) = angle.sin_cos();
        mesh.vertices.iter().map(|&[x, y, z]| [c * x - s * y, s * x + c * y, z]).collect()
    };
    let model = ElementMatrices::<4>::new(&mesh, &partition, &matrices).unwrap();
    let v = vec![[0.0; 3]; mesh.vertex_count()];
    let energy_of = |model: &dyn ForceModel, x: &[Vec3]| {
        energy(model, state(&partition.vertices().apply(x), &v, 0.0))
    };
    // Linear elements see a turn by θ as a strain cos θ − 1: the energy grows with θ⁴.
    let (small, large) = (energy_of(&model, &turned(0.01)), energy_of(&model, &turned(0.1)));
    assert!(small > 0.0);
    assert!((large / small - 1e4).abs() < 100.0, "{}", large / small);
    let shifted: Vec<Vec3> = mesh.vertices.iter().map(|&x| add(x, [0.3, -1.0, 2.0])).collect();
    assert!(energy_of(&model, &shifted).abs() < 1e-13);
    let about = ElementMatrices::<4>::about(&mesh, &partition, &matrices, &turned(0.1)).unwrap();
    assert!(energy_of(&about, &turned(0.1)) == 0.0);
    assert!((energy_of(&about, &mesh.vertices) - large).abs() < 1e-13 * large);
}

#[test]
fn bad_matrices_are_refused_with_their_element() {
    let rest = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let cells = Cells::new(&[0, 1, 1, 2], 2, &rest);
    let partition = Partition::new(cells).unwrap();
    let mut good = vec![0.0; 72];
    for c in 0..2 {
        for (r, s, k) in [(0, 0, 1.0), (0, 3, -1.0), (3, 0, -1.0), (3, 3, 1.0)] {
            good[36 * c + 6 * r + s] = k;
        }
    }
    let make = |matrices: &[f64]| ElementMatrices::<2>::new(cells, &partition, matrices);
    assert!(make(&good).is_ok());
    let error = |change: &dyn Fn(&mut Vec<f64>)| {
        let mut bad = good.clone();
        change(&mut bad);
        make(&bad).unwrap_err().to_string()
    };
    let text = error(&|k| k[36 + 1] = 0.5);
    assert!(text.contains("element 1") && text.contains("symmetric"), "{text}");
    let text = error(&|k| k[36 + 7] = f64::NAN);
    assert!(text.contains("element 1: entry (1, 1)"), "{text}");
    let text = error(&|k| k[36] = 0.5);
    assert!(text.contains("element 1") && text.contains("semi-definite"), "{text}");
    // Nothing on the diagonal, but beside it.
    let text = error(&|k| (k[36 + 8], k[36 + 13]) = (0.1, 0.1));
    assert!(text.contains("element 1") && text.contains("semi-definite"), "{text}");
    let text = error(&|k| {
        k.pop();
    });
    assert!(text.contains("number of entries of element matrices = 71"), "{text}");
    let text = ElementMatrices::<3>::new(cells, &partition, &good).unwrap_err().to_string();
    assert!(text.contains("cells of 3 nodes") && text.contains("cells of 2 nodes"), "{text}");
}
