//! [`Solid`] as a [`ForceModel`].

use std::sync::Arc;

use pliant_algebra::lanes::Row4;
use pliant_algebra::sparse::{Block, for_each_part};
use pliant_algebra::vec3::{Vec3, is_finite};
use pliant_elements::Element;

use super::chunk::{ChunkWork, Trouble, Wanted, fill_table};
use super::sweep::Sweep;
use super::{Parts, Solid};
use crate::character::{Character, Energy, Inversion};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::slices::Slices;
use crate::slots::Slots;
use crate::workspace::Workspace;
use crate::worst::Worst;

/// Tables of all chunks, in the caller's workspace.
struct Tables<const N: usize> {
    /// The solid they are for, to tell them from those of another one.
    of: Arc<Parts<N>>,
    chunks: Vec<ChunkWork<N>>,
}

impl<E: Element<N>, const N: usize> Solid<E, N> {
    fn check(&self, at: &Configuration<'_>, ask: &Ask<'_>) -> Result<(), ForceError> {
        let wrong = |text: String| Err(ForceError::Unsupported(text));
        let Parts { vertices: n, name, law, .. } = &*self.parts;
        if at.x.len() != *n {
            return wrong(format!("{} positions for {n} vertices", at.x.len()));
        }
        if ask.gradient.as_ref().is_some_and(|g| g.len() != *n) {
            return wrong(format!("the gradient must have an entry for each of {n} vertices"));
        }
        if let Some(blocks) = &ask.tangent {
            let Some(bound) = &self.bound else {
                return wrong(format!("{name} is asked for a tangent before it was bound"));
            };
            if blocks.len() != bound.matrix_blocks {
                return wrong(format!("{name} is bound to another matrix"));
            }
        }
        if let Some(frames) = at.frames.filter(|_| self.has_frames()) {
            if frames.len() != *n {
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
        self.law().needs_positive_j() || E::MEAN_DILATATION
    }

    /// The error that stands for what the chunks met.
    fn explain(&self, x: &[Vec3], trouble: Trouble) -> ForceError {
        match x.iter().position(|&p| !is_finite(p)) {
            Some(vertex) => ForceError::NotFinite { vertex, position: x[vertex] },
            None => ForceError::Inverted {
                element: trouble.cell as usize,
                jacobian: trouble.jacobian,
                law: self.law().name(),
            },
        }
    }

    /// The tables of this solid, made at first use.
    pub(super) fn tables<'w>(&self, work: &'w mut Workspace) -> &'w mut [ChunkWork<N>] {
        let parts = &self.parts;
        let tables = work.get(
            |tables: &Tables<N>| Arc::ptr_eq(&tables.of, parts),
            || Tables {
                of: parts.clone(),
                chunks: parts.chunks.iter().map(ChunkWork::new).collect(),
            },
        );
        &mut tables.chunks
    }
}

impl<E: Element<N>, const N: usize> ForceModel for Solid<E, N> {
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
        let bound = self.bound.as_deref().filter(|_| ask.tangent.is_some());
        let wanted = Wanted {
            energy: ask.energy.is_some(),
            gradient: ask.gradient.is_some(),
            tangent: bound.is_some() && ask.position_weight != 0.0,
            project: ask.project,
            weight: ask.position_weight,
            full: bound.is_some_and(|b| b.full),
            held: at.frames.is_some() && self.has_frames(),
        };
        let gradient = ask.gradient.as_deref_mut().unwrap_or_default();
        let blocks = ask.tangent.as_deref_mut().unwrap_or_default();
        let Parts { law, chunks, shared_vertices, .. } = &*self.parts;
        let (law, level) = (&**law, self.level);
        let symmetric = law.has_energy();
        let tables = self.tables(work);
        for_each_part(
            tables,
            Slices::new(gradient, blocks),
            &|slices: Slices<'_>, c| {
                let block = bound.map_or(0, |b| b.chunks[c].own.start);
                slices.split((chunks[c].inside.start, block))
            },
            &|c, table, slices| {
                let (chunk, slots) = (&chunks[c], bound.map(|b| &b.chunks[c]));
                let buffered = slots.map_or(0, |s| s.buffered);
                table.prepare(chunk, at.x, wanted, buffered, symmetric);
                if let Some(frames) = at.frames.filter(|_| wanted.held) {
                    table.frames.resize(chunk.table(), Row4::default());
                    fill_table(&mut table.frames, chunk, frames);
                }
                let own = slots.map_or(0..0, |s| s.own.clone());
                let (gradient, blocks) = slices.part(&chunk.inside, &own);
                let slots = slots.map_or(&[][..], |s| &s.slots);
                Sweep { law, level, wanted, chunk, slots, blocks }.run::<E>(table);
                table.hand_over(gradient);
            },
        );
        let tables = &*tables;
        if let Some(trouble) = tables.iter().filter_map(|c| c.trouble).min_by_key(|t| t.cell) {
            return Err(self.explain(at.x, trouble));
        }
        if wanted.gradient {
            shared_vertices.sum(gradient, &|g: &mut Vec3, chunk, place| {
                for (g, add) in g.iter_mut().zip(tables[chunk].g[place].0) {
                    *g += add;
                }
            });
        }
        if let Some(bound) = bound.filter(|_| wanted.tangent) {
            bound.shared_blocks.sum(blocks, &|block: &mut Block, chunk, place| {
                for (b, add) in block.iter_mut().zip(tables[chunk].buffer[place]) {
                    *b += add;
                }
            });
        }
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += tables.iter().map(|c| c.energy).sum::<f64>();
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
            crate::parameter::length("entries for a direction", list.len(), self.parts.vertices)?;
        }
        Ok(self.reach(at.x, direction, limit, work))
    }

    fn worst(&self, x: &[Vec3]) -> Option<Worst> {
        self.worst_element(x)
    }
}
