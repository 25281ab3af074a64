//! `auto` goes by what a factor and iterations cost, and by what iterations turn out to cost.

use crate::iterative_common;

use iterative_common::{Body, random_vector};
use pliant_algebra::sparse::BlockMatrix;
use pliant_solvers::iterative::Settings;
use pliant_solvers::{Auto, BlockSolver};

fn auto(body: &Body) -> Auto {
    let mut solver = Auto::new(Settings::default());
    solver.analyze(&body.pattern, &body.layout()).unwrap();
    solver.set_tolerance(1e-6);
    solver
}

fn solve(solver: &mut Auto, matrix: &BlockMatrix) -> usize {
    solver.factor(matrix).unwrap();
    let b = random_vector(matrix.rows(), 7);
    let mut x = vec![[0.0; 3]; b.len()];
    let report = solver.solve(matrix, &b, &mut x).unwrap();
    assert!(report.relative_residual < 2e-6, "{report:?}");
    report.iterations
}

/// Where a push is felt far, iterations are many, and most of all in a rod; where it is not, they are few.
#[test]
fn long_steps_call_for_factors_and_short_ones_do_not() {
    let (rod, cube) = (Body::box_of([81, 3, 3]), Body::box_of([10, 10, 10]));
    for (body, step, method) in [
        (&rod, 0.1, "cg with stale-cholesky"),
        (&cube, 0.1, "cg with stale-cholesky"),
        (&rod, 0.001, "cg with eisenstat"),
        (&cube, 0.001, "cg with eisenstat"),
        (&cube, 2e-5, "cg with block-diagonal"),
    ] {
        let mut solver = auto(body);
        solve(&mut solver, &body.implicit(step));
        let used = solver.chosen().unwrap();
        assert_eq!(used.method(), method, "{}", used.text());
    }
}

/// At rest an analysis serves few matrices: multigrid costs less but for thin bodies; small ones are factored exactly.
#[test]
fn bodies_at_rest_are_solved_by_what_suits_their_shape() {
    for (cells, method) in [
        ([6, 4, 4], "cholesky with metis"),
        ([15, 15, 15], "cg with multigrid"),
        ([200, 3, 3], "cg with stale-cholesky"),
    ] {
        let body = Body::box_of(cells);
        let mut solver = auto(&body);
        // Springs hold one end.
        let mut matrix = body.stiffness.clone();
        let positions = body.layout().positions.unwrap().to_vec();
        let k = matrix.values.iter().flatten().fold(0.0, |most: f64, v| most.max(v.abs()));
        for (i, _) in positions.iter().enumerate().filter(|(_, p)| p[0] < 1e-9) {
            matrix.add(i as u32, i as u32, &[k, 0.0, 0.0, 0.0, k, 0.0, 0.0, 0.0, k]);
        }
        solver.factor(&matrix).unwrap();
        let used = solver.chosen().unwrap();
        assert_eq!(used.method(), method, "{}", used.text());
    }
}

/// The first matrix is one for iterations, with one preconditioner and another, those after it are not.
#[test]
fn iterations_that_cost_more_than_factors_end() {
    for (step, first) in [(2e-5, "cg with block-diagonal"), (0.001, "cg with eisenstat")] {
        iterations_end(step, first);
    }
}

fn iterations_end(step: f64, first: &str) {
    let body = Body::box_of([60, 2, 2]);
    let (short, long) = (body.implicit(step), body.implicit(0.2));
    let mut solver = auto(&body);
    for _ in 0..20 {
        assert!(solve(&mut solver, &short) > 0);
    }
    let used = solver.chosen().unwrap();
    assert_eq!((used.method().as_str(), used.changes), (first, 0), "{}", solver.why());
    let iterations: Vec<usize> = (0..12).map(|_| solve(&mut solver, &long)).collect();
    let used = solver.chosen().unwrap();
    assert_eq!(used.changes, 1, "{iterations:?}: {}", used.text());
    assert!(solver.why().contains("times as much"), "{}", solver.why());
    assert!(iterations[0] > 50 && iterations[11] <= 3, "{iterations:?}");
    // It does not go back and forth.
    for _ in 0..5 {
        solve(&mut solver, &short);
    }
    assert_eq!(solver.chosen().unwrap().changes, 1);
}
