//! After the first call nothing is allocated, on one thread and on several.
#![allow(unsafe_code)] // A global allocator that counts cannot be written without.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::laws::PlainNeoHookean;
use common::{deformed, irregular_box, pattern_of};
use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_elements::Tet4;
use pliant_forces::{Ask, ForceModel, Parameters, Partition, Solid, State};

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
fn calls_after_the_first_allocate_nothing() {
    let mesh = irregular_box(4, [6, 5, 4]);
    let partition = Partition::with_chunk_size(&mesh, 60).unwrap();
    let mut model =
        Solid::new(&mesh, &partition, Tet4, PlainNeoHookean, Parameters::Uniform(&[1.5, 1.0]))
            .unwrap();
    let x = deformed(&mesh, &partition, 0.01);
    let pattern = pattern_of(&model, x.len());
    model.bind(&|i, j| pattern.slot(i, j).unwrap());
    let mut matrix = BlockMatrix::zero(pattern.clone());
    let mut product = Product::new(&pattern);
    let (mut energy, mut g, mut y) = (0.0, vec![[0.0; 3]; x.len()], vec![[0.0; 3]; x.len()]);
    let mut step = || {
        let mut ask = Ask {
            energy: Some(&mut energy),
            gradient: Some(&mut g),
            tangent: Some(&mut matrix.values),
            position_weight: 1.0,
            ..Ask::default()
        };
        model.add(&State { x: &x, v: &x, time: 0.0 }, &mut ask).unwrap();
        product.apply(&matrix.values, &x, &mut y);
    };
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        // A worker of the pool allocates when it starts and when it first looks for work, which may be
        // late on a busy machine: at most twice a worker, once. A call that allocates would do so in
        // every batch, so one batch without is the proof.
        let batch = |step: &mut (dyn FnMut() + Send)| {
            pool.install(|| {
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                for _ in 0..200 {
                    step();
                }
                ALLOCATIONS.load(Ordering::Relaxed) - before
            })
        };
        pool.install(&mut step);
        let made: Vec<usize> = (0..5).map(|_| batch(&mut step)).collect();
        assert!(made.contains(&0), "{threads} threads: {made:?}");
        assert!(made.iter().sum::<usize>() <= 2 * threads, "{threads} threads: {made:?}");
    }
}
