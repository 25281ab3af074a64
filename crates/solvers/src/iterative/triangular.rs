//! [`Factor`]: a sparse lower triangle G of 3×3 blocks with G Gᵀ ≈ A, and solves with it in parallel.
//!
//! Rows lie in the order of a [`Tree`]. Forward substitution gathers from lower rows, backward
//! substitution scatters to them: both stay within a branch of the tree, so one copy of G serves both
//! and branches are solved side by side with the same bits on any number of threads.
//!
//! Solves are made in single precision: a preconditioner is an approximation anyway, half as many bytes
//! move, and a column of a block fills one register. Each pass has its own copy of the blocks, by
//! columns the one and by rows the other, as both multiply columns.

use std::ops::Range;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::Pack;
use pliant_algebra::sparse::{Block, BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use super::tree::{Graph, Tree};
use super::vectors::norm;

/// A vector of three with a spare entry.
type Row = [f32; 4];
/// Marks a source block that is to be transposed.
const TURNED: u32 = 1 << 31;
/// Marks fill, which no block of A is the source of.
const NO_BLOCK: u32 = u32::MAX;
/// Numbers of a block, column after column.
const SIZE: usize = 9;
/// A column is read as four numbers, the last block's last one beyond its end.
const PADDING: usize = 1;

/// The strict lower triangle by rows, and for each row the inverse of its triangular diagonal block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Factor {
    pub shape: Shape,
    /// Blocks column after column.
    values: Vec<f32>,
    /// Blocks row after row.
    turned: Vec<f32>,
    /// G_ii⁻¹: 00, 10, 11, 20, 21, 22.
    diagonal: Vec<[f64; 6]>,
    /// The same in single precision.
    inverse: Vec<[f32; 6]>,
    y: Vec<Row>,
}

/// Which blocks the strict lower triangle has, rows in the order of the tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    pub tree: Tree,
    pub offsets: Vec<u32>,
    pub columns: Vec<u32>,
}

/// Where the blocks of A are that make the lower triangle of a [`Factor`] with the pattern of A.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources(Vec<u32>);

impl Shape {
    /// The lower triangle of A in the order of a tree with leaves of at most `leaf` vertices.
    pub(crate) fn of_pattern(
        pattern: &Pattern,
        positions: Option<&[Vec3]>,
        leaf: usize,
    ) -> (Self, Sources) {
        let graph = Graph::new(pattern);
        let tree = Tree::new(&graph, positions, leaf);
        let n = tree.order.len();
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        let mut columns = Vec::with_capacity(pattern.blocks() - n);
        for (i, &old) in tree.order.iter().enumerate() {
            let first = columns.len();
            let lower = graph.of(old as usize).iter().map(|&j| tree.inverse[j as usize]);
            columns.extend(lower.filter(|&j| (j as usize) < i));
            columns[first..].sort_unstable();
            offsets.push(columns.len() as u32);
        }
        let mut sources = vec![0; columns.len()];
        // Rows of A in turn: finding the place in a short row of G is quicker than in A's.
        for old in 0..n {
            let i = tree.inverse[old];
            for slot in pattern.range(old).skip(1) {
                let j = tree.inverse[pattern.columns()[slot] as usize];
                let (row, column) = (i.max(j) as usize, i.min(j));
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                let at = range.start + columns[range].partition_point(|&c| c < column);
                // Stored is block (i, j), wanted is (row, column).
                sources[at] = slot as u32 | if i < j { TURNED } else { 0 };
            }
        }
        (Self { tree, offsets, columns }, Sources(sources))
    }

