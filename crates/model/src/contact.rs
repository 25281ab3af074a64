//! Contact between bodies: how near they come, and how hard they push back.

use pliant_contact::normal::{NormalContact, Touch};
use pliant_contact::surface::CollisionSurface as Surface;
use pliant_forces::{ForceError, Workspace};

use crate::skin::Skin;
use crate::surface::CollisionSurface;
use crate::{Body, ModelError, Scenery};

/// d̂ as a part of the size of a body, and at most as a part of the median edge of its surface.
const OF_SIZE: f64 = 1e-3;
const OF_EDGE: f64 = 0.25;
/// κ as a part of Young's modulus.
const OF_MODULUS: f64 = 0.1;

/// Contact of bodies with each other by a barrier. Quantities that are not given are chosen for each body, so that a body far away
/// changes nothing; two bodies touch with the smaller ones of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Distance below which surfaces repel each other, m.
    pub distance: Option<f64>,
    /// Stiffness κ of the barrier, Pa: the pressure at δ = 0.53 of that distance.
    pub stiffness: Option<f64>,
    /// Whether bodies touch themselves.
    pub with_themselves: bool,
}

impl Default for Contact {
    fn default() -> Self {
        Self { distance: None, stiffness: None, with_themselves: true }
    }
}

impl Contact {
    /// Makes the model for all bodies of a world, in the order of their vertices. A body touches with the surface that it carries along
    /// where there is one for it in `carried`, and with the boundary of its mesh elsewhere. Scenery comes after the bodies.
    pub fn model(
        &self,
        bodies: &[Body],
        carried: &[Option<&CollisionSurface>],
        scenery: &[Scenery],
    ) -> Result<NormalContact, ModelError> {
        let mut surface = Surface::new();
        let (mut touches, mut size) = (Vec::new(), 0.0_f64);
        let mut area = f64::INFINITY;
        for (k, body) in bodies.iter().enumerate() {
            let skin = match carried.get(k) {
                Some(Some(carried)) => Skin::carried(body, carried),
                _ => Skin::boundary(body)?,
            };
            touches.push(self.touch(body, &skin)?);
            skin.add_to(&mut surface)?;
            size = size.max(body.size());
            area = area.min(skin.mean_area());
        }
        // A body and scenery touch with what the body has.
        let most = |of: fn(&Touch) -> f64| touches.iter().map(of).fold(0.0, f64::max);
        let least = Touch { distance: most(|t| t.distance), stiffness: most(|t| t.stiffness) };
        for scenery in scenery {
            Skin::scenery(scenery, area).add_to(&mut surface)?;
            touches.push(least);
        }
        let contact = NormalContact::new(surface, touches, self.with_themselves, size)?;
        Ok(contact.with_scenery(bodies.len() as u32))
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
                    return refuse(distance, accepted);
                }
                touch.distance = 0.5 * gap;
            }
        }
        Ok(touch)
    }
}
