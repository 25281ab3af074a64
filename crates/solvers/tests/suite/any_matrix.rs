//! Dense and bordered matrices through the same seam as matrices of blocks.

use std::sync::Arc;

use pliant_algebra::sparse::Pattern;
use pliant_solvers::matrix::{Matrix, MatrixProduct, Shape};
use pliant_solvers::{AnyMatrix, Choice, LinearSolver, SolverError, SolverName};

/// A chain of vertices with two dense rows around it; `corner` is added to the diagonal of the latter.
fn bordered(vertices: usize, corner: f64) -> Matrix {
    let couplings =
        |couple: &mut dyn FnMut(u32, u32)| (1..vertices as u32).for_each(|i| couple(i - 1, i));
    let pattern = Arc::new(Pattern::symmetric(vertices, couplings).unwrap());
    let mut matrix = Matrix::zero(&Shape::Bordered { pattern, border: 2 });
    let Matrix::Bordered(a) = &mut matrix else { unreachable!() };
    for i in 0..vertices as u32 {
        assert!(a.blocks.add(i, i, &[4.0, 0.2, 0.1, 0.2, 5.0, 0.3, 0.1, 0.3, 6.0]));
        if i > 0 {
            let value = |k: usize| 0.3 * ((k + 2 * i as usize) as f64).sin();
            assert!(a.blocks.add(i - 1, i, &std::array::from_fn(value)));
        }
    }
    for (k, c) in a.border.iter_mut().enumerate() {
        *c = 0.2 * (k as f64 * 0.9).cos();
    }
    a.corner.values.copy_from_slice(&[corner, 0.3, 0.3, corner]);
    matrix
}

fn solver(name: SolverName) -> AnyMatrix {
    AnyMatrix::new(Choice { solver: name, ..Choice::default() }).unwrap()
}

/// The largest error of a solve for a known answer.
fn error(solver: &mut dyn LinearSolver, matrix: &Matrix) -> Result<f64, SolverError> {
    let n = matrix.shape().size();
    let exact: Vec<f64> = (0..n).map(|i| (0.37 * i as f64).sin()).collect();
    let (mut b, mut x) = (vec![0.0; n], vec![0.0; n]);
    MatrixProduct::new(&matrix.shape()).apply(matrix, &exact, &mut b);
    solver.analyze(&matrix.shape(), None)?;
    solver.factor(matrix)?;
    let report = solver.solve(matrix, &b, &mut x)?;
    assert!(report.relative_residual < 1e-7, "{report:?}");
    Ok(x.iter().zip(&exact).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max))
}

#[test]
fn a_bordered_matrix_is_solved_by_elimination_and_by_cg() {
    let matrix = bordered(12, 8.0);
    for (name, tolerance) in [
        (SolverName::Auto, 1e-12),
        (SolverName::Cholesky, 1e-12),
        (SolverName::Ldlt, 1e-12),
        (SolverName::Lu, 1e-12),
        (SolverName::Cg, 1e-6),
    ] {
        let found = error(&mut solver(name), &matrix).unwrap();
        assert!(found < tolerance, "{}: {found:e}", name.name());
    }
    assert!(solver(SolverName::Auto).note().is_some());
}

#[test]
fn a_saddle_is_solved_and_is_an_error_only_where_a_definite_matrix_is_wanted() {
    let matrix = bordered(12, -0.5);
    let mut any = solver(SolverName::Auto);
    assert!(error(&mut any, &matrix).unwrap() < 1e-12);
    any.wants_definite(true);
    let refused = error(&mut any, &matrix).unwrap_err();
    assert!(matches!(refused, SolverError::NotPositiveDefinite { vertex: 12, .. }), "{refused}");
}

#[test]
fn blocks_that_are_indefinite_go_over_to_ldlt() {
    let mut matrix = bordered(6, 8.0);
    let Matrix::Bordered(a) = &mut matrix else { unreachable!() };
    assert!(a.blocks.add(2, 2, &[-12.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
    let mut any = solver(SolverName::Auto);
    assert!(error(&mut any, &matrix).unwrap() < 1e-11);
    assert!(any.note().unwrap().contains("ldlt"), "{:?}", any.note());
}

#[test]
fn methods_for_blocks_alone_refuse_the_others_by_name() {
    let shape = Shape::Dense { size: 4, symmetric: true };
    for name in [SolverName::Minres, SolverName::Bicgstab, SolverName::Gmres] {
        let text = solver(name).analyze(&shape, None).unwrap_err().to_string();
        assert!(text.contains(name.name()) && text.contains("take auto"), "{text}");
    }
    let shape = Shape::Dense { size: 4, symmetric: false };
    assert!(solver(SolverName::Cg).analyze(&shape, None).is_err());
    let pattern = Arc::new(Pattern::unsymmetric(3, |_| ()).unwrap());
    let text = solver(SolverName::Auto)
        .analyze(&Shape::Bordered { pattern, border: 1 }, None)
        .unwrap_err()
        .to_string();
    assert!(text.contains("border around unsymmetric blocks"), "{text}");
}
