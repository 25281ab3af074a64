//! Eight lanes as two 256-bit registers.
#![allow(unsafe_code)]
// Safety of every block here: a `Pack` of this module reaches code only as the type parameter that
// `dispatch::Level::run` chooses, and a `Level` of this kind exists only after the processor was
// asked for AVX2. The type has no public name, so no other path leads to its methods.

use std::arch::x86_64::{
    __m256d, _CMP_EQ_OQ, _CMP_LE_OQ, _CMP_LT_OQ, _mm_load_pd, _mm256_add_pd, _mm256_and_pd,
    _mm256_andnot_pd, _mm256_blendv_pd, _mm256_castpd_si256, _mm256_castpd128_pd256,
    _mm256_castsi256_pd, _mm256_cmp_pd, _mm256_div_pd, _mm256_insertf128_pd, _mm256_load_pd,
    _mm256_max_pd, _mm256_min_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_or_pd,
    _mm256_permute2f128_pd, _mm256_set1_pd, _mm256_slli_epi64, _mm256_sqrt_pd, _mm256_srli_epi64,
    _mm256_store_pd, _mm256_sub_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd, _mm256_xor_pd,
};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::operators::derived_operators;
use super::{F64x8, LANES, Row4};
use crate::real::scalar::{BIAS, FRACTION, WHOLE};
use crate::real::{Mask, Real};

/// Lanes 0 to 3 and 4 to 7.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pack([__m256d; 2]);

/// All bits of a true lane are set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackMask([__m256d; 2]);

/// Applies an instruction to both halves.
macro_rules! halves {
    ($type:ident, $f:ident $(::<$constant:ident>)?, $a:expr) => {{
        let a = $a.0;
        // SAFETY: AVX2 was detected, see the head of the module.
        unsafe { $type([$f$(::<$constant>)?(a[0]), $f$(::<$constant>)?(a[1])]) }
    }};
    ($type:ident, $f:ident $(::<$constant:ident>)?, $a:expr, $b:expr) => {{
        let (a, b) = ($a.0, $b.0);
        // SAFETY: AVX2 was detected, see the head of the module.
        unsafe { $type([$f$(::<$constant>)?(a[0], b[0]), $f$(::<$constant>)?(a[1], b[1])]) }
    }};
}

macro_rules! operator {
    ($type:ident: $($op:ident $method:ident $f:ident),*) => {$(
        impl $op for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                halves!($type, $f, self, other)
            }
        }
    )*};
}
operator!(Pack: Add add _mm256_add_pd, Sub sub _mm256_sub_pd, Mul mul _mm256_mul_pd, Div div _mm256_div_pd);
operator!(PackMask: BitAnd bitand _mm256_and_pd, BitOr bitor _mm256_or_pd);
derived_operators!(Pack);

impl Neg for Pack {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        halves!(Pack, _mm256_xor_pd, self, Self::splat(-0.0))
    }
}

impl Not for PackMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        let ones = Pack::splat(f64::from_bits(u64::MAX));
        halves!(PackMask, _mm256_xor_pd, self, ones)
    }
}

