//! [`Pressure`]: a load that follows the normal of the surface it acts on.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, scale, sub};
use pliant_elements::Point;

use super::curve::TimeCurve;
use super::faces::{Faces, frame};
use super::field::{FaceAmount, LoadField};
use super::following::{FaceForce, FaceRequest, Following, Points};
use crate::character::Character;
use crate::error::ForceError;
use crate::parameter::{finite, length};
use crate::stencils::Local;

/// Pressure p(t) on faces, N/m² of current area; positive pushes against the normal:
/// g_c = p ∫ N_c n dA over the current surface, exact for every face.
///
/// On an open surface the tangent is **not symmetric**: the load has no potential, as it works when
/// the rim moves. On a closed one ([`Pressure::closed`]) it has one, Π = p V with the enclosed
/// volume V, and the tangent is symmetric. Both give the same forces there. (A surface whose rim is
/// fixed is the third case; its unsymmetric parts all belong to the rim's blocks.)
pub type Pressure = Following<Pressed>;

/// A face under [`Pressure`].
#[derive(Debug, Clone)]
pub struct Pressed {
    /// Pa, before the curve.
    pressure: FaceAmount,
    /// Of a closed surface: from where volumes are counted, m.
    origin: Option<Vec3>,
}

impl Pressure {
    /// One pressure for each face, times the curve.
    pub fn on_faces(
        vertex_count: usize,
        faces: Faces<'_>,
        pressures: &[f64],
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        length("face pressures", pressures.len(), faces.len())?;
        for (i, &p) in pressures.iter().enumerate() {
            finite(format_args!("pressure on face {i}"), p)?;
        }
        let pressed = |&p: &f64| Pressed { pressure: FaceAmount::Uniform(p), origin: None };
        let forces: Vec<Pressed> = pressures.iter().map(pressed).collect();
        let faces = (faces, Points::Load);
        Self::on(vertex_count, faces, &forces, curve, Character::FOLLOWING_LOAD)
    }

    /// A pressure that depends on the position at rest and on time, on faces of a surface that may have a rim. Where it
    /// varies there is no potential, on a closed surface neither: each point of the surface keeps its pressure wherever it
    /// moves.
    pub fn field(
        rest: &[Vec3],
        faces: Faces<'_>,
        pressure: &LoadField<f64>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        faces.check("pressure", rest.len())?;
        let (points, amounts) = faces.amounts(rest, pressure);
        let pressed = |pressure| Pressed { pressure, origin: None };
        let forces: Vec<Pressed> = amounts.into_iter().map(pressed).collect();
        Self::on(rest.len(), (faces, points), &forces, curve, Character::FOLLOWING_LOAD)
    }

    /// The same pressure on all faces of a surface that may have a rim.
    pub fn uniform(
        vertex_count: usize,
        faces: Faces<'_>,
        pressure: f64,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        Self::on_faces(vertex_count, faces, &vec![pressure; faces.len()], curve)
    }

    /// The same pressure on all faces of a closed surface: symmetric, with energy p V. An edge that
    /// does not have a face on either side, oriented alike, is an error.
    ///
    /// The energy is p times the volume itself; `rest` only sets the origin from which it is
    /// computed, for the sake of rounding.
    pub fn closed(
        rest: &[Vec3],
        faces: Faces<'_>,
        pressure: f64,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite("pressure", pressure)?;
        Self::enclosing(rest, faces, FaceAmount::Uniform(pressure), curve)
    }

    /// The same with a pressure that depends on time alone.
    pub fn closed_of_time(
        rest: &[Vec3],
        faces: Faces<'_>,
        pressure: &LoadField<f64>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        if pressure.varies() {
            let text = "a pressure that varies over a closed surface has no potential: use the pressure for open surfaces";
            return Err(ForceError::Unsupported(text.into()));
        }
        let amount = FaceAmount::Field { field: pressure.clone(), at: Vec::new() };
        Self::enclosing(rest, faces, amount, curve)
    }

