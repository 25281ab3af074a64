//! `f64` as a pack of one: the definition that every lane of every pack must match bit by bit.

use super::{Mask, Real};
use crate::lanes::LANES;

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
    #[inline(always)]
    fn to_bits(self) -> u8 {
        u8::from(self)
    }
}

/// 2^52: adding a whole number 0 ≤ k < 2^52 to it puts k in the low bits.
pub(crate) const WHOLE: f64 = 4503599627370496.0;
/// Bits of the fraction of a double.
pub(crate) const FRACTION: u64 = (1 << 52) - 1;
/// Exponent offset of a double.
pub(crate) const BIAS: f64 = 1023.0;

impl Real for f64 {
    type Mask = bool;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        f64::copysign(self, sign)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn less(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn less_equal(self, other: Self) -> bool {
        self <= other
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        // No integer-to-float conversion: AVX2 has none for 64 bits, and every level must agree.
        let bits = self.to_bits();
        let m = f64::from_bits(bits & ((1 << 63) | FRACTION) | 1.0f64.to_bits());
        let biased = f64::from_bits((bits << 1 >> 53) | WHOLE.to_bits());
        (m, biased - (WHOLE + BIAS))
    }
    #[inline(always)]
    fn power_of_two(k: Self) -> Self {
        f64::from_bits((k + (WHOLE + BIAS)).to_bits() << 52)
    }
    #[inline(always)]
    fn unpack(self) -> [f64; LANES] {
        let mut lanes = [0.0; LANES];
        lanes[0] = self;
        lanes
    }
    #[inline(always)]
    fn repack(lanes: [f64; LANES]) -> Self {
        lanes[0]
    }
}
