//! Contact of bodies with shapes that formulas describe: floors, balls, boxes, capsules, cylinders, and rooms of these forms.
//!
//! Π = Σ w κ b(d) over collision vertices nearer to a shape than d̂, with all of the area w of a vertex that faces the shape: under a
//! uniform pressure p = κ P(δ) the gap is δ d̂ exactly. No vertex enters: steps are bounded by the time at which one
//! would ([`motion`]). Vertices alone see the shape, so a triangle that is larger than what is narrow of a shape may be entered between its
//! vertices by a small ball, the rim of a cylinder, or an edge or corner of a box; a surface of triangles in the place of the shape
//! ([`crate::normal`]) is seen all over.

pub mod friction;
pub mod gap;
pub mod motion;

use std::sync::Arc;

use pliant_algebra::mat3::Mat3;
use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, is_finite, scale};
use pliant_forces::obstacles::Shape;
use pliant_forces::{Ask, Character, Configuration, ForceError, ForceModel, Slots, Workspace};
use rayon::prelude::*;

use self::gap::{Gap, gaps};
use self::motion::safe_time;
use crate::barrier::Barrier;
use crate::normal::{Survey, Touch};
use crate::surface::{CollisionSurface, add_block};

/// Vertices that one task looks at.
const CHUNK: usize = 1024;

/// Contact with one shape.
#[derive(Debug, Clone)]
pub struct ShapeContact {
    name: String,
    shape: Shape,
    surface: Arc<CollisionSurface>,
    touches: Vec<Touch>,
    barrier: Barrier,
    /// The collision vertices of the bodies that it is for, ascending.
    vertices: Vec<u32>,
    bound: Option<Pattern>,
    first: u32,
}

/// A vertex near the shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    pub(crate) vertex: u32,
    /// Its place among the vertices of the contact.
    pub(crate) index: usize,
    pub(crate) gap: Gap,
    /// κ, Pa, and d̂, m.
    touch: Touch,
    barrier: Barrier,
    /// The area that faces the shape, m².
    pub(crate) area: f64,
}

impl Near {
    /// The normal force, N.
    pub(crate) fn force(&self) -> f64 {
        let Touch { stiffness, distance } = self.touch;
        -stiffness * self.area * self.barrier.jet(self.gap.distance, distance).first
    }
}

/// What evaluations keep from one to the next: nothing that a result depends on.
#[derive(Debug, Clone, Default)]
struct Scratch {
    y: Vec<Vec3>,
    /// Positions at the start of the step.
    start: Vec<Vec3>,
    by: Vec<Vec3>,
    near: Vec<Vec<Near>>,
}

impl ShapeContact {
    /// Contact of the bodies with these numbers, of a surface with one [`Touch`] for each body. The name is for messages.
    pub fn new(
        name: &str,
        shape: Shape,
        surface: Arc<CollisionSurface>,
        touches: &[Touch],
        bodies: &[u32],
    ) -> Result<Self, ForceError> {
        let shape = shape.checked()?;
        if touches.len() != surface.body_count() {
            let what = "number of contact distances".to_owned();
            let accepted = format!("one is needed for each of {} bodies", surface.body_count());
            return Err(ForceError::Parameter { what, found: touches.len() as f64, accepted });
        }
        let of = surface.bodies();
        // What has no area has no faces: nothing stands on it.
        let acts = |v: &u32| {
            bodies.contains(&of[*v as usize]) && surface.vertex_areas()[*v as usize] > 0.0
        };
        let vertices = (0..surface.vertex_count() as u32).filter(acts).collect();
        let touches = touches.to_vec();
        let name = name.to_owned();
        let barrier = Barrier::default();
        Ok(Self { name, shape, surface, touches, barrier, vertices, bound: None, first: 0 })
    }

    /// Takes another potential of the gap.
    #[must_use]
    pub fn with_barrier(mut self, barrier: Barrier) -> Self {
        self.barrier = barrier;
        self
    }