    /// The same with the fill of level 1: (i, j) where both are coupled to a lower c.
    pub(crate) fn with_fill(&self, sources: &Sources) -> (Self, Sources) {
        let n = self.rows();
        let mut starts = vec![0_u32; n + 1];
        for &c in &self.columns {
            starts[c as usize + 1] += 1;
        }
        for c in 0..n {
            starts[c + 1] += starts[c];
        }
        let mut next = starts.clone();
        let mut below = vec![0_u32; self.columns.len()];
        for i in 0..n {
            for &c in &self.columns[self.row(i)] {
                below[next[c as usize] as usize] = i as u32;
                next[c as usize] += 1;
            }
        }
        let (mut offsets, mut columns, mut places) = (vec![0], Vec::new(), Vec::new());
        let mut row: Vec<(u32, u32)> = Vec::new();
        for i in 0..n {
            row.clear();
            row.extend(self.row(i).map(|k| (self.columns[k], sources.0[k])));
            for &c in &self.columns[self.row(i)] {
                let list = &below[starts[c as usize] as usize..starts[c as usize + 1] as usize];
                // Rows between c and i that have c too.
                row.extend(list.iter().take_while(|&&j| (j as usize) < i).map(|&j| (j, NO_BLOCK)));
            }
            // A block of A sorts before fill at the same place.
            row.sort_unstable();
            row.dedup_by_key(|entry| entry.0);
            columns.extend(row.iter().map(|entry| entry.0));
            places.extend(row.iter().map(|entry| entry.1));
            offsets.push(columns.len() as u32);
        }
        (Self { tree: self.tree.clone(), offsets, columns }, Sources(places))
    }

    pub(crate) fn rows(&self) -> usize {
        self.tree.order.len()
    }

    pub(crate) fn row(&self, i: usize) -> Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    pub(crate) fn memory(&self) -> usize {
        self.tree.memory() + 4 * (self.offsets.len() + self.columns.len())
    }
}

