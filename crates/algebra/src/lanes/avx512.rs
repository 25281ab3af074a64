//! Eight lanes as one 512-bit register, truth values in a mask register.
#![allow(unsafe_code)]
// Safety of every block here: a `Pack` of this module reaches code only as the type parameter that
// `dispatch::Level::run` chooses, and a `Level` of this kind exists only after the processor was
// asked for AVX-512 F, DQ and VL. The type has no public name, so no other path leads to its
// methods.

use std::arch::x86_64::{
    __m512d, __mmask8, _CMP_EQ_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _mm256_load_pd, _mm256_set1_pd,
    _mm256_store_pd, _mm512_add_pd, _mm512_and_pd, _mm512_andnot_pd, _mm512_castpd_si512,
    _mm512_castpd256_pd512, _mm512_castpd512_pd256, _mm512_castsi512_pd, _mm512_cmp_pd_mask,
    _mm512_div_pd, _mm512_extractf64x4_pd, _mm512_insertf64x4, _mm512_load_pd,
    _mm512_mask_blend_pd, _mm512_max_pd, _mm512_min_pd, _mm512_mul_pd, _mm512_or_pd,
    _mm512_set1_pd, _mm512_slli_epi64, _mm512_sqrt_pd, _mm512_srli_epi64, _mm512_store_pd,
    _mm512_sub_pd, _mm512_xor_pd,
};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::avx2::transpose4;
use super::operators::derived_operators;
use super::{F64x8, LANES, Row4};
use crate::real::scalar::{BIAS, FRACTION, WHOLE};
use crate::real::{Mask, Real};

/// Lane i is element i of the register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pack(__m512d);

/// Bit i is the truth of lane i.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackMask(__mmask8);

/// Applies an instruction to the register.
macro_rules! whole {
    ($type:ident, $f:ident $(::<$constant:ident>)?, $($arg:expr),+) => {
        // SAFETY: AVX-512 F, DQ and VL were detected, see the head of the module.
        unsafe { $type($f$(::<$constant>)?($($arg.0),+)) }
    };
}

macro_rules! operator {
    ($($op:ident $method:ident $f:ident),*) => {$(
        impl $op for Pack {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                whole!(Pack, $f, self, other)
            }
        }
    )*};
}
operator!(Add add _mm512_add_pd, Sub sub _mm512_sub_pd, Mul mul _mm512_mul_pd, Div div _mm512_div_pd);
derived_operators!(Pack);

impl Neg for Pack {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        whole!(Pack, _mm512_xor_pd, self, Self::splat(-0.0))
    }
}

impl BitAnd for PackMask {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for PackMask {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Not for PackMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Mask for PackMask {
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0 == u8::MAX
    }
    #[inline(always)]
    fn to_bits(self) -> u8 {
        self.0
    }
}

impl Real for Pack {
    type Mask = PackMask;

