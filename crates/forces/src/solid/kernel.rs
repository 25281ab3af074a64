//! The element loop: eight elements at a time, at the SIMD level of the processor.

use std::marker::PhantomData;

use pliant_algebra::dispatch::Kernel;
use pliant_algebra::lanes::{F64x8, LANES, Pack};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::real::Mask;
use pliant_algebra::sparse::Block;
use pliant_elements::Element;
use pliant_materials::{Law, Tangent};

use super::chunk::{BUFFERED, Chunk, Geometry, Trouble, Wanted};

/// More parameters than any law has.
pub(super) const MOST_PARAMETERS: usize = 32;

/// One chunk's work; `blocks` is the part of the matrix that only this chunk writes to.
pub(super) struct Work<'a, E, L, const N: usize> {
    pub(super) law: &'a L,
    pub(super) chunk: &'a mut Chunk<N>,
    pub(super) wanted: Wanted,
    pub(super) blocks: &'a mut [Block],
    pub(super) element: PhantomData<E>,
}

impl<E: Element<N>, L: Law, const N: usize> Kernel for Work<'_, E, L, N> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        if self.wanted.tangent { self.sweep::<P, true>() } else { self.sweep::<P, false>() }
    }
}

impl<E: Element<N>, L: Law, const N: usize> Work<'_, E, L, N> {
    #[inline(always)]
    fn sweep<P: Pack, const TANGENT: bool>(self) {
        let Self { law, chunk, wanted, blocks, .. } = self;
        let points = E::POINTS;
        let count = L::PARAMETERS.len();
        let pairs = if wanted.full { N * N } else { N * (N + 1) / 2 };
        let sign = if wanted.weight < 0.0 { -1.0 } else { 1.0 };
        let mut parameters = [P::zero(); MOST_PARAMETERS];
        let mut energy = P::zero();
        for pack in 0..chunk.packs() {
            let nodes = &chunk.nodes[pack * N..(pack + 1) * N];
            if pack == 0 || chunk.stride > 0 {
                let from = &chunk.parameters[pack * chunk.stride..];
                for k in 0..count {
                    parameters[k] = P::load(&from[k]);
                }
            }
            let mut x = [[P::zero(); 3]; N];
            for a in 0..N {
                let [u, v, w, _] = P::gather(&chunk.x, &nodes[a]);
                x[a] = [u, v, w];
            }
            let geometry = &chunk.geometry[pack * points.len()..(pack + 1) * points.len()];
            let mut f = [[P::zero(); 3]; N];
            let mut pack_energy = P::zero();
            let mut trouble = false;
            for (q, point) in points.iter().enumerate() {
                let (inverse, weight) = load_geometry::<P>(&geometry[q]);
                let gradient = E::jacobian(point, &x) * inverse;
                let j = gradient.determinant();
                // Comparisons are false where something is not a number.
                let good = if L::NEEDS_POSITIVE_J {
                    P::zero().less(j)
                } else {
                    gradient.norm_squared().is_finite()
                };
                if !good.all() {
                    let lanes = chunk.cells.len() - pack * LANES;
                    note(
                        &mut chunk.trouble,
                        good.to_bits(),
                        &j.to_lanes(),
                        &chunk.cells[pack * LANES..],
                        lanes,
                    );
                    trouble = true;
                    break;
                }
                let p = &parameters[..count];
                if wanted.energy {
                    pack_energy += weight * law.energy(p, &gradient);
                }
                if TANGENT {
                    let (stress, tangent) = law.stress_and_tangent(p, &gradient, wanted.project);
                    if wanted.gradient {
                        E::spread(point, &stress.mul_transpose(&inverse).scale(weight), &mut f);
                    }
                    // A block is bilinear in the two gradients: the root of the weight on each.
                    let root = (weight * wanted.weight.abs()).sqrt();
                    let shape = E::physical_gradients(point, &inverse.scale(root));
                    let mut prepared = [tangent.node(shape[0]); N];
                    for a in 1..N {
                        prepared[a] = tangent.node(shape[a]);
                    }
                    let mut pair = 0;
                    for a in 0..N {
                        let first = if wanted.full && !L::HAS_ENERGY { 0 } else { a };
                        for b in first..N {
                            let block = tangent.block(&prepared[a], &prepared[b]);
                            if wanted.full {
                                put(&mut chunk.pack_blocks, a * N + b, q == 0, &block);
                                if L::HAS_ENERGY && a != b {
                                    put(
                                        &mut chunk.pack_blocks,
                                        b * N + a,
                                        q == 0,
                                        &block.transpose(),
                                    );
                                }
                            } else {
                                put(&mut chunk.pack_blocks, pair, q == 0, &block);
                            }
                            pair += 1;
                        }
                    }
                } else if wanted.gradient {
                    let stress = law.stress(p, &gradient);
                    E::spread(point, &stress.mul_transpose(&inverse).scale(weight), &mut f);
                }
            }
            if trouble {
                continue;
            }
            energy += pack_energy;
            let lanes = (chunk.cells.len() - pack * LANES).min(LANES);
            if wanted.gradient {
                for a in 0..N {
                    let rows = P::rows([f[a][0], f[a][1], f[a][2], P::zero()]);
                    for l in 0..lanes {
                        let g = &mut chunk.g[nodes[a][l] as usize].0;
                        for k in 0..4 {
                            g[k] += rows[l].0[k];
                        }
                    }
                }
            }
            if TANGENT {
                if !wanted.full && !E::ANY_ORDER {
                    turn_blocks::<P, N>(&mut chunk.pack_blocks, nodes);
                }
                if sign < 0.0 {
                    for entry in &mut chunk.pack_blocks {
                        *entry = (-P::load(entry)).store();
                    }
                }
                take_apart::<P>(&chunk.pack_blocks, &mut chunk.lane_blocks);
                let width = chunk.lane_blocks.len() / LANES;
                for l in 0..lanes {
                    let element = chunk.lane_blocks[l * width..(l + 1) * width].as_flattened();
                    let from = (pack * LANES + l) * pairs;
                    let slots = &chunk.slots[from..from + pairs];
                    for (block, &slot) in element.chunks_exact(9).zip(slots) {
                        let target = if slot & BUFFERED == 0 {
                            &mut blocks[slot as usize]
                        } else {
                            &mut chunk.buffer[(slot & !BUFFERED) as usize]
                        };
                        for k in 0..9 {
                            target[k] += block[k];
                        }
                    }
                }
            }
        }
        chunk.energy = energy.sum_lanes();
    }
}

