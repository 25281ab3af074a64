//! Iterative solvers against elimination, against each other and against what they promise.

use crate::iterative_common;

use std::sync::Arc;

use iterative_common::{
    Body, Matter, RUBBER, box_mesh, dense_solve, difference, dot, norm, random, random_vector,
};
use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::Vec3;
use pliant_solvers::iterative::{
    Bicgstab, Cg, EisenstatCg, Gmres, Ic0, Minres, Multigrid, MultigridOptions, Preconditioner,
    PreconditionerName, Settings, Ssor, Stop,
};
use pliant_solvers::{BlockSolver, Layout, SolverError, StopReason};

const TIGHT: Settings = Settings { tolerance: 1e-11, stop: Stop::Residual, max_iterations: 5_000 };

fn set_up(solver: &mut dyn BlockSolver, body: &Body, matrix: &BlockMatrix) {
    solver.analyze(matrix.pattern(), &body.layout()).unwrap();
    solver.factor(matrix).unwrap();
}

/// ‖b − A x‖ / ‖b‖ by a product made here.
fn residual(matrix: &BlockMatrix, b: &[Vec3], x: &[Vec3]) -> f64 {
    let mut y = vec![[0.0; 3]; b.len()];
    Product::new(matrix.pattern()).apply(&matrix.values, x, &mut y);
    difference(&y, b)
}

/// The stiffness of a body whose vertices below x = 1 mm are held by strong springs.
fn held(body: &Body) -> BlockMatrix {
    let mut matrix = body.stiffness.clone();
    for (i, x) in body.positions.iter().enumerate() {
        if x[0] < 1e-3 {
            let k = 1e5;
            matrix.add(i as u32, i as u32, &[k, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k]);
        }
    }
    matrix
}

#[test]
fn every_preconditioner_of_cg_agrees_with_elimination() {
    for (seed, cells) in [[3, 3, 3], [6, 2, 2], [4, 3, 2]].into_iter().enumerate() {
        let body = Body::box_of(cells);
        for matrix in [body.implicit(0.01), body.implicit(0.1), held(&body)] {
            let b = random_vector(body.len(), seed as u64);
            let exact = dense_solve(&matrix, &b);
            for &name in PreconditionerName::ALL {
                let mut solver = name.cg(TIGHT).unwrap();
                set_up(&mut *solver, &body, &matrix);
                let mut x = vec![[0.0; 3]; b.len()];
                let report = solver.solve(&matrix, &b, &mut x).unwrap();
                let own = residual(&matrix, &b, &x);
                assert!(own <= 1.001e-11, "{}: {own:.2e}", name.name());
                assert!((report.relative_residual - own).abs() < 1e-13);
                let error = difference(&x, &exact);
                assert!(error < 1e-8, "{}: {error:.2e}", name.name());
            }
        }
    }
}

#[test]
fn a_first_guess_that_is_the_answer_takes_no_iteration() {
    let body = Body::box_of([3, 3, 3]);
    let matrix = body.implicit(0.01);
    let b = random_vector(body.len(), 4);
    let exact = dense_solve(&matrix, &b);
    for name in [PreconditionerName::Ic0, PreconditionerName::Eisenstat] {
        let mut solver = name.cg(Settings { tolerance: 1e-9, ..TIGHT }).unwrap();
        set_up(&mut *solver, &body, &matrix);
        let mut x = exact.clone();
        assert_eq!(solver.solve(&matrix, &b, &mut x).unwrap().iterations, 0);
        // And one near to it takes fewer than none.
        let mut near: Vec<Vec3> = exact.iter().map(|v| v.map(|c| c * (1.0 + 1e-5))).collect();
        let warm = solver.solve(&matrix, &b, &mut near).unwrap().iterations;
        let cold = solver.solve(&matrix, &b, &mut vec![[0.0; 3]; b.len()]).unwrap().iterations;
        assert!(warm < 3 * cold / 4, "{warm} {cold}");
        let zero = solver.solve(&matrix, &vec![[0.0; 3]; b.len()], &mut x).unwrap();
        assert_eq!((zero.reason, norm(&x)), (StopReason::ZeroRightHandSide, 0.0));
    }
}

