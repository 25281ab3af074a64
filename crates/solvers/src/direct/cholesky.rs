//! [`Cholesky`]: A = L Lᵀ for symmetric positive definite matrices.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use super::plan::Plan;
use super::residual::{Residual, check_not_empty};
use super::{Statistics, diagnosis, numeric, tasks, triangular};
use crate::ordering::{Graph, OrderingName, order_graph};
use crate::{Layout, LinearSolver, Report, SolverError};

/// Pivots below this part of the diagonal entry they came from are taken for zero.
const TINY_PIVOT: f64 = 1e-13;
/// So many right-hand sides are taken at once.
const AT_ONCE: usize = 16;

/// Supernodal multifrontal Cholesky with parallel subtrees. Same bits at any number of threads.
///
/// All memory is taken in [`analyze`](LinearSolver::analyze) and the first solves.
#[derive(Debug, Clone)]
pub struct Cholesky {
    ordering: OrderingName,
    memory_limit: Option<u64>,
    analysis: Option<Analysis>,
}

#[derive(Debug, Clone)]
struct Analysis {
    plan: Plan,
    positions: Option<Vec<Vec3>>,
    residual: Residual,
    core: Core,
    factored: bool,
}

/// What solving needs, apart from what checking needs.
#[derive(Debug, Clone)]
struct Core {
    factor: Vec<f64>,
    work: Vec<f64>,
    fronts: Vec<f64>,
}

impl Cholesky {
    /// A solver with that ordering.
    pub fn new(ordering: OrderingName) -> Self {
        Self { ordering, memory_limit: None, analysis: None }
    }

    /// Analysis fails where the factor would take more than so many bytes.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// What a factorisation costs, after analysis.
    pub fn statistics(&self) -> Option<Statistics> {
        let analysis = self.analysis.as_ref()?;
        Some(statistics(&analysis.plan))
    }

    /// In which order the vertices are eliminated, new place to old number, after analysis.
    pub fn order(&self) -> Option<&[u32]> {
        Some(&self.analysis.as_ref()?.plan.nodes.order)
    }

    fn analysis(&mut self) -> Result<&mut Analysis, SolverError> {
        self.analysis
            .as_mut()
            .ok_or_else(|| SolverError::Usage("cholesky: analyze the pattern first".into()))
    }

    fn solve_slices(
        &mut self,
        matrix: &BlockMatrix,
        b: &[&[Vec3]],
        x: &mut [&mut [Vec3]],
        report: &mut dyn FnMut(Report),
    ) -> Result<(), SolverError> {
        let Analysis { plan, residual, core, factored, .. } = self.analysis()?;
        if !*factored {
            return Err(SolverError::Usage("cholesky: factor the matrix first".into()));
        }
        let mut solve = |b: &[&[Vec3]], x: &mut [&mut [Vec3]]| core.solve(plan, b, x);
        residual.solve(matrix, b, x, &mut solve, report)
    }
}

impl Core {
    fn solve(&mut self, plan: &Plan, b: &[&[Vec3]], x: &mut [&mut [Vec3]]) {
        let one = plan.fronts.last().copied().unwrap_or(0);
        for (b, x) in b.chunks(AT_ONCE).zip(x.chunks_mut(AT_ONCE)) {
            let many = b.len();
            if self.fronts.len() < one * many {
                self.fronts.resize(one * many, 0.0);
            }
            let fronts = &mut self.fronts[..one * many];
            triangular::solve(plan, &self.factor, many, |which| b[which], fronts);
            for (which, x) in x.iter_mut().enumerate() {
                triangular::collect(plan, many, which, fronts, x);
            }
        }
    }
}

fn statistics(plan: &Plan) -> Statistics {
    let nodes = &plan.nodes;
    let n = nodes.order.len() as u64;
    let mut stored = 0;
    let (mut flops, mut widest) = (0.0, 0);
    for s in 0..nodes.len() {
        let (w, r) = plan.shape(s);
        stored += (w * (w + 1) / 2 + w * r) as u64;
        flops += tasks::flops(nodes.width(s), nodes.rows(s).len());
        widest = widest.max(w);
    }
    let factor = plan.panels.last().copied().unwrap_or(0);
    let fronts = plan.fronts.last().copied().unwrap_or(0);
    Statistics {
        // Three columns a vertex, of which the upper triangle of the diagonal block is not L's.
        nonzeros: 9 * nodes.exact_blocks - 3 * n,
        stored,
        flops,
        memory: (8 * (factor + plan.work + fronts) + plan.memory()) as u64,
        supernodes: nodes.len(),
        widest,
        tasks: plan.tasks.len(),
    }
}

