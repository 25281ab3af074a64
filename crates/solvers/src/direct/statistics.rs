//! [`Statistics`]: what a factorisation costs, known before it is made.

use pliant_algebra::sparse::Pattern;

use super::elimination::{self, ROOT};
use super::plan::Plan;
use super::tasks;
use crate::SolverError;
use crate::ordering::Graph;

/// What a factorisation costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Non-zero entries of L, the diagonal included.
    pub nonzeros: u64,
    /// Entries that are stored as L: the same and the zeros inside dense panels.
    pub stored: u64,
    /// Floating-point operations of a factorisation, zeros inside panels included: multiplications and
    /// additions counted apart.
    pub flops: f64,
    /// Bytes held, plan and all.
    pub memory: u64,
    /// Dense panels.
    pub supernodes: usize,
    /// Columns of the widest panel.
    pub widest: usize,
    /// Parts of the tree that may be worked on at the same time.
    pub tasks: usize,
}

impl Statistics {
    pub(super) fn of(plan: &Plan) -> Self {
        let nodes = &plan.nodes;
        let vertices = nodes.order.len() as u64;
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
        Self {
            // Three columns a vertex, of which the upper triangle of the diagonal block is not L's.
            nonzeros: 9 * nodes.exact_blocks - 3 * vertices,
            stored,
            flops,
            memory: (8 * (factor + plan.work + fronts) + plan.memory()) as u64,
            supernodes: nodes.len(),
            widest,
            tasks: plan.tasks.len(),
        }
    }
}

/// Vertex blocks of L, (row, column) by new places, the diagonal included, row after row: what is not
/// zero when the vertices of `pattern` are eliminated in `order` (new place to old number).
pub fn factor_pattern(pattern: &Pattern, order: &[u32]) -> Result<Vec<(u32, u32)>, SolverError> {
    let n = pattern.rows();
    let mut seen = vec![false; n];
    let fits = order.len() == n
        && order
            .iter()
            .all(|&v| seen.get_mut(v as usize).is_some_and(|seen| !std::mem::replace(seen, true)));
    if !fits {
        return Err(SolverError::Usage(format!("the order is no permutation of {n} vertices")));
    }
    let graph = Graph::new(pattern);
    let place = elimination::inverse(order);
    let parent = elimination::tree(&graph, order, &place);
    let mut mark = vec![ROOT; n];
    let mut blocks = Vec::new();
    for i in 0..n as u32 {
        let from = blocks.len();
        mark[i as usize] = i;
        for &w in graph.neighbours(order[i as usize] as usize) {
            // Row i has all columns on the way from its neighbours up to itself.
            let mut j = place[w as usize];
            while j < i && std::mem::replace(&mut mark[j as usize], i) != i {
                blocks.push((i, j));
                j = parent[j as usize];
            }
        }
        blocks[from..].sort_unstable();
        blocks.push((i, i));
    }
    Ok(blocks)
}
