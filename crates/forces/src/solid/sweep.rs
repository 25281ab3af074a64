//! The element loop: pack after pack, stage after stage.

use std::marker::PhantomData;

use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::{F64x8, LANES, Pack, prefetch};
use pliant_algebra::sparse::Block;
use pliant_elements::Element;
use pliant_materials::PointLaw;
use pliant_materials::eight::{Blocks, EightPoints};

use super::chunk::{Chunk, Trouble, Wanted};
use super::scatter::Scatter;
use super::stages::{BadLanes, Deform, Spread};

/// One chunk's work; `blocks` is the part of the matrix that only this chunk writes to.
pub(super) struct Sweep<'a> {
    pub(super) law: &'a dyn PointLaw,
    pub(super) level: Level,
    pub(super) wanted: Wanted,
    pub(super) blocks: &'a mut [Block],
}

impl Sweep<'_> {
    pub(super) fn run<E: Element<N>, const N: usize>(self, chunk: &mut Chunk<N>) {
        let Self { law, level, wanted, blocks } = self;
        let count = law.parameters().len();
        let symmetric = law.has_energy();
        let pairs = Blocks::count(N, wanted.full);
        chunk.scratch.total = F64x8::default();
        for pack in 0..chunk.packs() {
            let from = pack * chunk.stride;
            if wanted.tangent {
                // What the blocks are added to is seldom in the nearest cache; while the law is busy it
                // comes.
                for slot in chunk.slots[pack * pairs..(pack + 1) * pairs].as_flattened() {
                    prefetch(blocks.get(*slot as usize));
                }
            }
            let result = if E::MEAN_DILATATION {
                chunk.dilated::<E>(law, level, wanted, pack, from..from + count)
            } else {
                chunk.plain::<E>(law, level, wanted, pack, from..from + count)
            };
            if let Err(bad) = result {
                note(&mut chunk.trouble, &bad, &chunk.cells[pack * LANES..]);
                continue;
            }
            if wanted.tangent {
                level.run(Scatter {
                    scratch: &mut chunk.scratch,
                    nodes: &chunk.nodes[pack * N..(pack + 1) * N],
                    slots: &chunk.slots[pack * pairs..(pack + 1) * pairs],
                    own: &mut *blocks,
                    buffer: &mut chunk.buffer,
                    symmetric,
                    full: wanted.full,
                    negative: wanted.weight < 0.0,
                    element: PhantomData::<E>,
                });
            }
        }
        chunk.energy = chunk.scratch.total.sum_lanes();
    }
}

impl<const N: usize> Chunk<N> {
    /// F at every point as it is.
    fn plain<E: Element<N>>(
        &mut self,
        law: &dyn PointLaw,
        level: Level,
        wanted: Wanted,
        pack: usize,
        parameters: std::ops::Range<usize>,
    ) -> Result<(), BadLanes> {
        let Self { nodes, geometry, x, g, scratch, .. } = self;
        let points = E::POINTS.len();
        let nodes = &nodes[pack * N..(pack + 1) * N];
        let geometry = &geometry[pack * points..(pack + 1) * points];
        for (q, point) in E::POINTS.iter().enumerate() {
            level.run(Deform {
                point,
                first: q == 0,
                nodes,
                table: x,
                geometry: &geometry[q],
                scratch,
                positive: law.needs_positive_j(),
                tangent: wanted.tangent.then_some(wanted.weight.abs()),
                element: PhantomData::<E>,
            })?;
            law.evaluate(
                level,
                &mut EightPoints {
                    parameters: &self.parameters[parameters.clone()],
                    gradient: &scratch.gradient,
                    energy: wanted.energy.then_some(&mut scratch.energy),
                    stress: wanted.gradient.then_some(&mut scratch.stress),
                    tangent: wanted.tangent.then_some(Blocks {
                        shapes: &scratch.shapes[1..],
                        values: &mut scratch.inner,
                        all: !law.has_energy(),
                        add: q > 0,
                        project: wanted.project,
                    }),
                },
            );
            level.run(Spread {
                point,
                first: q == 0,
                last: q + 1 == points,
                nodes,
                table: g,
                geometry: &geometry[q],
                scratch,
                energy: wanted.energy,
                gradient: wanted.gradient,
                element: PhantomData::<E>,
            });
        }
        Ok(())
    }
}

/// Keeps the element with the lowest number among those seen so far that are in trouble.
#[cold]
fn note(trouble: &mut Option<Trouble>, bad: &BadLanes, cells: &[u32]) {
    for (l, &cell) in cells.iter().take(LANES).enumerate() {
        if bad.good >> l & 1 == 0 && trouble.is_none_or(|t| cell < t.cell) {
            *trouble = Some(Trouble { cell, jacobian: bad.jacobians[l] });
        }
    }
}
