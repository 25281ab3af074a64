//! Damping: derivatives, dissipation, and what must not be damped.

use crate::checks;

use checks::{
    Random, Storage, add_all, check_derivatives, dense, difference, flat, gradient, mul, state,
};
use pliant_algebra::vec3::{Vec3, dot};
use pliant_forces::ForceModel;
use pliant_forces::damping::LinearDamping;
use pliant_forces::springs::{DampingTangent, Springs, Stiffness, mesh_springs};
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::volume::VolumeMesh;

fn block() -> VolumeMesh {
    let shape =
        BoxShape { cells: [2, 1, 1], jitter: 0.2, cell: CellChoice::Tet6, ..BoxShape::default() };
    shape.generate().unwrap()
}

fn springs(mesh: &VolumeMesh) -> Springs {
    let springs = mesh_springs(mesh, &Stiffness::VanGelder(vec![100.0])).unwrap();
    Springs::new(mesh.vertex_count(), &springs, DampingTangent::VelocityOnly).unwrap()
}

/// Mesh, moved positions, velocities, masses.
fn case() -> (VolumeMesh, Vec<Vec3>, Vec<Vec3>, Vec<f64>) {
    let mesh = block();
    let n = mesh.vertex_count();
    let mut random = Random(53);
    let x = add_all(&mesh.vertices, &random.vectors(n, 0.15), 1.0);
    let v = random.vectors(n, 1.0);
    let masses = (0..n).map(|i| 1.0 + 0.1 * i as f64).collect();
    (mesh, x, v, masses)
}

fn power(g: &[Vec3], v: &[Vec3]) -> f64 {
    g.iter().zip(v).map(|(g, v)| dot(*g, *v)).sum()
}

#[test]
fn a_damping_matrix_multiplies_velocities_whichever_way_it_is_given() {
    let mut random = Random(59);
    let mut entries = || [0; 9].map(|_| random.next());
    let diagonal = [2.0, 0.5, 0.1, 0.5, 3.0, -0.2, 0.1, -0.2, 1.0];
    let off = entries();
    let transposed = [0, 3, 6, 1, 4, 7, 2, 5, 8].map(|e| off[e]);
    let v = [[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0], [0.1, 0.2, 0.3]];
    let x = [[0.0; 3], [1.0; 3], [2.0; 3]];
    let upper = [(0, 0, diagonal), (1, 1, diagonal), (0, 1, off)];
    let lower = [(0, 0, diagonal), (1, 1, diagonal), (1, 0, transposed)];
    let full = [(0, 0, diagonal), (1, 1, diagonal), (0, 1, off), (1, 0, transposed)];
    let mut forces = Vec::new();
    for (blocks, symmetric) in [(&upper[..], true), (&lower[..], true), (&full[..], false)] {
        let mut model = LinearDamping::new(3, blocks, symmetric).unwrap();
        assert_eq!(model.character().symmetric, symmetric);
        check_derivatives(&mut model, &x, &v, 0.0, 1.0);
        forces.push(gradient(&model, state(&x, &v, 0.0)));
    }
    for other in &forces[1..] {
        assert!(difference(&flat(&forces[0]), &flat(other)) < 1e-14);
    }
    let g0: f64 = 2.0 + 1.0 + 0.3 - off[0] + 0.5 * off[1] + 2.0 * off[2];
    assert!((forces[0][0][0] - g0).abs() < 1e-14);
    // A matrix that really is unsymmetric.
    let mut skew = LinearDamping::new(3, &[(0, 1, entries()), (2, 0, entries())], false).unwrap();
    check_derivatives(&mut skew, &x, &v, 0.0, 1.0);
}

#[test]
fn rayleigh_damping_is_mass_plus_stiffness_and_dissipates() {
    let (mesh, x, v, masses) = case();
    let n = x.len();
    let mut model = springs(&mesh);
    let rest = state(&mesh.vertices, &v, 0.0);
    let k = dense(&mut model, rest, (1.0, 0.0), false, Storage::Upper).unwrap();
    let (alpha, beta) = (0.3, 0.02);
    let mut damping = LinearDamping::rayleigh(&masses, alpha, &mut model, &rest, beta).unwrap();
    check_derivatives(&mut damping, &x, &v, 0.0, 1.0);
    let g = gradient(&damping, state(&x, &v, 0.0));
    let kv = mul(&k, &flat(&v));
    for i in 0..3 * n {
        let exact = alpha * masses[i / 3] * v[i / 3][i % 3] + beta * kv[i];
        assert!((g[i / 3][i % 3] - exact).abs() < 1e-12);
    }
    assert!(power(&g, &v) > 0.0);
    let mut mass = LinearDamping::mass_proportional(&masses, alpha).unwrap();
    check_derivatives(&mut mass, &x, &v, 0.0, 1.0);
    let step = mass.stable_step(&rest, &masses);
    assert!((step - 2.0 / (3f64.sqrt() * alpha)).abs() < 1e-12, "α on three axes: {step}");
}

#[test]
fn bad_damping_is_refused_by_name() {
    let skew = [0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let error = LinearDamping::new(1, &[(0, 0, skew)], true).unwrap_err().to_string();
    assert!(error.contains("skew part = 2"), "{error}");
    assert!(LinearDamping::new(1, &[(0, 1, skew)], false).is_err());
    assert!(LinearDamping::mass_proportional(&[1.0], -1.0).is_err());
    assert!(LinearDamping::mass_proportional(&[-1.0], 1.0).is_err());
}
