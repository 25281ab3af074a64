//! After the first factorisation and solution nothing is allocated, on one thread and on several.

#[path = "suite/direct_common/mod.rs"]
mod direct_common;

use direct_common::{elasticity, random_vector, tetrahedra};
use pliant_solvers::BlockSolver;
use pliant_solvers::direct::{Cholesky, CholeskySingle};
use pliant_solvers::ordering::OrderingName;
use pliant_test_support::{CountingAllocator, allocations};

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

#[test]
fn calls_after_the_first_allocate_nothing() {
    let system = tetrahedra([8, 8, 8], 0.01, 0.1, 2);
    let matrix = elasticity(&system, 1.0, 1e-4);
    let b = random_vector(matrix.rows(), 9);
    let mut x = vec![[0.0; 3]; b.len()];
    let mut double = Cholesky::new(OrderingName::Metis);
    double.analyze(&system.pattern, &system.layout()).unwrap();
    assert!(double.statistics().unwrap().tasks > 4);
    let mut single = CholeskySingle::new(OrderingName::Metis, 1e-9);
    single.analyze(&system.pattern, &system.layout()).unwrap();
    let mut step = || {
        for solver in [&mut double as &mut dyn BlockSolver, &mut single] {
            solver.factor(&matrix).unwrap();
            solver.solve(&matrix, &b, &mut x).unwrap();
        }
    };
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&mut step);
        // Workers allocate when they start, and once for the dense kernels' packing when they first
        // come to it, which may be late on a busy machine. A call that allocates would do so in every
        // batch, so one batch without is the proof.
        let made: Vec<usize> = (0..6)
            .map(|_| {
                pool.install(|| {
                    let before = allocations();
                    for _ in 0..4 {
                        step();
                    }
                    allocations() - before
                })
            })
            .collect();
        assert!(made.contains(&0), "{threads} threads: {made:?}");
    }
}
