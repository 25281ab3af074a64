//! Constraints inside the solver give the answer of eliminating the unknowns.

use crate::iterative_common;

use iterative_common::{Body, dense_solve, difference, norm, random, random_vector};
use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::{Vec3, dot};
use pliant_solvers::iterative::{
    Bicgstab, Cg, EisenstatCg, Gmres, Ic0, Minres, PreconditionerName, Settings, Ssor, Stop,
};
use pliant_solvers::{BlockSolver, Constraints};

const TIGHT: Settings = Settings { tolerance: 1e-11, stop: Stop::Residual, max_iterations: 5_000 };

/// Some vertices fixed, some moved, some held in one direction or two.
fn constraints(body: &Body) -> Constraints {
    let mut r = random(4);
    let mut c = Constraints::new();
    for (i, x) in body.positions.iter().enumerate() {
        let vertex = i as u32;
        if x[0] < 1e-6 {
            c.fix(vertex, [0.0, 0.01 * r(), 0.02]).unwrap();
        } else if i % 7 == 3 {
            c.constrain(vertex, [r(), r(), r()], 0.01 * r()).unwrap();
        } else if i % 11 == 5 {
            c.constrain(vertex, [1.0, 2.0, 0.5], 0.003).unwrap();
            c.constrain(vertex, [0.0, 1.0, r()], 0.0).unwrap();
        }
    }
    c
}

/// The answer by elimination, with a dense basis of what is free.
fn eliminated(matrix: &BlockMatrix, b: &[Vec3], constraints: &Constraints) -> Vec<Vec3> {
    // S A S + N Nᵀ and S (b − A c) + N Nᵀ c, all dense and without the code under test.
    let n = 3 * matrix.rows();
    let a = matrix.to_dense();
    let mut s = vec![0.0; n * n];
    (0..n).for_each(|k| s[k * n + k] = 1.0);
    let mut c = vec![0.0; n];
    for v in constraints.vertices() {
        let at = 3 * v.vertex as usize;
        for (d, value) in v.directions() {
            for i in 0..3 {
                c[at + i] += d[i] * value;
                for j in 0..3 {
                    s[(at + i) * n + at + j] -= d[i] * d[j];
                }
            }
        }
    }
    let product = |p: &[f64], q: &[f64]| {
        let mut out = vec![0.0; n * n];
        for i in 0..n {
            for k in 0..n {
                let f = p[i * n + k];
                if f != 0.0 {
                    (0..n).for_each(|j| out[i * n + j] += f * q[k * n + j]);
                }
            }
        }
        out
    };
    let mut m = product(&s, &product(&a, &s));
    let times = |p: &[f64], x: &[f64]| -> Vec<f64> {
        (0..n).map(|i| (0..n).map(|j| p[i * n + j] * x[j]).sum()).collect()
    };
    let ac = times(&a, &c);
    let free: Vec<f64> = b.as_flattened().iter().zip(&ac).map(|(b, a)| b - a).collect();
    let mut right = times(&s, &free);
    for i in 0..n {
        right[i] += c[i];
        for j in 0..n {
            m[i * n + j] += f64::from(u8::from(i == j)) - s[i * n + j];
        }
    }
    // Elimination of the caller's helper works on block matrices; all pairs are coupled here.
    let rows = n / 3;
    let pattern = pliant_algebra::sparse::Pattern::unsymmetric(rows, |couple| {
        for i in 0..rows as u32 {
            for j in 0..rows as u32 {
                couple(i, j);
            }
        }
    });
    let mut full = BlockMatrix::zero(std::sync::Arc::new(pattern.unwrap()));
    for i in 0..rows {
        for j in 0..rows {
            let block = std::array::from_fn(|k| m[(3 * i + k / 3) * n + 3 * j + k % 3]);
            full.add(i as u32, j as u32, &block);
        }
    }
    dense_solve(&full, right.as_chunks().0)
}

fn holds(constraints: &Constraints, x: &[Vec3]) {
    for c in constraints.vertices() {
        for (n, value) in c.directions() {
            let found = dot(n, x[c.vertex as usize]);
            // Beside a first guess of size 1.
            assert!((found - value).abs() < 1e-13, "vertex {}: {found} {value}", c.vertex);
        }
    }
}

