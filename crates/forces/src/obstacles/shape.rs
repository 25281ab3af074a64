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
    pub(super) fn checked(self) -> Result<Self, ForceError> {
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
        }
        Ok(self)
    }

    /// Calls `visit` for each depth above zero. At the surface a depth is the distance to it with a
    /// gradient of length 1; deeper inside it is as smooth as may be, not the distance:
    ///
    /// - solid sphere: (R² − r²)/2R, without a kink at the centre;
    /// - solid box: with tₖ = (hₖ² − yₖ²)/2hₖ along each axis (h half the extent, y from the centre),
    ///   t = (Σ tₖ⁻²)^(−1/2). It is homogeneous of degree 1 in the tₖ, so that a potential that
    ///   starts as its cube is C² also at the edges and corners, where all tₖ vanish.
    /// - room of box form: six planes, each for itself.
    #[inline]
    pub(super) fn depths(&self, x: Vec3, mut visit: impl FnMut(Depth)) {
        match *self {
            Self::Plane { point, normal } => {
                let value = -dot(sub(x, point), normal);
                if value > 0.0 {
                    visit(Depth { value, gradient: scale(normal, -1.0), hessian: Mat3::zero() });
                }
            }
            Self::Sphere { centre, radius, side: Side::Outside } => {
                let d = sub(x, centre);
                let value = (radius * radius - norm_squared(d)) / (2.0 * radius);
                if value > 0.0 {
                    visit(Depth {
                        value,
                        gradient: scale(d, -1.0 / radius),
                        hessian: Mat3::identity().scale(-1.0 / radius),
                    });
                }
            }
            Self::Sphere { centre, radius, side: Side::Inside } => {
                let d = sub(x, centre);
                let r = norm(d);
                if r > radius {
                    let n = scale(d, 1.0 / r);
                    let hessian = (Mat3::identity() - Mat3::outer(n, n)).scale(1.0 / r);
                    visit(Depth { value: r - radius, gradient: n, hessian });
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
