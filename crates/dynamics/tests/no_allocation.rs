//! After the first steps nothing is allocated, on one thread and on several.
#![allow(unsafe_code)] // A global allocator that counts cannot be written without.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::Body;
use pliant_dynamics::{IntegratorName, Options, Role, StepControl};
use pliant_forces::damping::LinearDamping;
use pliant_solvers::{Choice, SolverName};

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

/// Steps until there is no doubt, on one thread and on two.
fn check(name: IntegratorName, options: &Options, what: &str) {
    let mut body =
        Body::bar("neo-hookean", [6, 2, 2], 0.4).with_gravity([0.0, -9.81, 0.0]).clamped();
    if name != IntegratorName::Verlet {
        let damping = LinearDamping::mass_proportional(&body.masses, 0.5).unwrap();
        body = body.with_model(Role::Damping, Box::new(damping)).damped(1e-5);
    }
    let (mut system, mut state) = body.system();
    let mut integrator = name.build(options).unwrap();
    let mut step = || integrator.step(&mut system, &mut state, 0.002).map(drop).unwrap();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (0..8).for_each(|_| step()));
        // A worker of the pool allocates when it first looks for work, which may be late: a
        // step that allocates would do so in every batch, so one batch without is the proof.
        let made: Vec<usize> = (0..4)
            .map(|_| {
                pool.install(|| {
                    let before = ALLOCATIONS.load(Ordering::Relaxed);
                    (0..5).for_each(|_| step());
                    ALLOCATIONS.load(Ordering::Relaxed) - before
                })
            })
            .collect();
        assert!(made.contains(&0), "{} with {what}, {threads} threads: {made:?}", name.name());
    }
}

#[test]
fn steps_after_the_first_allocate_nothing() {
    for solver in [SolverName::Cholesky, SolverName::Cg] {
        let options =
            Options { solver: Choice { solver, ..Choice::default() }, ..Options::default() };
        for &name in IntegratorName::ALL {
            check(name, &options, solver.name());
        }
    }
    use IntegratorName as I;
    for tolerance in [1e-3, 1e-9] {
        let control = Some(StepControl::with_tolerance(tolerance));
        for name in [I::DormandPrince5, I::DormandPrince853, I::Rkc2] {
            check(name, &Options { control, ..Options::default() }, "step control");
        }
    }
}
