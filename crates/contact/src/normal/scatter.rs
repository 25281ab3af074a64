//! Energy, gradient and tangent of the terms: computed in parallel, added in order.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::{Pattern, Slot};
use pliant_algebra::vec3::{Vec3, scale};
use pliant_forces::Ask;
use rayon::prelude::*;

use super::NormalContact;
use super::terms::{Term, Terms};
use crate::barrier::Barrier;
use crate::distance::mollifier::Mollifier;
use crate::distance::{Blocks, Stencil};
use crate::surface::CollisionSurface;

/// What a term adds.
#[derive(Debug, Clone)]
pub(super) struct Part {
    energy: f64,
    pub(super) gradient: [Vec3; 4],
    blocks: Option<Blocks>,
}

/// Parts of all terms, chunk by chunk.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    chunks: Vec<Vec<Part>>,
    nodes: Vec<Node>,
}

/// A simulated vertex behind one of the collision vertices of a term, and its weight in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// In the numbering of the system.
    pub(crate) vertex: u32,
    /// Which of the collision vertices, from 0.
    pub(crate) of: usize,
    pub(crate) weight: f64,
}

impl Node {
    /// Writes those behind some collision vertices; `first` is the number that the system gives to the first vertex.
    pub(crate) fn behind(
        surface: &CollisionSurface,
        vertices: &[u32],
        first: u32,
        to: &mut Vec<Self>,
    ) {
        to.clear();
        for (of, &v) in vertices.iter().enumerate() {
            let (list, weights) = surface.nodes_of(v);
            let own = list.iter().zip(weights);
            to.extend(own.map(|(&vertex, &weight)| Self { vertex: first + vertex, of, weight }));
        }
    }
}

impl Term {
    pub(super) fn part(&self, y: &[Vec3], with_tangent: bool) -> Part {
        let x = self.positions(y);
        let closest = self.stencil.closest(&x);
        let jet = Barrier::Log.jet(closest.distance, self.activation);
        let [value, first, second] = [jet.value, jet.first, jet.second].map(|b| self.weight * b);
        if self.stencil != Stencil::EdgeEdge {
            let gradient = closest.gradient().map(|g| scale(g, first));
            // A place that counts less than nothing has no positive tangent of its own: those of the same vertex are less by it.
            let blocks = (with_tangent && self.weight > 0.0)
                .then(|| closest.projected_tangent(&x, self.left * first, self.left * second));
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
        let surface = &contact.surface;
        let found = terms.chunks();
        let Self { chunks, nodes } = self;
        if chunks.len() < found.len() {
            chunks.resize_with(found.len(), Vec::new);
        }
        let with_tangent = ask.tangent.is_some();
        chunks[..found.len()].par_iter_mut().zip(found).for_each(|(parts, found)| {
            parts.clear();
            parts.extend(found.terms.iter().map(|term| term.part(y, with_tangent)));
        });
        for (parts, found) in chunks.iter().zip(found) {
            for (term, part) in found.terms.iter().zip(parts) {
                for energy in [&mut ask.energy, &mut ask.stored].into_iter().flatten() {
                    **energy += part.energy;
                }
                let vertices = &term.vertices[..term.stencil.vertices()];
                if let Some(gradient) = ask.gradient.as_deref_mut() {
                    let parts = vertices.iter().zip(part.gradient);
                    parts.for_each(|(&v, g)| surface.spread(v, g, gradient));
                }
                if let (Some(tangent), Some(blocks), Some(pattern)) =
                    (ask.tangent.as_deref_mut(), &part.blocks, &contact.bound)
                {
                    Node::behind(surface, vertices, contact.first, nodes);
                    add_blocks(pattern, nodes, blocks, ask.position_weight, tangent);
                }
            }
        }
    }
}

/// Adds Wᵀ H W of a term where the pattern has a place for all of it. Where it has not, as the term became active within a
/// solve, the diagonal of a matrix that is no smaller: Σ ½ (|Hᵢⱼ| + |Hᵢⱼ|ᵀ) in each row would do, and |Hᵢⱼ| I does too.
pub(crate) fn add_blocks(
    pattern: &Pattern,
    nodes: &[Node],
    blocks: &Blocks,
    weight: f64,
    values: &mut [[f64; 9]],
) {
    let slot = |i: &Node, j: &Node| pattern.slot(i.vertex, j.vertex);
    let all = || nodes.iter().flat_map(|i| nodes.iter().map(move |j| (i, j)));
    let mut put = |index: u32, weight: f64, block: Mat3<f64>| {
        for (value, b) in values[index as usize].iter_mut().zip(block.to_array()) {
            *value += weight * b;
        }
    };
    if all().all(|(i, j)| slot(i, j).is_some()) {
        for (i, j) in all() {
            // What one triangle stores once is added once: by the pair that is stored as it is.
            if let Some(Slot::Stored(index)) = slot(i, j) {
                put(index, weight * (i.weight * j.weight), blocks.block(i.of, j.of));
            }
        }
        return;
    }
    let size = |i: usize, j: usize| {
        blocks.block(i, j).to_array().iter().map(|b| b * b).sum::<f64>().sqrt()
    };
    for i in nodes {
        let row: f64 = nodes.iter().map(|j| (i.weight * j.weight).abs() * size(i.of, j.of)).sum();
        if let Some(slot) = slot(i, i) {
            put(slot.index(), weight, Mat3::diagonal([row; 3]));
        }
    }
}
