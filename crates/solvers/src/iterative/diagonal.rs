//! [`Diagonal`]: Jacobi's preconditioner.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::preconditioner::{Preconditioner, analyzed};
use super::vectors::sweep;
use crate::{Layout, SolverError};

/// One over the diagonal, by magnitude where the matrix is indefinite; zero entries count as 1.
#[derive(Debug, Clone, Default)]
pub struct Diagonal {
    inverse: Vec<Vec3>,
}

impl Preconditioner for Diagonal {
    fn name(&self) -> &'static str {
        "diagonal"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, _: &Layout<'_>) -> Result<(), SolverError> {
        self.inverse = vec![[1.0; 3]; pattern.rows()];
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        analyzed(self.inverse.len(), matrix, "diagonal")?;
        for (inverse, a) in self.inverse.iter_mut().zip(matrix.diagonal()) {
            for c in 0..3 {
                let entry = a[4 * c].abs();
                inverse[c] = if entry > 0.0 { 1.0 / entry } else { 1.0 };
            }
        }
        Ok(())
    }

    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        sweep([r, &self.inverse], [z], &|[r, d], [z]| {
            for ((z, r), d) in z.iter_mut().zip(r).zip(d) {
                *z = r * d;
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
        24 * self.inverse.len()
    }
}
