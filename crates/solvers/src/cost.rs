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
/// A factor of single precision takes this part of it.
const SINGLE: f64 = 0.55;
/// An analysis, for each vertex.
const ANALYSIS: f64 = 7_000.0;
/// A factor before its analysis, for each vertex and vertex of the widest layer; its entries, for each vertex and root of those.
const ROUGH_FACTOR: f64 = 80.0;
const ROUGH_ENTRIES: f64 = 60.0;

/// Iterations to a residual of 1e-6: with Eisenstat's for each edge across which a push is felt, and with multigrid.
const ITERATIONS_PER_EDGE: f64 = 3.6;
const CYCLES: f64 = 15.0;

/// The shape of a mesh as its couplings show it: steps from edge to edge from one end to the other, and vertices in the widest
/// layer on the way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    vertices: usize,
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
        let mut span = Self { vertices: n, length: 1, width: 1 };
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

    /// Roughly what a factor costs, and each use of it, before anything is analysed: within a factor of two for rods, bars, plates, sheets
    /// and cubes of 900 to 25,000 vertices, as their analysis tells.
    pub(crate) fn factor(self) -> [f64; 2] {
        let [n, w] = [self.vertices, self.width].map(|count| count as f64);
        [ROUGH_FACTOR * n * w, ROUGH_ENTRIES * n * w.sqrt() * ENTRY_USED]
    }
}

/// The last vertex that a search from `start` finds, and the shape of its layers. Marks what it finds.
fn layers(graph: &Graph, start: usize, seen: &mut [bool]) -> (usize, Span) {
    let mut queue = vec![start as u32];
    seen[start] = true;
    let (mut first, mut span) = (0, Span { vertices: 0, length: 0, width: 0 });
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

/// Factorisation.
pub(crate) fn factor(vertices: usize, flops: f64, nonzeros: u64) -> f64 {
    flops / FACTOR_RATE + nonzeros as f64 * ENTRY_MADE + vertices as f64 * VERTEX
}

/// One solution with a factor.
pub(crate) fn use_of_factor(nonzeros: u64) -> f64 {
    nonzeros as f64 * ENTRY_USED
}

/// What each matrix costs where factors of single precision are kept from one to the next: its part of the making, and uses with
/// their products. A run bears the analysis too; of a state of rest, which is a run of few matrices, each matrix bears more.
pub(crate) fn kept([factor, each]: [f64; 2], pattern: &Pattern, at_rest: bool) -> f64 {
    let (part, analysis) = if at_rest { (0.4, ANALYSIS / 8.0) } else { (0.05, 0.0) };
    let uses = 2.5 * (SINGLE * each + product(pattern));
    part * SINGLE * factor + uses + analysis * pattern.rows() as f64
}

/// One product with a matrix.
pub(crate) fn product(pattern: &Pattern) -> f64 {
    BLOCK_DIAGONAL * pattern.blocks() as f64
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

/// Iterations that a solution will roughly take with Eisenstat's, of a body across which a push is felt `reach` edges far.
pub(crate) fn iterations(span: Span, reach: f64, tolerance: f64) -> f64 {
    (ITERATIONS_PER_EDGE * reach.min(1.25 * span.length as f64) * digits(tolerance)).max(1.0)
}

/// The same with multigrid, whatever the body.
pub(crate) fn cycles(tolerance: f64) -> f64 {
    (CYCLES * digits(tolerance)).max(1.0)
}

/// The part of the way to 1e-6: each iteration takes away the same share of the residual.
fn digits(tolerance: f64) -> f64 {
    (2.0 / tolerance.clamp(1e-15, 0.5)).ln() / 2e6_f64.ln()
}
