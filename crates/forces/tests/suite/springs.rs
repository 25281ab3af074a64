//! Mass-springs: derivatives, frequencies, van Gelder's constants, threads.

use crate::checks;

use std::sync::Arc;

use checks::{
    Random, Storage, add_all, check_derivatives, dense, eigenvalues, energy, gradient, norm,
    own_matrix, resultant, state,
};
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{Vec3, cross, dot};
use pliant_forces::springs::{
    DampingTangent, QualityFit, Spring, Springs, Stiffness, damp_for_quality, lumped_masses,
    mesh_springs,
};
use pliant_forces::{Ask, ForceError, ForceModel, Slots, Workspace, finite_difference_check};
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::refine::to_quadratic;
use pliant_mesh::volume::VolumeMesh;

fn spring(a: u32, b: u32, rest: f64, stiffness: f64) -> Spring {
    Spring { ends: [a, b], rest, stiffness, damping: 0.0 }
}

fn network(n: usize, springs: &[Spring]) -> Springs {
    Springs::new(n, springs, DampingTangent::Exact).unwrap()
}

fn cube(cells: usize, cell: CellChoice) -> VolumeMesh {
    BoxShape { cells: [cells; 3], cell, ..BoxShape::default() }.generate().unwrap()
}

/// A network of nine vertices with parallel springs and one of no rest length.
fn tangle(damping: f64) -> (Vec<Spring>, Vec<Vec3>, Vec<Vec3>) {
    let mut random = Random(1);
    let mut springs = Vec::new();
    for a in 0..9 {
        for b in 0..a {
            let [rest, k, r] = [0; 3].map(|_| 1.5 + random.next());
            springs.push(Spring { damping: damping * r, ..spring(a, b, rest, k) });
        }
    }
    springs.push(Spring { damping, ..spring(2, 7, 0.0, 2.0) });
    springs.push(Spring { damping, ..spring(7, 2, 1.0, 2.0) });
    (springs, random.vectors(9, 1.0), random.vectors(9, 1.0))
}

#[test]
fn springs_match_finite_differences() {
    let (springs, x, v) = tangle(0.0);
    let mut model = network(9, &springs);
    assert!(model.character().symmetric && model.character().is_conservative());
    check_derivatives(&mut model, &x, &v, 0.0, 0.05);
}

#[test]
fn damped_springs_match_finite_differences_and_are_not_symmetric() {
    let (springs, x, v) = tangle(0.7);
    let mut model = network(9, &springs);
    assert!(!model.character().symmetric && !model.character().is_conservative());
    check_derivatives(&mut model, &x, &v, 0.0, 0.05);
    let k = dense(&mut model, state(&x, &v, 0.0), (1.0, 0.0), false, Storage::Full).unwrap();
    let skew = (0..27).flat_map(|i| (0..27).map(move |j| (i, j)));
    assert!(skew.map(|(i, j)| (k[i][j] - k[j][i]).abs()).fold(0.0, f64::max) > 0.1);
}

#[test]
fn velocity_only_tangent_is_symmetric_and_keeps_the_velocity_part() {
    let (springs, x, v) = tangle(0.7);
    let mut exact = network(9, &springs);
    let mut simple = Springs::new(9, &springs, DampingTangent::VelocityOnly).unwrap();
    assert!(simple.character().symmetric);
    let s = || state(&x, &v, 0.0);
    let of = |m: &mut Springs, w, storage| dense(m, s(), w, false, storage).unwrap();
    let velocity = of(&mut exact, (0.0, 1.0), Storage::Full);
    for storage in [Storage::Full, Storage::Upper] {
        assert_eq!(velocity, of(&mut simple, (0.0, 1.0), storage));
    }
    let mut undamped = network(9, &tangle(0.0).0);
    let position = of(&mut undamped, (1.0, 0.0), Storage::Upper);
    for (a, b) in position.iter().zip(of(&mut simple, (1.0, 0.0), Storage::Upper)) {
        assert!(checks::difference(a, &b) < 1e-13);
    }
}

#[test]
fn internal_springs_have_neither_total_force_nor_moment() {
    let (springs, x, v) = tangle(0.7);
    let g = gradient(&network(9, &springs), state(&x, &v, 0.0));
    assert!(g.iter().all(|g| dot(*g, *g) > 1e-3));
    let (force, moment) = resultant(&x, &g);
    assert!(dot(force, force).sqrt() < 1e-13 && dot(moment, moment).sqrt() < 1e-13);
}

