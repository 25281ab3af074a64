//! Membranes: derivatives, invariance, the patch test, and what they weigh.

use crate::checks;

use checks::{Random, Storage, dense, energy, gradient, state};
use nalgebra::{DMatrix, DVector};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, norm, sub};
use pliant_elements::{Tri3, Tri6};
use pliant_forces::{
    Cells, ForceModel, Membrane, Parameters, Partition, finite_difference_check, mass,
};

const YOUNG: f64 = 2.0;
const POISSON: f64 = 0.3;
const THICKNESS: f64 = 0.01;
const STUFF: Parameters<'static> = Parameters::Uniform(&[YOUNG, POISSON, THICKNESS]);

/// A turn that leaves no axis in its place.
fn turn() -> Mat3<f64> {
    let (a, b) = (0.7_f64, 1.9_f64);
    let about_z = [[a.cos(), -a.sin(), 0.0], [a.sin(), a.cos(), 0.0], [0.0, 0.0, 1.0]];
    let about_x = [[1.0, 0.0, 0.0], [0.0, b.cos(), -b.sin()], [0.0, b.sin(), b.cos()]];
    Mat3(about_z) * Mat3(about_x)
}

/// The unit square in irregular triangles, in its own plane.
fn square(n: usize) -> (Vec<Vec3>, Vec<u32>) {
    let mut random = Random(7);
    let mut rest = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let inner = i > 0 && i < n && j > 0 && j < n;
            let shake = if inner { 0.25 / n as f64 } else { 0.0 };
            rest.push([
                i as f64 / n as f64 + shake * random.next(),
                j as f64 / n as f64 + shake * random.next(),
                0.0,
            ]);
        }
    }
    let mut nodes = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            nodes.extend(if (i + j) % 2 == 0 { [a, b, c, a, c, d] } else { [a, b, d, b, c, d] });
        }
    }
    (rest, nodes)
}

/// The same in the plane that `turn` makes of it.
fn tilted(n: usize) -> (Vec<Vec3>, Vec<u32>) {
    let (rest, nodes) = square(n);
    (rest.iter().map(|&x| turn().mul_vec(x)).collect(), nodes)
}

fn membrane(rest: &[Vec3], nodes: &[u32], chunk: usize) -> (Membrane<Tri3, 3>, Partition) {
    let cells = Cells::new(nodes, 3, rest);
    let partition = Partition::with_chunk_size(cells, chunk).unwrap();
    (Membrane::new(cells, &partition, Tri3, STUFF).unwrap(), partition)
}

#[test]
fn forces_and_stiffness_are_derivatives_of_the_energy() {
    let (rest, nodes) = tilted(3);
    let (mut model, partition) = membrane(&rest, &nodes, 5);
    let mut random = Random(3);
    let x: Vec<Vec3> = partition
        .vertices()
        .apply(&rest)
        .iter()
        .map(|&p| add(p, [0; 3].map(|_| 0.1 * random.next())))
        .collect();
    let v = vec![[0.0; 3]; x.len()];
    let direction = random.vectors(x.len(), 1.0);
    let steps = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
    let report =
        finite_difference_check(&mut model, &state(&x, &v, 0.0), &direction, &steps).unwrap();
    assert!(report.best_gradient().unwrap() < 1e-9, "{report:?}");
    assert!(report.best_tangent() < 1e-9, "{report:?}");
    // Errors of central differences fall with the square of the step.
    let ratio = report.steps[0].tangent / report.steps[1].tangent;
    assert!((ratio - 100.0).abs() < 5.0, "{ratio}");
}

#[test]
fn quadratic_triangles_have_consistent_derivatives_too() {
    let mut rest =
        vec![[0.0; 3], [1.0, 0.0, 0.1], [0.2, 1.1, 0.0], [0.5, -0.05, 0.1], [0.6, 0.6, 0.1]];
    rest.push([0.1, 0.5, -0.05]);
    let nodes: Vec<u32> = (0..6).collect();
    let cells = Cells::new(&nodes, 6, &rest);
    let partition = Partition::new(cells).unwrap();
    let mut model = Membrane::new(cells, &partition, Tri6, STUFF).unwrap();
    let mut random = Random(5);
    let x: Vec<Vec3> = partition
        .vertices()
        .apply(&rest)
        .iter()
        .map(|&p| add(p, [0; 3].map(|_| 0.05 * random.next())))
        .collect();
    let direction = random.vectors(6, 1.0);
    let v = vec![[0.0; 3]; 6];
    let steps = [1e-3, 1e-4, 1e-5, 1e-6];
    let report =
        finite_difference_check(&mut model, &state(&x, &v, 0.0), &direction, &steps).unwrap();
    assert!(report.best_gradient().unwrap() < 1e-9, "{report:?}");
    assert!(report.best_tangent() < 1e-9, "{report:?}");
    let at_rest = partition.vertices().apply(&rest);
    assert!(energy(&model, state(&at_rest, &v, 0.0)).abs() < 1e-20);
}

