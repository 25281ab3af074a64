//! Exact test of an edge and a triangle for a common point, rims included.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use pliant_algebra::vec3::{Vec3, add, lerp, scale, sub, triple};

use super::exact::{area_sign, volume_sign};
use crate::distance::Stencil;

/// Returns true if the closed edge and the closed triangle have a point in common. Touching counts, and so do parts in one plane,
/// on one line or collapsed to a point. No rounding enters (within the range of numbers that volumes of coordinates need).
pub fn edge_meets_triangle([a, b]: [Vec3; 2], [p, q, r]: [Vec3; 3]) -> bool {
    let (of_a, of_b) = (volume_sign(p, q, r, a), volume_sign(p, q, r, b));
    if of_a == of_b && of_a != Equal {
        return false;
    }
    if of_a == Equal && of_b == Equal {
        return in_one_plane([a, b], [p, q, r]);
    }
    // The line of the edge leaves all sides of the triangle on the same hand.
    let turns = [volume_sign(a, b, p, q), volume_sign(a, b, q, r), volume_sign(a, b, r, p)];
    !(turns.contains(&Less) && turns.contains(&Greater))
}

/// The coordinates that are left when axis `dropped` is.
fn flat(p: Vec3, dropped: usize) -> [f64; 2] {
    [p[(dropped + 1) % 3], p[(dropped + 2) % 3]]
}

/// An axis along which the triangle does not look like a line, if it is not one.
fn broad_side([p, q, r]: [Vec3; 3]) -> Option<usize> {
    (0..3).find(|&axis| area_sign(flat(p, axis), flat(q, axis), flat(r, axis)) != Equal)
}

fn in_one_plane(edge: [Vec3; 2], triangle: [Vec3; 3]) -> bool {
    let [p, q, r] = triangle;
    let meets_rim = || [[p, q], [q, r], [r, p]].into_iter().any(|side| edges_meet(edge, side));
    // A triangle that is a line or a point is its rim.
    let Some(axis) = broad_side(triangle) else { return meets_rim() };
    let [p, q, r] = triangle.map(|v| flat(v, axis));
    let inside = |v: Vec3| {
        let v = flat(v, axis);
        let turns = [area_sign(p, q, v), area_sign(q, r, v), area_sign(r, p, v)];
        !(turns.contains(&Less) && turns.contains(&Greater))
    };
    inside(edge[0]) || inside(edge[1]) || meets_rim()
}

/// True if two closed edges have a point in common.
fn edges_meet([a, b]: [Vec3; 2], [p, q]: [Vec3; 2]) -> bool {
    if volume_sign(a, b, p, q) != Equal {
        return false;
    }
    let Some(axis) = [[a, b, p], [a, b, q], [p, q, a], [p, q, b]].into_iter().find_map(broad_side)
    else {
        return on_one_line([a, b], [p, q]);
    };
    let turn = |x: Vec3, y: Vec3, z: Vec3| area_sign(flat(x, axis), flat(y, axis), flat(z, axis));
    let apart = |one: Ordering, other: Ordering| one == other && one != Equal;
    // In a plane two edges that are not on one line miss each other if one of them lies on one side of the other's line. If
    // an end is on that line, the other edge passes through it or not, which its own test tells.
    !apart(turn(a, b, p), turn(a, b, q)) && !apart(turn(p, q, a), turn(p, q, b))
}

/// Edges on one line overlap if their ranges do, in the order of coordinates.
fn on_one_line(one: [Vec3; 2], other: [Vec3; 2]) -> bool {
    let order = |x: Vec3, y: Vec3| x.partial_cmp(&y).unwrap_or(Equal);
    let sorted = |[x, y]: [Vec3; 2]| if order(x, y) == Greater { [y, x] } else { [x, y] };
    let ([low, high], [from, to]) = (sorted(one), sorted(other));
    order(low, to) != Greater && order(from, high) != Greater
}

/// Returns a point of the edge near where it meets the triangle, to rounding: for reports.
pub fn meeting_point([a, b]: [Vec3; 2], [p, q, r]: [Vec3; 3]) -> Vec3 {
    let volume = |v: Vec3| triple(sub(p, v), sub(q, v), sub(r, v));
    let (from, to) = (volume(a), volume(b));
    if from * to < 0.0 {
        return lerp(a, b, from / (from - to));
    }
    // In one plane, or touching: the nearest of what can be.
    let mut best = (f64::INFINITY, a);
    for end in [a, b] {
        let d = Stencil::PointTriangle.closest(&[end, p, q, r]).distance;
        if d < best.0 {
            best = (d, end);
        }
    }
    for [x, y] in [[p, q], [q, r], [r, p]] {
        let closest = Stencil::EdgeEdge.closest(&[a, b, x, y]);
        if closest.distance < best.0 {
            let [s, t, ..] = closest.weights;
            best = (closest.distance, add(scale(a, s), scale(b, t)));
        }
    }
    best.1
}