    /// Its form.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes the vertices that are near the shape, in order. They are found chunk by chunk.
    fn find<'a>(
        &self,
        y: &[Vec3],
        start: &[Vec3],
        chunks: &'a mut Vec<Vec<Near>>,
    ) -> impl Iterator<Item = &'a Near> {
        let count = self.vertices.len().div_ceil(CHUNK);
        if chunks.len() < count {
            chunks.resize_with(count, Vec::new);
        }
        chunks[..count].par_iter_mut().enumerate().for_each(|(chunk, found)| {
            found.clear();
            for index in chunk * CHUNK..self.vertices.len().min((chunk + 1) * CHUNK) {
                self.near(y, start, index, |near| found.push(near));
            }
        });
        chunks[..count].iter().flatten()
    }

    /// The sides of the shape that a vertex is near.
    fn near(&self, y: &[Vec3], start: &[Vec3], index: usize, mut visit: impl FnMut(Near)) {
        let vertex = self.vertices[index];
        let touch = self.touches[self.surface.bodies()[vertex as usize] as usize];
        gaps(&self.shape, y[vertex as usize], |gap| {
            if gap.distance < touch.distance {
                // Of the sides there were at the start of the step, that which looks most alike.
                let mut before = (f64::NEG_INFINITY, gap.normal);
                gaps(&self.shape, start[vertex as usize], |then| {
                    let alike = dot(then.normal, gap.normal);
                    if alike > before.0 {
                        before = (alike, then.normal);
                    }
                });
                let area = self.surface.facing_area(start, vertex, before.1, 0.0);
                visit(Near { vertex, index, gap, touch, barrier: self.barrier, area });
            }
        });
    }

    /// Looks at contact in a configuration.
    pub fn survey(&self, x: &[Vec3], work: &mut Workspace) -> Survey {
        let Scratch { y, near, .. } = scratch(work);
        self.surface.follow(x, y);
        let mut found = Survey::default();
        for near in self.find(y, y, near) {
            let d = near.gap.distance;
            found.pairs += 1;
            found.gap = Some(found.gap.map_or(d, |gap| gap.min(d)));
            found.area += near.area;
            found.pressure = found.pressure.max(near.force() / near.area);
        }
        found
    }

    /// Fails with the first vertex that is not outside of the shape.
    pub fn refuse_inside(&self, x: &[Vec3], work: &mut Workspace) -> Result<(), ForceError> {
        let Scratch { y, .. } = scratch(work);
        self.surface.follow(x, y);
        for &vertex in &self.vertices {
            let mut least = f64::INFINITY;
            gaps(&self.shape, y[vertex as usize], |gap| least = least.min(gap.distance));
            if least <= 0.0 || least.is_nan() {
                return Err(self.error(vertex, y[vertex as usize], true));
            }
        }
        Ok(())
    }

    /// Returns the contact distance of a body here, m.
    pub fn distance(&self, body: u32) -> f64 {
        self.touches[body as usize].distance
    }

    /// Returns the gap of the vertex of a body that is nearest to the shape, or deepest in it; none if the shape is not for that body.
    pub fn nearest(&self, body: u32, x: &[Vec3], work: &mut Workspace) -> Option<Gap> {
        let Scratch { y, .. } = scratch(work);
        self.surface.follow(x, y);
        let mut nearest: Option<Gap> = None;
        for &vertex in self.vertices.iter().filter(|&&v| self.surface.bodies()[v as usize] == body)
        {
            gaps(&self.shape, y[vertex as usize], |gap| {
                if nearest.is_none_or(|found| gap.distance < found.distance) {
                    nearest = Some(gap);
                }
            });
        }
        nearest
    }

    /// Returns the force on a body by the shape, N.
    pub fn force(&self, body: u32, x: &[Vec3], work: &mut Workspace) -> Vec3 {
        let Scratch { y, near, .. } = scratch(work);
        self.surface.follow(x, y);
        let mut sum = [0.0; 3];
        for near in self.find(y, y, near) {
            if self.surface.bodies()[near.vertex as usize] == body {
                sum = add_scaled(sum, near.gap.normal, near.force());
            }
        }
        sum
    }

    /// Calls `visit` for each collision vertex that the shape repels, with its distance from one of its sides, m.
    pub fn gaps(&self, x: &[Vec3], work: &mut Workspace, mut visit: impl FnMut(u32, f64)) {
        let Scratch { y, near, .. } = scratch(work);
        self.surface.follow(x, y);
        self.find(y, y, near).for_each(|near| visit(near.vertex, near.gap.distance));
    }

    fn error(&self, vertex: u32, place: Vec3, inside: bool) -> ForceError {
        let (vertex, obstacle) = (self.surface.node(vertex), self.name.clone());
        ForceError::Obstacle { vertex, obstacle, place, inside }
    }

    /// The largest part of x + t d, t ≤ `limit`, on which no vertex enters, and the vertex that stops it.
    fn bound(
        &self,
        x: &[Vec3],
        direction: &[Vec3],
        limit: f64,
        work: &mut Workspace,
    ) -> (f64, Option<u32>) {
        let Scratch { y, by, .. } = scratch(work);
        self.surface.follow(x, y);
        self.surface.follow(direction, by);
        let (y, by) = (&*y, &*by);
        let time =
            |&v: &u32| (safe_time(&self.shape, y[v as usize], by[v as usize], limit), Some(v));
        let vertices = self.vertices.par_iter().with_min_len(CHUNK);
        let stopped = vertices.map(time).filter(|found| found.0 < limit);
        // By vertices where times are equal, whatever the order of tasks.
        let sooner = |one: (f64, Option<u32>), other: (f64, Option<u32>)| {
            if (other.0, other.1) < (one.0, one.1) { other } else { one }
        };
        stopped.reduce_with(sooner).unwrap_or((limit, None))
    }
}