#[test]
fn energy_does_not_change_with_rotation_and_forces_turn_along() {
    let (rest, nodes) = tilted(4);
    let (model, partition) = membrane(&rest, &nodes, 9);
    let mut random = Random(11);
    let x: Vec<Vec3> = partition
        .vertices()
        .apply(&rest)
        .iter()
        .map(|&p| add(p, [0; 3].map(|_| 0.1 * random.next())))
        .collect();
    let v = vec![[0.0; 3]; x.len()];
    let r = turn();
    let turned: Vec<Vec3> = x.iter().map(|&p| add(r.mul_vec(p), [3.0, -1.0, 2.0])).collect();
    let (before, after) = (state(&x, &v, 0.0), state(&turned, &v, 0.0));
    let e = energy(&model, before);
    assert!((energy(&model, after) - e).abs() < 1e-13 * e);
    let (g, h) = (gradient(&model, before), gradient(&model, after));
    let size = g.iter().map(|&g| norm(g)).fold(0.0, f64::max);
    for (&g, &h) in g.iter().zip(&h) {
        assert!(norm(sub(r.mul_vec(g), h)) < 1e-13 * size);
    }
}

/// F of the patch test in the plane of the square: stretched both ways, and sheared.
const PATCH: [[f64; 2]; 2] = [[1.2, 0.1], [0.05, 1.1]];

#[test]
fn flat_membrane_passes_the_patch_test() {
    let n = 4;
    let (plane, nodes) = square(n);
    let (rest, _) = tilted(n);
    let (mut model, partition) = membrane(&rest, &nodes, 7);
    let linear = |[a, b, _]: Vec3| {
        let [p, q] = PATCH;
        turn().mul_vec([p[0] * a + p[1] * b, q[0] * a + q[1] * b, 0.3])
    };
    let exact = partition.vertices().apply(&plane.iter().map(|&x| linear(x)).collect::<Vec<_>>());
    let new = partition.vertices().old_to_new();
    let inner: Vec<usize> = (1..n)
        .flat_map(|j| (1..n).map(move |i| j * (n + 1) + i))
        .map(|v| new[v] as usize)
        .collect();
    // Inner vertices start off their places, out of the plane as well.
    let mut random = Random(2);
    let mut x = exact.clone();
    for &v in &inner {
        x[v] = add(x[v], [0; 3].map(|_| 0.02 * random.next()));
    }
    let v = vec![[0.0; 3]; x.len()];
    for _ in 0..12 {
        let at = state(&x, &v, 0.0);
        let g = gradient(&model, at);
        let k = dense(&mut model, at, (1.0, 0.0), false, Storage::Upper).unwrap();
        let of = |r: usize| 3 * inner[r / 3] + r % 3;
        let size = 3 * inner.len();
        let matrix = DMatrix::from_fn(size, size, |r, c| k[of(r)][of(c)]);
        let side = DVector::from_fn(size, |r, _| -g[of(r) / 3][of(r) % 3]);
        let step = matrix.lu().solve(&side).unwrap();
        for r in 0..size {
            x[of(r) / 3][of(r) % 3] += step[r];
        }
    }
    for (&found, &expected) in x.iter().zip(&exact) {
        assert!(norm(sub(found, expected)) < 1e-12, "{found:?} {expected:?}");
    }
    // The tension h S of the closed form, in the axes of the square, carried to its plane.
    let f = PATCH;
    let green = |i: usize, j: usize| {
        let product: f64 = (0..2).map(|k| f[k][i] * f[k][j]).sum();
        0.5 * (product - f64::from(u8::from(i == j)))
    };
    let lambda = YOUNG * POISSON / (1.0 - POISSON * POISSON);
    let mu = YOUNG / (2.0 * (1.0 + POISSON));
    let trace = green(0, 0) + green(1, 1);
    let mut flat = Mat3::<f64>::zero();
    for i in 0..2 {
        for j in 0..2 {
            let spherical = if i == j { lambda * trace } else { 0.0 };
            flat.0[i][j] = THICKNESS * (spherical + 2.0 * mu * green(i, j));
        }
    }
    let expected = turn() * flat.mul_transpose(&turn());
    let all = model.tensions(&x).unwrap();
    assert_eq!(all.len(), nodes.len() / 3);
    for (cell, tension) in all {
        assert!((tension - expected).max_abs() < 1e-12 * expected.max_abs(), "{cell}: {tension:?}");
    }
    // And the energy: area times its density.
    let square = |i, j| green(i, j) * green(i, j);
    let density = 0.5 * lambda * trace * trace
        + mu * (square(0, 0) + square(1, 1) + square(0, 1) + square(1, 0));
    let e = energy(&model, state(&x, &v, 0.0));
    assert!((e - THICKNESS * density).abs() < 1e-12 * e, "{e}");
}

