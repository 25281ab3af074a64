//! Signs of determinants of coordinates, without error.
//!
//! A determinant is first computed as it stands; its sign is right where it is larger than a bound of all roundings. Else differences and
//! products are kept as unevaluated sums of two numbers (a rounded result and its rounding error, which is a number of the
//! same precision), and all terms are added into a list of parts that do not overlap: the last part, the largest, has the sign of the
//! whole. Exact as long as no product of three coordinates exceeds the range of numbers: for coordinates that are zero, or between
//! 10⁻⁶⁰ and 10¹⁰⁰ with differences that are too.

use std::cmp::Ordering;

use pliant_algebra::vec3::{Vec3, sub};

/// Eight roundings of relative size ε/2 lie on the way to each term of a volume, fewer to those of an area; taken twice.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Below this, terms may have underflowed.
const SMALL: f64 = 1e-280;

/// a + b and what rounding took away.
#[inline]
fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let of_b = sum - a;
    let of_a = sum - of_b;
    [sum, (a - of_a) + (b - of_b)]
}

/// a b and what rounding took away.
#[inline]
fn two_product(a: f64, b: f64) -> [f64; 2] {
    let product = a * b;
    [product, a.mul_add(b, -product)]
}

/// A sum of at most `N` numbers as parts that do not overlap, ascending.
struct ExactSum<const N: usize> {
    parts: [f64; N],
    len: usize,
}

impl<const N: usize> ExactSum<N> {
    fn new() -> Self {
        Self { parts: [0.0; N], len: 0 }
    }

    /// Carries `value` up through all parts; what each addition loses stays behind as the new part.
    fn add(&mut self, value: f64) {
        let (mut carry, mut kept) = (value, 0);
        for k in 0..self.len {
            let [sum, lost] = two_sum(carry, self.parts[k]);
            carry = sum;
            if lost != 0.0 {
                self.parts[kept] = lost;
                kept += 1;
            }
        }
        if carry != 0.0 {
            self.parts[kept] = carry;
            kept += 1;
        }
        self.len = kept;
    }

    fn sign(&self) -> Ordering {
        let last = self.len.checked_sub(1).map_or(0.0, |k| self.parts[k]);
        last.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
    }
}

/// A sign that the bound on roundings vouches for.
#[inline]
fn sure(value: f64, size: f64) -> Option<Ordering> {
    (size > SMALL && value.abs() > ROUNDING * size).then(|| value.total_cmp(&0.0))
}

/// Returns the sign of (a−d)·((b−d)×(c−d)), six times the volume of a tetrahedron.
pub fn volume_sign(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Ordering {
    let [a0, b0, c0] = [sub(a, d), sub(b, d), sub(c, d)];
    let (p, q) = (b0[1] * c0[2], b0[2] * c0[1]);
    let (r, s) = (b0[2] * c0[0], b0[0] * c0[2]);
    let (t, u) = (b0[0] * c0[1], b0[1] * c0[0]);
    let value = a0[0] * (p - q) + a0[1] * (r - s) + a0[2] * (t - u);
    let size = a0[0].abs() * (p.abs() + q.abs())
        + a0[1].abs() * (r.abs() + s.abs())
        + a0[2].abs() * (t.abs() + u.abs());
    sure(value, size).unwrap_or_else(|| exact_volume_sign(a, b, c, d))
}

#[cold]
fn exact_volume_sign(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Ordering {
    let rows = [a, b, c].map(|p| std::array::from_fn::<_, 3, _>(|k| two_sum(p[k], -d[k])));
    // Six permutations, two parts of each of three factors, four parts of their product.
    let mut sum = ExactSum::<192>::new();
    for (columns, sign) in [
        ([0, 1, 2], 1.0),
        ([1, 2, 0], 1.0),
        ([2, 0, 1], 1.0),
        ([2, 1, 0], -1.0),
        ([1, 0, 2], -1.0),
        ([0, 2, 1], -1.0),
    ] {
        for x in rows[0][columns[0]] {
            for y in rows[1][columns[1]] {
                for part in two_product(sign * x, y) {
                    for z in rows[2][columns[2]] {
                        for term in two_product(part, z) {
                            sum.add(term);
                        }
                    }
                }
            }
        }
    }
    sum.sign()
}

/// Returns the sign of the area of a triangle in the plane of two axes: (a−c)×(b−c).
pub fn area_sign(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Ordering {
    let [x, y] = [a, b].map(|p| [p[0] - c[0], p[1] - c[1]]);
    let (left, right) = (x[0] * y[1], x[1] * y[0]);
    sure(left - right, left.abs() + right.abs()).unwrap_or_else(|| exact_area_sign(a, b, c))
}

#[cold]
fn exact_area_sign(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Ordering {
    let [x, y] = [a, b].map(|p| [two_sum(p[0], -c[0]), two_sum(p[1], -c[1])]);
    let mut sum = ExactSum::<16>::new();
    for (left, right, sign) in [(x[0], y[1], 1.0), (x[1], y[0], -1.0)] {
        for l in left {
            for r in right {
                for term in two_product(sign * l, r) {
                    sum.add(term);
                }
            }
        }
    }
    sum.sign()
}
