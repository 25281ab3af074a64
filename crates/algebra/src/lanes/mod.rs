//! Packs of eight lanes, one type per SIMD level. Only [`F64x8`] has a public name: it is how packs
//! lie in memory, and it computes on any machine. The others are met as the parameter `P` of a
//! [`Kernel`](crate::dispatch::Kernel).
//!
//! Three designs were timed on the same generic code, AVX2, ns per matrix (shared machine):
//!
//! | | neo-Hookean P | SVD | rotation | nine ln |
//! |---|---|---|---|---|
//! | `fearless_simd` 1.2 | 6.1 | 35 | 17 | 20 |
//! | `F64x8` in a `#[target_feature]` entry, left to the compiler | 5.9 | 37 | 16 | 28 |
//! | a type per level over intrinsics (this one) | 6.2 | 36 | 17 | 20 |
//!
//! Speed does not decide. The first needs a token wherever a constant is made, which `R::splat(2.0)`
//! in a constitutive law does not have. The second hangs on the compiler finding eight equal
//! scalars again: it lost 40 % on ln, and larger kernels may fall back to scalars without a word.
//! Intrinsics keep their promise, for about 150 lines a level. On AVX2 a 3x3 matrix of eight lanes
//! needs 18 registers of 16 and spills; on AVX-512 it needs 9 of 32.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod operators;
mod portable;
mod prefetch;
mod quad;

pub use portable::{F64x8, Mask8};
pub use prefetch::prefetch;
pub use quad::Quad;

/// Four doubles that lie in one cache line: a vector of three with a spare entry, or a quarter of
/// what a lane hands over. The unit in which packs are gathered from tables and taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Row4(pub [f64; 4]);

use crate::real::Real;

/// Lanes in a pack: one 512-bit register, two of 256 bits, four of 128.
pub const LANES: usize = 8;

/// A number that packs in memory are read as: all lanes at once by a [`Pack`], one of them by `f64`. So
/// that one piece of code serves both.
pub trait InLanes: Real {
    /// The lanes of `from`, or that one.
    fn read(from: &F64x8, lane: usize) -> Self;
    /// Stores the lanes in `to`, or that one.
    fn write(self, to: &mut F64x8, lane: usize);
}

impl<P: Pack> InLanes for P {
    #[inline(always)]
    fn read(from: &F64x8, _: usize) -> Self {
        P::load(from)
    }
    #[inline(always)]
    fn write(self, to: &mut F64x8, _: usize) {
        *to = self.store();
    }
}

impl InLanes for f64 {
    #[inline(always)]
    fn read(from: &F64x8, lane: usize) -> Self {
        from.0[lane]
    }
    #[inline(always)]
    fn write(self, to: &mut F64x8, lane: usize) {
        to.0[lane] = self;
    }
}

/// A [`Real`] of eight lanes.
pub trait Pack: Real {
    /// Four lanes of the same level.
    type Quad: Quad;
    /// Takes the lanes from memory.
    fn load(lanes: &F64x8) -> Self;
    /// The lanes as they lie in memory.
    fn store(self) -> F64x8;
    /// Lane i is `lanes[i]`.
    #[inline(always)]
    fn from_lanes(lanes: [f64; LANES]) -> Self {
        Self::load(&F64x8(lanes))
    }
    /// Lane i goes to entry i.
    #[inline(always)]
    fn to_lanes(self) -> [f64; LANES] {
        self.store().0
    }
    /// Lane l of pack k is entry k of `table[index[l]]`.
    ///
    /// # Panics
    /// Where an index is out of range.
    #[inline(always)]
    fn gather(table: &[Row4], index: &[u32; LANES]) -> [Self; 4] {
        let mut packs = [[0.0; LANES]; 4];
        for l in 0..LANES {
            let row = &table[index[l] as usize].0;
            for k in 0..4 {
                packs[k][l] = row[k];
            }
        }
        [
            Self::from_lanes(packs[0]),
            Self::from_lanes(packs[1]),
            Self::from_lanes(packs[2]),
            Self::from_lanes(packs[3]),
        ]
    }
    /// Entry k of row l is lane l of pack k: the way back from [`Pack::gather`].
    #[inline(always)]
    fn rows(packs: [Self; 4]) -> [Row4; LANES] {
        let mut rows = [Row4::default(); LANES];
        for k in 0..4 {
            let lanes = packs[k].to_lanes();
            for l in 0..LANES {
                rows[l].0[k] = lanes[l];
            }
        }
        rows
    }
    /// [`Pack::rows`] of packs that lie in memory.
    #[inline(always)]
    fn rows_of(packs: [&F64x8; 4]) -> [Row4; LANES] {
        let [a, b, c, d] = packs;
        Self::rows([Self::load(a), Self::load(b), Self::load(c), Self::load(d)])
    }
    /// Sum of the lanes, always in the same order: ((0+1)+(2+3)) + ((4+5)+(6+7)).
    #[inline(always)]
    fn sum_lanes(self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.to_lanes();
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }
}
