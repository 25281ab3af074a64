//! [`Krylov`]: all that CG, MINRES, BiCGSTAB and GMRES differ in. Everything else of a [`BlockSolver`] is written once, here.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::system::System;
use crate::{BlockSolver, Layout, Report, SolverError};

/// An iteration over a [`System`].
pub(super) trait Krylov: Send {
    /// Serves symmetric matrices only.
    const SYMMETRIC: bool;

    /// Settings, preconditioner and constraints.
    fn system(&self) -> &System;

    /// The same, to be changed.
    fn system_mut(&mut self) -> &mut System;

    /// Makes room for vectors of so many vertices.
    fn resize(&mut self, rows: usize);

    /// Returns the bytes of these vectors.
    fn bytes(&self) -> usize;

    /// Refuses matrices whose values the iteration cannot take.
    fn check(&self, matrix: &BlockMatrix) -> Result<(), SolverError>;

    /// Improves x until A x = b within the tolerance.
    fn iterate(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError>;
}

impl<K: Krylov> BlockSolver for K {
    fn name(&self) -> &str {
        self.system().name
    }

    fn takes_unsymmetric(&self) -> bool {
        !K::SYMMETRIC
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        if K::SYMMETRIC {
            super::needs_symmetric_matrix(pattern, self.system().name)?;
        }
        self.resize(pattern.rows());
        self.system_mut().analyze(pattern, layout)
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.check(matrix)?;
        self.system_mut().factor(matrix)
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        self.iterate(matrix, b, x)
    }

    fn set_tolerance(&mut self, relative: f64) {
        self.system_mut().settings.tolerance = relative;
    }

    fn save(&self, to: &mut Sections) {
        self.system().save(to);
    }

    fn load(&mut self, from: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        self.system_mut().load(from, matrix)
    }

    fn memory(&self) -> usize {
        self.system().preconditioner.memory() + self.bytes()
    }

    fn factor_flops(&self) -> Option<f64> {
        self.system().preconditioner.factor_counts().map(|(flops, _)| flops)
    }

    fn factor_nonzeros(&self) -> Option<u64> {
        self.system().preconditioner.factor_counts().map(|(_, nonzeros)| nonzeros)
    }

    fn note(&self) -> Option<String> {
        self.system().preconditioner.note()
    }
}

/// Clears lists of vectors and gives them `rows` zeros each.
pub(super) fn zeros<'a>(lists: impl IntoIterator<Item = &'a mut Vec<Vec3>>, rows: usize) {
    for list in lists {
        list.clear();
        list.resize(rows, [0.0; 3]);
    }
}
