//! [`Ssor`]: symmetric successive over-relaxation by 3×3 blocks.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::block::{inverse_cholesky, lower, times_inverse_transposed};
use super::ic0::LEAF;
use super::preconditioner::{Preconditioner, analyzed, needs_symmetric};
use super::shape::{Shape, Sources};
use super::triangular::{Done, Factor};
use crate::{Layout, SolverError};

/// M = (D + ωL) D⁻¹ (D + ωLᵀ) / (ω (2 − ω)) with A = L + D + Lᵀ (VirTis (3.4.3) as corrected).
///
/// With D = C Cᵀ this is G Gᵀ with G = (C + ωL C⁻ᵀ) / √(ω (2 − ω)): the same solves serve as for
/// incomplete Cholesky factors, without their set-up.
#[derive(Debug, Clone)]
pub struct Ssor {
    omega: f64,
    factor: Factor,
    sources: Sources,
}

impl Default for Ssor {
    fn default() -> Self {
        Self { omega: 1.0, factor: Factor::default(), sources: Sources::default() }
    }
}

/// Fails unless 0 < ω < 2.
pub(super) fn check_omega(omega: f64) -> Result<(), SolverError> {
    if omega > 0.0 && omega < 2.0 {
        return Ok(());
    }
    Err(SolverError::Usage(format!("relaxation {omega}: it must lie between 0 and 2")))
}

impl Ssor {
    /// With relaxation ω, 0 < ω < 2.
    pub fn new(omega: f64) -> Result<Self, SolverError> {
        check_omega(omega)?;
        Ok(Self { omega, ..Self::default() })
    }
}

impl Preconditioner for Ssor {
    fn name(&self) -> &'static str {
        "ssor"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        needs_symmetric(pattern, "ssor")?;
        let (shape, sources) = Shape::of_pattern(pattern, layout.positions, LEAF);
        self.factor = Factor::new(shape);
        self.sources = sources;
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        analyzed(self.factor.shape.rows(), matrix, "ssor")?;
        let Self { omega, factor, sources } = self;
        let (weight, root) = (1.0 / (2.0 - *omega), (*omega * (2.0 - *omega)).sqrt());
        factor.fill(&|shape: &Shape, i, done: &Done<'_>, own, diagonal| {
            let range = shape.row(i);
            for (own, k) in own.iter_mut().zip(range) {
                let d = done.diagonal(shape.columns[k] as usize);
                let g = times_inverse_transposed(&sources.block(matrix, k), d);
                *own = g.map(|v| (weight * v) as f32);
            }
            let vertex = shape.tree.order[i] as usize;
            let a = &matrix.values[matrix.pattern().range(vertex).start];
            let d = inverse_cholesky(&lower(a)).map_err(|(axis, pivot)| {
                SolverError::NotPositiveDefinite { vertex, axis, pivot }
            })?;
            *diagonal = d.map(|v| v * root);
            Ok::<(), SolverError>(())
        })?;
        factor.finish();
        Ok(())
    }

    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        self.factor.solve(r, z);
        Ok(())
    }

    /// Nothing: every matrix is looked at anew.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        matrix.map_or(Ok(()), |matrix| self.factor(matrix))
    }

    fn memory(&self) -> usize {
        self.factor.memory() + self.sources.memory()
    }
}
