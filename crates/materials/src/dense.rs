//! [`DenseTangent`]: all 81 numbers of ∂P/∂F, for laws without structure.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Real;

use crate::law::Tangent;

/// A_ijkl = ∂P_ij/∂F_kl, stored as `columns[k][l]` = ∂P/∂F_kl.
#[derive(Clone, Copy, Debug)]
pub struct DenseTangent<R> {
    /// ∂P/∂F_kl
    pub columns: [[Mat3<R>; 3]; 3],
}

impl<R: Real> DenseTangent<R> {
    /// All zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { columns: [[Mat3::zero(); 3]; 3] }
    }

    /// The full tensor of any tangent, from its blocks for unit gradients.
    #[inline(always)]
    pub fn from_tangent<T: Tangent<R>>(tangent: &T) -> Self {
        let mut dense = Self::zero();
        let unit = Mat3::<R>::identity().0;
        for j in 0..3 {
            let a = tangent.node(unit[j]);
            for l in 0..3 {
                let block = tangent.block(&a, &tangent.node(unit[l]));
                for i in 0..3 {
                    for k in 0..3 {
                        dense.columns[k][l].0[i][j] = block.0[i][k];
                    }
                }
            }
        }
        dense
    }

    /// A : dF
    #[inline(always)]
    pub fn apply(&self, df: &Mat3<R>) -> Mat3<R> {
        let mut sum = Mat3::zero();
        for k in 0..3 {
            for l in 0..3 {
                sum += self.columns[k][l].scale(df.0[k][l]);
            }
        }
        sum
    }
}

impl DenseTangent<f64> {
    /// As a 9×9 matrix, rows (i, j) and columns (k, l) row-major.
    pub fn to_matrix(&self) -> [[f64; 9]; 9] {
        let mut matrix = [[0.0; 9]; 9];
        for (k, row) in self.columns.iter().enumerate() {
            for (l, column) in row.iter().enumerate() {
                for i in 0..3 {
                    for j in 0..3 {
                        matrix[3 * i + j][3 * k + l] = column.0[i][j];
                    }
                }
            }
        }
        matrix
    }
}

impl<R: Real> Tangent<R> for DenseTangent<R> {
    /// `[k]`: Σ_l ∂P/∂F_kl a_l, and a.
    type Node = ([Mat3<R>; 3], [R; 3]);

    #[inline(always)]
    fn node(&self, a: [R; 3]) -> Self::Node {
        let mut contracted = [Mat3::zero(); 3];
        for k in 0..3 {
            for l in 0..3 {
                contracted[k] += self.columns[k][l].scale(a[l]);
            }
        }
        (contracted, a)
    }
    #[inline(always)]
    fn block(&self, a: &Self::Node, b: &Self::Node) -> Mat3<R> {
        Mat3::from_columns(b.0[0].mul_vec(a.1), b.0[1].mul_vec(a.1), b.0[2].mul_vec(a.1))
    }
}