#[test]
fn edge_damping_dissipates_and_rigid_motion_feels_none() {
    let (springs, x, v) = tangle(0.7);
    let mut damped = network(9, &springs);
    let mut undamped = network(9, &tangle(0.0).0);
    let damping = |d: &mut Springs, u: &mut Springs, v: &[Vec3]| {
        let (a, b) = (gradient(d, state(&x, v, 0.0)), gradient(u, state(&x, v, 0.0)));
        add_all(&a, &b, -1.0)
    };
    let force = damping(&mut damped, &mut undamped, &v);
    let power: f64 = force.iter().zip(&v).map(|(f, v)| dot(*f, *v)).sum();
    assert!(power > 0.1);
    let rigid: Vec<Vec3> = x
        .iter()
        .map(|&x| pliant_algebra::vec3::add([1.0, 2.0, 3.0], cross([0.3, -2.0, 0.7], x)))
        .collect();
    let force = damping(&mut damped, &mut undamped, &rigid);
    assert!(norm(force.as_flattened()) < 1e-13);
}

#[test]
fn projection_gives_a_positive_matrix_and_leaves_stretched_springs_alone() {
    let (springs, x, v) = tangle(0.7);
    let mut model = network(9, &springs);
    let s = || state(&x, &v, 0.0);
    let lowest = |k: Vec<Vec<f64>>| eigenvalues(k)[0];
    let mut bare = network(9, &tangle(0.0).0);
    let plain = dense(&mut bare, s(), (1.0, 0.0), false, Storage::Upper).unwrap();
    assert!(lowest(plain) < -0.1);
    let projected = dense(&mut model, s(), (1.0, 0.0), true, Storage::Full).unwrap();
    assert!(lowest(projected) > -1e-12);
    // Alone, each spring is projected exactly: eigenvalues 2k along, 2k max(1 − l₀/l, 0) across.
    for (rest, across) in [(0.5, 0.75), (2.0, 0.0), (8.0, 0.0)] {
        let mut one = network(2, &[spring(0, 1, rest, 3.0)]);
        let x = [[0.0; 3], [0.0, 2.0, 0.0]];
        let k = dense(&mut one, state(&x, &x, 0.0), (1.0, 0.0), true, Storage::Upper).unwrap();
        let values = eigenvalues(k);
        for (value, exact) in values.iter().zip([0.0, 0.0, 0.0, across, across, 1.0]) {
            assert!((value - 6.0 * exact).abs() < 1e-12, "{values:?}");
        }
    }
}

#[test]
fn triangle_of_three_masses_has_its_known_frequencies() {
    let (k, m): (f64, f64) = (50.0, 2.0);
    let x = [[0.0; 3], [1.0, 0.0, 0.0], [0.5, 0.75f64.sqrt(), 0.0]];
    let mut model = network(3, &[spring(0, 1, 1.0, k), spring(1, 2, 1.0, k), spring(2, 0, 1.0, k)]);
    let full = dense(&mut model, state(&x, &x, 0.0), (1.0, 0.0), false, Storage::Upper).unwrap();
    // In the plane: drop z.
    let keep: Vec<usize> = (0..9).filter(|i| i % 3 != 2).collect();
    let plane = keep.iter().map(|&i| keep.iter().map(|&j| full[i][j] / m).collect()).collect();
    let squares = eigenvalues(plane);
    let exact = [0.0, 0.0, 0.0, 1.5 * k / m, 1.5 * k / m, 3.0 * k / m];
    for (a, b) in squares.iter().zip(exact) {
        assert!((a - b).abs() < 1e-12 * k, "{squares:?}");
    }
}

#[test]
fn fixed_chain_of_three_has_its_known_frequencies() {
    let (k, m): (f64, f64) = (7.0, 0.3);
    let x: Vec<Vec3> = (0..5).map(|i| [f64::from(i), 0.0, 0.0]).collect();
    let springs: Vec<Spring> = (0..4).map(|i| spring(i, i + 1, 1.0, k)).collect();
    let full =
        dense(&mut network(5, &springs), state(&x, &x, 0.0), (1.0, 0.0), false, Storage::Upper);
    let full = full.unwrap();
    let along = [3, 6, 9].map(|i| [3, 6, 9].map(|j| full[i][j] / m).to_vec()).to_vec();
    for (n, square) in (1..).zip(eigenvalues(along)) {
        let exact = 2.0 * (k / m).sqrt() * (f64::from(n) * std::f64::consts::PI / 8.0).sin();
        assert!((square.sqrt() - exact).abs() < 1e-12, "{n}");
    }
}

