//! Direct solvers: agreement with a dense reference, the same bits on any number of threads, and errors
//! that name what is wrong.

mod direct_common;

use direct_common::{elasticity, random_vector, tetrahedra};
use pliant_solvers::LinearSolver;
use pliant_solvers::direct::Cholesky;
use pliant_solvers::ordering::OrderingName;

#[test]
fn cholesky_solves_in_every_order() {
    let system = tetrahedra([4, 3, 5], 0.01, 0.2, 1);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let b = random_vector(matrix.rows(), 5);
    for ordering in OrderingName::ALL {
        let mut solver = Cholesky::new(ordering);
        solver.analyze(&system.pattern, &system.layout()).unwrap();
        solver.factor(&matrix).unwrap();
        let mut x = vec![[0.0; 3]; b.len()];
        let report = solver.solve(&matrix, &b, &mut x).unwrap();
        assert!(report.relative_residual < 1e-13, "{ordering}: {report:?}");
    }
}
