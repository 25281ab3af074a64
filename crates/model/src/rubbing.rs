//! Friction between bodies: which surfaces rub, and how.

use pliant_algebra::vec3::norm;
use pliant_contact::friction::{ContactFriction, Pressing, Rubbing, Rubbings};
use pliant_contact::surface::CollisionSurface;

use crate::obstacle::{Surroundings, stick_by};
use crate::{Body, Contact, ModelError, Scenery};

/// The stick length in a potential of the depth as a part of its distance, at least. What sticks is held with the stiffness 2 μ λ/ε then, not
/// much more than the normal one, which is about 2 λ/d̂. An upper bound in the matrix slows Newton's method down by the ratio of the stiffness at
/// a contact to that of the bodies: with a ten-thousandth of the distance it takes a hundred times the iterations.
const OF_DISTANCE: f64 = 0.1;

/// Which surfaces a [`Between`] is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Pairing {
    /// Two bodies by their places, or one and itself.
    Bodies([usize; 2]),
    /// Two materials by their names ([`BodyBuilder::material_names`](crate::BodyBuilder::material_names)), or one and itself.
    Materials([String; 2]),
}

/// How the surfaces of a pair touch, where that differs from what [`Contact`] says. What is not given is as it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Between {
    /// Which surfaces.
    pub pairing: Pairing,
    /// Coefficient of dry friction.
    pub friction: Option<f64>,
    /// How far what sticks gives way, m.
    pub stick: Option<f64>,
    /// Distance below which they repel each other, m; of two different bodies.
    pub distance: Option<f64>,
    /// Stiffness of the barrier, Pa; of two different bodies.
    pub stiffness: Option<f64>,
}

/// A part of the surface of a body that is of one material.
struct Kind<'a> {
    body: usize,
    material: Option<&'a str>,
    /// The coefficient of scenery that has one of its own.
    friction: Option<f64>,
}

impl Between {
    fn is_of(&self, a: &Kind<'_>, b: &Kind<'_>) -> bool {
        let either = |fits: &dyn Fn(usize, &Kind<'_>) -> bool| {
            fits(0, a) && fits(1, b) || fits(0, b) && fits(1, a)
        };
        match &self.pairing {
            Pairing::Bodies(pair) => either(&|k, kind| pair[k] == kind.body),
            Pairing::Materials(pair) => either(&|k, kind| kind.material == Some(pair[k].as_str())),
        }
    }
}

impl Contact {
    /// Makes the model of friction for all bodies and the scenery of a world; none where nothing rubs. `pressing` is a model that
    /// this contact has made for the same; gravity (m/s²) and the method and its step choose the stick length where none is given.
    pub(crate) fn friction_model(
        &self,
        (bodies, scenery): (&[Body], &[Scenery]),
        pressing: impl Into<Pressing>,
        world: &Surroundings<'_>,
    ) -> Result<Option<ContactFriction>, ModelError> {
        let rubs = |b: &Between| b.friction.is_some_and(|f| f != 0.0);
        let rough = scenery.iter().any(|s| s.friction.is_some_and(|f| f != 0.0));
        if self.friction == 0.0 && !rough && !self.between.iter().any(rubs) {
            return Ok(None);
        }
        let pressing = pressing.into();
        let (mut kinds, mut of_vertices) = (Vec::new(), Vec::new());
        let surface: &CollisionSurface = pressing.surface();
        let count = |body: usize| surface.bodies().iter().filter(|b| **b == body as u32).count();
        for (body, b) in bodies.iter().enumerate() {
            b.surface_kinds((body, count(body)), surface, &mut kinds, &mut of_vertices);
        }
        for (body, s) in (bodies.len()..).zip(scenery) {
            let kind = kinds.len() as u32;
            kinds.push(Kind { body, material: None, friction: s.friction });
            of_vertices.resize(of_vertices.len() + count(body), kind);
        }
        // Scenery has the stick length of what touches it.
        let mut sizes: Vec<f64> = bodies.iter().map(Body::thickness).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        sizes.resize(bodies.len() + scenery.len(), largest);
        let Surroundings { gravity, stepping, step, masses, .. } = *world;
        let gravity = norm(gravity);
        let names_bodies = |b: &&Between| matches!(b.pairing, Pairing::Bodies(_));
        let (first, second): (Vec<&Between>, Vec<&Between>) =
            self.between.iter().partition(names_bodies);
        let rubbing = |i: usize, j: usize| {
            let (a, b) = (&kinds[i], &kinds[j]);
            let named = || first.iter().chain(&second).filter(|between| between.is_of(a, b));
            let stick = named().find_map(|b| b.stick).or(self.stick);
            let coefficient = named()
                .find_map(|b| b.friction)
                .or(a.friction)
                .or(b.friction)
                .unwrap_or(self.friction);
            let size = sizes[a.body].min(sizes[b.body]);
            let usual = stick_by(stepping, (coefficient, None), size, gravity, step);
            let stick = match (stick, pressing.soft_distance(a.body as u32, b.body as u32)) {
                (None, Some(distance)) => usual.max(OF_DISTANCE * distance),
                (None, None) => usual,
                (given, _) => stick_by(stepping, (coefficient, given), size, gravity, step),
            };
            Rubbing { coefficient, stick }
        };
        let rubbings = Rubbings::new(of_vertices, kinds.len(), rubbing)?;
        if rubbings.is_smooth() {
            return Ok(None);
        }
        Ok(Some(ContactFriction::new(pressing, rubbings)?.with_stepping(stepping, masses)))
    }
}

impl Body {
    /// Appends the kinds of its surface, and that of each of its collision vertices: it is of the material of the first triangle there. A
    /// surface that is carried along is of none.
    fn surface_kinds<'a>(
        &'a self,
        (body, vertices): (usize, usize),
        surface: &CollisionSurface,
        kinds: &mut Vec<Kind<'a>>,
        of_vertices: &mut Vec<u32>,
    ) {
        let first = kinds.len() as u32;
        let boundary = self.boundary();
        let of = surface.bodies();
        let before = |t: &[u32; 3]| of[t[0] as usize] < body as u32;
        let triangles = surface.triangles().partition_point(before);
        let own = surface.triangles()[triangles..].iter();
        let own = own.take_while(|t| of[t[0] as usize] == body as u32).count();
        if self.material_names.is_empty() || own != boundary.surface.triangles.len() {
            kinds.push(Kind { body, material: None, friction: None });
            of_vertices.resize(of_vertices.len() + vertices, first);
            return;
        }
        kinds.extend(self.material_names.iter().map(|name| Kind {
            body,
            material: name.as_deref(),
            friction: None,
        }));
        let start = of_vertices.len();
        for vertex in start..start + vertices {
            let corner =
                surface.corners_of(vertex as u32).iter().map(|c| c.triangle as usize).min();
            let cell = corner.map_or(0, |triangle| boundary.cell[triangle - triangles]);
            of_vertices.push(first + self.material_of[cell as usize]);
        }
    }
}
