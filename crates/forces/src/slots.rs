//! [`Slots`]: where the blocks of a model lie in the system matrix.

use std::ops::Range;

use pliant_algebra::sparse::{Pattern, Slot};

use crate::error::ForceError;

/// Slots of a model's blocks in the values of a matrix. A model counts vertices from 0; in the system they begin
/// at `first`.
#[derive(Debug, Clone, Copy)]
pub struct Slots<'a> {
    pattern: &'a Pattern,
    first: u32,
    model: &'a str,
}

impl<'a> Slots<'a> {
    /// Slots in matrices of a pattern, for a model (named in errors) whose vertex 0 is vertex `first` of the
    /// system.
    pub fn new(pattern: &'a Pattern, first: u32, model: &'a str) -> Self {
        Self { pattern, first, model }
    }

    /// Returns the slot of block (i, j). A block outside of the pattern is one that the model did not declare:
    /// an error.
    pub fn get(&self, row: u32, column: u32) -> Result<Slot, ForceError> {
        self.pattern
            .slot(self.first + row, self.first + column)
            .ok_or_else(|| ForceError::Undeclared { model: self.model.to_owned(), row, column })
    }

    /// The pattern, in the numbering of the system: for models that look blocks up as they go.
    pub fn pattern(&self) -> &'a Pattern {
        self.pattern
    }

    /// Number of the model's vertex 0 in the system.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// Returns the slots of all blocks in the rows of some vertices: one range, as matrices are stored by rows.
    pub(crate) fn rows(&self, vertices: &Range<usize>) -> Range<u32> {
        let offsets = self.pattern.offsets();
        let end = self.pattern.blocks() as u32;
        let at = |v: usize| offsets.get(self.first as usize + v).copied().unwrap_or(end);
        at(vertices.start)..at(vertices.end)
    }

    /// Returns the number of vertices from the model's first to the last of the system.
    pub(crate) fn vertices(&self) -> usize {
        self.pattern.rows().saturating_sub(self.first as usize)
    }

    /// Returns true if the matrix stores the upper triangle alone, so that blocks (i, j) and (j, i) share a slot.
    pub fn one_triangle(&self) -> bool {
        self.pattern.is_symmetric()
    }

    /// Number of blocks of the matrix.
    pub fn blocks(&self) -> usize {
        self.pattern.blocks()
    }

    /// Refuses a matrix of one triangle for a model whose tangent is not symmetric.
    pub fn check_symmetry(&self, symmetric: bool) -> Result<(), ForceError> {
        if self.one_triangle() && !symmetric {
            return Err(ForceError::Unsupported(format!(
                "the tangent of {} is not symmetric: it needs a matrix that stores both triangles",
                self.model
            )));
        }
        Ok(())
    }
}