impl LinearSolver for Cholesky {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn takes_unsymmetric(&self) -> bool {
        false
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        self.analysis = None;
        check_not_empty(pattern)?;
        if !pattern.is_symmetric() {
            return Err(SolverError::Usage(
                "cholesky serves symmetric matrices; take lu for unsymmetric ones".into(),
            ));
        }
        let graph = Graph::new(pattern);
        let order = order_graph(self.ordering, &graph, layout)?;
        let plan = Plan::new(pattern, &graph, order);
        let needed = statistics(&plan).memory;
        if let Some(available) = self.memory_limit.filter(|&limit| needed > limit) {
            return Err(SolverError::Memory { needed, available });
        }
        let core = Core {
            factor: reserve(plan.panels.last().copied().unwrap_or(0), needed)?,
            work: reserve(plan.work, needed)?,
            fronts: reserve(plan.fronts.last().copied().unwrap_or(0), needed)?,
        };
        self.analysis = Some(Analysis {
            plan,
            positions: layout.positions.map(<[Vec3]>::to_vec),
            residual: Residual::new(pattern),
            core,
            factored: false,
        });
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        let Analysis { plan, positions, residual, core, factored } = self.analysis()?;
        *factored = false;
        residual.check_matrix(matrix)?;
        let positions = positions.as_deref();
        let nodes = &plan.nodes;
        if let Err(bad) = numeric::factor(plan, &matrix.values, &mut core.factor, &mut core.work) {
            let vertex = nodes.order[bad.column / 3] as usize;
            return Err(diagnosis::bad_pivot(matrix, positions, vertex, bad.column % 3, bad.pivot));
        }
        for s in 0..nodes.len() {
            let (columns, below) = plan.shape(s);
            for j in 0..columns {
                let vertex = nodes.order[nodes.starts[s] as usize + j / 3] as usize;
                let l = core.factor[plan.panels[s] + j * (columns + below + 1)];
                // The diagonal block comes first in a symmetric row.
                let diagonal = matrix.values[matrix.pattern().range(vertex).start][4 * (j % 3)];
                if l * l <= TINY_PIVOT * diagonal {
                    let relative = l * l / diagonal;
                    return Err(diagnosis::small_pivot(matrix, positions, vertex, relative));
                }
            }
        }
        *factored = true;
        Ok(())
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        let mut report = None;
        self.solve_slices(matrix, &[b], &mut [x], &mut |r| report = Some(r))?;
        report.ok_or_else(|| SolverError::Usage("cholesky: nothing was solved".into()))
    }

    fn solve_many(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec<Vec3>],
        x: &mut [Vec<Vec3>],
    ) -> Result<Vec<Report>, SolverError> {
        let b: Vec<&[Vec3]> = b.iter().map(Vec::as_slice).collect();
        let mut x: Vec<&mut [Vec3]> = x.iter_mut().map(Vec::as_mut_slice).collect();
        let mut reports = Vec::with_capacity(b.len());
        self.solve_slices(matrix, &b, &mut x, &mut |r| reports.push(r))?;
        Ok(reports)
    }

    fn memory(&self) -> usize {
        self.analysis.as_ref().map_or(0, |a| {
            8 * (a.core.factor.len() + a.core.work.len() + a.core.fronts.len()) + a.plan.memory()
        })
    }
}

/// Zeros, or an error where there is no memory for them.
fn reserve(len: usize, needed: u64) -> Result<Vec<f64>, SolverError> {
    let mut entries = Vec::new();
    entries
        .try_reserve_exact(len)
        .map_err(|_| SolverError::Memory { needed, available: 8 * entries.capacity() as u64 })?;
    entries.resize(len, 0.0);
    Ok(entries)
}
