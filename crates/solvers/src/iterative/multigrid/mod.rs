//! [`Multigrid`]: smoothed aggregation with the six rigid-body modes.
//!
//! Vaněk, Mandel and Brezina (1996): vertices are gathered into aggregates, on each of which the
//! rigid-body modes are kept exactly; a step of Jacobi's method makes the prolongator smooth. Coarse
//! vertices have six unknowns. Iterations then hardly grow with the size of the mesh, which no
//! incomplete factor achieves.

mod aggregate;
mod blocks;
mod dense;
mod level;
mod modes;
mod transfer;

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::Vec3;
use pliant_sections::{SectionReader, Sections};

use super::preconditioner::{Preconditioner, PreconditionerName, analyzed, needs_symmetric};
use super::ssor::Ssor;
use super::stretch::Stretch;
use super::vectors::{add_scaled, subtract_from};
use crate::cost;
use crate::{Layout, SolverError};
use aggregate::{NONE, Strong};
use blocks::{Finest, FullRows, Rows, Small};
use dense::Dense;
use level::{Level, Radius, block_inverses, spectral_radius};
use modes::{orthonormal, rigid_modes};
use transfer::Transfer;

/// Options of [`Multigrid`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MultigridOptions {
    /// Blocks below this part of the diagonal do not bind vertices together.
    pub threshold: f64,
    /// Coarse vertices (of six unknowns) that are few enough to be solved directly.
    pub coarsest: usize,
    /// The most levels.
    pub levels: usize,
}

impl Default for MultigridOptions {
    fn default() -> Self {
        Self { threshold: 0.02, coarsest: 60, levels: 12 }
    }
}

/// One V-cycle: block SSOR on the finest level, Chebyshev's polynomials on the others, a dense factor
/// on the coarsest.
///
/// Aggregates and patterns follow from the first matrix after `analyze`; later ones only fill values in, where that costs less than to
/// go on with those of an earlier one ([`Stretch`]).
pub struct Multigrid {
    options: MultigridOptions,
    pattern: Option<Arc<Pattern>>,
    positions: Option<Vec<Vec3>>,
    product: Option<Product>,
    full: FullRows,
    smoother: Ssor,
    /// The matrix that levels were made of, for residuals within the cycle.
    matrix: Option<BlockMatrix>,
    inverse: Vec<Small<3, 3>>,
    /// The largest eigenvalue of D⁻¹ A, estimated, and its eigenvector.
    radius: f64,
    vector: Vec<Vec3>,
    residual: Vec<Vec3>,
    correction: Vec<Vec3>,
    transfer: Option<Transfer<3>>,
    levels: Vec<Level>,
    coarsest: Dense,
    stretch: Stretch,
}

impl Default for Multigrid {
    fn default() -> Self {
        Self::new(MultigridOptions::default())
    }
}

impl Multigrid {
    /// An empty one.
    pub fn new(options: MultigridOptions) -> Self {
        Self {
            options,
            pattern: None,
            positions: None,
            product: None,
            full: FullRows::default(),
            smoother: Ssor::default(),
            matrix: None,
            inverse: Vec::new(),
            radius: 1.0,
            vector: Vec::new(),
            residual: Vec::new(),
            correction: Vec::new(),
            transfer: None,
            levels: Vec::new(),
            coarsest: Dense::default(),
            stretch: Stretch::default(),
        }
    }

    /// Vertices on each level, the finest first.
    pub fn sizes(&self) -> Vec<usize> {
        let coarse = self.levels.iter().map(|l| l.matrix.len());
        std::iter::once(self.residual.len()).chain(coarse).collect()
    }

    /// Aggregates, modes and patterns of all levels.
    fn build(&mut self, matrix: &BlockMatrix) {
        self.levels.clear();
        let n = matrix.rows();
        let MultigridOptions { threshold, coarsest, levels } = self.options;
        let finest = Finest { rows: &self.full, matrix };
        let (of, count) = Strong::new(&finest, threshold).aggregate();
        let modes = rigid_modes(n, self.positions.as_deref());
        let (tentative, mut modes) = orthonormal(&modes, &of, count);
        let (transfer, coarse) = Transfer::new(&finest, of, count, tentative);
        self.transfer = Some(transfer);
        self.levels.push(Level::new(coarse));
        self.fill_finest(matrix, Radius::Estimated);
        while self.levels.len() < levels
            && let Some(level) = self.levels.last_mut()
        {
            let size = level.matrix.len();
            if size <= coarsest {
                break;
            }
            let (of, count) = Strong::new(&level.matrix, 0.5 * threshold).aggregate();
            // Where nothing binds vertices together, smoothing alone solves the system.
            if count == 0 || count * 10 > size * 9 {
                break;
            }
            let (tentative, next) = orthonormal(&modes, &of, count);
            modes = next;
            let (transfer, coarse) = Transfer::new(&level.matrix, of, count, tentative);
            let mut next = Level::new(coarse);
            level.transfer = Some(transfer);
            level.fill(&mut next, Radius::Estimated);
            self.levels.push(next);
        }
    }

