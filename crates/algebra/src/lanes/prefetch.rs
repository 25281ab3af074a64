//! A hint to the caches.
#![allow(unsafe_code)]

/// Asks for the cache lines of an item that will be used soon. Has no effect on results.
#[inline(always)]
pub fn prefetch<T>(item: Option<&T>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = item {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(item).cast::<i8>();
        // SAFETY: prefetches of an item that exists touch no memory as far as the program can tell, and
        // are part of SSE, which every x86-64 processor has.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(start);
            _mm_prefetch::<_MM_HINT_T0>(start.add(size_of::<T>() - 1));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}
