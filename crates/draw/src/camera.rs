//! [`Camera`]: a perspective view fitted to what it looks at.

use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, max, min, normalized, scale, sub};

/// A perspective camera.
#[derive(Debug, Clone, Copy)]
pub struct Camera {
    /// Where it stands.
    pub eye: Vec3,
    /// Unit vectors to the right, up, and from the body to the camera.
    pub axes: [Vec3; 3],
    /// Tangent of half the horizontal and vertical field of view.
    pub tangent: [f64; 2],
}

impl Camera {
    /// A camera that sees all `points` from the side `direction` (from the body to the camera), with
    /// `up` upwards on the page. `aspect` is width over height. Some margin is left.
    pub fn fit(
        points: impl Iterator<Item = Vec3> + Clone,
        direction: Vec3,
        up: Vec3,
        aspect: f64,
    ) -> Self {
        let back = normalized(direction).unwrap_or([0.0, 0.0, 1.0]);
        let right = normalized(cross(up, back))
            .or_else(|| normalized(cross([0.0, 0.0, -1.0], back)))
            .unwrap_or([1.0, 0.0, 0.0]);
        let axes = [right, cross(back, right), back];
        let vertical = 0.24_f64;
        let tangent = [vertical * aspect, vertical];
        let (low, high) = points
            .clone()
            .fold(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]), |(l, h), p| (min(l, p), max(h, p)));
        let centre = if low[0] <= high[0] {
            scale([low[0] + high[0], low[1] + high[1], low[2] + high[2]], 0.5)
        } else {
            [0.0; 3]
        };
        // Every point inside the pyramid: |x| ≤ (d − z) tan.
        let mut distance = 0.0_f64;
        let mut near = 0.0_f64;
        for p in points {
            let r = sub(p, centre);
            let [x, y, z] = axes.map(|a| dot(a, r));
            near = near.max(z);
            distance = distance.max(z + (x.abs() / tangent[0]).max(y.abs() / tangent[1]) * 1.06);
        }
        let distance = distance.max(near * 1.01).max(f64::MIN_POSITIVE);
        Camera { eye: add_scaled(centre, back, distance), axes, tangent }
    }

    /// Position on the page (−1..1 to the right and up) and depth in front of the camera.
    pub fn project(&self, p: Vec3) -> Vec3 {
        let r = sub(p, self.eye);
        let [x, y, z] = self.axes.map(|a| dot(a, r));
        let depth = -z;
        [x / (depth * self.tangent[0]), y / (depth * self.tangent[1]), depth]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_camera_sees_everything_and_uses_the_page() {
        let points: Vec<Vec3> = (0..8)
            .map(|i| [f64::from(i & 1), f64::from(i >> 1 & 1) * 3.0, f64::from(i >> 2)])
            .collect();
        for direction in [[1.0, 0.5, 2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let camera = Camera::fit(points.iter().copied(), direction, [0.0, 1.0, 0.0], 1.5);
            let projected: Vec<Vec3> = points.iter().map(|&p| camera.project(p)).collect();
            assert!(projected.iter().all(|p| p[0].abs() < 1.0 && p[1].abs() < 1.0 && p[2] > 0.0));
            let reach = projected.iter().map(|p| p[0].abs().max(p[1].abs())).fold(0.0, f64::max);
            assert!(reach > 0.8, "{reach}");
        }
    }
}
