//! After the first solve nothing is allocated, on one thread and on several.

#[path = "suite/iterative_common/mod.rs"]
mod iterative_common;

use iterative_common::{Body, random_vector};
use pliant_solvers::BlockSolver;
use pliant_solvers::iterative::{Bicgstab, Gmres, Minres, PreconditionerName, Settings};
use pliant_test_support::{CountingAllocator, allocations};

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

#[test]
fn solves_after_the_first_allocate_nothing() {
    let body = Body::box_of([18, 12, 12]);
    let matrix = body.implicit(0.005);
    let b = random_vector(body.len(), 1);
    let settings = Settings { tolerance: 1e-4, ..Settings::default() };
    let diagonal = || PreconditionerName::BlockDiagonal.build();
    let mut solvers: Vec<Box<dyn BlockSolver>> = vec![
        Box::new(Minres::new(diagonal(), settings)),
        Box::new(Bicgstab::new(diagonal(), settings)),
        Box::new(Gmres::with_restart(diagonal(), settings, 10)),
    ];
    for &name in PreconditionerName::ALL {
        solvers.push(name.cg(settings).unwrap());
    }
    let mut x = vec![[0.0; 3]; b.len()];
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for solver in &mut solvers {
            pool.install(|| solver.analyze(&body.pattern, &body.layout())).unwrap();
            let mut round = || {
                solver.factor(&matrix).unwrap();
                x.fill([0.0; 3]);
                solver.solve(&matrix, &b, &mut x).unwrap();
            };
            pool.install(&mut round);
            // A worker of the pool allocates when it first looks for work, which may be late; a
            // round that allocates would do so every time, so one round without is the proof.
            let made: Vec<usize> = (0..6)
                .map(|_| {
                    pool.install(|| {
                        let before = allocations();
                        round();
                        allocations() - before
                    })
                })
                .collect();
            assert!(made.contains(&0), "{}, {threads} threads: {made:?}", solver.name());
        }
    }
}
