//! [`Chunk`]: the elements that are worked on together; [`ChunkWork`]: the tables they are worked on with.

use std::ops::Range;

use pliant_algebra::lanes::{F64x8, LANES, Row4};
use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::Vec3;

use super::stages::Scratch;

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
    /// Indices into the table of vertices: N entries for each pack.
    pub(super) nodes: Vec<[u32; LANES]>,
    /// One entry for each pack and point.
    pub(super) geometry: Vec<Geometry>,
    /// Parameters of the law, where `layout` says.
    pub(super) parameters: Vec<F64x8>,
    pub(super) layout: Layout,
}

/// Tables and results of one chunk during an evaluation.
#[derive(Debug)]
pub(super) struct ChunkWork<const N: usize> {
    /// Positions, in the order of the table.
    pub(super) x: Vec<Row4>,
    /// Positions that frames are taken from, where they are held.
    pub(super) frames: Vec<Row4>,
    /// Gradient, in the order of the table.
    pub(super) g: Vec<Row4>,
    /// Blocks that couple two shared vertices.
    pub(super) buffer: Vec<Block>,
    /// The pack that is worked on.
    pub(super) scratch: Box<Scratch<N>>,
    pub(super) energy: f64,
    /// How far a direction may be followed.
    pub(super) reach: f64,
    pub(super) trouble: Option<Trouble>,
}

/// Where [`Chunk::parameters`] has the `count` constants of a pack at a point. A stride of 0 means that
/// all packs, or all points of a pack, share them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) count: usize,
    pub(super) pack_stride: usize,
    pub(super) point_stride: usize,
}

impl Layout {
    /// Entries of a pack at point `q`.
    pub(super) fn at(self, pack: usize, q: usize) -> Range<usize> {
        let start = pack * self.pack_stride + q * self.point_stride;
        start..start + self.count
    }
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
    /// Whether frames are held at other positions.
    pub(super) held: bool,
}

impl<const N: usize> Chunk<N> {
    pub(super) fn packs(&self) -> usize {
        self.cells.len().div_ceil(LANES)
    }

    /// Vertices in its table.
    pub(super) fn table(&self) -> usize {
        self.inside.len() + self.shared.len()
    }
}

impl<const N: usize> ChunkWork<N> {
    /// Tables for a chunk, without room for blocks.
    pub(super) fn new(chunk: &Chunk<N>) -> Self {
        Self {
            x: vec![Row4::default(); chunk.table()],
            frames: Vec::new(),
            g: vec![Row4::default(); chunk.table()],
            buffer: Vec::new(),
            scratch: Box::default(),
            energy: 0.0,
            reach: 0.0,
            trouble: None,
        }
    }

    /// Copies positions to the table, and clears what will be added to: of blocks, `buffered` ones.
    pub(super) fn prepare(
        &mut self,
        chunk: &Chunk<N>,
        x: &[Vec3],
        wanted: Wanted,
        buffered: usize,
        symmetric: bool,
    ) {
        self.energy = 0.0;
        self.trouble = None;
        fill_table(&mut self.x, chunk, x);
        if wanted.gradient {
            self.g.fill(Row4::default());
        }
        if wanted.tangent {
            self.scratch.reserve(symmetric);
            self.buffer.clear();
            self.buffer.resize(buffered, [0.0; 9]);
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

/// Copies the vectors of a chunk's vertices to a table of its own.
pub(super) fn fill_table<const N: usize>(table: &mut [Row4], chunk: &Chunk<N>, x: &[Vec3]) {
    let row = |p: &Vec3| Row4([p[0], p[1], p[2], 0.0]);
    let (inner, shared) = table.split_at_mut(chunk.inside.len());
    for (row_of, p) in inner.iter_mut().zip(&x[chunk.inside.clone()]) {
        *row_of = row(p);
    }
    for (row_of, &v) in shared.iter_mut().zip(&chunk.shared) {
        *row_of = row(&x[v as usize]);
    }
}
