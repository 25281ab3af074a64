//! [`Term`]: one part of the contact energy, and how those of a configuration are found.
//!
//! Terms come in an order that depends on positions alone: chunks are ranges of candidates, but what a chunk finds is sorted by
//! vertices and edges, whatever other candidates there are.

use pliant_algebra::vec3::Vec3;
use rayon::prelude::*;

use super::candidates::Candidates;
use super::{NormalContact, Touch};
use crate::barrier::Barrier;
use crate::distance::{Closest, Stencil};

/// Candidates that one task looks at.
const CHUNK: usize = 256;
/// Part of d̂ at which two edges begin to repel each other. Vertices against triangles carry the pressure of flat surfaces, and edges,
/// which cross there as often as the meshes happen to, are to add nothing. Where bent surfaces or rims meet it is edges alone that carry, and
/// they need weights like those of vertices: with weights of a thousandth gaps became so small (10⁻⁵ d̂) that Newton's method crept.
const EDGE_REACH: f64 = 0.5;
/// Distances at the start of a step, in d̂, from which on the direction in which two surfaces are going to meet is in doubt, and no longer known.
const DOUBT: [f64; 2] = [1.0, 4.0];
/// Places that count less often than this do not count: what rounding leaves of sums that are zero.
const UNCOUNTED: f64 = 1e-9;
/// The least part of a tangent that is left.
const LEAST: f64 = 0.05;

/// w κ b(d) of a stencil, times a mollifier for two edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub(super) stencil: Stencil,
    /// Collision vertices; the last is repeated to make four.
    pub(super) vertices: [u32; 4],
    /// w κ with its sign, N: negative where places are counted twice. Of a vertex w is the area that faces the other side at
    /// the start of the step.
    pub(super) weight: f64,
    /// w with its sign, m².
    pub(super) area: f64,
    /// Part of its tangent that is left after what the terms of the same vertex with negative weights take away.
    pub(super) left: f64,
    /// d̂, m.
    pub(super) activation: f64,
    pub(super) barrier: Barrier,
    /// Squared lengths of the edges at rest, m².
    pub(super) rest: [f64; 2],
}

impl Term {
    pub(super) fn positions(&self, y: &[Vec3]) -> [Vec3; 4] {
        self.vertices.map(|v| y[v as usize])
    }
}

/// What one task has found, and its scratch.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    pub(super) terms: Vec<Term>,
    /// Stencils near one vertex, by the vertices of the other side, with how often each counts.
    near: Vec<([u32; 3], f64)>,
}

/// Terms of all chunks: those of vertices and triangles first.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    chunks: Vec<Found>,
    used: usize,
    of: Asked,
}

/// What terms were found for. Forces and tangent of one configuration are asked for one after the other.
#[derive(Debug, Clone, Default)]
struct Asked {
    stretch: f64,
    y: Vec<Vec3>,
    start: Vec<Vec3>,
    touches: Vec<Touch>,
    pairs: Vec<([u32; 2], Touch)>,
    ignored: usize,
}

impl Asked {
    fn is(&self, contact: &NormalContact, near: &Candidates, stretch: f64) -> bool {
        self.stretch == stretch
            && self.ignored == contact.ignored.len()
            && self.touches == contact.bodies
            && self.pairs == contact.pairs
            && self.y == near.y
            && self.start == near.start()
    }

    fn take(&mut self, contact: &NormalContact, near: &Candidates, stretch: f64) {
        self.stretch = stretch;
        self.ignored = contact.ignored.len();
        self.touches.clone_from(&contact.bodies);
        self.pairs.clone_from(&contact.pairs);
        self.y.clone_from(&near.y);
        near.start().clone_into(&mut self.start);
    }
}