/// Pulls a cube along x with free sides; (Young's modulus, Poisson's ratio) as measured.
fn tension(mesh: &VolumeMesh, young: f64) -> (f64, f64) {
    let springs = mesh_springs(mesh, &Stiffness::VanGelder(vec![young])).unwrap();
    let x = &mesh.vertices;
    let mut model = network(x.len(), &springs);
    let k = dense(&mut model, state(x, x, 0.0), (1.0, 0.0), false, Storage::Upper).unwrap();
    // Rollers at x, y, z = 0; u_x = 1 at x = 1 (linear: any size).
    let n = 3 * x.len();
    let pulled = |i: usize| i.is_multiple_of(3) && x[i / 3][0] == 1.0;
    let fixed = |i: usize| x[i / 3][i % 3] == 0.0 || pulled(i);
    let free: Vec<usize> = (0..n).filter(|&i| !fixed(i)).collect();
    let pulled: Vec<usize> = (0..n).filter(|&i| pulled(i)).collect();
    let matrix: Vec<Vec<f64>> =
        free.iter().map(|&i| free.iter().map(|&j| k[i][j]).collect()).collect();
    let rhs: Vec<f64> =
        free.iter().map(|&i| -pulled.iter().map(|&j| k[i][j]).sum::<f64>()).collect();
    let mut u = vec![0.0; n];
    for &i in &pulled {
        u[i] = 1.0;
    }
    for (&i, value) in free.iter().zip(cholesky_solve(matrix, rhs)) {
        u[i] = value;
    }
    let force: f64 = pulled.iter().map(|&i| checks::mul(&k[i..=i], &u)[0]).sum();
    let sides: Vec<f64> =
        (0..n).filter(|&i| i % 3 != 0 && x[i / 3][i % 3] == 1.0).map(|i| -u[i]).collect();
    (force, sides.iter().sum::<f64>() / sides.len() as f64)
}

fn cholesky_solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for j in 0..n {
        for k in 0..j {
            let factor = a[j][k];
            for i in j..n {
                a[i][j] -= a[i][k] * factor;
            }
        }
        let pivot = a[j][j].sqrt();
        assert!(pivot > 1e-9, "a mechanism at {j}");
        for row in &mut a[j..] {
            row[j] /= pivot;
        }
    }
    for i in 0..n {
        b[i] = (b[i] - (0..i).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - (i + 1..n).map(|k| a[k][i] * b[k]).sum::<f64>()) / a[i][i];
    }
    b
}

#[test]
fn van_gelder_springs_on_cubes_have_youngs_modulus_and_a_quarter_as_poissons_ratio() {
    for cells in [1, 3] {
        let (young, poisson) = tension(&cube(cells, CellChoice::Hex), 2500.0);
        assert!((young / 2500.0 - 1.0).abs() < 1e-12, "{young}");
        assert!((poisson - 0.25).abs() < 1e-12, "{poisson}");
    }
}

#[test]
fn van_gelder_springs_on_tetrahedra_come_near_youngs_modulus() {
    // If all vertices followed the mean strain, five tetrahedra a cube would give C₁₁ = 4/3 E and
    // C₁₂ = E/3, so 6/5 of E; six, with their one body diagonal, 1.355. They relax below that.
    for (cell, measured, affine) in
        [(CellChoice::Tet5, 1.1907, 1.2), (CellChoice::Tet6, 1.1943, 1.355)]
    {
        let ratio = tension(&cube(4, cell), 2500.0).0 / 2500.0;
        assert!((ratio - measured).abs() < 1e-4 && ratio < affine, "{cell}: {ratio}");
    }
}

