//! The element loop: pack after pack, stage after stage.

use std::marker::PhantomData;

use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::{F64x8, LANES, Pack, prefetch};
use pliant_algebra::sparse::Block;
use pliant_elements::Element;
use pliant_materials::PointLaw;
use pliant_materials::eight::{Blocks, EightPoints};
use pliant_materials::maxwell::respond;

use super::activation::{ROOM, scaled};
use super::chunk::{ChunkWork, Elements, Trouble, Wanted};
use super::held_frames::{HOOKE, turn_stress};
use super::memory::{NOTHING, Recall};
use super::scatter::Scatter;
use super::stages::{BadLanes, Deform, Spread};
use crate::assembly::{Collected, Target};

/// One chunk's work; `blocks` is the part of the matrix that only this chunk writes to.
pub(super) struct Sweep<'a, const N: usize> {
    pub(super) law: &'a dyn PointLaw,
    pub(super) level: Level,
    pub(super) wanted: Wanted,
    pub(super) memory: Option<&'a Recall<'a>>,
    pub(super) elements: &'a Elements<N>,
    /// An entry for each pack and pair of nodes; none where no tangent is wanted.
    pub(super) targets: &'a [[Target; LANES]],
    pub(super) blocks: &'a mut [Block],
    pub(super) collected: &'a mut Collected,
}

/// A law, and what its points remember.
#[derive(Clone, Copy)]
pub(super) struct Response<'a> {
    pub(super) law: &'a dyn PointLaw,
    pub(super) memory: Option<&'a Recall<'a>>,
}

impl<const N: usize> Sweep<'_, N> {
    pub(super) fn run<E: Element<3, N>>(self, table: &mut ChunkWork<N>) {
        let Self { law, level, wanted, memory, elements, targets, blocks, collected } = self;
        let response = Response { law, memory };
        let symmetric = law.has_energy();
        let pairs = Blocks::count(N, wanted.full);
        table.scratch.total = F64x8::default();
        for pack in 0..elements.packs() {
            if wanted.tangent {
                // What the blocks are added to is seldom in the nearest cache; while the law is busy it
                // comes.
                for target in targets[pack * pairs..(pack + 1) * pairs].as_flattened() {
                    prefetch(target.peek(blocks));
                }
            }
            let result = if E::MEAN_DILATATION {
                elements.dilated::<E>(table, response, level, wanted, pack)
            } else {
                elements.plain::<E>(table, response, level, wanted, pack)
            };
            if let Err(bad) = result {
                note(&mut table.trouble, &bad, &elements.cells[pack * LANES..]);
                continue;
            }
            if wanted.tangent {
                level.run(Scatter {
                    scratch: &mut table.scratch,
                    nodes: &elements.nodes[pack * N..(pack + 1) * N],
                    targets: &targets[pack * pairs..(pack + 1) * pairs],
                    own: &mut *blocks,
                    collected: &mut collected.blocks,
                    symmetric,
                    full: wanted.full,
                    negative: wanted.weight < 0.0,
                    element: PhantomData::<E>,
                });
            }
        }
        collected.energy = table.scratch.total.sum_lanes();
    }
}

impl<const N: usize> Elements<N> {
    /// F at every point as it is.
    fn plain<E: Element<3, N>>(
        &self,
        table: &mut ChunkWork<N>,
        Response { law, memory }: Response<'_>,
        level: Level,
        wanted: Wanted,
        pack: usize,
    ) -> Result<(), BadLanes> {
        let points = E::POINTS.len();
        let nodes = &self.nodes[pack * N..(pack + 1) * N];
        let geometry = &self.geometry[pack * points..(pack + 1) * points];
        for (q, point) in E::POINTS.iter().enumerate() {
            let ChunkWork { x, scratch, .. } = table;
            level.run(Deform {
                point,
                first: q == 0,
                nodes,
                table: x,
                geometry: &geometry[q],
                scratch,
                positive: wanted.positive,
                tangent: wanted.tangent.then_some(wanted.weight.abs()),
                element: PhantomData::<E>,
            })?;
            let frames = wanted.held.then(|| self.turn_into_frames::<E>(table, law, q, pack));
            let (mut history, mut rate) = (NOTHING, None);
            if memory.is_some_and(Recall::has_rates) {
                let at = (pack, q);
                let f = &table.scratch.gradient;
                rate = Some(self.strain_rate::<E>(&table.v, law, level, at, f));
            }
            let place = (pack * points + q, pack, q);
            let remembered =
                memory.map(|m| m.at(self, level, place, (&mut history, rate.as_ref())));
            let ChunkWork { g, scratch, .. } = table;
            let mut room = ROOM;
            let parameters =
                scaled(&self.parameters[self.layout.at(pack, q)], wanted.activity, &mut room);
            let (law_here, parameters) = if wanted.held {
                (HOOKE as &dyn PointLaw, &parameters[..2])
            } else {
                (law, parameters)
            };
            respond(
                level,
                law_here,
                &mut EightPoints {
                    parameters,
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
                remembered.as_ref(),
            );
            if let Some(frames) = frames.filter(|_| wanted.gradient) {
                turn_stress(&frames, &mut scratch.stress);
            }
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
pub(super) fn note(trouble: &mut Option<Trouble>, bad: &BadLanes, cells: &[u32]) {
    for (l, &cell) in cells.iter().take(LANES).enumerate() {
        if bad.good >> l & 1 == 0 && trouble.is_none_or(|t| cell < t.cell) {
            *trouble = Some(Trouble { cell, jacobian: bad.jacobians[l] });
        }
    }
}
