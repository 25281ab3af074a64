//! [`Candidates`]: pairs that may be within a distance of each other, found anew only when vertices have moved too far.

use pliant_algebra::vec3::{Vec3, add, norm_squared, sub};

use super::NormalContact;
use crate::broad::BroadPhase;
use crate::surface::CollisionSurface;

/// How far vertices may move before candidates are found anew, as a part of the edges of the body whose edges are
/// shortest. A larger part makes more candidates, a smaller one makes them more often.
const OF_EDGE: f64 = 0.1;

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
