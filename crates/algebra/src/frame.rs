//! Steps that the decompositions share: exact scaling, an eigenvector that is far from the others,
//! a basis around a direction, and the leading direction in a plane. None of them iterates.

use crate::mat3::{Mat3, select3};
use crate::real::Real;

/// Squares below this are treated as zero. Matrices are scaled to entries near 1 first, so it is
/// far below what rounding leaves, and far enough from the subnormal range.
const NEGLIGIBLE: f64 = 1e-280;

/// (2^−k, 2^k) such that the largest entry of 2^−k m lies in [1, 2), for entries of any size.
#[inline(always)]
pub(crate) fn unit_scale<R: Real>(m: &Mat3<R>) -> (R, R) {
    let (_, k) = m.max_abs().split_exponent();
    let k = k.max(R::splat(-1021.0)).min(R::splat(1021.0));
    (R::power_of_two(-k), R::power_of_two(k))
}

/// The unit eigenvector of a symmetric matrix whose eigenvalue is best separated from the other
/// two, and whether that is the largest eigenvalue (else it is the smallest).
///
/// With q = tr A / 3 and p² = |A − q I|² / 6, the eigenvalues of B = (A − q I) / p are the roots of
/// β³ − 3β − det B = 0, which is 2 cos 3θ = det B for β = 2 cos θ (Smith 1961). For det B ≥ 0 the
/// largest root lies in [√3, 2], at least √3 from the others; for det B < 0 the same holds for the
/// smallest. There the root is a smooth function of det B (a polynomial and one Newton step) and
/// adj(B − β I) is a multiple, between 3 and 9, of the projector on the eigenvector (Eberly 2014). So
/// the residual of the vector is a few ulp of A, whatever the eigenvalues.
#[inline(always)]
pub(crate) fn separated_eigenvector<R: Real>(a: &Mat3<R>) -> ([R; 3], R::Mask) {
    let a = &a.0;
    let q = (a[0][0] + a[1][1] + a[2][2]) * (1.0 / 3.0);
    let d = [a[0][0] - q, a[1][1] - q, a[2][2] - q];
    let (a01, a02, a12) = (a[0][1], a[0][2], a[1][2]);
    let off = a01 * a01 + a02 * a02 + a12 * a12;
    let p2 = ((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + (off + off)) * (1.0 / 6.0);
    // A multiple of the identity: B = 0, and any vector serves.
    let spread = p2.greater(R::splat(NEGLIGIBLE));
    let inverse_p = R::select(spread, p2.sqrt().recip(), R::zero());
    let (b00, b11, b22) = (d[0] * inverse_p, d[1] * inverse_p, d[2] * inverse_p);
    let (b01, b02, b12) = (a01 * inverse_p, a02 * inverse_p, a12 * inverse_p);

    let det = b00 * (b11 * b22 - b12 * b12) + b02 * (b01 * b12 - b11 * b02)
        - b01 * (b01 * b22 - b12 * b02);
    let largest = det.greater_equal(R::zero());
    let h = (det.abs() * 0.5).min(R::one());
    // Not by the sign bit of det: −0 counts as largest.
    let root = separated_root(h);
    let beta = R::select(largest, root, -root);

    let (m00, m11, m22) = (b00 - beta, b11 - beta, b22 - beta);
    let adj00 = m11 * m22 - b12 * b12;
    let adj11 = m00 * m22 - b02 * b02;
    let adj22 = m00 * m11 - b01 * b01;
    let adj01 = b02 * b12 - b01 * m22;
    let adj02 = b01 * b12 - b02 * m11;
    let adj12 = b01 * b02 - m00 * b12;
    // The column with the largest diagonal entry is the longest.
    let second = adj11.greater(adj00);
    let v = select3(second, [adj01, adj11, adj12], [adj00, adj01, adj02]);
    let third = adj22.greater(R::select(second, adj11, adj00));
    let v = select3(third, [adj02, adj12, adj22], v);
    let inverse = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt().recip();
    ([v[0] * inverse, v[1] * inverse, v[2] * inverse], largest)
}

/// The largest root of β³ − 3β − 2h = 0 for 0 ≤ h ≤ 1, that is 2 cos(acos(h) / 3).
#[inline(always)]
fn separated_root<R: Real>(h: R) -> R {
    // Minimax on [0, 1], error 3e-9; the Newton step squares it.
    let h2 = h * h;
    let h4 = h2 * h2;
    let p01 = h * 0.3333328509939023 + 1.7320508103308405;
    let p23 = h * 0.04922634914857742 - 0.09621112954768445;
    let p45 = h * 0.018912899264432955 - 0.030283636418443532;
    let p67 = h * 0.0036348105471645945 - 0.010031096244627152;
    let beta = (p01 + h2 * p23) + h4 * ((p45 + h2 * p67) - h4 * 0.0006318608361258174);
    let square = beta * beta;
    let residual = beta * (square - 3.0) - (h + h);
    beta - residual / (square * 3.0 - 3.0)
}

/// Unit vectors s, t such that (n, s, t) is a right-handed orthonormal basis, for unit n
/// (Duff et al. 2017, "Building an orthonormal basis, revisited").
#[inline(always)]
pub(crate) fn basis<R: Real>(n: [R; 3]) -> ([R; 3], [R; 3]) {
    let [x, y, z] = n;
    let sign = R::one().copysign(z);
    let a = -(sign + z).recip();
    let b = x * y * a;
    ([sign * x * x * a + 1.0, sign * b, -(sign * x)], [b, sign + y * y * a, -y])
}

/// The unit direction (c, s) that belongs to the larger eigenvalue of [[α, γ], [γ, β]]: one Jacobi
/// rotation, with the order of the eigenvalues settled. (1, 0) if all three are negligible.
#[inline(always)]
pub(crate) fn leading_direction<R: Real>(alpha: R, beta: R, gamma: R) -> (R, R) {
    let d = (alpha - beta) * 0.5;
    let gamma2 = gamma * gamma;
    // No cancellation: |d| and the root have the same sign.
    let long = d.abs() + (d * d + gamma2).sqrt();
    let first = d.greater_equal(R::zero());
    unit2(R::select(first, long, gamma), R::select(first, gamma, long)).0
}

/// ((x, y) / |(x, y)|, |(x, y)|); the direction is (1, 0) where the length is negligible.
#[inline(always)]
pub(crate) fn unit2<R: Real>(x: R, y: R) -> ((R, R), R) {
    let square = x * x + y * y;
    let length = square.sqrt();
    let usable = square.greater(R::splat(NEGLIGIBLE));
    let inverse = length.recip();
    let c = R::select(usable, x * inverse, R::one());
    let s = R::select(usable, y * inverse, R::zero());
    ((c, s), length)
}
