//! [`Follower`]: a traction of constant size that turns with the surface it acts on.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, is_finite, norm, normalized, scale, sub};
use pliant_elements::{Face, Point};

use super::curve::TimeCurve;
use super::faces::{FaceVisitor, Faces, frame};
use super::field::{LoadField, first_not_finite};
use super::following::{FaceForce, FaceRequest, Following, Points};
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
    /// N/m² of rest area, before the curve.
    traction: Traction,
    /// One for each point of the face.
    points: Vec<CarriedPoint>,
}

#[derive(Debug, Clone)]
enum Traction {
    Uniform(Vec3),
    Field(LoadField<Vec3>),
}

/// How a point of a face carries a traction.
#[derive(Debug, Clone, Default)]
struct CarriedPoint {
    /// Its position at rest.
    at: Vec3,
    /// dA₀, m²
    area: f64,
    /// α, β and γ of a traction t are its products with these, m²: dA₀ times the vectors dual to a and b within the
    /// face, and the normal.
    dual: [Vec3; 3],
}

impl Follower {
    /// A traction, N/m² of rest area, that acts in this direction at rest, times the curve.
    pub fn new(
        rest: &[Vec3],
        faces: Faces<'_>,
        traction: Vec3,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        finite_vector(Carried::NAME, traction)?;
        Self::carrying(rest, (faces, Points::Load), &Traction::Uniform(traction), 1.0, curve)
    }

    /// A traction that depends on the position at rest and on time, times `factor`.
    pub fn field(
        rest: &[Vec3],
        faces: Faces<'_>,
        factor: f64,
        traction: LoadField<Vec3>,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        let points = if traction.varies() { Points::Field } else { Points::Load };
        Self::carrying(rest, (faces, points), &Traction::Field(traction), factor, curve)
    }

    fn carrying(
        rest: &[Vec3],
        (faces, points): (Faces<'_>, Points),
        traction: &Traction,
        factor: f64,
        curve: TimeCurve,
    ) -> Result<Self, ForceError> {
        faces.check(Carried::NAME, rest.len())?;
        let forces = faces.visit(AtRest { rest, points, traction, factor });
        Self::on(rest.len(), (faces, points), &forces, curve, Character::FOLLOWING_LOAD)
    }
}

/// Finds how points carry a traction.
struct AtRest<'a> {
    rest: &'a [Vec3],
    points: Points,
    traction: &'a Traction,
    factor: f64,
}

impl FaceVisitor for AtRest<'_> {
    type Output = Vec<Carried>;

    fn visit<E: Face<N>, const N: usize>(self, _: E, list: &[[u32; N]]) -> Vec<Carried> {
        let rule = self.points.of::<E, N>();
        let of = |nodes: &[u32; N]| {
            let x = nodes.map(|v| self.rest[v as usize]);
            let points = rule.iter().map(|point| carried(point, &x, self.factor)).collect();
            Carried { traction: self.traction.clone(), points }
        };
        list.iter().map(of).collect()
    }
}

fn carried<const N: usize>(point: &Point<2, N>, x: &[Vec3; N], factor: f64) -> CarriedPoint {
    let [at, a, b] = frame(point, x);
    let s = cross(a, b);
    // A face without area carries nothing.
    let Some(normal) = normalized(s) else { return CarriedPoint { at, ..Default::default() } };
    let area = factor * point.weight * norm(s);
    // The part within the face along a and b: two equations with their inner products.
    let (aa, ab, bb) = (dot(a, a), dot(a, b), dot(b, b));
    let determinant = aa * bb - ab * ab;
    let along = scale(sub(scale(a, bb), scale(b, ab)), area / determinant);
    let across = scale(sub(scale(b, aa), scale(a, ab)), area / determinant);
    CarriedPoint { at, area, dual: [along, across, scale(normal, area)] }
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
        let phase = request.phase;
        for (point, at_rest) in points.iter().zip(&self.points) {
            match &self.traction {
                // Its direction stays, so that the derivative by time is the same with the curve's.
                Traction::Uniform(traction) => {
                    at_rest.add(point, x, scale(*traction, phase.factor()), request, local);
                }
                Traction::Field(field) => {
                    let [traction, rate] = phase.both(field, at_rest.at);
                    if !is_finite(traction) {
                        local.refuse();
                    } else if phase.is_derivative() {
                        at_rest.add_rate(point, x, [traction, rate], local);
                    } else {
                        at_rest.add(point, x, traction, request, local);
                    }
                }
            }
        }
    }

    fn not_finite(&self, time: f64) -> Option<(Vec3, f64)> {
        match &self.traction {
            Traction::Uniform(_) => None,
            Traction::Field(field) => {
                first_not_finite(field, self.points.iter().map(|p| p.at), time)
            }
        }
    }
}

impl CarriedPoint {
    /// α a + β b + γ n of a traction.
    fn carry(&self, traction: Vec3, [a, b, normal]: [Vec3; 3]) -> Vec3 {
        let [alpha, beta, gamma] = self.dual.map(|dual| dot(dual, traction));
        add_scaled(add_scaled(scale(a, alpha), b, beta), normal, gamma)
    }

    /// Adds ∂g/∂t of a traction t with the rate t': with c = α a + β b + γ n and ĉ = c/|c| the force is f = |t| dA₀ ĉ, and
    /// changes by dA₀ ((t·t'/|t|) ĉ + |t| (1 − ĉ ĉᵀ) c'/|c|). Where t vanishes, it becomes that of t'.
    fn add_rate<const N: usize>(
        &self,
        point: &Point<2, N>,
        x: &[Vec3; N],
        [traction, rate]: [Vec3; 2],
        local: &mut Local<N>,
    ) {
        let [_, a, b] = frame(point, x);
        let frame = [a, b, normalized(cross(a, b)).unwrap_or_default()];
        let (carried, changed) = (self.carry(traction, frame), self.carry(rate, frame));
        let change = match (normalized(carried), normalized(changed)) {
            (Some(direction), _) => {
                let size = norm(traction);
                let turned = add_scaled(changed, direction, -dot(direction, changed));
                let turned = scale(turned, size / norm(carried));
                add_scaled(turned, direction, dot(traction, rate) / size)
            }
            (None, Some(direction)) => scale(direction, norm(rate)),
            (None, None) => return,
        };
        for c in 0..N {
            let share = -self.area * point.values[c];
            local.gradient[c] = add_scaled(local.gradient[c], change, share);
        }
    }

    fn add<const N: usize>(
        &self,
        point: &Point<2, N>,
        x: &[Vec3; N],
        traction: Vec3,
        request: FaceRequest,
        local: &mut Local<N>,
    ) {
        let [_, a, b] = frame(point, x);
        let s = cross(a, b);
        let [alpha, beta, gamma] = self.dual.map(|dual| dot(dual, traction));
        // A flat face has no normal, and no force along it.
        let normal = normalized(s).unwrap_or_default();
        let carried = self.carry(traction, [a, b, normal]);
        let Some(direction) = normalized(carried) else { return };
        // g is minus the force.
        let size = -norm(traction) * self.area;
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
