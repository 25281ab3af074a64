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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jet::Jet;

    #[test]
    fn the_series_of_a_product_and_a_logarithm_is_that_of_taylor() {
        let x = Series::line(2.0, 3.0); // 2 + 3t
        let f = x * x * Real::ln(x);
        let ln = 2f64.ln();
        // (x² ln x)' = 2x ln x + x, (..)'' = 2 ln x + 3
        assert!((f.value - 4.0 * ln).abs() < 1e-15);
        assert!((f.linear - 3.0 * (4.0 * ln + 2.0)).abs() < 1e-14);
        assert!((f.quadratic - 4.5 * (2.0 * ln + 3.0)).abs() < 1e-14);
    }

    #[test]
    fn a_series_over_jets_reaches_fourth_derivatives() {
        // t² coefficient of 1/(x + t) is 1/x³; its second derivative is 12/x⁵.
        let [x, _, _] = Jet::variables([2.0, 0.0, 0.0]);
        let f = Series::line(x, Jet::constant(1.0)).recip();
        assert!((f.quadratic.second[0] - 12.0 / 32.0).abs() < 1e-15);
    }
}
