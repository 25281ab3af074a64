//! Contact between bodies: how near they come, and how hard they push back.

use pliant_algebra::vec3::Vec3;
use pliant_contact::normal::{NormalContact, Touch};
use pliant_contact::surface::{BodySurface, CollisionSurface, VertexNodes};
use pliant_forces::{ElementName, ForceError, Workspace};

use crate::rubbing::{Between, Pairing};
use crate::{Body, ModelError};

/// d̂ as a part of the size of a body, and at most as a part of the median edge of its surface.
const OF_SIZE: f64 = 1e-3;
const OF_EDGE: f64 = 0.25;
/// κ as a part of Young's modulus.
const OF_MODULUS: f64 = 0.1;

/// Contact of bodies with each other by a barrier. Quantities that are not given are chosen for each body, so that a body far away
/// changes nothing; two bodies touch with the smaller ones of both.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Distance below which surfaces repel each other, m.
    pub distance: Option<f64>,
    /// Stiffness κ of the barrier, Pa: the pressure at δ = 0.53 of that distance.
    pub stiffness: Option<f64>,
    /// Whether bodies touch themselves.
    pub with_themselves: bool,
    /// Coefficient of dry friction; 0 for surfaces that are perfectly slippery.
    pub friction: f64,
    /// How far what sticks gives way, m; chosen by the bodies and the step if none.
    pub stick: Option<f64>,
    /// Pairs to which other quantities apply. Of those that name one pair the first counts, and those that name bodies count before
    /// those that name materials.
    pub between: Vec<Between>,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            distance: None,
            stiffness: None,
            with_themselves: true,
            friction: 0.0,
            stick: None,
            between: Vec::new(),
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
    /// Makes the model for all bodies of a world, in the order of their vertices.
    pub fn model(&self, bodies: &[Body]) -> Result<NormalContact, ModelError> {
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
        let pairs = self.pairs(bodies, &touches)?;
        let model = NormalContact::new(surface, touches, self.with_themselves, size)?;
        Ok(model.with_pairs(pairs)?)
    }

    /// Pairs of bodies with a distance or a stiffness of their own.
    fn pairs(
        &self,
        bodies: &[Body],
        touches: &[Touch],
    ) -> Result<Vec<([u32; 2], Touch)>, ModelError> {
        let mut pairs: Vec<([u32; 2], Touch)> = Vec::new();
        for between in &self.between {
            let (Pairing::Bodies([a, b]), true) =
                (&between.pairing, between.distance.is_some() || between.stiffness.is_some())
            else {
                continue;
            };
            let usual = |of: fn(&Touch) -> f64| of(&touches[*a]).min(of(&touches[*b]));
            let touch = Touch {
                distance: between.distance.unwrap_or(usual(|t| t.distance)),
                stiffness: between.stiffness.unwrap_or(usual(|t| t.stiffness)),
            };
            for body in [&bodies[*a], &bodies[*b]] {
                check_distance(touch.distance, body, median_edge(&Skin::of(body).alone()?))?;
            }
            let pair = [*a.min(b) as u32, *a.max(b) as u32];
            if !pairs.iter().any(|(known, _)| *known == pair) {
                pairs.push((pair, touch));
            }
        }
        Ok(pairs)
    }

    fn touch(&self, body: &Body, skin: &Skin) -> Result<Touch, ModelError> {
        let surface = skin.alone()?;
        let median = median_edge(&surface);
        if let Some(distance) = self.distance {
            check_distance(distance, body, median)?;
        }
        let distance = self.distance.unwrap_or((OF_SIZE * body.size()).min(OF_EDGE * median));
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
                    refuse(distance, body, accepted)?;
                }
                touch.distance = 0.5 * gap;
            }
        }
        Ok(touch)
    }
}

/// The median edge of a surface at rest, m.
fn median_edge(surface: &CollisionSurface) -> f64 {
    let mut edges: Vec<f64> = surface.edge_lengths_squared().iter().map(|s| s.sqrt()).collect();
    edges.sort_unstable_by(f64::total_cmp);
    edges.get(edges.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// Refuses a distance that is too long for the edges of a body.
fn check_distance(found: f64, body: &Body, median: f64) -> Result<(), ModelError> {
    let most = 0.5 * median;
    if found <= most {
        return Ok(());
    }
    let accepted = format!(
        "must be at most half of the median edge of its surface, {most:.6e} m: choose it smaller, or leave it out"
    );
    refuse(found, body, accepted)
}

fn refuse(found: f64, body: &Body, accepted: String) -> Result<(), ModelError> {
    let what = format!("contact.distance for body '{}'", body.name);
    Err(ForceError::Parameter { what, found, accepted }.into())
}
