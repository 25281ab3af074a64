//! The quality of one cell from the positions of its nodes.

use pliant_algebra::vec3::{
    Vec3, add, add_scaled, cross, dot, is_finite, norm, norm_squared, normalized, scale, sub,
    triple,
};

use super::CellQuality;
use crate::cell::{HEX_CORNERS, HEX_EDGES, TET_EDGES, TET_FACES};
use crate::isoparametric::{Hex20, Quadratic, Tet10};
use crate::volume::hex_volume;

/// The two faces at each edge of a tetrahedron: [`TET_FACES`] in the order of [`TET_EDGES`].
const TET_EDGE_FACES: [[usize; 2]; 6] = [[0, 3], [1, 3], [2, 3], [0, 2], [0, 1], [1, 2]];

/// The three corners next to each corner of a hexahedron, right-handed.
const HEX_FRAMES: [[usize; 3]; 8] =
    [[1, 3, 4], [2, 0, 5], [3, 1, 6], [0, 2, 7], [7, 5, 0], [4, 6, 1], [5, 7, 2], [6, 4, 3]];

/// Points relative to the first and scaled to a largest component of 1, and the length of that
/// unit. `None` where there is no extent, or a coordinate is not finite.
pub(crate) fn normalised<const N: usize>(points: &[Vec3; N]) -> Option<([Vec3; N], f64)> {
    if !points.iter().all(|&p| is_finite(p)) {
        return None;
    }
    let largest = |p: &[Vec3]| p.as_flattened().iter().fold(0.0, |m: f64, c| m.max(c.abs()));
    // Differences of coordinates near the limit of f64 would overflow.
    let down = if largest(points) > 1e150 { 2f64.powi(-600) } else { 1.0 };
    let relative = points.map(|p| sub(scale(p, down), scale(points[0], down)));
    let extent = largest(&relative);
    let unit = (extent / down).min(f64::MAX);
    (extent > 0.0).then(|| (relative.map(|p| p.map(|c| c / extent)), unit))
}

/// Least and greatest of several angles between 0 and 180°, each given by numbers in the ratio of
/// its sine and cosine, the sine not negative. Compares cotangents, and so needs two arc tangents
/// for any number of angles. An angle without direction counts as 0°.
struct AngleRange {
    least: [f64; 2],
    greatest: [f64; 2],
}

impl AngleRange {
    fn new() -> Self {
        Self { least: [0.0, -1.0], greatest: [0.0, 1.0] }
    }

    fn add(&mut self, sin: f64, cos: f64) {
        let angle = if sin == 0.0 && cos == 0.0 { [0.0, 1.0] } else { [sin, cos] };
        // At 0° and 180° both sines vanish, and only the cosines tell them apart.
        let below =
            |[s, c]: [f64; 2], [t, d]: [f64; 2]| c * t > d * s || (s == 0.0 && t == 0.0 && c > d);
        if below(angle, self.least) {
            self.least = angle;
        }
        if below(self.greatest, angle) {
            self.greatest = angle;
        }
    }

    fn degrees(&self) -> (f64, f64) {
        let degrees = |[sin, cos]: [f64; 2]| sin.atan2(cos).to_degrees();
        (degrees(self.least), degrees(self.greatest))
    }
}

/// a / b, or 0 where b is not positive.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// Outward normals of a tetrahedron's faces, as long as twice their areas.
fn tet_normals(p: &[Vec3; 4]) -> [Vec3; 4] {
    TET_FACES.map(|[a, b, c]| cross(sub(p[b], p[a]), sub(p[c], p[a])))
}

/// 3 r / R with r = 3V / A and R = | Σ |dᵢ|² dⱼ × dₖ | / 12 V: no division by the volume.
fn radius_ratio(p: &[Vec3; 4], doubled_area: f64) -> f64 {
    let d = [sub(p[1], p[0]), sub(p[2], p[0]), sub(p[3], p[0])];
    let volume = triple(d[0], d[1], d[2]) / 6.0;
    let mut sum = scale(cross(d[1], d[2]), norm_squared(d[0]));
    sum = add_scaled(sum, cross(d[2], d[0]), norm_squared(d[1]));
    sum = add_scaled(sum, cross(d[0], d[1]), norm_squared(d[2]));
    ratio(216.0 * volume * volume, doubled_area * norm(sum)).min(1.0)
}

