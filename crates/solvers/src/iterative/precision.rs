//! [`Precision`]: vectors of three with a spare entry in double or single precision, and what Eisenstat's pass does with them.

use std::ops::{Add, Mul};

use super::single::Single4;
use super::vectors::piece_dot;

/// Numbers of a block by columns, and one of what comes after it: a column is read as four numbers.
pub(super) type Block<T> = [T; 10];

/// A kind of number. The spare entry of rows is zero wherever rows lie in memory.
pub(super) trait Precision:
    Copy + Default + Send + Sync + Add<Output = Self> + Mul<Output = Self> + 'static
{
    /// Whether it has fewer digits than what it approximates.
    const SINGLE: bool;
    /// From double precision, rounded.
    fn of(x: f64) -> Self;
    fn double(self) -> f64;
    /// s (x − Σ Gⱼ yⱼ)
    fn gathered<'a>(
        x: [Self; 4],
        s: f64,
        terms: impl Iterator<Item = (&'a Block<Self>, [Self; 4])>,
    ) -> [Self; 4];
    /// y − Gᵀ x
    fn scattered(y: [Self; 4], g: &Block<Self>, x: [Self; 4]) -> [Self; 4];
    /// y + s x for lists.
    fn add_scaled(y: &mut [Self], s: f64, x: &[Self]);
    /// y · x of a piece, in double precision.
    fn dot(y: &[Self], x: &[Self]) -> f64;
}

impl Precision for f64 {
    const SINGLE: bool = false;

    fn of(x: f64) -> Self {
        x
    }

    fn double(self) -> f64 {
        self
    }

    #[inline(always)]
    fn gathered<'a>(
        mut x: [f64; 4],
        s: f64,
        terms: impl Iterator<Item = (&'a Block<f64>, [f64; 4])>,
    ) -> [f64; 4] {
        for (g, y) in terms {
            for l in 0..3 {
                x[l] -= g[l] * y[0] + g[3 + l] * y[1] + g[6 + l] * y[2];
            }
        }
        [s * x[0], s * x[1], s * x[2], 0.0]
    }

    #[inline(always)]
    fn scattered(mut y: [f64; 4], g: &Block<f64>, x: [f64; 4]) -> [f64; 4] {
        for c in 0..3 {
            y[c] -= g[3 * c] * x[0] + g[3 * c + 1] * x[1] + g[3 * c + 2] * x[2];
        }
        y
    }

    #[inline]
    fn add_scaled(y: &mut [f64], s: f64, x: &[f64]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += s * x;
        }
    }

    #[inline]
    fn dot(y: &[f64], x: &[f64]) -> f64 {
        piece_dot(y, x)
    }
}

/// The columns of a block, each with a number that is not its own.
#[inline(always)]
fn columns(g: &Block<f32>) -> [Single4; 3] {
    let [g0, g1, g2, g3, g4, g5, g6, g7, g8, g9] = *g;
    [[g0, g1, g2, g3], [g3, g4, g5, g6], [g6, g7, g8, g9]].map(|c| Single4::load(&c))
}

impl Precision for f32 {
    const SINGLE: bool = true;

    fn of(x: f64) -> Self {
        x as f32
    }

    fn double(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    fn gathered<'a>(
        x: [f32; 4],
        s: f64,
        terms: impl Iterator<Item = (&'a Block<f32>, [f32; 4])>,
    ) -> [f32; 4] {
        let mut sum = Single4::load(&x);
        for (g, y) in terms {
            let [a, b, c] = columns(g);
            let both = a * Single4::splat(y[0]) + b * Single4::splat(y[1]);
            sum = sum - (both + c * Single4::splat(y[2]));
        }
        let s = s as f32;
        (sum * Single4::load(&[s, s, s, 0.0])).row().0
    }

    #[inline(always)]
    fn scattered(y: [f32; 4], g: &Block<f32>, x: [f32; 4]) -> [f32; 4] {
        let x = Single4::load(&x);
        let products = columns(g).map(|c| c * x);
        (Single4::load(&y) - Single4::sums(products)).row().0
    }

    #[inline]
    fn add_scaled(y: &mut [f32], s: f64, x: &[f32]) {
        let s = s as f32;
        for (y, x) in y.iter_mut().zip(x) {
            *y += s * x;
        }
    }

    #[inline]
    fn dot(y: &[f32], x: &[f32]) -> f64 {
        let mut sums = [0.0; 8];
        let (y8, y1) = y.as_chunks::<8>();
        let (x8, x1) = x.as_chunks::<8>();
        for (y, x) in y8.iter().zip(x8) {
            for l in 0..8 {
                sums[l] += f64::from(y[l]) * f64::from(x[l]);
            }
        }
        let rest: f64 = y1.iter().zip(x1).map(|(y, x)| f64::from(*y) * f64::from(*x)).sum();
        sums.iter().sum::<f64>() + rest
    }
}
