//! Forward and backward substitution with a factor L D Lᵀ of unit lower triangular L, in single
//! precision, branch by branch of the tree.
//!
//! The blocks of L are read by columns on the way up. On the way down the rows of L D are read, and D⁻¹ is
//! applied when all of a vertex's contributions are there: so only one pass has to do with the diagonal,
//! and both multiply columns, of which four numbers fill a register. The fourth belongs to the next column;
//! it is carried along and never used.

use std::ops::Range;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::{Pack, prefetch};
use pliant_algebra::vec3::Vec3;

use super::shape::Shape;
use super::single::{Row, Single4};

/// Numbers of a block.
pub(super) const SIZE: usize = 9;
/// A column is read as four numbers, the last block's last one beyond its end.
pub(super) const PADDING: usize = 1;
/// Numbers that are asked for ahead of their use: a kilobyte.
const AHEAD: usize = 256;

/// What both passes read.
pub(super) struct Pass<'a> {
    pub shape: &'a Shape,
    /// L_ij, column after column.
    pub lower: &'a [f32],
    /// L_ij D_j, row after row.
    pub turned: &'a [f32],
    /// D_i⁻¹
    pub inverse: &'a [f32],
    pub parallel: bool,
    pub level: Level,
}

/// The right-hand side, in the given order.
#[derive(Clone, Copy)]
pub(super) struct Right<'a> {
    pub r: &'a [Vec3],
    pub scale: f64,
}

impl Pass<'_> {
    /// L y = r in a branch; y (of the branch) is in the order of the tree.
    pub(super) fn forward(&self, node: usize, right: Right<'_>, y: &mut [Row]) {
        let node = &self.shape.tree.nodes[node];
        if let Some((first, second)) = node.halves {
            let (low, high) = y.split_at_mut(self.shape.tree.nodes[first].end - node.start);
            let high = &mut high[..node.own - self.shape.tree.nodes[second].start];
            if self.parallel {
                rayon::join(
                    || self.forward(first, right, low),
                    || self.forward(second, right, high),
                );
            } else {
                self.forward(first, right, low);
                self.forward(second, right, high);
            }
        }
        let rows = node.own..node.end;
        self.level.run(Forward { pass: self, rows, base: node.start, right, y });
    }

    /// D Lᵀ x = y in a branch, in place.
    pub(super) fn backward(&self, node: usize, y: &mut [Row]) {
        let node = &self.shape.tree.nodes[node];
        self.level.run(Backward { pass: self, rows: node.own..node.end, base: node.start, y });
        if let Some((first, second)) = node.halves {
            let (low, high) = y.split_at_mut(self.shape.tree.nodes[first].end - node.start);
            let high = &mut high[..node.own - self.shape.tree.nodes[second].start];
            if self.parallel {
                rayon::join(|| self.backward(first, low), || self.backward(second, high));
            } else {
                self.backward(first, low);
                self.backward(second, high);
            }
        }
    }
}

/// G x for a block by columns.
#[inline(always)]
fn multiply(g: &[f32; 10], x: &Row) -> Single4 {
    let [g0, g1, g2, g3, g4, g5, g6, g7, g8, g9] = *g;
    Single4::load(&[g0, g1, g2, g3]) * Single4::splat(x.0[0])
        + Single4::load(&[g3, g4, g5, g6]) * Single4::splat(x.0[1])
        + Single4::load(&[g6, g7, g8, g9]) * Single4::splat(x.0[2])
}

struct Forward<'a> {
    pass: &'a Pass<'a>,
    rows: Range<usize>,
    base: usize,
    right: Right<'a>,
    y: &'a mut [Row],
}

impl Kernel for Forward<'_> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { pass, rows, base, right: Right { r, scale }, y } = self;
        let Shape { tree, offsets, columns } = pass.shape;
        for i in rows {
            let [a, b, c] = r[tree.order[i] as usize];
            let mut s =
                Single4::load(&[(scale * a) as f32, (scale * b) as f32, (scale * c) as f32, 0.0]);
            let range = offsets[i] as usize..offsets[i + 1] as usize;
            prefetch(pass.lower.get(SIZE * range.end + AHEAD));
            let blocks = &pass.lower[SIZE * range.start..][..=SIZE * range.len()];
            for (k, &j) in columns[range].iter().enumerate() {
                let Some(g) = blocks[SIZE * k..].first_chunk() else { break };
                s = s - multiply(g, &y[j as usize - base]);
            }
            y[i - base] = s.row();
        }
    }
}

struct Backward<'a> {
    pass: &'a Pass<'a>,
    rows: Range<usize>,
    base: usize,
    y: &'a mut [Row],
}

impl Kernel for Backward<'_> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { pass, rows, base, y } = self;
        let Shape { offsets, columns, .. } = pass.shape;
        for i in rows.rev() {
            let Some(d) = pass.inverse[SIZE * i..].first_chunk() else { break };
            let x = multiply(d, &y[i - base]).row();
            y[i - base] = x;
            let range = offsets[i] as usize..offsets[i + 1] as usize;
            let blocks = &pass.turned[SIZE * range.start..][..=SIZE * range.len()];
            for (k, &j) in columns[range].iter().enumerate() {
                let Some(g) = blocks[SIZE * k..].first_chunk() else { break };
                let target = &mut y[j as usize - base];
                *target = (Single4::load(&target.0) - multiply(g, &x)).row();
            }
        }
    }
}