impl Mask for PackMask {
    #[inline(always)]
    fn any(self) -> bool {
        self.to_bits() != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.to_bits() == u8::MAX
    }
    #[inline(always)]
    fn to_bits(self) -> u8 {
        // SAFETY: AVX2 was detected, see the head of the module.
        let (low, high) = unsafe { (_mm256_movemask_pd(self.0[0]), _mm256_movemask_pd(self.0[1])) };
        (low | high << (LANES / 2)) as u8
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
        // SAFETY: AVX2 was detected, see the head of the module.
        unsafe { Self([_mm256_set1_pd(x); 2]) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        halves!(Pack, _mm256_sqrt_pd, self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        halves!(Pack, _mm256_andnot_pd, Self::splat(-0.0), self)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let sign = halves!(Pack, _mm256_and_pd, Self::splat(-0.0), sign);
        halves!(Pack, _mm256_or_pd, self.abs(), sign)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        halves!(Pack, _mm256_min_pd, self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        halves!(Pack, _mm256_max_pd, self, other)
    }
    #[inline(always)]
    fn less(self, other: Self) -> PackMask {
        halves!(PackMask, _mm256_cmp_pd::<_CMP_LT_OQ>, self, other)
    }
    #[inline(always)]
    fn less_equal(self, other: Self) -> PackMask {
        halves!(PackMask, _mm256_cmp_pd::<_CMP_LE_OQ>, self, other)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> PackMask {
        halves!(PackMask, _mm256_cmp_pd::<_CMP_EQ_OQ>, self, other)
    }
    #[inline(always)]
    fn select(mask: PackMask, yes: Self, no: Self) -> Self {
        // SAFETY: AVX2 was detected, see the head of the module.
        unsafe {
            Self([
                _mm256_blendv_pd(no.0[0], yes.0[0], mask.0[0]),
                _mm256_blendv_pd(no.0[1], yes.0[1], mask.0[1]),
            ])
        }
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let kept = f64::from_bits((1 << 63) | FRACTION);
        let m = halves!(Pack, _mm256_and_pd, self, Self::splat(kept));
        let m = halves!(Pack, _mm256_or_pd, m, Self::one());
        let biased = halves!(Pack, exponent_bits, self);
        let biased = halves!(Pack, _mm256_or_pd, biased, Self::splat(WHOLE));
        (m, biased - (WHOLE + BIAS))
    }
    #[inline(always)]
    fn power_of_two(k: Self) -> Self {
        halves!(Pack, low_bits_to_exponent, k + (WHOLE + BIAS))
    }
}

/// The biased exponent in the low bits, without the sign.
#[inline]
#[target_feature(enable = "avx2")]
fn exponent_bits(x: __m256d) -> __m256d {
    let bits = _mm256_castpd_si256(x);
    _mm256_castsi256_pd(_mm256_srli_epi64::<53>(_mm256_slli_epi64::<1>(bits)))
}

/// Moves the low 12 bits to the place of sign and exponent.
#[inline]
#[target_feature(enable = "avx2")]
fn low_bits_to_exponent(x: __m256d) -> __m256d {
    _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_castpd_si256(x)))
}

impl super::Pack for Pack {
    type Quad = super::quad::Four;

    #[inline(always)]
    fn load(lanes: &F64x8) -> Self {
        let start = lanes.0.as_ptr();
        // SAFETY: AVX2 was detected, see the head of the module; `F64x8` is 8 doubles aligned to 64
        // bytes, so both halves are in bounds and aligned to 32.
        unsafe { Self([_mm256_load_pd(start), _mm256_load_pd(start.add(LANES / 2))]) }
    }
    #[inline(always)]
    fn store(self) -> F64x8 {
        let mut lanes = F64x8::default();
        let start = lanes.0.as_mut_ptr();
        // SAFETY: AVX2 was detected, see the head of the module; `F64x8` is 8 doubles aligned to 64
        // bytes, so both halves are in bounds and aligned to 32.
        unsafe {
            _mm256_store_pd(start, self.0[0]);
            _mm256_store_pd(start.add(LANES / 2), self.0[1]);
        }
        lanes
    }
    #[inline(always)]
    fn gather(table: &[Row4], index: &[u32; LANES]) -> [Self; 4] {
        // SAFETY: AVX2 was detected, see the head of the module; `Row4` is 4 doubles aligned to 32
        // bytes.
        let (a, b) = unsafe {
            let mut rows = [_mm256_set1_pd(0.0); LANES];
            for l in 0..LANES {
                rows[l] = _mm256_load_pd(table[index[l] as usize].0.as_ptr());
            }
            let [a, b, c, d, e, f, g, h] = rows;
            (transpose4([a, b, c, d]), transpose4([e, f, g, h]))
        };
        [Self([a[0], b[0]]), Self([a[1], b[1]]), Self([a[2], b[2]]), Self([a[3], b[3]])]
    }
    #[inline(always)]
    fn rows(packs: [Self; 4]) -> [Row4; LANES] {
        let mut rows = [Row4::default(); LANES];
        for half in 0..2 {
            // SAFETY: AVX2 was detected, see the head of the module; `Row4` is 4 doubles aligned to
            // 32 bytes.
            unsafe {
                let columns = transpose4([
                    packs[0].0[half],
                    packs[1].0[half],
                    packs[2].0[half],
                    packs[3].0[half],
                ]);
                for l in 0..LANES / 2 {
                    _mm256_store_pd(rows[half * LANES / 2 + l].0.as_mut_ptr(), columns[l]);
                }
            }
        }
        rows
    }
    /// Loads of half registers do what half of the exchanges do in [`transpose4`].
    #[inline(always)]
    fn rows_of(packs: [&F64x8; 4]) -> [Row4; LANES] {
        let mut rows = [Row4::default(); LANES];
        let [a, b, c, d] = packs;
        for quarter in 0..LANES / 2 {
            let lane = 2 * quarter;
            // SAFETY: AVX2 was detected, see the head of the module; `F64x8` is 8 doubles aligned to
            // 64 bytes, `Row4` 4 doubles aligned to 32, lane is even and lane + 1 < 8.
            unsafe {
                let ac = _mm256_insertf128_pd::<1>(
                    _mm256_castpd128_pd256(_mm_load_pd(a.0.as_ptr().add(lane))),
                    _mm_load_pd(c.0.as_ptr().add(lane)),
                );
                let bd = _mm256_insertf128_pd::<1>(
                    _mm256_castpd128_pd256(_mm_load_pd(b.0.as_ptr().add(lane))),
                    _mm_load_pd(d.0.as_ptr().add(lane)),
                );
                _mm256_store_pd(rows[lane].0.as_mut_ptr(), _mm256_unpacklo_pd(ac, bd));
                _mm256_store_pd(rows[lane + 1].0.as_mut_ptr(), _mm256_unpackhi_pd(ac, bd));
            }
        }
        rows
    }
}

/// Rows to columns of a 4x4 matrix.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn transpose4([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
    let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
    [
        _mm256_permute2f128_pd::<0x20>(ab_even, cd_even),
        _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
        _mm256_permute2f128_pd::<0x31>(ab_even, cd_even),
        _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
    ]
}
