//! What a symmetric system costs by one method and another, in nanoseconds of a machine that is always the same: decisions made
//! by it depend on counts alone, not on the clock or the number of threads.
//!
//! Rates were measured on two cores on rods, plates, bars and cubes of 3,000 to 36,000 vertices (tet4 and hex8): they are the medians, and
//! single systems lie within a factor of two.

use pliant_algebra::sparse::Pattern;

use crate::iterative::PreconditionerName;
use crate::ordering::Graph;

/// One iteration of conjugate gradients, for each block of the upper triangle.
const EISENSTAT: f64 = 7.5;
const MULTIGRID: f64 = 55.0;
const BLOCK_DIAGONAL: f64 = 5.0;
/// What multigrid does with a new matrix, for each block.
const HIERARCHY: f64 = 350.0;
/// Operations of a factorisation in a nanosecond; what each entry of the factor takes besides, when it is made and when it is used;
/// and what each vertex takes.
const FACTOR_RATE: f64 = 50.0;
const ENTRY_MADE: f64 = 6.0;
const ENTRY_USED: f64 = 1.3;
const VERTEX: f64 = 400.0;

/// Iterations to a residual of 1e-6: for each edge across which a push is felt, with Eisenstat's, and with multigrid whatever the
/// body.
const ITERATIONS_PER_EDGE: f64 = 3.6;
const CYCLES: f64 = 15.0;

/// The shape of a mesh as its couplings show it: steps from edge to edge from one end to the other, and vertices in the widest
/// layer on the way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    length: usize,
    width: usize,
}

impl Span {
    /// Layers of neighbours, from a vertex that is far from where the search began. The longest of all parts that hang together,
    /// and the widest.
    pub(crate) fn of(graph: &Graph) -> Self {
        let n = graph.vertices();
        let mut found = vec![false; n];
        let mut seen = vec![false; n];
        let mut span = Self { length: 1, width: 1 };
        for start in 0..n {
            if seen[start] {
                continue;
            }
            let far = layers(graph, start, &mut found).0;
            let (_, part) = layers(graph, far, &mut seen);
            span.length = span.length.max(part.length);
            span.width = span.width.max(part.width);
        }
        span
    }

    /// Roughly what a factor costs, before anything is analysed: dissection cuts the body across at every width of it, and each cut
    /// is a dense matrix.
    pub(crate) fn factor(self) -> f64 {
        let cut = 3.0 * self.width as f64;
        let cuts = (self.length as f64 / (self.width as f64).sqrt()).max(1.0);
        2.0 * cuts * cut.powi(3) / FACTOR_RATE
    }
}

/// The last vertex that a search from `start` finds, and the shape of its layers. Marks what it finds.
fn layers(graph: &Graph, start: usize, seen: &mut [bool]) -> (usize, Span) {
    let mut queue = vec![start as u32];
    seen[start] = true;
    let (mut first, mut span) = (0, Span { length: 0, width: 0 });
    while first < queue.len() {
        let last = queue.len();
        span.length += 1;
        span.width = span.width.max(last - first);
        for k in first..last {
            for &j in graph.neighbours(queue[k] as usize) {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    queue.push(j);
                }
            }
        }
        first = last;
    }
    (queue.last().map_or(start, |&v| v as usize), span)
}

/// Factorisation and one solution.
pub(crate) fn direct(vertices: usize, flops: f64, nonzeros: u64) -> f64 {
    flops / FACTOR_RATE + nonzeros as f64 * (ENTRY_MADE + ENTRY_USED) + vertices as f64 * VERTEX
}

/// One iteration.
pub(crate) fn iteration(pattern: &Pattern, preconditioner: PreconditionerName) -> f64 {
    let rate = match preconditioner {
        PreconditionerName::Multigrid => MULTIGRID,
        PreconditionerName::BlockDiagonal => BLOCK_DIAGONAL,
        _ => EISENSTAT,
    };
    rate * pattern.blocks() as f64
}

/// Work on a new matrix.
pub(crate) fn preparation(pattern: &Pattern, preconditioner: PreconditionerName) -> f64 {
    match preconditioner {
        PreconditionerName::Multigrid => HIERARCHY * pattern.blocks() as f64,
        _ => 0.0,
    }
}

/// Iterations that a solution will roughly take, of a body across which a push is felt `reach` edges far.
pub(crate) fn iterations(
    preconditioner: PreconditionerName,
    span: Span,
    reach: f64,
    tolerance: f64,
) -> f64 {
    // Each takes away the same share of the residual.
    let digits = (2.0 / tolerance.clamp(1e-15, 0.5)).ln() / 2e6_f64.ln();
    let all = match preconditioner {
        PreconditionerName::Multigrid => CYCLES,
        _ => ITERATIONS_PER_EDGE * reach.min(1.25 * span.length as f64),
    };
    (all * digits).max(1.0)
}
