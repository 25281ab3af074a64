//! What friction remembers: of each vertex and other body, and of each two edges, the slip, the normal that it is along, and the
//! normal force at the end of the step.

use pliant_algebra::vec3::{Vec3, add, add_scaled, dot};
use pliant_forces::Keyed;
use pliant_forces::coulomb::along;

use crate::distance::Stencil;
use crate::normal::Pressure;
use crate::surface::CollisionSurface;

/// Numbers of an entry: the slip, m, the normal, and the normal force, N.
pub(super) const WIDTH: usize = 7;

/// Keys of two edges are above those of vertices.
const EDGES: u64 = 1 << 63;

/// The key of a pair. A vertex and a body have one key whatever triangle of the body is nearest, so that a slip goes along from
/// one triangle to the next. Ascending in the order of [`NormalContact::pressures`](crate::normal::NormalContact::pressures).
pub(super) fn key(surface: &CollisionSurface, pair: &Pressure) -> u64 {
    let two = |high: u64, low: u64| high << 32 | low;
    let [a, b, c, d] = pair.vertices;
    if pair.stencil != Stencil::EdgeEdge {
        return two(u64::from(a), u64::from(surface.bodies()[b as usize]));
    }
    // Both are there, with the lower vertex first: the pair was made of them.
    let edge = |ends: [u32; 2]| surface.edges().binary_search(&ends).unwrap_or_else(|k| k) as u64;
    EDGES | two(edge([a, b]), edge([c, d]))
}

/// The key that a pair of one surface has in another one, which has some of its bodies, each as it is there; `body` tells their numbers
/// in the other. None where one of the two bodies is missing.
pub(super) fn key_in(
    to: &CollisionSurface,
    from: &CollisionSurface,
    key: u64,
    body: impl Fn(u32) -> Option<u32>,
) -> Option<u64> {
    let first = |surface: &CollisionSurface, body: u32| {
        surface.bodies().partition_point(|b| *b < body) as u32
    };
    let vertex = |v: u32| {
        let old = *from.bodies().get(v as usize)?;
        let new = body(old)?;
        Some(v - first(from, old) + first(to, new))
    };
    let (high, low) = (((key & !EDGES) >> 32) as u32, key as u32);
    if key & EDGES == 0 {
        return Some(u64::from(vertex(high)?) << 32 | u64::from(body(low)?));
    }
    let edge = |e: u32| {
        let [a, b] = *from.edges().get(e as usize)?;
        let ends = [vertex(a)?, vertex(b)?];
        to.edges().binary_search(&ends).ok().map(|e| e as u64)
    };
    Some(EDGES | edge(high)? << 32 | edge(low)?)
}

/// The normal force of a key at the end of the last step, N; 0 of what did not touch then.
pub(super) fn remembered(memory: &Keyed, key: u64) -> f64 {
    match memory.get(key) {
        Some(&[.., force]) => force,
        _ => 0.0,
    }
}

/// The slip of a pair along a surface with the normal `normal`, m; zero where nothing is remembered.
///
/// A slip turns with the normal, by the least rotation that takes the old normal to the new one, which keeps its length: two bodies
/// that roll over while they stick go on sticking. A normal that differs by more than 60° is one of another side of a
/// groove; what is along both is taken over.
pub(super) fn slip(memory: Option<&Keyed>, key: u64, normal: Vec3) -> Vec3 {
    let Some(&[a, b, c, l, m, n, _]) = memory.and_then(|memory| memory.get(key)) else {
        return [0.0; 3];
    };
    let (slip, old) = ([a, b, c], [l, m, n]);
    let cosine = dot(old, normal);
    if cosine < 0.5 {
        return along(slip, normal);
    }
    // R s = s − (s·n)(o + n)/(1 + o·n) for s ⟂ o.
    add_scaled(slip, add(old, normal), -dot(slip, normal) / (1.0 + cosine))
}
