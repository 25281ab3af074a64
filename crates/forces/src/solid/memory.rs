//! Solids that remember: Maxwell branches at every point ([`pliant_materials::maxwell`]).
//!
//! The memory of a solid is a list of packs of eight points, chunk after chunk, pack after pack, point after point. Evaluations read what is
//! committed and add what counts of it to the law; the end of a step is a sweep of its own.

use std::marker::PhantomData;
use std::sync::Arc;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::{F64x8, LANES, Pack, Row4};
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::Vec3;
use pliant_elements::{Element, Point};
use pliant_materials::PointLaw;
use pliant_materials::eight::{EightPoints, Nine};
use pliant_materials::maxwell::{
    self, Factors, Followed, Form, Interpolation, Maxwell, Moduli, Packs, Remembered, Six,
};

use super::Solid;
use super::chunk::{Elements, Geometry, Layout};
use super::stages::{gather, load_geometry, store_matrix};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::memory::Memory;

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
pub(super) const FLAT: Nine = [F64x8([0.0; LANES]); 9];

/// What counts of the memory of a solid in an evaluation.
pub(super) struct Recall<'a> {
    branches: &'a Branches,
    pub(super) factors: Factors,
    /// What is committed; none of a solid that has been where it is for ever.
    pub(super) committed: Option<&'a Packs>,
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
