//! Closest points by region: 7 of a point and a triangle, 9 of two edges.
//!
//! Both are the point of a convex set in a plane, a triangle or a parallelogram r₀ + β₁ e₁ + β₂ e₂, that is nearest to
//! the origin. A least-squares problem gives the nearest point of the plane; where it lies outside, the
//! sides that it lies beyond are looked at. For slivers and nearly parallel edges β is noise in one direction: the nearest of all sides
//! is taken, so that the distance is right to the rounding of positions.

use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm_squared, sub};

use super::{Closest, Stencil};

/// An edge whose squared length is below this, m², is a point: its inverse would not be finite, or not normal.
const TINY: f64 = 1e-290;
/// Edges whose sine is below this are parallel but for rounding.
const PARALLEL_SQUARED: f64 = 1e-28;
/// Edges whose sine is below this have a β that rounding may have put in the wrong place.
const NEARLY_PARALLEL_SQUARED: f64 = 1e-8;

#[inline]
pub(super) fn point_point(x: &[Vec3; 4], p: usize, q: usize) -> Closest {
    let mut weights = [0.0; 4];
    (weights[p], weights[q]) = (1.0, -1.0);
    Closest::new(Stencil::PointPoint, weights, sub(x[p], x[q]), [[0; 2]; 2])
}

/// The vertex p and the edge a–b, with r towards p times `sign`.
#[inline]
pub(super) fn point_edge(x: &[Vec3; 4], p: usize, ends: [usize; 2], sign: f64) -> Closest {
    let (u, _) = on_edge(x[p], x[ends[0]], x[ends[1]]);
    point_edge_at(x, p, ends, sign, u)
}

/// The parameter of the point of a–b that is nearest to p, and its squared distance.
#[inline]
fn on_edge(p: Vec3, a: Vec3, b: Vec3) -> (f64, f64) {
    let (e, from) = (sub(b, a), sub(p, a));
    let (along, length_squared) = (dot(from, e), norm_squared(e));
    if along <= 0.0 || length_squared <= TINY {
        return (0.0, norm_squared(from));
    }
    if along >= length_squared {
        return (1.0, norm_squared(sub(p, b)));
    }
    let u = along / length_squared;
    (u, norm_squared(add_scaled(from, e, -u)))
}

#[inline]
fn point_edge_at(x: &[Vec3; 4], p: usize, [a, b]: [usize; 2], sign: f64, u: f64) -> Closest {
    let mut weights = [0.0; 4];
    weights[p] = sign;
    let (active, r) = if u <= 0.0 {
        weights[a] = -sign;
        (Stencil::PointPoint, sub(x[p], x[a]))
    } else if u >= 1.0 {
        weights[b] = -sign;
        (Stencil::PointPoint, sub(x[p], x[b]))
    } else {
        (weights[a], weights[b]) = (-sign * (1.0 - u), -sign * u);
        let e = sub(x[b], x[a]);
        let r = add_scaled(sub(x[p], x[a]), e, -u);
        (Stencil::PointEdge, add_scaled(r, e, -dot(r, e) / norm_squared(e)))
    };
    Closest::new(active, weights, r.map(|r| sign * r), [[a as u8, b as u8], [0; 2]])
}

/// The β of min |r₀ + β₁ e₁ + β₂ e₂|, that vector, and sin² of the angle between e₁ and e₂; `None` where they are
/// parallel or one of them vanishes. By orthogonalisation: normal equations would square the condition.
#[inline]
fn least_squares(r0: Vec3, e1: Vec3, e2: Vec3) -> Option<([f64; 2], Vec3, f64)> {
    let (l1, l2) = (norm_squared(e1), norm_squared(e2));
    let slant = dot(e1, e2) / l1;
    let across = add_scaled(e2, e1, -slant);
    let height = norm_squared(across);
    // Written so that the NaN of a vanishing e₁ is refused.
    if !(l1 > TINY && height > TINY && height > PARALLEL_SQUARED * l2) {
        return None;
    }
    let (i1, i2) = (1.0 / l1, 1.0 / height);
    let (mut beta, mut r) = ([0.0; 2], r0);
    // The second pass removes what rounding has left of r along e₁ and e₂: n is as accurate as r is long.
    for _ in 0..2 {
        let b2 = -dot(r, across) * i2;
        let b1 = -dot(r, e1) * i1 - slant * b2;
        beta = [beta[0] + b1, beta[1] + b2];
        r = add_scaled(add_scaled(r, e1, b1), e2, b2);
    }
    Some((beta, r, height / l2))
}

