//! The walk down and up the tree of branches that is one iteration of Eisenstat's CG.

use std::ops::Range;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::Pack as Lanes;
use pliant_algebra::mat3::Mat3;

use super::precision::{Block, Precision};
use super::shape::Shape;
use super::substitution::SIZE;
use super::vectors::sweep;

/// Marks rows without constraint.
pub(super) const NONE: u32 = u32::MAX;

/// Rows of a branch whose halves are worth handing to two threads.
const WORTH_A_THREAD: usize = 2_500;

/// In the order of the tree: residual r̂, direction p̂, p = (D̂ + L)⁻ᵀ p̂, and w, on the way down
/// what is left of r̂ to solve, on the way up (D̂ + L)⁻¹ (…).
#[derive(Debug, Clone, Default)]
pub(super) struct Vectors<T> {
    pub r: Vec<[T; 4]>,
    pub hat: Vec<[T; 4]>,
    pub p: Vec<[T; 4]>,
    pub w: Vec<[T; 4]>,
}

impl<T: Precision> Vectors<T> {
    pub(super) fn new(n: usize) -> Self {
        let zero = vec![[T::default(); 4]; n];
        Self { r: zero.clone(), hat: zero.clone(), p: zero.clone(), w: zero }
    }
}

/// The scaled matrix I + L + Lᵀ with its constraints.
pub(super) struct Pass<'a, T> {
    shape: &'a Shape,
    blocks: &'a [T],
    held: &'a [u32],
    filters: &'a [Mat3<f64>],
    omega: f64,
    parallel: bool,
    level: Level,
}

/// The vectors of a branch.
struct Branch<'a, T> {
    r: &'a [[T; 4]],
    hat: &'a mut [[T; 4]],
    p: &'a mut [[T; 4]],
    w: &'a mut [[T; 4]],
}

impl<T> Branch<'_, T> {
    fn part(&mut self, range: Range<usize>) -> Branch<'_, T> {
        Branch {
            r: &self.r[range.clone()],
            hat: &mut self.hat[range.clone()],
            p: &mut self.p[range.clone()],
            w: &mut self.w[range],
        }
    }

    fn split(self, at: usize) -> (Self, Self) {
        let (r0, r1) = self.r.split_at(at);
        let (hat0, hat1) = self.hat.split_at_mut(at);
        let (p0, p1) = self.p.split_at_mut(at);
        let (w0, w1) = self.w.split_at_mut(at);
        (Branch { r: r0, hat: hat0, p: p0, w: w0 }, Branch { r: r1, hat: hat1, p: p1, w: w1 })
    }
}

impl<'a, T: Precision> Pass<'a, T> {
    /// `held` is empty where there are no constraints.
    pub(super) fn new(
        shape: &'a Shape,
        blocks: &'a [T],
        held: &'a [u32],
        filters: &'a [Mat3<f64>],
        omega: f64,
    ) -> Self {
        let parallel = rayon::current_num_threads() > 1;
        Self { shape, blocks, held, filters, omega, parallel, level: Level::best() }
    }

    /// The new directions p̂ ← r̂ + β p̂ and p ← (D̂ + L)⁻ᵀ r̂ + β p, filtered, and w such that
    /// (D̂ + L)⁻¹ A p = p + w; returns pᵀ A p. On entry w is r̂.
    pub(super) fn round(&self, beta: f64, vectors: &mut Vectors<T>) -> f64 {
        let Some(root) = self.shape.tree.nodes.len().checked_sub(1) else { return 0.0 };
        let Vectors { r, hat, p, w } = vectors;
        if !self.held.is_empty() {
            // Filters correct p̂ of rows that the walk has not reached, so it must be there before.
            sweep([&*r], [&mut *hat], &|[r], [hat]| {
                turn(hat, r, beta);
                []
            });
        }
        self.walk(root, beta, Branch { r, hat, p, w })
    }

    fn walk(&self, node: usize, beta: f64, mut branch: Branch<'_, T>) -> f64 {
        let nodes = &self.shape.tree.nodes;
        let node = &nodes[node];
        let (own, base) = (node.own..node.end, node.start);
        self.level.run(Down { part: self.part(own.clone(), base, &mut branch), beta });
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
        curvature + self.level.run(Up { part: self.part(own, base, &mut branch) })
    }

    fn part<'b>(
        &'b self,
        rows: Range<usize>,
        base: usize,
        branch: &'b mut Branch<'_, T>,
    ) -> Part<'b, T> {
        let all = 0..branch.r.len();
        Part { pass: self, rows, base, branch: branch.part(all) }
    }

    /// r ← (D̂ + L)⁻¹ r
    pub(super) fn forward_only(&self, r: &mut [[T; 4]]) {
        for i in 0..r.len() {
            r[i] = T::gathered(r[i], self.omega, self.row(i).map(|(g, j)| (g, r[j])));
        }
    }

    /// The blocks of row i left of the diagonal, with their columns.
    #[inline(always)]
    fn row(&self, i: usize) -> impl Iterator<Item = (&'a Block<T>, usize)> + use<'a, T> {
        let Shape { offsets, columns, .. } = self.shape;
        let range = offsets[i] as usize..offsets[i + 1] as usize;
        let numbers = &self.blocks[SIZE * range.start..][..=SIZE * range.len()];
        columns[range].iter().enumerate().map_while(move |(k, &j)| {
            numbers[SIZE * k..].first_chunk().map(|block| (block, j as usize))
        })
    }

    fn filter(&self, i: usize) -> Option<&Mat3<f64>> {
        self.filters.get(*self.held.get(i)? as usize)
    }
}

