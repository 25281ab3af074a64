//! [`TriangleTree`]: triangles under a bounding-volume hierarchy, asked for the nearest point of
//! the surface and for its crossings with a segment.

use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, norm_squared, scale, sub};

use crate::spatial::{Aabb, Bvh};
use crate::surface::SurfaceMesh;

/// Triangles and the tree over them.
#[derive(Debug, Clone)]
pub struct TriangleTree {
    triangles: Vec<[Vec3; 3]>,
    tree: Bvh,
}

/// The point of a surface nearest to some other point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The triangle it lies on; of equally near ones the lowest.
    pub triangle: u32,
    /// The point.
    pub point: Vec3,
    /// How far it is, m.
    pub distance: f64,
}

impl TriangleTree {
    /// Builds the tree.
    pub fn new(triangles: Vec<[Vec3; 3]>) -> Self {
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::around(*t)).collect();
        Self { tree: Bvh::build(&boxes), triangles }
    }

    /// The tree over the triangles of `surface`, which must be valid.
    pub fn of(surface: &SurfaceMesh) -> Self {
        Self::new((0..surface.triangles.len()).map(|t| surface.corners(t)).collect())
    }

    /// The triangles, in the order they were given.
    pub fn triangles(&self) -> &[[Vec3; 3]] {
        &self.triangles
    }

    /// The hierarchy over them.
    pub fn bvh(&self) -> &Bvh {
        &self.tree
    }

    /// The point of the surface nearest to `p`; `None` if there are no triangles.
    pub fn nearest(&self, p: Vec3) -> Option<Nearest> {
        self.nearest_within(p, f64::INFINITY)
    }

    /// The same among the points nearer than `radius`; much faster where there are none.
    pub fn nearest_within(&self, p: Vec3, radius: f64) -> Option<Nearest> {
        let (triangle, d) = self.tree.nearest(p, radius * radius, |t| {
            norm_squared(sub(closest_point(p, &self.triangles[t as usize]), p))
        })?;
        let point = closest_point(p, &self.triangles[triangle as usize]);
        Some(Nearest { triangle, point, distance: d.sqrt() })
    }

    /// Where the segment a–b meets triangles: appends the parameters t ∈ [0, 1] of a + t (b − a) to
    /// `out`, ascending. A segment that lies in the plane of a triangle does not meet it; one that
    /// passes through a common edge may meet both triangles, one or, by rounding, none.
    pub fn crossings(&self, a: Vec3, b: Vec3, out: &mut Vec<f64>) {
        let span = Aabb::around([a, b]);
        let start = out.len();
        self.tree.visit(
            |bounds| bounds.overlaps(&span),
            |t| out.extend(crossing(a, b, &self.triangles[t as usize])),
        );
        out[start..].sort_unstable_by(f64::total_cmp);
    }
}

/// Where the segment a–b passes through the triangle, by the signs of the volumes that the line
/// spans with its edges (Möller and Trumbore 1997, in their scaled form).
fn crossing(a: Vec3, b: Vec3, &[p, q, r]: &[Vec3; 3]) -> Option<f64> {
    let (direction, e1, e2) = (sub(b, a), sub(q, p), sub(r, p));
    let normal = cross(e1, e2);
    let denominator = -dot(direction, normal);
    if denominator == 0.0 {
        return None;
    }
    let from = sub(a, p);
    let t = dot(from, normal) / denominator;
    let w = cross(from, direction);
    let u = dot(e2, w) / denominator;
    let v = -dot(e1, w) / denominator;
    ((0.0..=1.0).contains(&t) && u >= 0.0 && v >= 0.0 && u + v <= 1.0).then_some(t)
}

/// The point of a triangle nearest to `p`: by the region of the triangle's plane that `p` projects
/// to (Ericson, Real-Time Collision Detection, 5.1.5). Degenerate triangles are served.
pub fn closest_point(p: Vec3, &[a, b, c]: &[Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(p, a));
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = sub(p, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return add_scaled(a, ab, d1 / (d1 - d3));
    }
    let cp = sub(p, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return add_scaled(a, ac, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return add_scaled(b, sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let s = 1.0 / (va + vb + vc);
    add_scaled(add_scaled(a, ab, vb * s), ac, vc * s)
}

/// Middle of a triangle.
pub(crate) fn centroid([a, b, c]: [Vec3; 3]) -> Vec3 {
    std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0)
}

/// Normal of a triangle, as long as its area.
pub(crate) fn area_normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    scale(cross(sub(b, a), sub(c, a)), 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_algebra::vec3::{distance, lerp};
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        [-2.0..2.0_f64, -2.0..2.0, -2.0..2.0]
    }

    proptest! {
        #[test]
        fn no_point_of_the_triangle_is_nearer(p in point(), t in [point(), point(), point()]) {
            let best = distance(p, closest_point(p, &t));
            for i in 0..=20 {
                for j in 0..=20 {
                    let on = lerp(lerp(t[0], t[1], f64::from(i) / 20.0), t[2], f64::from(j) / 20.0);
                    prop_assert!(distance(p, on) >= best - 1e-12);
                }
            }
        }

        #[test]
        fn a_segment_through_a_point_of_a_triangle_crosses_there(
            t in [point(), point(), point()], a in point(), u in 0.05..0.9_f64, v in 0.05..0.9_f64, s in 0.1..0.9_f64,
        ) {
            let on = lerp(lerp(t[0], t[1], u), t[2], v);
            let b = add_scaled(a, sub(on, a), 1.0 / s);
            prop_assume!(dot(area_normal(t), sub(on, a)).abs() > 1e-3);
            let mut out = Vec::new();
            TriangleTree::new(vec![t]).crossings(a, b, &mut out);
            prop_assert_eq!(out.len(), 1);
            prop_assert!((out[0] - s).abs() < 1e-9);
        }
    }

    #[test]
    fn degenerate_triangles_have_nearest_points_too() {
        let p = [0.0, 1.0, 0.0];
        assert_eq!(closest_point(p, &[[1.0, 0.0, 0.0]; 3]), [1.0, 0.0, 0.0]);
        let needle = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
        assert_eq!(closest_point(p, &needle), [0.0; 3]);
        assert_eq!(TriangleTree::new(Vec::new()).nearest(p), None);
    }
}
