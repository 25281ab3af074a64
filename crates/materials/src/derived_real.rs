//! What [`Jet`](crate::jet::Jet) and [`Series`](crate::series::Series) share: both are numbers with
//! derivatives attached, and become a [`Real`](pliant_algebra::real::Real) once they can be added,
//! multiplied and sent through a function whose first two derivatives are known.

/// Implements `Real` and its operators for `$type<R>`, which must have a field `value`, `Copy`, the
/// operators `Neg`, `Add`, `Sub`, `Mul` with itself, and the methods `constant(R)`, `scale(self, R)`,
/// `select(mask, yes, no)` and `chain(self, f, f', f'')`. `LANES` must be in scope.
macro_rules! derived_real {
    ($type:ident) => {
        impl<R: Real> std::ops::Div for $type<R> {
            type Output = Self;
            #[inline(always)]
            #[allow(clippy::suspicious_arithmetic_impl, reason = "one chain rule less")]
            fn div(self, other: Self) -> Self {
                self * other.recip()
            }
        }
        impl<R: Real> std::ops::Add<f64> for $type<R> {
            type Output = Self;
            #[inline(always)]
            fn add(mut self, other: f64) -> Self {
                self.value = self.value + other;
                self
            }
        }
        impl<R: Real> std::ops::Sub<f64> for $type<R> {
            type Output = Self;
            #[inline(always)]
            fn sub(mut self, other: f64) -> Self {
                self.value = self.value - other;
                self
            }
        }
        impl<R: Real> std::ops::Mul<f64> for $type<R> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: f64) -> Self {
                self.scale(R::splat(other))
            }
        }
        impl<R: Real> std::ops::Div<f64> for $type<R> {
            type Output = Self;
            #[inline(always)]
            fn div(self, other: f64) -> Self {
                self.scale(R::splat(1.0 / other))
            }
        }
        impl<R: Real> std::ops::AddAssign for $type<R> {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl<R: Real> std::ops::SubAssign for $type<R> {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
        impl<R: Real> std::ops::MulAssign for $type<R> {
            #[inline(always)]
            fn mul_assign(&mut self, other: Self) {
                *self = *self * other;
            }
        }
        impl<R: Real> std::ops::DivAssign for $type<R> {
            #[inline(always)]
            fn div_assign(&mut self, other: Self) {
                *self = *self / other;
            }
        }

        impl<R: Real> Real for $type<R> {
            type Mask = R::Mask;

            #[inline(always)]
            fn splat(x: f64) -> Self {
                Self::constant(R::splat(x))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                let root = self.value.sqrt();
                let slope = root.recip() * 0.5;
                self.chain(root, slope, slope / self.value * -0.5)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.scale(R::one().copysign(self.value))
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                self.scale(R::one().copysign(self.value) * R::one().copysign(sign.value))
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self::select(self.value.less(other.value), self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self::select(self.value.greater(other.value), self, other)
            }
            #[inline(always)]
            fn less(self, other: Self) -> R::Mask {
                self.value.less(other.value)
            }
            #[inline(always)]
            fn less_equal(self, other: Self) -> R::Mask {
                self.value.less_equal(other.value)
            }
            #[inline(always)]
            fn equals(self, other: Self) -> R::Mask {
                self.value.equals(other.value)
            }
            #[inline(always)]
            fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
                Self::choose(mask, yes, no)
            }
            #[inline(always)]
            fn split_exponent(self) -> (Self, Self) {
                let (_, k) = self.value.split_exponent();
                (self.scale(R::power_of_two(-k)), Self::constant(k))
            }
            #[inline(always)]
            fn power_of_two(k: Self) -> Self {
                Self::constant(R::power_of_two(k.value))
            }
            /// Of the value alone, as in comparisons.
            #[inline(always)]
            fn unpack(self) -> [f64; LANES] {
                self.value.unpack()
            }
            #[inline(always)]
            fn repack(lanes: [f64; LANES]) -> Self {
                Self::constant(R::repack(lanes))
            }
            #[inline(always)]
            fn recip(self) -> Self {
                let inverse = self.value.recip();
                let square = inverse * inverse;
                self.chain(inverse, -square, (inverse + inverse) * square)
            }
            #[inline(always)]
            fn square(self) -> Self {
                let x = self.value;
                self.chain(x * x, x + x, R::splat(2.0))
            }
            #[inline(always)]
            fn ln(self) -> Self {
                let inverse = self.value.recip();
                self.chain(self.value.ln(), inverse, -(inverse * inverse))
            }
            #[inline(always)]
            fn exp(self) -> Self {
                let y = self.value.exp();
                self.chain(y, y, y)
            }
            #[inline(always)]
            fn cbrt(self) -> Self {
                let root = self.value.cbrt();
                let inverse = self.value.recip();
                let slope = root * inverse * (1.0 / 3.0);
                self.chain(root, slope, slope * inverse * (-2.0 / 3.0))
            }
        }
    };
}
pub(crate) use derived_real;