#[test]
fn projected_stiffness_is_semi_definite_and_the_same_in_tension() {
    let (rest, nodes) = tilted(2);
    let (mut model, partition) = membrane(&rest, &nodes, 100);
    let rest = partition.vertices().apply(&rest);
    let v = vec![[0.0; 3]; rest.len()];
    let mut scaled = |s: f64, project: bool| {
        let x: Vec<Vec3> = rest.iter().map(|p| p.map(|c| s * c)).collect();
        let k = dense(&mut model, state(&x, &v, 0.0), (1.0, 0.0), project, Storage::Full).unwrap();
        DMatrix::from_fn(k.len(), k.len(), |r, c| k[r][c])
    };
    let least = |k: DMatrix<f64>| k.symmetric_eigenvalues().min();
    let size = scaled(1.0, false).norm();
    assert!(least(scaled(0.8, false)) < -1e-2 * size, "compressed membranes buckle");
    assert!(least(scaled(0.8, true)) > -1e-13 * size);
    assert!((scaled(1.2, true) - scaled(1.2, false)).norm() < 1e-13 * size);
}

#[test]
fn bits_do_not_depend_on_threads_and_weight_is_area_times_density() {
    let (rest, nodes) = tilted(9);
    let (model, partition) = membrane(&rest, &nodes, 20);
    assert!(partition.chunks() > 3);
    let mut random = Random(4);
    let x: Vec<Vec3> = partition
        .vertices()
        .apply(&rest)
        .iter()
        .map(|&p| add(p, [0; 3].map(|_| 0.02 * random.next())))
        .collect();
    let v = vec![[0.0; 3]; x.len()];
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let at = state(&x, &v, 0.0);
            let e = energy(&model, at).to_bits();
            let g = gradient(&model, at).as_flattened().iter().map(|g| g.to_bits()).collect();
            (e, g)
        })
    };
    let one: (u64, Vec<u64>) = bits(1);
    for threads in [2, 3, 7] {
        assert!(bits(threads) == one, "{threads} threads");
    }
    let cells = Cells::new(&nodes, 3, &rest);
    let masses = mass::lumped(cells, &partition, Tri3, &|_| 1200.0 * THICKNESS).unwrap();
    assert!((masses.iter().sum::<f64>() - 12.0).abs() < 1e-12);
    let step = model.stable_step(&state(&x, &v, 0.0), &masses);
    let heavy: Vec<f64> = masses.iter().map(|m| 4.0 * m).collect();
    let longer = model.stable_step(&state(&x, &v, 0.0), &heavy);
    assert!(step > 0.0 && (longer / step - 2.0).abs() < 1e-12, "{step} {longer}");
}

#[test]
fn bad_cells_and_constants_are_refused_by_name() {
    let (rest, nodes) = square(1);
    let cells = Cells::new(&nodes, 3, &rest);
    let partition = Partition::new(cells).unwrap();
    let error = |constants: [f64; 3]| {
        let error = Membrane::new(cells, &partition, Tri3, Parameters::Uniform(&constants));
        error.unwrap_err().to_string()
    };
    assert!(error([-1.0, 0.3, 0.1]).contains("young of element"), "{}", error([-1.0, 0.3, 0.1]));
    assert!(error([1.0, 1.0, 0.1]).contains("poisson of element"));
    assert!(error([1.0, 0.3, 0.0]).contains("thickness of element"));
    let line = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let flat = Cells::new(&[0, 1, 2], 3, &line);
    let partition = Partition::new(flat).unwrap();
    let text = Membrane::new(flat, &partition, Tri3, STUFF).unwrap_err().to_string();
    assert!(text.contains("element 0 is inverted or flat"), "{text}");
    let text = Partition::new(Cells::new(&[0, 1, 9], 3, &line)).unwrap_err().to_string();
    assert!(text.contains("element 0 names vertex 9"), "{text}");
    let text = Partition::new(Cells::new(&[0, 1], 3, &line)).unwrap_err().to_string();
    assert!(text.contains("2 node indices do not make whole cells of 3 nodes"), "{text}");
}
