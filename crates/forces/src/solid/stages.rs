//! What happens to a pack of eight elements before and after its law: positions to F, stress to forces.
//!
//! Stages hand over through [`Scratch`], a few kilobytes that stay in the nearest cache. So a stage is
//! compiled for an element, and a law for itself, never for each pair of them.

use std::marker::PhantomData;

use pliant_algebra::dispatch::Kernel;
use pliant_algebra::lanes::{F64x8, LANES, Pack, Row4};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Mask;
use pliant_elements::{Element, Point};
use pliant_materials::eight::{Blocks, Nine};

use super::chunk::Geometry;

/// A pack between two stages.
#[derive(Debug)]
pub(super) struct Scratch<const N: usize> {
    /// Positions and forces of the nodes.
    pub(super) x: [[F64x8; 3]; N],
    pub(super) f: [[F64x8; 3]; N],
    /// F, W and P at the point.
    pub(super) gradient: Nine,
    pub(super) energy: F64x8,
    pub(super) stress: Nine,
    /// Shape gradients times the root of the weight: a block is bilinear in them.
    pub(super) shapes: [[F64x8; 3]; N],
    /// Blocks of all nodes but node 0, over all points so far.
    pub(super) inner: Vec<Nine>,
    /// Blocks (0, b), and after them (b, 0) where the tangent is not symmetric.
    pub(super) outer: Vec<Nine>,
    /// Energy over all packs so far.
    pub(super) total: F64x8,
}

impl<const N: usize> Default for Scratch<N> {
    fn default() -> Self {
        let zero = F64x8::default();
        Self {
            x: [[zero; 3]; N],
            f: [[zero; 3]; N],
            gradient: [zero; 9],
            energy: zero,
            stress: [zero; 9],
            shapes: [[zero; 3]; N],
            inner: Vec::new(),
            outer: Vec::new(),
            total: zero,
        }
    }
}

impl<const N: usize> Scratch<N> {
    /// Makes room for blocks, once.
    pub(super) fn reserve(&mut self, symmetric: bool) {
        let zero = [F64x8::default(); 9];
        self.inner.resize(Blocks::count(N - 1, !symmetric), zero);
        self.outer.resize(if symmetric { N } else { 2 * N }, zero);
    }
}

/// Lanes whose deformation the law or the element cannot take: bits of the good ones, and all J.
pub(super) struct BadLanes {
    pub(super) good: u8,
    pub(super) jacobians: [f64; LANES],
}

/// Positions to F, at one point.
pub(super) struct Deform<'a, E, const N: usize> {
    pub(super) point: &'a Point<3, N>,
    /// The first point gathers what the others use.
    pub(super) first: bool,
    pub(super) nodes: &'a [[u32; LANES]],
    pub(super) table: &'a [Row4],
    pub(super) geometry: &'a Geometry,
    pub(super) scratch: &'a mut Scratch<N>,
    /// Whether the law needs J > 0.
    pub(super) positive: bool,
    /// The size of the weight of the tangent, where one is wanted.
    pub(super) tangent: Option<f64>,
    pub(super) element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for Deform<'_, E, N> {
    type Output = Result<(), BadLanes>;

    #[inline(always)]
    fn run<P: Pack>(self) -> Result<(), BadLanes> {
        let mut x = [[P::zero(); 3]; N];
        if self.first {
            x = gather::<P, N>(self.table, self.nodes);
            if E::POINTS.len() > 1 {
                store_vectors(&x, &mut self.scratch.x);
            }
        } else {
            for a in 0..N {
                x[a] = load3(&self.scratch.x[a]);
            }
        }
        let (inverse, weight) = load_geometry::<P>(self.geometry);
        let gradient = Mat3(E::jacobian(self.point, &x)) * inverse;
        store_matrix(&gradient, &mut self.scratch.gradient);
        if let Some(size) = self.tangent {
            let root = (weight * size).sqrt();
            let shapes = E::physical_gradients(self.point, &inverse.scale(root).0);
            store_vectors(&shapes, &mut self.scratch.shapes);
        }
        let j = gradient.determinant();
        // Comparisons are false where something is not a number.
        let good =
            if self.positive { P::zero().less(j) } else { gradient.norm_squared().is_finite() };
        if good.all() {
            Ok(())
        } else {
            Err(BadLanes { good: good.to_bits(), jacobians: j.to_lanes() })
        }
    }
}

