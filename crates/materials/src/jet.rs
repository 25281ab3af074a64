//! [`Jet`]: a number with its first and second derivatives with respect to three variables.
//!
//! A law written once over `R: Real` gives its energy for `R = f64`, and stress and stiffness for
//! `R = Jet<f64>`: forward differentiation, exact to rounding, without a line of extra code in the
//! law. What the caller does not read, the compiler removes: a stress does not pay for second
//! derivatives.

use std::ops::{Add, Mul, Neg, Sub};

use pliant_algebra::lanes::LANES;
use pliant_algebra::real::Real;

use crate::derived_real::derived_real;

/// The order of second derivatives, that of symmetric tensors everywhere: xx, yy, zz, xy, yz, xz.
pub const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];

/// f, ∂f/∂xᵢ and ∂²f/∂xᵢ∂xⱼ. As a [`Real`] it compares by value.
///
/// ```
/// use pliant_algebra::real::Real;
/// use pliant_materials::jet::Jet;
/// let [x, y, _] = Jet::variables([2.0, 3.0, 0.0]);
/// let f = x * x * y.ln();
/// assert_eq!(f.first[1], 4.0 / 3.0);
/// assert_eq!(f.second[3], 4.0 / 3.0); // ∂²f/∂x∂y
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<R> {
    /// f
    pub value: R,
    /// ∂f/∂xᵢ
    pub first: [R; 3],
    /// ∂²f/∂xᵢ∂xⱼ in the order of [`PAIRS`].
    pub second: [R; 6],
}

impl<R: Real> Jet<R> {
    /// A number that does not depend on the variables.
    #[inline(always)]
    pub fn constant(value: R) -> Self {
        Self { value, first: [R::zero(); 3], second: [R::zero(); 6] }
    }

    /// The three variables themselves.
    #[inline(always)]
    pub fn variables(x: [R; 3]) -> [Self; 3] {
        let mut jets = [Self::constant(x[0]), Self::constant(x[1]), Self::constant(x[2])];
        for i in 0..3 {
            jets[i].first[i] = R::one();
        }
        jets
    }

    /// The product with a number that does not depend on the variables.
    #[inline(always)]
    pub(crate) fn times(self, s: R) -> Self {
        self.scale(s)
    }

    #[inline(always)]
    fn scale(self, s: R) -> Self {
        let mut jet = self;
        jet.value = self.value * s;
        for i in 0..3 {
            jet.first[i] = self.first[i] * s;
        }
        for k in 0..6 {
            jet.second[k] = self.second[k] * s;
        }
        jet
    }

    #[inline(always)]
    fn choose(mask: R::Mask, yes: Self, no: Self) -> Self {
        let mut jet = yes;
        jet.value = R::select(mask, yes.value, no.value);
        for i in 0..3 {
            jet.first[i] = R::select(mask, yes.first[i], no.first[i]);
        }
        for k in 0..6 {
            jet.second[k] = R::select(mask, yes.second[k], no.second[k]);
        }
        jet
    }

    /// g(f) from g, g' and g'' at f.
    #[inline(always)]
    pub(crate) fn chain(self, value: R, slope: R, curvature: R) -> Self {
        let mut jet = Self::constant(value);
        for i in 0..3 {
            jet.first[i] = self.first[i] * slope;
        }
        for k in 0..6 {
            let (i, j) = PAIRS[k];
            jet.second[k] = self.second[k] * slope + self.first[i] * self.first[j] * curvature;
        }
        jet
    }
}

impl<R: Real> Neg for Jet<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let mut jet = self;
        jet.value = -self.value;
        for i in 0..3 {
            jet.first[i] = -self.first[i];
        }
        for k in 0..6 {
            jet.second[k] = -self.second[k];
        }
        jet
    }
}

impl<R: Real> Add for Jet<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let mut jet = self;
        jet.value += other.value;
        for i in 0..3 {
            jet.first[i] += other.first[i];
        }
        for k in 0..6 {
            jet.second[k] += other.second[k];
        }
        jet
    }
}

impl<R: Real> Sub for Jet<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let mut jet = self;
        jet.value -= other.value;
        for i in 0..3 {
            jet.first[i] -= other.first[i];
        }
        for k in 0..6 {
            jet.second[k] -= other.second[k];
        }
        jet
    }
}

impl<R: Real> Mul for Jet<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self, other);
        let mut jet = Self::constant(a.value * b.value);
        for i in 0..3 {
            jet.first[i] = a.first[i] * b.value + a.value * b.first[i];
        }
        for k in 0..6 {
            let (i, j) = PAIRS[k];
            jet.second[k] = (a.second[k] * b.value + a.value * b.second[k])
                + (a.first[i] * b.first[j] + a.first[j] * b.first[i]);
        }
        jet
    }
}

derived_real!(Jet);
