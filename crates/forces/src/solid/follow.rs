//! The end of a step of solids that remember: a sweep over all points, which writes what they remember from now on and sums up what
//! their branches store and have lost.

use std::marker::PhantomData;

use pliant_algebra::dispatch::Level;
use pliant_algebra::lanes::{F64x8, LANES, Pack, Row4};
use pliant_algebra::sparse::for_each_part;
use pliant_elements::Element;
use pliant_materials::PointLaw;
use pliant_materials::eight::Nine;
use pliant_materials::maxwell::{self, Followed, Form, Packs};

use super::Solid;
use super::chunk::{ChunkWork, Elements};
use super::memory::{Branches, FLAT, NOTHING, Recall};
use super::stages::{BadLanes, Deform};
use super::sweep::note;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::memory::Memory;
use crate::model::Tried;
use crate::workspace::Workspace;

/// More points than an element has.
const MOST_POINTS: usize = 27;

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// Writes what points remember that have been at x for ever, or as the branches say.
    pub(super) fn begin_memory(
        &self,
        at: &Configuration<'_>,
        memory: &mut Memory,
    ) -> Result<(), ForceError> {
        memory.numbers.resize(self.remembered_numbers(), 0.0);
        let (numbers, mut work) = (&mut memory.numbers, Workspace::new());
        self.follow(at, None, Some(numbers), &mut work)?;
        Ok(())
    }

    /// Ends a step, or tells energies of a moment. Returns what branches store and have lost, J.
    pub(super) fn follow_memory(
        &self,
        at: &Configuration<'_>,
        tried: Option<&mut Tried<'_>>,
        work: &mut Workspace,
    ) -> Result<[f64; 2], ForceError> {
        let Some(recall) = self.recall(at, 0.0)? else { return Ok([0.0; 2]) };
        if recall.committed.is_none() {
            return Ok([0.0; 2]);
        }
        let numbers = tried.map(|tried| &mut *tried.numbers);
        self.follow(at, Some(&recall), numbers, work)
    }

    fn follow(
        &self,
        at: &Configuration<'_>,
        recall: Option<&Recall<'_>>,
        numbers: Option<&mut [f64]>,
        work: &mut Workspace,
    ) -> Result<[f64; 2], ForceError> {
        let (law, level, assembly) = (self.law(), self.level, &self.parts.assembly);
        let Some(branches) = &self.parts.branches else { return Ok([0.0; 2]) };
        for field in [at.x, at.v] {
            crate::parameter::length("entries of a state", field.len(), assembly.vertices())?;
        }
        let tables = assembly.tables::<ChunkWork<N>>(work);
        let chunks = assembly.chunks();
        let first = |c: usize| chunks[c].data.branches.first;
        let numbers: &mut Packs =
            numbers.map(|numbers| numbers.as_chunks_mut().0).unwrap_or_default();
        let some = !numbers.is_empty();
        for_each_part(
            tables,
            (0, numbers),
            &|(start, packs): (usize, &mut Packs), c| {
                let at = if some { first(c) - start } else { 0 };
                let (low, high) = packs.split_at_mut(at);
                ((start, low), (start + at, high))
            },
            &|c, table, (_, packs)| {
                let (rows, data) = (&chunks[c].rows, &chunks[c].data);
                let table: &mut ChunkWork<N> = &mut table.data;
                table.trouble = None;
                rows.fill(&mut table.x, at.x);
                if branches.maxwell.is_cubic() {
                    rows.fill(&mut table.v, at.v);
                }
                if branches.maxwell.form == Form::Stress {
                    rows.fill(&mut table.frames, at.start.map_or(at.x, |start| start.x));
                }
                table.remembered =
                    data.follow_chunk::<E>(table, law, level, (branches, recall), packs);
            },
        );
        if let Some(trouble) = tables.iter().filter_map(|t| t.data.trouble).min_by_key(|t| t.cell) {
            return Err(self.explain(at.x, trouble));
        }
        let sum = |sums: [f64; 2], table: &[f64; 2]| [sums[0] + table[0], sums[1] + table[1]];
        Ok(tables.iter().map(|t| &t.data.remembered).fold([0.0; 2], sum))
    }
}

