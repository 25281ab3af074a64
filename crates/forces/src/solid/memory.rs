//! Solids that remember: Maxwell branches at every point ([`pliant_materials::maxwell`]).
//!
//! The memory of a solid is a list of packs of eight points, chunk after chunk, pack after pack, point after point. Evaluations read what is
//! committed and add what counts of it to the law; the end of a step is a sweep of its own.

use std::marker::PhantomData;
use std::sync::Arc;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::{F64x8, LANES, Pack, Row4};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::for_each_part;
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Point};
use pliant_materials::PointLaw;
use pliant_materials::eight::{EightPoints, Nine};
use pliant_materials::maxwell::{
    self, Factors, Followed, Form, Interpolation, Maxwell, Moduli, Packs, Remembered, RestModuli,
    Six,
};

use super::chunk::{ChunkWork, Elements, Geometry, Layout};
use super::stages::{BadLanes, Deform, gather, load_geometry, store_matrix};
use super::sweep::note;
use super::{Parts, Solid};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::memory::Memory;
use crate::model::Tried;
use crate::workspace::Workspace;

/// Branches of all points of a solid.
#[derive(Debug, Clone)]
pub(super) struct Branches {
    pub(super) maxwell: Maxwell,
    pub(super) layout: maxwell::Layout,
    /// Numbers of all points.
    pub(super) numbers: usize,
}

/// What a chunk has of them.
#[derive(Debug, Clone, Default)]
pub(super) struct ChunkBranches {
    /// Where its memory begins, in packs.
    pub(super) first: usize,
    /// Weights of what is remembered, as parameters of the law lie.
    pub(super) moduli: Vec<F64x8>,
    pub(super) layout: Layout,
}

/// Zeros of six packs.
pub(super) const NOTHING: Six = [F64x8([0.0; LANES]); 6];
/// Zeros of nine packs.
const FLAT: Nine = [F64x8([0.0; LANES]); 9];

/// What counts of the memory of a solid in an evaluation.
pub(super) struct Recall<'a> {
    branches: &'a Branches,
    factors: Factors,
    /// What is committed; none of a solid that has been where it is for ever.
    committed: Option<&'a Packs>,
    /// [`Remembered::rate_weight`]
    rate_weight: f64,
    by_time: bool,
}

impl Recall<'_> {
    /// What the points of a pack remember.
    pub(super) fn at<'b, const N: usize>(
        &'b self,
        elements: &'b Elements<N>,
        level: Level,
        (index, pack, q): (usize, usize, usize),
        (history, rate): (&'b mut Six, Option<&'b Six>),
    ) -> Remembered<'b> {
        let Self { branches, factors, committed, rate_weight, by_time } = self;
        let history = match committed {
            None => None,
            Some(all) => {
                let own = &all[elements.memory_of(branches.layout, index)];
                maxwell::recall(level, branches.layout, factors, own, history);
                Some(&*history)
            }
        };
        Remembered {
            maxwell: &branches.maxwell,
            factors,
            history,
            moduli: elements.moduli_of(pack, q),
            rate,
            rate_weight: *rate_weight,
            by_time: *by_time,
        }
    }

    /// Whether the rate of strain counts.
    pub(super) fn has_rates(&self) -> bool {
        self.branches.maxwell.is_cubic() && self.factors.rate() != 0.0
    }
}

impl<const N: usize> Elements<N> {
    /// The weights of what is remembered at a point.
    pub(super) fn moduli_of(&self, pack: usize, q: usize) -> Moduli<'_> {
        Moduli::of(&self.branches.moduli[self.branches.layout.at(pack, q)])
    }

    /// Where the memory of a point lies, in packs; `index` counts packs of points.
    pub(super) fn memory_of(
        &self,
        layout: maxwell::Layout,
        index: usize,
    ) -> std::ops::Range<usize> {
        let from = self.branches.first + index * layout.packs();
        from..from + layout.packs()
    }

    /// The rates of strain at a point, from the table of velocities; `gradient` is F there.
    pub(super) fn strain_rate<E: Element<3, N>>(
        &self,
        v: &[Row4],
        law: &dyn PointLaw,
        level: Level,
        (pack, q): (usize, usize),
        gradient: &Nine,
    ) -> Six {
        let (mut velocity, mut rate) = (FLAT, NOTHING);
        level.run(GradientOf {
            point: &E::POINTS[q],
            nodes: &self.nodes[pack * N..(pack + 1) * N],
            table: v,
            geometry: &self.geometry[pack * E::POINTS.len() + q],
            gradient: &mut velocity,
            element: PhantomData::<E>,
        });
        maxwell::strain_rate(level, law, gradient, &velocity, &mut rate);
        rate
    }
}

/// ∂v/∂X of eight elements at a point.
struct GradientOf<'a, E, const N: usize> {
    point: &'a Point<3, N>,
    nodes: &'a [[u32; LANES]],
    table: &'a [Row4],
    geometry: &'a Geometry,
    gradient: &'a mut Nine,
    element: PhantomData<E>,
}

