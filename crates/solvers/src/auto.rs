//! [`Auto`]: a solver that chooses another one, and says which and why.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use crate::direct::{Cholesky, Ldlt, Lu};
use crate::iterative::{Bicgstab, PreconditionerName, Settings};
use crate::ordering::OrderingName;
use crate::{Layout, LinearSolver, Report, SolverError};

/// Up to here a factorisation costs no more than the iterations it saves.
const SMALL: usize = 3_000;
/// From here on multigrid is ahead of incomplete Cholesky where the system is stiff.
const LARGE: usize = 100_000;
/// Off-diagonal over diagonal blocks: below it the mass dominates and iterations are few.
const MASS_DOMINATED: f64 = 0.5;
/// Solves with one factor that pay for it.
const MANY_SOLVES: usize = 20;

/// Chooses when it first sees values: by symmetry, size, how stiff the system is beside its mass, and how
/// often one matrix is used. Where Cholesky finds a pivot that is not positive it goes over to LDLᵀ.
pub struct Auto {
    settings: Settings,
    /// Solves expected with each matrix.
    solves: usize,
    pattern: Option<Arc<Pattern>>,
    positions: Option<Vec<Vec3>>,
    chosen: Option<Box<dyn LinearSolver>>,
    why: String,
}

impl Auto {
    /// Iterations, if it comes to them, stop by these settings.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            solves: 1,
            pattern: None,
            positions: None,
            chosen: None,
            why: "nothing chosen yet".into(),
        }
    }

    /// Tells how many right-hand sides each matrix will have.
    #[must_use]
    pub fn with_solves(mut self, solves: usize) -> Self {
        self.solves = solves;
        self
    }

    /// What was chosen, and why.
    pub fn why(&self) -> &str {
        &self.why
    }

    fn choose(&mut self, matrix: &BlockMatrix) -> Result<Box<dyn LinearSolver>, SolverError> {
        let n = matrix.rows();
        if !matrix.pattern().is_symmetric() {
            return Ok(if n <= LARGE / 5 {
                self.why = format!("lu: unsymmetric, {n} vertices");
                Box::new(Lu::new(OrderingName::Metis))
            } else {
                self.why =
                    format!("bicgstab with block-diagonal: unsymmetric, {n} vertices are many");
                Box::new(Bicgstab::new(PreconditionerName::BlockDiagonal.build(), self.settings))
            });
        }
        let ratio = dominance(matrix);
        let stiff = ratio > MASS_DOMINATED;
        let describe = if stiff { "stiff" } else { "dominated by its mass" };
        if self.solves >= MANY_SOLVES && n < LARGE {
            self.why =
                format!("cholesky with metis: {} solves with each of {n} vertices", self.solves);
            return Ok(Box::new(Cholesky::new(OrderingName::Metis)));
        }
        if n <= SMALL && stiff {
            self.why = format!("cholesky with metis: small ({n} vertices) and stiff ({ratio:.2})");
            return Ok(Box::new(Cholesky::new(OrderingName::Metis)));
        }
        let preconditioner = match (stiff, n >= LARGE && self.positions.is_some()) {
            (false, _) => PreconditionerName::BlockDiagonal,
            (true, false) => PreconditionerName::Ic0,
            (true, true) => PreconditionerName::Multigrid,
        };
        self.why =
            format!("cg with {}: {n} vertices, {describe} ({ratio:.2})", preconditioner.name());
        preconditioner.cg(self.settings)
    }

    fn analyzed(
        &self,
        mut solver: Box<dyn LinearSolver>,
    ) -> Result<Box<dyn LinearSolver>, SolverError> {
        let Some(pattern) = &self.pattern else {
            return Err(SolverError::Usage("auto: analyze a pattern first".into()));
        };
        let layout = Layout { positions: self.positions.as_deref(), elements: None };
        solver.analyze(pattern, &layout)?;
        Ok(solver)
    }
}

/// The mean over rows of Σ ‖A_ij‖ / ‖A_ii‖, j ≠ i, of a symmetric matrix.
fn dominance(matrix: &BlockMatrix) -> f64 {
    let pattern = matrix.pattern();
    let norm = |k: usize| matrix.values[k].iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut off = vec![0.0; matrix.rows()];
    let mut on = vec![0.0; matrix.rows()];
    for i in 0..matrix.rows() {
        for (k, &j) in pattern.range(i).zip(pattern.row(i)) {
            let size = norm(k);
            if j as usize == i {
                on[i] = size;
            } else {
                off[i] += size;
                off[j as usize] += size;
            }
        }
    }
    let ratios = off.iter().zip(&on).filter(|(_, on)| **on > 0.0).map(|(off, on)| off / on);
    ratios.sum::<f64>() / (matrix.rows().max(1) as f64)
}

impl LinearSolver for Auto {
    fn name(&self) -> &str {
        self.chosen.as_ref().map_or("auto", |s| s.name())
    }

    fn takes_unsymmetric(&self) -> bool {
        true
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        self.pattern = Some(pattern.clone());
        self.positions = layout.positions.map(<[Vec3]>::to_vec);
        self.chosen = None;
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        if self.chosen.is_none() {
            let solver = self.choose(matrix)?;
            self.chosen = Some(self.analyzed(solver)?);
        }
        let Some(solver) = &mut self.chosen else { return Ok(()) };
        match solver.factor(matrix) {
            Err(SolverError::NotPositiveDefinite { vertex, .. }) if solver.name() == "cholesky" => {
                let mut solver = self.analyzed(Box::new(Ldlt::new(OrderingName::Metis)))?;
                solver.factor(matrix)?;
                self.why = format!("ldlt: not positive definite at vertex {vertex}");
                self.chosen = Some(solver);
                Ok(())
            }
            other => other,
        }
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        match &mut self.chosen {
            Some(solver) => solver.solve(matrix, b, x),
            None => Err(SolverError::Usage("auto: factor a matrix first".into())),
        }
    }

    fn solve_many(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec<Vec3>],
        x: &mut [Vec<Vec3>],
    ) -> Result<Vec<Report>, SolverError> {
        match &mut self.chosen {
            Some(solver) => solver.solve_many(matrix, b, x),
            None => Err(SolverError::Usage("auto: factor a matrix first".into())),
        }
    }

    fn set_tolerance(&mut self, relative: f64) {
        self.settings.tolerance = relative;
        if let Some(solver) = &mut self.chosen {
            solver.set_tolerance(relative);
        }
    }

    fn memory(&self) -> usize {
        self.chosen.as_ref().map_or(0, |s| s.memory())
    }

    fn factor_nonzeros(&self) -> Option<u64> {
        self.chosen.as_ref().and_then(|s| s.factor_nonzeros())
    }

    fn note(&self) -> Option<String> {
        Some(self.why.clone())
    }
}
