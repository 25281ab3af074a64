//! [`Chunk`]: the elements that are worked on together, and the tables they are worked on with.

use std::ops::Range;

use pliant_algebra::lanes::{F64x8, LANES, Row4};
use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::Vec3;

use super::stages::Scratch;

/// Marks a place in [`Chunk::slots`] that is in the chunk's own buffer, not in the matrix.
pub(super) const BUFFERED: u32 = 1 << 31;

/// (∂X/∂ξ)⁻¹ row by row, and the weight (m³), of eight elements at one point.
pub(super) type Geometry = [F64x8; 10];

#[derive(Debug)]
pub(super) struct Chunk<const N: usize> {
    /// Inner vertices, in system numbering.
    pub(super) inside: Range<usize>,
    /// Shared vertices, in system numbering.
    pub(super) shared: Vec<u32>,
    /// Cells as the user numbers them.
    pub(super) cells: Vec<u32>,
    /// Places in the table of vertices: N entries for each pack.
    pub(super) nodes: Vec<[u32; LANES]>,
    /// One entry for each pack and point.
    pub(super) geometry: Vec<Geometry>,
    /// Parameters of the law, `stride` entries for each pack; one set for all where it is 0.
    pub(super) parameters: Vec<F64x8>,
    pub(super) stride: usize,
    /// Where the blocks go, relative to `blocks.start` or [`BUFFERED`]: an entry for each pack and pair.
    pub(super) slots: Vec<[u32; LANES]>,
    /// The part of the matrix that only this chunk writes to.
    pub(super) blocks: Range<usize>,
    /// Positions, in the order of the table.
    pub(super) x: Vec<Row4>,
    /// Gradient, in the order of the table.
    pub(super) g: Vec<Row4>,
    /// Blocks that couple two shared vertices.
    pub(super) buffer: Vec<Block>,
    /// The pack that is worked on.
    pub(super) scratch: Box<Scratch<N>>,
    pub(super) energy: f64,
    pub(super) trouble: Option<Trouble>,
}

/// What stopped a chunk: the first element (as the user numbers them) that is not as its law needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trouble {
    pub(super) cell: u32,
    pub(super) jacobian: f64,
}

/// What a call asks for.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) energy: bool,
    pub(super) gradient: bool,
    pub(super) tangent: bool,
    pub(super) project: bool,
    pub(super) weight: f64,
    pub(super) full: bool,
}

impl<const N: usize> Chunk<N> {
    pub(super) fn packs(&self) -> usize {
        self.cells.len().div_ceil(LANES)
    }

    /// Copies positions to the table, and clears what will be added to.
    pub(super) fn prepare(&mut self, x: &[Vec3], wanted: Wanted) {
        self.energy = 0.0;
        self.trouble = None;
        let row = |p: &Vec3| Row4([p[0], p[1], p[2], 0.0]);
        let (inner, shared) = self.x.split_at_mut(self.inside.len());
        for (row_of, p) in inner.iter_mut().zip(&x[self.inside.clone()]) {
            *row_of = row(p);
        }
        for (row_of, &v) in shared.iter_mut().zip(&self.shared) {
            *row_of = row(&x[v as usize]);
        }
        if wanted.gradient {
            self.g.fill(Row4::default());
        }
        if wanted.tangent {
            self.buffer.fill([0.0; 9]);
        }
    }

    /// Adds the gradient of inner vertices to the system's.
    pub(super) fn hand_over(&self, gradient: &mut [Vec3]) {
        for (g, row) in gradient.iter_mut().zip(&self.g) {
            for k in 0..3 {
                g[k] += row.0[k];
            }
        }
    }
}
