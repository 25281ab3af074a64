//! [`Press`]: a collision vertex within the contact distance of another body's outer side, or inside of it, and how all of them are
//! found.
//!
//! The other body is represented by its triangle that is nearest to the vertex, by distance alone, the lowest of several: each vertex
//! presses on a body once. What is found depends on positions alone, and its order on the numbers of vertices and bodies.

use pliant_algebra::vec3::{Vec3, add_scaled, norm_squared, sub};
use pliant_mesh::spatial::Aabb;
use rayon::prelude::*;

use super::SoftContact;
use super::nearest::{Nearest, Query};
use crate::broad::boxes::{swept, union};
use crate::distance::Closest;

/// Vertices that one task looks at.
const CHUNK: usize = 128;

/// A vertex that presses on a triangle.
#[derive(Debug, Clone, Copy)]
pub struct Press {
    /// Collision vertices: the one that presses, and the corners of the triangle.
    pub vertices: [u32; 4],
    /// Closest points; the distance is negative inside, the normal points outward from the triangle, and the weights
    /// tell how a force along it is shared out.
    pub closest: Closest,
    /// d̂, m.
    pub distance: f64,
    /// κ, Pa.
    pub stiffness: f64,
    /// The area that the vertex counts by, m².
    pub area: f64,
}

impl Press {
    /// φ, φ' and φ'' by the depth d̂ − g: J, N and N/m. φ' is the force along the normal.
    pub fn potential(&self) -> [f64; 3] {
        let penalty = pliant_forces::obstacles::Penalty {
            stiffness: self.stiffness * self.area / self.distance,
            smoothing: self.distance,
        };
        penalty.at((self.distance - self.closest.distance).max(0.0))
    }
}

/// All presses of a configuration, and what they are found with.
#[derive(Debug, Clone, Default)]
pub(super) struct Presses {
    /// Positions of the collision vertices.
    pub(super) y: Vec<Vec3>,
    boxes: Vec<Aabb>,
    /// Of all vertices of each body.
    bounds: Vec<Aabb>,
    bodies: Vec<Around>,
    /// Which vertices are looked at, with the body that they may press on.
    asked: Vec<(u32, u32)>,
    chunks: Vec<Vec<Press>>,
    used: usize,
}

/// What is kept of a body.
#[derive(Debug, Clone, Default)]
struct Around {
    nearest: Nearest,
    /// Whether its tree belongs to these positions.
    fresh: bool,
    /// Vertices that may come near to triangles of their own body, while none has moved farther than `trust` beyond what the body as
    /// a whole has.
    near_own: Vec<u32>,
    near: Vec<bool>,
    found_at: Vec<Vec3>,
}

impl Presses {
    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Press> {
        self.chunks[..self.used].iter().flatten()
    }

    /// Finds all of positions `x`, with distances stretched by a factor.
    pub(super) fn find(&mut self, contact: &SoftContact, x: &[Vec3], stretch: f64) {
        contact.surface.follow(x, &mut self.y);
        let Self { y, boxes, bounds, bodies, asked, chunks, used } = self;
        boxes.clear();
        boxes.extend(y.iter().map(|&y| swept(y, [0.0; 3], 0.0)));
        bodies.resize_with(contact.bodies.len(), Around::default);
        bounds.clear();
        for (body, around) in bodies.iter_mut().enumerate() {
            let own = &boxes[contact.vertices_of(body)];
            bounds.push(own.iter().fold(Aabb::EMPTY, |all, b| union(&all, b)));
            around.fresh = false;
        }
        asked.clear();
        for body in 0..bodies.len() {
            if contact.with_themselves {
                watch(contact, bodies, boxes, y, body);
                asked.extend(bodies[body].near_own.iter().map(|&v| (v, body as u32)));
            }
            for other in (0..bodies.len()).filter(|&other| other != body) {
                let reach = stretch * contact.between(body, other).distance;
                let room = grown(&bounds[other], reach);
                if !room.overlaps(&bounds[body]) {
                    continue;
                }
                let before = asked.len();
                let inside = |v: &usize| room.overlaps(&boxes[*v]);
                let list = contact.vertices_of(body).filter(inside);
                asked.extend(list.map(|v| (v as u32, other as u32)));
                if asked.len() > before {
                    bodies[other].refresh(contact, other, boxes);
                }
            }
        }
        *used = asked.len().div_ceil(CHUNK);
        if chunks.len() < *used {
            chunks.resize_with(*used, Vec::new);
        }
        let (y, bodies) = (&*y, &*bodies);
        chunks[..*used].par_iter_mut().zip(asked.par_chunks(CHUNK)).for_each(|(found, asked)| {
            found.clear();
            found.extend(asked.iter().filter_map(|&(vertex, other)| {
                let nearest = &bodies[other as usize].nearest;
                contact.press(nearest, y, vertex, other as usize, stretch)
            }));
        });
    }
}

