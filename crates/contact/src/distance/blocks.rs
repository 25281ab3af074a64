//! [`Blocks`]: a symmetric matrix of four vertices.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::Vec3;

/// A symmetric 12×12 matrix: its 3×3 blocks on and above the diagonal, row after row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blocks(pub [Mat3<f64>; 10]);

/// Row and column of each of the ten blocks.
pub(super) const PLACES: [[usize; 2]; 10] =
    [[0, 0], [0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]];

impl Blocks {
    /// Zeros.
    pub const ZERO: Self = Self([Mat3([[0.0; 3]; 3]); 10]);

    /// Number of the block of vertices `i` ≤ `j` < 4.
    #[inline]
    pub fn index(i: usize, j: usize) -> usize {
        4 * i + j - i * (i + 1) / 2
    }

    /// The block in row `i` and column `j`, each below 4.
    pub fn block(&self, i: usize, j: usize) -> Mat3<f64> {
        if i <= j { self.0[Self::index(i, j)] } else { self.0[Self::index(j, i)].transpose() }
    }

    /// Makes block (i, j) the value of `f`.
    #[inline]
    pub fn from_fn(mut f: impl FnMut(usize, usize) -> Mat3<f64>) -> Self {
        Self(PLACES.map(|[i, j]| f(i, j)))
    }

    /// Σⱼ Hᵢⱼ vⱼ
    pub fn product(&self, v: &[Vec3; 4]) -> [Vec3; 4] {
        std::array::from_fn(|i| {
            (0..4).fold([0.0; 3], |sum, j| {
                let part = self.block(i, j).mul_vec(v[j]);
                [sum[0] + part[0], sum[1] + part[1], sum[2] + part[2]]
            })
        })
    }
}
