//! [`StaleFactor`]: the factor of an earlier matrix as preconditioner, made anew when that costs less than to go on with it.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::preconditioner::Preconditioner;
use super::stretch::Stretch;
use crate::cost;
use crate::direct::CholeskySingle;
use crate::ordering::OrderingName;
use crate::{BlockSolver, Layout, SolverError};

/// A factor that is kept while matrices change: iterations replace factorisations as long as they cost less. Where a single
/// matrix takes iterations worth two factors, the solver does not go on but has [it](Preconditioner::renew) factored.
///
/// Factors are of single precision where that is enough, which is seen when they are made: residuals are the solver's, in double.
pub struct StaleFactor {
    inner: CholeskySingle,
    pattern: Option<Arc<Pattern>>,
    /// The matrix that is factored: for checkpoints, and to factor it again after one.
    factored: Option<BlockMatrix>,
    stretch: Stretch,
}

impl StaleFactor {
    /// With that ordering.
    pub fn new(ordering: OrderingName) -> Self {
        let inner = CholeskySingle::new(ordering, 1.0);
        Self { inner, pattern: None, factored: None, stretch: Stretch::default() }
    }

    /// How many matrices came after the one that is factored.
    pub fn age(&self) -> usize {
        self.stretch.age()
    }
}

impl Preconditioner for StaleFactor {
    fn name(&self) -> &'static str {
        "stale-cholesky"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        self.factored = None;
        self.pattern = Some(pattern.clone());
        self.inner.analyze(pattern, layout)?;
        let (flops, nonzeros) = self.factor_counts().unwrap_or_default();
        let each = cost::use_of_factor(nonzeros) + cost::product(pattern);
        self.stretch = Stretch::new(cost::factor(pattern.rows(), flops, nonzeros), each);
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        if self.factored.is_none() || self.stretch.is_over() {
            return self.renew(matrix);
        }
        self.stretch.next();
        Ok(())
    }

    fn renew(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        match &mut self.factored {
            // Same pattern: the memory is reused.
            Some(kept) if Arc::ptr_eq(kept.pattern(), matrix.pattern()) => {
                kept.values.copy_from_slice(&matrix.values);
            }
            kept => *kept = Some(matrix.clone()),
        }
        self.stretch.begin();
        let done = self.inner.factor(matrix);
        if done.is_err() {
            self.factored = None;
        }
        done
    }

    fn patience(&self) -> Option<usize> {
        self.stretch.patience()
    }

    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        if self.factored.is_none() {
            return Err(SolverError::Usage("stale-cholesky: factor a matrix first".into()));
        }
        self.stretch.count();
        self.inner.apply_factor(r, z)
    }

    /// The matrix that is factored: 72 bytes a block. Its factor would take many times as many.
    fn save(&self, to: &mut Sections) {
        let mut section = to.write("stale-cholesky");
        self.stretch.save(&mut section);
        section.flag(self.factored.is_some());
        if let Some(matrix) = &self.factored {
            section.vectors(&matrix.values);
        }
        self.inner.save(to);
    }

    fn load(&mut self, from: &Sections, _: Option<&BlockMatrix>) -> Result<(), SolverError> {
        let mut section = from.read("stale-cholesky")?;
        self.stretch.load(&mut section)?;
        self.factored = None;
        if section.flag()? {
            let Some(pattern) = &self.pattern else {
                return Err(SolverError::Usage("stale-cholesky: analyze a pattern first".into()));
            };
            let mut matrix = BlockMatrix::zero(pattern.clone());
            matrix.values = section.vectors_of(matrix.values.len())?;
            self.factored = Some(matrix);
        }
        section.finish()?;
        self.inner.load(from, self.factored.as_ref())
    }

    fn memory(&self) -> usize {
        self.inner.memory() + self.factored.as_ref().map_or(0, |m| 72 * m.values.len())
    }

    fn factor_counts(&self) -> Option<(f64, u64)> {
        self.inner.factor_flops().zip(self.inner.factor_nonzeros())
    }

    fn note(&self) -> Option<String> {
        let age = self.age();
        (age > 0).then(|| format!("the factor is {age} matrices old"))
    }
}
