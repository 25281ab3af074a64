//! [`Follower`]: a traction of constant size that turns with the surface it acts on.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, norm, normalized, scale, sub};

use super::curve::{TimeCurve, curve_factor};
use super::pressure::Faces;
use crate::block_slots::{BlockSlots, couple_all};
use crate::character::Character;
use crate::configuration::Configuration;
use crate::error::ForceError;
use crate::model::{Ask, ForceModel};
use crate::parameter::{finite_vector, finite_vertex, state_length};
use crate::slots::Slots;
use crate::workspace::Workspace;

/// On each triangle a force whose size stays that of rest, t A₀, and whose direction is carried along with the
/// triangle: with edges e₁, e₂ and unit normal n it is a e₁ + b e₂ + c n, where a, b and c are those for which
/// that was t A₀ at rest. (A pressure that belongs to the current area is [`Pressure`](super::Pressure).) There
/// is no potential, and the tangent is **not symmetric**.
#[derive(Debug, Clone)]
pub struct Follower {
    triangles: Vec<Carried>,
    vertex_count: usize,
    curve: TimeCurve,
    slots: BlockSlots,
}

#[derive(Debug, Clone)]
struct Carried {
    corners: [u32; 3],
    /// a, b, c
    along: Vec3,
    /// |t| A₀, N
    size: f64,
}

impl Follower {
    /// A traction, N/m² of rest area, that acts in this direction at rest, times the curve.
    pub fn new(
        rest: &[Vec3],
        triangles: &[[u32; 3]],
        traction: Vec3,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite_vector("following traction", traction)?;
        curve.check()?;
        Faces::Triangles(triangles).check("following traction", rest.len())?;
        let carried = |&corners: &[u32; 3]| {
            let x = corners.map(|v| rest[v as usize]);
            let (e1, e2) = (sub(x[1], x[0]), sub(x[2], x[0]));
            let s = cross(e1, e2);
            // A triangle without area carries nothing.
            let normal = normalized(s)?;
            let force = scale(traction, 0.5 * norm(s));
            // The part within the triangle in its edges: two equations with their inner products.
            let (g11, g12, g22) = (dot(e1, e1), dot(e1, e2), dot(e2, e2));
            let (f1, f2) = (dot(force, e1), dot(force, e2));
            let determinant = g11 * g22 - g12 * g12;
            let a = (f1 * g22 - f2 * g12) / determinant;
            let b = (f2 * g11 - f1 * g12) / determinant;
            Some(Carried { corners, along: [a, b, dot(force, normal)], size: norm(force) })
        };
        Ok(Self {
            triangles: triangles.iter().filter_map(carried).collect(),
            vertex_count: rest.len(),
            curve,
            slots: BlockSlots::default(),
        })
    }

    fn add_scaled(
        &self,
        at: &Configuration<'_>,
        factor: f64,
        ask: &mut Ask<'_>,
    ) -> Result<(), ForceError> {
        state_length(self.name(), at, self.vertex_count)?;
        if ask.tangent.is_some() {
            self.slots.check(self.name())?;
        }
        for (face, triangle) in self.triangles.iter().enumerate() {
            let mut x = [[0.0; 3]; 3];
            for (x, &v) in x.iter_mut().zip(&triangle.corners) {
                *x = finite_vertex(at, v)?.0;
            }
            let (e1, e2) = (sub(x[1], x[0]), sub(x[2], x[0]));
            let s = cross(e1, e2);
            let [a, b, c] = triangle.along;
            // Where a triangle is flat its normal is nowhere, and a force along it neither.
            let normal = normalized(s).unwrap_or_default();
            let carried = add_scaled(add_scaled(scale(e1, a), e2, b), normal, c);
            let Some(direction) = normalized(carried) else { continue };
            // Each corner takes a third; g is minus the force.
            let third = -factor * triangle.size / 3.0;
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                for &v in &triangle.corners {
                    gradient[v as usize] = add_scaled(gradient[v as usize], direction, third);
                }
            }
            let Some(tangent) = ask.tangent.as_deref_mut() else { continue };
            // What is left of a change after its part along a unit vector is taken out.
            let across = |n: Vec3| Mat3::identity() - Mat3::outer(n, n);
            let turn = across(direction).scale(third * ask.position_weight / norm(carried));
            let tilt = match norm(s) {
                0.0 => Mat3::zero(),
                twice => across(normal).scale(c / twice),
            };
            for corner in 0..3 {
                // ∂e₁/∂x, ∂e₂/∂x and ∂s/∂x = [opposite edge]×
                let edges = [-a - b, a, b][corner];
                let opposite = sub(x[(corner + 2) % 3], x[(corner + 1) % 3]);
                let moved = Mat3::identity().scale(edges) + tilt * Mat3::cross_matrix(opposite);
                let block = (turn * moved).to_array();
                for row in 0..3 {
                    self.slots.add(tangent, (face * 3 + row) * 3 + corner, || block);
                }
            }
        }
        Ok(())
    }
}

impl ForceModel for Follower {
    fn name(&self) -> &'static str {
        "following traction"
    }

    fn character(&self) -> Character {
        Character::FOLLOWING_LOAD
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.triangles.iter().for_each(|t| couple_all(&t.corners, false, couple));
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        let stencils = self.triangles.iter().map(|t| &t.corners[..]);
        self.slots = BlockSlots::bind(stencils, false, slots)?;
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        let factor = curve_factor(self.name(), &self.curve, at.time)?;
        self.add_scaled(at, factor, ask)
    }

    fn add_time_derivative(
        &self,
        at: &Configuration<'_>,
        rates: &mut [Vec3],
    ) -> Result<(), ForceError> {
        let mut ask = Ask { gradient: Some(rates), ..Ask::default() };
        self.add_scaled(at, self.curve.rate(at.time), &mut ask)?;
        Ok(())
    }

    fn stable_step(&self, _: &Configuration<'_>, _mass: &[f64]) -> f64 {
        // As for pressure: no stiffness of the body.
        f64::INFINITY
    }
}