#[test]
fn preconditioners_are_symmetric_and_positive() {
    let body = Body::box_of([6, 5, 4]);
    let n = body.len();
    for matrix in [body.implicit(0.01), held(&body)] {
        for &name in PreconditionerName::ALL {
            let mut m = name.build();
            m.analyze(&body.pattern, &body.layout()).unwrap();
            m.factor(&matrix).unwrap();
            for seed in 0..4 {
                let (u, v) = (random_vector(n, 2 * seed), random_vector(n, 2 * seed + 1));
                let (mut mu, mut mv) = (u.clone(), u.clone());
                m.apply(&u, &mut mu).unwrap();
                m.apply(&v, &mut mv).unwrap();
                let (a, b) = (dot(&u, &mv), dot(&v, &mu));
                let size = norm(&u) * norm(&mv);
                // Triangular solves are made in single precision.
                let exact = name.name().contains("diagonal");
                let tolerance = if exact { 1e-13 } else { 1e-6 };
                assert!((a - b).abs() < tolerance * size, "{}: {a:e} {b:e}", name.name());
                assert!(dot(&u, &mu) > 0.0 && dot(&v, &mv) > 0.0, "{}", name.name());
            }
        }
    }
}

#[test]
fn eisenstat_takes_the_steps_of_cg_with_ssor() {
    let body = Body::box_of([5, 4, 4]);
    let matrix = body.implicit(0.05);
    let b = random_vector(body.len(), 8);
    // Trees with one leaf each: both number the vertices alike.
    for omega in [0.7, 1.0, 1.4] {
        for iterations in [1, 2, 5, 12] {
            let settings = Settings { max_iterations: iterations, ..TIGHT };
            let run = |solver: &mut dyn BlockSolver| {
                set_up(solver, &body, &matrix);
                let mut x = vec![[0.0; 3]; b.len()];
                let error = solver.solve(&matrix, &b, &mut x).unwrap_err();
                assert!(
                    matches!(error, SolverError::NotConverged { iterations: n, .. } if n == iterations)
                );
                x
            };
            let plain = run(&mut Cg::new(Box::new(Ssor::new(omega).unwrap()), settings));
            let eisenstat = run(&mut EisenstatCg::new(omega, settings).unwrap());
            // SSOR keeps its blocks in single precision.
            let d = difference(&eisenstat, &plain);
            assert!(d < 2e-6, "ω = {omega}, {iterations} iterations: {d:.2e}");
        }
    }
}

#[test]
fn the_energy_norm_stop_bounds_the_error() {
    let body = Body::box_of([5, 4, 4]);
    let matrix = held(&body);
    let b = random_vector(body.len(), 3);
    let mut exact = vec![[0.0; 3]; b.len()];
    let mut solver = Cg::new(Box::new(Ic0::new()), TIGHT);
    set_up(&mut solver, &body, &matrix);
    solver.solve(&matrix, &b, &mut exact).unwrap();
    let energy = |x: &[Vec3]| {
        let mut y = x.to_vec();
        Product::new(matrix.pattern()).apply(&matrix.values, x, &mut y);
        dot(x, &y).sqrt()
    };
    for tolerance in [1e-2, 1e-4, 1e-6] {
        let settings = Settings { tolerance, stop: Stop::EnergyNorm { delay: 8 }, ..TIGHT };
        for name in [PreconditionerName::Ic0, PreconditionerName::Eisenstat] {
            let mut solver = name.cg(settings).unwrap();
            set_up(&mut *solver, &body, &matrix);
            for scale in [0.0, 0.9] {
                let mut x: Vec<Vec3> = exact.iter().map(|v| v.map(|c| c * scale)).collect();
                let report = solver.solve(&matrix, &b, &mut x).unwrap();
                assert_eq!(report.reason, StopReason::EnergyNorm);
                let d: Vec<Vec3> = x
                    .iter()
                    .zip(&exact)
                    .map(|(a, b)| std::array::from_fn(|k| a[k] - b[k]))
                    .collect();
                let error = energy(&d) / energy(&exact);
                assert!(error <= tolerance, "{}: {error:.2e}", name.name());
                assert!(error > 1e-4 * tolerance, "{}: {error:.2e} is too good", name.name());
            }
        }
    }
}

