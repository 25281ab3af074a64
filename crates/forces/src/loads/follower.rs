//! [`Follower`]: a traction of constant size that turns with the surface it acts on.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, norm, normalized, scale};
use pliant_elements::{Face, Point, points};

use super::curve::TimeCurve;
use super::faces::{FaceVisitor, Faces, frame};
use super::following::{FaceForce, FaceRequest, Following};
use super::pressure::turned;
use crate::character::Character;
use crate::error::ForceError;
use crate::parameter::finite_vector;
use crate::stencils::Local;

/// At each point of a face a force whose size stays that of rest, t dA₀, and whose direction is carried along with the
/// face: with a = ∂x/∂ξ, b = ∂x/∂η and the unit normal n it is α a + β b + γ n, where α, β and γ are those for which
/// that was t dA₀ at rest. (A pressure that belongs to the current area is [`Pressure`](super::Pressure).) There
/// is no potential, and the tangent is **not symmetric**.
pub type Follower = Following<Carried>;

/// A face of a [`Follower`].
#[derive(Debug, Clone)]
pub struct Carried {
    /// One for each point of the face.
    points: Vec<CarriedPoint>,
}

/// The force that a point of a face stands for.
#[derive(Debug, Clone, Default)]
struct CarriedPoint {
    /// α, β, γ
    along: Vec3,
    /// |t| dA₀, N
    size: f64,
}

impl Follower {
    /// A traction, N/m² of rest area, that acts in this direction at rest, times the curve.
    pub fn new(
        rest: &[Vec3],
        faces: Faces<'_>,
        traction: Vec3,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite_vector("following traction", traction)?;
        faces.check(Carried::NAME, rest.len())?;
        let forces = faces.visit(AtRest(rest, traction));
        Self::on(rest.len(), faces, &forces, curve, Character::FOLLOWING_LOAD)
    }
}

/// Finds α, β and γ.
struct AtRest<'a>(&'a [Vec3], Vec3);

impl FaceVisitor for AtRest<'_> {
    type Output = Vec<Carried>;

    fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) -> Vec<Carried> {
        let rule = points::<E, 2, N>(&E::load_rule());
        let of = |nodes: &[u32; N]| {
            let x = nodes.map(|v| self.0[v as usize]);
            Carried { points: rule.iter().map(|point| carried(point, &x, self.1)).collect() }
        };
        list.iter().map(of).collect()
    }
}

fn carried<const N: usize>(point: &Point<2, N>, x: &[Vec3; N], traction: Vec3) -> CarriedPoint {
    let [_, a, b] = frame(point, x);
    let s = cross(a, b);
    // A face without area carries nothing.
    let Some(normal) = normalized(s) else { return CarriedPoint::default() };
    let force = scale(traction, point.weight * norm(s));
    // The part within the face along a and b: two equations with their inner products.
    let (aa, ab, bb) = (dot(a, a), dot(a, b), dot(b, b));
    let (fa, fb) = (dot(force, a), dot(force, b));
    let determinant = aa * bb - ab * ab;
    let alpha = (fa * bb - fb * ab) / determinant;
    let beta = (fb * aa - fa * ab) / determinant;
    CarriedPoint { along: [alpha, beta, dot(force, normal)], size: norm(force) }
}

impl FaceForce for Carried {
    const NAME: &'static str = "following traction";

    fn add<const N: usize>(
        &self,
        points: &[Point<2, N>],
        x: &[Vec3; N],
        request: FaceRequest,
        local: &mut Local<N>,
    ) {
        for (point, at_rest) in points.iter().zip(&self.points) {
            at_rest.add(point, x, request, local);
        }
    }
}

impl CarriedPoint {
    fn add<const N: usize>(
        &self,
        point: &Point<2, N>,
        x: &[Vec3; N],
        request: FaceRequest,
        local: &mut Local<N>,
    ) {
        let [_, a, b] = frame(point, x);
        let s = cross(a, b);
        let [alpha, beta, gamma] = self.along;
        // A flat face has no normal, and no force along it.
        let normal = normalized(s).unwrap_or_default();
        let carried = add_scaled(add_scaled(scale(a, alpha), b, beta), normal, gamma);
        let Some(direction) = normalized(carried) else { return };
        // g is minus the force.
        let size = -request.factor * self.size;
        for c in 0..N {
            local.gradient[c] = add_scaled(local.gradient[c], direction, size * point.values[c]);
        }
        let Some(weight) = request.tangent else { return };
        // What is left of a change after its part along a unit vector is taken out.
        let without = |n: Vec3| Mat3::identity() - Mat3::outer(n, n);
        let turn = without(direction).scale(size * weight / norm(carried));
        let tilt = match norm(s) {
            0.0 => Mat3::zero(),
            size => without(normal).scale(gamma / size),
        };
        for d in 0..N {
            // ∂(α a + β b)/∂x_d, and ∂s/∂x_d = [w]×
            let [along, across] = point.gradients[d];
            let edges = Mat3::identity().scale(alpha * along + beta * across);
            let moved = edges + tilt * Mat3::cross_matrix(turned(point, d, a, b));
            let block = turn * moved;
            for c in 0..N {
                local.add_block(c, d, &block.scale(point.values[c]));
            }
        }
    }
}
