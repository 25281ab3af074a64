//! [`Real`]: one scalar, or a pack of lanes that all do the same arithmetic.
//!
//! Constitutive laws and 3x3 kernels are written once over `R: Real` and serve a single `f64` and
//! eight elements at a time. **Each lane gives the bits that `f64` gives**, on every SIMD level:
//! only operations that IEEE 754 rounds correctly are used (+ − × ÷ √ and bit moves), never a fused
//! multiply-add and never the platform's `libm`. Bits of NaN are exempt: its sign and payload are
//! unspecified.
//!
//! Without branches, `if` becomes [`Real::select`]: both sides are computed, each lane takes its
//! own. A branch on [`Mask::any`] or [`Mask::all`] may skip work but must not change a lane's
//! bits: what a lane returns depends on that lane alone.
//!
//! Beware of `x.ln()` on a plain `f64`: the inherent method of the standard library wins there, and
//! its bits depend on the platform. Code generic over `R` is safe; elsewhere write `Real::ln(x)`.

#![allow(clippy::return_self_not_must_use, reason = "every method would carry the attribute")]

pub mod counted;
mod functions;
pub(crate) mod scalar;

use std::fmt::Debug;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

use crate::lanes::LANES;

/// One truth value per lane.
pub trait Mask:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// True if some lane is.
    fn any(self) -> bool;
    /// True if every lane is.
    fn all(self) -> bool;
    /// Bit i tells lane i.
    fn to_bits(self) -> u8;
}

/// A real number, or a pack of them that move in step. See the [module](self).
pub trait Real:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// What comparisons return.
    type Mask: Mask;

    /// The same value in each lane.
    fn splat(x: f64) -> Self;
    /// Square root, correctly rounded; NaN below zero.
    fn sqrt(self) -> Self;
    /// |x|
    fn abs(self) -> Self;
    /// |x| with the sign of `sign`, that of zeros included.
    fn copysign(self, sign: Self) -> Self;
    /// `self` where it is less than `other`, else `other` (also where either is NaN).
    fn min(self, other: Self) -> Self;
    /// `self` where it is greater than `other`, else `other` (also where either is NaN).
    fn max(self, other: Self) -> Self;
    /// self < other
    fn less(self, other: Self) -> Self::Mask;
    /// self ≤ other
    fn less_equal(self, other: Self) -> Self::Mask;
    /// self = other
    fn equals(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// (m, k) with x = m 2^k and 1 ≤ |m| < 2, for normal x; anything finite or not else.
    fn split_exponent(self) -> (Self, Self);
    /// 2^k for a whole number −1022 ≤ k ≤ 1023; anything else for other k.
    fn power_of_two(k: Self) -> Self;
    /// The lanes as plain numbers, for rare work that is done lane by lane. Entries beyond the lanes
    /// of the type are zero.
    fn unpack(self) -> [f64; LANES];
    /// The inverse of [`Real::unpack`].
    fn repack(lanes: [f64; LANES]) -> Self;

    /// 0
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }
    /// 1
    #[inline(always)]
    fn one() -> Self {
        Self::splat(1.0)
    }
    /// self > other
    #[inline(always)]
    fn greater(self, other: Self) -> Self::Mask {
        other.less(self)
    }
    /// self ≥ other
    #[inline(always)]
    fn greater_equal(self, other: Self) -> Self::Mask {
        other.less_equal(self)
    }
    /// True where the value is neither infinite nor NaN.
    #[inline(always)]
    fn is_finite(self) -> Self::Mask {
        self.abs().less(Self::splat(f64::INFINITY))
    }
    /// x²
    #[inline(always)]
    fn square(self) -> Self {
        self * self
    }
    /// 1 / x
    #[inline(always)]
    fn recip(self) -> Self {
        Self::one() / self
    }
    /// Natural logarithm within 1 ulp: −∞ at ±0, NaN below zero.
    #[inline(always)]
    fn ln(self) -> Self {
        functions::ln(self)
    }
    /// eˣ within 1 ulp where the result is normal; 0 and ∞ beyond the range.
    #[inline(always)]
    fn exp(self) -> Self {
        functions::exp(self)
    }
    /// Cube root within 0.7 ulp, odd in x.
    #[inline(always)]
    fn cbrt(self) -> Self {
        functions::cbrt(self)
    }
    /// xⁿ by repeated squaring: each of its about 2 log₂ n products rounds, so the error grows
    /// like n/2 ulp. 1 for n = 0.
    #[inline(always)]
    fn powi(self, n: i32) -> Self {
        functions::powi(self, n)
    }
}
