//! [`Solid`] as a [`ForceModel`].

use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, is_finite};
use pliant_elements::Element;
use pliant_materials::maxwell::Form;

use super::Solid;
use super::chunk::{ChunkWork, Trouble, Wanted};
use super::memory::{Recall, fill_velocities};
use super::sweep::Sweep;
use crate::assembly::{Binding, Task, total_energy};
use crate::character::{Character, Energy, Inversion, MemoryLayout, TimeDependence, Velocity};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::inspection::Inspection;
use crate::memory::Memory;
use crate::model::{Ask, ForceModel};
use crate::slots::Slots;
use crate::workspace::Workspace;
use crate::worst::Worst;

impl<E: Element<3, N>, const N: usize> Solid<E, N> {
    fn check(&self, at: &Configuration<'_>, ask: &Ask<'_>) -> Result<(), ForceError> {
        let wrong = |text: String| Err(ForceError::Unsupported(text));
        let (name, law, n) = (&self.parts.name, self.law(), self.parts.assembly.vertices());
        if at.x.len() != n {
            return wrong(format!("{} positions for {n} vertices", at.x.len()));
        }
        self.parts.assembly.check(name, &[at.x], ask, self.bound.as_deref())?;
        if let Some(frames) = at.frames.filter(|_| self.has_frames()) {
            if frames.len() != n {
                return wrong(format!("frames at {} positions for {n} vertices", frames.len()));
            }
            if E::MEAN_DILATATION {
                return wrong(format!("{name} cannot hold its frames: take the plain element"));
            }
        } else if ask.energy.is_some() && !law.has_energy() {
            return wrong(format!("{name} has no energy"));
        }
        Ok(())
    }

    /// Whether the law is a corotated one.
    fn has_frames(&self) -> bool {
        self.law().has_frames()
    }

    /// Adds what is asked for of energy, gradient and tangent, with what counts of the memory.
    fn add(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        recall: Option<&Recall<'_>>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let tangent = ask.tangent.is_some() && ask.position_weight != 0.0;
        let bound = self.bound.as_deref().filter(|_| tangent);
        let wanted = Wanted {
            energy: ask.energy.is_some(),
            gradient: ask.gradient.is_some(),
            tangent,
            project: ask.project,
            weight: ask.position_weight,
            full: bound.is_some_and(Binding::full),
            held: at.frames.is_some() && self.has_frames() && recall.is_none(),
            positive: self.needs_positive_j() && !E::MEAN_DILATATION,
            activity: self.activity(at.time)?,
        };
        let gradient = ask.gradient.as_deref_mut().unwrap_or_default();
        let blocks = ask.tangent.as_deref_mut().filter(|_| tangent).unwrap_or_default();
        let (law, level, assembly) = (self.law(), self.level, &self.parts.assembly);
        let tables = assembly.tables::<ChunkWork<N>>(work);
        assembly.sweep(bound, tables, (&mut *gradient, &mut *blocks), &|task,
                                                                        collected,
                                                                        table: &mut ChunkWork<
            N,
        >| {
            let Task { rows, data: elements, targets, gradient, blocks } = task;
            table.prepare(rows, at.x, wanted, law.has_energy());
            if let Some(frames) = at.frames.filter(|_| wanted.held) {
                rows.fill(&mut table.frames, frames);
            }
            fill_velocities(rows, &mut table.v, recall, at.v);
            let targets = targets.map_or(&[][..], Vec::as_slice);
            let shared = &mut *collected;
            Sweep {
                law,
                level,
                wanted,
                memory: recall,
                elements,
                targets,
                blocks,
                collected: shared,
            }
            .run::<E>(table);
            if wanted.gradient {
                table.hand_over(gradient, &mut collected.gradient);
            }
        });
        let tables = &*tables;
        if let Some(trouble) = tables.iter().filter_map(|t| t.data.trouble).min_by_key(|t| t.cell) {
            return Err(self.explain(at.x, trouble));
        }
        assembly.reduce(bound, tables, (gradient, blocks));
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += total_energy(tables);
        }
        Ok(())
    }

    /// What a solid with memory tells and writes besides: what it stores, has lost, and will remember.
    fn tell(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let Ask { stored, remembered, dissipated, memory, .. } = ask;
        if stored.is_none() && remembered.is_none() && dissipated.is_none() && memory.is_none() {
            return Ok(());
        }
        if let Some(stored) = stored.as_deref_mut().filter(|_| self.law().has_energy()) {
            let mut ask = Ask { energy: Some(stored), ..Ask::default() };
            self.add(at, &mut ask, None, work)?;
        }
        let [kept, lost] = self.follow_memory(at, memory.as_mut(), work)?;
        for (to, add) in [(stored, kept), (remembered, kept), (dissipated, lost)] {
            if let Some(to) = to {
                **to += add;
            }
        }
        Ok(())
    }

    /// Whether an inverted element is outside of the model's domain.
    fn needs_positive_j(&self) -> bool {
        // The mean of J is taken of positive ones; that of the strain is one of any.
        let of_stresses = self.memory().is_some_and(|maxwell| maxwell.form == Form::Stress);
        of_stresses
            || self.law().needs_positive_j()
            || (E::MEAN_DILATATION && !self.law().is_linear())
    }

    /// The error that stands for what the chunks met.
    pub(super) fn explain(&self, x: &[Vec3], trouble: Trouble) -> ForceError {
        match x.iter().position(|&p| !is_finite(p)) {
            Some(vertex) => ForceError::NotFinite { vertex, position: x[vertex] },
            None => ForceError::Inverted {
                element: trouble.cell as usize,
                jacobian: trouble.jacobian,
                law: self.law().name(),
                first_vertex: 0,
            },
        }
    }
}

