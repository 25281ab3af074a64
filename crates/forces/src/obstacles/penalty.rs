//! [`Obstacle`]: the penalty potential of a shape.

use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{add_scaled, is_finite};

use super::shape::Shape;
use crate::assembly::stable_step;
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{length, not_negative, positive, vertices};
use crate::slots::Slots;
use crate::stencils::Stencils;
use crate::workspace::Workspace;

/// Π = Σ w φ(p) over vertices with weight w at depth p, with
/// φ = k p³/6ε for p ≤ ε, and k (p − ε/2)²/2 + k ε²/24 beyond: φ, φ' and φ'' are continuous.
#[derive(Debug, Clone)]
pub struct Obstacle {
    shape: Shape,
    stiffness: f64,
    smoothing: f64,
    /// The vertices, each with its weight.
    vertices: Stencils<f64, 1>,
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
            vertices: Stencils::whole(
                vertex_count,
                true,
                on.iter().zip(weights).map(|(&v, &w)| ([v], w)),
            )?,
        })
    }

    /// Its form.
    pub fn shape(&self) -> &Shape {
        &self.shape
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
        let tangent = ask.tangent.is_some().then_some((ask.position_weight, ask.project));
        self.vertices.add(self.name(), [at.x, at.v], ask, work, &|&w, [[x], [v]], local| {
            if !(is_finite(*x) && is_finite(*v)) {
                return local.refuse();
            }
            let mut hessian = Mat3::zero();
            self.shape.depths(*x, |depth| {
                let [e, force, stiffness] = self.potential(depth.value).map(|c| w * c);
                local.energy += e;
                local.gradient[0] = add_scaled(local.gradient[0], depth.gradient, force);
                hessian += Mat3::outer(depth.gradient, depth.gradient).scale(stiffness)
                    + depth.hessian.scale(force);
            });
            if let Some((weight, project)) = tangent {
                if project {
                    hessian = eigen3(&hessian).positive_part();
                }
                local.add_block(0, 0, &hessian.scale(weight));
            }
        })
    }

    /// No eigenvalue of the Hessian is above w k: depths of solid shapes are concave, and in a round
    /// room what its curvature adds is below it. It counts before contact as well.
    fn stable_step(&self, _: &Configuration<'_>, mass: &[f64]) -> f64 {
        let mut omega_squared: f64 = 0.0;
        self.vertices.each(|_, [v], w| {
            omega_squared = omega_squared.max(self.stiffness * w / mass[v as usize]);
        });
        stable_step(omega_squared, 0.0)
    }
}
