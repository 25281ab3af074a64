//! [`Elements`]: those of one chunk, which are worked on together; [`ChunkWork`]: the tables they are worked on with.

use std::ops::Range;

use pliant_algebra::lanes::{F64x8, LANES, Row4};
use pliant_algebra::vec3::Vec3;

use super::memory::ChunkBranches;
use super::stages::Scratch;
use crate::assembly::Rows;
use crate::inspection::Inspection;

/// (∂X/∂ξ)⁻¹ row by row, and the weight (m³), of eight elements at one point.
pub(super) type Geometry = [F64x8; 10];

#[derive(Debug, Clone)]
pub(super) struct Elements<const N: usize> {
    /// Cells as the user numbers them.
    pub(super) cells: Vec<u32>,
    /// Local numbers of their vertices: N entries for each pack.
    pub(super) nodes: Vec<[u32; LANES]>,
    /// One entry for each pack and point.
    pub(super) geometry: Vec<Geometry>,
    /// Parameters of the law, where `layout` says.
    pub(super) parameters: Vec<F64x8>,
    pub(super) layout: Layout,
    /// What they remember by; empty where they do not.
    pub(super) branches: ChunkBranches,
}

/// Tables and results of one chunk during an evaluation.
#[derive(Debug, Default)]
pub(super) struct ChunkWork<const N: usize> {
    /// Positions, in the order of the table.
    pub(super) x: Vec<Row4>,
    /// Positions that frames are taken from, where they are held.
    pub(super) frames: Vec<Row4>,
    /// Velocities, where the rate of strain counts.
    pub(super) v: Vec<Row4>,
    /// Gradient, in the order of the table.
    pub(super) g: Vec<Row4>,
    /// The pack that is worked on.
    pub(super) scratch: Box<Scratch<N>>,
    /// How far a direction may be followed.
    pub(super) reach: f64,
    pub(super) trouble: Option<Trouble>,
    /// What was last seen of J.
    pub(super) inspection: Inspection,
    /// Energy that branches store, and have lost, J.
    pub(super) remembered: [f64; 2],
}

/// Where [`Elements::parameters`] has the `count` constants of a pack at a point. A stride of 0 means that
/// all packs, or all points of a pack, share them.
#[derive(Debug, Clone, Copy, Default)]
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
    /// What the first parameter of the law is multiplied by.
    pub(super) activity: Option<f64>,
    /// Whether J must be above 0.
    pub(super) positive: bool,
}

impl<const N: usize> Elements<N> {
    pub(super) fn packs(&self) -> usize {
        self.cells.len().div_ceil(LANES)
    }
}

impl<const N: usize> ChunkWork<N> {
    /// Copies positions to the table, and clears what will be added to.
    pub(super) fn prepare(&mut self, rows: &Rows, x: &[Vec3], wanted: Wanted, symmetric: bool) {
        self.trouble = None;
        rows.fill(&mut self.x, x);
        if wanted.gradient {
            self.g.clear();
            self.g.resize(rows.table(), Row4::default());
        }
        if wanted.tangent {
            self.scratch.reserve(symmetric);
        }
    }

    /// Adds the gradient of inner vertices to the system's, and puts that of shared ones aside.
    pub(super) fn hand_over(&self, gradient: &mut [Vec3], shared: &mut [Vec3]) {
        for (g, row) in gradient.iter_mut().zip(&self.g) {
            for k in 0..3 {
                g[k] += row.0[k];
            }
        }
        let rows = &self.g[self.g.len() - shared.len()..];
        for (g, row) in shared.iter_mut().zip(rows) {
            g.copy_from_slice(&row.0[..3]);
        }
    }
}
