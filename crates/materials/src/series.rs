//! [`Series`]: a function of one variable t by its Taylor expansion to second order at t = 0.
//!
//! [`Invertible`](crate::invertible::Invertible) continues energies with it: what a law returns for
//! s + t δ, taken at t = 1, is the expansion at s evaluated at s + δ. Over [`Jet`](crate::jet::Jet)
//! it carries the derivatives of that expansion, third and fourth derivatives of the law included.

use std::ops::{Add, Mul, Neg, Sub};

use pliant_algebra::lanes::LANES;
use pliant_algebra::real::Real;

use crate::derived_real::derived_real;

/// value + linear t + quadratic t²
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Series<R> {
    /// f(0)
    pub value: R,
    /// f'(0)
    pub linear: R,
    /// ½ f''(0)
    pub quadratic: R,
}

impl<R: Real> Series<R> {
    /// A number that does not depend on t.
    #[inline(always)]
    pub fn constant(value: R) -> Self {
        Self::line(value, R::zero())
    }

    /// value + linear t
    #[inline(always)]
    pub fn line(value: R, linear: R) -> Self {
        Self { value, linear, quadratic: R::zero() }
    }

    /// The expansion at t = 1.
    #[inline(always)]
    pub fn sum(self) -> R {
        self.value + self.linear + self.quadratic
    }

    #[inline(always)]
    fn scale(self, s: R) -> Self {
        Self { value: self.value * s, linear: self.linear * s, quadratic: self.quadratic * s }
    }

    #[inline(always)]
    fn choose(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self {
            value: R::select(mask, yes.value, no.value),
            linear: R::select(mask, yes.linear, no.linear),
            quadratic: R::select(mask, yes.quadratic, no.quadratic),
        }
    }

    /// g(f) from g, g' and g'' at f(0).
    #[inline(always)]
    fn chain(self, value: R, slope: R, curvature: R) -> Self {
        Self {
            value,
            linear: self.linear * slope,
            quadratic: self.quadratic * slope + self.linear.square() * curvature * 0.5,
        }
    }
}

impl<R: Real> Neg for Series<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { value: -self.value, linear: -self.linear, quadratic: -self.quadratic }
    }
}

impl<R: Real> Add for Series<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            linear: self.linear + other.linear,
            quadratic: self.quadratic + other.quadratic,
        }
    }
}

impl<R: Real> Sub for Series<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self {
            value: self.value - other.value,
            linear: self.linear - other.linear,
            quadratic: self.quadratic - other.quadratic,
        }
    }
}

impl<R: Real> Mul for Series<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self, other);
        Self {
            value: a.value * b.value,
            linear: a.value * b.linear + a.linear * b.value,
            quadratic: (a.value * b.quadratic + a.quadratic * b.value) + a.linear * b.linear,
        }
    }
}

derived_real!(Series);
