//! Energy, forces and stiffness of eight elements, before they are scattered.

use std::marker::PhantomData;

use pliant_algebra::lanes::{F64x8, LANES, Pack};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Mask;
use pliant_elements::Element;
use pliant_materials::{Law, Tangent};

use super::chunk::{Geometry, Wanted};

/// Eight elements in a state.
pub(super) struct PackJob<'a, E, L, P, const N: usize> {
    pub(super) law: &'a L,
    pub(super) parameters: &'a [P],
    pub(super) x: &'a [[P; 3]; N],
    /// One entry for each point.
    pub(super) geometry: &'a [Geometry],
    pub(super) wanted: Wanted,
    /// Receives the stiffness, entry by entry.
    pub(super) blocks: &'a mut [F64x8],
    pub(super) element: PhantomData<E>,
}

/// Energy and nodal gradients of eight elements.
pub(super) struct PackResult<P, const N: usize> {
    pub(super) energy: P,
    pub(super) f: [[P; 3]; N],
}

/// Lanes whose deformation the law or the element cannot take: bits of the good ones, and all J.
pub(super) struct BadLanes {
    pub(super) good: u8,
    pub(super) jacobians: [f64; LANES],
}

impl<E: Element<N>, L: Law, P: Pack, const N: usize> PackJob<'_, E, L, P, N> {
    /// F at every point as it is.
    #[inline(always)]
    pub(super) fn run<const TANGENT: bool>(self) -> Result<PackResult<P, N>, BadLanes> {
        let Self { law, parameters, x, geometry, wanted, blocks, .. } = self;
        let mut f = [[P::zero(); 3]; N];
        let mut energy = P::zero();
        for (q, point) in E::POINTS.iter().enumerate() {
            let (inverse, weight) = load_geometry::<P>(&geometry[q]);
            let gradient = E::jacobian(point, x) * inverse;
            check::<L, P>(&gradient)?;
            if wanted.energy {
                energy += weight * law.energy(parameters, &gradient);
            }
            if TANGENT {
                let (stress, tangent) =
                    law.stress_and_tangent(parameters, &gradient, wanted.project);
                if wanted.gradient {
                    E::spread(point, &stress.mul_transpose(&inverse).scale(weight), &mut f);
                }
                // A block is bilinear in the two gradients: the root of the weight on each.
                let root = (weight * wanted.weight.abs()).sqrt();
                let shape = E::physical_gradients(point, &inverse.scale(root));
                let mut nodes = [tangent.node(shape[0]); N];
                for a in 1..N {
                    nodes[a] = tangent.node(shape[a]);
                }
                if N == 4 && L::HAS_ENERGY && !wanted.full {
                    put_tetrahedron(blocks, q == 0, &tangent, &nodes[1..]);
                    continue;
                }
                let mut pair = 0;
                for a in 0..N {
                    let first = if wanted.full && !L::HAS_ENERGY { 0 } else { a };
                    for b in first..N {
                        let block = tangent.block(&nodes[a], &nodes[b]);
                        if wanted.full {
                            put(blocks, a * N + b, q == 0, &block);
                            if L::HAS_ENERGY && a != b {
                                put(blocks, b * N + a, q == 0, &block.transpose());
                            }
                        } else {
                            put(blocks, pair, q == 0, &block);
                        }
                        pair += 1;
                    }
                }
            } else if wanted.gradient {
                let stress = law.stress(parameters, &gradient);
                E::spread(point, &stress.mul_transpose(&inverse).scale(weight), &mut f);
            }
        }
        Ok(PackResult { energy, f })
    }
}

/// Whether all lanes are in the domain of the law, and finite.
#[inline(always)]
fn check<L: Law, P: Pack>(gradient: &Mat3<P>) -> Result<(), BadLanes> {
    let j = gradient.determinant();
    // Comparisons are false where something is not a number.
    let good =
        if L::NEEDS_POSITIVE_J { P::zero().less(j) } else { gradient.norm_squared().is_finite() };
    if good.all() {
        Ok(())
    } else {
        Err(BadLanes { good: good.to_bits(), jacobians: j.to_lanes() })
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

/// Stores a block entry by entry, or adds to what earlier points have stored.
#[inline(always)]
pub(super) fn put<P: Pack>(blocks: &mut [F64x8], at: usize, first: bool, block: &Mat3<P>) {
    let target = &mut blocks[9 * at..9 * at + 9];
    for i in 0..3 {
        for j in 0..3 {
            let entry = block.0[i][j];
            let old = &mut target[3 * i + j];
            *old = if first { entry } else { P::load(old) + entry }.store();
        }
    }
}

/// The upper triangle of a tetrahedron from nodes 1 to 3. Shape gradients add up to zero, so the
/// blocks of node 0 are sums of the others: K_0b = −Σ_a K_ab.
#[inline(always)]
fn put_tetrahedron<P: Pack, T: Tangent<P>>(
    blocks: &mut [F64x8],
    first: bool,
    tangent: &T,
    nodes: &[T::Node],
) {
    let k11 = tangent.block(&nodes[0], &nodes[0]);
    put(blocks, 4, first, &k11);
    let k12 = tangent.block(&nodes[0], &nodes[1]);
    put(blocks, 5, first, &k12);
    let k13 = tangent.block(&nodes[0], &nodes[2]);
    put(blocks, 6, first, &k13);
    let k01 = -(k11 + k12.transpose() + k13.transpose());
    put(blocks, 1, first, &k01);
    let k22 = tangent.block(&nodes[1], &nodes[1]);
    put(blocks, 7, first, &k22);
    let k23 = tangent.block(&nodes[1], &nodes[2]);
    put(blocks, 8, first, &k23);
    let k02 = -(k12 + k22 + k23.transpose());
    put(blocks, 2, first, &k02);
    let k33 = tangent.block(&nodes[2], &nodes[2]);
    put(blocks, 9, first, &k33);
    let k03 = -(k13 + k23 + k33);
    put(blocks, 3, first, &k03);
    // Of the last sum only one triangle, so that the block is symmetric to the bit.
    let mut k00 = -(k01 + k02 + k03);
    (k00.0[1][0], k00.0[2][0], k00.0[2][1]) = (k00.0[0][1], k00.0[0][2], k00.0[1][2]);
    put(blocks, 0, first, &k00);
}
