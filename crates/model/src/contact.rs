//! Contact between bodies: how near they come, and how hard they push back.

use pliant_algebra::vec3::Vec3;
use pliant_contact::normal::{NormalContact, Touch};
use pliant_contact::soft::{SoftContact, SoftTangent};
use pliant_contact::surface::{BodySurface, CollisionSurface, VertexNodes};
use pliant_forces::{ElementName, ForceError, ForceModel, Workspace};

use crate::{Body, ContactMode, ModelError};

/// d̂ as a part of the size of a body, and at most as a part of the median edge of its surface. A potential that is not infinite needs some
/// depth to stop what comes.
const OF_SIZE: f64 = 1e-3;
const OF_SIZE_SOFT: f64 = 1e-2;
const OF_EDGE: f64 = 0.25;
/// κ as a part of Young's modulus.
const OF_MODULUS: f64 = 0.1;

/// Contact of bodies with each other. Quantities that are not given are chosen for each body, so that a body far away
/// changes nothing; two bodies touch with the smaller ones of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// How they answer.
    pub mode: ContactMode,
    /// Distance below which surfaces repel each other, m.
    pub distance: Option<f64>,
    /// Stiffness κ of the barrier, Pa: the pressure at δ = 0.53 of that distance.
    pub stiffness: Option<f64>,
    /// Whether bodies touch themselves.
    pub with_themselves: bool,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            mode: ContactMode::default(),
            distance: None,
            stiffness: None,
            with_themselves: true,
        }
    }
}

/// The surface of a body: its vertices in the system, where they are at rest, and triangles between them.
struct Skin {
    rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    nodes: Vec<u32>,
}

impl Skin {
    fn of(body: &Body) -> Self {
        let boundary = body.boundary();
        let map = &boundary.vertex_map;
        Self {
            rest: map.iter().map(|&v| body.mesh.vertices[v as usize]).collect(),
            triangles: boundary.surface.triangles.clone(),
            nodes: map.iter().map(|&v| body.system_vertex(v)).collect(),
        }
    }

    fn add_to(&self, surface: &mut CollisionSurface, nodes: &[u32]) -> Result<(), ModelError> {
        let Self { rest, triangles, .. } = self;
        let nodes = VertexNodes::Same(nodes);
        let body = BodySurface { rest, triangles, strands: &[], areas: None, nodes };
        let added = surface.add(&body);
        added.map_err(|e| ForceError::Unsupported(e.to_string()))?;
        Ok(())
    }

    /// The surface of this body alone.
    fn alone(&self) -> Result<CollisionSurface, ModelError> {
        let mut surface = CollisionSurface::new();
        let nodes: Vec<u32> = (0..self.rest.len() as u32).collect();
        self.add_to(&mut surface, &nodes)?;
        Ok(surface)
    }
}

impl Contact {
    /// Makes the force model of the mode for all bodies of a world, in the order of their vertices; none where bodies meet without a
    /// force.
    pub fn force_model(&self, bodies: &[Body]) -> Result<Option<Box<dyn ForceModel>>, ModelError> {
        let tangent = match self.mode {
            ContactMode::Barrier => return Ok(Some(Box::new(self.model(bodies)?))),
            ContactMode::Soft | ContactMode::Constraints => SoftTangent::Majorant,
            ContactMode::Penalty => SoftTangent::Exact,
            ContactMode::TwoStep | ContactMode::Off => return Ok(None),
        };
        Ok(Some(Box::new(self.soft(bodies, tangent)?)))
    }

    /// Makes the model of a potential of the depth.
    pub fn soft(&self, bodies: &[Body], tangent: SoftTangent) -> Result<SoftContact, ModelError> {
        let (surface, touches, _) = self.surface(bodies)?;
        Ok(SoftContact::new(surface, touches, self.with_themselves, tangent)?)
    }

    /// Makes the model of a barrier.
    pub fn model(&self, bodies: &[Body]) -> Result<NormalContact, ModelError> {
        let (surface, touches, size) = self.surface(bodies)?;
        Ok(NormalContact::new(surface, touches, self.with_themselves, size)?)
    }

    /// The surfaces of all bodies, how each touches others, and the size of the largest, m.
    fn surface(&self, bodies: &[Body]) -> Result<(CollisionSurface, Vec<Touch>, f64), ModelError> {
        let mut surface = CollisionSurface::new();
        let (mut touches, mut size) = (Vec::new(), 0.0_f64);
        for body in bodies {
            if ![ElementName::Tet4, ElementName::Hex8].contains(&body.element) {
                let text = format!(
                    "body '{}' has {} elements: contact serves tet4 and hex8 so far",
                    body.name,
                    body.element.name()
                );
                return Err(ForceError::Unsupported(text).into());
            }
            let skin = Skin::of(body);
            touches.push(self.touch(body, &skin)?);
            skin.add_to(&mut surface, &skin.nodes)?;
            size = size.max(body.size());
        }
        Ok((surface, touches, size))
    }

    fn touch(&self, body: &Body, skin: &Skin) -> Result<Touch, ModelError> {
        let surface = skin.alone()?;
        let mut edges: Vec<f64> = surface.edge_lengths_squared().iter().map(|s| s.sqrt()).collect();
        edges.sort_unstable_by(f64::total_cmp);
        let median = edges.get(edges.len() / 2).copied().unwrap_or(f64::INFINITY);
        let refuse = |found: f64, accepted: String| {
            let what = format!("contact.distance for body '{}'", body.name);
            Err(ForceError::Parameter { what, found, accepted }.into())
        };
        if let Some(found) = self.distance.filter(|d| *d > 0.5 * median) {
            let most = 0.5 * median;
            let accepted = format!(
                "must be at most half of the median edge of its surface, {most:.6e} m: choose it smaller, or leave it out"
            );
            return refuse(found, accepted);
        }
        let of_size = if self.mode == ContactMode::Barrier { OF_SIZE } else { OF_SIZE_SOFT };
        let distance = self.distance.unwrap_or((of_size * body.size()).min(OF_EDGE * median));
        let stiffness = match self.stiffness {
            Some(stiffness) => stiffness,
            None if body.modulus() > 0.0 => OF_MODULUS * body.modulus(),
            None => {
                let text = format!(
                    "the modulus of body '{}' is not known from one number: give contact.stiffness, such as \"10 kPa\"",
                    body.name
                );
                return Err(ForceError::Unsupported(text).into());
            }
        };
        let mut touch = Touch { distance, stiffness };
        if self.with_themselves {
            let alone = NormalContact::new(surface, vec![touch], true, body.size())?;
            // Parts that are nearer to each other at rest would push each other away.
            if let Some(gap) = alone.survey(&skin.rest, &mut Workspace::new()).gap {
                if self.distance.is_some() {
                    let accepted = format!(
                        "parts of its surface are {gap:.6e} m apart at rest, and would repel each other: choose it smaller than that"
                    );
                    return refuse(distance, accepted);
                }
                touch.distance = 0.5 * gap;
            }
        }
        Ok(touch)
    }
}
