//! [`Obstacle`]: the penalty potential of a shape.

use pliant_algebra::eigen3::eigen3;
use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, is_finite, norm, sub};

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

/// The penalty of one vertex: φ = k p³/6ε at depth p ≤ ε, and k (p − ε/2)²/2 + k ε²/24 beyond. φ, φ' and φ'' are
/// continuous.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalty {
    /// k, N/m.
    pub stiffness: f64,
    /// ε, m: about the depth that is tolerable, as the force reaches k ε/2 there.
    pub smoothing: f64,
}

impl Penalty {
    /// Returns φ (J), φ' (N) and φ'' (N/m) at depth p ≥ 0.
    pub fn at(self, p: f64) -> [f64; 3] {
        let Self { stiffness: k, smoothing: e } = self;
        if p <= e {
            let s = p / e;
            [k * p * p * s / 6.0, 0.5 * k * p * s, k * s]
        } else {
            let q = p - 0.5 * e;
            [0.5 * k * q * q + k * e * e / 24.0, k * q, k]
        }
    }
}

/// Π = Σ φ(p) over vertices at depth p, each with a [`Penalty`] of its own.
#[derive(Debug, Clone)]
pub struct Obstacle {
    pub(super) shape: Shape,
    pub(super) vertices: Stencils<Penalty, 1>,
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
        length("obstacle weights", weights.len(), on.len())?;
        for (v, &w) in on.iter().zip(weights) {
            not_negative(format_args!("obstacle: weight of vertex {v}"), w)?;
        }
        let penalties: Vec<Penalty> =
            weights.iter().map(|w| Penalty { stiffness: w * stiffness, smoothing }).collect();
        Self::with_penalties(shape, on, &penalties, vertex_count)
    }

    /// With a penalty of its own for each vertex, so that a heavy and a light body rest on one floor at depths that
    /// suit each of them.
    pub fn with_penalties(
        shape: Shape,
        on: &[u32],
        penalties: &[Penalty],
        vertex_count: usize,
    ) -> Result<Self, ForceError> {
        let shape = shape.checked()?;
        vertices("obstacle", on, vertex_count)?;
        length("obstacle penalties", penalties.len(), on.len())?;
        for penalty in penalties {
            not_negative("obstacle: stiffness", penalty.stiffness)?;
            positive("obstacle: smoothing", penalty.smoothing)?;
        }
        let list = on.iter().zip(penalties).map(|(&v, &penalty)| ([v], penalty));
        Ok(Self { shape, vertices: Stencils::whole(vertex_count, true, list)? })
    }

    /// Its form.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Calls `visit` with each vertex that is inside at positions x, and its distance from the surface, m.
    pub fn depths(&self, x: &[Vec3], mut visit: impl FnMut(u32, f64)) {
        self.vertices.each(|_, [v], _| {
            let Some(&x) = x.get(v as usize) else { return };
            if self.shape.touches(x) {
                visit(v, norm(sub(x, self.shape.nearest_free(x))));
            }
        });
    }

    /// Calls `visit` with each vertex that it acts on.
    pub fn each_vertex(&self, mut visit: impl FnMut(u32)) {
        self.vertices.each(|_, [v], _| visit(v));
    }

    /// The penalties of its vertices.
    pub fn penalties(&self) -> impl Iterator<Item = (u32, Penalty)> {
        let mut list = Vec::with_capacity(self.vertices.len());
        self.vertices.each(|_, [v], &penalty| list.push((v, penalty)));
        list.into_iter()
    }
}

impl ForceModel for Obstacle {
    fn name(&self) -> &'static str {
        match self.shape {
            Shape::Plane { .. } => "plane obstacle",
            Shape::Sphere { .. } => "sphere obstacle",
            Shape::Box { .. } => "box obstacle",
            Shape::Capsule { .. } => "capsule obstacle",
            Shape::Cylinder { .. } => "cylinder obstacle",
        }
    }

    fn character(&self) -> Character {
        Character { sets_in: true, ..Character::POTENTIAL }
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
        self.vertices.add(self.name(), [at.x, at.v], ask, work, &|penalty, [[x], [v]], local| {
            if !(is_finite(*x) && is_finite(*v)) {
                return local.refuse();
            }
            let mut hessian = Mat3::zero();
            self.shape.depths(*x, |depth| {
                let [e, force, stiffness] = penalty.at(depth.value);
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

    /// No eigenvalue of the Hessian is above k: depths of solid shapes are concave, and in a round
    /// room what its curvature adds is below it. It counts before contact as well.
    fn stable_step(&self, _: &Configuration<'_>, mass: &[f64]) -> f64 {
        let mut omega_squared: f64 = 0.0;
        self.vertices.each(|_, [v], penalty| {
            // What has no mass does not move by itself.
            if mass[v as usize] > 0.0 {
                omega_squared = omega_squared.max(penalty.stiffness / mass[v as usize]);
            }
        });
        stable_step(omega_squared, 0.0)
    }
}
