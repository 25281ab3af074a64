//! [`Probe`]: a sphere that pushes at bodies, after the virtual proxy of VirTis 5.4.3.
//!
//! The hand's sphere (VirTis: the haptic point) may enter a body a little. The point of the surface nearest to its
//! centre is the proxy; a plane through it, across the line to the centre, stands for the surface. Each step is
//! solved with springs between the sphere and the body: one at the proxy, shared by the corners of its triangle, and
//! one at each vertex of the surface near the sphere, in proportion to its area, so that fine meshes take the form
//! of the sphere. All of them push along normals that stay for a step. What is shown as the force is the sum of
//! what they push the body with, no more and no less.

use std::collections::VecDeque;

use pliant_algebra::vec3::{
    Vec3, add_scaled, cross, dot, norm, norm_squared, normalized, scale, sub,
};
use pliant_forces::obstacles::LocalPlane;
use pliant_mesh::spatial::triangles::closest_point;
use pliant_scene::{SceneError, Simulation, Surface};

use crate::acting;
use crate::stiff::admitted;

/// Stiffness of the springs: this times E/R for each area, so that a sphere enters a body by a small part of the
/// way that it pushes it in.
const STIFFNESS: f64 = 8.0;
/// How deep the sphere may enter, in radii. Deeper, it would come out on the other side of what it pushes.
const DEEPEST: f64 = 0.5;
/// How far it goes in a step, in radii.
const STEP: f64 = 0.25;
/// In which time it goes most of the way to where it is wanted, s: wheels and cursors jump, hands do not.
const EASE: f64 = 0.05;
/// Vertices of the surface within so many radii count.
const NEAR: f64 = 1.5;
/// What is left of the spring at the proxy where triangles are no larger than the sphere: vertices do its work there,
/// and as the proxy goes from triangle to triangle, a stiff spring would go with it and shake the body.
const LEAST: f64 = 0.1;
/// Rows of the record that are told at once.
const ROWS: usize = 64;

/// A row of the force-position curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Steps made.
    pub step: u64,
    /// Simulated, s.
    pub time: f64,
    /// How far the hand has gone since it touched, along the way it touched, m.
    pub travel: f64,
    /// What the probe feels along that way, N.
    pub along: f64,
    /// The hand, m.
    pub at: Vec3,
    /// What the body is pushed with, N.
    pub force: Vec3,
}

/// The point of the surface nearest to the probe, and the plane that stands for the surface there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proxy {
    /// m
    pub point: Vec3,
    /// Out of the body, of length 1.
    pub normal: Vec3,
    /// m/s
    pub velocity: Vec3,
}

/// A sphere that pushes at bodies, by the planes that it puts into the system ([`acting::planes`]).
#[derive(Debug, Default)]
pub struct Probe {
    held: Option<Held>,
    rows: VecDeque<Row>,
    /// Areas of the vertices of each surface at rest, m².
    areas: Vec<Vec<f64>>,
}

#[derive(Debug, Clone)]
struct Held {
    /// Where the cursor wants it.
    aim: Vec3,
    at: Vec3,
    radius: f64,
    factor: f64,
    fresh: bool,
    proxy: Option<Proxy>,
    force: Vec3,
    /// Where it touched first, and which way it went.
    touched: Option<(Vec3, Vec3)>,
}

impl Held {
    /// Towards the aim; not deeper into a body than it may.
    fn go(&mut self, deepest: f64, farthest: f64, step: f64) {
        let mut way = sub(self.aim, self.at);
        if let Some(proxy) = self.proxy {
            let inward = -dot(way, proxy.normal);
            let room = (DEEPEST * self.radius - deepest).max(0.0);
            if inward > room && deepest > 0.0 {
                way = add_scaled(way, proxy.normal, inward - room);
            }
        }
        let most = farthest.min(STEP * self.radius);
        let length = norm(way);
        // What is nearer than can be seen is there.
        let part = if length < 1e-4 * self.radius { 1.0 } else { 1.0 - (-step / EASE).exp() };
        let part = if part * length > most { most / length } else { part };
        self.at = add_scaled(self.at, way, part);
    }
}

/// The nearest point of all surfaces.
struct Nearest {
    body: usize,
    triangle: usize,
    point: Vec3,
    distance: f64,
}

impl Probe {
    /// Puts it there, or wants it there.
    pub(crate) fn aim(&mut self, aim: Vec3, radius: f64, factor: f64) {
        match &mut self.held {
            Some(held) => (held.aim, held.radius, held.factor) = (aim, radius, factor),
            None => {
                self.held = Some(Held {
                    aim,
                    at: aim,
                    radius,
                    factor,
                    fresh: true,
                    proxy: None,
                    force: [0.0; 3],
                    touched: None,
                });
            }
        }
    }

