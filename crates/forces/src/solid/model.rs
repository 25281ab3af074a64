//! [`Solid`] as a [`ForceModel`].

use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, is_finite};
use pliant_elements::Element;

use super::Solid;
use super::chunk::{ChunkWork, Trouble, Wanted};
use super::sweep::Sweep;
use crate::assembly::{Binding, Task, total_energy};
use crate::character::{Character, Energy, Inversion, TimeDependence};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::inspection::Inspection;
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

    /// Whether an inverted element is outside of the model's domain.
    fn needs_positive_j(&self) -> bool {
        // The mean of J is taken of positive ones; that of the strain is one of any.
        self.law().needs_positive_j() || (E::MEAN_DILATATION && !self.law().is_linear())
    }

    /// The error that stands for what the chunks met.
    fn explain(&self, x: &[Vec3], trouble: Trouble) -> ForceError {
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
        Character {
            symmetric: law.has_energy(),
            energy: if law.has_energy() { Energy::Conservative } else { Energy::None },
            holds_frames: self.has_frames() && !E::MEAN_DILATATION,
            bounds_steps: self.needs_positive_j(),
            // What pulls stands on elements that are inspected already.
            has_elements: self.activation.is_none(),
            time: if self.activation.is_some() {
                TimeDependence::Unknown
            } else {
                TimeDependence::None
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
        let tangent = ask.tangent.is_some() && ask.position_weight != 0.0;
        let bound = self.bound.as_deref().filter(|_| tangent);
        let wanted = Wanted {
            energy: ask.energy.is_some(),
            gradient: ask.gradient.is_some(),
            tangent,
            project: ask.project,
            weight: ask.position_weight,
            full: bound.is_some_and(Binding::full),
            held: at.frames.is_some() && self.has_frames(),
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
            let targets = targets.map_or(&[][..], Vec::as_slice);
            let shared = &mut *collected;
            Sweep { law, level, wanted, elements, targets, blocks, collected: shared }
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

    fn stable_step(&self, at: &Configuration<'_>, mass: &[f64]) -> f64 {
        self.safe_step(at.x, mass)
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
