//! [`SurfaceFields`]: pressure and gap of contact at the vertices of bodies, for frames, pictures and reports.
//!
//! The pressure at a vertex is the force of contact on it, along the normal of what faces that, over the area ∫N dA there, so that the sum of pressures times areas over the
//! face of a body is the force on that face, whatever the meshes. Friction does not count. The corners of quadratic faces have no area
//! of their own: what acts on them counts for the middles of the edges there, and they have the mean of those.
//!
//! The gap is the distance from a vertex to the nearest surface that it can touch, negative where it is inside, and at most the contact
//! distance of its body: that is what a vertex has that nothing is near.

use std::sync::Arc;

use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, scale};
use pliant_forces::obstacles::Obstacle;
use pliant_forces::{Ask, Configuration, ForceError, ForceModel, Workspace};

use crate::analytic::ShapeContact;
use crate::analytic::gap::gaps;
use crate::normal::NormalContact;
use crate::soft::SoftContact;
use crate::surface::CollisionSurface;

/// A vertex whose area is below this part of the areas that it is summed up of, with signs, has none.
const NO_AREA: f64 = 1e-6;

/// Contact of one configuration, at each vertex of the simulation.
#[derive(Debug)]
pub struct SurfaceFields {
    surface: Arc<CollisionSurface>,
    /// The most that a gap is told as, m, of the vertices of each body.
    reach: Vec<f64>,
    /// Vertices without an area of their own.
    bare: Vec<Bare>,
    /// Σ |W| a of each vertex, m².
    whole: Vec<f64>,
    y: Vec<Vec3>,
    gradient: Vec<Vec3>,
    /// What faces the force on a vertex: areas, and the sum of areas times normals, m².
    areas: Vec<(f64, Vec3)>,
    pressure: Vec<f64>,
    gap: Vec<f64>,
    work: Works,
}

/// A vertex without an area of its own.
#[derive(Debug)]
struct Bare {
    node: u32,
    /// The vertices that it shares edges with, and the collision vertices that these are.
    others: Vec<[u32; 2]>,
    /// Scratch: how much each of these counts.
    parts: Vec<f64>,
}

/// One workspace for each kind of model.
#[derive(Debug, Default)]
struct Works {
    normal: Workspace,
    shape: Workspace,
    soft: Workspace,
    obstacle: Workspace,
}

impl SurfaceFields {
    /// For so many vertices of a simulation, of which `surface` has those of bodies; `reach` are the contact distances of its bodies, m.
    pub fn new(surface: Arc<CollisionSurface>, reach: Vec<f64>, vertices: usize) -> Self {
        let count = vertices.max(surface.simulated_vertices());
        let mut own = vec![[0.0; 2]; count];
        for v in 0..surface.vertex_count() as u32 {
            let (nodes, weights) = surface.nodes_of(v);
            let area = surface.vertex_areas()[v as usize];
            for (&node, weight) in nodes.iter().zip(weights) {
                let [signed, whole] = &mut own[node as usize];
                (*signed, *whole) = (*signed + weight * area, *whole + weight.abs() * area);
            }
        }
        let is_bare = |node: u32| {
            let [signed, whole] = own[node as usize];
            whole > 0.0 && signed < NO_AREA * whole
        };
        let none = |node: u32| Bare { node, others: Vec::new(), parts: Vec::new() };
        let mut bare: Vec<Bare> = (0..count as u32).filter(|&v| is_bare(v)).map(none).collect();
        for &[a, b] in surface.edges() {
            for [one, other] in [[a, b], [b, a]] {
                let [node, beside] = [one, other].map(|v| surface.node(v) as u32);
                if let Ok(k) = bare.binary_search_by_key(&node, |bare| bare.node)
                    && !is_bare(beside)
                {
                    bare[k].others.push([beside, other]);
                }
            }
        }
        Self {
            surface,
            reach,
            bare,
            whole: own.iter().map(|area| area[1]).collect(),
            y: Vec::new(),
            gradient: vec![[0.0; 3]; count],
            areas: vec![(0.0, [0.0; 3]); count],
            pressure: vec![0.0; count],
            gap: vec![0.0; count],
            work: Works::default(),
        }
    }

    /// The surface that areas are of.
    pub fn surface(&self) -> &Arc<CollisionSurface> {
        &self.surface
    }

    /// The pressure at each vertex of the simulation, Pa; 0 where nothing is near and inside of bodies.
    pub fn pressure(&self) -> &[f64] {
        &self.pressure
    }

    /// The gap at each vertex of the simulation, m; the contact distance of its body where nothing is near, and inside of bodies 0.
    pub fn gap(&self) -> &[f64] {
        &self.gap
    }

    /// Forgets all contact, to look at another configuration. Models are added then, and [`SurfaceFields::finish`] ends it.
    pub fn begin(&mut self) {
        let Self { surface, reach, gradient, gap, .. } = self;
        gradient.fill([0.0; 3]);
        gap.fill(0.0);
        for v in 0..surface.vertex_count() as u32 {
            let most = reach.get(surface.bodies()[v as usize] as usize).copied().unwrap_or(0.0);
            surface.nodes_of(v).0.iter().for_each(|&node| gap[node as usize] = most);
        }
    }