#[test]
fn van_gelder_constant_is_modulus_times_volume_over_squared_length() {
    let x = vec![[0.0; 3], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, -1.0]];
    let cells = vec![0, 1, 2, 3, 0, 2, 1, 4];
    let mesh = VolumeMesh::new(pliant_mesh::cell::CellType::Tet4, x, cells);
    // Volumes 1 and 1/3; edge 01 belongs to both, edge 03 to the first.
    let springs = mesh_springs(&mesh, &Stiffness::VanGelder(vec![30.0, 60.0])).unwrap();
    assert_eq!(springs.len(), 9);
    let k = |a, b| springs.iter().find(|s| s.ends == [a, b]).unwrap().stiffness;
    assert!((k(0, 1) - (30.0 + 20.0) / 4.0).abs() < 1e-13);
    assert!((k(0, 3) - 30.0 / 9.0).abs() < 1e-13);
    let axial = mesh_springs(&mesh, &Stiffness::Axial(6.0)).unwrap();
    assert_eq!(axial[0].stiffness, 3.0);
    let masses = lumped_masses(&mesh, &[4.0, 12.0]).unwrap();
    assert_eq!(masses.iter().sum::<f64>(), 8.0);
    assert_eq!((masses[3], masses[4]), (1.0, 1.0));
}

#[test]
fn hexahedra_have_edges_face_and_body_diagonals() {
    let springs = mesh_springs(&cube(1, CellChoice::Hex), &Stiffness::Uniform(1.0)).unwrap();
    let count = |l: f64| springs.iter().filter(|s| (s.rest - l).abs() < 1e-12).count();
    assert_eq!([count(1.0), count(2f64.sqrt()), count(3f64.sqrt())], [12, 12, 4]);
    // Two cubes share a face with its edges and diagonals.
    let two = BoxShape { cells: [2, 1, 1], cell: CellChoice::Hex, ..BoxShape::default() };
    let springs = mesh_springs(&two.generate().unwrap(), &Stiffness::Uniform(1.0)).unwrap();
    assert_eq!(springs.len(), 2 * 28 - 6);
}

#[test]
fn fitted_damping_gives_the_quality_asked_for() {
    let (k, m): (f64, f64) = (90.0, 0.4);
    for q in [0.1, 0.25, 1.0, 30.0, 1e9] {
        let r = QualityFit::Eigenfrequency.damping(k, m, q);
        assert!((k / ((k / m).sqrt() * r) / q - 1.0).abs() < 1e-14);
        let r = QualityFit::AsPrinted.damping(k, m, q);
        let omega = (k / m + (r / (2.0 * m)).powi(2)).sqrt();
        assert!((k / (omega * r) / q - 1.0).abs() < 1e-13, "{q}");
        if q < 100.0 {
            let root = 2.0 * k * m * q * (q * q + 1.0).sqrt() - 2.0 * k * m * q * q;
            assert!((r / (root.sqrt() / q) - 1.0).abs() < 1e-12);
        }
    }
    let mut springs = [spring(0, 1, 1.0, 8.0)];
    damp_for_quality(&mut springs, &[1.0, 1.0], 2.0, QualityFit::default()).unwrap();
    assert_eq!(springs[0].damping, 1.0);
}

#[test]
fn coincident_ends_and_overlong_springs_give_no_nan() {
    let springs = [
        Spring { damping: 1.0, ..spring(0, 1, 1.0, 3.0) },
        Spring { damping: 1.0, ..spring(1, 2, 0.0, 3.0) },
    ];
    let mut model = network(3, &springs);
    for x in [[[0.0; 3]; 3], [[0.0; 3], [1e-200, 0.0, 0.0], [1e-13, 0.0, 0.0]]] {
        let v = [[1.0, 0.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0]];
        let g = gradient(&model, state(&x, &v, 0.0));
        assert!(g.as_flattened().iter().all(|g| g.is_finite()));
        let k = dense(&mut model, state(&x, &v, 0.0), (1.0, 1.0), true, Storage::Full).unwrap();
        assert!(k.iter().flatten().all(|k| k.is_finite()));
        assert!((energy(&model, state(&x, &v, 0.0)) - 1.5).abs() < 1e-12);
    }
    // The documented limit: no force, and k I.
    let mut one = network(2, &[spring(0, 1, 1.0, 3.0)]);
    let x = [[0.5; 3]; 2];
    assert_eq!(gradient(&one, state(&x, &x, 0.0)), [[0.0; 3]; 2]);
    let k = dense(&mut one, state(&x, &x, 0.0), (1.0, 0.0), false, Storage::Upper).unwrap();
    for i in 0..6 {
        for j in 0..6 {
            let exact = if i == j {
                3.0
            } else if i % 3 == j % 3 {
                -3.0
            } else {
                0.0
            };
            assert_eq!(k[i][j], exact);
        }
    }
}

