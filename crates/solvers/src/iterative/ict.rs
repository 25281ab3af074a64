//! [`Ict`]: incomplete Cholesky factor by 3×3 blocks with fill where it is large.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::breakdown::shift_note;
use super::ic0::LEAF;
use super::incomplete::Incomplete;
use super::preconditioner::{Preconditioner, analyzed, needs_symmetric};
use super::shape::{Shape, Sources};
use crate::{Layout, SolverError};

/// Thresholded block incomplete Cholesky.
///
/// The first matrix after `analyze` is factored with the fill that eliminating single vertices of A
/// makes (level 1). Of that fill the blocks above the threshold stay, relative to the pivots of their
/// row and column; those of A's own pattern always do. Later matrices are factored on what stayed:
/// no search and no allocation, and the tree of branches serves as for ic0.
#[derive(Debug, Clone)]
pub struct Ict {
    threshold: f64,
    /// The pattern of A, until the first matrix comes.
    start: Option<(Shape, Sources)>,
    incomplete: Incomplete,
    blocks_of_a: usize,
    rows: usize,
    shift: f64,
}

impl Default for Ict {
    fn default() -> Self {
        Self {
            threshold: 0.01,
            start: None,
            incomplete: Incomplete::default(),
            blocks_of_a: 0,
            rows: 0,
            shift: 0.0,
        }
    }
}

impl Ict {
    /// Fill stays where ‖G_ij‖ > threshold √(‖G_ii‖ ‖G_jj‖); 0 keeps all of level 1.
    pub fn new(threshold: f64) -> Result<Self, SolverError> {
        if threshold >= 0.0 && threshold.is_finite() {
            return Ok(Self { threshold, ..Self::default() });
        }
        Err(SolverError::Usage(format!("threshold {threshold} of ict: it must not be negative")))
    }

    /// Blocks of the factor over those of the lower triangle of the matrix.
    pub fn fill(&self) -> f64 {
        self.incomplete.factor.shape.columns.len() as f64 / self.blocks_of_a.max(1) as f64
    }
}

impl Preconditioner for Ict {
    fn name(&self) -> &'static str {
        "ict"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        needs_symmetric(pattern, "ict")?;
        let (shape, sources) = Shape::of_pattern(pattern, layout.positions, LEAF);
        self.blocks_of_a = shape.columns.len();
        self.rows = shape.rows();
        self.start = Some((shape, sources));
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        analyzed(self.rows, matrix, "ict")?;
        if let Some((shape, sources)) = &self.start {
            let (filled, filled_sources) = shape.with_fill(sources);
            let mut all = Incomplete::new(filled, filled_sources.clone());
            all.fill(matrix)?;
            let (kept, kept_sources) = all.factor.thinned(&filled_sources, self.threshold);
            self.incomplete = Incomplete::new(kept, kept_sources);
            self.start = None;
        }
        self.shift = self.incomplete.factor(matrix)?;
        Ok(())
    }

    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        self.incomplete.solve(r, z);
        Ok(())
    }

    /// Which blocks stayed: that follows from the first matrix, not from the last.
    fn save(&self, to: &mut Sections) {
        let shape = &self.incomplete.factor.shape;
        let mut section = to.write("ict");
        section.flag(self.start.is_none());
        if self.start.is_none() {
            section.indices(&shape.offsets).indices(&shape.columns);
        }
    }

    fn load(&mut self, from: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        let mut section = from.read("ict")?;
        if section.flag()? {
            let Some((shape, sources)) = &self.start else {
                return Err(SolverError::Usage("ict: analyze a pattern first".into()));
            };
            let (filled, filled_sources) = shape.with_fill(sources);
            let (offsets, columns) = (section.indices()?, section.indices()?);
            let stays = filled
                .among(&offsets, &columns)
                .ok_or_else(|| section.wrong("blocks that no fill of the matrix has"))?;
            let kept = filled.kept(|k| stays[k]);
            self.incomplete = Incomplete::new(kept, filled_sources.kept(|k| stays[k]));
            self.start = None;
        }
        section.finish()?;
        matrix.map_or(Ok(()), |matrix| self.factor(matrix))
    }

    fn memory(&self) -> usize {
        self.incomplete.memory()
    }

    fn note(&self) -> Option<String> {
        let fill = format!("{:.1} times the blocks of the matrix", self.fill());
        Some(shift_note(self.shift).map_or(fill.clone(), |shift| format!("{fill}; {shift}")))
    }
}
