//! Obstacles for the surfaces of bodies: how hard they push back, and what slides on them.

use pliant_algebra::vec3::{Vec3, norm};
use pliant_contact::analytic::ShapeContact;
use pliant_contact::analytic::friction::ShapeFriction;
use pliant_contact::normal::NormalContact;
use pliant_forces::obstacles::{Friction, Obstacle, Penalty, Shape, Stepping};

use crate::{Body, ModelError};

/// Friction of an obstacle that is given none: that of most dry things on each other.
pub const FRICTION: f64 = 0.4;

/// Depth at rest, and on impact, as a part of the body's [thickness](Body::thickness).
const AT_REST: f64 = 0.005;
const ON_IMPACT: f64 = 0.02;
/// Bodies stand on feet and edges that are narrower than a ball of their volume would touch with.
const NARROW: f64 = 1.5;

/// A shape that bodies cannot enter.
#[derive(Debug, Clone)]
pub struct Barrier {
    /// Its form.
    pub shape: Shape,
    /// N/m³: pressure for each metre of depth; chosen for each of the bodies if none.
    pub stiffness: Option<f64>,
    /// Depth over which that sets in, m; chosen for each of the bodies if none.
    pub smoothing: Option<f64>,
    /// Coefficient of dry friction; 0 for a surface that is perfectly slippery.
    pub friction: f64,
    /// How far what sticks gives way, m; chosen by the bodies and the step if none.
    pub stick: Option<f64>,
}

/// What a barrier is made for.
pub(crate) struct Surroundings<'a> {
    /// Rest positions, starting positions and velocities of all vertices.
    pub(crate) rest: &'a [Vec3],
    pub(crate) x: &'a [Vec3],
    pub(crate) v: &'a [Vec3],
    /// kg
    pub(crate) masses: &'a [f64],
    /// m/s²
    pub(crate) gravity: Vec3,
    /// The method, and its steps, s; 0 if not known.
    pub(crate) stepping: Stepping,
    pub(crate) step: f64,
}

impl Barrier {
    /// With a stiffness that suits the bodies, and [`FRICTION`].
    pub fn new(shape: Shape) -> Self {
        Self { shape, stiffness: None, smoothing: None, friction: FRICTION, stick: None }
    }

    /// Makes the models for some bodies. The vertices of their surfaces count by their areas, so that the result
    /// does not depend on how fine the meshes are.
    ///
    /// Areas are [`Body::face_weights`]: ∫ N dA of the element's own faces where that is positive. On a quadratic face it
    /// vanishes at corners, and a body would stand on its corners as if there were no floor; its weights are lumped as masses are.
    pub(crate) fn models<'a>(
        &self,
        bodies: impl Iterator<Item = &'a Body>,
        world: &Surroundings<'_>,
    ) -> Result<(Obstacle, Option<Friction>), ModelError> {
        let mut areas = vec![0.0; world.rest.len()];
        let (mut on, mut penalties) = (Vec::new(), Vec::new());
        let mut stick = f64::INFINITY;
        for body in bodies {
            for (v, weight) in body.face_weights()?.into_iter().enumerate() {
                areas[body.system_vertex(v as u32) as usize] += weight;
            }
            let own = || body.range.clone().filter(|&v| areas[v] > 0.0);
            let thickness = body.thickness();
            let smoothing = self.smoothing.unwrap_or(AT_REST * thickness);
            let stiffness = self.stiffness.unwrap_or_else(|| {
                let fall = own().map(|v| self.shape.fall(world.x[v], world.gravity));
                let fall = fall.fold(f64::INFINITY, f64::min);
                let fastest = own().map(|v| norm(world.v[v])).fold(0.0, f64::max);
                let fall = if fall.is_finite() { fall } else { 0.0 };
                stiffness(body, norm(world.gravity), (fastest * fastest + 2.0 * fall).sqrt())
            });
            on.extend(own().map(|v| v as u32));
            penalties.extend(own().map(|v| Penalty { stiffness: areas[v] * stiffness, smoothing }));
            stick = stick.min(self.stick_length(thickness, world));
        }
        let obstacle = Obstacle::with_penalties(self.shape, &on, &penalties, world.rest.len())?;
        let friction = if self.friction == 0.0 || on.is_empty() {
            None
        } else {
            let Surroundings { stepping, masses, .. } = *world;
            Some(Friction::new(&obstacle, self.friction, stick, stepping, masses)?)
        };
        Ok((obstacle, friction))
    }

    /// Makes the models of a scene in which bodies touch by a barrier, and this obstacle as well. `of` are the numbers of the bodies
    /// that it acts on, in the order of the surface.
    pub(crate) fn touched(
        &self,
        name: &str,
        contact: &NormalContact,
        of: &[(u32, &Body)],
        world: &Surroundings<'_>,
    ) -> Result<(ShapeContact, Option<ShapeFriction>), ModelError> {
        let bodies: Vec<u32> = of.iter().map(|(number, _)| *number).collect();
        let surface = contact.surface().clone();
        let model = ShapeContact::new(name, self.shape, surface, contact.touches(), &bodies)?
            .with_barrier(contact.barrier());
        let sticks = of.iter().map(|(_, body)| self.stick_length(body.thickness(), world));
        let stick = sticks.fold(f64::INFINITY, f64::min);
        let friction = if self.friction == 0.0 || of.is_empty() {
            None
        } else {
            Some(ShapeFriction::new(&model, self.friction, stick)?)
        };
        Ok((model, friction))
    }

    /// The stick length for a body of some size.
    ///
    /// Implicit methods remember what has slipped: [`stick_length`].
    ///
    /// For others ε/h is the speed below which things creep: a thousandth of what a body gains when it falls by its own size,
    /// or of its size in a second where nothing falls. Methods that solve one linear system a step, at the velocity
    /// before, would overshoot: what friction takes in a step is at most the velocity there is, whatever is asked for.
    fn stick_length(&self, size: f64, world: &Surroundings<'_>) -> f64 {
        let Surroundings { gravity, stepping, step, .. } = *world;
        stick_by(stepping, (self.friction, self.stick), size, norm(gravity), step)
    }
}