fn scratch(work: &mut Workspace) -> &mut Scratch {
    work.get::<Scratch>(|_| true, Scratch::default)
}

impl ForceModel for ShapeContact {
    fn name(&self) -> &'static str {
        "contact with a shape"
    }

    fn character(&self) -> Character {
        Character { sets_in: true, bounds_steps: true, checks_ends: true, ..Character::POTENTIAL }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        for &vertex in &self.vertices {
            let nodes = self.surface.nodes_of(vertex).0;
            for &i in nodes {
                nodes.iter().filter(|&&j| i <= j).for_each(|&j| couple(i, j));
            }
        }
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.bound = Some(slots.pattern().clone());
        self.first = slots.first();
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        if let Some(vertex) = at.x.iter().position(|&x| !is_finite(x)) {
            return Err(ForceError::NotFinite { vertex, position: at.x[vertex] });
        }
        let Scratch { y, start, near, .. } = scratch(work);
        let surface = &*self.surface;
        surface.follow(at.x, y);
        surface.follow(at.lagged().unwrap_or(at.x), start);
        for near in self.find(y, start, near) {
            let Near { vertex, gap, touch: Touch { distance, stiffness }, area, .. } = *near;
            let jet = self.barrier.jet(gap.distance, distance);
            let [value, first, second] =
                [jet.value, jet.first, jet.second].map(|b| stiffness * area * b);
            for energy in [&mut ask.energy, &mut ask.stored].into_iter().flatten() {
                **energy += value;
            }
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                surface.spread(vertex, scale(gap.normal, first), gradient);
            }
            if let (Some(tangent), Some(pattern)) = (ask.tangent.as_deref_mut(), &self.bound) {
                // b′ H is negative semi-definite outside of a shape, positive in a room.
                let mut block = Mat3::outer(gap.normal, gap.normal).scale(second);
                if self.shape.is_room() {
                    block += gap.hessian.scale(first);
                }
                let nodes = (surface.nodes_of(vertex), self.first);
                add_block(pattern, nodes, block.scale(ask.position_weight), tangent);
            }
        }
        Ok(())
    }

    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        // The stiffness of a barrier has no bound.
        0.0
    }

    fn admissible(
        &self,
        at: &Configuration<'_>,
        direction: &[Vec3],
        limit: f64,
        work: &mut Workspace,
    ) -> Result<f64, ForceError> {
        if !direction.iter().all(|&d| is_finite(d)) {
            return Ok(0.0);
        }
        Ok(self.bound(at.x, direction, limit, work).0)
    }

    fn obstruction(
        &self,
        at: &Configuration<'_>,
        direction: &[Vec3],
        limit: f64,
        work: &mut Workspace,
    ) -> Option<ForceError> {
        let vertex = self.bound(at.x, direction, limit, work).1?;
        Some(self.error(vertex, scratch(work).y[vertex as usize], false))
    }

    fn check_end(&self, x: &[Vec3], work: &mut Workspace) -> Result<(), ForceError> {
        self.refuse_inside(x, work)
    }
}
