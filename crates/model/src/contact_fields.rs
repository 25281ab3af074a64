//! [`ContactFields`]: pressure and gap of contact at the vertices of bodies.

use std::sync::Arc;

use pliant_algebra::vec3::Vec3;
use pliant_contact::analytic::ShapeContact;
use pliant_contact::fields::SurfaceFields;
use pliant_contact::normal::NormalContact;
use pliant_contact::soft::SoftContact;
use pliant_contact::surface::CollisionSurface;
use pliant_dynamics::{State, System};
use pliant_forces::Configuration;
use pliant_forces::obstacles::Obstacle;

use crate::skin::Skin;
use crate::{Body, ModelError};

/// Gaps at obstacles are told up to this part of a body's size where no contact distance is known.
const OF_SIZE: f64 = 1e-2;

/// Pressure and gap of contact, friction left out, at the vertices of bodies: with each other, with themselves and with obstacles, as far
/// as a potential keeps them apart. See [`SurfaceFields`] for what the numbers mean.
#[derive(Debug)]
pub struct ContactFields(SurfaceFields);

impl ContactFields {
    /// Of the bodies of a system; none where it has nothing that they could touch.
    pub fn new(bodies: &[Body], system: &System) -> Result<Option<Self>, ModelError> {
        let vertices = system.vertices();
        if let Some(contact) = system.models_of::<NormalContact>().next() {
            let reach = (0..bodies.len() as u32).map(|body| contact.reach_of(body)).collect();
            let surface = contact.surface().clone();
            return Ok(Some(Self(SurfaceFields::new(surface, reach, vertices))));
        }
        let soft = system.models_of::<SoftContact>().next();
        if soft.is_none() && system.models_of::<Obstacle>().next().is_none() {
            return Ok(None);
        }
        let mut surface = CollisionSurface::new();
        for body in bodies {
            Skin::boundary(body)?.add_to(&mut surface)?;
        }
        let reach = match soft {
            Some(contact) => (0..bodies.len() as u32).map(|body| contact.reach_of(body)).collect(),
            None => bodies.iter().map(|body| OF_SIZE * body.size()).collect(),
        };
        Ok(Some(Self(SurfaceFields::new(Arc::new(surface), reach, vertices))))
    }

    /// Looks at a state. `lagged` are the positions that areas of contact were of in the step that led there, if one did.
    pub fn look(
        &mut self,
        system: &System,
        state: &State,
        lagged: Option<&[Vec3]>,
    ) -> Result<(), ModelError> {
        let at =
            Configuration { settled: lagged, ..Configuration::new(&state.x, &state.v, state.time) };
        let fields = &mut self.0;
        fields.begin();
        for contact in system.models_of::<NormalContact>() {
            fields.add_normal(contact, &at)?;
        }
        for contact in system.models_of::<ShapeContact>() {
            fields.add_shape(contact, &at)?;
        }
        for contact in system.models_of::<SoftContact>() {
            fields.add_soft(contact, &at)?;
        }
        for obstacle in system.models_of::<Obstacle>() {
            fields.add_obstacle(obstacle, &at)?;
        }
        fields.finish(&state.x);
        Ok(())
    }

    /// The pressure at each vertex of the system, Pa; 0 where nothing is near, and inside of bodies.
    pub fn pressure(&self) -> &[f64] {
        self.0.pressure()
    }

    /// The distance of each vertex of the system from what it can touch, m, negative inside; at most the contact distance of its body, and
    /// inside of bodies 0.
    pub fn gap(&self) -> &[f64] {
        self.0.gap()
    }
}
