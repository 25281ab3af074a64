//! [`Cholesky`]: A = L Lᵀ for symmetric positive definite matrices.

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use super::outer::{Engine, Outer, solver};
use super::plan::Plan;
use super::{Statistics, diagnosis, numeric, triangular};
use crate::SolverError;
use crate::ordering::Graph;

/// Pivots below this part of the diagonal entry they came from are taken for zero.
const TINY_PIVOT: f64 = 1e-13;
/// So many right-hand sides are taken at once.
const AT_ONCE: usize = 16;

/// Supernodal multifrontal Cholesky with parallel subtrees. Same bits at any number of threads.
///
/// All memory is taken in [`analyze`](crate::LinearSolver::analyze), the first factorisation and the first
/// solution of as many right-hand sides.
#[derive(Debug, Clone)]
pub struct Cholesky(pub(super) Outer<Multifrontal>);

solver!(Cholesky, Multifrontal);

impl Cholesky {
    /// Analysis fails where the factor would take more than so many bytes.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.0.limit = Some(bytes);
        self
    }

    /// What a factorisation costs, after analysis.
    pub fn statistics(&self) -> Option<Statistics> {
        Some(Statistics::of(&self.0.engine()?.plan))
    }

    /// In which order the vertices are eliminated, new place to old number, after analysis.
    pub fn order(&self) -> Option<&[u32]> {
        Some(&self.0.engine()?.plan.nodes.order)
    }
}

/// The plan with its memory.
#[derive(Debug, Clone)]
pub(super) struct Multifrontal {
    plan: Plan,
    factor: Vec<f64>,
    work: Vec<f64>,
    fronts: Vec<f64>,
}

impl Engine for Multifrontal {
    const NAME: &'static str = "cholesky";
    const UNSYMMETRIC: bool = false;
    const TRY_OUT: bool = false;

    fn analyze(
        pattern: &Pattern,
        graph: &Graph,
        order: &[u32],
        limit: Option<u64>,
    ) -> Result<Self, SolverError> {
        let plan = Plan::new(pattern, graph, order);
        let needed = Statistics::of(&plan).memory;
        match limit.filter(|&limit| needed > limit) {
            Some(available) => Err(SolverError::Memory { needed, available }),
            None => Ok(Self { plan, factor: Vec::new(), work: Vec::new(), fronts: Vec::new() }),
        }
    }

    fn factor(
        &mut self,
        matrix: &BlockMatrix,
        positions: Option<&[Vec3]>,
    ) -> Result<(), SolverError> {
        let Self { plan, factor, work, fronts } = self;
        let needed = Statistics::of(plan).memory;
        reserve(factor, plan.panels.last().copied().unwrap_or(0), needed)?;
        reserve(work, plan.work, needed)?;
        reserve(fronts, plan.fronts.last().copied().unwrap_or(0), needed)?;
        let nodes = &plan.nodes;
        if let Err(bad) = numeric::factor(plan, &matrix.values, factor, work) {
            let vertex = nodes.order[bad.column / 3] as usize;
            return Err(diagnosis::bad_pivot(matrix, positions, vertex, bad.column % 3, bad.pivot));
        }
        for s in 0..nodes.len() {
            let (columns, below) = plan.shape(s);
            for j in 0..columns {
                let vertex = nodes.order[nodes.starts[s] as usize + j / 3] as usize;
                let l = factor[plan.panels[s] + j * (columns + below + 1)];
                // The diagonal block comes first in a symmetric row.
                let diagonal = matrix.values[matrix.pattern().range(vertex).start][4 * (j % 3)];
                if l * l <= TINY_PIVOT * diagonal {
                    let found = format!("its pivot is {:.1e} of its diagonal", l * l / diagonal);
                    return Err(diagnosis::singular(matrix, positions, vertex, &found));
                }
            }
        }
        Ok(())
    }

    fn solve(&mut self, b: &[&[Vec3]], x: &mut [&mut [Vec3]]) {
        let one = self.plan.fronts.last().copied().unwrap_or(0);
        for (b, x) in b.chunks(AT_ONCE).zip(x.chunks_mut(AT_ONCE)) {
            let many = b.len();
            if self.fronts.len() < one * many {
                self.fronts.resize(one * many, 0.0);
            }
            let fronts = &mut self.fronts[..one * many];
            triangular::solve(&self.plan, &self.factor, many, |which| b[which], fronts);
            for (which, x) in x.iter_mut().enumerate() {
                triangular::collect(&self.plan, many, which, fronts, x);
            }
        }
    }

    fn memory(&self) -> usize {
        8 * (self.factor.len() + self.work.len() + self.fronts.len()) + self.plan.memory()
    }

    fn nonzeros(&self) -> Option<u64> {
        Some(Statistics::of(&self.plan).nonzeros)
    }
}

/// Makes it that long, once, or tells that there is no memory for it.
fn reserve(entries: &mut Vec<f64>, len: usize, needed: u64) -> Result<(), SolverError> {
    if entries.len() < len {
        // Asked for first, as the second way ends the program where there is none; that way the
        // system gives pages of zeros when they are first used.
        let mut probe: Vec<f64> = Vec::new();
        probe
            .try_reserve_exact(len)
            .map_err(|_| SolverError::Memory { needed, available: 8 * entries.len() as u64 })?;
        drop(probe);
        *entries = vec![0.0; len];
    }
    Ok(())
}
