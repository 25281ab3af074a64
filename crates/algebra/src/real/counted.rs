//! [`Counted`]: an `f64` that counts what is done with it, for benchmarks that state operations.

use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

use super::Real;
use crate::lanes::LANES;
use crate::lanes::operators::derived_operators;

thread_local! {
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
}

/// One number. Sums, products, quotients and roots count one each; signs, comparisons and moves of bits
/// count nothing; functions count the operations they are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted(pub f64);

impl Counted {
    /// Operations of `work` on this thread.
    pub fn operations(work: impl FnOnce()) -> u64 {
        let before = OPERATIONS.get();
        work();
        OPERATIONS.get() - before
    }

    fn result(x: f64) -> Self {
        OPERATIONS.set(OPERATIONS.get() + 1);
        Self(x)
    }
}

macro_rules! operator {
    ($($op:ident $method:ident),*) => {$(
        impl $op for Counted {
            type Output = Self;
            // Out of line: inlined, counting was the largest piece of code of the program.
            #[inline(never)]
            fn $method(self, other: Self) -> Self {
                Self::result(self.0.$method(other.0))
            }
        }
    )*};
}
operator!(Add add, Sub sub, Mul mul, Div div);
derived_operators!(Counted);

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Real for Counted {
    type Mask = bool;

    fn splat(x: f64) -> Self {
        Self(x)
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        Self::result(self.0.sqrt())
    }
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    fn copysign(self, sign: Self) -> Self {
        Self(self.0.copysign(sign.0))
    }
    fn min(self, other: Self) -> Self {
        Self(Real::min(self.0, other.0))
    }
    fn max(self, other: Self) -> Self {
        Self(Real::max(self.0, other.0))
    }
    fn less(self, other: Self) -> bool {
        self.0 < other.0
    }
    fn less_equal(self, other: Self) -> bool {
        self.0 <= other.0
    }
    fn equals(self, other: Self) -> bool {
        self.0 == other.0
    }
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    fn split_exponent(self) -> (Self, Self) {
        let (m, k) = self.0.split_exponent();
        (Self(m), Self(k))
    }
    fn power_of_two(k: Self) -> Self {
        Self(f64::power_of_two(k.0))
    }
    fn unpack(self) -> [f64; LANES] {
        self.0.unpack()
    }
    fn repack(lanes: [f64; LANES]) -> Self {
        Self(f64::repack(lanes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_product_has_27_products_and_18_sums() {
        use crate::mat3::Mat3;
        let m = Mat3([[Counted(1.5); 3]; 3]);
        let operations = Counted::operations(|| {
            let _ = std::hint::black_box(m * m);
        });
        assert_eq!(operations, 45);
    }
}
