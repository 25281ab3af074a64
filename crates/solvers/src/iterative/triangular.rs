//! [`Factor`]: a sparse lower triangle G of 3×3 blocks with G Gᵀ ≈ A, and solves with it in parallel.
//!
//! Rows lie in the order of a tree. Forward substitution gathers from lower rows, backward
//! substitution scatters to them: both stay within a branch of the tree, so branches are solved side by
//! side with the same bits on any number of threads.
//!
//! Solves are made in single precision: a preconditioner is an approximation anyway, half as many bytes
//! move, and a column of a block fills one register.

use pliant_algebra::dispatch::Level;
use pliant_algebra::vec3::Vec3;

use super::block::{inverse_product, times_inverse, times_transposed, triangle_of_inverse};
use super::shape::{Shape, Sources};
use super::single::Row;
use super::substitution::{PADDING, Pass, Right, SIZE};
use super::vectors::norm;

/// The strict lower triangle by rows, and for each row the inverse of its triangular diagonal block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Factor {
    pub shape: Shape,
    /// G_ij by columns while it is filled, then L_ij = G_ij G_jj⁻¹.
    lower: Vec<f32>,
    /// L_ij D_j = G_ij G_jjᵀ by rows.
    turned: Vec<f32>,
    /// G_ii⁻¹: 00, 10, 11, 20, 21, 22.
    diagonal: Vec<[f64; 6]>,
    /// G_ii in the same order.
    pivots: Vec<[f64; 6]>,
    /// D_i⁻¹ = G_ii⁻ᵀ G_ii⁻¹
    inverse: Vec<f32>,
    y: Vec<Row>,
}

impl Factor {
    /// A factor of that shape, still without values.
    pub(crate) fn new(shape: Shape) -> Self {
        let (blocks, rows) = (shape.columns.len(), shape.rows());
        Self {
            lower: vec![0.0; blocks * SIZE + PADDING],
            turned: vec![0.0; blocks * SIZE + PADDING],
            diagonal: vec![[0.0; 6]; rows],
            pivots: vec![[0.0; 6]; rows],
            inverse: vec![0.0; rows * SIZE + PADDING],
            y: vec![Row::default(); rows],
            shape,
        }
    }

    pub(crate) fn memory(&self) -> usize {
        self.shape.memory() + 8 * self.lower.len() + (48 + 48 + 36 + 16) * self.diagonal.len()
    }

    /// Fills rows branch by branch in parallel: `fill(shape, row, done, blocks, diagonal)` sees all rows of
    /// its branch that come before it, and writes its own. The first row that fails ends it. Solves need
    /// [`Factor::finish`] afterwards.
    pub(crate) fn fill<E: Send>(
        &mut self,
        fill: &(
             impl Fn(&Shape, usize, &Done<'_>, &mut [[f32; 9]], &mut [f64; 6]) -> Result<(), E> + Sync
         ),
    ) -> Result<(), E> {
        let Some(root) = self.shape.tree.nodes.len().checked_sub(1) else { return Ok(()) };
        let parallel = rayon::current_num_threads() > 1;
        let blocks = self.shape.columns.len() * SIZE;
        let values = &mut self.lower[..blocks];
        self.shape.fill(root, parallel, values, &mut self.diagonal, fill)
    }

    /// Makes of G what solves read.
    pub(crate) fn finish(&mut self) {
        let Self { shape, lower, turned, diagonal, pivots, inverse, .. } = self;
        let inverse = inverse.as_chunks_mut().0;
        for ((pivot, inverse), d) in pivots.iter_mut().zip(inverse).zip(&*diagonal) {
            *pivot = triangle_of_inverse(d);
            *inverse = inverse_product(d).map(|v| v as f32);
        }
        let scale = Scale { diagonal, pivots };
        let parallel = rayon::current_num_threads() > 1;
        let (lower, turned) = (lower.as_chunks_mut().0, turned.as_chunks_mut().0);
        scale.blocks(&shape.columns, lower, turned, parallel);
    }

    /// The shape without the fill that is small beside the pivots of its row and column, for a factor
    /// that is filled and not finished.
    pub(crate) fn thinned(&self, sources: &Sources, threshold: f64) -> (Shape, Sources) {
        let shape = &self.shape;
        // One over the size of a pivot, from the diagonal of its inverse.
        let inverse = |i: usize| {
            let d = &self.diagonal[i];
            (d[0] * d[2] * d[5]).cbrt()
        };
        let mut stays = vec![true; shape.columns.len()];
        for i in 0..shape.rows() {
            for k in shape.row(i).filter(|&k| !sources.has_block(k)) {
                let block = &self.lower[SIZE * k..SIZE * (k + 1)];
                let norm = block.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
                let scale = (inverse(i) * inverse(shape.columns[k] as usize)).sqrt();
                stays[k] = norm * scale > threshold;
            }
        }
        (shape.kept(|k| stays[k]), sources.kept(|k| stays[k]))
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
            lower: &self.lower,
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

/// What blocks of G are scaled with.
struct Scale<'a> {
    diagonal: &'a [[f64; 6]],
    pivots: &'a [[f64; 6]],
}

impl Scale<'_> {
    fn blocks(
        &self,
        columns: &[u32],
        lower: &mut [[f32; 9]],
        turned: &mut [[f32; 9]],
        parallel: bool,
    ) {
        if columns.len() > 8192 && parallel {
            let half = columns.len() / 2;
            let (low, high) = lower.split_at_mut(half);
            let (turned_low, turned_high) = turned.split_at_mut(half);
            rayon::join(
                || self.blocks(&columns[..half], low, turned_low, parallel),
                || self.blocks(&columns[half..], high, turned_high, parallel),
            );
            return;
        }
        for ((&j, lower), turned) in columns.iter().zip(lower).zip(turned) {
            let g = lower.map(f64::from);
            let w = times_transposed(&g, &self.pivots[j as usize]).map(|v| v as f32);
            *turned = [w[0], w[3], w[6], w[1], w[4], w[7], w[2], w[5], w[8]];
            *lower = times_inverse(&g, &self.diagonal[j as usize]).map(|v| v as f32);
        }
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
        let y = &y[i as usize].0;
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