    /// Aggregates, modes and patterns of all levels as they were when they were written, without values.
    fn rebuild(
        &mut self,
        section: &mut SectionReader<'_>,
        matrix: &BlockMatrix,
    ) -> Result<(), SolverError> {
        self.levels.clear();
        let n = matrix.rows();
        (self.radius, self.vector) = (section.number()?, section.vectors_of(n)?);
        let finest = Finest { rows: &self.full, matrix };
        let (of, count) = aggregates(section, n)?;
        let modes = rigid_modes(n, self.positions.as_deref());
        let (tentative, mut modes) = orthonormal(&modes, &of, count);
        let (transfer, mut coarse) = Transfer::new(&finest, of, count, tentative);
        self.transfer = Some(transfer);
        loop {
            let size = coarse.len();
            let mut level = Level::new(coarse);
            (level.radius, level.vector) = (section.number()?, section.vectors_of(size)?);
            if !section.flag()? {
                self.levels.push(level);
                return Ok(());
            }
            let (of, count) = aggregates(section, size)?;
            let (tentative, next) = orthonormal(&modes, &of, count);
            modes = next;
            let (transfer, next) = Transfer::new(&level.matrix, of, count, tentative);
            level.transfer = Some(transfer);
            self.levels.push(level);
            coarse = next;
        }
    }

    /// P of the finest level and the first coarse matrix.
    fn fill_finest(&mut self, matrix: &BlockMatrix, radius: Radius) {
        let Some(product) = &mut self.product else { return };
        let finest = Finest { rows: &self.full, matrix };
        block_inverses(&finest, &mut self.inverse);
        if radius == Radius::Estimated {
            self.radius =
                spectral_radius(&mut self.vector, &mut self.residual, &self.inverse, |x, y| {
                    product.apply(&matrix.values, x, y);
                });
        }
        let (Some(transfer), Some(coarse)) = (&mut self.transfer, self.levels.first_mut()) else {
            return;
        };
        let omega = 4.0 / (3.0 * self.radius);
        transfer.fill(&finest, &self.inverse, omega, &mut coarse.matrix);
    }

    fn refill(&mut self, matrix: &BlockMatrix, radius: Radius) {
        self.fill_finest(matrix, radius);
        for k in 0..self.levels.len() {
            let (fine, coarse) = self.levels.split_at_mut(k + 1);
            if let (Some(fine), Some(coarse)) = (fine.last_mut(), coarse.first_mut()) {
                fine.fill(coarse, radius);
            }
        }
    }

    /// All levels of a matrix.
    fn make(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.smoother.factor(matrix)?;
        match &mut self.matrix {
            Some(kept) => kept.values.copy_from_slice(&matrix.values),
            kept => *kept = Some(matrix.clone()),
        }
        if self.transfer.is_some() {
            self.refill(matrix, Radius::Estimated);
        } else {
            self.build(matrix);
        }
        self.close(Radius::Estimated)
    }

    /// The factor of the coarsest level, or a smoother where it is too large for that.
    fn close(&mut self, radius: Radius) -> Result<(), SolverError> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        level.prepare_smoother(radius);
        if level.matrix.len() > 4 * self.options.coarsest {
            level.direct = false;
            return Ok(());
        }
        level.direct = true;
        let matrix = &level.matrix;
        let n = 6 * matrix.len();
        let filled = self.coarsest.factor(n, |dense| {
            for i in 0..matrix.len() {
                for (k, &j) in matrix.columns(i).iter().enumerate() {
                    let block = matrix.block(i, k);
                    for r in 0..6 {
                        for c in 0..6 {
                            dense[(6 * i + r) * n + 6 * j as usize + c] = block[r][c];
                        }
                    }
                }
            }
        });
        filled.map_err(|row| SolverError::Singular {
            vertex: self.transfer.as_ref().map_or(0, |t| t.first_vertex(row / 6)),
            remedy: "a coarse level of multigrid is singular; if rigid modes are free fix three vertices that are not on a line, and if the matrix is indefinite take minres or ldlt".into(),
        })
    }
}