/// y ← x + s y
#[inline(always)]
fn turn<T: Precision>(y: &mut [T], x: &[T], s: f64) {
    let s = T::of(s);
    for (y, x) in y.iter_mut().zip(x) {
        *y = *x + s * *y;
    }
}

#[inline(always)]
fn three<T: Precision>(x: [T; 4]) -> [f64; 3] {
    [x[0].double(), x[1].double(), x[2].double()]
}

#[inline(always)]
fn four<T: Precision>(x: [f64; 3]) -> [T; 4] {
    [T::of(x[0]), T::of(x[1]), T::of(x[2]), T::default()]
}

/// Rows of a branch.
struct Part<'a, T> {
    pass: &'a Pass<'a, T>,
    rows: Range<usize>,
    base: usize,
    branch: Branch<'a, T>,
}

impl<T: Precision> Part<'_, T> {
    /// Backward substitution z = (D̂ + L)⁻ᵀ r̂ and what follows for the directions.
    #[inline(always)]
    fn down(&mut self, i: usize, beta: f64) {
        let Self { pass, base, branch: Branch { r, hat, p, w }, .. } = self;
        let (own, base) = (i - *base, *base);
        let omega = T::of(pass.omega);
        let mut z = w[own].map(|w| omega * w);
        for (g, j) in pass.row(i) {
            w[j - base] = T::scattered(w[j - base], g, z);
        }
        if pass.held.is_empty() {
            turn(&mut hat[own], &r[own], beta);
        } else if let Some(filter) = pass.filter(i) {
            let before = three(z);
            let free = filter.mul_vec(before);
            // p̂ = (D̂ + L)ᵀ p loses what p loses.
            let lost: [f64; 3] = std::array::from_fn(|k| before[k] - free[k]);
            let kept = three(hat[own]);
            hat[own] = four(std::array::from_fn(|k| kept[k] - lost[k] / pass.omega));
            for (g, j) in pass.row(i) {
                hat[j - base] = T::scattered(hat[j - base], g, four(lost));
            }
            z = four(free);
        }
        turn(&mut p[own], &z, beta);
    }

    /// Forward substitution w = (D̂ + L)⁻¹ (p̂ + (D − 2 D̂) p), constraint forces taken off; p̂ᵀ (p + w) is added to `curvature`.
    #[inline(always)]
    fn up(&mut self, i: usize, curvature: &mut f64) {
        let Self { pass, base, branch: Branch { hat, p, w, .. }, .. } = self;
        let (own, base) = (i - *base, *base);
        let middle = T::of(1.0 - 2.0 / pass.omega);
        let mut s: [T; 4] = std::array::from_fn(|k| hat[own][k] + middle * p[own][k]);
        if let Some(filter) = pass.filter(i) {
            // Row i of A p: Lᵀ p is what p̂ is besides D̂ p. Its held part is a constraint force.
            let terms = pass.row(i).map(|(g, j)| (g, p[j - base]));
            let left = three(T::gathered([T::default(); 4], -1.0, terms));
            let (p, hat) = (three(p[own]), three(hat[own]));
            let product: [f64; 3] =
                std::array::from_fn(|k| p[k] + (hat[k] - p[k] / pass.omega) + left[k]);
            let free = filter.transpose_mul_vec(product);
            let before = three(s);
            s = four(std::array::from_fn(|k| before[k] - (product[k] - free[k])));
        }
        let terms = pass.row(i).map(|(g, j)| (g, w[j - base]));
        w[own] = T::gathered(s, pass.omega, terms);
        for k in 0..3 {
            *curvature += hat[own][k].double() * (p[own][k] + w[own][k]).double();
        }
    }
}

struct Down<'a, T> {
    part: Part<'a, T>,
    beta: f64,
}

impl<T: Precision> Kernel for Down<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<P: Lanes>(mut self) {
        for i in self.part.rows.clone().rev() {
            self.part.down(i, self.beta);
        }
    }
}

struct Up<'a, T> {
    part: Part<'a, T>,
}

impl<T: Precision> Kernel for Up<'_, T> {
    type Output = f64;
    #[inline(always)]
    fn run<P: Lanes>(mut self) -> f64 {
        let mut curvature = 0.0;
        for i in self.part.rows.clone() {
            self.part.up(i, &mut curvature);
        }
        curvature
    }
}