#[test]
fn projection_and_filters_give_the_answer_of_elimination() {
    let body = Body::box_of([4, 3, 3]);
    let matrix = body.implicit(0.1);
    let b = random_vector(body.len(), 2);
    let constraints = constraints(&body);
    assert!(constraints.count() > 60 && constraints.count() < 3 * body.len() / 2);
    let exact = eliminated(&matrix, &b, &constraints);
    let close = |what: &str, x: &[Vec3], tolerance: f64| {
        let error = difference(x, &exact);
        assert!(error < tolerance, "{what}: {error:.2e}");
    };

    // (a) The projected system, by a solver that knows nothing of constraints.
    let (mut projected, mut right) = (matrix.clone(), b.clone());
    constraints.project(&mut projected, &mut right).unwrap();
    let x = dense_solve(&projected, &right);
    close("projected, dense", &x, 1e-12);
    for &name in PreconditionerName::ALL {
        let mut solver = name.cg(TIGHT).unwrap();
        solver.analyze(&body.pattern, &body.layout()).unwrap();
        solver.factor(&projected).unwrap();
        let mut x = vec![[0.0; 3]; b.len()];
        solver.solve(&projected, &right, &mut x).unwrap();
        close(name.name(), &x, 1e-9);
    }

    // (b) and (c) Filters inside, on the matrix as it is.
    let with = |solver: &mut dyn BlockSolver, what: &str| {
        solver.analyze(&body.pattern, &body.layout()).unwrap();
        solver.factor(&matrix).unwrap();
        for seed in [0, 7] {
            // Any first guess: what it says of held directions does not matter.
            let mut x = random_vector(b.len(), seed);
            let report = solver.solve(&matrix, &b, &mut x).unwrap();
            assert!(report.relative_residual <= 1e-11);
            close(what, &x, 1e-9);
            holds(&constraints, &x);
        }
    };
    for &name in PreconditionerName::ALL {
        let mut cg = Cg::new(name.build(), TIGHT);
        cg.set_constraints(Some(constraints.clone()));
        with(&mut cg, name.name());
    }
    for omega in [0.8, 1.0, 1.3] {
        let mut eisenstat = EisenstatCg::new(omega, TIGHT).unwrap();
        eisenstat.set_constraints(Some(constraints.clone()));
        with(&mut eisenstat, "eisenstat");
    }
    let mut minres = Minres::new(Box::new(Ic0::new()), TIGHT);
    minres.set_constraints(Some(constraints.clone()));
    with(&mut minres, "minres");
    let mut bicgstab = Bicgstab::new(Box::new(Ic0::new()), TIGHT);
    bicgstab.set_constraints(Some(constraints.clone()));
    with(&mut bicgstab, "bicgstab");
    let mut gmres = Gmres::new(Box::new(Ic0::new()), TIGHT);
    gmres.set_constraints(Some(constraints.clone()));
    with(&mut gmres, "gmres");
}

#[test]
fn iterations_do_not_grow_with_constraints() {
    let body = Body::box_of([8, 6, 6]);
    let matrix = body.implicit(0.05);
    let b = random_vector(body.len(), 2);
    let constraints = constraints(&body);
    let settings = Settings { tolerance: 1e-8, ..TIGHT };
    let count = |solver: &mut dyn BlockSolver| {
        solver.analyze(&body.pattern, &body.layout()).unwrap();
        solver.factor(&matrix).unwrap();
        solver.solve(&matrix, &b, &mut vec![[0.0; 3]; b.len()]).unwrap().iterations
    };
    for name in
        [PreconditionerName::BlockDiagonal, PreconditionerName::Ssor, PreconditionerName::Ic0]
    {
        let free = count(&mut Cg::new(name.build(), settings));
        let mut cg = Cg::new(name.build(), settings);
        cg.set_constraints(Some(constraints.clone()));
        let held = count(&mut cg);
        assert!(held <= free + 2, "{}: {free} and {held}", name.name());
    }
    let free = count(&mut EisenstatCg::new(1.0, settings).unwrap());
    let mut eisenstat = EisenstatCg::new(1.0, settings).unwrap();
    eisenstat.set_constraints(Some(constraints.clone()));
    let held = count(&mut eisenstat);
    assert!(held <= free + 2, "eisenstat: {free} and {held}");
    // The same steps as filtered CG with SSOR, constraints included.
    let mut cg = Cg::new(Box::new(Ssor::default()), settings);
    cg.set_constraints(Some(constraints));
    let plain = count(&mut cg);
    assert!(plain.abs_diff(held) <= 1, "{plain} and {held}");
}

#[test]
fn constraints_are_orthonormalised_and_contradictions_named() {
    let mut c = Constraints::new();
    c.constrain(4, [2.0, 0.0, 0.0], 0.5).unwrap();
    c.constrain(4, [1.0, 1.0, 0.0], 0.0).unwrap();
    // x = 0.5 and (x + y)/√2 = 0, so y = −0.5; z is free.
    let mut x = vec![[9.0, 9.0, 9.0]; 5];
    c.impose(&mut x);
    assert!((x[4][0] - 0.5).abs() < 1e-15 && (x[4][1] + 0.5).abs() < 1e-15 && x[4][2] == 9.0);
    c.filter(&mut x);
    assert!(norm(&x[4..]) - 9.0 < 1e-15 && x[4][2] == 9.0);
    // Said twice is no contradiction, unless the value differs.
    c.constrain(4, [0.0, 1.0, 0.0], -0.5).unwrap();
    assert_eq!(c.count(), 2);
    let error = c.constrain(4, [0.0, 1.0, 0.0], 0.5).unwrap_err().to_string();
    assert!(error.contains("vertex 4") && error.contains("contradicts"), "{error}");
    assert!(c.constrain(2, [0.0; 3], 0.0).is_err());
    assert!(c.fix(2, [f64::NAN, 0.0, 0.0]).is_err());
    assert!(c.check(4).unwrap_err().to_string().contains("vertex 4"));
}
