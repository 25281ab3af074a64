//! Test tools that several crates share. Only tests depend on this crate.
#![allow(unsafe_code)] // An allocator that counts cannot be written without.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OF_THREAD: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting calls. A test binary makes it its `#[global_allocator]`:
///
/// ```
/// use pliant_test_support::{CountingAllocator, allocations};
///
/// #[global_allocator]
/// static COUNTING: CountingAllocator = CountingAllocator;
///
/// let before = allocations();
/// drop(std::hint::black_box(vec![1.0; 3]));
/// assert_eq!(allocations() - before, 1);
/// ```
#[derive(Debug)]
pub struct CountingAllocator;

/// Returns the number of allocations and reallocations so far, on all threads.
pub fn allocations() -> usize {
    ALLOCATIONS.load(Ordering::Relaxed)
}

/// Returns the number of allocations and reallocations so far on this thread, for tests that run beside others.
pub fn allocations_of_thread() -> usize {
    OF_THREAD.get()
}

fn count() {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    // A thread that is ending has no counter any more.
    let _ = OF_THREAD.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes to the system's allocator unchanged. Counting neither allocates nor unwinds: the atomic
// and the constant-initialised cell need no memory of their own.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is handed on.
        unsafe { System.realloc(at, layout, size) }
    }
}