    /// Adds a barrier between bodies.
    pub fn add_normal(
        &mut self,
        contact: &NormalContact,
        at: &Configuration<'_>,
    ) -> Result<(), ForceError> {
        let Self { surface, gradient, gap, work, .. } = self;
        add_forces(contact, at, gradient, &mut work.normal)?;
        contact.gaps(at, &mut work.normal, |v, d| near(surface, gap, v, d));
        Ok(())
    }

    /// Adds a barrier at a shape.
    pub fn add_shape(
        &mut self,
        contact: &ShapeContact,
        at: &Configuration<'_>,
    ) -> Result<(), ForceError> {
        let Self { surface, gradient, gap, work, .. } = self;
        add_forces(contact, at, gradient, &mut work.shape)?;
        contact.gaps(at.x, &mut work.shape, |v, d| near(surface, gap, v, d));
        Ok(())
    }

    /// Adds a potential of the depth between bodies.
    pub fn add_soft(
        &mut self,
        contact: &SoftContact,
        at: &Configuration<'_>,
    ) -> Result<(), ForceError> {
        let Self { gradient, gap, work, .. } = self;
        add_forces(contact, at, gradient, &mut work.soft)?;
        contact.each(at.x, &mut work.soft, |[v, ..], press| {
            lower(gap, v, press.closest.distance);
        });
        Ok(())
    }

    /// Adds a potential of the depth in a shape.
    pub fn add_obstacle(
        &mut self,
        obstacle: &Obstacle,
        at: &Configuration<'_>,
    ) -> Result<(), ForceError> {
        let Self { gradient, gap, work, .. } = self;
        add_forces(obstacle, at, gradient, &mut work.obstacle)?;
        obstacle.each_vertex(|v| {
            if let Some(&x) = at.x.get(v as usize) {
                gaps(obstacle.shape(), x, |found| lower(gap, v, found.distance));
            }
        });
        Ok(())
    }

    /// Computes pressures from what was added, for positions x of the vertices. No allocation after the first time.
    pub fn finish(&mut self, x: &[Vec3]) {
        let Self { surface, bare, whole, y, gradient, areas, pressure, .. } = self;
        surface.follow(x, y);
        for bare in &mut *bare {
            let part = std::mem::take(&mut gradient[bare.node as usize]);
            let all = bare.weigh(surface, y, part);
            for ([other, _], weight) in bare.others.iter().zip(&bare.parts) {
                let sum = &mut gradient[*other as usize];
                *sum = add_scaled(*sum, part, if all > 0.0 { weight / all } else { 0.0 });
            }
        }
        areas.fill((0.0, [0.0; 3]));
        for v in 0..surface.vertex_count() as u32 {
            let (nodes, weights) = surface.nodes_of(v);
            for (&node, weight) in nodes.iter().zip(weights) {
                let g = gradient[node as usize];
                let size = norm(g);
                if size > 0.0 {
                    let (area, normal) = surface.faced(y, v, scale(g, -1.0 / size), 0.0);
                    let sums = &mut areas[node as usize];
                    *sums = (sums.0 + weight * area, add_scaled(sums.1, normal, *weight));
                }
            }
        }
        let each = pressure.iter_mut().zip(&*gradient).zip(areas.iter().zip(&*whole));
        for ((pressure, g), (&(area, normal), whole)) in each {
            let size = area * norm(normal);
            let faces = area > NO_AREA * whole && size > 0.0;
            *pressure = if faces { (dot(*g, normal) / size).max(0.0) } else { 0.0 };
        }
        for bare in bare {
            let add = |sum, other: &[u32; 2]| add_scaled(sum, gradient[other[0] as usize], 1.0);
            let around = bare.others.iter().fold([0.0; 3], add);
            let all = bare.weigh(surface, y, around);
            let parts = bare.others.iter().zip(&bare.parts);
            let sum: f64 = parts.map(|(other, part)| part * pressure[other[0] as usize]).sum();
            pressure[bare.node as usize] = if all > 0.0 { sum / all } else { 0.0 };
        }
    }
}

impl Bare {
    /// Weighs its neighbours by the areas that they turn to a force −g. Returns the sum of these areas.
    fn weigh(&mut self, surface: &CollisionSurface, y: &[Vec3], g: Vec3) -> f64 {
        let size = norm(g);
        self.parts.clear();
        if size > 0.0 {
            let away = scale(g, -1.0 / size);
            let area = |other: &[u32; 2]| surface.faced(y, other[1], away, 0.0).0;
            self.parts.extend(self.others.iter().map(area));
        }
        self.parts.iter().sum()
    }
}

/// Adds the gradient of a model of all vertices from the first on.
fn add_forces(
    model: &dyn ForceModel,
    at: &Configuration<'_>,
    gradient: &mut [Vec3],
    work: &mut Workspace,
) -> Result<(), ForceError> {
    model.evaluate(at, &mut Ask { gradient: Some(gradient), ..Ask::default() }, work)
}

/// Takes in a gap of a collision vertex.
fn near(surface: &CollisionSurface, gap: &mut [f64], vertex: u32, distance: f64) {
    // Points in the middle of faces tell nothing of the vertices around.
    if !surface.is_sample(vertex) {
        surface.nodes_of(vertex).0.iter().for_each(|&node| lower(gap, node, distance));
    }
}

fn lower(gap: &mut [f64], vertex: u32, distance: f64) {
    if let Some(gap) = gap.get_mut(vertex as usize) {
        *gap = gap.min(distance);
    }
}
