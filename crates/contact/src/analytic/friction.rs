//! [`ShapeFriction`]: dry friction along a shape, with the barrier's normal forces of the start of the step.

use pliant_algebra::vec3::{Vec3, add_scaled, is_finite};
use pliant_forces::coulomb::{Motion, Pressed};
use pliant_forces::{
    Ask, Character, Configuration, Energy, ForceError, ForceModel, Memory, MemoryLayout, Slots,
    Velocity, Workspace,
};

use super::{Near, ShapeContact};
use crate::surface::add_block;

/// Friction of vertices that a [`ShapeContact`] presses on, as [`Friction`](pliant_forces::obstacles::Friction) is of penalties: anchored,
/// with λ = κ w P(δ) and the normal of the start of the step.
#[derive(Debug, Clone)]
pub struct ShapeFriction {
    contact: ShapeContact,
    coefficient: f64,
    stick: f64,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    /// Positions of the collision vertices where they are pressed, what counts as their velocities, and their ways.
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    ways: Vec<Vec3>,
    /// The same of the simulated ones.
    nodes: Vec<Vec3>,
    near: Vec<Vec<Near>>,
}

impl ShapeFriction {
    /// Friction with the coefficient μ and the stick length ε, m.
    pub fn new(contact: &ShapeContact, coefficient: f64, stick: f64) -> Result<Self, ForceError> {
        let refuse = |what: &str, found, accepted: &str| {
            let (what, accepted) = (what.to_owned(), accepted.to_owned());
            Err(ForceError::Parameter { what, found, accepted })
        };
        if !(coefficient >= 0.0 && coefficient.is_finite()) {
            return refuse("obstacle: friction", coefficient, "must be 0 or more");
        }
        if !(stick > 0.0 && stick.is_finite()) {
            return refuse("obstacle: stick length of friction", stick, "must be above 0");
        }
        Ok(Self { contact: contact.clone(), coefficient, stick })
    }

    /// The bodies of the vertices that it remembers three numbers of each, in their order.
    pub fn bodies(&self) -> impl Iterator<Item = u32> {
        let of = self.contact.surface.bodies();
        self.contact.vertices.iter().map(|&v| of[v as usize])
    }

    fn pressed(&self, near: &Near) -> Pressed {
        let force = self.coefficient * near.force();
        Pressed { normal: near.gap.normal, force, stick: self.stick }
    }

    /// Ends a step: what each vertex remembers from now on, along the side that it presses on hardest, and the energy that friction
    /// has taken, J.
    fn end_step(
        &self,
        motion: &Motion<'_>,
        slips: &[Vec3],
        work: &mut Scratch,
        numbers: &mut [f64],
    ) -> f64 {
        numbers.fill(0.0);
        let Scratch { x, v, ways, near, .. } = work;
        let (mut dissipated, mut last, mut hardest) = (0.0, usize::MAX, 0.0);
        for near in self.contact.find(x, x, near) {
            let vertex = near.vertex as usize;
            let slip = slips.get(near.index).copied().unwrap_or_default();
            let pressed = self.pressed(near);
            let slipped = pressed.slipped(add_scaled(slip, v[vertex], motion.h));
            dissipated += pressed.work(&slipped, ways[vertex]);
            if last != near.index {
                (last, hardest) = (near.index, 0.0);
            }
            if pressed.force > hardest {
                hardest = pressed.force;
                numbers[3 * near.index..][..3].copy_from_slice(&pressed.kept(&slipped));
            }
        }
        dissipated
    }
}

impl ForceModel for ShapeFriction {
    fn name(&self) -> &'static str {
        "friction"
    }

    fn character(&self) -> Character {
        Character {
            energy: Energy::None,
            velocity: Velocity::Friction,
            memory: MemoryLayout { numbers: 3 * self.contact.vertices.len(), keyed: 0 },
            ..Character::POTENTIAL
        }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.contact.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.contact.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let motion = Motion::to_end(at);
        let slips = at.memory.first().map_or(&[][..], |m| m.numbers.as_chunks().0);
        if let Some(vertex) = at.v.iter().position(|&v| !is_finite(v)) {
            return Err(ForceError::NotFinite { vertex, position: at.x[vertex] });
        }
        let work = work.get::<Scratch>(|_| true, Scratch::default);
        let surface = &*self.contact.surface;
        let weight = motion.weight(ask);
        let Scratch { x, v, nodes, near, .. } = &mut *work;
        surface.follow(motion.x, x);
        nodes.clear();
        nodes.extend((0..at.x.len()).map(|i| motion.rate(at, i)));
        surface.follow(nodes, v);
        for near in self.contact.find(x, x, near) {
            let vertex = near.vertex as usize;
            let v = v[vertex];
            let slip = slips.get(near.index).copied().unwrap_or_default();
            let pressed = self.pressed(near);
            let slipped = pressed.slipped(add_scaled(slip, v, motion.h));
            if let Some(sum) = ask.rate_potential.as_deref_mut() {
                *sum += motion.rate_potential(&pressed, &slipped, v);
            }
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                surface.spread(near.vertex, pressed.gradient(&slipped), gradient);
            }
            if let (Some(values), Some(pattern)) = (ask.tangent.as_deref_mut(), &self.contact.bound)
            {
                let factor = motion.tangent_weight(&pressed, weight);
                let block = pressed.hessian(&slipped).scale(factor);
                let nodes = (surface.nodes_of(near.vertex), self.contact.first);
                add_block(pattern, nodes, block, values);
            }
        }
        if let Some(tried) = &mut ask.memory {
            work.nodes.clear();
            work.nodes.extend((0..at.x.len()).map(|i| motion.way(at, i)));
            surface.follow(&work.nodes, &mut work.ways);
            let dissipated = self.end_step(&motion, slips, work, tried.numbers);
            if let Some(sum) = ask.dissipated.as_deref_mut() {
                *sum += dissipated;
            }
        }
        Ok(())
    }

    /// None: friction bounds itself.
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }

    /// Nothing has slipped.
    fn start_memory(&self, _: &Configuration<'_>, memory: &mut Memory) -> Result<(), ForceError> {
        memory.numbers.fill(0.0);
        Ok(())
    }
}