#[test]
fn bad_springs_are_refused_by_number() {
    let message = |s: Spring| Springs::new(3, &[s], DampingTangent::Exact).unwrap_err().to_string();
    assert!(message(spring(0, 3, 1.0, 1.0)).starts_with("spring 0: vertex = 3"));
    assert!(message(spring(1, 1, 1.0, 1.0)).starts_with("spring 0: both ends at vertex = 1"));
    assert!(message(spring(0, 1, -1.0, 1.0)).starts_with("spring 0: rest length = -1"));
    assert!(message(spring(0, 1, 1.0, f64::NAN)).starts_with("spring 0: stiffness = NaN"));
    let tets = cube(1, CellChoice::Tet5);
    let message = |s: &Stiffness| mesh_springs(&tets, s).unwrap_err().to_string();
    assert!(message(&Stiffness::VanGelder(vec![-1.0])).contains("moduli: number 0 = -1"));
    assert!(message(&Stiffness::VanGelder(vec![1.0; 2])).contains("= 2: 5 are needed"));
    assert!(message(&Stiffness::VanGelder(vec![])).contains("= 0"));
    assert!(lumped_masses(&tets, &[0.0]).is_err());
    let quadratic = to_quadratic(&tets).unwrap();
    assert!(mesh_springs(&quadratic, &Stiffness::Uniform(1.0)).is_err());
    let model = network(2, &[spring(0, 1, 1.0, 1.0)]);
    let bad = [[0.0; 3], [f64::NAN, 0.0, 0.0]];
    let error = model
        .evaluate(&state(&bad, &bad, 0.0), &mut Ask::default(), &mut Workspace::new())
        .unwrap_err();
    assert!(error.to_string().starts_with("vertex 1 is at"), "{error}");
    let mut values = [[0.0; 9]; 3];
    let mut ask = Ask { tangent: Some(&mut values), ..Ask::default() };
    let x = [[0.0; 3]; 2];
    assert!(
        model
            .evaluate(&state(&x, &x, 0.0), &mut ask, &mut Workspace::new())
            .unwrap_err()
            .to_string()
            .contains("bound")
    );
}

#[test]
fn largest_step_is_safe_and_not_far_too_small() {
    let mesh = cube(2, CellChoice::Tet6);
    let springs = mesh_springs(&mesh, &Stiffness::VanGelder(vec![1000.0])).unwrap();
    let masses = lumped_masses(&mesh, &[100.0]).unwrap();
    let x = &mesh.vertices;
    let mut model = network(x.len(), &springs);
    let mut k = dense(&mut model, state(x, x, 0.0), (1.0, 0.0), false, Storage::Upper).unwrap();
    for (i, row) in k.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry /= (masses[i / 3] * masses[j / 3]).sqrt();
        }
    }
    let exact = 2.0 / eigenvalues(k).last().unwrap().sqrt();
    let step = model.stable_step(&state(x, x, 0.0), &masses);
    assert!(step <= exact && step > 0.5 * exact, "{step} of {exact}");
}

/// All results as bits, at a number of threads.
fn bits(mesh: &VolumeMesh, springs: &[Spring], storage: Storage, threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let n = mesh.vertex_count();
    let mut random = Random(5);
    let x = add_all(&mesh.vertices, &random.vectors(n, 0.02), 1.0);
    let v = random.vectors(n, 1.0);
    let mut model = network(n, springs);
    let mut matrix = own_matrix(&model, n, storage);
    model.bind(&Slots::new(matrix.pattern(), 0, "springs")).unwrap();
    let (mut e, mut g) = (0.0, vec![[0.0; 3]; n]);
    let mut ask = Ask {
        energy: Some(&mut e),
        gradient: Some(&mut g),
        tangent: Some(&mut matrix.values),
        position_weight: 1.0,
        velocity_weight: 0.5,
        ..Ask::default()
    };
    pool.install(|| model.evaluate(&state(&x, &v, 0.0), &mut ask, &mut Workspace::new())).unwrap();
    let all = g.as_flattened().iter().chain(matrix.values.as_flattened()).chain([&e]);
    all.map(|x| x.to_bits()).collect()
}

