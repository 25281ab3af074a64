//! Constraints on an existing factor give what eliminating the unknowns gives.

use crate::direct_common;

use direct_common::{elasticity, random, random_vector, tetrahedra};
use pliant_algebra::vec3::{self, Vec3};
use pliant_solvers::direct::{ConstrainedDirect, Constraint};
use pliant_solvers::ordering::OrderingName;

/// Eliminates the constrained unknowns: x = x₀ + Z y with Z spanning what is free, Zᵀ A Z y = Zᵀ (b − A x₀).
fn eliminated(a: &[f64], b: &[Vec3], constraints: &[Constraint]) -> Vec<Vec3> {
    let n = 3 * b.len();
    // At each vertex an orthonormal frame whose first axes span the constrained directions.
    let mut x0 = vec![0.0; n];
    let mut free: Vec<Vec<f64>> = Vec::new();
    for v in 0..b.len() {
        let mut taken: Vec<Vec3> = Vec::new();
        let mut values: Vec<f64> = Vec::new();
        for c in constraints.iter().filter(|c| c.vertex as usize == v) {
            let (mut d, mut value) = (c.direction, c.value);
            for (t, u) in taken.iter().zip(&values) {
                let along = vec3::dot(d, *t);
                d = vec3::add_scaled(d, *t, -along);
                value -= along * u;
            }
            let length = vec3::norm(d);
            taken.push(vec3::scale(d, 1.0 / length));
            values.push(value / length);
        }
        for (t, u) in taken.iter().zip(&values) {
            for k in 0..3 {
                x0[3 * v + k] += u * t[k];
            }
        }
        for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let mut d = axis;
            for t in &taken {
                d = vec3::add_scaled(d, *t, -vec3::dot(d, *t));
            }
            if let Some(d) = vec3::normalized(d).filter(|_| vec3::norm(d) > 1e-3 && taken.len() < 3)
            {
                let mut z = vec![0.0; n];
                z[3 * v..3 * v + 3].copy_from_slice(&d);
                free.push(z);
                taken.push(d);
            }
        }
    }
    let times = |x: &[f64]| -> Vec<f64> {
        (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum()).collect()
    };
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let ax0 = times(&x0);
    let r: Vec<f64> = b.as_flattened().iter().zip(&ax0).map(|(b, a)| b - a).collect();
    let m = free.len();
    let mut s = vec![0.0; m * m];
    for (j, z) in free.iter().enumerate() {
        let az = times(z);
        for (i, y) in free.iter().enumerate() {
            s[i * m + j] = dot(y, &az);
        }
    }
    let mut y: Vec<f64> = free.iter().map(|z| dot(z, &r)).collect();
    for k in 0..m {
        for i in k + 1..m {
            let f = s[i * m + k] / s[k * m + k];
            for j in k..m {
                s[i * m + j] -= f * s[k * m + j];
            }
            y[i] -= f * y[k];
        }
    }
    for k in (0..m).rev() {
        let known: f64 = (k + 1..m).map(|j| s[k * m + j] * y[j]).sum();
        y[k] = (y[k] - known) / s[k * m + k];
    }
    for (z, y) in free.iter().zip(&y) {
        for (x, z) in x0.iter_mut().zip(z) {
            *x += z * y;
        }
    }
    x0.as_chunks::<3>().0.to_vec()
}

/// The largest entry.
fn size(x: &[Vec3]) -> f64 {
    x.as_flattened().iter().fold(0.0, |a: f64, b| a.max(b.abs()))
}

fn far(a: &[Vec3], b: &[Vec3]) -> f64 {
    let norm = |v: Vec<Vec3>| v.into_iter().map(vec3::norm_squared).sum::<f64>().sqrt();
    norm(a.iter().zip(b).map(|(a, b)| vec3::sub(*a, *b)).collect()) / norm(b.to_vec())
}

