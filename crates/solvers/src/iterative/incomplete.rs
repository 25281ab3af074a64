//! [`Incomplete`]: the numbers of incomplete Cholesky factors on a pattern that is given.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::Vec3;

use super::block::{lower, subtract_product, subtract_square, times_inverse_transposed};
use super::breakdown::{Breakdown, pivot_inverse, with_shifts};
use super::shape::{Shape, Sources};
use super::triangular::{Done, Factor};
use crate::SolverError;

/// A factor with what is needed to fill it from a matrix.
#[derive(Debug, Clone, Default)]
pub(super) struct Incomplete {
    pub factor: Factor,
    sources: Sources,
    products: Products,
}

/// Which pairs of blocks are multiplied: for block k of the triangle, (i, c) and (j, c) for each
/// common column c < j.
#[derive(Debug, Clone, Default)]
struct Products {
    offsets: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl Products {
    fn new(shape: &Shape) -> Self {
        let mut offsets = Vec::with_capacity(shape.columns.len() + 1);
        offsets.push(0);
        let mut pairs = Vec::new();
        for i in 0..shape.rows() {
            for k in shape.row(i) {
                let (mut a, mut b) = (shape.row(i).start, shape.row(shape.columns[k] as usize));
                while a < k && b.start < b.end {
                    let (ca, cb) = (shape.columns[a], shape.columns[b.start]);
                    if ca == cb {
                        pairs.push((a as u32, b.start as u32));
                    }
                    a += usize::from(ca <= cb);
                    b.start += usize::from(cb <= ca);
                }
                offsets.push(pairs.len() as u32);
            }
        }
        Self { offsets, pairs }
    }
}

impl Incomplete {
    pub(super) fn new(shape: Shape, sources: Sources) -> Self {
        let products = Products::new(&shape);
        Self { factor: Factor::new(shape), sources, products }
    }

    /// Fills the factor; the shift of the diagonal that it took.
    pub(super) fn factor(&mut self, matrix: &BlockMatrix) -> Result<f64, SolverError> {
        let shift = self.fill(matrix)?;
        self.factor.finish();
        Ok(shift)
    }

    /// The same without what only solves need.
    pub(super) fn fill(&mut self, matrix: &BlockMatrix) -> Result<f64, SolverError> {
        with_shifts(|shift| self.try_factor(matrix, shift))
    }

    pub(super) fn solve(&mut self, r: &[Vec3], z: &mut [Vec3]) {
        self.factor.solve(r, z);
    }

    pub(super) fn memory(&self) -> usize {
        let products = 8 * self.products.pairs.len() + 4 * self.products.offsets.len();
        self.factor.memory() + self.sources.memory() + products
    }

    /// G_ij = (A_ij − Σ G_ic G_jcᵀ) G_jj⁻ᵀ, row after row.
    fn try_factor(&mut self, matrix: &BlockMatrix, shift: f64) -> Result<(), Breakdown> {
        let Self { factor, sources, products, .. } = self;
        factor.fill(&|shape: &Shape, i, done: &Done<'_>, own, diagonal| {
            let range = shape.row(i);
            for k in range.clone() {
                let mut block = sources.block(matrix, k);
                let pairs = products.offsets[k] as usize..products.offsets[k + 1] as usize;
                for &(a, b) in &products.pairs[pairs] {
                    let left = own[a as usize - range.start].map(f64::from);
                    subtract_product(&mut block, &left, &done.block(b as usize));
                }
                let j = shape.columns[k] as usize;
                let g = times_inverse_transposed(&block, done.diagonal(j));
                own[k - range.start] = g.map(|v| v as f32);
            }
            let vertex = shape.tree.order[i] as usize;
            let a = &matrix.values[matrix.pattern().range(vertex).start];
            let mut pivot = lower(a).map(|v| v * (1.0 + shift));
            for g in own.iter() {
                subtract_square(&mut pivot, &g.map(f64::from));
            }
            *diagonal = pivot_inverse(vertex, &pivot, &lower(a))?;
            Ok(())
        })
    }
}
