//! Random numbers, stencils of every kind, and derivatives by differences.

pub(crate) mod whole;

use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_contact::distance::{Blocks, Stencil};

/// All stencils.
pub(crate) const STENCILS: [Stencil; 4] =
    [Stencil::PointPoint, Stencil::PointEdge, Stencil::PointTriangle, Stencil::EdgeEdge];

/// SplitMix64: the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// Uniform in [−1, 1).
    pub(crate) fn symmetric(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
    /// Uniform in a cube of side 2.
    pub(crate) fn point(&mut self) -> Vec3 {
        [self.symmetric(), self.symmetric(), self.symmetric()]
    }
    /// Four of them.
    pub(crate) fn points(&mut self) -> [Vec3; 4] {
        [self.point(), self.point(), self.point(), self.point()]
    }
    /// A whole number, −most to most.
    pub(crate) fn whole(&mut self, most: i64) -> i64 {
        (self.next() % (2 * most as u64 + 1)) as i64 - most
    }
}

/// Positions after vertex `i` moved by `h` along axis `k`.
pub(crate) fn moved(x: &[Vec3; 4], i: usize, k: usize, h: f64) -> [Vec3; 4] {
    let mut x = *x;
    x[i][k] += h;
    x
}

/// Gradient of `f` by central differences of fourth order with step `h`.
pub(crate) fn differences(f: impl Fn(&[Vec3; 4]) -> f64, x: &[Vec3; 4], h: f64) -> [f64; 12] {
    std::array::from_fn(|m| {
        let at = |s: f64| f(&moved(x, m / 3, m % 3, s * h));
        (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h)
    })
}

/// Σ cᵢ xᵢ
pub(crate) fn combine(x: &[Vec3; 4], c: [f64; 4]) -> Vec3 {
    (0..4).fold([0.0; 3], |sum, i| add(sum, scale(x[i], c[i])))
}

/// The matrix as twelve rows.
pub(crate) fn dense(blocks: &Blocks) -> [[f64; 12]; 12] {
    std::array::from_fn(|m| std::array::from_fn(|n| blocks.block(m / 3, n / 3).0[m % 3][n % 3]))
}

/// Twelve numbers of four vectors.
pub(crate) fn flat(v: [Vec3; 4]) -> [f64; 12] {
    std::array::from_fn(|m| v[m / 3][m % 3])
}

/// max |aᵢ − bᵢ|
pub(crate) fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |worst, (a, b)| f64::max(worst, (a - b).abs()))
}

/// max |aᵢ|
pub(crate) fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |worst, a| f64::max(worst, a.abs()))
}

/// Eigenvalues and eigenvectors (rows) of a symmetric matrix by Jacobi's method with angles: an oracle
/// that is written apart from the rotations of the crate.
pub(crate) fn eigen(a: &[[f64; 12]; 12]) -> ([f64; 12], [[f64; 12]; 12]) {
    let mut a = *a;
    let mut v: [[f64; 12]; 12] =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(i == j)));
    for _ in 0..12 {
        for p in 0..12 {
            for q in p + 1..12 {
                if a[p][q] == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = angle.sin_cos();
                for k in 0..12 {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..12 {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[p][k], v[q][k]);
                    (v[p][k], v[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    (std::array::from_fn(|k| a[k][k]), v)
}
