//! [`Friction`]: dry friction along an obstacle, with the normal forces of the start of the step.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, is_finite, norm, scale, sub};

use super::penalty::{Obstacle, Penalty};
use super::shape::Shape;
use crate::character::{Character, Energy, Velocity};
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{length, not_negative, positive};
use crate::slots::Slots;
use crate::stencils::Stencils;
use crate::workspace::Workspace;

/// Which velocities a method asks friction with.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Stepping {
    /// An implicit method, which solves for the end of the step: friction acts by the velocity there. By that of the
    /// middle the midpoint rule would stop the middle, and a body that sticks would swing to and fro for ever.
    #[default]
    End,
    /// A method that takes the velocity it asks with as it is, from a linear solve a step.
    Stages,
    /// An explicit method with steps of so many seconds. The stick speed of a vertex is at least twice what friction
    /// changes its velocity by in a step, so that none is turned round.
    Explicit(f64),
}

/// Coulomb friction of the vertices that an obstacle pushes back, smoothed as in incremental potential contact (Li and
/// others, 2020, section 5): a vertex under the normal force λ that slides with the velocity u along the surface is
/// held back by
///
/// ```text
/// μ λ f₁(|u|) u/|u|,   f₁(s) = 2 s/ε − s²/ε² for s < ε, and 1 beyond
/// ```
///
/// with the stick speed ε: what would stick creeps at less than ε. The normal and λ are lagged: those of the start of
/// the step. So g is the gradient by velocities of φ = Σ μ λ f₀(|u|), f₀' = f₁, which is convex, and its tangent is
/// symmetric and positive semi-definite. Nothing of it is left at rest: static solves do not see it.
#[derive(Debug, Clone)]
pub struct Friction {
    shape: Shape,
    coefficient: f64,
    stick: f64,
    stepping: Stepping,
    vertices: Stencils<Held, 1>,
}

/// A vertex: its penalty gives λ.
#[derive(Debug, Clone, Copy)]
struct Held {
    penalty: Penalty,
    /// kg
    mass: f64,
}

impl Friction {
    /// Friction along an obstacle with the coefficient μ and the stick speed ε, m/s. `masses` are those of all
    /// vertices of the obstacle's model, kg; only [`Stepping::Explicit`] looks at them.
    pub fn new(
        obstacle: &Obstacle,
        coefficient: f64,
        stick: f64,
        stepping: Stepping,
        masses: &[f64],
    ) -> Result<Self, ForceError> {
        not_negative("obstacle: friction", coefficient)?;
        positive("obstacle: stick speed of friction", stick)?;
        if let Stepping::Explicit(step) = stepping {
            positive("obstacle: time step", step)?;
        }
        let count = obstacle.vertices.vertices();
        length("masses of the vertices at an obstacle", masses.len(), count)?;
        let mut list = Vec::with_capacity(obstacle.vertices.len());
        obstacle.vertices.each(|_, [v], &penalty| {
            list.push(([v], Held { penalty, mass: masses[v as usize] }));
        });
        let vertices = Stencils::whole(count, true, list)?;
        Ok(Self { shape: obstacle.shape, coefficient, stick, stepping, vertices })
    }

    /// μ
    pub fn coefficient(&self) -> f64 {
        self.coefficient
    }

    /// ε, m/s, of vertices that an explicit method does not raise it for.
    pub fn stick(&self) -> f64 {
        self.stick
    }

    /// ε of a vertex under the friction force μ λ.
    fn stick_under(&self, force: f64, mass: f64) -> f64 {
        match self.stepping {
            Stepping::Explicit(step) if mass > 0.0 => self.stick.max(2.0 * step * force / mass),
            _ => self.stick,
        }
    }
}

/// f₀(s) and f₁(s)/s.
fn smoothed(s: f64, stick: f64) -> [f64; 2] {
    if s < stick {
        let y = s / stick;
        [s * y * (1.0 - y / 3.0), (2.0 - y) / stick]
    } else {
        [s - stick / 3.0, 1.0 / s]
    }
}

impl ForceModel for Friction {
    fn name(&self) -> &'static str {
        "friction"
    }

    fn character(&self) -> Character {
        Character { energy: Energy::None, velocity: Velocity::Friction, ..Character::POTENTIAL }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.vertices.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.vertices.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let weight = ask.velocity_weight;
        let mut inner = Ask {
            energy: ask.rate_potential.as_deref_mut(),
            gradient: ask.gradient.as_deref_mut(),
            tangent: ask.tangent.as_deref_mut(),
            ..Ask::default()
        };
        let (x0, v0) = at.start.map_or((at.x, at.v), |start| (start.x, start.v));
        // v = (1 − s) v₀ + s v₁, of which v₁ counts.
        let share = match (self.stepping, at.start) {
            (Stepping::End, Some(start)) => {
                let share = at.elapsed() / start.step;
                if share > 1e-3 && share < 1.0 - 1e-9 { share } else { 1.0 }
            }
            _ => 1.0,
        };
        self.vertices.add(
            self.name(),
            [x0, at.v, v0],
            &mut inner,
            work,
            &|held, [[x0], [v], [v0]], local| {
                if !(is_finite(*x0) && is_finite(*v) && is_finite(*v0)) {
                    return local.refuse();
                }
                let v = if share == 1.0 { *v } else { add_scaled(*v0, sub(*v, *v0), 1.0 / share) };
                self.shape.depths(*x0, |depth| {
                    let slope = norm(depth.gradient);
                    let force = self.coefficient * held.penalty.at(depth.value)[1] * slope;
                    if force == 0.0 {
                        return;
                    }
                    let stick = self.stick_under(force, held.mass);
                    let normal = scale(depth.gradient, 1.0 / slope);
                    let slip = add_scaled(v, normal, -dot(v, normal));
                    let speed = norm(slip);
                    let [potential, ratio] = smoothed(speed, stick);
                    local.energy += share * force * potential;
                    local.gradient[0] = add_scaled(local.gradient[0], slip, force * ratio);
                    if weight != 0.0 {
                        let hessian = tangent(normal, slip, speed, stick, ratio);
                        local.add_block(0, 0, &hessian.scale(force * weight / share));
                    }
                });
            },
        )
    }

    /// None: an explicit method is kept stable by the stick speed.
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

/// The Hessian of f₀(|u|): f₁/s (T − û ûᵀ) + f₁' û ûᵀ with T = I − n nᵀ.
fn tangent(normal: Vec3, slip: Vec3, speed: f64, stick: f64, ratio: f64) -> Mat3<f64> {
    let along = if speed >= stick {
        -ratio / (speed * speed)
    } else if speed > 0.0 {
        // f₁' − f₁/s = −s/ε²
        -1.0 / (speed * stick * stick)
    } else {
        0.0
    };
    (Mat3::identity() - Mat3::outer(normal, normal)).scale(ratio)
        + Mat3::outer(slip, slip).scale(along)
}
