//! [`Candidates`]: pairs that may be within a distance of each other, found anew only when vertices have moved too far.

use pliant_algebra::vec3::{Vec3, add, norm_squared, sub};
use rayon::prelude::*;

use super::NormalContact;
use crate::broad::BroadPhase;
use crate::distance::Stencil;
use crate::surface::CollisionSurface;

/// How far vertices may move before candidates are found anew, as a part of the edges of the body whose edges are
/// shortest. A larger part makes more candidates, a smaller one makes them more often.
const OF_EDGE: f64 = 0.1;
/// Distances that were computed earlier count as less by this part, far more than rounding has left of them.
const ROUNDING: f64 = 1e-9;
/// Distances computed by one task.
const TASK: usize = 256;

/// Pairs around a configuration, and the configuration itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    broad: BroadPhase,
    /// Positions of the collision vertices.
    pub(super) y: Vec<Vec3>,
    /// The same at the start of the step; empty outside of one.
    start: Vec<Vec3>,
    /// Positions that the pairs were found for, and how far vertices may be from them, m.
    found: Vec<Vec3>,
    trust: f64,
    /// How many pairs of bodies were ignored then.
    ignored: usize,
    /// Vertex and triangle, ascending.
    pub(super) points: Vec<[u32; 2]>,
    /// Two edges, ascending.
    pub(super) edges: Vec<[u32; 2]>,
    /// Distances of these where they were found, m.
    point_distances: Vec<f64>,
    edge_distances: Vec<f64>,
}

/// Returns how far vertices may move before candidates are found anew, m.
pub(super) fn slack(surface: &CollisionSurface) -> f64 {
    let mut edges = vec![(0.0, 0_usize); surface.body_count()];
    for (edge, length) in surface.edges().iter().zip(surface.edge_lengths_squared()) {
        let (sum, count) = &mut edges[surface.bodies()[edge[0] as usize] as usize];
        (*sum, *count) = (*sum + length.sqrt(), *count + 1);
    }
    let mean = edges.iter().filter(|edges| edges.1 > 0).map(|(sum, count)| sum / *count as f64);
    let shortest = mean.fold(f64::INFINITY, f64::min);
    if shortest.is_finite() { OF_EDGE * shortest } else { 0.0 }
}

impl Candidates {
    /// Positions at the start of the step, and the present ones outside of one.
    pub(super) fn start(&self) -> &[Vec3] {
        if self.start.is_empty() { &self.y } else { &self.start }
    }

    /// Takes in positions `x` of the simulated vertices, and those at the start of the step, if one is under way. All pairs within `reach` (m) of each other are then among the
    /// candidates; which others are depends on what was asked before.
    pub(super) fn update(
        &mut self,
        contact: &NormalContact,
        x: &[Vec3],
        start: Option<&[Vec3]>,
        reach: f64,
    ) {
        contact.surface.follow(x, &mut self.y);
        match start {
            Some(start) => contact.surface.follow(start, &mut self.start),
            None => self.start.clear(),
        }
        if self.found.len() == self.y.len()
            && self.ignored == contact.ignored.len()
            && self.y.iter().zip(&self.found).all(|(y, found)| self.trusts(*y, *found))
        {
            return;
        }
        // Two vertices may come nearer to each other by twice what each may move.
        self.trust = contact.slack.max(0.5 * reach);
        self.broad.update(&contact.surface, &self.y, None, 0.5 * reach + self.trust);
        self.points.clear();
        let accept = |a: u32, b: u32| contact.may_touch(a, b);
        self.points.extend_from_slice(self.broad.point_triangle(accept));
        self.edges.clear();
        self.edges.extend_from_slice(self.broad.edge_edge(accept));
        self.found.clone_from(&self.y);
        self.ignored = contact.ignored.len();
        let (surface, y) = (&contact.surface, &self.y);
        measure(&self.points, &mut self.point_distances, |pair| {
            let x = surface.point_and_triangle(pair).map(|v| y[v as usize]);
            Stencil::PointTriangle.closest(&x).distance
        });
        measure(&self.edges, &mut self.edge_distances, |pair| {
            let x = surface.two_edges(pair).map(|v| y[v as usize]);
            Stencil::EdgeEdge.closest(&x).distance
        });
    }

    /// Tells whether the vertex and the triangle of a candidate are farther apart than `reach` for sure. Their distance has changed by no more
    /// than the vertex has moved relative to a corner.
    pub(super) fn point_is_apart(&self, candidate: usize, vertices: &[u32; 4], reach: f64) -> bool {
        let limit = (1.0 - ROUNDING) * self.point_distances[candidate] - reach;
        limit > 0.0 && self.relative_motion(&self.y, vertices, 1) < limit * limit
    }

    /// The same for two edges.
    pub(super) fn edges_are_apart(
        &self,
        candidate: usize,
        vertices: &[u32; 4],
        reach: f64,
    ) -> bool {
        let limit = (1.0 - ROUNDING) * self.edge_distances[candidate] - reach;
        limit > 0.0 && self.relative_motion(&self.y, vertices, 2) < limit * limit
    }

    /// The square of the largest motion, since candidates were found, of one of the `first` vertices relative to one of the others.
    #[inline]
    fn relative_motion(&self, y: &[Vec3], vertices: &[u32; 4], first: usize) -> f64 {
        let moved = vertices.map(|v| sub(y[v as usize], self.found[v as usize]));
        let (one, other) = moved.split_at(first);
        let pairs = one.iter().flat_map(|a| other.iter().map(move |b| sub(*a, *b)));
        pairs.fold(0.0, |far: f64, d| far.max(norm_squared(d)))
    }

    /// Tells whether all pairs that could meet on the way from y to y + Δ are among the candidates.
    pub(super) fn serve(&self, y: &[Vec3], by: &[Vec3]) -> bool {
        let inside = |((y, by), found): ((&Vec3, &Vec3), &Vec3)| {
            self.trusts(*y, *found) && self.trusts(add(*y, *by), *found)
        };
        self.found.len() == y.len() && y.iter().zip(by).zip(&self.found).all(inside)
    }

    fn trusts(&self, y: Vec3, found: Vec3) -> bool {
        norm_squared(sub(y, found)) <= self.trust * self.trust
    }
}

fn measure(pairs: &[[u32; 2]], to: &mut Vec<f64>, distance: impl Fn([u32; 2]) -> f64 + Sync) {
    to.resize(pairs.len(), 0.0);
    pairs.par_iter().with_min_len(TASK).zip(to).for_each(|(&pair, to)| *to = distance(pair));
}
