//! The operators that follow from others: with a scalar on the right, and in place.

/// Implements `op f64` and `op=` for a pack that has `op`.
macro_rules! derived_operators {
    ($pack:ty) => {
        $crate::lanes::operators::derived_operators!(
            $pack: Add add AddAssign add_assign, Sub sub SubAssign sub_assign,
            Mul mul MulAssign mul_assign, Div div DivAssign div_assign
        );
    };
    ($pack:ty: $($op:ident $method:ident $assign:ident $assign_method:ident),*) => {$(
        impl std::ops::$op<f64> for $pack {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: f64) -> Self {
                std::ops::$op::$method(self, <Self as $crate::real::Real>::splat(other))
            }
        }
        impl std::ops::$assign for $pack {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = std::ops::$op::$method(*self, other);
            }
        }
    )*};
}
pub(crate) use derived_operators;
