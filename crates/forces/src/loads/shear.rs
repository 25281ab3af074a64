//! [`Shear`]: a traction along the sides of a body, which turns with them.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, cross, scale, sub};

use super::curve::TimeCurve;
use super::following::{FaceForce, FaceRequest, Following};
use super::pressure::Faces;
use crate::character::Character;
use crate::error::ForceError;
use crate::parameter::finite;
use crate::stencils::Local;

/// On each triangle the force τ(t) a × s, with its area vector s and an axis a: it lies in the triangle as long
/// as that is parallel to the axis, and turns with it (VirTis 5.2.2). On a closed surface it neither pushes nor
/// pulls. There is no potential, and the tangent is **not symmetric**.
pub type Shear = Following<Sheared, 3>;

/// A triangle under [`Shear`].
#[derive(Debug, Clone)]
pub struct Sheared {
    /// N/m² of current area, times a.
    axis: Vec3,
}

impl Shear {
    /// A traction τ, N/m² of current area, along a × n on triangles with normals n, times the curve.
    pub fn new(
        vertex_count: usize,
        triangles: &[[u32; 3]],
        axis: Vec3,
        traction: f64,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite("shear", traction)?;
        for c in axis {
            finite("axis of shear", c)?;
        }
        Faces::Triangles(triangles).check("shear", vertex_count)?;
        let sheared = Sheared { axis: scale(axis, traction) };
        let faces = triangles.iter().map(|&face| (face, sheared.clone()));
        Self::on(vertex_count, faces, curve, Character::FOLLOWING_LOAD)
    }
}

impl FaceForce<3> for Sheared {
    const NAME: &'static str = "shear";

    fn add(&self, x: &[Vec3; 3], request: FaceRequest, local: &mut Local<3>) {
        // Each corner takes a third of a × s, s = ½ (x₁ − x₀) × (x₂ − x₀); g is minus the force.
        let axis = scale(self.axis, -request.factor / 6.0);
        let share = cross(axis, cross(sub(x[1], x[0]), sub(x[2], x[0])));
        for g in &mut local.gradient {
            *g = add(*g, share);
        }
        let Some(weight) = request.tangent else { return };
        let turn = Mat3::cross_matrix(scale(axis, weight));
        for b in 0..3 {
            // ∂(a × n)/∂x_b = [a]× [x_{b+2} − x_{b+1}]×
            let opposite = sub(x[(b + 2) % 3], x[(b + 1) % 3]);
            let block = turn * Mat3::cross_matrix(opposite);
            for a in 0..3 {
                local.add_block(a, b, &block);
            }
        }
    }
}
