//! [`Candidates`]: pairs that may be within a distance of each other, found anew only when vertices have moved too far.

use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, add, add_scaled, norm_squared, sub};
use rayon::prelude::*;

use super::NormalContact;
use super::couplings::MARGIN;
use super::motion::relative_motion;
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

/// Pairs around a configuration.
#[derive(Debug, Default)]
pub(super) struct Set {
    /// Positions that the pairs were found for, and how far vertices may be from them, m.
    found: Vec<Vec3>,
    trust: f64,
    /// The distance within which all pairs were found, m.
    reach: f64,
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

/// Sets that were found, the newest last. Contact, friction, reports and bounds look at the same places, so they share them.
#[derive(Debug, Default)]
pub(super) struct Pool {
    broad: BroadPhase,
    sets: Vec<Arc<Set>>,
}

/// The pairs near a configuration, and the configuration itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    /// Positions of the collision vertices.
    pub(super) y: Vec<Vec3>,
    /// The same at the start of the step; empty outside of one.
    start: Vec<Vec3>,
    /// None before the first update.
    set: Option<Arc<Set>>,
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

impl Set {
    /// Finds all pairs that are within `reach` (m) of each other as long as no vertex has moved too far from `y`.
    fn find(&mut self, contact: &NormalContact, broad: &mut BroadPhase, y: &[Vec3], reach: f64) {
        // Two vertices may come nearer to each other by twice what each may move.
        (self.trust, self.reach) = (contact.slack.max(0.5 * reach), reach);
        self.ignored = contact.ignored.len();
        broad.update(&contact.surface, y, None, 0.5 * reach + self.trust);
        self.points.clear();
        let accept = |a: u32, b: u32| contact.may_touch(a, b);
        self.points.extend_from_slice(broad.point_triangle(accept));
        self.edges.clear();
        self.edges.extend_from_slice(broad.edge_edge(accept));
        self.found.clear();
        self.found.extend_from_slice(y);
        let surface = &contact.surface;
        // Boxes are larger than what is in them, above all those of large triangles.
        let most = (1.0 + ROUNDING) * (reach + 2.0 * self.trust);
        keep_near(&mut self.points, &mut self.point_distances, most, |pair| {
            let x = surface.point_and_triangle(pair).map(|v| y[v as usize]);
            Stencil::PointTriangle.closest(&x).distance
        });
        keep_near(&mut self.edges, &mut self.edge_distances, most, |pair| {
            let x = surface.two_edges(pair).map(|v| y[v as usize]);
            Stencil::EdgeEdge.closest(&x).distance
        });
    }

    /// Says whether it has all pairs within `reach` of each other at `y`.
    fn serves(&self, contact: &NormalContact, y: &[Vec3], reach: f64) -> bool {
        self.found.len() == y.len()
            && self.ignored == contact.ignored.len()
            && self.reach >= reach
            && self.trusts(|i| y[i])
    }

    /// Says whether no vertex is too far from where pairs were found, beyond what all of them have moved on the mean: a motion of the
    /// whole brings nothing together.
    fn trusts(&self, y: impl Fn(usize) -> Vec3) -> bool {
        let part = 1.0 / self.found.len().max(1) as f64;
        let way = |i: usize| sub(y(i), self.found[i]);
        let mean = (0..self.found.len()).fold([0.0; 3], |sum, i| add_scaled(sum, way(i), part));
        let near = |i: usize| norm_squared(sub(way(i), mean)) <= self.trust * self.trust;
        (0..self.found.len()).all(near)
    }
}

impl Pool {
    /// A set that serves at `y`: one that somebody has found, or a new one in the place of one that nobody looks at any more.
    fn at(&mut self, contact: &NormalContact, y: &[Vec3], reach: f64) -> Arc<Set> {
        let Self { broad, sets } = self;
        if let Some(set) = sets.iter().rev().find(|set| set.serves(contact, y, reach)) {
            return set.clone();
        }
        let free = sets.iter().position(|set| Arc::strong_count(set) == 1);
        let mut set = free.map(|k| sets.remove(k)).unwrap_or_default();
        if let Some(set) = Arc::get_mut(&mut set) {
            set.find(contact, broad, y, reach);
        } else {
            let mut new = Set::default();
            new.find(contact, broad, y, reach);
            set = Arc::new(new);
        }
        sets.push(set.clone());
        set
    }
}

impl Candidates {
    /// Positions at the start of the step, and the present ones outside of one.
    pub(super) fn start(&self) -> &[Vec3] {
        if self.start.is_empty() { &self.y } else { &self.start }
    }

