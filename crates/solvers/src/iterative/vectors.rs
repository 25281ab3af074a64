//! Sums and updates of long vectors: one pass over memory for several of them, and sums in an order
//! that does not depend on the number of threads.

use pliant_algebra::vec3::Vec3;

/// Vertices that are summed up in one go. Sums of pieces are added as the leaves of a binary tree.
const PIECE: usize = 1024;
/// Pieces that are worth handing to another thread.
const PARALLEL: usize = 8;

/// Runs `work` on pieces of the vectors, read ones and written ones, and adds up what it returns. A
/// vertex has N numbers.
pub(crate) fn sweep<const N: usize, const I: usize, const O: usize, const S: usize>(
    read: [&[[f64; N]]; I],
    write: [&mut [[f64; N]]; O],
    work: &(impl Fn([&[f64]; I], [&mut [f64]; O]) -> [f64; S] + Sync),
) -> [f64; S] {
    let n = read.first().map_or_else(|| write.first().map_or(0, |w| w.len()), |r| r.len());
    let parallel = rayon::current_num_threads() > 1;
    halve(n.div_ceil(PIECE), parallel, read, write, work)
}

fn halve<const N: usize, const I: usize, const O: usize, const S: usize>(
    pieces: usize,
    parallel: bool,
    read: [&[[f64; N]]; I],
    mut write: [&mut [[f64; N]]; O],
    work: &(impl Fn([&[f64]; I], [&mut [f64]; O]) -> [f64; S] + Sync),
) -> [f64; S] {
    if pieces <= 1 {
        return work(
            read.map(<[[f64; N]]>::as_flattened),
            write.map(<[[f64; N]]>::as_flattened_mut),
        );
    }
    let half = pieces / 2;
    let at = half * PIECE;
    let (low, high) = (read.map(|r| &r[..at]), read.map(|r| &r[at..]));
    let mut above: [&mut [[f64; N]]; O] = std::array::from_fn(|_| Default::default());
    let below: [&mut [[f64; N]]; O] = std::array::from_fn(|k| {
        let (low, high) = std::mem::take(&mut write[k]).split_at_mut(at);
        above[k] = high;
        low
    });
    let (a, b) = if parallel && pieces >= PARALLEL {
        rayon::join(
            || halve(half, parallel, low, below, work),
            || halve(pieces - half, parallel, high, above, work),
        )
    } else {
        (halve(half, parallel, low, below, work), halve(pieces - half, parallel, high, above, work))
    };
    std::array::from_fn(|s| a[s] + b[s])
}

/// a · b of a piece: eight sums side by side, so that the compiler may use wide registers.
#[inline]
pub(crate) fn piece_dot(a: &[f64], b: &[f64]) -> f64 {
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
pub(crate) fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    sweep([a, b], [], &|[a, b], []| [piece_dot(a, b)])[0]
}

/// |a|
pub(crate) fn norm(a: &[Vec3]) -> f64 {
    dot(a, a).sqrt()
}

/// a ← a + s b
pub(crate) fn add_scaled(a: &mut [Vec3], s: f64, b: &[Vec3]) {
    sweep([b], [a], &|[b], [a]| {
        for (a, b) in a.iter_mut().zip(b) {
            *a += s * b;
        }
        []
    });
}

/// a ← s a
pub(crate) fn scale(a: &mut [Vec3], s: f64) {
    sweep([], [a], &|[], [a]| {
        for a in a {
            *a *= s;
        }
        []
    });
}

/// a ← b
pub(crate) fn copy(a: &mut [Vec3], b: &[Vec3]) {
    sweep([b], [a], &|[b], [a]| {
        a.copy_from_slice(b);
        []
    });
}

/// r ← b − r, and |r|².
pub(crate) fn subtract_from(r: &mut [Vec3], b: &[Vec3]) -> f64 {
    sweep([b], [r], &|[b], [r]| {
        for (r, b) in r.iter_mut().zip(b) {
            *r = b - *r;
        }
        [piece_dot(r, r)]
    })[0]
}

/// Where a value is not finite, the first vertex that has one.
pub(crate) fn first_not_finite(a: &[Vec3]) -> Option<usize> {
    // 0 x is zero for finite numbers and NaN else, and NaN stays in a sum.
    let [sum] = sweep([a], [], &|[a], []| [a.iter().map(|a| 0.0 * a).sum::<f64>()]);
    if sum == 0.0 {
        return None;
    }
    a.iter().position(|a| a.iter().any(|c| !c.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_right_and_have_the_same_bits_on_any_number_of_threads() {
        let a: Vec<Vec3> =
            (0..20_011).map(|i| [i as f64, 0.5 - i as f64, 1.0 / (1.0 + i as f64)]).collect();
        let plain: f64 = a.iter().flatten().map(|v| v * v).sum();
        let one = dot(&a, &a);
        assert!((one / plain - 1.0).abs() < 1e-13);
        for threads in [1, 2, 3, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| dot(&a, &a)).to_bits(), one.to_bits());
        }
        let mut b = a.clone();
        assert_eq!(subtract_from(&mut b, &a), 0.0);
        b[20_010][1] = f64::NAN;
        assert_eq!(first_not_finite(&b), Some(20_010));
        assert_eq!(first_not_finite(&a), None);
    }
}