#[test]
fn multigrid_iterations_hardly_grow_with_the_mesh() {
    let mut counts = Vec::new();
    for side in [5, 9, 15] {
        let matter = Matter { young: 1e7, ..RUBBER };
        let body = Body::new(&box_mesh([1.0; 3], [side; 3], 0.3), matter);
        let matrix = body.implicit(0.01);
        let b = random_vector(body.len(), 1);
        let coarsest = MultigridOptions { coarsest: 8, ..MultigridOptions::default() };
        let settings = Settings { tolerance: 1e-6, ..TIGHT };
        let mut solver = Cg::new(Box::new(Multigrid::new(coarsest)), settings);
        set_up(&mut solver, &body, &matrix);
        let mut x = vec![[0.0; 3]; b.len()];
        let first = solver.solve(&matrix, &b, &mut x).unwrap();
        counts.push(first.iterations);
        // Values filled in again make the same preconditioner, up to the estimated eigenvalue.
        solver.factor(&matrix).unwrap();
        let again = solver.solve(&matrix, &b, &mut vec![[0.0; 3]; b.len()]).unwrap();
        assert!(again.iterations.abs_diff(first.iterations) <= 1);
    }
    assert!(counts[2] * 2 <= counts[0] * 3, "{counts:?}");
    assert!(counts[2] < 30, "{counts:?}");
}

#[test]
fn incomplete_factors_serve_nearly_incompressible_thin_bodies() {
    // Nearly incompressible and thin: pivots of the unshifted factor turn negative at large steps.
    let matter = Matter { young: 1e6, poisson: 0.495, density: 1000.0 };
    let body = Body::new(&box_mesh([1.0, 1.0, 0.05], [8, 8, 3], 0.4), matter);
    let matrix = body.implicit(0.1);
    let b = random_vector(body.len(), 1);
    for name in [PreconditionerName::Ic0, PreconditionerName::Ict] {
        let mut solver = name.cg(Settings { tolerance: 1e-8, ..TIGHT }).unwrap();
        set_up(&mut *solver, &body, &matrix);
        let mut x = vec![[0.0; 3]; b.len()];
        let with = solver.solve(&matrix, &b, &mut x).unwrap().iterations;
        let mut plain = PreconditionerName::BlockDiagonal.cg(TIGHT).unwrap();
        set_up(&mut *plain, &body, &matrix);
        x.fill([0.0; 3]);
        let without = plain.solve(&matrix, &b, &mut x).unwrap().iterations;
        assert!(2 * with < without, "{}: {with} and {without}", name.name());
    }
}

/// An indefinite symmetric matrix: stiffness minus a multiple of the mass.
fn indefinite(body: &Body) -> BlockMatrix {
    let mut matrix = body.stiffness.clone();
    for (i, m) in body.mass.iter().enumerate() {
        let k = -4e5 * m;
        matrix.add(i as u32, i as u32, &[k, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k]);
    }
    matrix
}

#[test]
fn minres_solves_where_cg_says_that_the_matrix_is_indefinite() {
    let body = Body::box_of([4, 3, 3]);
    let matrix = indefinite(&body);
    let b = random_vector(body.len(), 2);
    let exact = dense_solve(&matrix, &b);
    for name in [PreconditionerName::Diagonal, PreconditionerName::BlockDiagonal] {
        let mut minres = Minres::new(name.build(), Settings { tolerance: 1e-10, ..TIGHT });
        set_up(&mut minres, &body, &matrix);
        let mut x = vec![[0.0; 3]; b.len()];
        minres.solve(&matrix, &b, &mut x).unwrap();
        assert!(residual(&matrix, &b, &x) <= 1.001e-10);
        let error = difference(&x, &exact);
        assert!(error < 1e-7, "{error:.2e}");
        let mut cg = name.cg(TIGHT).unwrap();
        set_up(&mut *cg, &body, &matrix);
        let error = cg.solve(&matrix, &b, &mut x).unwrap_err();
        assert!(matches!(error, SolverError::Indefinite { .. }), "{error}");
        assert!(error.to_string().contains("minres"));
    }
    // And on a positive definite matrix it agrees with CG.
    let matrix = body.implicit(0.01);
    let mut minres = Minres::new(Box::new(Ic0::new()), TIGHT);
    set_up(&mut minres, &body, &matrix);
    let mut x = vec![[0.0; 3]; b.len()];
    minres.solve(&matrix, &b, &mut x).unwrap();
    assert!(difference(&x, &dense_solve(&matrix, &b)) < 1e-9);
}