#[test]
fn one_two_three_and_seven_threads_give_the_same_bits() {
    let mesh = cube(13, CellChoice::Tet5);
    assert!(mesh.vertex_count() > 2500);
    let mut springs = mesh_springs(&mesh, &Stiffness::VanGelder(vec![1000.0])).unwrap();
    for storage in [Storage::Upper, Storage::Full] {
        let one = bits(&mesh, &springs, storage, 1);
        for threads in [2, 3, 7] {
            assert!(one == bits(&mesh, &springs, storage, threads), "{storage:?} {threads}");
        }
    }
    for spring in &mut springs {
        spring.damping = 0.01 * spring.stiffness;
    }
    assert!(bits(&mesh, &springs, Storage::Full, 1) == bits(&mesh, &springs, Storage::Full, 3));
}

/// Several parts of the network have springs for each other, and the numbering is not a kind one.
#[test]
fn large_networks_match_finite_differences_too() {
    let mesh = cube(13, CellChoice::Tet5);
    let n = mesh.vertex_count();
    let mut random = Random(71);
    let x = add_all(&mesh.vertices, &random.vectors(n, 0.01), 1.0);
    let (v, d) = (random.vectors(n, 1.0), random.vectors(n, 1.0));
    let mut springs = mesh_springs(&mesh, &Stiffness::VanGelder(vec![1000.0])).unwrap();
    for damping in [0.0, 0.01] {
        for spring in &mut springs {
            spring.damping = damping * spring.stiffness;
        }
        let mut model = network(n, &springs);
        assert_eq!(model.character().symmetric, damping == 0.0);
        let s = state(&x, &v, 0.0);
        let report = finite_difference_check(&mut model, &s, &d, &[1e-4, 1e-5, 1e-6]).unwrap();
        assert!(report.best_tangent() < 1e-8, "{report:?}");
        assert!(report.best_gradient().is_none_or(|e| e < 1e-8), "{report:?}");
    }
}

#[test]
fn a_larger_system_with_further_blocks_between_gets_the_same_matrix() {
    let (springs, x, v) = tangle(0.0);
    // A chain of the nine: most pairs of vertices are not coupled.
    let chain: Vec<Spring> =
        springs.into_iter().filter(|s| s.ends[0].abs_diff(s.ends[1]) == 1).collect();
    let mut model = network(9, &chain);
    let at = state(&x, &v, 0.0);
    for storage in [Storage::Upper, Storage::Full] {
        let alone = dense(&mut model, at, (1.0, 0.0), false, storage).unwrap();
        // Vertex 0 of the model is vertex 3 of the system, in which everything is coupled.
        let all = |couple: &mut dyn FnMut(u32, u32)| {
            (0..14).for_each(|i| (0..14).for_each(|j| couple(i, j)));
        };
        let pattern = match storage {
            Storage::Upper => Pattern::symmetric(14, all),
            Storage::Full => Pattern::unsymmetric(14, all),
        };
        let mut matrix = BlockMatrix::zero(Arc::new(pattern.unwrap()));
        model.bind(&Slots::new(matrix.pattern(), 3, "springs")).unwrap();
        let mut ask =
            Ask { tangent: Some(&mut matrix.values), position_weight: 1.0, ..Ask::default() };
        model.evaluate(&at, &mut ask, &mut Workspace::new()).unwrap();
        let found = matrix.to_dense();
        let inside = |i: usize| (9..36).contains(&i);
        for i in 0..42 {
            for j in 0..42 {
                let both = inside(i) && inside(j);
                let expected = if both { alone[i - 9][j - 9] } else { 0.0 };
                assert_eq!(found[42 * i + j], expected, "{storage:?}: {i}, {j}");
            }
        }
    }
}

#[test]
fn a_pattern_without_a_block_of_the_springs_is_an_error_that_names_it() {
    let mut model = network(3, &[spring(0, 1, 1.0, 1.0), spring(1, 2, 1.0, 1.0)]);
    let pattern = Pattern::symmetric(3, |couple| couple(0, 1)).unwrap();
    let error = model.bind(&Slots::new(&pattern, 0, "two springs")).unwrap_err();
    let (row, column) = (1, 2);
    assert_eq!(error, ForceError::Undeclared { model: "two springs".into(), row, column });
}
