//! A point and a hexahedron: the inverse of the trilinear map, and the nearest point of the cell
//! with its bilinear faces. Corners are given relative to the point.

use pliant_algebra::vec3::{Vec3, add, add_scaled, dot, lerp, norm_squared, sub};

use crate::cell::{HEX_CORNERS, HEX_FACES};
use crate::spatial::Aabb;

use super::tet::{is_flat, solve};

/// The trilinear weights at ξ; they sum to 1.
pub(super) fn shape(xi: Vec3) -> [f64; 8] {
    HEX_CORNERS.map(|s| 0.125 * (1.0 + s[0] * xi[0]) * (1.0 + s[1] * xi[1]) * (1.0 + s[2] * xi[2]))
}

/// Σ w c
fn combine(corners: &[Vec3; 8], weights: &[f64; 8]) -> Vec3 {
    corners.iter().zip(weights).fold([0.0; 3], |sum, (c, &w)| add_scaled(sum, *c, w))
}

/// The columns ∂x/∂ξ of the trilinear map at ξ.
pub(super) fn jacobian(corners: &[Vec3; 8], xi: Vec3) -> [Vec3; 3] {
    let mut columns = [[0.0; 3]; 3];
    for (c, s) in corners.iter().zip(&HEX_CORNERS) {
        let f = [1.0 + s[0] * xi[0], 1.0 + s[1] * xi[1], 1.0 + s[2] * xi[2]];
        let gradient = [s[0] * f[1] * f[2], s[1] * f[0] * f[2], s[2] * f[0] * f[1]];
        for (column, g) in columns.iter_mut().zip(gradient) {
            *column = add_scaled(*column, *c, 0.125 * g);
        }
    }
    columns
}

/// The point of the cell nearest to the origin, as ξ, and its squared distance; zero inside.
pub(super) fn closest(corners: &[Vec3; 8]) -> (Vec3, f64) {
    if let Some(xi) = inside(corners) {
        return (xi, 0.0);
    }
    let mut best = ([0.0; 3], f64::INFINITY);
    for face in HEX_FACES {
        let (u, v, distance) = closest_on_patch(face.map(|i| corners[i]));
        if distance < best.1 {
            let [a, b, c, d] = face.map(|i| HEX_CORNERS[i]);
            best = (lerp(lerp(a, b, u), lerp(d, c, u), v), distance);
        }
    }
    best
}

/// The weights of the origin, whose nearest point in the cell is ξ: trilinear there, and from there
/// on by the affine map of the cell's middle, whose gradient is bounded however the faces bend.
/// The same step removes what rounding left over inside the cell.
pub(super) fn weights(corners: &[Vec3; 8], xi: Vec3) -> [f64; 8] {
    let mut weights = shape(xi);
    let middle = jacobian(corners, [0.0; 3]);
    for _ in 0..2 {
        let step = solve(middle, combine(corners, &weights));
        for (w, s) in weights.iter_mut().zip(&HEX_CORNERS) {
            *w -= 0.125 * dot(*s, step);
        }
    }
    weights
}

/// Whether the affine map of the cell's middle serves.
pub(super) fn is_degenerate(corners: &[Vec3; 8]) -> bool {
    is_flat(jacobian(corners, [0.0; 3]))
}

/// ξ of the origin if it is in the cell.
fn inside(corners: &[Vec3; 8]) -> Option<Vec3> {
    if !Aabb::around(*corners).contains([0.0; 3]) {
        return None;
    }
    let within = |xi: &Vec3| xi.iter().all(|x| x.abs() <= 1.0);
    if let Some(xi) = newton(corners, [0.0; 3]).filter(within) {
        return Some(xi);
    }
    // In a distorted cell Newton's method may miss: start it again in ever smaller parts. A part is
    // trilinear too, so that the box of its corners contains it.
    const LEVELS: u32 = 3;
    let mut parts = vec![([0.0; 3], 1.0, 0)];
    while let Some((centre, half, level)) = parts.pop() {
        for s in HEX_CORNERS {
            let half = 0.5 * half;
            let centre = add_scaled(centre, s, half);
            let part = HEX_CORNERS.map(|t| combine(corners, &shape(add_scaled(centre, t, half))));
            if !Aabb::around(part).contains([0.0; 3]) {
                continue;
            }
            if let Some(xi) = newton(corners, centre).filter(within) {
                return Some(xi);
            }
            if level + 1 < LEVELS {
                parts.push((centre, half, level + 1));
            }
        }
    }
    None
}

