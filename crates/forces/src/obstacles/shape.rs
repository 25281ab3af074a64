//! [`Shape`]: how deep a point is inside an obstacle, with two derivatives.

use pliant_algebra::mat3::Mat3;
use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, norm_squared, normalized, scale, sub};

use crate::error::ForceError;
use crate::parameter::{accepted, finite_vector, positive};

/// On which side of a closed shape bodies may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The shape is solid: bodies stay outside.
    #[default]
    Outside,
    /// The shape is a room: bodies stay inside.
    Inside,
}

/// An obstacle's form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// A plane; bodies stay on the side its normal points to.
    Plane {
        /// A point of the plane, m.
        point: Vec3,
        /// Its normal, of any length but zero.
        normal: Vec3,
    },
    /// A sphere.
    Sphere {
        /// Centre, m.
        centre: Vec3,
        /// Radius, m.
        radius: f64,
        /// Where bodies may be.
        side: Side,
    },
    /// A box along the axes.
    Box {
        /// Lowest corner, m.
        min: Vec3,
        /// Highest corner, m.
        max: Vec3,
        /// Where bodies may be.
        side: Side,
    },
    /// All that is nearer to a line than the radius: a cylinder with round ends.
    Capsule {
        /// One end of the line, m.
        from: Vec3,
        /// The other end, m.
        to: Vec3,
        /// Radius, m.
        radius: f64,
        /// Where bodies may be.
        side: Side,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// The middle of one end, m.
        from: Vec3,
        /// The middle of the other end, m.
        to: Vec3,
        /// Radius, m.
        radius: f64,
        /// Where bodies may be.
        side: Side,
    },
}

/// The direction of a line, of length 1, and how long it is, m. Along y and 0 where both ends are one point.
pub fn axis_of(from: Vec3, to: Vec3) -> (Vec3, f64) {
    let way = sub(to, from);
    (normalized(way).unwrap_or([0.0, 1.0, 0.0]), norm(way))
}

/// Depth of a point, with its gradient and Hessian.
#[derive(Debug, Clone, Copy)]
pub(super) struct Depth {
    pub(super) value: f64,
    pub(super) gradient: Vec3,
    pub(super) hessian: Mat3<f64>,
}

impl Shape {
    /// The floor y = height.
    pub fn floor(height: f64) -> Self {
        Self::Plane { point: [0.0, height, 0.0], normal: [0.0, 1.0, 0.0] }
    }

