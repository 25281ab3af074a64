//! [`Shear`]: a traction along the sides of a body, which turns with them.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, scale};
use pliant_elements::Point;

use super::curve::TimeCurve;
use super::faces::Faces;
use super::following::{FaceForce, FaceRequest, Following};
use super::pressure::add_along_normal;
use crate::character::Character;
use crate::error::ForceError;
use crate::parameter::finite;
use crate::stencils::Local;

/// On each face the traction τ(t) a × n of current area, with the normal n and an axis a: it lies in the face as long
/// as that is parallel to the axis, and turns with it (VirTis 5.2.2). On a closed surface it neither pushes nor
/// pulls. There is no potential, and the tangent is **not symmetric**.
pub type Shear = Following<Sheared>;

/// A face under [`Shear`].
#[derive(Debug, Clone)]
pub struct Sheared {
    /// N/m² of current area, times a.
    axis: Vec3,
}

impl Shear {
    /// A traction τ, N/m² of current area, along a × n on faces with normals n, times the curve.
    pub fn new(
        vertex_count: usize,
        faces: Faces<'_>,
        axis: Vec3,
        traction: f64,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite("shear", traction)?;
        for c in axis {
            finite("axis of shear", c)?;
        }
        let forces = vec![Sheared { axis: scale(axis, traction) }; faces.len()];
        Self::on(vertex_count, faces, &forces, curve, Character::FOLLOWING_LOAD)
    }
}

impl FaceForce for Sheared {
    const NAME: &'static str = "shear";

    /// g is minus the force.
    fn add<const N: usize>(
        &self,
        points: &[Point<2, N>],
        x: &[Vec3; N],
        request: FaceRequest,
        local: &mut Local<N>,
    ) {
        let matrix = Mat3::cross_matrix(scale(self.axis, -request.factor));
        add_along_normal(&matrix, points, x, request, local);
    }
}