impl Preconditioner for Multigrid {
    fn name(&self) -> &'static str {
        "multigrid"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        needs_symmetric(pattern, "multigrid")?;
        let n = pattern.rows();
        self.pattern = Some(pattern.clone());
        self.positions = layout.positions.filter(|p| p.len() == n).map(<[Vec3]>::to_vec);
        self.product = Some(Product::new(pattern));
        self.full = FullRows::new(pattern);
        self.inverse = vec![[[0.0; 3]; 3]; n];
        for list in [&mut self.vector, &mut self.residual, &mut self.correction] {
            *list = vec![[0.0; 3]; n];
        }
        self.matrix = None;
        self.transfer = None;
        self.levels.clear();
        let name = PreconditionerName::Multigrid;
        let making = cost::preparation(pattern, name);
        self.stretch = Stretch::new(making, cost::iteration(pattern, name));
        self.smoother.analyze(pattern, layout)
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        analyzed(self.residual.len(), matrix, "multigrid")?;
        if self.transfer.is_none() || self.stretch.is_over() {
            return self.renew(matrix);
        }
        self.stretch.next();
        Ok(())
    }

    fn renew(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.stretch.begin();
        let made = self.make(matrix);
        if made.is_err() {
            self.transfer = None;
        }
        made
    }

    fn patience(&self) -> Option<usize> {
        self.stretch.patience()
    }

    fn apply(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        self.stretch.count();
        self.smoother.apply(r, z)?;
        let (Some(product), Some(matrix), Some(transfer)) =
            (&mut self.product, &self.matrix, &self.transfer)
        else {
            return Ok(());
        };
        product.apply(&matrix.values, z, &mut self.residual);
        subtract_from(&mut self.residual, r);
        if let Some(first) = self.levels.first_mut() {
            transfer.restrict(&self.residual, &mut first.right);
        }
        level::cycle(&mut self.levels, &self.coarsest);
        if let Some(first) = self.levels.first() {
            transfer.prolong(&first.x, z);
        }
        product.apply(&matrix.values, z, &mut self.residual);
        subtract_from(&mut self.residual, r);
        self.smoother.apply(&self.residual, &mut self.correction)?;
        add_scaled(z, 1.0, &self.correction);
        Ok(())
    }

    /// The matrix that levels were made of, aggregates, which follow from the first matrix, and the eigenvectors that estimates
    /// go on from.
    fn save(&self, to: &mut Sections) {
        let mut section = to.write("multigrid");
        self.stretch.save(&mut section);
        let (Some(transfer), Some(matrix)) = (&self.transfer, &self.matrix) else {
            section.flag(false);
            return;
        };
        section.flag(true).vectors(&matrix.values);
        section.number(self.radius).vectors(&self.vector);
        let mut aggregates = transfer.aggregates();
        for level in &self.levels {
            section.indices(aggregates).count(level.matrix.len());
            section.number(level.radius).vectors(&level.vector);
            section.flag(level.transfer.is_some());
            aggregates = level.transfer.as_ref().map_or(&[], Transfer::aggregates);
        }
    }

    fn load(&mut self, from: &Sections, _: Option<&BlockMatrix>) -> Result<(), SolverError> {
        let mut section = from.read("multigrid")?;
        let Some(pattern) = &self.pattern else {
            return Err(SolverError::Usage("multigrid: analyze a pattern first".into()));
        };
        self.stretch.load(&mut section)?;
        self.transfer = None;
        if !section.flag()? {
            return Ok(section.finish()?);
        }
        let mut matrix = BlockMatrix::zero(pattern.clone());
        matrix.values = section.vectors_of(matrix.values.len())?;
        self.rebuild(&mut section, &matrix)?;
        section.finish()?;
        self.smoother.factor(&matrix)?;
        self.refill(&matrix, Radius::Known);
        self.matrix = Some(matrix);
        self.close(Radius::Known)
    }

    fn memory(&self) -> usize {
        let fine = self.matrix.as_ref().map_or(0, |m| 72 * m.values.len());
        let lists = (72 + 3 * 24) * self.residual.len();
        self.smoother.memory()
            + self.full.memory()
            + self.transfer.as_ref().map_or(0, Transfer::memory)
            + self.levels.iter().map(Level::memory).sum::<usize>()
            + self.coarsest.memory()
            + fine
            + lists
    }

    fn note(&self) -> Option<String> {
        let sizes: Vec<String> = self.sizes().iter().map(ToString::to_string).collect();
        Some(format!("levels of {} vertices", sizes.join(", ")))
    }
}

/// The aggregate of each of n vertices, and how many there are.
fn aggregates(section: &mut SectionReader<'_>, n: usize) -> Result<(Vec<u32>, usize), SolverError> {
    let (of, count) = (section.indices_of(n)?, section.count()?);
    // Each has a vertex at least.
    if count > n || of.iter().any(|&a| a != NONE && a as usize >= count) {
        return Err(section.wrong(format!("{count} aggregates of {n} vertices")).into());
    }
    Ok((of, count))
}
