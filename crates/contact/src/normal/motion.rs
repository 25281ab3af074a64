//! How far vertices may move, and whether surfaces intersect.

use pliant_algebra::vec3::{Vec3, add, norm_squared, scale};
use pliant_forces::ForceError;
use rayon::prelude::*;

use super::NormalContact;
use crate::broad::BroadPhase;
use crate::ccd::{CcdParams, safe_time};
use crate::distance::Stencil;
use crate::overlap::OverlapTest;

/// Steps are not lengthened beyond this factor: boxes around long ways overlap everything.
const LONGEST: f64 = 2.0;
/// Parts that a motion is followed in. One that is longer than so many bodies is bounded.
const PARTS: usize = 16;

/// Scratch of bounds and tests.
#[derive(Debug, Clone, Default)]
pub(super) struct Moving {
    broad: BroadPhase,
    overlap: OverlapTest,
    y: Vec<Vec3>,
    by: Vec<Vec3>,
}

impl Moving {
    /// The largest part of x + t d, t ≤ `limit`, on which nothing meets, and the stencil that stops it.
    pub(super) fn bound(
        &mut self,
        contact: &NormalContact,
        x: &[Vec3],
        direction: &[Vec3],
        limit: f64,
    ) -> (f64, Option<[u32; 4]>) {
        let surface = &contact.surface;
        surface.follow(x, &mut self.y);
        surface.follow(direction, &mut self.by);
        let far = self.by.iter().fold(0.0, |far: f64, &d| far.max(norm_squared(d))).sqrt();
        if far == 0.0 {
            return (limit, None);
        }
        // In parts that are no longer than the largest body, so that boxes around ways overlap few others.
        let limit = limit.min(LONGEST);
        let part = limit.min(contact.size / far);
        for d in &mut self.by {
            *d = scale(*d, part);
        }
        let mut done = 0.0;
        for _ in 0..PARTS {
            let (free, by) = self.bound_part(contact);
            if by.is_some() || done + part >= limit {
                return ((done + free * part).min(limit), by);
            }
            done += part;
            for (y, by) in self.y.iter_mut().zip(&self.by) {
                *y = add(*y, *by);
            }
        }
        (done, None)
    }

    /// The part of y + t Δ, t ≤ 1, on which nothing meets, and the stencil that stops it.
    fn bound_part(&mut self, contact: &NormalContact) -> (f64, Option<[u32; 4]>) {
        let surface = &contact.surface;
        let Self { broad, y, by, .. } = self;
        broad.update(surface, y, Some(by), 0.0);
        let (y, by) = (&*y, &*by);
        let params = CcdParams::default();
        let time = |stencil: Stencil, vertices: [u32; 4]| {
            let at = |list: &[Vec3]| vertices.map(|v| list[v as usize]);
            (safe_time(stencil, &at(y), &at(by), 1.0, &params).time, Some(vertices))
        };
        let sooner = |one: (f64, Option<[u32; 4]>), other: (f64, Option<[u32; 4]>)| {
            // By vertices where times are equal, whatever the order of tasks.
            if (other.0, other.1) < (one.0, one.1) && other.0 < 1.0 { other } else { one }
        };
        let whole = (1.0, None);
        let accept = |a: u32, b: u32| contact.may_touch(a, b);
        let points = broad.point_triangle(accept).par_iter().with_min_len(64);
        let points = points.filter(|[v, t]| !surface.is_beside(*v, *t));
        let first = points.map(|&[v, t]| {
            let [a, b, c] = surface.triangles()[t as usize];
            time(Stencil::PointTriangle, [v, a, b, c])
        });
        let first = first.filter(|found| found.0 < 1.0).reduce_with(sooner).unwrap_or(whole);
        let edges = broad.edge_edge(accept).par_iter().with_min_len(64);
        let second = edges.map(|&[e, f]| {
            let ([a, b], [c, d]) = (surface.edges()[e as usize], surface.edges()[f as usize]);
            time(Stencil::EdgeEdge, [a, b, c, d])
        });
        let second = second.filter(|found| found.0 < 1.0).reduce_with(sooner).unwrap_or(whole);
        if second.0 < first.0 { second } else { first }
    }

    /// An error where surfaces intersect.
    pub(super) fn intersections(
        &mut self,
        contact: &NormalContact,
        x: &[Vec3],
    ) -> Result<(), ForceError> {
        let surface = &contact.surface;
        surface.follow(x, &mut self.y);
        let found = self.overlap.find(surface, &self.y, |a, b| contact.may_touch(a, b));
        let Some(first) = found.first() else { return Ok(()) };
        let node = |v: u32| surface.node(v);
        Err(ForceError::Intersecting {
            edge: surface.edges()[first.edge as usize].map(node),
            triangle: surface.triangles()[first.triangle as usize].map(node),
            place: first.place,
        })
    }
}
