//! `cholesky-single`: as good as was asked for, with numbers of four bytes where they do, and of eight where they do
//! not.

use crate::direct_common;

use direct_common::{System, elasticity, random_vector, tetrahedra};
use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::{self, Vec3};
use pliant_solvers::direct::{Cholesky, CholeskySingle};
use pliant_solvers::ordering::OrderingName;
use pliant_solvers::{BlockSolver, Report, SolverError};

fn system() -> (System, BlockMatrix, Vec<Vec3>) {
    let system = tetrahedra([9, 5, 4], 0.01, 0.1, 2);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let b = random_vector(matrix.rows(), 9);
    (system, matrix, b)
}

fn solve(
    solver: &mut dyn BlockSolver,
    system: &System,
    matrix: &BlockMatrix,
    b: &[Vec3],
) -> Result<(Vec<Vec3>, Report), SolverError> {
    solver.analyze(matrix.pattern(), &system.layout())?;
    solver.factor(matrix)?;
    let mut x = vec![[f64::NAN; 3]; b.len()];
    let report = solver.solve(matrix, b, &mut x)?;
    Ok((x, report))
}

fn single(tolerance: f64) -> CholeskySingle {
    CholeskySingle::new(OrderingName::Metis, tolerance)
}

fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    let norm = |v: &mut dyn Iterator<Item = Vec3>| v.map(vec3::norm_squared).sum::<f64>().sqrt();
    norm(&mut a.iter().zip(b).map(|(a, b)| vec3::sub(*a, *b))) / norm(&mut b.iter().copied())
}

#[test]
fn solutions_are_as_good_as_was_asked_for() {
    let (system, matrix, b) = system();
    let mut double = Cholesky::new(OrderingName::Metis);
    let (exact, _) = solve(&mut double, &system, &matrix, &b).unwrap();
    let mut steps = Vec::new();
    for tolerance in [1e-2, 1e-7, 1e-11] {
        let mut solver = single(tolerance);
        let (x, report) = solve(&mut solver, &system, &matrix, &b).unwrap();
        assert!(solver.note().is_none(), "{:?}", solver.note());
        let error = distance(&x, &exact);
        println!("{tolerance:e}: {report:?}, error {error:.1e}");
        assert!(report.relative_residual <= tolerance, "{report:?}");
        assert!(error <= 10.0 * tolerance, "{tolerance:e}: {error:.1e}");
        // It is no double precision in disguise.
        assert!(report.iterations > 0 || error > 1e-9, "{tolerance:e}: {error:.1e}");
        steps.push(report.iterations);
    }
    assert!(steps[0] == 0 && steps[0] < steps[1] && steps[1] < steps[2], "{steps:?}");
}

#[test]
fn a_tolerance_set_later_holds() {
    let (system, matrix, b) = system();
    let mut solver = single(1e-2);
    let (mut x, rough) = solve(&mut solver, &system, &matrix, &b).unwrap();
    solver.set_tolerance(1e-10);
    let fine = solver.solve(&matrix, &b, &mut x).unwrap();
    assert!(
        rough.relative_residual > 1e-10 && fine.relative_residual <= 1e-10,
        "{rough:?} {fine:?}"
    );
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (system, matrix, b) = system();
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve(&mut single(1e-9), &system, &matrix, &b).unwrap().0)
    };
    let one = on(1);
    assert!([2, 3].into_iter().all(|threads| on(threads) == one));
}

#[test]
fn the_size_of_right_hand_sides_does_not_matter() {
    let (system, matrix, b) = system();
    let (x, _) = solve(&mut single(1e-9), &system, &matrix, &b).unwrap();
    // Far beyond what numbers of four bytes can hold; powers of two, so that nothing is rounded.
    for exponent in [-400, 400] {
        let factor = 2.0_f64.powi(exponent);
        let scaled: Vec<Vec3> = b.iter().map(|b| b.map(|b| factor * b)).collect();
        let (y, _) = solve(&mut single(1e-9), &system, &matrix, &scaled).unwrap();
        let back: Vec<Vec3> = y.iter().map(|y| y.map(|y| y / factor)).collect();
        assert!(distance(&back, &x) < 1e-8, "2^{exponent}: {:.1e}", distance(&back, &x));
    }
}

#[test]
fn a_matrix_that_needs_more_digits_gets_them() {
    let (system, _, b) = system();
    // Nearly afloat: hardly any mass keeps it where it is.
    let matrix = elasticity(&system, 1e-7, 1e-4);
    let mut solver = single(1e-7);
    let (x, _) = solve(&mut solver, &system, &matrix, &b).unwrap();
    assert!(solver.note().is_some_and(|n| n.contains("double")), "{:?}", solver.note());
    let (exact, _) = solve(&mut Cholesky::new(OrderingName::Metis), &system, &matrix, &b).unwrap();
    assert_eq!(x, exact);
    // What does not need them goes back to numbers of four bytes.
    solver.factor(&elasticity(&system, 1.0, 1e-4)).unwrap();
    assert!(solver.note().is_none());
}

#[test]
fn an_indefinite_matrix_is_an_error() {
    let (system, mut matrix, b) = system();
    let mean = matrix.diagonal().map(|b| b[0]).sum::<f64>() / matrix.rows() as f64;
    let less = -0.3 * mean;
    for i in 0..matrix.rows() as u32 {
        matrix.add(i, i, &[less, 0.0, 0.0, 0.0, less, 0.0, 0.0, 0.0, less]);
    }
    let error = solve(&mut single(1e-7), &system, &matrix, &b).unwrap_err();
    assert!(matches!(error, SolverError::NotPositiveDefinite { .. }), "{error}");
}
