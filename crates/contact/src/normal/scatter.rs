//! Energy, gradient and tangent of the terms: computed in parallel, and gathered in a fixed order.

use pliant_algebra::sparse::{Pattern, Slot};
use pliant_algebra::vec3::{Vec3, add_scaled, scale};
use pliant_forces::Ask;
use rayon::prelude::*;

use super::NormalContact;
use super::gather::{Entry, Gather};
use super::terms::{Term, Terms};
use crate::distance::mollifier::Mollifier;
use crate::distance::{Blocks, Closest, Stencil};
use crate::surface::CollisionSurface;

/// Terms computed by one task at least.
const TASK: usize = 16;
/// A source is a term and what of it: block 4 i + j, or, from here on, the bound of row i.
const BOUND: u32 = 16;
/// Sources of a term.
const SOURCES: u32 = 32;

/// What terms add, and what it is added to.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    terms: Vec<Term>,
    values: Vec<(f64, [Vec3; 4])>,
    blocks: Vec<Blocks>,
    gradient: Plan,
    tangent: Plan,
}

/// Where parts of terms are added.
#[derive(Debug, Clone, Default)]
struct Plan {
    /// The terms it was made for, and the pattern, by its number.
    terms: Vec<(Stencil, [u32; 4])>,
    binding: u64,
    gather: Gather,
}

impl Plan {
    /// Makes the plan anew if it is of other terms or another pattern.
    fn follow(&mut self, terms: &[Term], binding: u64, fill: impl FnOnce(&mut Vec<Entry>)) {
        let key = |term: &Term| (term.stencil, term.vertices);
        let known = self.binding == binding
            && self.terms.len() == terms.len()
            && self.terms.iter().zip(terms).all(|(known, term)| *known == key(term));
        if !known {
            self.terms.clear();
            self.terms.extend(terms.iter().map(key));
            self.binding = binding;
            self.gather.remake(fill);
        }
    }
}

/// A potential at the present distance, and what its parts are made of.
pub(super) struct Place {
    x: [Vec3; 4],
    closest: Closest,
    /// w κ times b, b′ and b″.
    jet: [f64; 3],
    mollifier: Option<Mollifier>,
}

impl Term {
    pub(super) fn place(&self, y: &[Vec3]) -> Place {
        let x = self.positions(y);
        let closest = self.stencil.closest(&x);
        let jet = self.barrier.jet(closest.distance, self.activation);
        let jet = [jet.value, jet.first, jet.second].map(|b| self.weight * b);
        let edges = self.stencil == Stencil::EdgeEdge;
        Place { x, closest, jet, mollifier: edges.then(|| Mollifier::new(&x, self.rest)) }
    }
}

impl Place {
    /// The energy and its gradient.
    pub(super) fn value(&self) -> (f64, [Vec3; 4]) {
        let [value, first, _] = self.jet;
        match &self.mollifier {
            None => (value, self.closest.gradient().map(|g| scale(g, first))),
            Some(m) => (m.value * value, self.closest.mollified_gradient(m, value, first)),
        }
    }

    /// The tangent, or its positive semi-definite part, of which `left` is left.
    fn tangent(&self, project: bool, left: f64) -> Blocks {
        let [_, first, second] = self.jet;
        if !project {
            return match &self.mollifier {
                None => self.closest.tangent(&self.x, first, second),
                Some(m) => self.closest.mollified_tangent(&self.x, m, self.jet),
            };
        }
        match &self.mollifier {
            // A place that counts less than nothing has no positive tangent of its own: those of the same vertex are less by it.
            None if second <= 0.0 => Blocks::ZERO,
            None => self.closest.projected_tangent(&self.x, left * first, left * second),
            Some(m) => self.closest.projected_mollified_tangent(&self.x, m, self.jet),
        }
    }
}

