//! How far vertices may move, and whether surfaces intersect.
//!
//! A motion is followed until a pair has come to a part of the smaller one of its distance and its d̂. So a pair that was apart lands
//! where the barrier acts and is not yet steep, and one that repels already comes nearer by a factor that the barrier's curvature
//! still tells something about: no margin is needed besides.

use pliant_algebra::vec3::{Vec3, add, norm_squared, scale, sub};
use pliant_forces::ForceError;
use pliant_mesh::spatial::Aabb;
use rayon::prelude::*;

use super::NormalContact;
use super::candidates::Candidates;
use crate::broad::{BroadPhase, overlap, swept, union};
use crate::ccd::{CcdParams, safe_time};
use crate::distance::Stencil;
use crate::overlap::OverlapTest;

/// Steps are not lengthened beyond this factor: boxes around long ways overlap everything.
const LONGEST: f64 = 2.0;
/// Parts that a motion is followed in. One that is longer than so many bodies is bounded.
const PARTS: usize = 16;
/// Pairs looked at by one task.
const TASK: usize = 256;
/// The part of the distance, or of d̂ where that is smaller, that is kept.
const KEPT: f64 = 0.4;
/// The part of the way there that is gone at least.
const ADVANCE: f64 = 0.99;

/// A pair that bounds a motion.
#[derive(Debug, Clone, Copy)]
struct Hit {
    /// The part of the motion that may be gone.
    time: f64,
    vertices: [u32; 4],
}

/// Scratch of bounds and tests.
#[derive(Debug, Clone, Default)]
pub(super) struct Moving {
    broad: BroadPhase,
    boxes: Vec<Aabb>,
    overlap: OverlapTest,
    y: Vec<Vec3>,
    by: Vec<Vec3>,
    hits: Hits,
}

impl Moving {
    /// The largest part of x + t d, t ≤ `limit`, on which nothing meets, and the stencil that stops it.
    pub(super) fn bound(
        &mut self,
        contact: &NormalContact,
        near: &Candidates,
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
            self.meet(contact, near);
            if let Some(first) = self.hits.first() {
                return ((done + first.time * part).min(limit), Some(first.vertices));
            }
            if done + part >= limit {
                return (limit, None);
            }
            done += part;
            for (y, by) in self.y.iter_mut().zip(&self.by) {
                *y = add(*y, *by);
            }
        }
        (done, None)
    }

    /// Finds the pairs that bound y + t Δ, t ≤ 1. Looks at the pairs whose boxes around the motion overlap: among the
    /// candidates if these have all of them, else among all pairs, with the same result.
    fn meet(&mut self, contact: &NormalContact, near: &Candidates) {
        let surface = &contact.surface;
        let Self { broad, boxes, y, by, hits, .. } = self;
        let (y, by) = (&*y, &*by);
        let hit = |stencil: Stencil, vertices: [u32; 4]| {
            let at = |list: &[Vec3]| vertices.map(|v| list[v as usize]);
            let x = at(y);
            let second = vertices[stencil.first_vertices()];
            let [one, other] = [vertices[0], second].map(|v| surface.bodies()[v as usize]);
            let (distance, near) = (stencil.closest(&x).distance, contact.between(one, other).0);
            let by = at(by);
            // What stays as far apart as d̂ is not hit.
            let left = distance - near;
            if left > 0.0 && relative_motion(&by, stencil.first_vertices()) < left * left {
                return None;
            }
            let separation = KEPT * distance.min(near);
            let far = near - separation;
            let params = CcdParams { separation, advance: ADVANCE, far, ..CcdParams::default() };
            let time = safe_time(stencil, &x, &by, 1.0, &params).time;
            (time < 1.0).then_some(Hit { time, vertices })
        };
        let point = |&[v, t]: &[u32; 2]| {
            if surface.is_beside(v, t) {
                return None;
            }
            let [a, b, c] = surface.triangles()[t as usize];
            hit(Stencil::PointTriangle, [v, a, b, c])
        };
        let edge = |&[e, f]: &[u32; 2]| {
            let ([a, b], [c, d]) = (surface.edges()[e as usize], surface.edges()[f as usize]);
            hit(Stencil::EdgeEdge, [a, b, c, d])
        };
        let padding = 0.5 * KEPT * contact.reach;
        if !near.serve(y, by) {
            let accept = |a: u32, b: u32| contact.may_touch(a, b);
            broad.update(surface, y, Some(by), padding);
            hits.points.collect(broad.point_triangle(accept), point);
            hits.edges.collect(broad.edge_edge(accept), edge);
            return;
        }
        boxes.clear();
        boxes.extend(y.iter().zip(by).map(|(&y, &by)| swept(y, by, padding)));
        let of = |v: u32| &boxes[v as usize];
        let around = |[a, b]: [u32; 2]| union(of(a), of(b));
        hits.points.collect(near.points(), |pair| {
            let [a, b, c] = surface.triangles()[pair[1] as usize];
            let meets = overlap(of(pair[0]), &union(&around([a, b]), of(c)));
            if meets { point(pair) } else { None }
        });
        hits.edges.collect(near.edges(), |pair| {
            let [e, f] = pair.map(|e| around(surface.edges()[e as usize]));
            if overlap(&e, &f) { edge(pair) } else { None }
        });
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

/// The square of the largest motion of one of the `first` vertices relative to one of the others.
#[inline]
pub(super) fn relative_motion(by: &[Vec3; 4], first: usize) -> f64 {
    let (one, other) = by.split_at(first);
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| sub(*a, *b)));
    pairs.fold(0.0, |far: f64, d| far.max(norm_squared(d)))
}

/// Hits of vertices with triangles, and of edges.
#[derive(Debug, Clone, Default)]
struct Hits {
    points: HitList,
    edges: HitList,
}

impl Hits {
    fn all(&self) -> impl Iterator<Item = &Hit> {
        self.points.all().chain(self.edges.all())
    }

    /// The first one, by vertices where times are equal.
    fn first(&self) -> Option<&Hit> {
        let key = |hit: &Hit| (hit.time, hit.vertices);
        self.all().reduce(|one, other| if key(other) < key(one) { other } else { one })
    }
}

/// Hits in the order of pairs, whatever the threads.
#[derive(Debug, Clone, Default)]
struct HitList {
    tasks: Vec<Vec<Hit>>,
    used: usize,
}

impl HitList {
    fn collect(&mut self, pairs: &[[u32; 2]], hit: impl Fn(&[u32; 2]) -> Option<Hit> + Sync) {
        self.used = pairs.len().div_ceil(TASK);
        if self.tasks.len() < self.used {
            self.tasks.resize_with(self.used, Vec::new);
        }
        let tasks = &mut self.tasks[..self.used];
        tasks.par_iter_mut().zip(pairs.par_chunks(TASK)).for_each(|(found, pairs)| {
            found.clear();
            found.extend(pairs.iter().filter_map(&hit));
        });
    }

    fn all(&self) -> impl Iterator<Item = &Hit> {
        self.tasks[..self.used].iter().flatten()
    }
}