impl Factor {
    /// A factor of that shape, still without values.
    pub(crate) fn new(shape: Shape) -> Self {
        Self {
            values: vec![0.0; shape.columns.len() * SIZE + PADDING],
            turned: vec![0.0; shape.columns.len() * SIZE + PADDING],
            diagonal: vec![[0.0; 6]; shape.rows()],
            inverse: vec![[0.0; 6]; shape.rows()],
            y: vec![[0.0; 4]; shape.rows()],
            shape,
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.shape.memory() + 8 * self.values.len() + (48 + 24 + 16) * self.diagonal.len()
    }

    /// Fills rows branch by branch in parallel: `fill(shape, row, done, blocks, diagonal)` sees all rows of
    /// its branch that come before it, and writes its own. The first row that fails ends it.
    pub(crate) fn fill<E: Send>(
        &mut self,
        fill: &(
             impl Fn(&Shape, usize, &Done<'_>, &mut [[f32; 9]], &mut [f64; 6]) -> Result<(), E> + Sync
         ),
    ) -> Result<(), E> {
        let Some(root) = self.shape.tree.nodes.len().checked_sub(1) else { return Ok(()) };
        let parallel = rayon::current_num_threads() > 1;
        let blocks = self.shape.columns.len() * SIZE;
        let values = &mut self.values[..blocks];
        self.shape.fill(root, parallel, values, &mut self.diagonal, fill)?;
        let turned = &mut self.turned[..blocks];
        turn(values.as_chunks().0, turned.as_chunks_mut().0, parallel);
        for (single, double) in self.inverse.iter_mut().zip(&self.diagonal) {
            *single = double.map(|v| v as f32);
        }
        Ok(())
    }

    /// The shape without the fill that is small beside the pivots of its row and column.
    pub(crate) fn thinned(&self, sources: &Sources, threshold: f64) -> (Shape, Sources) {
        let shape = &self.shape;
        // One over the size of a pivot, from the diagonal of its inverse.
        let inverse = |i: usize| {
            let d = &self.diagonal[i];
            (d[0] * d[2] * d[5]).cbrt()
        };
        let (mut offsets, mut columns, mut places) = (vec![0], Vec::new(), Vec::new());
        for i in 0..shape.rows() {
            for k in shape.row(i) {
                let block = &self.values[SIZE * k..SIZE * (k + 1)];
                let norm = block.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
                let scale = (inverse(i) * inverse(shape.columns[k] as usize)).sqrt();
                if sources.0[k] != NO_BLOCK || norm * scale > threshold {
                    columns.push(shape.columns[k]);
                    places.push(sources.0[k]);
                }
            }
            offsets.push(columns.len() as u32);
        }
        (Shape { tree: shape.tree.clone(), offsets, columns }, Sources(places))
    }

    /// z = G⁻ᵀ G⁻¹ r
    pub(crate) fn solve(&mut self, r: &[Vec3], z: &mut [Vec3]) {
        let size = norm(r);
        let Some(root) = self.shape.tree.nodes.len().checked_sub(1) else { return };
        if size == 0.0 {
            z.fill([0.0; 3]);
            return;
        }
        let pass = Pass {
            shape: &self.shape,
            values: &self.values,
            turned: &self.turned,
            inverse: &self.inverse,
            parallel: rayon::current_num_threads() > 1,
            level: Level::best(),
        };
        // Single precision has a short range of exponents: r is brought to length 1.
        let right = Right { r, scale: 1.0 / size };
        pass.forward(root, right, &mut self.y);
        pass.backward(root, &mut self.y);
        unpermute(&self.shape.tree.inverse, &self.y, size, z, pass.parallel);
    }
}

/// Copies blocks with their columns made rows.
fn turn(from: &[[f32; 9]], to: &mut [[f32; 9]], parallel: bool) {
    if to.len() > 8192 && parallel {
        let half = to.len() / 2;
        let (low, high) = to.split_at_mut(half);
        rayon::join(|| turn(&from[..half], low, parallel), || turn(&from[half..], high, parallel));
        return;
    }
    for (to, g) in to.iter_mut().zip(from) {
        *to = [g[0], g[3], g[6], g[1], g[4], g[7], g[2], g[5], g[8]];
    }
}

/// z = size y, in the given order from that of the tree.
fn unpermute(inverse: &[u32], y: &[Row], size: f64, z: &mut [Vec3], parallel: bool) {
    if z.len() > 4096 && parallel {
        let half = z.len() / 2;
        let (low, high) = z.split_at_mut(half);
        rayon::join(
            || unpermute(&inverse[..half], y, size, low, parallel),
            || unpermute(&inverse[half..], y, size, high, parallel),
        );
        return;
    }
    for (z, &i) in z.iter_mut().zip(inverse) {
        let y = &y[i as usize];
        *z = std::array::from_fn(|c| size * f64::from(y[c]));
    }
}

/// Rows of a branch that are filled already.
pub(crate) struct Done<'a> {
    values: &'a [f32],
    diagonal: &'a [[f64; 6]],
    first_block: usize,
    first_row: usize,
}

impl Done<'_> {
    /// Block k of the triangle, column after column.
    #[inline]
    pub(crate) fn block(&self, k: usize) -> [f64; 9] {
        let at = (k - self.first_block) * SIZE;
        let block: &[f32; 9] = self.values[at..].first_chunk().unwrap_or(&[0.0; 9]);
        block.map(f64::from)
    }

    /// G_jj⁻¹
    #[inline]
    pub(crate) fn diagonal(&self, j: usize) -> &[f64; 6] {
        &self.diagonal[j - self.first_row]
    }
}