/// The matrix of a body with a follower-like skew part.
fn unsymmetric(body: &Body, skew: f64) -> BlockMatrix {
    let symmetric = body.implicit(0.01);
    let pattern = Pattern::unsymmetric(body.len(), |couple| {
        for i in 0..body.len() {
            for &j in body.pattern.row(i) {
                couple(i as u32, j);
                couple(j, i as u32);
            }
        }
    });
    let mut matrix = BlockMatrix::zero(Arc::new(pattern.unwrap()));
    let mut r = random(9);
    for i in 0..body.len() {
        for j in 0..body.len() {
            if body.pattern.slot(i as u32, j as u32).is_some() {
                let mut block = symmetric.block(i, j);
                let size = symmetric.block(i, i)[0];
                for v in &mut block {
                    *v += skew * size * r();
                }
                matrix.add(i as u32, j as u32, &block);
            }
        }
    }
    matrix
}

#[test]
fn unsymmetric_systems_are_solved_by_bicgstab_and_gmres_and_refused_by_the_others() {
    let body = Body::box_of([4, 3, 3]);
    let matrix = unsymmetric(&body, 0.002);
    let b = random_vector(body.len(), 2);
    let exact = dense_solve(&matrix, &b);
    let settings = Settings { tolerance: 1e-10, ..TIGHT };
    for name in [PreconditionerName::Diagonal, PreconditionerName::BlockDiagonal] {
        let solvers: [Box<dyn BlockSolver>; 3] = [
            Box::new(Bicgstab::new(name.build(), settings)),
            Box::new(Gmres::new(name.build(), settings)),
            Box::new(Gmres::with_restart(name.build(), settings, 8)),
        ];
        for mut solver in solvers {
            assert!(solver.takes_unsymmetric());
            set_up(&mut *solver, &body, &matrix);
            let mut x = vec![[0.0; 3]; b.len()];
            let report = solver.solve(&matrix, &b, &mut x).unwrap();
            assert!(residual(&matrix, &b, &x) <= 1.001e-10, "{}", solver.name());
            assert!(report.relative_residual <= 1e-10);
            let error = difference(&x, &exact);
            assert!(error < 1e-8, "{}: {error:.2e}", solver.name());
        }
        let mut cg = name.cg(settings).unwrap();
        let error = cg.analyze(matrix.pattern(), &Layout::default()).unwrap_err();
        assert!(error.to_string().contains("gmres"), "{error}");
    }
    let error = Ic0::new().analyze(matrix.pattern(), &Layout::default()).unwrap_err();
    assert!(error.to_string().contains("block-diagonal"), "{error}");
}

#[test]
fn bad_input_is_named() {
    let body = Body::box_of([3, 2, 2]);
    let n = body.len();
    let mut matrix = body.implicit(0.01);
    let b = random_vector(n, 5);
    let mut x = vec![[0.0; 3]; n];
    for &name in PreconditionerName::ALL {
        let mut solver = name.cg(TIGHT).unwrap();
        let early = solver.solve(&matrix, &b, &mut x).unwrap_err();
        assert!(matches!(early, SolverError::Usage(_)), "{early}");
        set_up(&mut *solver, &body, &matrix);
        let short = solver.solve(&matrix, &b[1..], &mut x).unwrap_err();
        assert!(matches!(short, SolverError::Usage(_)), "{short}");
        let mut bad = b.clone();
        bad[7][1] = f64::NAN;
        let error = solver.solve(&matrix, &bad, &mut x).unwrap_err();
        assert_eq!(error, SolverError::NotFinite { what: "the right-hand side", vertex: 7 });
        let slot = matrix.pattern().range(3).start;
        let kept = matrix.values[slot];
        matrix.values[slot][4] = f64::INFINITY;
        let error = solver.factor(&matrix).unwrap_err();
        assert_eq!(error, SolverError::NotFinite { what: "a matrix block", vertex: 3 });
        matrix.values[slot] = kept;
        matrix.values[slot][4] = -1.0;
        let error = solver.factor(&matrix).unwrap_err();
        let expected = SolverError::NotPositiveDefinite { vertex: 3, axis: 1, pivot: -1.0 };
        assert_eq!(error, expected);
        matrix.values[slot] = kept;
    }
}