    #[inline(always)]
    fn unpack(self) -> [f64; LANES] {
        super::Pack::to_lanes(self)
    }
    #[inline(always)]
    fn repack(lanes: [f64; LANES]) -> Self {
        super::Pack::from_lanes(lanes)
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: AVX-512 F was detected, see the head of the module.
        unsafe { Self(_mm512_set1_pd(x)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        whole!(Pack, _mm512_sqrt_pd, self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        whole!(Pack, _mm512_andnot_pd, Self::splat(-0.0), self)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let sign = whole!(Pack, _mm512_and_pd, Self::splat(-0.0), sign);
        whole!(Pack, _mm512_or_pd, self.abs(), sign)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        whole!(Pack, _mm512_min_pd, self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        whole!(Pack, _mm512_max_pd, self, other)
    }
    #[inline(always)]
    fn less(self, other: Self) -> PackMask {
        whole!(PackMask, _mm512_cmp_pd_mask::<_CMP_LT_OQ>, self, other)
    }
    #[inline(always)]
    fn less_equal(self, other: Self) -> PackMask {
        whole!(PackMask, _mm512_cmp_pd_mask::<_CMP_LE_OQ>, self, other)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> PackMask {
        whole!(PackMask, _mm512_cmp_pd_mask::<_CMP_EQ_OQ>, self, other)
    }
    #[inline(always)]
    fn select(mask: PackMask, yes: Self, no: Self) -> Self {
        whole!(Pack, _mm512_mask_blend_pd, mask, no, yes)
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let kept = f64::from_bits((1 << 63) | FRACTION);
        let m = whole!(Pack, _mm512_and_pd, self, Self::splat(kept));
        let m = whole!(Pack, _mm512_or_pd, m, Self::one());
        let biased = whole!(Pack, exponent_bits, self);
        let biased = whole!(Pack, _mm512_or_pd, biased, Self::splat(WHOLE));
        (m, biased - (WHOLE + BIAS))
    }
    #[inline(always)]
    fn power_of_two(k: Self) -> Self {
        whole!(Pack, low_bits_to_exponent, (k + (WHOLE + BIAS)))
    }
}

/// The biased exponent in the low bits, without the sign.
#[inline]
#[target_feature(enable = "avx512f")]
fn exponent_bits(x: __m512d) -> __m512d {
    let bits = _mm512_castpd_si512(x);
    _mm512_castsi512_pd(_mm512_srli_epi64::<53>(_mm512_slli_epi64::<1>(bits)))
}

/// Moves the low 12 bits to the place of sign and exponent.
#[inline]
#[target_feature(enable = "avx512f")]
fn low_bits_to_exponent(x: __m512d) -> __m512d {
    _mm512_castsi512_pd(_mm512_slli_epi64::<52>(_mm512_castpd_si512(x)))
}

impl super::Pack for Pack {
    type Quad = super::quad::Four;

    #[inline(always)]
    fn load(lanes: &F64x8) -> Self {
        // SAFETY: AVX-512 F was detected, see the head of the module; `F64x8` is 8 doubles aligned
        // to 64 bytes.
        unsafe { Self(_mm512_load_pd(lanes.0.as_ptr())) }
    }
    #[inline(always)]
    fn store(self) -> F64x8 {
        let mut lanes = F64x8::default();
        // SAFETY: AVX-512 F was detected, see the head of the module; `F64x8` is 8 doubles aligned
        // to 64 bytes.
        unsafe { _mm512_store_pd(lanes.0.as_mut_ptr(), self.0) };
        lanes
    }
    #[inline(always)]
    fn gather(table: &[Row4], index: &[u32; LANES]) -> [Self; 4] {
        // SAFETY: AVX-512 F was detected and includes AVX2, see the head of the module; `Row4` is 4
        // doubles aligned to 32 bytes.
        unsafe {
            let mut rows = [_mm256_set1_pd(0.0); LANES];
            for l in 0..LANES {
                rows[l] = _mm256_load_pd(table[index[l] as usize].0.as_ptr());
            }
            let [a, b, c, d, e, f, g, h] = rows;
            let (low, high) = (transpose4([a, b, c, d]), transpose4([e, f, g, h]));
            let mut packs = [Self::splat(0.0); 4];
            for k in 0..4 {
                packs[k] = Self(_mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low[k]), high[k]));
            }
            packs
        }
    }
    #[inline(always)]
    fn rows(packs: [Self; 4]) -> [Row4; LANES] {
        let mut rows = [Row4::default(); LANES];
        // SAFETY: AVX-512 F was detected and includes AVX2, see the head of the module; `Row4` is 4
        // doubles aligned to 32 bytes.
        unsafe {
            let (mut low, mut high) = ([_mm256_set1_pd(0.0); 4], [_mm256_set1_pd(0.0); 4]);
            for k in 0..4 {
                low[k] = _mm512_castpd512_pd256(packs[k].0);
                high[k] = _mm512_extractf64x4_pd::<1>(packs[k].0);
            }
            let (low, high) = (transpose4(low), transpose4(high));
            for l in 0..4 {
                _mm256_store_pd(rows[l].0.as_mut_ptr(), low[l]);
                _mm256_store_pd(rows[4 + l].0.as_mut_ptr(), high[l]);
            }
        }
        rows
    }
}
