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
use crate::surface::CollisionSurface;

/// What a term adds.
#[derive(Debug, Clone)]
struct Part {
    energy: f64,
    gradient: [Vec3; 4],
    blocks: Option<Blocks>,
    /// How many entries of [`Chunk::turned`] are its own.
    turned: usize,
}

/// Parts of the terms that one task has found.
#[derive(Debug, Clone, Default)]
struct Chunk {
    parts: Vec<Part>,
    /// Collision vertices around the vertex of a term, and what they feel of its turning, N.
    turned: Vec<(u32, Vec3)>,
}

/// Parts of all terms, chunk by chunk.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    chunks: Vec<Chunk>,
    nodes: Vec<Node>,
}

/// A simulated vertex behind one of the collision vertices of a term, and its weight in it.
#[derive(Debug, Clone, Copy)]
struct Node {
    vertex: u32,
    of: usize,
    weight: f64,
}

impl Term {
    fn part(
        &self,
        surface: &CollisionSurface,
        y: &[Vec3],
        with_tangent: bool,
        turned: &mut Vec<(u32, Vec3)>,
    ) -> Part {
        let x = self.positions(y);
        let closest = self.stencil.closest(&x);
        let jet = Barrier::Log.jet(closest.distance, self.activation);
        let [value, first, second] = [jet.value, jet.first, jet.second].map(|b| self.weight * b);
        if self.stencil != Stencil::EdgeEdge {
            let mut gradient = closest.gradient().map(|g| scale(g, first));
            let before = turned.len();
            // b ∂w: the triangles around the vertex turn, and so does n, by ∂n/∂xⱼ, a row of the Hessian of d.
            let by_normal = surface.facing_slope(
                y,
                self.vertices[0],
                closest.normal,
                self.share * jet.value,
                |v, g| turned.push((v, g)),
            );
            if by_normal != [0.0; 3] {
                let hessian = closest.hessian(&x);
                for (j, g) in gradient.iter_mut().enumerate() {
                    *g = add(*g, hessian.block(j, 0).mul_vec(by_normal));
                }
            }
            // A place that counts less than nothing has no positive tangent of its own: those of the same vertex are less by it.
            let blocks = (with_tangent && self.weight > 0.0)
                .then(|| closest.projected_tangent(&x, self.left * first, self.left * second));
            return Part { energy: value, gradient, blocks, turned: turned.len() - before };
        }
        let m = Mollifier::new(&x, self.rest);
        Part {
            energy: m.value * value,
            gradient: closest.mollified_gradient(&m, value, first),
            blocks: with_tangent
                .then(|| closest.projected_mollified_tangent(&x, &m, [value, first, second])),
            turned: 0,
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
            chunks.resize_with(found.len(), Chunk::default);
        }
        let with_tangent = ask.tangent.is_some();
        chunks[..found.len()].par_iter_mut().zip(found).for_each(|(chunk, found)| {
            let Chunk { parts, turned } = chunk;
            parts.clear();
            turned.clear();
            let terms = found.terms.iter();
            parts.extend(terms.map(|term| term.part(surface, y, with_tangent, turned)));
        });
        for (chunk, found) in chunks.iter().zip(found) {
            let mut turned = chunk.turned.iter();
            for (term, part) in found.terms.iter().zip(&chunk.parts) {
                for energy in [&mut ask.energy, &mut ask.stored].into_iter().flatten() {
                    **energy += part.energy;
                }
                let vertices = &term.vertices[..term.stencil.vertices()];
                if let Some(gradient) = ask.gradient.as_deref_mut() {
                    let turned = turned.by_ref().take(part.turned).copied();
                    let direct = vertices.iter().copied().zip(part.gradient);
                    direct.chain(turned).for_each(|(v, g)| surface.spread(v, g, gradient));
                }
                if let (Some(tangent), Some(blocks), Some(pattern)) =
                    (ask.tangent.as_deref_mut(), &part.blocks, &contact.bound)
                {
                    nodes.clear();
                    for (of, &v) in vertices.iter().enumerate() {
                        let (list, weights) = surface.nodes_of(v);
                        nodes.extend(list.iter().zip(weights).map(|(&vertex, &weight)| Node {
                            vertex: contact.first + vertex,
                            of,
                            weight,
                        }));
                    }
                    add_blocks(pattern, nodes, blocks, ask.position_weight, tangent);
                }
            }
        }
    }
}

/// Adds Wᵀ H W of a term where the pattern has a place for all of it. Where it has not, as the term became active within a
/// solve, the diagonal of a matrix that is no smaller: Σ ½ (|Hᵢⱼ| + |Hᵢⱼ|ᵀ) in each row would do, and |Hᵢⱼ| I does too.
fn add_blocks(
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