/// Energy and stress to sums and forces, at one point.
#[allow(
    clippy::struct_excessive_bools,
    reason = "two say where in the element, two what is wanted"
)]
pub(super) struct Spread<'a, E, const N: usize> {
    pub(super) point: &'a Point<3, N>,
    pub(super) first: bool,
    /// The last point hands the forces over to the table.
    pub(super) last: bool,
    pub(super) nodes: &'a [[u32; LANES]],
    pub(super) table: &'a mut [Row4],
    pub(super) geometry: &'a Geometry,
    pub(super) scratch: &'a mut Scratch<N>,
    pub(super) energy: bool,
    pub(super) gradient: bool,
    pub(super) element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for Spread<'_, E, N> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pack>(self) {
        let (inverse, weight) = load_geometry::<P>(self.geometry);
        let scratch = self.scratch;
        if self.energy {
            scratch.total = (P::load(&scratch.total) + weight * P::load(&scratch.energy)).store();
        }
        if self.gradient {
            let mut f = [[P::zero(); 3]; N];
            if !self.first {
                for a in 0..N {
                    f[a] = load3(&scratch.f[a]);
                }
            }
            let stress = load_matrix::<P>(&scratch.stress);
            E::spread(self.point, &stress.mul_transpose(&inverse).scale(weight).0, &mut f);
            if self.last {
                scatter_vectors(&f, self.nodes, self.table);
            } else {
                store_vectors(&f, &mut scratch.f);
            }
        }
    }
}

#[inline(always)]
pub(super) fn gather<P: Pack, const N: usize>(
    table: &[Row4],
    nodes: &[[u32; LANES]],
) -> [[P; 3]; N] {
    let mut x = [[P::zero(); 3]; N];
    for a in 0..N {
        let [u, v, w, _] = P::gather(table, &nodes[a]);
        x[a] = [u, v, w];
    }
    x
}

/// Adds to the table. Lanes that only fill up the pack add nothing, as they have no weight.
#[inline(always)]
pub(super) fn scatter_vectors<P: Pack, const N: usize>(
    f: &[[P; 3]; N],
    nodes: &[[u32; LANES]],
    table: &mut [Row4],
) {
    for a in 0..N {
        let rows = P::rows([f[a][0], f[a][1], f[a][2], P::zero()]);
        for l in 0..LANES {
            let g = &mut table[nodes[a][l] as usize].0;
            for k in 0..4 {
                g[k] += rows[l].0[k];
            }
        }
    }
}

#[inline(always)]
pub(super) fn load_geometry<P: Pack>(geometry: &Geometry) -> (Mat3<P>, P) {
    let mut inverse = Mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            inverse.0[i][j] = P::load(&geometry[3 * i + j]);
        }
    }
    (inverse, P::load(&geometry[9]))
}

#[inline(always)]
pub(super) fn load3<P: Pack>(from: &[F64x8; 3]) -> [P; 3] {
    [P::load(&from[0]), P::load(&from[1]), P::load(&from[2])]
}

#[inline(always)]
pub(super) fn load_matrix<P: Pack>(from: &Nine) -> Mat3<P> {
    let mut m = Mat3::zero();
    for i in 0..3 {
        for j in 0..3 {
            m.0[i][j] = P::load(&from[3 * i + j]);
        }
    }
    m
}

#[inline(always)]
pub(super) fn store_matrix<P: Pack>(m: &Mat3<P>, to: &mut Nine) {
    for i in 0..3 {
        for j in 0..3 {
            to[3 * i + j] = m.0[i][j].store();
        }
    }
}

#[inline(always)]
pub(super) fn store_vectors<P: Pack, const N: usize>(v: &[[P; 3]; N], to: &mut [[F64x8; 3]; N]) {
    for a in 0..N {
        for k in 0..3 {
            to[a][k] = v[a][k].store();
        }
    }
}