/// The quality of a tetrahedron.
pub fn tet_quality(points: [Vec3; 4]) -> CellQuality {
    let Some((p, unit)) = normalised(&points) else { return CellQuality::WORST };
    let six_volumes = triple(sub(p[1], p[0]), sub(p[2], p[0]), sub(p[3], p[0]));
    let edges = TET_EDGES.map(|[a, b]| norm(sub(p[b], p[a])));
    let [ab, bc, ac, ad, bd, cd] = edges;
    let shortest = edges.into_iter().fold(f64::INFINITY, f64::min);
    let longest = edges.into_iter().fold(0.0, f64::max);
    let normals = tet_normals(&p);
    let doubled_areas = normals.map(norm);
    let mut angles = AngleRange::new();
    for ([f, g], length) in TET_EDGE_FACES.into_iter().zip(edges) {
        // |n₁ × n₂| is |e| |6V|, which does not cancel as forming it from n₁ and n₂ would.
        angles.add(length * six_volumes.abs(), -dot(normals[f], normals[g]));
    }
    let (min_dihedral, max_dihedral) = angles.degrees();
    // √2 J over the greatest product of the three edges at a corner: J = 6V at each of them.
    let product =
        [ab * ac * ad, ab * bc * bd, ac * bc * cd, ad * bd * cd].into_iter().fold(0.0, f64::max);
    // Least height 3V / A; √(2/3) of the edge in a regular tetrahedron.
    let height = ratio(six_volumes.abs(), doubled_areas.into_iter().fold(0.0, f64::max));
    CellQuality {
        min_dihedral,
        max_dihedral,
        radius_ratio: radius_ratio(&p, doubled_areas.iter().sum()),
        scaled_jacobian: ratio(2f64.sqrt() * six_volumes, product).clamp(-1.0, 1.0),
        aspect: (1.5f64.sqrt() * ratio(height, longest)).min(1.0),
        shortest_edge: shortest * unit,
        longest_edge: (longest * unit).min(f64::MAX),
        relative_volume: six_volumes / (6.0 * longest.powi(3)),
    }
}

/// The quality of a quadratic tetrahedron.
pub fn tet10_quality(points: [Vec3; 10]) -> CellQuality {
    let Some((p, _)) = normalised(&points) else { return CellQuality::WORST };
    let mut quality = tet_quality([points[0], points[1], points[2], points[3]]);
    if quality.scaled_jacobian > 0.0 {
        let six_volumes = triple(sub(p[1], p[0]), sub(p[2], p[0]), sub(p[3], p[0]));
        quality.scaled_jacobian *= ratio(Tet10::least_jacobian(&p), six_volumes).clamp(-1.0, 1.0);
    }
    quality
}

/// The quality of a hexahedron.
pub fn hex_quality(points: [Vec3; 8]) -> CellQuality {
    let Some((p, unit)) = normalised(&points) else { return CellQuality::WORST };
    let edges = HEX_EDGES.map(|[a, b]| norm(sub(p[b], p[a])));
    let shortest = edges.into_iter().fold(f64::INFINITY, f64::min);
    let longest = edges.into_iter().fold(0.0, f64::max);
    if longest == 0.0 {
        return CellQuality::WORST;
    }
    let mut angles = AngleRange::new();
    let mut q = CellQuality {
        min_dihedral: 0.0,
        max_dihedral: 180.0,
        radius_ratio: 1.0,
        scaled_jacobian: centre_jacobian(&p),
        aspect: shortest / longest,
        shortest_edge: shortest * unit,
        longest_edge: (longest * unit).min(f64::MAX),
        relative_volume: hex_volume(&p) / longest.powi(3),
    };
    // 3 r / R of the corner of a cube.
    let cube = 3f64.sqrt() - 1.0;
    for (corner, frame) in HEX_FRAMES.into_iter().enumerate() {
        let e = frame.map(|i| sub(p[i], p[corner]));
        q.scaled_jacobian = q.scaled_jacobian.min(unit_determinant(e));
        let tet = [p[corner], p[frame[0]], p[frame[1]], p[frame[2]]];
        let doubled_area = tet_normals(&tet).into_iter().map(norm).sum();
        q.radius_ratio = q.radius_ratio.min(radius_ratio(&tet, doubled_area) / cube);
        let determinant = triple(e[0], e[1], e[2]).abs();
        let normals = [cross(e[0], e[1]), cross(e[1], e[2]), cross(e[2], e[0])];
        for i in 0..3 {
            // Between the planes of e₍ᵢ₋₁₎, eᵢ and of eᵢ, e₍ᵢ₊₁₎.
            angles.add(norm(e[i]) * determinant, -dot(normals[(i + 2) % 3], normals[i]));
        }
    }
    (q.min_dihedral, q.max_dihedral) = angles.degrees();
    q
}

/// The quality of a quadratic hexahedron.
pub fn hex20_quality(points: [Vec3; 20]) -> CellQuality {
    let Some((p, _)) = normalised(&points) else { return CellQuality::WORST };
    let mut quality = hex_quality(std::array::from_fn(|i| points[i]));
    quality.scaled_jacobian = (0..20)
        .map(Hex20::node)
        .chain([[0.0; 3]])
        .map(|xi| unit_determinant(Hex20::shape(xi).columns(&p)))
        .fold(f64::INFINITY, f64::min);
    quality
}

/// Determinant of the three directions; 0 where one has no length.
fn unit_determinant(e: [Vec3; 3]) -> f64 {
    match e.map(normalized) {
        [Some(a), Some(b), Some(c)] => triple(a, b, c).clamp(-1.0, 1.0),
        _ => 0.0,
    }
}

/// Determinant of the directions of a hexahedron's three principal axes.
fn centre_jacobian(p: &[Vec3; 8]) -> f64 {
    unit_determinant(std::array::from_fn(|axis| {
        p.iter().zip(&HEX_CORNERS).fold([0.0; 3], |sum, (x, s)| add(sum, scale(*x, s[axis])))
    }))
}