impl<E: Element<3, N>, const N: usize> Kernel for GradientOf<'_, E, N> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pack>(self) {
        let (inverse, _) = load_geometry::<P>(self.geometry);
        let v = gather::<P, N>(self.table, self.nodes);
        store_matrix(&(Mat3(E::jacobian(self.point, &v)) * inverse), self.gradient);
    }
}

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// Lets the solid remember by Maxwell branches around its law, before it is shared. Without branches it stays
    /// as it is, to the last bit.
    pub fn with_memory(mut self, maxwell: &Maxwell) -> Result<Self, ForceError> {
        self.remember(maxwell)?;
        Ok(self)
    }

    /// The branches, if it remembers.
    pub fn memory(&self) -> Option<&Maxwell> {
        self.parts.branches.as_ref().map(|branches| &branches.maxwell)
    }

    pub(super) fn remember(&mut self, maxwell: &Maxwell) -> Result<(), ForceError> {
        if maxwell.branches().is_empty() {
            return Ok(());
        }
        let wrong = |text: String| Err(ForceError::Unsupported(text));
        let (name, law) = (&self.parts.name, self.law());
        if maxwell.form == Form::Stress {
            if law.takes_inversion() {
                return wrong(format!(
                    "{name}: memory of stresses (form = \"stress\") needs J > 0, and the law takes inverted elements: take form = \"strain\""
                ));
            }
            if maxwell.interpolation == Interpolation::Cubic {
                return wrong(format!(
                    "{name}: cubic interpolation is one of strains: take form = \"strain\""
                ));
            }
            if !law.has_energy() {
                return wrong(format!(
                    "{name}: memory of stresses (form = \"stress\") needs a law with an energy: take form = \"strain\""
                ));
            }
        }
        if E::MEAN_DILATATION && maxwell.is_cubic() {
            return wrong(format!(
                "{name}: cubic interpolation does not know the mean dilatation: take interpolation = \"linear\", or the plain element"
            ));
        }
        let branches =
            Branches { maxwell: maxwell.clone(), layout: maxwell::Layout::of(maxwell), numbers: 0 };
        let Some(parts) = Arc::get_mut(&mut self.parts) else {
            return wrong(format!(
                "{} is shared already: give it its memory before",
                self.parts.name
            ));
        };
        parts.branch::<E>(branches)
    }

    /// What counts of the memory at a moment; none for solids without.
    pub(super) fn recall<'a>(
        &'a self,
        at: &Configuration<'a>,
        rate_weight: f64,
    ) -> Result<Option<Recall<'a>>, ForceError> {
        let Some(branches) = &self.parts.branches else { return Ok(None) };
        let factors = Factors::new(&branches.maxwell, at.elapsed());
        let rate_weight = rate_weight * factors.rate();
        let committed = self.committed(at)?;
        Ok(Some(Recall { branches, factors, committed, rate_weight, by_time: false }))
    }

    /// The same for the derivative by time at fixed positions.
    pub(super) fn recall_rates<'a>(
        &'a self,
        at: &Configuration<'a>,
    ) -> Result<Option<Recall<'a>>, ForceError> {
        let Some(branches) = &self.parts.branches else { return Ok(None) };
        let factors = Factors::by_time(&branches.maxwell, at.elapsed());
        let committed = self.committed(at)?;
        Ok(Some(Recall { branches, factors, committed, rate_weight: 0.0, by_time: true }))
    }

    fn committed<'a>(&self, at: &Configuration<'a>) -> Result<Option<&'a Packs>, ForceError> {
        let Some(memory) = at.memory.first() else { return Ok(None) };
        let (found, needed) = (memory.numbers.len(), self.remembered_numbers());
        if found != needed {
            let name = &self.parts.name;
            return Err(ForceError::Unsupported(format!(
                "{name} remembers {needed} numbers, but the state has {found}"
            )));
        }
        Ok(Some(memory.numbers.as_chunks().0))
    }

    /// Numbers that it remembers.
    pub(super) fn remembered_numbers(&self) -> usize {
        self.parts.branches.as_ref().map_or(0, |branches| branches.numbers)
    }

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

/// More points than an element has.
const MOST_POINTS: usize = 27;

