//! [`Real`]: the numbers that factors are made of.

use std::fmt::Debug;
use std::ops::{AddAssign, Div, Mul, Sub, SubAssign};

use pliant_algebra::vec3::Vec3;

/// Numbers of 8 or of 4 bytes. All sums around a factor, residuals first of all, are of 8.
pub(super) trait Real:
    faer::traits::RealField
    + Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + AddAssign
    + SubAssign
    + Mul<Output = Self>
    + Div<Output = Self>
    + Sub<Output = Self>
    + 'static
{
    /// The name of the solver.
    const NAME: &'static str;
    /// Pivots below this part of the diagonal entry they came from are taken for zero.
    const TINY_PIVOT: f64;
    /// A solution whose residual is above this part of the right-hand side is refined.
    const REFINED: f64;
    /// So many times at most.
    const REFINEMENTS: usize;

    fn of(number: f64) -> Self;

    fn double(self) -> f64;

    /// What a right-hand side is divided by, so that its numbers neither overflow nor vanish.
    fn scale(b: &[Vec3]) -> f64;

    /// Backward substitution in columns `j..j + N` of a panel.
    fn backward<const N: usize>(panel: &[Self], j: usize, y: &mut [Self]);
}

impl Real for f64 {
    const NAME: &'static str = "cholesky";
    const TINY_PIVOT: f64 = 1e-13;
    const REFINED: f64 = 1e-12;
    const REFINEMENTS: usize = 1;

    #[inline(always)]
    fn of(number: f64) -> Self {
        number
    }

    #[inline(always)]
    fn double(self) -> f64 {
        self
    }

    fn scale(_: &[Vec3]) -> f64 {
        1.0
    }

    #[inline(always)]
    fn backward<const N: usize>(panel: &[Self], j: usize, y: &mut [Self]) {
        super::triangular::backward::<Self, N, 4>(panel, j, y);
    }
}

impl Real for f32 {
    const NAME: &'static str = "cholesky-single";
    const TINY_PIVOT: f64 = 1e-6;
    const REFINED: f64 = 1e-10;
    const REFINEMENTS: usize = 20;

    #[inline(always)]
    fn of(number: f64) -> Self {
        number as Self
    }

    #[inline(always)]
    fn double(self) -> f64 {
        f64::from(self)
    }

    fn scale(b: &[Vec3]) -> f64 {
        let largest = b.iter().flatten().fold(0.0, |most: f64, b| most.max(b.abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }

    #[inline(always)]
    fn backward<const N: usize>(panel: &[Self], j: usize, y: &mut [Self]) {
        super::triangular::backward::<Self, N, 8>(panel, j, y);
    }
}
