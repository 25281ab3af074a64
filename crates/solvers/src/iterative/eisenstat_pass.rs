//! The walk down and up the tree of branches that is one iteration of Eisenstat's CG.

use std::ops::Range;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::Pack as Lanes;
use pliant_algebra::mat3::Mat3;

use super::shape::Shape;
use super::vectors::sweep;

/// A vector of three with a spare entry.
pub(super) type Row = [f64; 4];
/// Marks rows without constraint.
pub(super) const NONE: u32 = u32::MAX;

/// Rows of a branch whose halves are worth handing to two threads.
const WORTH_A_THREAD: usize = 2_500;

/// In the order of the tree: residual r̂, direction p̂, p = (D̂ + L)⁻ᵀ p̂, and w, on the way down
/// what is left of r̂ to solve, on the way up (D̂ + L)⁻¹ (…).
#[derive(Debug, Clone, Default)]
pub(super) struct Vectors {
    pub r: Vec<Row>,
    pub hat: Vec<Row>,
    pub p: Vec<Row>,
    pub w: Vec<Row>,
}

impl Vectors {
    pub(super) fn new(n: usize) -> Self {
        let zero = vec![[0.0; 4]; n];
        Self { r: zero.clone(), hat: zero.clone(), p: zero.clone(), w: zero }
    }
}

/// The scaled matrix I + L + Lᵀ with its constraints.
pub(super) struct Pass<'a> {
    shape: &'a Shape,
    blocks: &'a [[f64; 9]],
    held: &'a [u32],
    filters: &'a [Mat3<f64>],
    omega: f64,
    parallel: bool,
    level: Level,
}

/// The vectors of a branch.
struct Branch<'a> {
    r: &'a [Row],
    hat: &'a mut [Row],
    p: &'a mut [Row],
    w: &'a mut [Row],
}

impl<'a> Branch<'a> {
    fn part(&mut self, range: Range<usize>) -> Branch<'_> {
        Branch {
            r: &self.r[range.clone()],
            hat: &mut self.hat[range.clone()],
            p: &mut self.p[range.clone()],
            w: &mut self.w[range],
        }
    }

    fn split(self, at: usize) -> (Branch<'a>, Branch<'a>) {
        let (r0, r1) = self.r.split_at(at);
        let (hat0, hat1) = self.hat.split_at_mut(at);
        let (p0, p1) = self.p.split_at_mut(at);
        let (w0, w1) = self.w.split_at_mut(at);
        (Branch { r: r0, hat: hat0, p: p0, w: w0 }, Branch { r: r1, hat: hat1, p: p1, w: w1 })
    }
}

impl<'a> Pass<'a> {
    /// `held` is empty where there are no constraints.
    pub(super) fn new(
        shape: &'a Shape,
        blocks: &'a [[f64; 9]],
        held: &'a [u32],
        filters: &'a [Mat3<f64>],
        omega: f64,
    ) -> Self {
        let parallel = rayon::current_num_threads() > 1;
        Self { shape, blocks, held, filters, omega, parallel, level: Level::best() }
    }

    /// The new directions p̂ ← r̂ + β p̂ and p ← (D̂ + L)⁻ᵀ r̂ + β p, filtered, and w such that
    /// (D̂ + L)⁻¹ A p = p + w; returns pᵀ A p. On entry w is r̂.
    pub(super) fn round(&self, beta: f64, vectors: &mut Vectors) -> f64 {
        let Some(root) = self.shape.tree.nodes.len().checked_sub(1) else { return 0.0 };
        let Vectors { r, hat, p, w } = vectors;
        if !self.held.is_empty() {
            // Filters correct p̂ of rows that the walk has not reached, so it must be there before.
            sweep([&*r], [&mut *hat], &|[r], [hat]| {
                for (hat, r) in hat.iter_mut().zip(r) {
                    *hat = r + beta * *hat;
                }
                []
            });
        }
        self.walk(root, beta, Branch { r, hat, p, w })
    }

    fn walk(&self, node: usize, beta: f64, mut branch: Branch<'_>) -> f64 {
        let nodes = &self.shape.tree.nodes;
        let node = &nodes[node];
        let (own, base) = (node.own..node.end, node.start);
        let down = Down {
            pass: self,
            rows: own.clone(),
            base,
            beta,
            branch: branch.part(0..node.end - base),
        };
        self.level.run(down);
        let mut curvature = 0.0;
        if let Some((left, right)) = node.halves {
            let at = nodes[left].end - base;
            let (low, high) = branch.part(0..node.own - base).split(at);
            let (a, b) = if self.parallel && node.end - base >= WORTH_A_THREAD {
                rayon::join(|| self.walk(left, beta, low), || self.walk(right, beta, high))
            } else {
                (self.walk(left, beta, low), self.walk(right, beta, high))
            };
            curvature = a + b;
        }
        curvature + self.level.run(Up { pass: self, rows: own, base, branch })
    }