impl<E: Element<3, N>, const N: usize> ForceModel for Solid<E, N> {
    fn name(&self) -> &str {
        &self.parts.name
    }

    fn character(&self) -> Character {
        let law = self.law();
        let memory = self.own.as_ref().unwrap_or(&self.parts).branches.as_ref();
        let cubic = memory.is_some_and(|branches| branches.maxwell.is_cubic());
        Character {
            symmetric: law.has_energy(),
            energy: match (law.has_energy(), memory) {
                (false, _) => Energy::None,
                (true, None) => Energy::Conservative,
                (true, Some(_)) if cubic => Energy::Stored,
                (true, Some(_)) => Energy::Incremental,
            },
            velocity: if cubic { Velocity::General } else { Velocity::None },
            memory: MemoryLayout {
                numbers: memory.map_or(0, |branches| branches.numbers),
                keyed: 0,
            },
            holds_frames: self.has_frames() && !E::MEAN_DILATATION && memory.is_none(),
            bounds_steps: self.needs_positive_j(),
            // What pulls stands on elements that are inspected already.
            has_elements: self.activation.is_none(),
            time: match memory {
                _ if self.activation.is_some() => TimeDependence::Unknown,
                Some(_) => TimeDependence::Known,
                None => TimeDependence::None,
            },
            inversion: if self.needs_positive_j() {
                Inversion::Refused
            } else if law.takes_inversion() {
                Inversion::Allowed
            } else {
                Inversion::Unfit
            },
            ..Character::ELEMENTS
        }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.add_couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.bound = Some(Arc::new(self.look_up(slots)?));
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        self.check(at, ask)?;
        if self.parts.branches.is_none() {
            return self.add(at, ask, None, work);
        }
        let ratio = ask.velocity_weight / ask.position_weight;
        let recall = self.recall(at, if ratio.is_finite() { ratio } else { 0.0 })?;
        if ask.energy.is_some() || ask.gradient.is_some() || ask.tangent.is_some() {
            self.add(at, ask, recall.as_ref(), work)?;
        }
        self.tell(at, ask, work)
    }

    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        self.safe_step(at.x, mass)
    }

    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let Some(recall) = self.recall_rates(at)? else { return Ok(()) };
        let mut ask = Ask { gradient: Some(rates), ..Ask::default() };
        self.add(at, &mut ask, Some(&recall), work)
    }

    fn start_memory(&self, at: &Configuration<'_>, memory: &mut Memory) -> Result<(), ForceError> {
        self.begin_memory(at, memory)
    }

    fn admissible(
        &self,
        at: &Configuration<'_>,
        direction: &[Vec3],
        limit: f64,
        work: &mut Workspace,
    ) -> Result<f64, ForceError> {
        for list in [at.x, direction] {
            crate::parameter::length(
                "entries for a direction",
                list.len(),
                self.parts.assembly.vertices(),
            )?;
        }
        Ok(self.reach(at.x, direction, limit, work))
    }

    fn worst(&self, x: &[Vec3]) -> Option<Worst> {
        self.worst_element(x)
    }

    fn inspect(&self, x: &[Vec3], work: &mut Workspace) -> Result<Inspection, ForceError> {
        crate::parameter::length("positions", x.len(), self.parts.assembly.vertices())?;
        Ok(self.inspection(x, work))
    }

    fn stand_in(&mut self, on: bool) -> bool {
        self.set_stand_in(on)
    }
}
