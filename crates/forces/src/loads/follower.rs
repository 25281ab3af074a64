//! [`Follower`]: a traction of constant size that turns with the surface it acts on.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, norm, normalized, scale, sub};

use super::curve::TimeCurve;
use super::following::{FaceForce, FaceRequest, Following};
use super::pressure::Faces;
use crate::character::Character;
use crate::error::ForceError;
use crate::parameter::finite_vector;
use crate::stencils::Local;

/// On each triangle a force whose size stays that of rest, t A₀, and whose direction is carried along with the
/// triangle: with edges e₁, e₂ and unit normal n it is a e₁ + b e₂ + c n, where a, b and c are those for which
/// that was t A₀ at rest. (A pressure that belongs to the current area is [`Pressure`](super::Pressure).) There
/// is no potential, and the tangent is **not symmetric**.
pub type Follower = Following<Carried, 3>;

/// A triangle of a [`Follower`].
#[derive(Debug, Clone)]
pub struct Carried {
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
            Some((corners, Carried { along: [a, b, dot(force, normal)], size: norm(force) }))
        };
        let faces = triangles.iter().filter_map(carried);
        Self::on(rest.len(), faces, curve, Character::FOLLOWING_LOAD)
    }
}

impl FaceForce<3> for Carried {
    const NAME: &'static str = "following traction";

    fn add(&self, x: &[Vec3; 3], request: FaceRequest, local: &mut Local<3>) {
        let (e1, e2) = (sub(x[1], x[0]), sub(x[2], x[0]));
        let s = cross(e1, e2);
        let [a, b, c] = self.along;
        // A flat triangle has no normal, and no force along it.
        let normal = normalized(s).unwrap_or_default();
        let carried = add_scaled(add_scaled(scale(e1, a), e2, b), normal, c);
        let Some(direction) = normalized(carried) else { return };
        // Each corner takes a third; g is minus the force.
        let third = -request.factor * self.size / 3.0;
        for g in &mut local.gradient {
            *g = add_scaled(*g, direction, third);
        }
        let Some(weight) = request.tangent else { return };
        // What is left of a change after its part along a unit vector is taken out.
        let across = |n: Vec3| Mat3::identity() - Mat3::outer(n, n);
        let turn = across(direction).scale(third * weight / norm(carried));
        let tilt = match norm(s) {
            0.0 => Mat3::zero(),
            twice => across(normal).scale(c / twice),
        };
        for corner in 0..3 {
            // ∂e₁/∂x, ∂e₂/∂x and ∂s/∂x = [opposite edge]×
            let edges = [-a - b, a, b][corner];
            let opposite = sub(x[(corner + 2) % 3], x[(corner + 1) % 3]);
            let moved = Mat3::identity().scale(edges) + tilt * Mat3::cross_matrix(opposite);
            let block = turn * moved;
            for row in 0..3 {
                local.add_block(row, corner, &block);
            }
        }
    }
}
