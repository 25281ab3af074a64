//! [`Shear`]: a traction along the sides of a body, which turns with them.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, scale};
use pliant_elements::Point;

use super::curve::TimeCurve;
use super::faces::Faces;
use super::field::{FaceAmount, LoadField};
use super::following::{FaceForce, FaceRequest, Following, Points};
use super::pressure::add_along_normal;
use crate::character::Character;
use crate::error::ForceError;
use crate::parameter::{finite, finite_vector};
use crate::stencils::Local;

/// On each face the traction τ(t) a × n of current area, with the normal n and an axis a: it lies in the face as long
/// as that is parallel to the axis, and turns with it (VirTis 5.2.2). On a closed surface it neither pushes nor
/// pulls. There is no potential, and the tangent is **not symmetric**.
pub type Shear = Following<Sheared>;

/// A face under [`Shear`].
#[derive(Debug, Clone)]
pub struct Sheared {
    /// a
    axis: Vec3,
    /// N/m² of current area.
    traction: FaceAmount,
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
        finite_vector("axis of shear", axis)?;
        let traction = FaceAmount::Uniform(traction);
        let forces = vec![Sheared { axis, traction }; faces.len()];
        let faces = (faces, Points::Load);
        Self::on(vertex_count, faces, &forces, curve, Character::FOLLOWING_LOAD)
    }

    /// A traction that depends on the position at rest and on time.
    pub fn field(
        rest: &[Vec3],
        faces: Faces<'_>,
        axis: Vec3,
        traction: &LoadField<f64>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite_vector("axis of shear", axis)?;
        faces.check("shear", rest.len())?;
        let (points, amounts) = faces.amounts(rest, traction);
        let sheared = |traction| Sheared { axis, traction };
        let forces: Vec<Sheared> = amounts.into_iter().map(sheared).collect();
        Self::on(rest.len(), (faces, points), &forces, curve, Character::FOLLOWING_LOAD)
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
        let along = |point| scale(self.axis, -self.traction.at(point, request.phase));
        add_along_normal(|point| Mat3::cross_matrix(along(point)), points, x, request, local);
    }

    fn not_finite(&self, time: f64) -> Option<(Vec3, f64)> {
        self.traction.not_finite(time)
    }
}
