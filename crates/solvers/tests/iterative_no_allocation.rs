//! After the first solve nothing is allocated, on one thread and on several.
#![allow(unsafe_code)] // A global allocator that counts cannot be written without.

mod iterative_common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use iterative_common::{Body, random_vector};
use pliant_solvers::LinearSolver;
use pliant_solvers::iterative::{Bicgstab, Gmres, Minres, PreconditionerName, Settings};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn solves_after_the_first_allocate_nothing() {
    let body = Body::box_of([18, 12, 12]);
    let matrix = body.implicit(0.005);
    let b = random_vector(body.len(), 1);
    let settings = Settings { tolerance: 1e-4, ..Settings::default() };
    let diagonal = || PreconditionerName::BlockDiagonal.build();
    let mut solvers: Vec<Box<dyn LinearSolver>> = vec![
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
                        let before = ALLOCATIONS.load(Ordering::Relaxed);
                        round();
                        ALLOCATIONS.load(Ordering::Relaxed) - before
                    })
                })
                .collect();
            assert!(made.contains(&0), "{}, {threads} threads: {made:?}", solver.name());
        }
    }
}
