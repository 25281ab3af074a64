//! Sums over all unknowns, and the updates that are fused with them: the one seam for reductions.
//!
//! Whatever is added up over vertices or unknowns goes through here, in an order that the length alone determines.
//! A list is cut into pieces of fixed length; a piece is summed by eight partial sums side by side, which the compiler
//! keeps in wide registers, and the pieces are the leaves of a binary tree:
//!
//! ```text
//!            +
//!        /       \
//!      +           +          each leaf: 1024 vertices, or 3072 numbers
//!    /   \       /   \        (s₀+s₄)+(s₁+s₅)+(s₂+s₆)+(s₃+s₇)+rest
//!   p₀   p₁    p₂    p₃
//! ```
//!
//! Threads share out subtrees, so the bits do not depend on how many there are. A run across ranks would add the sums of
//! its ranks at the root of the same tree.

use std::ops::Range;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::Pack;
use pliant_algebra::vec3::{Vec3, norm_squared};

/// Entries (vertices) of a piece.
const PIECE: usize = 1024;
/// Pieces that are worth handing to another thread.
const PARALLEL: usize = 8;

/// Runs `work` on pieces of lists with N numbers an entry, read ones and written ones, and adds up what it returns.
///
/// # Panics
/// Where a list is shorter than the first one.
pub fn sweep<T: Send + Sync, const N: usize, const I: usize, const O: usize, const S: usize>(
    read: [&[[T; N]]; I],
    write: [&mut [[T; N]]; O],
    work: &(impl Fn([&[T]; I], [&mut [T]; O]) -> [f64; S] + Sync),
) -> [f64; S] {
    let (read, write) =
        (read.map(<[[T; N]]>::as_flattened), write.map(<[[T; N]]>::as_flattened_mut));
    in_pieces(N * PIECE, read, write, work)
}

/// The same for lists of plain numbers; those of vertices have the bits of [`sweep`] with three numbers an entry.
///
/// # Panics
/// Where a list is shorter than the first one.
pub fn sweep_numbers<const I: usize, const O: usize, const S: usize>(
    read: [&[f64]; I],
    write: [&mut [f64]; O],
    work: &(impl Fn([&[f64]; I], [&mut [f64]; O]) -> [f64; S] + Sync),
) -> [f64; S] {
    in_pieces(3 * PIECE, read, write, work)
}

fn in_pieces<T: Send + Sync, const I: usize, const O: usize, const S: usize>(
    piece: usize,
    read: [&[T]; I],
    write: [&mut [T]; O],
    work: &(impl Fn([&[T]; I], [&mut [T]; O]) -> [f64; S] + Sync),
) -> [f64; S] {
    let n = read.first().map_or_else(|| write.first().map_or(0, |w| w.len()), |r| r.len());
    let parallel = rayon::current_num_threads() > 1;
    halve(n.div_ceil(piece.max(1)), piece, parallel, read, write, work)
}

fn halve<T: Send + Sync, const I: usize, const O: usize, const S: usize>(
    pieces: usize,
    piece: usize,
    parallel: bool,
    read: [&[T]; I],
    mut write: [&mut [T]; O],
    work: &(impl Fn([&[T]; I], [&mut [T]; O]) -> [f64; S] + Sync),
) -> [f64; S] {
    if pieces <= 1 {
        return work(read, write);
    }
    let half = pieces / 2;
    let at = half * piece;
    let (low, high) = (read.map(|r| &r[..at]), read.map(|r| &r[at..]));
    let mut above: [&mut [T]; O] = std::array::from_fn(|_| Default::default());
    let below: [&mut [T]; O] = std::array::from_fn(|k| {
        let (low, high) = std::mem::take(&mut write[k]).split_at_mut(at);
        above[k] = high;
        low
    });
    let (a, b) = if parallel && pieces >= PARALLEL {
        rayon::join(
            || halve(half, piece, parallel, low, below, work),
            || halve(pieces - half, piece, parallel, high, above, work),
        )
    } else {
        (
            halve(half, piece, parallel, low, below, work),
            halve(pieces - half, piece, parallel, high, above, work),
        )
    };
    std::array::from_fn(|s| a[s] + b[s])
}

/// Adds up what `work` returns for ranges of 0..n, as the leaves of the same tree: for sums over several lists of
/// different kinds, such as Σ m v·v.
pub fn over<const S: usize>(
    n: usize,
    work: &(impl Fn(Range<usize>) -> [f64; S] + Sync),
) -> [f64; S] {
    let pieces = n.div_ceil(PIECE);
    over_pieces(0..pieces, n, rayon::current_num_threads() > 1, work)
}

fn over_pieces<const S: usize>(
    pieces: Range<usize>,
    n: usize,
    parallel: bool,
    work: &(impl Fn(Range<usize>) -> [f64; S] + Sync),
) -> [f64; S] {
    if pieces.len() <= 1 {
        return work((PIECE * pieces.start).min(n)..(PIECE * pieces.end).min(n));
    }
    let half = pieces.start + pieces.len() / 2;
    let (left, right) = (pieces.start..half, half..pieces.end);
    let (a, b) = if parallel && pieces.len() >= PARALLEL {
        rayon::join(
            || over_pieces(left, n, parallel, work),
            || over_pieces(right, n, parallel, work),
        )
    } else {
        (over_pieces(left, n, parallel, work), over_pieces(right, n, parallel, work))
    };
    std::array::from_fn(|s| a[s] + b[s])
}