    /// Checks the numbers; a plane's normal comes back with length 1.
    pub fn checked(self) -> Result<Self, ForceError> {
        match self {
            Self::Plane { point, normal } => {
                finite_vector("plane: point", point)?;
                finite_vector("plane: normal", normal)?;
                let Some(normal) = normalized(normal) else {
                    positive("plane: length of the normal", norm(normal))?;
                    return Ok(self);
                };
                return Ok(Self::Plane { point, normal });
            }
            Self::Sphere { centre, radius, .. } => {
                finite_vector("sphere: centre", centre)?;
                positive("sphere: radius", radius)?;
            }
            Self::Box { min, max, .. } => {
                finite_vector("box: min", min)?;
                finite_vector("box: max", max)?;
                for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
                    accepted(
                        format_args!("box: extent in {axis}"),
                        max[k] - min[k],
                        |e| e > 0.0,
                        "max must be above min",
                    )?;
                }
            }
            Self::Capsule { from, to, radius, .. } => {
                finite_vector("capsule: from", from)?;
                finite_vector("capsule: to", to)?;
                positive("capsule: radius", radius)?;
            }
            Self::Cylinder { from, to, radius, .. } => {
                finite_vector("cylinder: from", from)?;
                finite_vector("cylinder: to", to)?;
                positive("cylinder: radius", radius)?;
                positive("cylinder: length from 'from' to 'to'", norm(sub(to, from)))?;
            }
        }
        Ok(self)
    }

    /// Whether bodies are inside of it.
    pub fn is_room(&self) -> bool {
        match self {
            Self::Plane { .. } => false,
            Self::Sphere { side, .. }
            | Self::Box { side, .. }
            | Self::Capsule { side, .. }
            | Self::Cylinder { side, .. } => *side == Side::Inside,
        }
    }

    /// Calls `visit` for each depth above zero. At the surface a depth is the distance to it with a
    /// gradient of length 1; deeper inside it is as smooth as may be, not the distance:
    ///
    /// - solid sphere: (R² − r²)/2R, without a kink at the centre;
    /// - solid box: with tₖ = (hₖ² − yₖ²)/2hₖ along each axis (h half the extent, y from the centre),
    ///   t = (Σ tₖ⁻²)^(−1/2). It is homogeneous of degree 1 in the tₖ, so that a potential that
    ///   starts as its cube is C² also at the edges and corners, where all tₖ vanish.
    /// - room of box form: six planes, each for itself;
    /// - capsule: that of a sphere about the nearest point of its line;
    /// - cylinder: that of a box with one t for the radius, (R² − r²)/2R, and one along the axis; as a room its wall and two planes.
    #[inline]
    pub(super) fn depths(&self, x: Vec3, mut visit: impl FnMut(Depth)) {
        match *self {
            Self::Plane { point, normal } => {
                let value = -dot(sub(x, point), normal);
                if value > 0.0 {
                    visit(Depth { value, gradient: scale(normal, -1.0), hessian: Mat3::zero() });
                }
            }
            Self::Sphere { centre, radius, side } => {
                round(sub(x, centre), radius, side, None).into_iter().for_each(visit);
            }
            Self::Capsule { from, to, radius, side } => {
                let (axis, length) = axis_of(from, to);
                let along = dot(axis, sub(x, from));
                let nearest = add_scaled(from, axis, along.clamp(0.0, length));
                let beside = (0.0..=length).contains(&along).then_some(axis);
                round(sub(x, nearest), radius, side, beside).into_iter().for_each(visit);
            }
            Self::Cylinder { from, to, radius, side: Side::Inside } => {
                let (axis, length) = axis_of(from, to);
                let along = dot(axis, sub(x, from));
                let out = add_scaled(sub(x, from), axis, -along);
                round(out, radius, Side::Inside, Some(axis)).into_iter().for_each(&mut visit);
                for (value, sign) in [(-along, -1.0), (along - length, 1.0)] {
                    if value > 0.0 {
                        visit(Depth { value, gradient: scale(axis, sign), hessian: Mat3::zero() });
                    }
                }
            }
            Self::Cylinder { from, to, radius, side: Side::Outside } => {
                let (axis, length) = axis_of(from, to);
                let along = dot(axis, sub(x, from));
                let out = add_scaled(sub(x, from), axis, -along);
                let (half, y) = (0.5 * length, along - 0.5 * length);
                let end = Depth {
                    value: (half - y) * (half + y) / (2.0 * half),
                    gradient: scale(axis, -y / half),
                    hessian: Mat3::outer(axis, axis).scale(-1.0 / half),
                };
                if let Some(wall) = round(out, radius, Side::Outside, Some(axis))
                    && end.value > 0.0
                {
                    visit(both([wall, end]));
                }
            }
            Self::Box { min, max, side: Side::Inside } => {
                for k in 0..3 {
                    for (value, sign) in [(min[k] - x[k], -1.0), (x[k] - max[k], 1.0)] {
                        if value > 0.0 {
                            let mut gradient = [0.0; 3];
                            gradient[k] = sign;
                            visit(Depth { value, gradient, hessian: Mat3::zero() });
                        }
                    }
                }
            }
            Self::Box { min, max, side: Side::Outside } => {
                if let Some(depth) = solid_box(min, max, x) {
                    visit(depth);
                }
            }
        }
    }

    /// Half the square of the speed with which a point at x that falls from rest arrives at the obstacle, m²/s²: of the
    /// speed across its surface for a plane, and at its top (or at the bottom of a room) for other shapes. 0 where it
    /// does not fall towards it.
    pub fn fall(&self, x: Vec3, gravity: Vec3) -> f64 {
        let height = |y: Vec3| -dot(gravity, y);
        let to = match *self {
            Self::Plane { point, normal } => {
                let n = normalized(normal).unwrap_or([0.0; 3]);
                return (dot(sub(x, point), n) * -dot(gravity, n)).max(0.0);
            }
            Self::Sphere { centre, radius, side } => {
                let reach = radius * norm(gravity);
                height(centre) + if side == Side::Inside { -reach } else { reach }
            }
            Self::Capsule { from, to, radius, side }
            | Self::Cylinder { from, to, radius, side } => {
                let (axis, _) = axis_of(from, to);
                let (low, high) = (height(from).min(height(to)), height(from).max(height(to)));
                // A flat end reaches by its tilt.
                let tilt = match self {
                    Self::Capsule { .. } => norm(gravity),
                    _ => norm(add_scaled(gravity, axis, -dot(gravity, axis))),
                };
                if side == Side::Inside { low - radius * tilt } else { high + radius * tilt }
            }
            Self::Box { min, max, side } => {
                let corner = |k: usize| {
                    let up = (gravity[k] < 0.0) != (side == Side::Inside);
                    if up { max[k] } else { min[k] }
                };
                height([corner(0), corner(1), corner(2)])
            }
        };
        (height(x) - to).max(0.0)
    }

    /// Whether a point is inside the obstacle.
    pub fn touches(&self, x: Vec3) -> bool {
        let mut inside = false;
        self.depths(x, |_| inside = true);
        inside
    }

    /// The nearest point outside the obstacle, for pictures; the point itself if it is free.
    pub fn nearest_free(&self, x: Vec3) -> Vec3 {
        if !self.touches(x) {
            return x;
        }
        match *self {
            Self::Plane { point, normal } => {
                let depth = -dot(sub(x, point), normal) / norm_squared(normal);
                add_scaled(x, normal, depth)
            }
            Self::Sphere { centre, radius, .. } => {
                // From the very centre any direction is as near: take the one against gravity.
                let n = normalized(sub(x, centre)).unwrap_or([0.0, 1.0, 0.0]);
                add_scaled(centre, n, radius)
            }
            Self::Capsule { from, to, radius, .. } => {
                let (axis, length) = axis_of(from, to);
                let along = dot(axis, sub(x, from)).clamp(0.0, length);
                let nearest = add_scaled(from, axis, along);
                let n = normalized(sub(x, nearest)).unwrap_or_else(|| across(axis));
                add_scaled(nearest, n, radius)
            }
            Self::Cylinder { from, to, radius, side } => {
                let (axis, length) = axis_of(from, to);
                let along = dot(axis, sub(x, from));
                let out = add_scaled(sub(x, from), axis, -along);
                let n = normalized(out).unwrap_or_else(|| across(axis));
                let far = dot(out, n);
                let place = |along, far| add_scaled(add_scaled(from, axis, along), n, far);
                if side == Side::Inside {
                    return place(along.clamp(0.0, length), far.min(radius));
                }
                let to_end = along.min(length - along);
                if radius - far < to_end {
                    place(along, radius)
                } else {
                    place(if along < 0.5 * length { 0.0 } else { length }, far)
                }
            }
            Self::Box { min, max, side: Side::Inside } => {
                std::array::from_fn(|k| x[k].clamp(min[k], max[k]))
            }
            Self::Box { min, max, side: Side::Outside } => {
                let (mut axis, mut to, mut best) = (0, max[0], f64::INFINITY);
                for k in 0..3 {
                    for face in [min[k], max[k]] {
                        if (x[k] - face).abs() < best {
                            (axis, to, best) = (k, face, (x[k] - face).abs());
                        }
                    }
                }
                let mut free = x;
                free[axis] = to;
                free
            }
        }
    }
}