impl Around {
    fn refresh(&mut self, contact: &SoftContact, body: usize, boxes: &[Aabb]) {
        if !self.fresh {
            let triangles = &contact.surface.triangles()[contact.triangles_of(body)];
            self.nearest.update(triangles, boxes);
            self.fresh = true;
        }
    }
}

/// Brings the list of vertices near their own body up to date.
fn watch(contact: &SoftContact, bodies: &mut [Around], boxes: &[Aabb], y: &[Vec3], body: usize) {
    let own = contact.vertices_of(body);
    let trust = contact.bodies[body].distance;
    let around = &mut bodies[body];
    let now = &y[own.clone()];
    let serves = around.found_at.len() == now.len() && {
        // The motion of the whole does not bring parts together.
        let count = 1.0 / now.len().max(1) as f64;
        let moved = now
            .iter()
            .zip(&around.found_at)
            .fold([0.0; 3], |sum, (y, then)| add_scaled(sum, sub(*y, *then), count));
        let near =
            |(y, then): (&Vec3, &Vec3)| norm_squared(sub(sub(*y, *then), moved)) <= trust * trust;
        now.iter().zip(&around.found_at).all(near)
    };
    if serves {
        if !around.near_own.is_empty() {
            around.refresh(contact, body, boxes);
        }
        return;
    }
    around.refresh(contact, body, boxes);
    around.found_at.clear();
    around.found_at.extend_from_slice(now);
    // Two of them may come nearer to each other by what each may move, on either side of the surface.
    let reach = (contact.stretch() + 2.0) * trust;
    let Around { nearest, near, near_own, .. } = around;
    near.resize(now.len(), false);
    near.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(k, near)| {
        let vertex = (own.start + k) as u32;
        *near = nearest.find(&contact.query(y, vertex, body, true), reach).is_some();
    });
    near_own.clear();
    near_own.extend((own.start as u32..).zip(&*near).filter(|(_, near)| **near).map(|(v, _)| v));
}

/// A box with `by` more on each side.
fn grown(b: &Aabb, by: f64) -> Aabb {
    Aabb { min: b.min.map(|c| c - by), max: b.max.map(|c| c + by) }
}

impl SoftContact {
    pub(super) fn query<'a>(
        &'a self,
        y: &'a [Vec3],
        vertex: u32,
        other: usize,
        skips_own: bool,
    ) -> Query<'a> {
        let first = self.triangles_of(other).start as u32;
        Query { y, triangles: self.surface.triangles(), first, vertex, skips_own }
    }

    /// What a vertex presses on in a body, with its distance stretched by a factor.
    fn press(
        &self,
        nearest: &Nearest,
        y: &[Vec3],
        vertex: u32,
        other: usize,
        stretch: f64,
    ) -> Option<Press> {
        let body = self.surface.bodies()[vertex as usize] as usize;
        let touch = self.between(body, other);
        let reach = stretch * touch.distance;
        let own = body == other;
        // A part that sinks into its own body by more than the distance cannot be told from one that was always there.
        let limit = if own { reach } else { f64::INFINITY };
        let hit = nearest.find(&self.query(y, vertex, other, own), limit)?;
        let [a, b, c] = self.surface.triangles()[hit.triangle as usize];
        let vertices = [vertex, a, b, c];
        let x = vertices.map(|v| y[v as usize]);
        let outward = self.sides.outward(&self.surface, y, hit.triangle, &hit.closest);
        let closest = hit.closest.signed(&x, outward);
        // Both sides count by half.
        let area = 0.5 * self.surface.vertex_areas()[vertex as usize];
        let (distance, stiffness) = (touch.distance, touch.stiffness);
        (closest.distance < reach).then_some(Press { vertices, closest, distance, stiffness, area })
    }
}
