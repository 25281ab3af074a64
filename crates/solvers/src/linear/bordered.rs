//! [`Elimination`]: [[A, Cᵀ], [C, E]] by the factor of A and a dense Schur complement.
//!
//! ```text
//! Y = A⁻¹ Cᵀ,   S = E − C Y,   S z = g − C A⁻¹ f,   x = A⁻¹ f − Y z
//! ```
//!
//! One solve with A for each row of the border a factorisation, and one a right-hand side: for borders that are few
//! beside the blocks.

use std::sync::Arc;

use crate::matrix::{Bordered, DenseMatrix};
use crate::sums;
use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::Vec3;

use super::dense::DenseFactor;
use crate::choose::{Choice, SolverName};
use crate::ordering::OrderingName;
use crate::{BlockSolver, Layout, SolverError, SolverUse};

pub(super) struct Elimination {
    solver: Box<dyn BlockSolver>,
    /// LDLᵀ, once a factor by Cholesky has failed and that was no error.
    indefinite: Option<Box<dyn BlockSolver>>,
    ordering: OrderingName,
    pattern: Arc<Pattern>,
    /// Rows of C as lists of vectors, and Y.
    rows: Vec<Vec<Vec3>>,
    columns: Vec<Vec<Vec3>>,
    schur: DenseMatrix,
    factor: DenseFactor,
    /// z, and a copy of f.
    low: Vec<f64>,
}

impl Elimination {
    /// For blocks of that pattern with so many dense rows, by the direct solver that was chosen.
    pub(super) fn new(
        choice: Choice,
        pattern: &Arc<Pattern>,
        border: usize,
    ) -> Result<Self, SolverError> {
        if !pattern.is_symmetric() {
            return Err(SolverError::Usage(
                "a border around unsymmetric blocks is not served: reduce all bodies, or take a method and loads with a symmetric tangent".into(),
            ));
        }
        let solver = match choice.solver {
            SolverName::Auto => SolverName::Cholesky,
            direct => direct,
        };
        let choice = Choice { solver, preconditioner: None, ..choice };
        let mut solver = choice.build()?;
        solver.analyze(pattern, &Layout::default())?;
        let list = || vec![vec![[0.0; 3]; pattern.rows()]; border];
        Ok(Self {
            solver,
            indefinite: None,
            ordering: choice.ordering.unwrap_or_default(),
            pattern: pattern.clone(),
            rows: list(),
            columns: list(),
            schur: DenseMatrix::zero(border, true),
            factor: DenseFactor::default(),
            low: vec![0.0; border],
        })
    }

    fn active(&mut self) -> &mut dyn BlockSolver {
        match &mut self.indefinite {
            Some(solver) => &mut **solver,
            None => &mut *self.solver,
        }
    }

    pub(super) fn factor(&mut self, matrix: &Bordered, definite: bool) -> Result<(), SolverError> {
        let made = match &mut self.indefinite {
            Some(solver) if !definite => solver.factor(&matrix.blocks),
            _ => self.solver.factor(&matrix.blocks),
        };
        match made {
            Err(SolverError::NotPositiveDefinite { .. }) if !definite => {
                let mut other = Choice { solver: SolverName::Ldlt, ..Choice::default() }.build()?;
                other.analyze(&self.pattern, &Layout::default())?;
                other.factor(&matrix.blocks)?;
                self.indefinite = Some(other);
            }
            other => other?,
        }
        if definite {
            self.indefinite = None;
        }
        let border = matrix.corner.size();
        for (k, row) in self.rows.iter_mut().enumerate() {
            row.as_flattened_mut().copy_from_slice(matrix.row(k));
        }
        // One by one: several at once would ask for memory each time.
        for k in 0..border {
            let (row, mut column) =
                (std::mem::take(&mut self.rows[k]), std::mem::take(&mut self.columns[k]));
            column.fill([0.0; 3]);
            let solved = self.active().solve(&matrix.blocks, &row, &mut column);
            (self.rows[k], self.columns[k]) = (row, column);
            solved?;
        }
        for i in 0..border {
            let row = self.rows[i].as_flattened();
            for j in 0..border {
                let along = sums::dot(row, self.columns[j].as_flattened());
                self.schur.row_mut(i)[j] = matrix.corner.row(i)[j] - along;
            }
        }
        self.schur.symmetrise();
        let inner = matrix.blocks.rows();
        // Rows of the border come after those of the blocks.
        self.factor.factor(&self.schur, definite).map_err(|error| match error {
            SolverError::NotPositiveDefinite { vertex, axis, pivot } => {
                SolverError::NotPositiveDefinite { vertex: inner + vertex, axis, pivot }
            }
            other => other,
        })
    }

    pub(super) fn solve(
        &mut self,
        matrix: &Bordered,
        b: &[f64],
        x: &mut [f64],
    ) -> Result<(), SolverError> {
        let (f, g) = b.split_at(matrix.inner());
        let (high, low) = x.split_at_mut(matrix.inner());
        high.fill(0.0);
        self.active().solve(&matrix.blocks, f.as_chunks().0, high.as_chunks_mut().0)?;
        for (k, z) in self.low.iter_mut().enumerate() {
            *z = g[k] - sums::dot(matrix.row(k), high);
        }
        self.factor.solve(&mut self.low);
        for (z, column) in self.low.iter().zip(&self.columns) {
            sums::add_scaled(high, -z, column.as_flattened());
        }
        low.copy_from_slice(&self.low);
        Ok(())
    }

    pub(super) fn note(&self) -> String {
        let name = self.indefinite.as_ref().map_or(self.solver.name(), |s| s.name());
        format!("{name} and a dense Schur complement of {} rows", self.schur.size())
    }

    pub(super) fn taken(&self) -> SolverUse {
        let solver = self.indefinite.as_ref().unwrap_or(&self.solver);
        SolverUse {
            linear: solver.name().to_owned(),
            ordering: Some(self.ordering.name().to_owned()),
            why: format!("blocks with {} dense rows around them", self.schur.size()),
            ..SolverUse::default()
        }
    }

    pub(super) fn memory(&self) -> usize {
        let lists = 2 * 24 * self.rows.len() * self.rows.first().map_or(0, Vec::len);
        self.solver.memory() + self.factor.memory() + lists
    }
}