/// A direction across an axis, upward if there is one.
fn across(axis: Vec3) -> Vec3 {
    let k = usize::from(axis[1].abs() < 0.9);
    let mut e = [0.0; 3];
    e[k] = 1.0;
    normalized(add_scaled(e, axis, -axis[k])).unwrap_or(e)
}

/// The depth of a point at `d` from a centre, or from the nearest point of an axis that the shape is round about.
fn round(d: Vec3, radius: f64, side: Side, axis: Option<Vec3>) -> Option<Depth> {
    let mut free = Mat3::identity();
    if let Some(axis) = axis {
        free -= Mat3::outer(axis, axis);
    }
    if side == Side::Outside {
        let value = (radius * radius - norm_squared(d)) / (2.0 * radius);
        let (gradient, hessian) = (scale(d, -1.0 / radius), free.scale(-1.0 / radius));
        return (value > 0.0).then_some(Depth { value, gradient, hessian });
    }
    let r = norm(d);
    let n = scale(d, 1.0 / r);
    let hessian = (free - Mat3::outer(n, n)).scale(1.0 / r);
    (r > radius).then_some(Depth { value: r - radius, gradient: n, hessian })
}

/// (t₁⁻² + t₂⁻²)^(−1/2) of two depths above zero.
fn both(parts: [Depth; 2]) -> Depth {
    let t = parts.map(|p| p.value);
    let least = t[0].min(t[1]);
    // With ratios to the least t nothing overflows.
    let m = least / t.iter().map(|t| (least / t) * (least / t)).sum::<f64>().sqrt();
    let cubes = t.map(|t| (m / t).powi(3));
    let [a, b] = parts;
    let gradient = add_scaled(scale(a.gradient, cubes[0]), b.gradient, cubes[1]);
    let mut hessian = Mat3::outer(gradient, gradient).scale(3.0 / m);
    for (part, cube) in parts.iter().zip(cubes) {
        let slopes = Mat3::outer(part.gradient, part.gradient).scale(-3.0 * cube / part.value);
        hessian += slopes + part.hessian.scale(cube);
    }
    Depth { value: m, gradient, hessian }
}

fn solid_box(min: Vec3, max: Vec3, x: Vec3) -> Option<Depth> {
    let (mut t, mut slope, mut bend) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    for k in 0..3 {
        let half = 0.5 * (max[k] - min[k]);
        let y = x[k] - 0.5 * (min[k] + max[k]);
        t[k] = (half - y) * (half + y) / (2.0 * half);
        slope[k] = -y / half;
        bend[k] = -1.0 / half;
    }
    let least = t[0].min(t[1]).min(t[2]);
    if least.is_nan() || least <= 0.0 {
        return None;
    }
    // With ratios to the least t nothing overflows: m = least / √(Σ (least/t)²) .
    let m = least / t.iter().map(|t| (least / t) * (least / t)).sum::<f64>().sqrt();
    // ∂m/∂t_k = (m/t_k)³; ∂²m/∂t_j∂t_k = 3 (m/t_j)³ (m/t_k)³ / m − δ_jk 3 (m/t_k)³ / t_k
    let cubes = t.map(|t| (m / t).powi(3));
    let gradient = [0, 1, 2].map(|k| cubes[k] * slope[k]);
    let mut hessian = Mat3::outer(gradient, gradient).scale(3.0 / m);
    for k in 0..3 {
        hessian.0[k][k] += cubes[k] * bend[k] - 3.0 * cubes[k] / t[k] * slope[k] * slope[k];
    }
    Some(Depth { value: m, gradient, hessian })
}
