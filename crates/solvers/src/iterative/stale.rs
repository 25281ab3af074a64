//! [`StaleFactor`]: the factor of an earlier matrix as preconditioner.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::preconditioner::Preconditioner;
use crate::{BlockSolver, Layout, SolverError};

/// A direct solver whose factor is kept while matrices change: iterations replace factorisations as
/// long as they are few. It is made anew when asked for by [`StaleFactor::refresh`], and in any case
/// for the first matrix.
///
/// The inner solver must solve A₀ z = r for the matrix A₀ it has factored, exactly and without a
/// residual check against another one; it is handed A₀ again with each solve.
pub struct StaleFactor {
    inner: Box<dyn BlockSolver>,
    pattern: Option<Arc<Pattern>>,
    /// The matrix that is factored: refinement inside the direct solver must see the same one.
    factored: Option<BlockMatrix>,
    refresh: bool,
    age: usize,
}

impl StaleFactor {
    /// Around a direct solver, best Cholesky.
    pub fn new(inner: Box<dyn BlockSolver>) -> Self {
        Self { inner, pattern: None, factored: None, refresh: true, age: 0 }
    }

    /// The next matrix is factored.
    pub fn refresh(&mut self) {
        self.refresh = true;
    }

    /// How many matrices came after the one that is factored.
    pub fn age(&self) -> usize {
        self.age
    }
}

impl Preconditioner for StaleFactor {
    fn name(&self) -> &'static str {
        "stale-cholesky"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        self.factored = None;
        self.pattern = Some(pattern.clone());
        self.inner.analyze(pattern, layout)
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        if !self.refresh && self.factored.is_some() {
            self.age += 1;
            return Ok(());
        }
        match &mut self.factored {
            // Same pattern: the memory is reused.
            Some(kept) if Arc::ptr_eq(kept.pattern(), matrix.pattern()) => {
                kept.values.copy_from_slice(&matrix.values);
            }
            kept => *kept = Some(matrix.clone()),
        }
        let done = self.inner.factor(matrix);
        if done.is_err() {
            self.factored = None;
        }
        self.refresh = done.is_err();
        self.age = 0;
        done
    }

    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        let Some(matrix) = &self.factored else {
            return Err(SolverError::Usage("stale-cholesky: factor a matrix first".into()));
        };
        z.fill([0.0; 3]);
        self.inner.solve(matrix, r, z).map(|_| ())
    }

    /// The matrix that is factored: 72 bytes a block. Its factor would take many times as many.
    fn save(&self, to: &mut Sections) {
        let mut section = to.write("stale-cholesky");
        section.flag(self.refresh).count(self.age).flag(self.factored.is_some());
        if let Some(matrix) = &self.factored {
            section.vectors(&matrix.values);
        }
        self.inner.save(to);
    }

    fn load(&mut self, from: &Sections, _: Option<&BlockMatrix>) -> Result<(), SolverError> {
        let mut section = from.read("stale-cholesky")?;
        (self.refresh, self.age) = (section.flag()?, section.count()?.min(usize::MAX / 2));
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

    fn note(&self) -> Option<String> {
        (self.age > 0).then(|| format!("the factor is {} matrices old", self.age))
    }
}
