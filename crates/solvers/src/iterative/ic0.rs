//! [`Ic0`]: incomplete Cholesky factor by 3×3 blocks on the pattern of the matrix.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::breakdown::shift_note;
use super::incomplete::Incomplete;
use super::preconditioner::{Preconditioner, analyzed, needs_symmetric};
use super::shape::Shape;
use crate::{Layout, SolverError};

/// Vertices in a leaf of the tree: enough that separators stay few.
pub(super) const LEAF: usize = 2048;

/// Block incomplete Cholesky without fill.
///
/// The diagonal blocks of the matrix are enlarged by 5 %; where a pivot block is still not positive
/// definite, by twice that and so on (Manteuffel 1980), and [`Preconditioner::note`] says so.
#[derive(Debug, Clone, Default)]
pub struct Ic0 {
    incomplete: Incomplete,
    shift: f64,
}

impl Ic0 {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// The part by which the last factorisation enlarged the diagonal blocks.
    pub fn shift(&self) -> f64 {
        self.shift
    }
}

impl Preconditioner for Ic0 {
    fn name(&self) -> &'static str {
        "ic0"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        needs_symmetric(pattern, "ic0")?;
        let (shape, sources) = Shape::of_pattern(pattern, layout.positions, LEAF);
        self.incomplete = Incomplete::new(shape, sources);
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        analyzed(self.incomplete.factor.shape.rows(), matrix, "ic0")?;
        self.shift = self.incomplete.factor(matrix)?;
        Ok(())
    }

    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        self.incomplete.solve(r, z);
        Ok(())
    }

    /// Nothing: every matrix is looked at anew.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        matrix.map_or(Ok(()), |matrix| self.factor(matrix))
    }

    fn memory(&self) -> usize {
        self.incomplete.memory()
    }

    fn note(&self) -> Option<String> {
        shift_note(self.shift)
    }
}