#[test]
fn rows_of_zeros_and_free_bodies_are_named_with_a_remedy() {
    let body = Body::box_of([3, 2, 2]);
    let n = body.len();
    // One vertex more, which nothing touches.
    let pattern = Pattern::symmetric(n + 1, |couple| {
        for i in 0..n {
            for &j in body.pattern.row(i) {
                couple(i as u32, j);
            }
        }
    });
    let mut matrix = BlockMatrix::zero(Arc::new(pattern.unwrap()));
    matrix.values[..body.stiffness.values.len()].copy_from_slice(&body.stiffness.values);
    for &name in PreconditionerName::ALL {
        let mut solver = name.cg(TIGHT).unwrap();
        solver.analyze(matrix.pattern(), &Layout::default()).unwrap();
        let error = solver.factor(&matrix).unwrap_err();
        assert!(matches!(error, SolverError::Singular { vertex, .. } if vertex == n), "{error}");
    }
    // A free body that is pushed has no static answer.
    let b = vec![[1.0, 0.0, 0.0]; n];
    for &name in PreconditionerName::ALL {
        let settings = Settings { max_iterations: 300, ..TIGHT };
        let mut solver = name.cg(settings).unwrap();
        solver.analyze(&body.pattern, &body.layout()).unwrap();
        let error = solver
            .factor(&body.stiffness)
            .and_then(|()| solver.solve(&body.stiffness, &b, &mut vec![[0.0; 3]; n]))
            .unwrap_err();
        assert!(error.to_string().contains("fix three vertices"), "{}: {error}", name.name());
    }
}

#[test]
fn an_empty_system_is_solved() {
    let pattern = Arc::new(Pattern::symmetric(0, |_| {}).unwrap());
    let matrix = BlockMatrix::zero(pattern.clone());
    for &name in PreconditionerName::ALL {
        let mut solver = name.cg(TIGHT).unwrap();
        let analyzed = solver.analyze(&pattern, &Layout::default());
        if name == PreconditionerName::StaleCholesky {
            // Direct solvers refuse what has no unknowns, and say so.
            assert!(analyzed.unwrap_err().to_string().contains("empty"));
            continue;
        }
        analyzed.unwrap();
        solver.factor(&matrix).unwrap();
        let report = solver.solve(&matrix, &[], &mut []).unwrap();
        assert_eq!(report.reason, StopReason::ZeroRightHandSide, "{}", name.name());
    }
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    // Large enough for several branches of the tree and several pieces of vectors.
    let body = Body::box_of([20, 16, 16]);
    let matrix = body.implicit(0.01);
    let b = random_vector(body.len(), 6);
    let settings = Settings { tolerance: 1e-6, ..TIGHT };
    let solvers = || {
        let mut list: Vec<Box<dyn BlockSolver>> = vec![
            Box::new(Minres::new(PreconditionerName::BlockDiagonal.build(), settings)),
            Box::new(Bicgstab::new(PreconditionerName::Diagonal.build(), settings)),
            Box::new(Gmres::new(PreconditionerName::Ssor.build(), settings)),
        ];
        for &name in &PreconditionerName::ALL[1..] {
            list.push(name.cg(settings).unwrap());
        }
        list
    };
    let mut expected: Vec<Vec<u64>> = Vec::new();
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for (k, mut solver) in solvers().into_iter().enumerate() {
            let bits: Vec<u64> = pool.install(|| {
                set_up(&mut *solver, &body, &matrix);
                let mut x = vec![[0.0; 3]; b.len()];
                solver.solve(&matrix, &b, &mut x).unwrap();
                x.iter().flatten().map(|v| v.to_bits()).collect()
            });
            if threads == 1 {
                expected.push(bits);
            } else {
                assert!(expected[k] == bits, "{} ({k}) on {threads} threads", solver.name());
            }
        }
    }
}
