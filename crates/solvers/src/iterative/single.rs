//! [`Single4`]: four single-precision numbers in one register.
//!
//! Every x86-64 processor has such registers, so no level need be asked for.

use std::ops::{Add, Mul, Sub};

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128, _mm_add_ps, _mm_movehl_ps, _mm_movelh_ps, _mm_mul_ps, _mm_set1_ps, _mm_setr_ps,
    _mm_setzero_ps, _mm_sub_ps, _mm_unpackhi_ps, _mm_unpacklo_ps,
};

#[cfg(not(target_arch = "x86_64"))]
type Register = [f32; 4];
#[cfg(target_arch = "x86_64")]
type Register = __m128;

/// A vector of three with a spare entry, as it lies in memory.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(16))]
pub(super) struct Row(pub [f32; 4]);

/// Four numbers that move in step.
#[derive(Clone, Copy)]
pub(super) struct Single4(Register);

macro_rules! operators {
    ($($op:ident $method:ident $wide:ident),*) => {$(
        impl $op for Single4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: SSE is part of x86-64.
                #[allow(unused_unsafe, unsafe_code)]
                let out = unsafe { $wide(self.0, other.0) };
                #[cfg(not(target_arch = "x86_64"))]
                let out = std::array::from_fn(|l| self.0[l].$method(other.0[l]));
                Self(out)
            }
        }
    )*};
}
operators!(Add add _mm_add_ps, Sub sub _mm_sub_ps, Mul mul _mm_mul_ps);

impl Single4 {
    /// From anywhere in memory.
    #[inline(always)]
    pub(super) fn load(from: &[f32; 4]) -> Self {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: SSE is part of x86-64. The compiler makes one load of the four.
        #[allow(unused_unsafe, unsafe_code)]
        let out = unsafe { _mm_setr_ps(from[0], from[1], from[2], from[3]) };
        #[cfg(not(target_arch = "x86_64"))]
        let out = *from;
        Self(out)
    }

    /// The same four times.
    #[inline(always)]
    pub(super) fn splat(x: f32) -> Self {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: SSE is part of x86-64.
        #[allow(unused_unsafe, unsafe_code)]
        let out = unsafe { _mm_set1_ps(x) };
        #[cfg(not(target_arch = "x86_64"))]
        let out = [x; 4];
        Self(out)
    }

    /// The sums of the entries of three, and zero: (a₀+a₂)+(a₁+a₃), …
    #[inline(always)]
    pub(super) fn sums([a, b, c]: [Self; 3]) -> Self {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: SSE is part of x86-64.
        #[allow(unused_unsafe, unsafe_code)]
        let out = unsafe {
            let zero = _mm_setzero_ps();
            let ab = _mm_add_ps(_mm_unpacklo_ps(a.0, b.0), _mm_unpackhi_ps(a.0, b.0));
            let cz = _mm_add_ps(_mm_unpacklo_ps(c.0, zero), _mm_unpackhi_ps(c.0, zero));
            _mm_add_ps(_mm_movelh_ps(ab, cz), _mm_movehl_ps(cz, ab))
        };
        #[cfg(not(target_arch = "x86_64"))]
        let out = {
            let sum = |v: Register| (v[0] + v[2]) + (v[1] + v[3]);
            [sum(a.0), sum(b.0), sum(c.0), 0.0]
        };
        Self(out)
    }

    #[inline(always)]
    pub(super) fn row(self) -> Row {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: both are four single-precision numbers in 16 bytes.
        #[allow(unsafe_code)]
        let out = unsafe { std::mem::transmute::<__m128, [f32; 4]>(self.0) };
        #[cfg(not(target_arch = "x86_64"))]
        let out = self.0;
        Row(out)
    }
}