    /// r ← (D̂ + L)⁻¹ r
    pub(super) fn forward_only(&self, r: &mut [Row]) {
        let Shape { offsets, columns, .. } = self.shape;
        for i in 0..r.len() {
            let range = offsets[i] as usize..offsets[i + 1] as usize;
            let mut s = r[i];
            for (g, &j) in self.blocks[range.clone()].iter().zip(&columns[range]) {
                gather(&mut s, g, &r[j as usize]);
            }
            r[i] = s.map(|v| self.omega * v);
        }
    }

    fn filter(&self, i: usize) -> Option<&Mat3<f64>> {
        self.filters.get(*self.held.get(i)? as usize)
    }
}

/// s ← s − G x
#[inline(always)]
fn gather(s: &mut Row, g: &[f64; 9], x: &Row) {
    for l in 0..3 {
        s[l] -= g[l] * x[0] + g[3 + l] * x[1] + g[6 + l] * x[2];
    }
}

/// s ← s − Gᵀ x
#[inline(always)]
fn scatter(s: &mut Row, g: &[f64; 9], x: &[f64; 3]) {
    for c in 0..3 {
        s[c] -= g[3 * c] * x[0] + g[3 * c + 1] * x[1] + g[3 * c + 2] * x[2];
    }
}

/// Backward substitution z = (D̂ + L)⁻ᵀ r̂ and what follows for the directions.
struct Down<'a> {
    pass: &'a Pass<'a>,
    rows: Range<usize>,
    base: usize,
    beta: f64,
    branch: Branch<'a>,
}

impl Kernel for Down<'_> {
    type Output = ();
    #[inline(always)]
    fn run<P: Lanes>(self) {
        let Self { pass, rows, base, beta, branch: Branch { r, hat, p, w } } = self;
        let Shape { offsets, columns, .. } = pass.shape;
        let constrained = !pass.held.is_empty();
        for i in rows.rev() {
            let own = i - base;
            let mut z: [f64; 3] = std::array::from_fn(|k| pass.omega * w[own][k]);
            let range = offsets[i] as usize..offsets[i + 1] as usize;
            for (g, &j) in pass.blocks[range.clone()].iter().zip(&columns[range.clone()]) {
                scatter(&mut w[j as usize - base], g, &z);
            }
            if constrained {
                if let Some(filter) = pass.filter(i) {
                    let free = filter.mul_vec(z);
                    // p̂ = (D̂ + L)ᵀ p loses what p loses.
                    let lost: [f64; 3] = std::array::from_fn(|k| z[k] - free[k]);
                    for k in 0..3 {
                        hat[own][k] -= lost[k] / pass.omega;
                    }
                    for (g, &j) in pass.blocks[range.clone()].iter().zip(&columns[range]) {
                        scatter(&mut hat[j as usize - base], g, &lost);
                    }
                    z = free;
                }
            } else {
                for k in 0..3 {
                    hat[own][k] = r[own][k] + beta * hat[own][k];
                }
            }
            for k in 0..3 {
                p[own][k] = z[k] + beta * p[own][k];
            }
        }
    }
}

/// Forward substitution w = (D̂ + L)⁻¹ (p̂ + (D − 2 D̂) p), constraint forces taken off; p̂ᵀ (p + w).
struct Up<'a> {
    pass: &'a Pass<'a>,
    rows: Range<usize>,
    base: usize,
    branch: Branch<'a>,
}

impl Kernel for Up<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<P: Lanes>(self) -> f64 {
        let Self { pass, rows, base, branch: Branch { hat, p, w, .. } } = self;
        let Shape { offsets, columns, .. } = pass.shape;
        let middle = 1.0 - 2.0 / pass.omega;
        let mut curvature = 0.0;
        for i in rows {
            let own = i - base;
            let mut s: Row = std::array::from_fn(|k| hat[own][k] + middle * p[own][k]);
            let range = offsets[i] as usize..offsets[i + 1] as usize;
            for (g, &j) in pass.blocks[range.clone()].iter().zip(&columns[range.clone()]) {
                gather(&mut s, g, &w[j as usize - base]);
            }
            if let Some(filter) = pass.filter(i) {
                // Row i of A p: Lᵀ p is what p̂ is besides D̂ p. Its held part is a constraint force.
                let mut negative = [0.0; 4];
                for (g, &j) in pass.blocks[range.clone()].iter().zip(&columns[range]) {
                    gather(&mut negative, g, &p[j as usize - base]);
                }
                let product: [f64; 3] = std::array::from_fn(|k| {
                    p[own][k] + (hat[own][k] - p[own][k] / pass.omega) - negative[k]
                });
                let free = filter.transpose_mul_vec(product);
                for k in 0..3 {
                    s[k] -= product[k] - free[k];
                }
            }
            for k in 0..3 {
                w[own][k] = pass.omega * s[k];
                curvature += hat[own][k] * (p[own][k] + w[own][k]);
            }
        }
        curvature
    }
}
