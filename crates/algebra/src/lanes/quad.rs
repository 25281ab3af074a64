//! [`Quad`]: four doubles in one register, for kernels whose vectors run along a row of memory, not
//! across elements.
#![allow(unsafe_code)]
// Safety of the blocks of `Four`: it is met only as `Pack::Quad` of a pack of AVX2 or AVX-512, which exist
// only after the processor was asked (see there).

use std::ops::{Add, Mul, Sub};

use super::Row4;

/// Four numbers that move in step.
pub trait Quad: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The same four times.
    fn splat(x: f64) -> Self;
    /// From anywhere in memory.
    fn load(from: &[f64; 4]) -> Self;
    /// From a row.
    fn from_row(row: &Row4) -> Self;
    /// Into a row.
    fn to_row(self) -> Row4;
    /// (1, 2, 3, 0): each entry moves one place down.
    #[must_use]
    fn rotate(self) -> Self;
}

/// On any machine.
#[derive(Clone, Copy, Debug)]
pub struct Plain4([f64; 4]);

macro_rules! plain {
    ($($op:ident $method:ident),*) => {$(
        impl $op for Plain4 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let (a, b) = (self.0, other.0);
                Self([a[0].$method(b[0]), a[1].$method(b[1]), a[2].$method(b[2]), a[3].$method(b[3])])
            }
        }
    )*};
}
plain!(Add add, Sub sub, Mul mul);

impl Quad for Plain4 {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; 4])
    }
    #[inline(always)]
    fn load(from: &[f64; 4]) -> Self {
        Self(*from)
    }
    #[inline(always)]
    fn from_row(row: &Row4) -> Self {
        Self(row.0)
    }
    #[inline(always)]
    fn to_row(self) -> Row4 {
        Row4(self.0)
    }
    #[inline(always)]
    fn rotate(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([b, c, d, a])
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use wide::Four;

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m256d, _mm256_add_pd, _mm256_load_pd, _mm256_loadu_pd, _mm256_mul_pd,
        _mm256_permute4x64_pd, _mm256_set1_pd, _mm256_store_pd, _mm256_sub_pd,
    };

    use super::{Add, Mul, Quad, Row4, Sub};

    /// A 256-bit register.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Four(__m256d);

    macro_rules! operator {
        ($($op:ident $method:ident $f:ident),*) => {$(
            impl $op for Four {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: AVX2 was detected, see the head of the module.
                    unsafe { Self($f(self.0, other.0)) }
                }
            }
        )*};
    }
    operator!(Add add _mm256_add_pd, Sub sub _mm256_sub_pd, Mul mul _mm256_mul_pd);

    impl Quad for Four {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: AVX2 was detected, see the head of the module.
            unsafe { Self(_mm256_set1_pd(x)) }
        }
        #[inline(always)]
        fn load(from: &[f64; 4]) -> Self {
            // SAFETY: AVX2 was detected, see the head of the module; the four doubles are there.
            unsafe { Self(_mm256_loadu_pd(from.as_ptr())) }
        }
        #[inline(always)]
        fn from_row(row: &Row4) -> Self {
            // SAFETY: AVX2 was detected, see the head of the module; rows are aligned to 32 bytes.
            unsafe { Self(_mm256_load_pd(row.0.as_ptr())) }
        }
        #[inline(always)]
        fn to_row(self) -> Row4 {
            let mut row = Row4::default();
            // SAFETY: AVX2 was detected, see the head of the module; rows are aligned to 32 bytes.
            unsafe { _mm256_store_pd(row.0.as_mut_ptr(), self.0) };
            row
        }
        #[inline(always)]
        fn rotate(self) -> Self {
            // SAFETY: AVX2 was detected, see the head of the module.
            unsafe { Self(_mm256_permute4x64_pd::<0b00_11_10_01>(self.0)) }
        }
    }
}
