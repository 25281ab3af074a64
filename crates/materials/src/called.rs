//! [`Called`]: a number whose arithmetic is called, not inlined, for code that is long and rarely run.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use pliant_algebra::lanes::LANES;
use pliant_algebra::real::Real;

/// The number itself: same operations, same bits, a small fraction of the code. Energies of laws over a
/// [`Series`](crate::series::Series) of [`Jet`](crate::jet::Jet)s, inlined, were half of what this crate takes to compile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Called<R>(pub R);

macro_rules! operator {
    ($($op:ident $method:ident $assign:ident $assign_method:ident),*) => {$(
        impl<R: Real> $op for Called<R> {
            type Output = Self;
            #[inline(never)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
        impl<R: Real> $op<f64> for Called<R> {
            type Output = Self;
            #[inline(never)]
            fn $method(self, other: f64) -> Self {
                Self(self.0.$method(other))
            }
        }
        impl<R: Real> $assign for Called<R> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = (*self).$method(other);
            }
        }
    )*};
}
operator!(
    Add add AddAssign add_assign, Sub sub SubAssign sub_assign,
    Mul mul MulAssign mul_assign, Div div DivAssign div_assign
);

impl<R: Real> Neg for Called<R> {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! called {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $body:expr;)*) => {$(
        #[inline(never)]
        fn $name(self, $($argument: $type),*) -> $result {
            let call: fn(Self, $($type),*) -> $result = $body;
            call(self, $($argument),*)
        }
    )*};
}

impl<R: Real> Real for Called<R> {
    type Mask = R::Mask;

    fn splat(x: f64) -> Self {
        Self(R::splat(x))
    }
    #[inline(never)]
    fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Self(R::select(mask, yes.0, no.0))
    }
    fn power_of_two(k: Self) -> Self {
        Self(R::power_of_two(k.0))
    }
    fn repack(lanes: [f64; LANES]) -> Self {
        Self(R::repack(lanes))
    }
    called! {
        sqrt() -> Self = |x| Self(x.0.sqrt());
        abs() -> Self = |x| Self(x.0.abs());
        copysign(sign: Self) -> Self = |x, sign| Self(x.0.copysign(sign.0));
        min(other: Self) -> Self = |x, y| Self(x.0.min(y.0));
        max(other: Self) -> Self = |x, y| Self(x.0.max(y.0));
        less(other: Self) -> R::Mask = |x, y| x.0.less(y.0);
        less_equal(other: Self) -> R::Mask = |x, y| x.0.less_equal(y.0);
        equals(other: Self) -> R::Mask = |x, y| x.0.equals(y.0);
        split_exponent() -> (Self, Self) = |x| {
            let (mantissa, exponent) = x.0.split_exponent();
            (Self(mantissa), Self(exponent))
        };
        unpack() -> [f64; LANES] = |x| x.0.unpack();
        recip() -> Self = |x| Self(x.0.recip());
        square() -> Self = |x| Self(x.0.square());
        ln() -> Self = |x| Self(x.0.ln());
        exp() -> Self = |x| Self(x.0.exp());
        cbrt() -> Self = |x| Self(x.0.cbrt());
    }
}