    /// Takes it away.
    pub(crate) fn lift(&mut self, simulation: &mut Simulation) {
        self.held = None;
        acting::planes_mut(simulation).clear();
        self.rows.clear();
    }

    /// Takes in the surfaces of a simulation that was just made. Its first step finds the planes.
    pub(crate) fn measure(&mut self, rest: &[Surface]) {
        self.areas = rest.iter().map(areas).collect();
    }

    /// Before a step: goes nearer to where it is wanted, at most so far, and puts planes where the surface is.
    pub(crate) fn approach(
        &mut self,
        simulation: &mut Simulation,
        farthest: f64,
    ) -> Result<(), SceneError> {
        let deepest = deepest(simulation);
        let Some(held) = &mut self.held else { return Ok(()) };
        simulation.surfaces();
        // Obstacles come after the bodies, and are not felt.
        let surfaces = &simulation.drawn()[..simulation.bodies.len()];
        if std::mem::take(&mut held.fresh) {
            // One that appears inside of a body stands beside it.
            if let Some(near) = nearest(surfaces, held.at) {
                let normal = outward(surfaces, &near, held.at);
                let gap = dot(sub(held.at, near.point), normal) - held.radius;
                held.at = add_scaled(held.at, normal, (-gap).max(0.0));
            }
        } else {
            held.go(deepest, farthest, simulation.time().step);
        }
        let Some(near) = nearest(surfaces, held.at) else {
            acting::planes_mut(simulation).clear();
            return Ok(());
        };
        let normal = outward(surfaces, &near, held.at);
        let (surface, triangle) = (&surfaces[near.body], near.triangle);
        let corners = surface.triangles()[triangle].map(|v| surface.positions()[v as usize]);
        let nodes = surface.point(triangle, barycentric(near.point, &corners));
        let nodes = nodes.unwrap_or_default();
        let v = &simulation.state().v;
        let velocity = nodes.iter().fold([0.0; 3], |s, &(k, w)| add_scaled(s, v[k as usize], w));
        held.proxy = Some(Proxy { point: near.point, normal, velocity });

        let mut planes = Vec::new();
        let (centre, radius, factor) = (held.at, held.radius, held.factor);
        let bodies = &simulation.bodies;
        let mut add = |body: usize, nodes: Vec<(u32, f64)>, way: Vec3, area: f64| {
            let asked = factor * STIFFNESS * bodies[body].modulus() / radius * area;
            let stiffness = admitted(asked, &nodes, simulation);
            let reach = radius + dot(way, centre);
            planes.push(LocalPlane { nodes, normal: way, reach, stiffness });
        };
        let inside = dot(sub(centre, near.point), normal) <= 0.0 || near.distance == 0.0;
        for (body, surface) in surfaces.iter().enumerate() {
            let places = surface.positions().iter().zip(surface.normals()).zip(&self.areas[body]);
            for (k, ((&place, &out), &area)) in places.enumerate() {
                let from = sub(place, centre);
                let distance = norm(from);
                if distance > NEAR * radius || inside {
                    continue;
                }
                let Some(way) = normalized(from) else { continue };
                // Not the far side of a thin body.
                if dot(way, out) < 0.3 {
                    add(body, surface.vertex(k), way, area);
                }
            }
        }
        if near.distance < 3.0 * radius {
            let edges = [[0, 1], [1, 2], [2, 0]].map(|[a, b]| norm(sub(corners[a], corners[b])));
            let longest = edges.into_iter().fold(0.0, f64::max);
            let part = (longest / radius - 1.0).clamp(LEAST, 1.0);
            add(near.body, nodes, scale(normal, -1.0), 0.25 * part * radius * radius);
        }
        let count = simulation.vertices();
        Ok(acting::planes_mut(simulation).put(planes, count)?)
    }

    /// After a step: what it pushed with.
    pub(crate) fn feel(&mut self, simulation: &Simulation) {
        let Some(held) = &mut self.held else { return };
        let state = simulation.state();
        held.force = acting::planes(simulation).force(&state.x);
        let Some(proxy) = held.proxy else { return };
        let touches = norm_squared(held.force) > 0.0;
        if touches && held.touched.is_none() {
            // It touched on the way to where it is.
            let entered = held.radius - dot(sub(held.at, proxy.point), proxy.normal);
            let start = add_scaled(held.at, proxy.normal, entered.max(0.0));
            held.touched = Some((start, scale(proxy.normal, -1.0)));
        }
        let Some((start, way)) = held.touched else { return };
        let away = norm(sub(held.at, proxy.point)) - held.radius;
        if away > held.radius {
            // The next touch is another one.
            held.touched = None;
            return;
        }
        if self.rows.len() == ROWS {
            self.rows.pop_front();
        }
        self.rows.push_back(Row {
            step: state.steps,
            time: state.time,
            travel: dot(sub(held.at, start), way),
            along: dot(held.force, way),
            at: held.at,
            force: held.force,
        });
    }