impl<const N: usize> Parts<N> {
    /// Gives all points their branches.
    fn branch<E: Element<3, N>>(&mut self, mut branches: Branches) -> Result<(), ForceError> {
        let points = E::POINTS.len();
        let Self { name, law, assembly, .. } = self;
        let maxwell = &branches.maxwell;
        let weights = |p: &[f64]| -> Result<(RestModuli, RestModuli), ForceError> {
            let rest = RestModuli::of(&**law, p);
            let weights = rest.and_then(|r| Ok((r.weights(maxwell.form, maxwell.share)?, r)));
            weights.map_err(|e| ForceError::Unsupported(format!("{name}: {e}")))
        };
        let mut first = 0;
        for chunk in assembly.chunks_mut() {
            let elements = &mut chunk.data;
            let (mut lists, mut full) = (Vec::new(), false);
            let same = elements.layout.pack_stride == 0;
            for pack in 0..if same { elements.packs().min(1) } else { elements.packs() } {
                for q in 0..if elements.layout.point_stride == 0 { 1 } else { points } {
                    let of_law = &elements.parameters[elements.layout.at(pack, q)];
                    let mut lanes = Vec::with_capacity(LANES);
                    for l in 0..LANES {
                        // Lanes that fill up the last pack, or all of one list, are like the first.
                        let lane = if same { 0 } else { l };
                        let p: Vec<f64> = of_law.iter().map(|p| p.0[lane]).collect();
                        let (weights, rest) = weights(&p)?;
                        full |= !rest.is_isotropic();
                        lanes.push(weights);
                    }
                    lists.push(lanes);
                }
            }
            let count = if full { 21 } else { 2 };
            let mut moduli = vec![F64x8::default(); lists.len() * count];
            for (to, lanes) in moduli.chunks_mut(count).zip(&lists) {
                for (l, weights) in lanes.iter().enumerate() {
                    let weights = if full { weights.in_full() } else { weights.clone() };
                    for (to, value) in to.iter_mut().zip(weights.list()) {
                        to.0[l] = *value;
                    }
                }
            }
            let of_law = elements.layout;
            let each = if of_law.point_stride == 0 { 1 } else { points };
            let layout = Layout {
                count,
                pack_stride: if same { 0 } else { each * count },
                point_stride: if of_law.point_stride == 0 { 0 } else { count },
            };
            let packs = elements.packs() * points * branches.layout.packs();
            elements.branches = ChunkBranches { first, moduli, layout };
            first += packs;
        }
        branches.numbers = first * LANES;
        self.branches = Some(branches);
        Ok(())
    }
}

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    /// First Piola-Kirchhoff stress of the branches at a point of an element, Pa, and their energy, J/m³; `place` as in
    /// [`PointOf`](super::scalar::PointOf).
    pub(crate) fn remembered_stress(
        &self,
        memory: &Memory,
        [c, e, q]: [usize; 3],
        gradient: &Mat3<f64>,
    ) -> Option<(Mat3<f64>, f64)> {
        let branches = self.parts.branches.as_ref()?;
        let elements = &self.parts.assembly.chunks().get(c)?.data;
        let (law, level, maxwell) = (self.law(), self.level, &branches.maxwell);
        let (pack, lane) = (e / LANES, e % LANES);
        let index = pack * E::POINTS.len() + q;
        let all = memory.numbers.as_chunks().0;
        let committed = all.get(elements.memory_of(branches.layout, index))?;
        let factors = Factors::new(maxwell, 0.0);
        let parameters = &elements.parameters[elements.layout.at(pack, q)];
        // The same in all lanes; the one that counts has its own past and constants.
        let f: Nine = gradient.to_array().map(|x| F64x8([x; LANES]));
        let moduli = elements.moduli_of(pack, q);
        let (mut history, mut reference) = (NOTHING, NOTHING);
        maxwell::recall(level, branches.layout, &factors, committed, &mut history);
        let remembered = Remembered {
            maxwell,
            factors: &factors,
            history: Some(&history),
            moduli,
            rate: None,
            rate_weight: 0.0,
            by_time: false,
        };
        let (mut whole, mut of_law) = (FLAT, FLAT);
        for (stress, remembered) in [(&mut whole, Some(&remembered)), (&mut of_law, None)] {
            let gradient = &f;
            let stress = Some(stress);
            let points =
                &mut EightPoints { parameters, gradient, energy: None, stress, tangent: None };
            maxwell::respond(level, law, points, remembered);
        }
        maxwell::reference(level, (law, parameters), maxwell, &f, &mut reference);
        let mut followed = Followed {
            now: &reference,
            rate: &NOTHING,
            strain: &NOTHING,
            committed,
            tried: None,
            stored: F64x8::default(),
            dissipated: F64x8::default(),
        };
        maxwell::follow(level, maxwell, &factors, moduli, &mut followed);
        let piola = std::array::from_fn(|k| whole[k].0[lane] - of_law[k].0[lane]);
        Some((Mat3::from_array(piola), followed.stored.0[lane]))
    }
}

/// Velocities of a state, for the table of a chunk.
pub(super) fn fill_velocities(
    rows: &crate::assembly::Rows,
    table: &mut Vec<Row4>,
    recall: Option<&Recall<'_>>,
    v: &[Vec3],
) {
    if recall.is_some_and(Recall::has_rates) {
        rows.fill(table, v);
    }
}
