//! Eisenstat's iteration in single precision: as good as its tolerance, and left where it is not good enough.

use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;
use pliant_solvers::iterative::{EisenstatCg, Settings};
use pliant_solvers::{BlockSolver, Constraints};

use crate::iterative_common::{Body, difference, norm, random_vector};

fn loose(tolerance: f64) -> EisenstatCg {
    EisenstatCg::new(1.0, Settings { tolerance, ..Settings::default() }).unwrap()
}

fn product(matrix: &BlockMatrix, x: &[Vec3]) -> Vec<Vec3> {
    let mut y = vec![[0.0; 3]; x.len()];
    Product::new(matrix.pattern()).apply(&matrix.values, x, &mut y);
    y
}

/// Iterations and x.
fn solve(solver: &mut EisenstatCg, matrix: &BlockMatrix, b: &[Vec3]) -> (usize, Vec<Vec3>) {
    solver.factor(matrix).unwrap();
    let mut x = vec![[0.0; 3]; b.len()];
    let report = solver.solve(matrix, b, &mut x).unwrap();
    (report.iterations, x)
}

#[test]
fn a_loose_tolerance_is_kept_in_double_precision_at_any_scale_and_on_any_number_of_threads() {
    let body = Body::box_of([14, 10, 9]);
    let matrix = body.implicit(0.01);
    for tolerance in [0.1, 1e-2, 1e-4] {
        for scale in [1e-60, 1.0, 1e60] {
            let b: Vec<Vec3> =
                random_vector(body.len(), 3).into_iter().map(|b| b.map(|b| scale * b)).collect();
            let mut bits: Option<(usize, Vec<Vec3>)> = None;
            for threads in [1, 2, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let found = pool.install(|| {
                    let mut solver = loose(tolerance);
                    solver.analyze(matrix.pattern(), &body.layout()).unwrap();
                    solve(&mut solver, &matrix, &b)
                });
                let own = difference(&product(&matrix, &found.1), &b);
                assert!(own <= 1.0001 * tolerance, "{tolerance} {scale}: {own:e}");
                assert_eq!(*bits.get_or_insert_with(|| found.clone()), found, "{threads} threads");
            }
            // As many iterations as in double precision, which a tolerance a little too tight for the other takes.
            let mut double = loose(tolerance);
            double.analyze(matrix.pattern(), &body.layout()).unwrap();
            double.set_tolerance(1e-9);
            double.factor(&matrix).unwrap();
            double.set_tolerance(tolerance);
            let mut x = vec![[0.0; 3]; b.len()];
            let exact = double.solve(&matrix, &b, &mut x).unwrap().iterations;
            let single = bits.unwrap();
            assert!(single.0.abs_diff(exact) <= 1, "{} and {exact}", single.0);
            let apart = difference(&single.1, &x);
            // Not the same numbers, or it was not single precision; but nearly.
            assert!(apart > 1e-12 && apart < 2e-4, "{tolerance} {scale}: {apart:e}");
        }
    }
}

#[test]
fn constraints_hold_in_single_precision_too() {
    let body = Body::box_of([8, 6, 5]);
    let matrix = body.implicit(0.01);
    let b = random_vector(body.len(), 8);
    let mut constraints = Constraints::new();
    constraints.fix(3, [0.0; 3]).unwrap();
    constraints.constrain(40, [0.0, 0.6, 0.8], 0.25).unwrap();
    let mut solver = loose(1e-4);
    solver.analyze(matrix.pattern(), &body.layout()).unwrap();
    solver.set_constraints(Some(constraints.clone()));
    let (_, x) = solve(&mut solver, &matrix, &b);
    assert_eq!(x[3], [0.0; 3]);
    assert!((0.6 * x[40][1] + 0.8 * x[40][2] - 0.25).abs() < 1e-6);
    let mut left: Vec<Vec3> = product(&matrix, &x)
        .iter()
        .zip(&b)
        .map(|(y, b)| std::array::from_fn(|k| b[k] - y[k]))
        .collect();
    constraints.filter(&mut left);
    assert!(norm(&left) < 2e-4 * norm(&b), "{:e}", norm(&left) / norm(&b));
}

/// A body that is hardly held and has next to no mass: what is asked of the soft modes is lost in the rounding of the stiff.
#[test]
fn what_single_precision_cannot_do_is_done_in_double_and_so_are_the_next_matrices() {
    let body = Body::box_of([20, 4, 4]);
    let matrix = body.implicit(10.0);
    let b: Vec<Vec3> = vec![[0.0, 0.0, -1e-3]; body.len()];
    let mut solver = loose(1e-4);
    solver.analyze(matrix.pattern(), &body.layout()).unwrap();
    let (first, x) = solve(&mut solver, &matrix, &b);
    assert!(difference(&product(&matrix, &x), &b) <= 1e-4);
    // The second one begins in double, and needs nothing but its own iterations.
    let (second, x) = solve(&mut solver, &matrix, &b);
    assert!(difference(&product(&matrix, &x), &b) <= 1e-4);
    assert!(second < first, "{first} and {second}");
    // That is remembered by a checkpoint.
    let mut sections = Sections::default();
    solver.save(&mut sections);
    let mut other = loose(1e-4);
    other.analyze(matrix.pattern(), &body.layout()).unwrap();
    other.load(&sections, Some(&matrix)).unwrap();
    assert_eq!(solve(&mut other, &matrix, &b), solve(&mut solver, &matrix, &b));
}