    /// Whether there is one.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Where the hand is, and its radius, m.
    pub fn sphere(&self) -> Option<(Vec3, f64)> {
        self.held.as_ref().map(|held| (held.at, held.radius))
    }

    /// What it pushes bodies with, N: the sum of what acts on them at the end of the last step.
    pub fn force(&self) -> Vec3 {
        self.held.as_ref().map_or([0.0; 3], |held| held.force)
    }

    /// The point of the surface that it is nearest to.
    pub fn proxy(&self) -> Option<Proxy> {
        self.held.as_ref().and_then(|held| held.proxy)
    }

    /// The last rows of the record.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }
}

/// How far a point is behind its plane at most, m.
fn deepest(simulation: &Simulation) -> f64 {
    let x = &simulation.state().x;
    acting::planes(simulation).iter().map(|plane| plane.depth(x)).fold(0.0, f64::max)
}

fn nearest(surfaces: &[Surface], p: Vec3) -> Option<Nearest> {
    let mut best: Option<Nearest> = None;
    for (body, surface) in surfaces.iter().enumerate() {
        let places = surface.positions();
        for (triangle, corners) in surface.triangles().iter().enumerate() {
            let corners = corners.map(|v| places[v as usize]);
            // The box around the triangle is farther than what there is.
            let far: f64 = (0..3)
                .map(|k| {
                    let [a, b, c] = corners.map(|c| c[k]);
                    (a.min(b).min(c) - p[k]).max(p[k] - a.max(b).max(c)).max(0.0)
                })
                .map(|d| d * d)
                .sum();
            if best.as_ref().is_some_and(|best| far >= best.distance * best.distance) {
                continue;
            }
            let point = closest_point(p, &corners);
            let distance = norm(sub(point, p));
            if best.as_ref().is_none_or(|best| distance < best.distance) {
                best = Some(Nearest { body, triangle, point, distance });
            }
        }
    }
    best
}

/// The normal of the local plane: from the proxy to the centre, which edges and corners do not make jump (VirTis
/// fig. 5.42). From inside of the body it is the other way round.
fn outward(surfaces: &[Surface], near: &Nearest, centre: Vec3) -> Vec3 {
    let surface = &surfaces[near.body];
    let corners = surface.triangles()[near.triangle];
    let [a, b, c] = corners.map(|v| surface.positions()[v as usize]);
    // At an edge or a corner two triangles are as near: the mean of their normals tells the side.
    let weights = barycentric(near.point, &[a, b, c]);
    let mut smooth = [0.0; 3];
    for (&v, w) in corners.iter().zip(weights) {
        smooth = add_scaled(smooth, surface.normals()[v as usize], w);
    }
    let flat = normalized(cross(sub(b, a), sub(c, a)));
    let smooth = normalized(smooth).or(flat).unwrap_or([0.0, 1.0, 0.0]);
    let way = sub(centre, near.point);
    let size = norm(sub(b, a)).max(norm(sub(c, a)));
    match normalized(way) {
        Some(way) if near.distance > 1e-6 * size => {
            if dot(way, smooth) < 0.0 {
                scale(way, -1.0)
            } else {
                way
            }
        }
        _ => flat.unwrap_or(smooth),
    }
}

/// Of a point of the triangle; of one that has no area, the first corner's.
fn barycentric(p: Vec3, &[a, b, c]: &[Vec3; 3]) -> [f64; 3] {
    let n = cross(sub(b, a), sub(c, a));
    let area = norm_squared(n);
    if area <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let v = dot(cross(sub(p, a), sub(c, a)), n) / area;
    let w = dot(cross(sub(b, a), sub(p, a)), n) / area;
    let (v, w) = (v.clamp(0.0, 1.0), w.clamp(0.0, 1.0));
    [1.0 - v - w, v, w]
}

/// A third of each triangle for each of its corners, m².
fn areas(surface: &Surface) -> Vec<f64> {
    let mut list = vec![0.0; surface.positions().len()];
    for triangle in surface.triangles() {
        let [a, b, c] = triangle.map(|v| surface.positions()[v as usize]);
        let share = norm(cross(sub(b, a), sub(c, a))) / 6.0;
        for &v in triangle {
            list[v as usize] += share;
        }
    }
    list
}