/// The stick length of a coefficient, unless it is given, for bodies of some size (m), as the motion by which friction is asked for needs it.
pub(crate) fn stick_by(
    stepping: Stepping,
    (friction, given): (f64, Option<f64>),
    size: f64,
    gravity: f64,
    step: f64,
) -> f64 {
    let creep = 1e-3 * if gravity > 0.0 { (gravity * size).sqrt() } else { size };
    match stepping {
        Stepping::End => given.unwrap_or_else(|| stick_length(size, gravity, step)),
        Stepping::Stages(h) => given.unwrap_or(creep * h).max(2.0 * friction * gravity * h * h),
        Stepping::Explicit(h) => given.unwrap_or(creep * h),
    }
}

/// By how much things give way that stick, m, for a body of some size (m), where slips are remembered: a hundred-thousandth of the
/// size, but a tenth of g h², what a body falls by in a fifth of a step, where that is more, so that Newton's method sees where
/// the force turns; no more than a thousandth of the size.
pub(crate) fn stick_length(size: f64, gravity: f64, step: f64) -> f64 {
    (1e-5 * size).max((0.1 * gravity * step * step).min(1e-3 * size))
}

/// The stiffness of an obstacle for a body under gravity (m/s²) that arrives with a speed (m/s), N/m³.
///
/// With the size d, the modulus E and the density ρ of the body, the greatest pressure of a ball of diameter d at rest is
/// that of Hertz, p = 0.86 E (ρ g d/E)^⅓; it is no less than that of a cube, ρ g d, and a ball that does not give way
/// at all sinks to the depth ε where k = ρ g (d/ε)². On impact at v, with c = √(E/ρ), the pressures are 1.05 E (v/c)^⅖
/// (Hertz) and ρ v (c + v) (a wave, and what is stopped). Depths are bounded by the least stiffness that stands all
/// that; it is no less than that of the body itself, 20 E over the diagonal of its box, so that the obstacle gives way
/// less than the body does.
fn stiffness(body: &Body, gravity: f64, speed: f64) -> f64 {
    let (d, e) = (body.thickness(), body.modulus());
    let density = body.density_in_all();
    let weight = density * gravity * d;
    let own = 20.0 * e / body.size();
    if weight == 0.0 && speed == 0.0 || d <= 0.0 {
        return own;
    }
    // The force over depths up to the smoothing one is half of that beyond.
    let depth = AT_REST * d;
    let round = if e > 0.0 { 0.86 * e * (weight / e).cbrt() } else { f64::INFINITY };
    let rigid = density * gravity / (AT_REST * AT_REST);
    let rest = (2.0 * NARROW * round / depth).min(NARROW * rigid);
    let rest = rest.max(2.0 * NARROW * weight / depth);
    let mach = if e > 0.0 { speed * (density / e).sqrt() } else { 0.0 };
    let pressure = (1.05 * e * mach.powf(0.4)).max(density * speed * speed + e * mach);
    let impact = pressure / ((ON_IMPACT - 0.5 * AT_REST) * d);
    own.max(rest).max(impact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stick_lengths_follow_the_step_and_stay_short() {
        // Of a body of 10 cm: what it falls by decides, within a hundred-thousandth and a thousandth of its size.
        for (step, expected) in [(1e-2, 9.81e-5), (2e-3, 3.924e-6), (1e-4, 1e-6), (1.0, 1e-4)] {
            let found = stick_length(0.1, 9.81, step);
            assert!((found / expected - 1.0).abs() < 1e-12, "{step}: {found:e}");
        }
    }
}
