//! The quality of one cell from the positions of its nodes.

use pliant_algebra::vec3::{
    Vec3, add, add_scaled, cross, dot, is_finite, norm, norm_squared, normalized, scale, sub,
    triple,
};

use super::CellQuality;
use crate::cell::{HEX_CORNERS, HEX_EDGES, TET_EDGES, TET_FACES};
use crate::measure::Tet10Shape;
use crate::volume::hex_volume;

/// The corners across each edge of a tetrahedron, in the order of [`TET_EDGES`].
const TET_OPPOSITE: [[usize; 2]; 6] = [[2, 3], [0, 3], [1, 3], [1, 2], [0, 2], [0, 1]];

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

fn edge_range<const N: usize>(p: &[Vec3; N], edges: &[[usize; 2]]) -> (f64, f64) {
    edges.iter().fold((f64::INFINITY, 0.0), |(lo, hi), &[a, b]| {
        let length = norm(sub(p[b], p[a]));
        (length.min(lo), length.max(hi))
    })
}

/// Angle in degrees at edge `e` between the half-planes towards `a` and `b`.
fn dihedral(e: Vec3, a: Vec3, b: Vec3) -> f64 {
    // |n₁ × n₂| = |e| |e · (a × b)|, without the cancellation of forming it from n₁ and n₂.
    let (n1, n2) = (cross(e, a), cross(e, b));
    (norm(e) * triple(e, a, b).abs()).atan2(dot(n1, n2)).to_degrees()
}

/// Angles at the six edges: least and greatest.
fn tet_dihedrals(p: &[Vec3; 4]) -> (f64, f64) {
    TET_EDGES.iter().zip(TET_OPPOSITE).fold((180.0, 0.0), |(lo, hi): (f64, f64), (e, o)| {
        let from = p[e[0]];
        let angle = dihedral(sub(p[e[1]], from), sub(p[o[0]], from), sub(p[o[1]], from));
        (lo.min(angle), hi.max(angle))
    })
}

fn tet_area(p: &[Vec3; 4]) -> [f64; 4] {
    TET_FACES.map(|[a, b, c]| 0.5 * norm(cross(sub(p[b], p[a]), sub(p[c], p[a]))))
}

/// a / b, or 0 where b is not positive.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// 3 r / R with r = 3V / A and R = | Σ |dᵢ|² dⱼ × dₖ | / 12 V: no division by the volume.
fn radius_ratio(p: &[Vec3; 4]) -> f64 {
    let d = [sub(p[1], p[0]), sub(p[2], p[0]), sub(p[3], p[0])];
    let volume = triple(d[0], d[1], d[2]) / 6.0;
    let mut sum = scale(cross(d[1], d[2]), norm_squared(d[0]));
    sum = add_scaled(sum, cross(d[2], d[0]), norm_squared(d[1]));
    sum = add_scaled(sum, cross(d[0], d[1]), norm_squared(d[2]));
    let area: f64 = tet_area(p).iter().sum();
    ratio(108.0 * volume * volume, area * norm(sum)).min(1.0)
}

/// The quality of a tetrahedron.
pub fn tet_quality(points: [Vec3; 4]) -> CellQuality {
    let Some((p, unit)) = normalised(&points) else { return CellQuality::WORST };
    let (shortest, longest) = edge_range(&p, &TET_EDGES);
    let (min_dihedral, max_dihedral) = tet_dihedrals(&p);
    let six_volumes = triple(sub(p[1], p[0]), sub(p[2], p[0]), sub(p[3], p[0]));
    // √2 J over the greatest product of the three edges at a corner: J = 6V at each of them.
    let length = |a: usize, b: usize| norm(sub(p[b], p[a]));
    let product = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
        .into_iter()
        .enumerate()
        .map(|(i, o)| length(i, o[0]) * length(i, o[1]) * length(i, o[2]))
        .fold(0.0, f64::max);
    // Least height 3V / A; √(2/3) of the edge in a regular tetrahedron.
    let height = ratio(0.5 * six_volumes.abs(), tet_area(&p).into_iter().fold(0.0, f64::max));
    CellQuality {
        min_dihedral,
        max_dihedral,
        radius_ratio: radius_ratio(&p),
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
        let mut nodes = [[0.0; 4]; 10];
        (0..4).for_each(|i| nodes[i][i] = 1.0);
        for (node, [a, b]) in nodes[4..].iter_mut().zip(TET_EDGES) {
            (node[a], node[b]) = (0.5, 0.5);
        }
        let least = nodes
            .into_iter()
            .map(|lambda| Tet10Shape::at(lambda).jacobian(&p))
            .fold(f64::INFINITY, f64::min);
        quality.scaled_jacobian *= ratio(least, six_volumes).clamp(-1.0, 1.0);
    }
    quality
}

/// The quality of a hexahedron.
pub fn hex_quality(points: [Vec3; 8]) -> CellQuality {
    let Some((p, unit)) = normalised(&points) else { return CellQuality::WORST };
    let (shortest, longest) = edge_range(&p, &HEX_EDGES);
    if longest == 0.0 {
        return CellQuality::WORST;
    }
    let mut q = CellQuality {
        min_dihedral: 180.0,
        max_dihedral: 0.0,
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
        q.radius_ratio = q.radius_ratio.min(radius_ratio(&tet) / cube);
        for i in 0..3 {
            let angle = dihedral(e[i], e[(i + 1) % 3], e[(i + 2) % 3]);
            q.min_dihedral = q.min_dihedral.min(angle);
            q.max_dihedral = q.max_dihedral.max(angle);
        }
    }
    q
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
