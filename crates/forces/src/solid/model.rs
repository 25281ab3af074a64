//! [`Solid`] as a [`ForceModel`].

use pliant_algebra::sparse::{Block, for_each_part};
use pliant_algebra::vec3::{Vec3, is_finite};
use pliant_elements::Element;

use super::Solid;
use super::chunk::{Trouble, Wanted};
use super::sweep::Sweep;
use crate::model::{Ask, ForceError, ForceModel, State};
use crate::slices::Slices;
use crate::worst::Worst;

impl<E: Element<N>, const N: usize> Solid<E, N> {
    fn check(&self, state: &State<'_>, ask: &Ask<'_>) -> Result<(), ForceError> {
        let wrong = |text: String| Err(ForceError::Unsupported(text));
        let n = self.vertices;
        if state.x.len() != n {
            return wrong(format!("{} positions for {n} vertices", state.x.len()));
        }
        if ask.gradient.as_ref().is_some_and(|g| g.len() != n) {
            return wrong(format!("the gradient must have an entry for each of {n} vertices"));
        }
        if let Some(blocks) = &ask.tangent {
            if self.matrix_blocks == 0 {
                return wrong(format!("{} is asked for a tangent before it was bound", self.name));
            }
            if blocks.len() < self.matrix_blocks {
                return wrong(format!("{} is bound to another matrix", self.name));
            }
            if !self.law.has_energy() && !self.full {
                return wrong(format!(
                    "the tangent of {} is not symmetric: use an unsymmetric matrix",
                    self.name
                ));
            }
        }
        if ask.energy.is_some() && !self.law.has_energy() {
            return wrong(format!("{} has no energy", self.name));
        }
        Ok(())
    }

    /// The error that stands for what the chunks met.
    fn explain(&self, state: &State<'_>, trouble: Trouble) -> ForceError {
        match state.x.iter().position(|&p| !is_finite(p)) {
            Some(vertex) => ForceError::NotFinite { vertex, position: state.x[vertex] },
            None => ForceError::Inverted {
                element: trouble.cell as usize,
                jacobian: trouble.jacobian,
                law: self.law.name(),
            },
        }
    }
}

impl<E: Element<N>, const N: usize> ForceModel for Solid<E, N> {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_symmetric(&self) -> bool {
        self.law.has_energy()
    }

    fn has_energy(&self) -> bool {
        self.law.has_energy()
    }

    fn add_time_derivative(&self, _: &State<'_>, _: &mut [Vec3]) -> Result<bool, ForceError> {
        Ok(true) // it does not depend on time
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.add_couplings(couple);
    }

    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.bind_to(slot);
    }

    fn add(&mut self, state: &State<'_>, ask: &mut Ask<'_>) -> Result<(), ForceError> {
        self.check(state, ask)?;
        let wanted = Wanted {
            energy: ask.energy.is_some(),
            gradient: ask.gradient.is_some(),
            tangent: ask.tangent.is_some() && ask.position_weight != 0.0,
            project: ask.project,
            weight: ask.position_weight,
            full: self.full,
        };
        let gradient = ask.gradient.as_deref_mut().unwrap_or_default();
        let blocks = ask.tangent.as_deref_mut().unwrap_or_default();
        let Self { law, level, starts, chunks, shared_vertices, shared_blocks, .. } = self;
        let (law, level, starts) = (&**law, *level, &*starts);
        let slices = Slices::new(gradient, blocks);
        for_each_part(
            chunks,
            slices,
            &|slices: Slices<'_>, c| slices.split(starts[c]),
            &|_, chunk, slices| {
                chunk.prepare(state.x, wanted);
                let (gradient, own) = slices.part(&chunk.inside, &chunk.blocks);
                Sweep { law, level, wanted, blocks: own }.run::<E, N>(chunk);
                chunk.hand_over(gradient);
            },
        );
        let chunks = &*chunks;
        if let Some(trouble) = chunks.iter().filter_map(|c| c.trouble).min_by_key(|t| t.cell) {
            return Err(self.explain(state, trouble));
        }
        if wanted.gradient {
            shared_vertices.sum(gradient, &|g: &mut Vec3, chunk, place| {
                for (g, add) in g.iter_mut().zip(chunks[chunk].g[place].0) {
                    *g += add;
                }
            });
        }
        if wanted.tangent {
            shared_blocks.sum(blocks, &|block: &mut Block, chunk, place| {
                for (b, add) in block.iter_mut().zip(chunks[chunk].buffer[place]) {
                    *b += add;
                }
            });
        }
        if let Some(energy) = ask.energy.as_deref_mut() {
            *energy += chunks.iter().map(|c| c.energy).sum::<f64>();
        }
        Ok(())
    }

    fn largest_step(&self, state: &State<'_>, mass: &[f64]) -> f64 {
        self.stable_step(state.x, mass)
    }

    fn worst(&self, x: &[Vec3]) -> Option<Worst> {
        self.worst_element(x)
    }

    fn takes_inversion(&self) -> bool {
        // A law that needs J > 0 refuses by itself.
        self.law.takes_inversion() || self.law.needs_positive_j()
    }
}