#[inline(always)]
fn load_geometry<P: Pack>(geometry: &Geometry) -> (Mat3<P>, P) {
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
fn put<P: Pack>(blocks: &mut [F64x8], at: usize, first: bool, block: &Mat3<P>) {
    let target = &mut blocks[9 * at..9 * at + 9];
    for i in 0..3 {
        for j in 0..3 {
            let entry = block.0[i][j];
            let old = &mut target[3 * i + j];
            *old = if first { entry } else { P::load(old) + entry }.store();
        }
    }
}

/// Transposes block (a, b) in lanes where node a comes after node b in the system: there the place
/// in the upper triangle is that of (b, a).
#[inline(always)]
fn turn_blocks<P: Pack, const N: usize>(blocks: &mut [F64x8], nodes: &[[u32; LANES]]) {
    let mut order = [P::zero(); N];
    for a in 0..N {
        let mut lanes = [0.0; LANES];
        for l in 0..LANES {
            lanes[l] = f64::from(nodes[a][l]);
        }
        order[a] = P::from_lanes(lanes);
    }
    let mut pair = 0;
    for a in 0..N {
        for b in a..N {
            if a != b {
                let turned = order[b].less(order[a]);
                let block = &mut blocks[9 * pair..9 * pair + 9];
                for (i, j) in [(1, 3), (2, 6), (5, 7)] {
                    let (u, v) = (P::load(&block[i]), P::load(&block[j]));
                    block[i] = P::select(turned, v, u).store();
                    block[j] = P::select(turned, u, v).store();
                }
            }
            pair += 1;
        }
    }
}

/// From entries of eight elements to elements with all their entries.
#[inline(always)]
fn take_apart<P: Pack>(packs: &[F64x8], lanes: &mut [[f64; 4]]) {
    let width = lanes.len() / LANES;
    for (at, four) in packs.chunks_exact(4).enumerate() {
        let rows =
            P::rows([P::load(&four[0]), P::load(&four[1]), P::load(&four[2]), P::load(&four[3])]);
        for l in 0..LANES {
            lanes[l * width + at] = rows[l].0;
        }
    }
}

/// Keeps the element with the lowest number among those seen so far that are in trouble.
#[cold]
fn note(trouble: &mut Option<Trouble>, good: u8, j: &[f64; LANES], cells: &[u32], lanes: usize) {
    for l in 0..lanes.min(LANES) {
        if good >> l & 1 == 0 && trouble.is_none_or(|t| cells[l] < t.cell) {
            *trouble = Some(Trouble { cell: cells[l], jacobian: j[l] });
        }
    }
}
