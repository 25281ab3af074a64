//! [`Bordered`]: sparse blocks with a few dense rows and columns around them.

use pliant_algebra::sparse::BlockMatrix;

use super::DenseMatrix;

/// The symmetric matrix [[A, Cᵀ], [C, E]]: A of sparse blocks, C a few dense rows, E a dense corner.
///
/// With E = −D, D positive semi-definite, it is the matrix of a saddle point: rows of C are the gradients of
/// constraints. With E positive definite it is that of a body whose unknowns are partly positions and partly amplitudes.
/// Unknowns are those of A, three a row, and then those of the border.
#[derive(Debug, Clone)]
pub struct Bordered {
    /// A, symmetric.
    pub blocks: BlockMatrix,
    /// C, row after row, 3 times the rows of A entries each.
    pub border: Vec<f64>,
    /// E, symmetric.
    pub corner: DenseMatrix,
}

impl Bordered {
    /// Number of unknowns of A.
    pub fn inner(&self) -> usize {
        3 * self.blocks.rows()
    }

    /// Row k of C.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.border[k * self.inner()..(k + 1) * self.inner()]
    }

    /// Adds C x to `low` and Cᵀ z to `high`: the part of the product that is neither A's nor E's.
    pub fn add_border(&self, (x, z): (&[f64], &[f64]), (high, low): (&mut [f64], &mut [f64])) {
        for (k, (row, low)) in self.border.chunks_exact(self.inner().max(1)).zip(low).enumerate() {
            *low += crate::sums::dot(row, x);
            crate::sums::add_scaled(high, z[k], row);
        }
    }
}
