//! Eight lanes in a plain array: any machine, any compiler, as fast as the compiler makes it.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::operators::derived_operators;
use super::{LANES, Pack};
use crate::real::{Mask, Real};

/// Eight doubles on a cache line of their own: packs in memory, and the pack of the baseline level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct F64x8(pub [f64; LANES]);

/// One truth value for each lane of [`F64x8`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mask8([bool; LANES]);

/// Loops rather than `array::map`: the closures of the latter may stay calls.
macro_rules! each_lane {
    ($lane:ident => $value:expr, $start:expr) => {{
        let mut out = [$start; LANES];
        for $lane in 0..LANES {
            out[$lane] = $value;
        }
        out
    }};
}

macro_rules! operator {
    ($($op:ident $method:ident),*) => {$(
        impl $op for F64x8 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(each_lane!(i => self.0[i].$method(other.0[i]), 0.0))
            }
        }
    )*};
}
operator!(Add add, Sub sub, Mul mul, Div div);
derived_operators!(F64x8);

impl Neg for F64x8 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(each_lane!(i => -self.0[i], 0.0))
    }
}

impl BitAnd for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(each_lane!(i => self.0[i] & other.0[i], false))
    }
}

impl BitOr for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(each_lane!(i => self.0[i] | other.0[i], false))
    }
}

impl Not for Mask8 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(each_lane!(i => !self.0[i], false))
    }
}

impl Mask for Mask8 {
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
        let mut bits = 0;
        for i in 0..LANES {
            bits |= u8::from(self.0[i]) << i;
        }
        bits
    }
}

impl Real for F64x8 {
    type Mask = Mask8;

    #[inline(always)]
    fn unpack(self) -> [f64; LANES] {
        Pack::to_lanes(self)
    }
    #[inline(always)]
    fn repack(lanes: [f64; LANES]) -> Self {
        Pack::from_lanes(lanes)
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; LANES])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(each_lane!(i => Real::sqrt(self.0[i]), 0.0))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(each_lane!(i => Real::abs(self.0[i]), 0.0))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Self(each_lane!(i => Real::copysign(self.0[i], sign.0[i]), 0.0))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(each_lane!(i => Real::min(self.0[i], other.0[i]), 0.0))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(each_lane!(i => Real::max(self.0[i], other.0[i]), 0.0))
    }
    #[inline(always)]
    fn less(self, other: Self) -> Mask8 {
        Mask8(each_lane!(i => self.0[i] < other.0[i], false))
    }
    #[inline(always)]
    fn less_equal(self, other: Self) -> Mask8 {
        Mask8(each_lane!(i => self.0[i] <= other.0[i], false))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Mask8 {
        Mask8(each_lane!(i => self.0[i] == other.0[i], false))
    }
    #[inline(always)]
    fn select(mask: Mask8, yes: Self, no: Self) -> Self {
        Self(each_lane!(i => Real::select(mask.0[i], yes.0[i], no.0[i]), 0.0))
    }
    #[inline(always)]
    fn split_exponent(self) -> (Self, Self) {
        let m = each_lane!(i => self.0[i].split_exponent().0, 0.0);
        let k = each_lane!(i => self.0[i].split_exponent().1, 0.0);
        (Self(m), Self(k))
    }
    #[inline(always)]
    fn power_of_two(k: Self) -> Self {
        Self(each_lane!(i => <f64 as Real>::power_of_two(k.0[i]), 0.0))
    }
}

impl Pack for F64x8 {
    type Quad = super::quad::Plain4;

    #[inline(always)]
    fn load(lanes: &F64x8) -> Self {
        *lanes
    }
    #[inline(always)]
    fn store(self) -> F64x8 {
        self
    }
}
