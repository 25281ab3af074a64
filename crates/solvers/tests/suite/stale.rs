//! Factors of earlier matrices as preconditioners.

use crate::iterative_common;

use iterative_common::{Body, difference, random_vector};
use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::Vec3;
use pliant_solvers::BlockSolver;
use pliant_solvers::iterative::{Cg, Preconditioner, Settings, StaleFactor, Stop};
use pliant_solvers::ordering::OrderingName;

const TIGHT: Settings = Settings { tolerance: 1e-11, stop: Stop::Residual, max_iterations: 5_000 };

fn set_up(solver: &mut Cg, body: &Body, matrix: &BlockMatrix) {
    solver.analyze(matrix.pattern(), &body.layout()).unwrap();
    solver.factor(matrix).unwrap();
}

/// ‖b − A x‖ / ‖b‖ by a product made here.
fn residual(matrix: &BlockMatrix, b: &[Vec3], x: &[Vec3]) -> f64 {
    let mut y = vec![[0.0; 3]; b.len()];
    Product::new(matrix.pattern()).apply(&matrix.values, x, &mut y);
    difference(&y, b)
}

#[test]
fn a_stale_factor_serves_matrices_near_the_one_it_came_from() {
    let body = Body::box_of([4, 4, 3]);
    let (old, new) = (body.implicit(0.01), body.implicit(0.012));
    let b = random_vector(body.len(), 5);
    let mut m = StaleFactor::new(OrderingName::Metis);
    m.analyze(&body.pattern, &body.layout()).unwrap();
    m.factor(&old).unwrap();
    m.factor(&new).unwrap();
    assert_eq!(m.age(), 1);
    let mut solver = Cg::new(Box::new(m), TIGHT);
    set_up(&mut solver, &body, &old);
    let mut x = vec![[0.0; 3]; b.len()];
    // The factor has single precision: a second iteration gives the digits that it lacks.
    let fresh = solver.solve(&old, &b, &mut x).unwrap().iterations;
    assert!(residual(&old, &b, &x) <= 1.001e-11 && fresh <= 3, "{fresh}");
    solver.factor(&new).unwrap();
    x.fill([0.0; 3]);
    let stale = solver.solve(&new, &b, &mut x).unwrap().iterations;
    assert!(residual(&new, &b, &x) <= 1.001e-11);
    assert!((4..=12).contains(&stale), "{stale}");
}

/// Over a slow change the factor is made anew now and then, and over a jump at once, within the solve.
#[test]
fn a_stale_factor_is_renewed_where_that_costs_less() {
    let body = Body::box_of([4, 4, 3]);
    let b = random_vector(body.len(), 5);
    let solve = |solver: &mut Cg, matrix: &BlockMatrix| {
        let mut x = vec![[0.0; 3]; b.len()];
        solver.factor(matrix).unwrap();
        let report = solver.solve(matrix, &b, &mut x).unwrap();
        assert!(residual(matrix, &b, &x) <= 1.001e-11);
        report.iterations
    };
    let age = |solver: &Cg| -> usize {
        let note = solver.preconditioner().note().unwrap_or_default();
        note.split(' ').find_map(|word| word.parse().ok()).unwrap_or(0)
    };
    let mut solver = Cg::new(Box::new(StaleFactor::new(OrderingName::Metis)), TIGHT);
    set_up(&mut solver, &body, &body.implicit(0.01));
    // The same matrix for ever needs no new factor.
    for _ in 0..200 {
        assert!(solve(&mut solver, &body.implicit(0.01)) <= 3);
    }
    assert_eq!(age(&solver), 200);
    // Steps grow by 3 % each.
    let (mut renewed, mut h, mut most) = (0, 0.01, 0);
    for _ in 0..60 {
        h *= 1.03;
        most = most.max(solve(&mut solver, &body.implicit(h)));
        renewed += usize::from(age(&solver) == 0);
    }
    println!("{renewed} factors for 60 matrices, at most {most} iterations");
    assert!((3..=20).contains(&renewed), "{renewed}");
    // A matrix that the factor is no good for.
    let jump = solve(&mut solver, &body.implicit(0.05 * h));
    let after = solve(&mut solver, &body.implicit(0.05 * h));
    println!("{jump} iterations after a jump, then {after}");
    assert!(after <= 4, "{after}");
}