    fn enclosing(
        rest: &[Vec3],
        faces: Faces<'_>,
        pressure: FaceAmount,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        faces.check("pressure", rest.len())?;
        faces.check_closed()?;
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        faces.each_point(rest, &mut |point| {
            sum = add(sum, point.x);
            count += 1.0;
        })?;
        let origin = Some(scale(sum, 1.0 / f64::max(count, 1.0)));
        let forces = vec![Pressed { pressure, origin }; faces.len()];
        Self::on(rest.len(), (faces, Points::Load), &forces, curve, Character::DEAD_LOAD)
    }
}

impl FaceForce for Pressed {
    const NAME: &'static str = "pressure";

    fn add<const N: usize>(
        &self,
        points: &[Point<2, N>],
        x: &[Vec3; N],
        request: FaceRequest,
        local: &mut Local<N>,
    ) {
        let p = |point| self.pressure.at(point, request.phase);
        match self.origin {
            None => {
                let matrix = |point| Mat3::identity().scale(p(point));
                add_along_normal(matrix, points, x, request, local);
            }
            Some(origin) => add_volume(p, points, &x.map(|x| sub(x, origin)), request, local),
        }
    }

    fn not_finite(&self, time: f64) -> Option<(Vec3, f64)> {
        self.pressure.not_finite(time)
    }
}

/// Adds g_c = ∫ N_c B n dA and its tangent, with a matrix B that is given at each point and does not depend on x, and
/// n dA = (a × b) dξ dη: ∂g_c/∂x_d = ∫ N_c B [N_d,η a − N_d,ξ b]×.
pub(super) fn add_along_normal<const N: usize>(
    matrix: impl Fn(usize) -> Mat3<f64>,
    points: &[Point<2, N>],
    x: &[Vec3; N],
    request: FaceRequest,
    local: &mut Local<N>,
) {
    for (q, point) in points.iter().enumerate() {
        let [_, a, b] = frame(point, x);
        let matrix = matrix(q).scale(point.weight);
        let force = matrix.mul_vec(cross(a, b));
        for c in 0..N {
            local.gradient[c] = add_scaled(local.gradient[c], force, point.values[c]);
        }
        let Some(weight) = request.tangent else { continue };
        let matrix = matrix.scale(weight);
        for d in 0..N {
            let block = matrix * Mat3::cross_matrix(turned(point, d, a, b));
            for c in 0..N {
                local.add_block(c, d, &block.scale(point.values[c]));
            }
        }
    }
}

/// The vector w for which a × b changes by w × u if node d moves by u.
#[inline]
pub(super) fn turned<const N: usize>(point: &Point<2, N>, d: usize, a: Vec3, b: Vec3) -> Vec3 {
    let [along, across] = point.gradients[d];
    sub(scale(a, across), scale(b, along))
}

/// Adds Π = p V with the volume between face and origin, V = ⅓ ∫ x·(a × b), its gradient and its tangent.
///
/// The integrand is alternating in y = (x, a, b), each of which is linear in the nodes, with factors n_c = (N_c, N_c,ξ,
/// N_c,η). So the gradient is ⅓ ∫ N_c a × b + N_c,ξ b × x + N_c,η x × a, and the block (c, d) ⅓ ∫ [Σ_k (n_d × n_c)_k y_k]×.
fn add_volume<const N: usize>(
    pressure: impl Fn(usize) -> f64,
    points: &[Point<2, N>],
    x: &[Vec3; N],
    request: FaceRequest,
    local: &mut Local<N>,
) {
    for (q, point) in points.iter().enumerate() {
        let y = frame(point, x);
        let [at, a, b] = y;
        let p = pressure(q) * point.weight / 3.0;
        let normals = [cross(a, b), cross(b, at), cross(at, a)];
        local.energy += p * dot(at, normals[0]);
        let factors = |c: usize| [point.values[c], point.gradients[c][0], point.gradients[c][1]];
        for c in 0..N {
            for (normal, n) in normals.iter().zip(factors(c)) {
                local.gradient[c] = add_scaled(local.gradient[c], *normal, p * n);
            }
        }
        let Some(weight) = request.tangent else { continue };
        for c in 0..N {
            for d in 0..N {
                let pair = cross(factors(d), factors(c));
                let axis = (0..3).fold([0.0; 3], |sum, k| add_scaled(sum, y[k], pair[k]));
                local.add_block(c, d, &Mat3::cross_matrix(scale(axis, p * weight)));
            }
        }
    }
}
