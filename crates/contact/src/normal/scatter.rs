//! Energy, gradient and tangent of the terms: computed in parallel, added in order.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{Pattern, Slot};
use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_forces::Ask;
use rayon::prelude::*;

use super::NormalContact;
use super::terms::{Term, Terms};
use crate::barrier::Barrier;
use crate::distance::mollifier::Mollifier;
use crate::distance::{Blocks, Stencil};

/// What a term adds.
#[derive(Debug, Clone)]
struct Part {
    energy: f64,
    gradient: [Vec3; 4],
    blocks: Option<Blocks>,
}

/// Parts of all terms, chunk by chunk.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts(Vec<Vec<Part>>);

impl Term {
    fn part(&self, y: &[Vec3], with_tangent: bool) -> Part {
        let x = self.positions(y);
        let closest = self.stencil.closest(&x);
        let jet = Barrier::Log.jet(closest.distance, self.activation);
        let [value, first, second] = [jet.value, jet.first, jet.second].map(|b| self.weight * b);
        if self.stencil != Stencil::EdgeEdge {
            let gradient = closest.gradient().map(|g| scale(g, first));
            let blocks = with_tangent.then(|| closest.projected_tangent(&x, first, second));
            return Part { energy: value, gradient, blocks };
        }
        let m = Mollifier::new(&x, self.rest);
        Part {
            energy: m.value * value,
            gradient: closest.mollified_gradient(&m, value, first),
            blocks: with_tangent
                .then(|| closest.projected_mollified_tangent(&x, &m, [value, first, second])),
        }
    }
}

impl Parts {
    /// Adds what is asked for. Terms are added one after the other, so that the bits do not depend on threads.
    pub(super) fn add(
        &mut self,
        contact: &NormalContact,
        y: &[Vec3],
        terms: &Terms,
        ask: &mut Ask<'_>,
    ) {
        let chunks = terms.chunks();
        if self.0.len() < chunks.len() {
            self.0.resize_with(chunks.len(), Vec::new);
        }
        let with_tangent = ask.tangent.is_some();
        self.0[..chunks.len()].par_iter_mut().zip(chunks).for_each(|(parts, found)| {
            parts.clear();
            parts.extend(found.terms.iter().map(|term| term.part(y, with_tangent)));
        });
        let parts = self.0[..chunks.len()].iter().flatten();
        for (term, part) in terms.iter().zip(parts) {
            for energy in [&mut ask.energy, &mut ask.stored].into_iter().flatten() {
                **energy += part.energy;
            }
            let used = term.stencil.vertices();
            let nodes = term.vertices.map(|v| contact.nodes[v as usize]);
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                for (&v, g) in nodes[..used].iter().zip(part.gradient) {
                    gradient[v as usize] = add(gradient[v as usize], g);
                }
            }
            if let (Some(tangent), Some(blocks), Some(pattern)) =
                (ask.tangent.as_deref_mut(), &part.blocks, &contact.bound)
            {
                let nodes = (&nodes[..used], contact.first);
                add_blocks(pattern, nodes, blocks, ask.position_weight, tangent);
            }
        }
    }
}

/// Adds the blocks of a term where the pattern has all of them. Where it has not, as the term became active within a
/// solve, the diagonal of a matrix that is no smaller: Σ ½ (|Hᵢⱼ| + |Hᵢⱼ|ᵀ) in each row would do, and |Hᵢⱼ| I does too.
pub(crate) fn add_blocks(
    pattern: &Pattern,
    (nodes, first): (&[u32], u32),
    blocks: &Blocks,
    weight: f64,
    values: &mut [[f64; 9]],
) {
    let slot = |i: usize, j: usize| pattern.slot(first + nodes[i], first + nodes[j]);
    let count = nodes.len();
    let all = || (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
    let mut put = |index: u32, block: Mat3<f64>| {
        for (value, b) in values[index as usize].iter_mut().zip(block.to_array()) {
            *value += weight * b;
        }
    };
    if all().all(|(i, j)| slot(i, j).is_some()) {
        for (i, j) in all() {
            // What one triangle stores once is added once: by the pair that is stored as it is.
            if let Some(Slot::Stored(index)) = slot(i, j) {
                put(index, blocks.block(i, j));
            }
        }
        return;
    }
    for i in 0..count {
        let size: f64 = (0..count)
            .map(|j| blocks.block(i, j).to_array().iter().map(|b| b * b).sum::<f64>().sqrt())
            .sum();
        if let Some(slot) = slot(i, i) {
            put(slot.index(), Mat3::diagonal([size; 3]));
        }
    }
}