impl Shape {
    fn fill<E: Send>(
        &self,
        node: usize,
        parallel: bool,
        values: &mut [f32],
        diagonal: &mut [[f64; 6]],
        fill: &(
             impl Fn(&Shape, usize, &Done<'_>, &mut [[f32; 9]], &mut [f64; 6]) -> Result<(), E> + Sync
         ),
    ) -> Result<(), E> {
        let node = &self.tree.nodes[node];
        let first_block = self.offsets[node.start] as usize;
        let place = |row: usize| (self.offsets[row] as usize - first_block) * SIZE;
        if let Some((left, right)) = node.halves {
            let middle = self.tree.nodes[left].end;
            let (low, high) = values.split_at_mut(place(middle));
            let (diagonal_low, diagonal_high) = diagonal.split_at_mut(middle - node.start);
            let high = &mut high[..place(node.own) - low.len()];
            let diagonal_high = &mut diagonal_high[..node.own - middle];
            if parallel {
                let (a, b) = rayon::join(
                    || self.fill(left, parallel, low, diagonal_low, fill),
                    || self.fill(right, parallel, high, diagonal_high, fill),
                );
                a.and(b)?;
            } else {
                self.fill(left, parallel, low, diagonal_low, fill)?;
                self.fill(right, parallel, high, diagonal_high, fill)?;
            }
        }
        for i in node.own..node.end {
            let (done, rest) = values.split_at_mut(place(i));
            let (above, own) = diagonal.split_at_mut(i - node.start);
            let done = Done { values: done, diagonal: above, first_block, first_row: node.start };
            let blocks = rest[..place(i + 1) - place(i)].as_chunks_mut().0;
            fill(self, i, &done, blocks, &mut own[0])?;
        }
        Ok(())
    }
}

/// The two substitutions.
struct Pass<'a> {
    shape: &'a Shape,
    values: &'a [f32],
    turned: &'a [f32],
    inverse: &'a [[f32; 6]],
    parallel: bool,
    level: Level,
}

/// The right-hand side, in the given order.
#[derive(Clone, Copy)]
struct Right<'a> {
    r: &'a [Vec3],
    scale: f64,
}

impl Pass<'_> {
    /// G y = r in a branch; y (of the branch) is in the order of the tree.
    fn forward(&self, node: usize, right: Right<'_>, y: &mut [Row]) {
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

    /// Gᵀ x = y in a branch, in place.
    fn backward(&self, node: usize, y: &mut [Row]) {
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

/// s ← s − G x, G by columns. Four entries of a column at once: the fourth belongs to the next one. It
/// is carried along and never read, as the compiler then uses whole registers.
#[inline(always)]
fn subtract_multiplied(s: &mut Row, g: &[f32; 10], x: [f32; 3]) {
    for l in 0..4 {
        s[l] -= g[l] * x[0] + g[3 + l] * x[1] + g[6 + l] * x[2];
    }
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
            let mut s = [(scale * a) as f32, (scale * b) as f32, (scale * c) as f32, 0.0];
            let range = offsets[i] as usize..offsets[i + 1] as usize;
            let blocks = &pass.values[SIZE * range.start..][..=SIZE * range.len()];
            for (k, &j) in columns[range].iter().enumerate() {
                let [x0, x1, x2, _] = y[j as usize - base];
                let Some(g) = blocks[SIZE * k..].first_chunk() else { break };
                subtract_multiplied(&mut s, g, [x0, x1, x2]);
            }
            let d = &pass.inverse[i];
            y[i - base] = [
                d[0] * s[0],
                d[1] * s[0] + d[2] * s[1],
                d[3] * s[0] + d[4] * s[1] + d[5] * s[2],
                s[3],
            ];
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
            let d = &pass.inverse[i];
            let s = y[i - base];
            let x =
                [d[0] * s[0] + d[1] * s[1] + d[3] * s[2], d[2] * s[1] + d[4] * s[2], d[5] * s[2]];
            y[i - base] = [x[0], x[1], x[2], 0.0];
            let range = offsets[i] as usize..offsets[i + 1] as usize;
            let blocks = &pass.turned[SIZE * range.start..][..=SIZE * range.len()];
            for (k, &j) in columns[range].iter().enumerate() {
                let Some(g) = blocks[SIZE * k..].first_chunk() else { break };
                subtract_multiplied(&mut y[j as usize - base], g, x);
            }
        }
    }
}

impl Sources {
    /// Block k of the triangle of A, column after column.
    #[inline]
    pub(crate) fn block(&self, matrix: &BlockMatrix, k: usize) -> Block {
        let source = self.0[k];
        if source == NO_BLOCK {
            return [0.0; 9];
        }
        let b = &matrix.values[(source & !TURNED) as usize];
        if source & TURNED != 0 {
            // The transposed block, column after column, is the block row after row.
            *b
        } else {
            [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]
        }
    }

    pub(crate) fn memory(&self) -> usize {
        4 * self.0.len()
    }
}