/// A vertex, the ends of an edge, and the sign of r if it points towards the vertex.
type Side = (usize, [usize; 2], f64);

/// The closest points on the sides that the point of least squares lies beyond. The set is convex, so a point inside one of
/// these sides is the one; distances are compared only where they differ in the first order. (Of two sides at a corner the distances
/// differ in the second, and their comparison would turn gradients by √ε.)
#[inline]
fn on_sides(x: &[Vec3; 4], sides: &[Side], beyond: impl Fn(usize) -> bool) -> Closest {
    let mut best = (f64::INFINITY, sides[0], 0.0);
    for (k, &side) in sides.iter().enumerate() {
        if !beyond(k) {
            continue;
        }
        let (p, [a, b], sign) = side;
        let (u, squared) = on_edge(x[p], x[a], x[b]);
        if u > 0.0 && u < 1.0 {
            return point_edge_at(x, p, [a, b], sign, u);
        }
        if squared < best.0 {
            best = (squared, side, u);
        }
    }
    let (_, (p, ends, sign), u) = best;
    point_edge_at(x, p, ends, sign, u)
}

/// The closest points on all sides and inside, by distance alone.
#[inline]
fn nearest(x: &[Vec3; 4], sides: &[Side], inside: Option<Closest>) -> Closest {
    let mut best = (f64::INFINITY, sides[0], 0.0);
    for &side in sides {
        let (p, [a, b], _) = side;
        let (u, squared) = on_edge(x[p], x[a], x[b]);
        if squared < best.0 {
            best = (squared, side, u);
        }
    }
    let (_, (p, ends, sign), u) = best;
    let rim = point_edge_at(x, p, ends, sign, u);
    inside.filter(|inside| inside.distance <= rim.distance).unwrap_or(rim)
}

/// The face is entered at the vertex opposite its longest edge: the two shorter ones are the best conditioned.
#[inline]
pub(super) fn point_triangle(x: &[Vec3; 4]) -> Closest {
    let [p, a, b, c] = *x;
    let (ab, bc, ca) = (norm_squared(sub(b, a)), norm_squared(sub(c, b)), norm_squared(sub(a, c)));
    let [o, f, g] = if bc >= ab && bc >= ca {
        [1, 2, 3]
    } else if ca >= ab {
        [2, 3, 1]
    } else {
        [3, 1, 2]
    };
    const SIDES: [Side; 3] = [(0, [1, 2], 1.0), (0, [1, 3], 1.0), (0, [2, 3], 1.0)];
    let Some((beta, r, sine_squared)) =
        least_squares(sub(p, x[o]), sub(x[o], x[f]), sub(x[o], x[g]))
    else {
        return nearest(x, &SIDES, None);
    };
    let [u, v] = beta;
    let mut shares = [0.0; 4];
    (shares[o], shares[f], shares[g]) = (1.0 - u - v, u, v);
    let inside = (u > 0.0 && v > 0.0 && shares[o] > 0.0).then(|| {
        let weights = [1.0, -shares[1], -shares[2], -shares[3]];
        let edges = [[o as u8, f as u8], [o as u8, g as u8]];
        Closest::new(Stencil::PointTriangle, weights, r, edges)
    });
    match inside {
        _ if sine_squared < NEARLY_PARALLEL_SQUARED => nearest(x, &SIDES, inside),
        Some(inside) => inside,
        // The side opposite vertex 3, 2 or 1.
        None => on_sides(x, &SIDES, |k| shares[3 - k] <= 0.0),
    }
}

#[inline]
pub(super) fn edge_edge(x: &[Vec3; 4]) -> Closest {
    let [a0, a1, b0, b1] = *x;
    const SIDES: [Side; 4] =
        [(0, [2, 3], 1.0), (1, [2, 3], 1.0), (2, [0, 1], -1.0), (3, [0, 1], -1.0)];
    let Some(([s, t], r, sine_squared)) = least_squares(sub(a0, b0), sub(a1, a0), sub(b0, b1))
    else {
        return nearest(x, &SIDES, None);
    };
    let beyond = [s <= 0.0, s >= 1.0, t <= 0.0, t >= 1.0];
    let inside = (!beyond.contains(&true)).then(|| {
        let weights = [1.0 - s, s, -(1.0 - t), -t];
        Closest::new(Stencil::EdgeEdge, weights, r, [[1, 0], [2, 3]])
    });
    match inside {
        _ if sine_squared < NEARLY_PARALLEL_SQUARED => nearest(x, &SIDES, inside),
        Some(inside) => inside,
        None => on_sides(x, &SIDES, |k| beyond[k]),
    }
}