/// Newton's method for x(ξ) = 0, kept near the cell; `None` where it does not converge.
fn newton(corners: &[Vec3; 8], start: Vec3) -> Option<Vec3> {
    const LIMIT: f64 = 2.0;
    let mut xi = start;
    for _ in 0..24 {
        let step = solve(jacobian(corners, xi), combine(corners, &shape(xi)));
        let next = sub(xi, step).map(|x| x.clamp(-LIMIT, LIMIT));
        let change = sub(next, xi).iter().fold(0.0_f64, |m, d| m.max(d.abs()));
        // NaN, from a singular Jacobian, ends it as well.
        if !next.iter().all(|x| x.abs() < LIMIT) && change < 0.5 || change.is_nan() {
            return None;
        }
        xi = next;
        // Convergence is quadratic: the error left is the square of this.
        if change < 1e-9 {
            return xi.iter().all(|x| x.is_finite()).then_some(xi);
        }
    }
    None
}

/// The nearest point of the bilinear patch abcd to the origin: parameters u along ab and v along
/// ad, both in [0, 1], and the squared distance.
fn closest_on_patch([a, b, c, d]: [Vec3; 4]) -> (f64, f64, f64) {
    // For each v the patch is a segment, whose nearest point is exact; over v it is searched.
    let on_row = |v: f64| {
        let (from, to) = (lerp(a, d, v), lerp(b, c, v));
        let edge = sub(to, from);
        let u = (-dot(from, edge) / norm_squared(edge)).clamp(0.0, 1.0);
        let u = if u.is_nan() { 0.0 } else { u };
        (u, v, norm_squared(lerp(from, to, u)))
    };
    let nearer = |p: (f64, f64, f64), q: (f64, f64, f64)| if q.2 < p.2 { q } else { p };
    const SAMPLES: u32 = 8;
    let at = |i: u32| f64::from(i) / f64::from(SAMPLES);
    let mut best = (1..=SAMPLES).fold(on_row(0.0), |best, i| nearer(best, on_row(at(i))));
    // Golden section between the neighbours of the best sample.
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = ((best.1 - at(1)).max(0.0), (best.1 + at(1)).min(1.0));
    let mut left = on_row(high - golden * (high - low));
    let mut right = on_row(low + golden * (high - low));
    for _ in 0..40 {
        if left.2 <= right.2 {
            high = right.1;
            right = left;
            left = on_row(high - golden * (high - low));
        } else {
            low = left.1;
            left = right;
            right = on_row(low + golden * (high - low));
        }
    }
    best = nearer(nearer(best, left), right);
    // Comparing values finds a minimum to half the digits; Newton's method finds the others.
    let (along_u, along_v, twist) = (sub(b, a), sub(d, a), add(sub(a, b), sub(c, d)));
    for _ in 0..3 {
        let (u, v, distance) = best;
        let r = lerp(lerp(a, b, u), lerp(d, c, u), v);
        let (ru, rv) = (add_scaled(along_u, twist, v), add_scaled(along_v, twist, u));
        let (gu, gv) = (dot(r, ru), dot(r, rv));
        let (huu, huv, hvv) = (norm_squared(ru), dot(ru, rv) + dot(r, twist), norm_squared(rv));
        let (fixed_u, fixed_v) = (u == 0.0 || u == 1.0, v == 0.0 || v == 1.0);
        let (du, dv) = match (fixed_u, fixed_v) {
            (true, true) => break,
            (true, false) => (0.0, gv / hvv),
            (false, true) => (gu / huu, 0.0),
            (false, false) => {
                let det = huu * hvv - huv * huv;
                ((gu * hvv - gv * huv) / det, (gv * huu - gu * huv) / det)
            }
        };
        let (u, v) = (u - du, v - dv);
        let value = norm_squared(lerp(lerp(a, b, u), lerp(d, c, u), v));
        let valid = (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v);
        if !(valid && value <= distance * (1.0 + 1e-14)) {
            break;
        }
        best = (u, v, value.min(distance));
    }
    best
}
