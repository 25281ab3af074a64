//! Positive semi-definite part of a small dense symmetric matrix, by Jacobi's rotations.

/// Sweeps beyond which nothing is expected to change: convergence is quadratic, 4 to 6 do.
const SWEEPS: usize = 30;

/// Replaces the symmetric `a` by its part with non-negative eigenvalues: A − Σ_{λ<0} λ v vᵀ.
/// Entries of any scale, as long as their squares are finite. N is odd.
pub(super) fn keep_positive<const N: usize>(a: &mut [[f64; N]; N]) {
    let original = *a;
    // Rows are eigenvectors, so that a rotation moves two contiguous rows.
    let mut v = [[0.0; N]; N];
    for (k, row) in v.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    let size: f64 = original.iter().flatten().map(|x| x * x).sum();
    for _ in 0..SWEEPS {
        let off: f64 = (0..N).map(|i| (0..i).map(|j| a[i][j] * a[i][j]).sum::<f64>()).sum();
        // What is left changes the result by less than 1e-15 of the norm.
        if off <= 1e-31 * size {
            break;
        }
        for round in 0..N {
            rotate(a, &mut v, round);
        }
    }
    let negative: [f64; N] = std::array::from_fn(|k| a[k][k].min(0.0));
    *a = original;
    for k in 0..N {
        if negative[k] < 0.0 {
            for i in 0..N {
                let scaled = negative[k] * v[k][i];
                for j in 0..N {
                    a[i][j] -= scaled * v[k][j];
                }
            }
        }
    }
}

/// Rotations in the planes of all p < q with p + q = `round` modulo N. They are disjoint, so that their angles can be computed
/// side by side: the square roots are what takes the time. N rounds are a sweep, for odd N.
#[inline(always)]
fn rotate<const N: usize>(a: &mut [[f64; N]; N], v: &mut [[f64; N]; N], round: usize) {
    let mut turns = [(0, 0, 1.0, 0.0); N];
    let mut count = 0;
    for p in 0..N {
        let q = (N + round - p) % N;
        if q > p {
            let (cos, sin) = angle(a[p][p], a[q][q], a[p][q]);
            turns[count] = (p, q, cos, sin);
            count += 1;
        }
    }
    for &(p, q, c, s) in &turns[..count] {
        for k in 0..N {
            let (x, y) = (a[p][k], a[q][k]);
            (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
            let (x, y) = (v[p][k], v[q][k]);
            (v[p][k], v[q][k]) = (c * x - s * y, s * x + c * y);
        }
    }
    for &(p, q, c, s) in &turns[..count] {
        for row in a.iter_mut() {
            let (x, y) = (row[p], row[q]);
            (row[p], row[q]) = (c * x - s * y, s * x + c * y);
        }
        (a[p][q], a[q][p]) = (0.0, 0.0);
    }
}

/// Cosine and sine of the smaller angle that makes the entry `pq` zero.
#[inline]
fn angle(pp: f64, qq: f64, pq: f64) -> (f64, f64) {
    let (gap, twice) = (qq - pp, 2.0 * pq);
    // The smaller root t of t² + (gap/pq) t − 1 = 0, without cancellation. Nothing to do makes 0/0 where the two are equal.
    let t = twice / (gap + (gap * gap + twice * twice).sqrt().copysign(gap));
    let t = if twice == 0.0 { 0.0 } else { t };
    let c = 1.0 / (1.0 + t * t).sqrt();
    (c, t * c)
}
