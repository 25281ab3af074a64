//! [`Cholesky`]: A = L Lᵀ for symmetric positive definite matrices.

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use super::outer::{Engine, Outer, solver};
use super::plan::Plan;
use super::real::Real;
use super::{Statistics, diagnosis, numeric, triangular};
use crate::SolverError;
use crate::ordering::Graph;

/// So many right-hand sides are taken at once.
const AT_ONCE: usize = 16;

/// Supernodal multifrontal Cholesky with parallel subtrees. Same bits at any number of threads.
///
/// All memory is taken in [`analyze`](crate::BlockSolver::analyze), the first factorisation and the first
/// solution of as many right-hand sides.
#[derive(Debug, Clone)]
pub struct Cholesky(pub(super) Outer<Multifrontal<f64>>);

solver!(Cholesky, Multifrontal<f64>);

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
pub(super) struct Multifrontal<T> {
    plan: Plan,
    factor: Vec<T>,
    work: Vec<T>,
    fronts: Vec<T>,
    scales: Vec<f64>,
}

impl<T: Real> Multifrontal<T> {
    fn new(plan: Plan) -> Self {
        let (factor, work, fronts) = (Vec::new(), Vec::new(), Vec::new());
        Self { plan, factor, work, fronts, scales: Vec::with_capacity(AT_ONCE) }
    }

    /// The same plan for numbers of eight bytes.
    pub(super) fn in_double(&self) -> Multifrontal<f64> {
        Multifrontal::new(self.plan.clone())
    }
}

impl<T: Real> Engine for Multifrontal<T> {
    const NAME: &'static str = T::NAME;
    const UNSYMMETRIC: bool = false;
    const TRY_OUT: bool = false;
    const REFINED: f64 = T::REFINED;
    const REFINEMENTS: usize = T::REFINEMENTS;

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
            None => Ok(Self::new(plan)),
        }
    }

    fn factor(
        &mut self,
        matrix: &BlockMatrix,
        positions: Option<&[Vec3]>,
    ) -> Result<(), SolverError> {
        let Self { plan, factor, work, fronts, .. } = self;
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
                let l = factor[plan.panels[s] + j * (columns + below + 1)].double();
                // The diagonal block comes first in a symmetric row.
                let diagonal = matrix.values[matrix.pattern().range(vertex).start][4 * (j % 3)];
                if l * l <= T::TINY_PIVOT * diagonal {
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
                self.fronts.resize(one * many, T::default());
            }
            let fronts = &mut self.fronts[..one * many];
            self.scales.clear();
            self.scales.extend(b.iter().map(|b| T::scale(b)));
            let scales = &self.scales;
            let sides = |which: usize| (b[which], scales[which]);
            triangular::solve(&self.plan, &self.factor, many, sides, fronts);
            for (which, x) in x.iter_mut().enumerate() {
                triangular::collect(&self.plan, many, which, fronts, scales[which], x);
            }
        }
    }

    fn memory(&self) -> usize {
        size_of::<T>() * (self.factor.len() + self.work.len() + self.fronts.len())
            + self.plan.memory()
    }

    fn nonzeros(&self) -> Option<u64> {
        Some(Statistics::of(&self.plan).nonzeros)
    }

    fn flops(&self) -> Option<f64> {
        Some(Statistics::of(&self.plan).flops)
    }
}

/// Makes it that long, once, or tells that there is no memory for it.
fn reserve<T: Real>(entries: &mut Vec<T>, len: usize, needed: u64) -> Result<(), SolverError> {
    if entries.len() < len {
        // Asked for first, as the second way ends the program where there is none; that way the
        // system gives pages of zeros when they are first used.
        let mut probe: Vec<T> = Vec::new();
        probe.try_reserve_exact(len).map_err(|_| SolverError::Memory {
            needed,
            available: size_of_val(entries.as_slice()) as u64,
        })?;
        drop(probe);
        *entries = vec![T::default(); len];
    }
    Ok(())
}
