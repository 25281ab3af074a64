//! [`Friction`]: dry friction along an obstacle, with the normal forces of the start of the step.

use pliant_algebra::vec3::{Vec3, add_scaled, is_finite, norm, scale, sub};

use super::penalty::{Obstacle, Penalty};
use super::shape::Shape;
use crate::character::{Character, Energy, MemoryLayout, Velocity};
use crate::configuration::Configuration;
use crate::coulomb::{Motion, Pressed};
use crate::error::ForceError;
use crate::memory::Memory;
use crate::model::{Ask, ForceModel};
use crate::parameter::{length, not_negative, positive};
use crate::slots::Slots;
use crate::stencils::Stencils;
use crate::workspace::Workspace;

/// By which motion a method asks for friction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Stepping {
    /// An implicit method, which solves for the end of the step: friction acts by the slip up to there, and remembers it.
    /// By the velocity of the middle the midpoint rule would stop the middle, and a body that sticks would swing to
    /// and fro for ever.
    #[default]
    End,
    /// A method with steps of so many seconds that takes the velocity it asks with as it is, from a linear solve a step.
    Stages(f64),
    /// An explicit method with steps of so many seconds. The stick speed of a vertex is at least twice what friction
    /// changes its velocity by in a step, so that none is turned round.
    Explicit(f64),
}

/// Coulomb friction of the vertices that an obstacle pushes back, by the law of [`coulomb`](crate::coulomb). With
/// [`Stepping::End`] each vertex remembers its slip. Other methods remember nothing: for them w/ε is v over the stick speed ε/h, below which things creep.
///
/// The normal and λ are lagged: those of the start of the step. So g is the gradient by velocities of φ = Σ μ λ f₀(|w|)/h,
/// f₀' = f₁, which is convex, and its tangent is symmetric and positive semi-definite. Static solves do not see friction.
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
    /// Its place in the memory.
    number: usize,
}

/// What the vertices remember: three numbers each, of methods that remember.
fn slips<'a>(at: &Configuration<'a>) -> &'a [Vec3] {
    at.memory.first().map_or(&[], |memory| memory.numbers.as_chunks().0)
}

impl Friction {
    /// Friction along an obstacle with the coefficient μ and the stick length ε, m. `masses` are those of all
    /// vertices of the obstacle's model, kg; only [`Stepping::Explicit`] looks at them.
    pub fn new(
        obstacle: &Obstacle,
        coefficient: f64,
        stick: f64,
        stepping: Stepping,
        masses: &[f64],
    ) -> Result<Self, ForceError> {
        not_negative("obstacle: friction", coefficient)?;
        positive("obstacle: stick length of friction", stick)?;
        if let Stepping::Explicit(step) | Stepping::Stages(step) = stepping {
            positive("obstacle: time step", step)?;
        }
        let count = obstacle.vertices.vertices();
        length("masses of the vertices at an obstacle", masses.len(), count)?;
        let mut list = Vec::with_capacity(obstacle.vertices.len());
        obstacle.vertices.each(|_, [v], &penalty| {
            list.push(([v], Held { penalty, mass: masses[v as usize], number: list.len() }));
        });
        let vertices = Stencils::whole(count, true, list)?;
        Ok(Self { shape: obstacle.shape, coefficient, stick, stepping, vertices })
    }

    /// μ
    pub fn coefficient(&self) -> f64 {
        self.coefficient
    }

    /// ε, m, of vertices that an explicit method does not raise it for.
    pub fn stick(&self) -> f64 {
        self.stick
    }