    /// Pairs of a vertex and a triangle, ascending.
    pub(super) fn points(&self) -> &[[u32; 2]] {
        self.set.as_deref().map_or(&[], |set| &set.points)
    }

    /// Pairs of edges, ascending.
    pub(super) fn edges(&self) -> &[[u32; 2]] {
        self.set.as_deref().map_or(&[], |set| &set.edges)
    }

    /// Takes in positions `x` of the simulated vertices, and those at the start of the step, if one is under way. All pairs within `reach`
    /// (m) of each other are then among the candidates; which others are depends on what was asked before.
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
        if self.set.as_ref().is_some_and(|set| set.serves(contact, &self.y, reach)) {
            return;
        }
        // So far that it serves whoever comes next.
        let reach = reach.max(MARGIN * contact.reach);
        // It is let go first, so that it may be used again.
        self.set = None;
        self.set = Some(match contact.pool.try_lock() {
            Ok(mut pool) => pool.at(contact, &self.y, reach),
            // Somebody else looks for pairs right now: nobody waits for another one's threads.
            Err(_) => Pool::default().at(contact, &self.y, reach),
        });
    }

    /// Tells whether the vertex and the triangle of a candidate are farther apart than `reach` for sure. Their distance has changed by no more
    /// than the vertex has moved relative to a corner.
    pub(super) fn point_is_apart(&self, candidate: usize, vertices: &[u32; 4], reach: f64) -> bool {
        let of = |set: &Set| set.point_distances[candidate];
        self.set.as_deref().is_some_and(|set| self.is_apart(set, of(set), vertices, 1, reach))
    }

    /// The same for two edges.
    pub(super) fn edges_are_apart(
        &self,
        candidate: usize,
        vertices: &[u32; 4],
        reach: f64,
    ) -> bool {
        let of = |set: &Set| set.edge_distances[candidate];
        self.set.as_deref().is_some_and(|set| self.is_apart(set, of(set), vertices, 2, reach))
    }

    #[inline]
    fn is_apart(
        &self,
        set: &Set,
        distance: f64,
        vertices: &[u32; 4],
        first: usize,
        reach: f64,
    ) -> bool {
        let limit = (1.0 - ROUNDING) * distance - reach;
        let moved = || vertices.map(|v| sub(self.y[v as usize], set.found[v as usize]));
        limit > 0.0 && relative_motion(&moved(), first) < limit * limit
    }

    /// Tells whether all pairs that could meet on the way from y to y + Δ are among the candidates.
    pub(super) fn serve(&self, y: &[Vec3], by: &[Vec3]) -> bool {
        let Some(set) = &self.set else { return false };
        set.found.len() == y.len() && set.trusts(|i| y[i]) && set.trusts(|i| add(y[i], by[i]))
    }
}

/// Measures pairs, and keeps those that are not farther apart than `most`.
fn keep_near(
    pairs: &mut Vec<[u32; 2]>,
    distances: &mut Vec<f64>,
    most: f64,
    distance: impl Fn([u32; 2]) -> f64 + Sync,
) {
    distances.resize(pairs.len(), 0.0);
    let tasks = pairs.par_iter().with_min_len(TASK).zip(&mut *distances);
    tasks.for_each(|(&pair, to)| *to = distance(pair));
    let mut kept = 0;
    for k in 0..pairs.len() {
        if distances[k] <= most {
            (pairs[kept], distances[kept]) = (pairs[k], distances[k]);
            kept += 1;
        }
    }
    pairs.truncate(kept);
    distances.truncate(kept);
}
