//! Distances of points from shapes, with two derivatives.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, norm_squared, normalized, scale, sub};
use pliant_forces::obstacles::{Shape, Side, axis_of};

/// How far a point is from a side of a shape.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    /// d, m: the distance, or below zero where the point is inside; then it is not the distance.
    pub distance: f64,
    /// ∇d, of length 1, away from the shape.
    pub normal: Vec3,
    /// ∇∇d, 1/m. Of solid shapes it is positive semi-definite, of rooms negative semi-definite.
    pub hessian: Mat3<f64>,
}

/// Calls `visit` with the gap of each side that a point can touch: one of a solid shape, one of each wall of a room.
pub fn gaps(shape: &Shape, x: Vec3, mut visit: impl FnMut(Gap)) {
    let flat = |distance, normal| Gap { distance, normal, hessian: Mat3::zero() };
    match *shape {
        Shape::Plane { point, normal } => {
            let n = normalized(normal).unwrap_or([0.0; 3]);
            visit(flat(dot(n, sub(x, point)), n));
        }
        Shape::Sphere { centre, radius, side } => visit(round(sub(x, centre), radius, side, None)),
        Shape::Capsule { from, to, radius, side } => {
            let (axis, length) = axis_of(from, to);
            let along = dot(axis, sub(x, from));
            let nearest = add_scaled(from, axis, along.clamp(0.0, length));
            let beside = (0.0..=length).contains(&along).then_some(axis);
            visit(round(sub(x, nearest), radius, side, beside));
        }
        Shape::Box { min, max, side: Side::Inside } => {
            for k in 0..3 {
                for (distance, sign) in [(x[k] - min[k], 1.0), (max[k] - x[k], -1.0)] {
                    let mut normal = [0.0; 3];
                    normal[k] = sign;
                    visit(flat(distance, normal));
                }
            }
        }
        Shape::Box { min, max, side: Side::Outside } => {
            let mut r = [0.0; 3];
            let (mut free, mut inside) = (Mat3::zero(), (f64::NEG_INFINITY, [0.0; 3]));
            for k in 0..3 {
                for (beyond, sign) in [(min[k] - x[k], -1.0), (x[k] - max[k], 1.0)] {
                    if beyond > 0.0 {
                        r[k] = sign * beyond;
                        free.0[k][k] = 1.0;
                    }
                    if beyond > inside.0 {
                        let mut normal = [0.0; 3];
                        normal[k] = sign;
                        inside = (beyond, normal);
                    }
                }
            }
            visit(beyond(r, free).unwrap_or(flat(inside.0, inside.1)));
        }
        Shape::Cylinder { from, to, radius, side } => {
            let (axis, length) = axis_of(from, to);
            let along = dot(axis, sub(x, from));
            let out = sub(sub(x, from), scale(axis, along));
            let far = norm(out);
            let wall = round(out, radius, side, Some(axis));
            let ends = [flat(-along, scale(axis, -1.0)), flat(along - length, axis)];
            if side == Side::Inside {
                visit(wall);
                for end in ends {
                    visit(flat(-end.distance, scale(end.normal, -1.0)));
                }
                return;
            }
            let end = ends[usize::from(along > 0.5 * length)];
            if end.distance <= 0.0 || wall.distance <= 0.0 {
                visit(if wall.distance > end.distance { wall } else { end });
                return;
            }
            // Nearest to the rim.
            let [across, over] = [wall.distance, end.distance];
            let distance = across.hypot(over);
            let normal =
                add_scaled(scale(wall.normal, across / distance), end.normal, over / distance);
            let turned =
                add_scaled(scale(wall.normal, over / distance), end.normal, -across / distance);
            let hessian = Mat3::outer(turned, turned).scale(1.0 / distance)
                + wall.hessian.scale(across / distance);
            debug_assert!(far > 0.0);
            visit(Gap { distance, normal, hessian });
        }
    }
}

/// A point at `r` from the centre, or from the nearest point of an axis that the shape is bent about.
fn round(r: Vec3, radius: f64, side: Side, axis: Option<Vec3>) -> Gap {
    let far = norm(r);
    // At the very centre any direction is as near.
    let any = || {
        let start = axis.map_or([0.0, 1.0, 0.0], |a| {
            let k = usize::from(a[0].abs() >= 0.5);
            let mut e = [0.0; 3];
            e[k] = 1.0;
            sub(e, scale(a, a[k]))
        });
        normalized(start).unwrap_or([0.0, 1.0, 0.0])
    };
    let n = if far > 0.0 { scale(r, 1.0 / far) } else { any() };
    let mut free = Mat3::identity() - Mat3::outer(n, n);
    if let Some(axis) = axis {
        free -= Mat3::outer(axis, axis);
    }
    let bend = if far > 0.0 { 1.0 / far } else { 0.0 };
    match side {
        Side::Outside => Gap { distance: far - radius, normal: n, hessian: free.scale(bend) },
        Side::Inside => {
            Gap { distance: radius - far, normal: scale(n, -1.0), hessian: free.scale(-bend) }
        }
    }
}

/// A point at `r` from the nearest point of a box, which stays where it is as the point moves in the directions `free`.
fn beyond(r: Vec3, free: Mat3<f64>) -> Option<Gap> {
    let squared = norm_squared(r);
    if squared == 0.0 {
        return None;
    }
    let distance = squared.sqrt();
    let normal = scale(r, 1.0 / distance);
    let hessian = (free - Mat3::outer(normal, normal)).scale(1.0 / distance);
    Some(Gap { distance, normal, hessian })
}