    /// The vertices that it remembers three numbers of each, in their order.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.vertices.len()];
        self.vertices.each(|_, [v], held| places[held.number] = v);
        places
    }

    fn remembers(&self) -> bool {
        self.stepping == Stepping::End
    }

    /// How vertices move, and what they remember.
    fn motion<'a>(&self, at: &Configuration<'a>) -> (Motion<'a>, &'a [Vec3]) {
        match self.stepping {
            Stepping::End => (Motion::to_end(at), slips(at)),
            Stepping::Stages(h) | Stepping::Explicit(h) => (Motion::of_velocities(at, h), &[]),
        }
    }

    /// ε of a vertex under the friction force μ λ.
    fn stick_under(&self, force: f64, mass: f64) -> f64 {
        match self.stepping {
            Stepping::Explicit(h) if mass > 0.0 => self.stick.max(2.0 * h * h * force / mass),
            _ => self.stick,
        }
    }

    /// Calls `visit` for each side of the obstacle that a vertex at x presses on.
    fn pressed(&self, held: &Held, x: Vec3, mut visit: impl FnMut(Pressed)) {
        self.shape.depths(x, |depth| {
            let slope = norm(depth.gradient);
            let force = self.coefficient * held.penalty.at(depth.value)[1] * slope;
            if force != 0.0 {
                let stick = self.stick_under(force, held.mass);
                visit(Pressed { normal: scale(depth.gradient, 1.0 / slope), force, stick });
            }
        });
    }

    /// Ends a step: what each vertex remembers from now on, along the side that it presses on hardest, and the energy
    /// that friction has taken, J.
    fn end_step(&self, at: &Configuration<'_>, numbers: &mut [f64]) -> f64 {
        let (motion, slips) = self.motion(at);
        let mut dissipated = 0.0;
        self.vertices.each(|_, [v], held| {
            let v = v as usize;
            let slip = slips.get(held.number).copied().unwrap_or_default();
            let w = add_scaled(slip, motion.end(at.v[v], motion.v[v]), motion.h);
            let way = sub(at.x[v], motion.x[v]);
            let (mut hardest, mut kept) = (0.0, [0.0; 3]);
            self.pressed(held, motion.x[v], |pressed| {
                let slipped = pressed.slipped(w);
                dissipated += pressed.work(&slipped, way);
                if pressed.force > hardest {
                    (hardest, kept) = (pressed.force, pressed.kept(&slipped));
                }
            });
            numbers[3 * held.number..][..3].copy_from_slice(&kept);
        });
        dissipated
    }
}

impl ForceModel for Friction {
    fn name(&self) -> &'static str {
        "friction"
    }

    fn character(&self) -> Character {
        let numbers = if self.remembers() { 3 * self.vertices.len() } else { 0 };
        Character {
            energy: Energy::None,
            velocity: Velocity::Friction,
            memory: MemoryLayout { numbers, keyed: 0 },
            ..Character::POTENTIAL
        }
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
        let (motion, slips) = self.motion(at);
        self.vertices.add(
            self.name(),
            [motion.x, at.v, motion.v],
            &mut inner,
            work,
            &|held, [[x0], [v], [v0]], local| {
                if !(is_finite(*x0) && is_finite(*v) && is_finite(*v0)) {
                    return local.refuse();
                }
                let v = motion.end(*v, *v0);
                let slip = slips.get(held.number).copied().unwrap_or_default();
                let w = add_scaled(slip, v, motion.h);
                self.pressed(held, *x0, |pressed| {
                    let slipped = pressed.slipped(w);
                    let g = pressed.gradient(&slipped);
                    local.energy += motion.rate_potential(&pressed, &slipped, v);
                    local.gradient[0] = add_scaled(local.gradient[0], g, 1.0);
                    if weight != 0.0 {
                        let factor = motion.tangent_weight(&pressed, weight);
                        local.add_block(0, 0, &pressed.hessian(&slipped).scale(factor));
                    }
                });
            },
        )?;
        if let Some(tried) = &mut ask.memory {
            let dissipated = self.end_step(at, tried.numbers);
            if let Some(sum) = ask.dissipated.as_deref_mut() {
                *sum += dissipated;
            }
        }
        Ok(())
    }

    /// None: an explicit method is kept stable by the stick speed.
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }

    /// Nothing has slipped.
    fn start_memory(&self, _: &Configuration<'_>, memory: &mut Memory) -> Result<(), ForceError> {
        memory.numbers.fill(0.0);
        Ok(())
    }
}