/// a · b of a piece, by eight sums side by side.
#[inline]
pub fn piece_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a8, a1) = a.as_chunks::<8>();
    let (b8, b1) = b.as_chunks::<8>();
    for (a, b) in a8.iter().zip(b8) {
        for l in 0..8 {
            sums[l] += a[l] * b[l];
        }
    }
    let rest: f64 = a1.iter().zip(b1).map(|(a, b)| a * b).sum();
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest
}

/// a · b
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    sweep_numbers([a, b], [], &|[a, b], []| [piece_dot(a, b)])[0]
}

/// |a|
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The largest |aᵢ|; NaN is passed over.
pub fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most, a| most.max(a.abs()))
}

/// The largest |aᵢ|, or NaN where an entry is NaN or infinite.
pub fn magnitude(a: &[f64]) -> f64 {
    magnitude_of(a, rayon::current_num_threads() > 1)
}

fn magnitude_of(a: &[f64], parallel: bool) -> f64 {
    if parallel && a.len() > 32 * PIECE {
        let (low, high) = a.split_at(a.len() / 2);
        let (low, high) =
            rayon::join(|| magnitude_of(low, parallel), || magnitude_of(high, parallel));
        // 0 x is zero for finite numbers and NaN else.
        return low.max(high) + 0.0 * (low + high);
    }
    Level::best().run(Magnitude(a))
}

struct Magnitude<'a>(&'a [f64]);

impl Kernel for Magnitude<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<P: Pack>(self) -> f64 {
        let (packs, rest) = self.0.as_chunks::<8>();
        let (mut most, mut bad) = ([0.0_f64; 8], [0.0; 8]);
        for pack in packs {
            for l in 0..8 {
                let a = pack[l].abs();
                most[l] = if a > most[l] { a } else { most[l] };
                bad[l] += 0.0 * a;
            }
        }
        for a in rest {
            most[0] = most[0].max(a.abs());
            bad[0] += 0.0 * a;
        }
        most.into_iter().fold(0.0, f64::max) + bad.into_iter().sum::<f64>()
    }
}

/// The length of the longest vector.
pub fn longest(a: &[Vec3]) -> f64 {
    a.iter().map(|&a| norm_squared(a)).fold(0.0, f64::max).sqrt()
}

/// a ← a + s b
pub fn add_scaled(a: &mut [f64], s: f64, b: &[f64]) {
    sweep_numbers([b], [a], &|[b], [a]| {
        for (a, b) in a.iter_mut().zip(b) {
            *a += s * b;
        }
        []
    });
}

/// c ← a + s b
pub fn set_sum(c: &mut [f64], a: &[f64], s: f64, b: &[f64]) {
    sweep_numbers([a, b], [c], &|[a, b], [c]| {
        for ((c, a), b) in c.iter_mut().zip(a).zip(b) {
            *c = a + s * b;
        }
        []
    });
}

/// a ← s a
pub fn scale(a: &mut [f64], s: f64) {
    sweep_numbers([], [a], &|[], [a]| {
        for a in a {
            *a *= s;
        }
        []
    });
}

/// a ← b
pub fn copy(a: &mut [f64], b: &[f64]) {
    sweep_numbers([b], [a], &|[b], [a]| {
        a.copy_from_slice(b);
        []
    });
}

/// r ← b − r, and |r|².
pub fn subtract_from(r: &mut [f64], b: &[f64]) -> f64 {
    sweep_numbers([b], [r], &|[b], [r]| {
        for (r, b) in r.iter_mut().zip(b) {
            *r = b - *r;
        }
        [piece_dot(r, r)]
    })[0]
}

/// Returns the first entry that is NaN or infinite.
pub fn first_not_finite(a: &[f64]) -> Option<usize> {
    if magnitude(a).is_finite() {
        return None;
    }
    a.iter().position(|a| !a.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_right_and_have_the_same_bits_on_any_number_of_threads() {
        let a: Vec<Vec3> =
            (0..20_011).map(|i| [i as f64, 0.5 - i as f64, 1.0 / (1.0 + i as f64)]).collect();
        let a = a.as_flattened();
        let plain: f64 = a.iter().map(|v| v * v).sum();
        let one = dot(a, a);
        assert!((one / plain - 1.0).abs() < 1e-13);
        let squares = |range: Range<usize>| [piece_dot(&a[range.clone()], &a[range])];
        let other = over(a.len(), &squares);
        assert!((other[0] / plain - 1.0).abs() < 1e-13);
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| dot(a, a)).to_bits(), one.to_bits());
            assert_eq!(pool.install(|| over(a.len(), &squares)), other);
        }
        let mut b = a.to_vec();
        assert_eq!(subtract_from(&mut b, a), 0.0);
        b[3 * 20_010 + 1] = f64::NAN;
        assert_eq!(first_not_finite(&b), Some(3 * 20_010 + 1));
        assert_eq!(first_not_finite(a), None);
    }

    #[test]
    fn the_order_is_that_of_pieces_of_1024_vertices() {
        // 1 is lost beside 2⁵³ within a partial sum, and not between pieces.
        let big = 2.0_f64.powi(53);
        let mut a = vec![0.0; 3 * 2048];
        (a[0], a[8], a[3 * 1024]) = (big, 1.0, 1.0);
        let ones = vec![1.0; a.len()];
        assert_eq!(dot(&a, &ones), big);
        a[3 * 1024 + 8] = 1.0;
        assert_eq!(dot(&a, &ones), big + 2.0);
        assert_eq!(largest(&a), big);
        assert_eq!(longest(&[[3.0, 0.0, -4.0], [1.0; 3]]), 5.0);
    }
}
