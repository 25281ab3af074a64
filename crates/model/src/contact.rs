//! Contact between bodies: how near they come, and how hard they push back.

use pliant_contact::barrier::Barrier;
use pliant_contact::normal::{NormalContact, Touch};
use pliant_contact::soft::{SoftContact, SoftTangent};
use pliant_contact::surface::CollisionSurface as Surface;
use pliant_forces::{ForceError, Workspace};

use crate::rubbing::{Between, Pairing};
use crate::skin::Skin;
use crate::surface::CollisionSurface;
use crate::{Body, ContactMode, ModelError, Scenery};

/// d̂ as a part of the size of a body, and at most as a part of the median edge of its surface. A potential that is not infinite needs some
/// depth to stop what comes.
const OF_SIZE: f64 = 1e-3;
const OF_SIZE_SOFT: f64 = 1e-2;
const OF_EDGE: f64 = 0.25;
/// κ as a part of Young's modulus.
const OF_MODULUS: f64 = 0.1;

/// Contact of bodies with each other. Quantities that are not given are chosen for each body, so that a body far away
/// changes nothing; two bodies touch with the smaller ones of both.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// How they answer.
    pub mode: ContactMode,
    /// Distance below which surfaces repel each other, m.
    pub distance: Option<f64>,
    /// Stiffness κ of the barrier, Pa: the pressure at δ = 0.53 of that distance.
    pub stiffness: Option<f64>,
    /// The potential of the gap, of a barrier.
    pub barrier: Barrier,
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
            mode: ContactMode::default(),
            distance: None,
            stiffness: None,
            barrier: Barrier::default(),
            with_themselves: true,
            friction: 0.0,
            stick: None,
            between: Vec::new(),
        }
    }
}

impl Contact {
    /// The tangent of the potential of the depth by which bodies answer in this mode; none where they answer by another or by none.
    pub(crate) fn soft_tangent(&self) -> Option<SoftTangent> {
        match self.mode {
            ContactMode::Soft | ContactMode::Constraints => Some(SoftTangent::Majorant),
            ContactMode::Penalty => Some(SoftTangent::Exact),
            ContactMode::Barrier | ContactMode::TwoStep | ContactMode::Off => None,
        }
    }

    /// Makes the model of a potential of the depth.
    pub fn soft(
        &self,
        bodies: &[Body],
        carried: &[Option<&CollisionSurface>],
        tangent: SoftTangent,
    ) -> Result<SoftContact, ModelError> {
        let (surface, touches, ..) = self.surface(bodies, carried)?;
        let pairs = self.pairs(bodies, &touches)?;
        let model = SoftContact::new(surface, touches, self.with_themselves, tangent)?;
        Ok(model.with_pairs(pairs)?)
    }

    /// Makes the model of a barrier. A body touches with the surface that it carries along where there is one for it in `carried`, and
    /// with the boundary of its mesh elsewhere. Scenery comes after the bodies.
    pub fn model(
        &self,
        bodies: &[Body],
        carried: &[Option<&CollisionSurface>],
        scenery: &[Scenery],
    ) -> Result<NormalContact, ModelError> {
        let (mut surface, mut touches, size, area) = self.surface(bodies, carried)?;
        let pairs = self.pairs(bodies, &touches)?;
        // A body and scenery touch with what the body has.
        let most = |of: fn(&Touch) -> f64| touches.iter().map(of).fold(0.0, f64::max);
        let least = Touch { distance: most(|t| t.distance), stiffness: most(|t| t.stiffness) };
        for scenery in scenery {
            Skin::scenery(scenery, area).add_to(&mut surface)?;
            touches.push(least);
        }
        let model = NormalContact::new(surface, touches, self.with_themselves, size)?;
        Ok(model.with_barrier(self.barrier).with_pairs(pairs)?.with_scenery(bodies.len() as u32))
    }

    /// The surfaces of all bodies, how each touches others, the size of the largest, m, and the smallest mean area of their triangles, m².
    fn surface(
        &self,
        bodies: &[Body],
        carried: &[Option<&CollisionSurface>],
    ) -> Result<(Surface, Vec<Touch>, f64, f64), ModelError> {
        let mut surface = Surface::new();
        let (mut touches, mut size) = (Vec::new(), 0.0_f64);
        let mut area = f64::INFINITY;
        for (k, body) in bodies.iter().enumerate() {
            let skin = match carried.get(k) {
                Some(Some(carried)) => Skin::carried(body, carried),
                _ => Skin::boundary(body)?,
            };
            let skin =
                if self.mode == ContactMode::Barrier { skin } else { skin.without_samples() };
            touches.push(self.touch(body, &skin)?);
            skin.add_to(&mut surface)?;
            size = size.max(body.size());
            area = area.min(skin.mean_area());
        }
        Ok((surface, touches, size, area))
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
                check_distance(touch.distance, body, median_edge(&Skin::boundary(body)?.alone()?))?;
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
                    refuse(distance, body, accepted)?;
                }
                touch.distance = 0.5 * gap;
            }
        }
        Ok(touch)
    }
}

/// The median edge of a surface at rest, m.
fn median_edge(surface: &Surface) -> f64 {
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
