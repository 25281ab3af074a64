//! [`BlockDiagonal`]: the inverse 3×3 diagonal blocks.

use std::sync::Arc;

use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::preconditioner::{Preconditioner, analyzed};
use super::vectors::sweep;
use crate::{Layout, SolverError};

/// Each vertex for itself.
///
/// Of symmetric indefinite matrices the blocks are taken by the magnitude of their eigenvalues, so
/// that MINRES finds a positive definite preconditioner; singular blocks count as the identity.
#[derive(Debug, Clone, Default)]
pub struct BlockDiagonal {
    /// Columns of the inverse blocks, one list for each, so that products are three long sums.
    columns: [Vec<Vec3>; 3],
}

impl Preconditioner for BlockDiagonal {
    fn name(&self) -> &'static str {
        "block-diagonal"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, _: &Layout<'_>) -> Result<(), SolverError> {
        self.columns = std::array::from_fn(|_| vec![[0.0; 3]; pattern.rows()]);
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        analyzed(self.columns[0].len(), matrix, "block-diagonal")?;
        let symmetric = matrix.pattern().is_symmetric();
        for (i, a) in matrix.diagonal().enumerate() {
            let inverse = inverse(&Mat3::from_array(*a), symmetric);
            for c in 0..3 {
                self.columns[c][i] = inverse.column(c);
            }
        }
        Ok(())
    }

    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        let [a, b, c] = &self.columns;
        sweep([r, a, b, c], [z], &|[r, a, b, c], [z]| {
            let columns = a.as_chunks().0.iter().zip(b.as_chunks().0).zip(c.as_chunks().0);
            let vectors = z.as_chunks_mut::<3>().0.iter_mut().zip(r.as_chunks::<3>().0);
            for ((z, r), ((a, b), c)) in vectors.zip(columns) {
                let [a, b, c]: [&[f64; 3]; 3] = [a, b, c];
                for k in 0..3 {
                    z[k] = a[k] * r[0] + b[k] * r[1] + c[k] * r[2];
                }
            }
            []
        });
        Ok(())
    }

    /// Nothing: every matrix is looked at anew.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        matrix.map_or(Ok(()), |matrix| self.factor(matrix))
    }

    fn memory(&self) -> usize {
        72 * self.columns[0].len()
    }
}

fn inverse(a: &Mat3<f64>, symmetric: bool) -> Mat3<f64> {
    let inverse = a.inverse();
    // Positive definite by its leading minors: the inverse as it is.
    let minor = a.0[0][0] * a.0[1][1] - a.0[0][1] * a.0[1][0];
    let definite = a.0[0][0] > 0.0 && minor > 0.0 && a.determinant() > 0.0;
    let finite = inverse.0.iter().flatten().all(|v| v.is_finite());
    if finite && (definite || !symmetric) {
        return if symmetric { inverse.symmetric_part() } else { inverse };
    }
    let eigen = eigen3(&a.symmetric_part());
    let largest = eigen.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest.is_nan() || largest <= 0.0 {
        return Mat3::identity();
    }
    eigen.with_values(eigen.values.map(|v| 1.0 / v.abs().max(1e-8 * largest)))
}