#[test]
fn constraints_on_a_factor_give_what_eliminating_the_unknowns_gives() {
    let system = tetrahedra([4, 2, 2], 0.01, 0.2, 1);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let n = matrix.rows();
    let b = random_vector(n, 3);
    let mut solver = ConstrainedDirect::new(OrderingName::Metis, 100);
    solver.analyze(&system.pattern, &system.layout()).unwrap();
    solver.factor(&matrix).unwrap();
    let mut r = random(8);
    let mut columns = Vec::new();
    // One direction, two, all three at a vertex; directions turn and values change from call to call.
    for (call, vertices) in
        [vec![3], vec![3, 7, 7], vec![7, 3, 7, 12, 12, 12], vec![], vec![12, 30]].iter().enumerate()
    {
        let constraints: Vec<Constraint> = vertices
            .iter()
            .map(|&vertex| Constraint { vertex, direction: [r(), r(), r()], value: 0.3 * r() })
            .collect();
        let mut x = vec![[0.0; 3]; n];
        let report = solver.solve(&matrix, &b, &constraints, &mut x).unwrap();
        assert!(report.relative_residual < 1e-11, "call {call}: {report:?}");
        let error = far(&x, &eliminated(&matrix.to_dense(), &b, &constraints));
        assert!(error < 1e-10, "call {call}: {error:.1e}");
        for c in &constraints {
            let met = vec3::dot(c.direction, x[c.vertex as usize]);
            assert!((met - c.value).abs() < 1e-11 * size(&x), "call {call}: {met} for {c:?}");
        }
        assert_eq!(solver.forces().len(), constraints.len());
        columns.push(solver.columns_solved());
    }
    // A vertex that was constrained before costs no new solution.
    assert_eq!(columns, [3, 6, 9, 9, 12]);
}

#[test]
fn columns_of_vertices_long_free_are_let_go() {
    let system = tetrahedra([3, 2, 2], 0.01, 0.1, 1);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let b = random_vector(matrix.rows(), 3);
    let mut x = b.clone();
    let mut solver = ConstrainedDirect::new(OrderingName::Amd, 2);
    solver.analyze(&system.pattern, &system.layout()).unwrap();
    solver.factor(&matrix).unwrap();
    let column = 72 * matrix.rows();
    let mut with_one = None;
    for vertex in 0..6 {
        let c = Constraint { vertex, direction: [0.0, 1.0, 0.0], value: 0.0 };
        solver.solve(&matrix, &b, &[c], &mut x).unwrap();
        // Those constrained at the moment and two more.
        assert!(solver.memory() <= *with_one.get_or_insert(solver.memory()) + 2 * column);
        assert!(x[vertex as usize][1].abs() < 1e-11 * size(&x));
    }
    assert_eq!(solver.columns_solved(), 18);
}

#[test]
fn constraints_that_make_no_sense_are_errors() {
    let system = tetrahedra([2, 1, 1], 0.01, 0.1, 1);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let n = matrix.rows();
    let b = random_vector(n, 3);
    let mut x = b.clone();
    let mut solver = ConstrainedDirect::new(OrderingName::Amd, 10);
    let c = |vertex, direction| Constraint { vertex, direction, value: 0.0 };
    assert!(solver.solve(&matrix, &b, &[], &mut x).is_err());
    solver.analyze(&system.pattern, &system.layout()).unwrap();
    solver.factor(&matrix).unwrap();
    let mut told = |c: &[Constraint]| solver.solve(&matrix, &b, c, &mut x).unwrap_err().to_string();
    let twice = told(&[c(1, [1.0, 0.0, 0.0]), c(4, [0.0, 1.0, 2.0]), c(4, [0.0, -2.0, -4.0])]);
    assert!(twice.contains("vertex 4") && twice.contains("independent"), "{twice}");
    assert!(told(&[c(n as u32, [1.0, 0.0, 0.0])]).contains("there are"));
    assert!(told(&[c(1, [0.0; 3])]).contains("no direction"));
    assert!(told(&[c(1, [f64::NAN; 3])]).contains("not finite"));
    // And it still works afterwards.
    solver.solve(&matrix, &b, &[c(1, [1.0, 0.0, 0.0])], &mut x).unwrap();
    assert!(x[1][0].abs() < 1e-11 * size(&x));
}
