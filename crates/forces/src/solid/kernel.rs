//! The element loop: eight elements at a time, at the SIMD level of the processor.

use std::marker::PhantomData;

use pliant_algebra::dispatch::Kernel;
use pliant_algebra::lanes::{F64x8, LANES, Pack};
use pliant_algebra::sparse::Block;
use pliant_elements::Element;
use pliant_materials::Law;

use super::chunk::{BUFFERED, Chunk, Trouble, Wanted};
use super::pack::{BadLanes, PackJob, PackResult};

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
        let points = E::POINTS.len();
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
            let job = PackJob {
                law,
                parameters: &parameters[..count],
                x: &x,
                geometry: &chunk.geometry[pack * points..(pack + 1) * points],
                wanted,
                blocks: &mut chunk.pack_blocks,
                element: PhantomData::<E>,
            };
            let result = if E::MEAN_DILATATION {
                job.run_dilated::<TANGENT>()
            } else {
                job.run::<TANGENT>()
            };
            let lanes = (chunk.cells.len() - pack * LANES).min(LANES);
            let f = match result {
                Ok(PackResult { energy: pack_energy, f }) => {
                    energy += pack_energy;
                    f
                }
                Err(bad) => {
                    note(&mut chunk.trouble, &bad, &chunk.cells[pack * LANES..][..lanes]);
                    continue;
                }
            };
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
                    for (block, &slot) in element.as_chunks::<9>().0.iter().zip(slots) {
                        let target = if slot & BUFFERED == 0 {
                            &mut blocks[slot as usize]
                        } else {
                            &mut chunk.buffer[(slot & !BUFFERED) as usize]
                        };
                        // All loads before the stores, so that the compiler may use vectors.
                        let (old, add) = (*target, *block);
                        let mut new = [0.0; 9];
                        for k in 0..9 {
                            new[k] = old[k] + add[k];
                        }
                        *target = new;
                    }
                }
            }
        }
        chunk.energy = energy.sum_lanes();
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
    for (at, four) in packs.as_chunks::<4>().0.iter().enumerate() {
        let rows = P::rows_of(four);
        for l in 0..LANES {
            lanes[l * width + at] = rows[l].0;
        }
    }
}

/// Keeps the element with the lowest number among those seen so far that are in trouble.
#[cold]
fn note(trouble: &mut Option<Trouble>, bad: &BadLanes, cells: &[u32]) {
    for (l, &cell) in cells.iter().enumerate() {
        if bad.good >> l & 1 == 0 && trouble.is_none_or(|t| cell < t.cell) {
            *trouble = Some(Trouble { cell, jacobian: bad.jacobians[l] });
        }
    }
}
