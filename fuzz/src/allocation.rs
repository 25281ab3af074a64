//! An allocator that refuses large requests. No input of a few kilobytes justifies one: a reader
//! that makes it has believed a count that the file states. The run stops there, and libFuzzer keeps the input.

use std::alloc::{GlobalAlloc, Layout, System};

/// Far above what the largest input can need (zlib expands 4 KiB to at most 4 MiB), far below what
/// a believed count asks for.
const LIMIT: usize = 64 << 20;

struct Limited;

#[global_allocator]
static LIMITED: Limited = Limited;

fn check(bytes: usize) {
    if bytes > LIMIT {
        eprintln!("an allocation of {bytes} bytes: was a count in the input believed unchecked?");
        std::process::abort();
    }
}

// SAFETY: every request goes to the system's allocator unchanged; those that do not end the process.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        check(layout.size());
        // SAFETY: the caller's promises about `layout` are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        check(layout.size());
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        check(size);
        // SAFETY: `pointer` and `layout` came from `System` through this allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` and `layout` came from `System` through this allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}