impl Parts {
    /// Adds what is asked for. The sums of each vertex and block are taken in the order of terms, so that the bits do not
    /// depend on threads.
    pub(super) fn add(
        &mut self,
        contact: &NormalContact,
        y: &[Vec3],
        found: &Terms,
        ask: &mut Ask<'_>,
    ) {
        let Self { terms, values, blocks, gradient, tangent } = self;
        terms.clear();
        terms.extend(found.iter());
        values.resize(terms.len(), (0.0, [[0.0; 3]; 4]));
        let tasks = terms.par_iter().with_min_len(TASK).zip(&mut *values);
        let project = ask.project;
        if ask.tangent.is_some() {
            blocks.resize(terms.len(), Blocks::ZERO);
            tasks.zip(&mut *blocks).for_each(|((term, value), blocks)| {
                let place = term.place(y);
                (*value, *blocks) = (place.value(), place.tangent(project, term.left));
            });
        } else {
            tasks.for_each(|(term, value)| *value = term.place(y).value());
        }
        for energy in [&mut ask.energy, &mut ask.stored].into_iter().flatten() {
            for (value, _) in &*values {
                **energy += value;
            }
        }
        let surface = &contact.surface;
        if let Some(sums) = ask.gradient.as_deref_mut() {
            gradient.follow(terms, 0, |entries| vertex_entries(surface, terms, entries));
            gradient.gather.run(sums, |sum, entry| {
                let (_, gradient) = &values[(entry.source / SOURCES) as usize];
                *sum = add_scaled(*sum, gradient[(entry.source % SOURCES) as usize], entry.weight);
            });
        }
        if let (Some(sums), Some(pattern)) = (ask.tangent.as_deref_mut(), &contact.bound) {
            let weight = ask.position_weight;
            let bound = (pattern, contact.first);
            tangent.follow(terms, contact.binding, |entries| {
                block_entries(surface, bound, terms, entries);
            });
            tangent.gather.run(sums, |sum, entry| {
                let blocks = &blocks[(entry.source / SOURCES) as usize];
                add_block(blocks, entry.source % SOURCES, weight * entry.weight, sum);
            });
        }
    }
}

/// Adds a block, or the bound of a row: Σⱼ |Hᵢⱼ| times the identity.
fn add_block(blocks: &Blocks, source: u32, weight: f64, sum: &mut [f64; 9]) {
    if source < BOUND {
        let block = blocks.block(source as usize / 4, source as usize % 4).to_array();
        sum.iter_mut().zip(block).for_each(|(sum, b)| *sum += weight * b);
        return;
    }
    let row = (source - BOUND) as usize;
    let size = |j: usize| blocks.block(row, j).to_array().iter().map(|b| b * b).sum::<f64>().sqrt();
    let bound: f64 = (0..4).map(size).sum();
    for k in 0..3 {
        sum[4 * k] += weight * bound;
    }
}

/// Simulated vertices of the collision vertices of a term, with the number of these in the term, and their weights.
fn nodes_of<'a>(
    surface: &'a CollisionSurface,
    term: &'a Term,
) -> impl Iterator<Item = (u32, u32, f64)> + Clone + 'a {
    term.vertices[..term.stencil.vertices()].iter().zip(0..).flat_map(|(&vertex, i)| {
        let (nodes, weights) = surface.nodes_of(vertex);
        nodes.iter().zip(weights).map(move |(&node, &weight)| (node, i, weight))
    })
}

fn vertex_entries(surface: &CollisionSurface, terms: &[Term], entries: &mut Vec<Entry>) {
    for (term, number) in terms.iter().zip(0..) {
        entries.extend(nodes_of(surface, term).map(|(node, i, weight)| Entry {
            target: node,
            source: SOURCES * number + i,
            weight,
        }));
    }
}

/// Blocks of all terms of which the pattern has all blocks. Where it has not, as a term became active within a solve, the diagonal
/// of a matrix that is no smaller: Σ ½ (|Hᵢⱼ| + |Hᵢⱼ|ᵀ) in each row would do, and |Hᵢⱼ| I does too.
fn block_entries(
    surface: &CollisionSurface,
    (pattern, first): (&Pattern, u32),
    terms: &[Term],
    entries: &mut Vec<Entry>,
) {
    let slot = |i: u32, j: u32| pattern.slot(first + i, first + j);
    for (term, number) in terms.iter().zip(0..) {
        let nodes = nodes_of(surface, term);
        let begun = entries.len();
        let mut complete = true;
        'rows: for (row, i, a) in nodes.clone() {
            for (column, j, b) in nodes.clone() {
                match slot(row, column) {
                    // What one triangle stores once is added once: by the pair that is stored as it is.
                    Some(Slot::Stored(target)) => {
                        let source = SOURCES * number + 4 * i + j;
                        entries.push(Entry { target, source, weight: a * b });
                    }
                    Some(Slot::Transposed(_)) => {}
                    None => {
                        complete = false;
                        break 'rows;
                    }
                }
            }
        }
        if complete {
            continue;
        }
        entries.truncate(begun);
        for (node, i, weight) in nodes {
            if let Some(slot) = slot(node, node) {
                let source = SOURCES * number + BOUND + i;
                entries.push(Entry { target: slot.index(), source, weight: weight.abs() });
            }
        }
    }
}
