//! Laws at eight points at a time, through memory: the seam between laws and elements.
//!
//! Elements hand over F and shape gradients in packs and get back energy, stress and the blocks of the
//! stiffness. A law is compiled once for each instruction set, not once for each element as well, and
//! elements know laws as `dyn` [`PointLaw`](crate::PointLaw): one virtual call for eight points.
//!
//! A block is bilinear in two shape gradients, so the same call serves any number of nodes, and three
//! unit vectors give the whole tensor ∂P/∂F.

mod direct;
mod invariants;
mod spectral;

pub use direct::direct;
pub use invariants::{by_invariants, respond_by_invariants};
pub use spectral::{Response, isotropic, respond, spectral};

use pliant_algebra::lanes::{F64x8, InLanes};
use pliant_algebra::mat3::Mat3;

use crate::law::Tangent;

/// More parameters than any law has.
pub const MOST_PARAMETERS: usize = 32;

/// A 3×3 matrix of packs, row after row.
pub type Nine = [F64x8; 9];

/// Eight points and what is wanted of them. What is given is overwritten.
#[derive(Debug)]
pub struct EightPoints<'a> {
    /// In the order of `Law::PARAMETERS`.
    pub parameters: &'a [F64x8],
    /// F
    pub gradient: &'a Nine,
    /// W, J/m³. Laws without energy leave what is there.
    pub energy: Option<&'a mut F64x8>,
    /// P, Pa
    pub stress: Option<&'a mut Nine>,
    /// Blocks of ∂P/∂F.
    pub tangent: Option<Blocks<'a>>,
}

impl EightPoints<'_> {
    /// Whether a projected tangent is wanted.
    pub(crate) fn is_projected(&self) -> bool {
        self.tangent.as_ref().is_some_and(|blocks| blocks.project)
    }
}

/// Blocks of the stiffness, `Σ_jl ∂P_ij/∂F_kl a_j b_l` for pairs of gradients.
#[derive(Debug)]
pub struct Blocks<'a> {
    /// The gradients.
    pub shapes: &'a [[F64x8; 3]],
    /// Blocks (a, b) row by row: all of them, or those with b ≥ a.
    pub values: &'a mut [Nine],
    /// Whether all pairs are wanted: for laws whose tangent is not symmetric.
    pub all: bool,
    /// Add to what is there.
    pub add: bool,
    /// Project ∂P/∂F to positive semi-definite.
    pub project: bool,
}

impl Blocks<'_> {
    /// How many blocks `nodes` gradients have.
    pub const fn count(nodes: usize, all: bool) -> usize {
        if all { nodes * nodes } else { nodes * (nodes + 1) / 2 }
    }

    /// The place of block (a, b); b ≥ a unless all are there.
    #[inline(always)]
    pub const fn place(nodes: usize, all: bool, a: usize, b: usize) -> usize {
        if all { a * nodes + b } else { a * (2 * nodes + 1 - a) / 2 + b - a }
    }
}

/// The first `count` parameters of the points.
#[inline(always)]
fn read_parameters<R: InLanes>(from: &[F64x8], count: usize, lane: usize) -> [R; MOST_PARAMETERS] {
    let mut p = [R::zero(); MOST_PARAMETERS];
    for k in 0..count {
        p[k] = R::read(&from[k], lane);
    }
    p
}

#[inline(always)]
fn read_all<R: InLanes, const K: usize>(from: &[F64x8; K], lane: usize) -> [R; K] {
    let mut out = [R::zero(); K];
    for k in 0..K {
        out[k] = R::read(&from[k], lane);
    }
    out
}

#[inline(always)]
fn write_all<R: InLanes, const K: usize>(values: [R; K], to: &mut [F64x8; K], lane: usize) {
    for k in 0..K {
        values[k].write(&mut to[k], lane);
    }
}

#[inline(always)]
pub(crate) fn read_matrix<R: InLanes>(from: &Nine, lane: usize) -> Mat3<R> {
    let mut m = Mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            m.0[i][j] = R::read(&from[3 * i + j], lane);
        }
    }
    m
}

#[inline(always)]
pub(crate) fn write_matrix<R: InLanes>(m: &Mat3<R>, to: &mut Nine, lane: usize) {
    for i in 0..3 {
        for j in 0..3 {
            m.0[i][j].write(&mut to[3 * i + j], lane);
        }
    }
}

/// Nodes in a tile: their prepared gradients stay near while nine blocks are made of them.
const TILE: usize = 3;

/// Three prepared gradients. The last tile may reach beyond the end; what is made there is not kept.
#[inline(always)]
fn tile<R: InLanes, T: Tangent<R>>(
    tangent: &T,
    shapes: &[[F64x8; 3]],
    from: usize,
    lane: usize,
) -> [T::Node; TILE] {
    let last = shapes.len() - 1;
    [
        prepare::<R, T>(tangent, &shapes[from], lane),
        prepare::<R, T>(tangent, &shapes[(from + 1).min(last)], lane),
        prepare::<R, T>(tangent, &shapes[(from + 2).min(last)], lane),
    ]
}

#[inline(always)]
fn prepare<R: InLanes, T: Tangent<R>>(tangent: &T, shape: &[F64x8; 3], lane: usize) -> T::Node {
    tangent.node([R::read(&shape[0], lane), R::read(&shape[1], lane), R::read(&shape[2], lane)])
}

/// All blocks of a tangent, in tiles of three nodes by three.
#[inline(always)]
pub(crate) fn contract<R: InLanes, T: Tangent<R>>(
    tangent: &T,
    blocks: &mut Blocks<'_>,
    lane: usize,
) {
    let Blocks { shapes, values, all, add, .. } = blocks;
    let (n, all, add) = (shapes.len(), *all, *add);
    for i in (0..n).step_by(TILE) {
        let rows = tile::<R, T>(tangent, shapes, i, lane);
        for j in (if all { 0 } else { i }..n).step_by(TILE) {
            let other;
            let columns = if i == j {
                &rows
            } else {
                other = tile::<R, T>(tangent, shapes, j, lane);
                &other
            };
            for a in 0..TILE.min(n - i) {
                let first = if i == j && !all { a } else { 0 };
                for b in first..TILE.min(n - j) {
                    let block = tangent.block(&rows[a], &columns[b]);
                    let to = &mut values[Blocks::place(n, all, i + a, j + b)];
                    let block = if add { block + read_matrix(to, lane) } else { block };
                    write_matrix(&block, to, lane);
                }
            }
        }
    }
}