impl Terms {
    /// Finds all terms whose distance is below `stretch` times their d̂.
    pub(super) fn find(&mut self, contact: &NormalContact, near: &Candidates, stretch: f64) {
        if self.of.is(contact, near, stretch) {
            return;
        }
        self.of.take(contact, near, stretch);
        let (points, edges) =
            (near.points().len().div_ceil(CHUNK), near.edges().len().div_ceil(CHUNK));
        self.used = points + edges;
        if self.chunks.len() < self.used {
            self.chunks.resize_with(self.used, Found::default);
        }
        self.chunks[..self.used].par_iter_mut().enumerate().for_each(|(chunk, found)| {
            found.terms.clear();
            if chunk < points {
                contact.point_terms(near, chunk * CHUNK, stretch, found);
            } else {
                contact.edge_terms(near, (chunk - points) * CHUNK, stretch, found);
            }
        });
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Term> {
        self.chunks[..self.used].iter().flat_map(|found| &found.terms)
    }
}

impl NormalContact {
    /// Terms of the vertices whose first candidate lies in the chunk.
    fn point_terms(&self, near: &Candidates, first: usize, stretch: f64, found: &mut Found) {
        let pairs = near.points();
        let begins = |i: usize| i == 0 || pairs[i - 1][0] != pairs[i][0];
        let mut i = first;
        while i < pairs.len().min(first + CHUNK) {
            if !begins(i) {
                i += 1;
                continue;
            }
            let vertex = pairs[i][0];
            let last = i + pairs[i..].iter().take_while(|pair| pair[0] == vertex).count();
            // One body of the other side after the other, as d̂ and κ are those of two bodies.
            let body = |pair: &[u32; 2]| self.body_of_triangle(pair[1]);
            for group in pairs[i..last].chunk_by(|a, b| body(a) == body(b)) {
                self.terms_of_vertex(near, i, group, stretch, found);
                i += group.len();
            }
        }
    }

    /// Terms of a vertex and one body; `from` is the number of the first candidate of `group`.
    fn terms_of_vertex(
        &self,
        near: &Candidates,
        from: usize,
        group: &[[u32; 2]],
        stretch: f64,
        found: &mut Found,
    ) {
        let y = &near.y;
        let vertex = group[0][0];
        let other = self.body_of_triangle(group[0][1]);
        let own = self.surface.bodies()[vertex as usize];
        let (activation, stiffness) = self.between(own, other);
        let part = self.part_of_area(own, other);
        let flatness = self.fans.flatness[vertex as usize];
        let reach = stretch * activation;
        let Found { terms, near: list } = found;
        list.clear();
        let start = near.start();
        // Where the other body was at the start of the step: its distance, and the direction from there.
        let mut before = (f64::INFINITY, [0.0; 3]);
        for (candidate, &pair) in (from..).zip(group) {
            let t = pair[1];
            let vertices = self.surface.point_and_triangle(pair);
            if near.point_is_apart(candidate, &vertices, reach) {
                continue;
            }
            let corners = self.surface.triangles()[t as usize];
            let mut count = |stencil: Stencil, others: [u32; 3], times: f64| {
                let [a, b, c] = others;
                let x = [vertex, a, b, c].map(|v| y[v as usize]);
                if apart(&x, 1, reach) {
                    return false;
                }
                let closest = stencil.closest(&x);
                let within = closest.distance < reach;
                if within {
                    list.push((key(&closest, others), times));
                }
                within
            };
            if self.surface.is_beside(vertex, t) || !count(Stencil::PointTriangle, corners, 1.0) {
                continue;
            }
            let [a, b, c] = corners;
            let then =
                Stencil::PointTriangle.closest(&[vertex, a, b, c].map(|v| start[v as usize]));
            if then.distance < before.0 {
                before = (then.distance, then.normal);
            }
            let owned = &self.fans.owned[t as usize];
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                // The triangles of this vertex itself do not count, so neither does an edge of theirs.
                if let Some(side) = owned.sides[k].filter(|side| side.opposite != vertex) {
                    count(Stencil::PointEdge, [a, b, b], -side.times(flatness));
                }
                let times = owned.corners[k].map_or(0.0, |corner| corner.times(flatness));
                if times != 0.0 {
                    count(Stencil::PointPoint, [a; 3], times);
                }
            }
        }
        if list.is_empty() {
            return;
        }
        let [near, far] = DOUBT;
        let doubt = ((before.0 / activation - near) / (far - near)).clamp(0.0, 1.0);
        let facing = self.surface.facing_area(start, vertex, before.1, doubt);
        list.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        // Σ w κ b″ of the terms of this vertex, of both signs.
        let (first, mut stiff) = (terms.len(), [0.0; 2]);
        for same in list.chunk_by(|one, other| one.0 == other.0) {
            let times: f64 = same.iter().map(|(_, times)| times).sum();
            if times.abs() < UNCOUNTED {
                continue;
            }
            let [a, b, c] = same[0].0;
            let stencil = match (a == b, b == c) {
                (true, _) => Stencil::PointPoint,
                (false, true) => Stencil::PointEdge,
                (false, false) => Stencil::PointTriangle,
            };
            let vertices = [vertex, a, b, c];
            let closest = stencil.closest(&vertices.map(|v| y[v as usize]));
            let area = part * times * facing;
            let bend = self.barrier.jet(closest.distance, activation).second;
            stiff[usize::from(area < 0.0)] += area.abs() * bend;
            terms.push(Term {
                stencil,
                vertices,
                weight: area * stiffness,
                left: 1.0,
                area,
                activation,
                barrier: self.barrier,
                rest: [0.0; 2],
            });
        }
        if stiff[1] > 0.0 {
            let left = (1.0 - stiff[1] / stiff[0]).max(LEAST);
            terms[first..].iter_mut().for_each(|term| term.left = left);
        }
    }

