//! [`Obstacle`]: the penalty potential of a shape.

use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled};

use super::shape::Shape;
use crate::block_slots::{BlockSlots, stable_step};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{finite_vertex, length, not_negative, positive, state_length, vertices};
use crate::slots::Slots;
use crate::workspace::Workspace;

/// Π = Σ w φ(p) over vertices with weight w at depth p, with
/// φ = k p³/6ε for p ≤ ε, and k (p − ε/2)²/2 + k ε²/24 beyond: φ, φ' and φ'' are continuous.
#[derive(Debug, Clone)]
pub struct Obstacle {
    shape: Shape,
    stiffness: f64,
    smoothing: f64,
    loaded: Vec<u32>,
    weights: Vec<f64>,
    vertex_count: usize,
    slots: BlockSlots,
}

impl Obstacle {
    /// `stiffness` k in N/m for each of the vertices (all with weight 1), `smoothing` depth ε in m:
    /// about the depth that is tolerable, as the force reaches k ε/2 there.
    pub fn new(
        shape: Shape,
        stiffness: f64,
        smoothing: f64,
        on: &[u32],
        vertex_count: usize,
    ) -> Result<Self, ForceError> {
        Self::weighted(shape, stiffness, smoothing, on, &vec![1.0; on.len()], vertex_count)
    }

    /// With a weight for each vertex. With the surface area that belongs to it, m², and `stiffness`
    /// in N/m³, the result does not depend on how fine the mesh is.
    pub fn weighted(
        shape: Shape,
        stiffness: f64,
        smoothing: f64,
        on: &[u32],
        weights: &[f64],
        vertex_count: usize,
    ) -> Result<Self, ForceError> {
        let shape = shape.checked()?;
        not_negative("obstacle: stiffness", stiffness)?;
        positive("obstacle: smoothing", smoothing)?;
        vertices("obstacle", on, vertex_count)?;
        length("obstacle weights", weights.len(), on.len())?;
        for (v, &w) in on.iter().zip(weights) {
            not_negative(format_args!("obstacle: weight of vertex {v}"), w)?;
        }
        Ok(Self {
            shape,
            stiffness,
            smoothing,
            loaded: on.to_vec(),
            weights: weights.to_vec(),
            vertex_count,
            slots: BlockSlots::default(),
        })
    }

    /// Its form.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Moves it, or makes it another.
    pub fn set_shape(&mut self, shape: Shape) -> Result<(), ForceError> {
        self.shape = shape.checked()?;
        Ok(())
    }

    /// φ, φ', φ'' at depth p ≥ 0, for weight 1.
    fn potential(&self, p: f64) -> [f64; 3] {
        let (k, e) = (self.stiffness, self.smoothing);
        if p <= e {
            let s = p / e;
            [k * p * p * s / 6.0, 0.5 * k * p * s, k * s]
        } else {
            let q = p - 0.5 * e;
            [0.5 * k * q * q + k * e * e / 24.0, k * q, k]
        }
    }
}

impl ForceModel for Obstacle {
    fn name(&self) -> &'static str {
        match self.shape {
            Shape::Plane { .. } => "plane obstacle",
            Shape::Sphere { .. } => "sphere obstacle",
            Shape::Box { .. } => "box obstacle",
        }
    }

    fn character(&self) -> Character {
        Character::POTENTIAL
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.loaded.iter().for_each(|&v| couple(v, v));
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.slots = BlockSlots::bind(self.loaded.chunks_exact(1), true, slots)?;
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        state_length(self.name(), at, self.vertex_count)?;
        if ask.tangent.is_some() {
            self.slots.check(self.name())?;
        }
        let mut energy = 0.0;
        for (i, (&v, &w)) in self.loaded.iter().zip(&self.weights).enumerate() {
            let (x, _): (Vec3, Vec3) = finite_vertex(at, v)?;
            let mut touched = false;
            let mut hessian = Mat3::zero();
            self.shape.depths(x, |depth| {
                touched = true;
                let [e, force, stiffness] = self.potential(depth.value).map(|c| w * c);
                energy += e;
                if let Some(gradient) = ask.gradient.as_deref_mut() {
                    let g = &mut gradient[v as usize];
                    *g = add_scaled(*g, depth.gradient, force);
                }
                hessian += Mat3::outer(depth.gradient, depth.gradient).scale(stiffness)
                    + depth.hessian.scale(force);
            });
            if let (true, Some(tangent)) = (touched, ask.tangent.as_deref_mut()) {
                if ask.project {
                    hessian = eigen3(&hessian).positive_part();
                }
                let weight = ask.position_weight;
                self.slots.add(tangent, i, || hessian.scale(weight).to_array());
            }
        }
        if let Some(total) = ask.energy.as_deref_mut() {
            *total += energy;
        }
        Ok(())
    }

    /// No eigenvalue of the Hessian is above w k: depths of solid shapes are concave, and in a round
    /// room what its curvature adds is below it. It counts before contact as well.
    fn stable_step(&self, _: &Configuration<'_>, mass: &[f64]) -> f64 {
        let ratio = |(&v, &w): (&u32, &f64)| self.stiffness * w / mass[v as usize];
        let omega_squared = self.loaded.iter().zip(&self.weights).map(ratio).fold(0.0, f64::max);
        stable_step(omega_squared, 0.0)
    }
}