impl<const N: usize> Elements<N> {
    /// Follows a chunk to the end of a step; returns stored and lost energy, J.
    fn follow_chunk<E: Element<3, N>>(
        &self,
        table: &mut ChunkWork<N>,
        law: &dyn PointLaw,
        level: Level,
        (branches, recall): (&Branches, Option<&Recall<'_>>),
        packs: &mut Packs,
    ) -> [f64; 2] {
        let maxwell = &branches.maxwell;
        let points = E::POINTS.len();
        let mut sums = [F64x8::default(); 2];
        // Room for the gradients of a pack, now and at the start of the step.
        let (mut now, mut before) = ([FLAT; MOST_POINTS], [FLAT; MOST_POINTS]);
        let positive = maxwell.form == Form::Stress;
        for pack in 0..self.packs() {
            let mut found = self.deform::<E>(table, law, level, (pack, false), positive, &mut now);
            if found.is_ok() && positive && recall.is_some() {
                found = self.deform::<E>(table, law, level, (pack, true), positive, &mut before);
            }
            if let Err(bad) = found {
                note(&mut table.trouble, &bad, &self.cells[pack * LANES..]);
                continue;
            }
            for q in 0..points {
                let index = pack * points + q;
                let own = index * branches.layout.packs()..(index + 1) * branches.layout.packs();
                let parameters = &self.parameters[self.layout.at(pack, q)];
                let mut reference = NOTHING;
                let of = (law, parameters);
                maxwell::reference(level, of, maxwell, &now[q], &mut reference);
                let rate = if maxwell.is_cubic() {
                    self.strain_rate::<E>(&table.v, law, level, (pack, q), &now[q])
                } else {
                    NOTHING
                };
                let Some(recall) = recall else {
                    maxwell::begin(maxwell, &reference, &rate, &mut packs[own]);
                    continue;
                };
                let Some(committed) = recall.committed else { continue };
                let mut strain = NOTHING;
                if positive {
                    let [end, start] =
                        [&now[q], &before[q]].map(|f| maxwell::strain_of(level, law, f));
                    for ((strain, end), start) in strain.iter_mut().zip(end).zip(start) {
                        for l in 0..LANES {
                            strain.0[l] = end.0[l] - start.0[l];
                        }
                    }
                }
                let mut followed = Followed {
                    now: &reference,
                    rate: &rate,
                    strain: &strain,
                    committed: &committed[self.memory_of(branches.layout, index)],
                    tried: if packs.is_empty() { None } else { Some(&mut packs[own]) },
                    stored: F64x8::default(),
                    dissipated: F64x8::default(),
                };
                let moduli = self.moduli_of(pack, q);
                maxwell::follow(level, maxwell, &recall.factors, moduli, &mut followed);
                let (stored, lost) = (followed.stored, followed.dissipated);
                let weight = &self.geometry[index][9];
                for l in 0..LANES {
                    sums[0].0[l] += weight.0[l] * stored.0[l];
                    sums[1].0[l] += weight.0[l] * lost.0[l];
                }
            }
        }
        sums.map(Pack::sum_lanes)
    }

    /// F, or F̄, of a pack at all points; from the table of other positions if `frames`.
    fn deform<E: Element<3, N>>(
        &self,
        table: &mut ChunkWork<N>,
        law: &dyn PointLaw,
        level: Level,
        (pack, frames): (usize, bool),
        positive: bool,
        gradients: &mut [Nine; MOST_POINTS],
    ) -> Result<(), BadLanes> {
        let ChunkWork { x, frames: others, scratch, .. } = table;
        let x: &[Row4] = if frames { others } else { x };
        if E::MEAN_DILATATION {
            return self.dilate::<E>(x, law, level, pack, gradients);
        }
        for (q, point) in E::POINTS.iter().enumerate() {
            level.run(Deform {
                point,
                first: q == 0,
                nodes: &self.nodes[pack * N..(pack + 1) * N],
                table: x,
                geometry: &self.geometry[pack * E::POINTS.len() + q],
                scratch,
                positive,
                tangent: None,
                element: PhantomData::<E>,
            })?;
            gradients[q] = scratch.gradient;
        }
        Ok(())
    }
}