    fn edge_terms(&self, near: &Candidates, first: usize, stretch: f64, found: &mut Found) {
        let surface = &self.surface;
        let last = near.edges().len().min(first + CHUNK);
        for (candidate, &pair) in (first..).zip(&near.edges()[first..last]) {
            let [e, f] = pair.map(|edge| edge as usize);
            let vertices = surface.two_edges(pair);
            let bodies = [vertices[0], vertices[2]].map(|v| surface.bodies()[v as usize]);
            let (distance, stiffness) = self.between(bodies[0], bodies[1]);
            let activation = EDGE_REACH * distance;
            if near.edges_are_apart(candidate, &vertices, stretch * activation) {
                continue;
            }
            let x = vertices.map(|v| near.y[v as usize]);
            if apart(&x, 2, stretch * activation) {
                continue;
            }
            if Stencil::EdgeEdge.closest(&x).distance >= stretch * activation {
                continue;
            }
            let areas = surface.edge_areas();
            // Triangles of scenery may be much larger than those of bodies.
            let both = if bodies[0].max(bodies[1]) < self.scenery {
                areas[e] + areas[f]
            } else {
                2.0 * areas[e].min(areas[f])
            };
            let area = 0.25 * both;
            let rest = [e, f].map(|e| surface.edge_lengths_squared()[e]);
            let weight = area * stiffness;
            let stencil = Stencil::EdgeEdge;
            let left = 1.0;
            let barrier = self.barrier;
            let term = Term { stencil, vertices, weight, area, left, activation, barrier, rest };
            found.terms.push(term);
        }
    }
}

/// Tells whether boxes around the first vertices and around the others are farther apart than `reach`.
fn apart(x: &[Vec3; 4], first: usize, reach: f64) -> bool {
    let (one, other) = x.split_at(first);
    let low = |x: &[Vec3], k: usize| x.iter().fold(f64::INFINITY, |low, x| low.min(x[k]));
    let high = |x: &[Vec3], k: usize| x.iter().fold(f64::NEG_INFINITY, |high, x| high.max(x[k]));
    (0..3).any(|k| low(one, k) - high(other, k) > reach || low(other, k) - high(one, k) > reach)
}

/// The vertices that a closest point depends on, ascending, the last repeated to make three.
fn key(closest: &Closest, others: [u32; 3]) -> [u32; 3] {
    let mut used = [0; 3];
    let mut count = 0;
    for (&v, &c) in others.iter().zip(&closest.weights[1..]) {
        if c != 0.0 && !used[..count].contains(&v) {
            used[count] = v;
            count += 1;
        }
    }
    used[..count].sort_unstable();
    let last = used[count.max(1) - 1];
    used[count..].fill(last);
    used
}
