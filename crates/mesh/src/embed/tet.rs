//! A point and a tetrahedron: barycentric coordinates and distance.

use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, norm, norm_squared, sub, triple};

use crate::cell::TET_FACES;
use crate::spatial::triangles::closest_point;

/// Whether edges e, the columns of a map, span no volume worth dividing by.
pub(super) fn is_flat([e1, e2, e3]: [Vec3; 3]) -> bool {
    // Written so that overflow and NaN count as flat.
    let volume = triple(e1, e2, e3).abs();
    let product = norm(e1) * norm(e2) * norm(e3);
    !(volume > 1e-12 * product && volume.is_finite())
}

/// y with E y = r, for the columns of E; Cramer's rule.
#[inline]
pub(super) fn solve([e1, e2, e3]: [Vec3; 3], r: Vec3) -> Vec3 {
    let (c1, c2, c3) = (cross(e2, e3), cross(e3, e1), cross(e1, e2));
    let det = dot(e1, c1);
    [dot(r, c1) / det, dot(r, c2) / det, dot(r, c3) / det]
}

/// Edges from the first corner.
pub(super) fn edges(corners: &[Vec3; 4]) -> [Vec3; 3] {
    [1, 2, 3].map(|i| sub(corners[i], corners[0]))
}

/// Barycentric coordinates of `point`, also outside.
pub(super) fn weights(corners: &[Vec3; 4], point: Vec3) -> [f64; 4] {
    let edges = edges(corners);
    let mut w = [1.0, 0.0, 0.0, 0.0];
    // The second round removes what the first one rounded.
    for _ in 0..2 {
        let place = (0..4).fold([0.0; 3], |sum, i| add_scaled(sum, corners[i], w[i]));
        let step = solve(edges, sub(place, point));
        for k in 0..3 {
            w[k + 1] -= step[k];
        }
        w[0] = 1.0 - (w[1] + w[2] + w[3]);
    }
    w
}

/// Squared distance of the origin from the tetrahedron; zero inside.
pub(super) fn distance_squared(corners: &[Vec3; 4]) -> f64 {
    norm_squared(closest(corners)).min(f64::MAX)
}

/// The point of the tetrahedron nearest to the origin.
pub(super) fn closest(corners: &[Vec3; 4]) -> Vec3 {
    let [y1, y2, y3] = solve(edges(corners), corners[0].map(|x| -x));
    if y1 >= 0.0 && y2 >= 0.0 && y3 >= 0.0 && y1 + y2 + y3 <= 1.0 {
        return [0.0; 3];
    }
    let on_face = |face: [usize; 3]| closest_point([0.0; 3], &face.map(|i| corners[i]));
    let nearer = |a: Vec3, b: Vec3| if norm_squared(b) < norm_squared(a) { b } else { a };
    TET_FACES.into_iter().map(on_face).fold([f64::INFINITY; 3], nearer)
}
