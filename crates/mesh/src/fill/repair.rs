//! Small repairs of a triangle surface before it is asked for inside and outside: vertices at one
//! place are one, repeated and degenerate triangles go, neighbours are turned the same way round.

use std::collections::HashMap;

use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, sub, triple};

use crate::spatial::triangles::{area_normal, centroid};
use crate::spatial::{Aabb, TriangleTree, WindingTree};

/// A surface after repair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repaired {
    pub triangles: Vec<[Vec3; 3]>,
    /// Triangles without area that were left out.
    pub degenerate: usize,
    /// Triangles that occur more than once and were kept once.
    pub repeated: usize,
    /// Triangles turned round, apart from those that all were.
    pub turned: usize,
    /// Whether all of it was inside out.
    pub flipped: bool,
    /// Edges at which triangles end without a neighbour, or meet one turned the other way.
    pub open_edges: usize,
    /// Volume inside, in lattice units.
    pub volume: f64,
}

const NONE: u32 = u32::MAX;

/// Repairs the surface, whose indices are valid.
pub(crate) fn repair(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Repaired {
    let mut out = Repaired::default();
    let mut kept = distinct(&welded(vertices, triangles), vertices, &mut out);
    let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);

    let (patch, turn) = oriented_patches(&kept, |t| norm(area_normal(corners(t))));
    for (t, turn) in kept.iter_mut().zip(&turn) {
        if *turn {
            t.swap(1, 2);
        }
    }
    out.turned = turn.iter().filter(|&&t| t).count();

    let middle = Aabb::around(kept.iter().flat_map(corners)).centre();
    let volume = |t: &[u32; 3]| {
        let [a, b, c] = corners(t).map(|p| sub(p, middle));
        triple(a, b, c) / 6.0
    };
    if kept.iter().map(volume).sum::<f64>() < 0.0 {
        kept.iter_mut().for_each(|t| t.swap(1, 2));
        out.flipped = true;
    }
    out.triangles = kept.iter().map(corners).collect();
    let volumes: Vec<f64> = kept.iter().map(volume).collect();
    for wrong in inside_out_patches(&out.triangles, &patch, &volumes) {
        for (t, _) in kept.iter_mut().zip(&patch).filter(|(_, p)| **p == wrong) {
            t.swap(1, 2);
            out.turned += 1;
        }
    }
    out.triangles = kept.iter().map(corners).collect();
    out.volume = kept.iter().map(volume).sum();
    out.open_edges = runs(&half_edges(&kept))
        .filter(|run| run.iter().map(|h| h.sign()).sum::<i32>() != 0)
        .count();
    out
}

/// The triangles with the first of all vertices at the same place in place of each.
fn welded(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut first = HashMap::with_capacity(vertices.len());
    let same: Vec<u32> = (0..vertices.len() as u32)
        // Adding zero turns −0 into 0.
        .map(|v| *first.entry(vertices[v as usize].map(|x| (x + 0.0).to_bits())).or_insert(v))
        .collect();
    triangles.iter().map(|t| t.map(|v| same[v as usize])).collect()
}

/// Leaves out triangles without area and those whose corners occurred before.
fn distinct(triangles: &[[u32; 3]], vertices: &[Vec3], out: &mut Repaired) -> Vec<[u32; 3]> {
    let has_area = |t: &[u32; 3]| {
        let n = area_normal(t.map(|v| vertices[v as usize]));
        dot(n, n) > 0.0
    };
    let mut order: Vec<([u32; 3], u32)> = triangles
        .iter()
        .zip(0..)
        .filter(|(t, _)| has_area(t))
        .map(|(&t, i)| {
            let mut sorted = t;
            sorted.sort_unstable();
            (sorted, i)
        })
        .collect();
    out.degenerate = triangles.len() - order.len();
    order.sort_unstable();
    let all = order.len();
    order.dedup_by_key(|(key, _)| *key);
    out.repeated = all - order.len();
    let mut kept: Vec<u32> = order.into_iter().map(|(_, i)| i).collect();
    kept.sort_unstable();
    kept.into_iter().map(|i| triangles[i as usize]).collect()
}

/// A side of a triangle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct HalfEdge {
    low: u32,
    high: u32,
    triangle: u32,
    slot: u8,
    forward: bool,
}

impl HalfEdge {
    fn sign(self) -> i32 {
        if self.forward { 1 } else { -1 }
    }
}

/// All sides, those of the same edge together.
fn half_edges(triangles: &[[u32; 3]]) -> Vec<HalfEdge> {
    let mut sides: Vec<HalfEdge> = triangles
        .iter()
        .zip(0..)
        .flat_map(|(t, triangle)| {
            [0, 1, 2].map(|k| {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                HalfEdge { low: a.min(b), high: a.max(b), triangle, slot: k as u8, forward: a < b }
            })
        })
        .collect();
    sides.sort_unstable();
    sides
}

fn runs(sides: &[HalfEdge]) -> impl Iterator<Item = &[HalfEdge]> {
    sides.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high))
}

/// Patches of triangles connected across edges that two of them share, and whether to turn each
/// triangle so that all of a patch agree with the larger part of its area.
fn oriented_patches(
    triangles: &[[u32; 3]],
    area: impl Fn(&[u32; 3]) -> f64,
) -> (Vec<u32>, Vec<bool>) {
    let mut neighbour = vec![[(NONE, false); 3]; triangles.len()];
    for run in runs(&half_edges(triangles)) {
        if let [a, b] = run {
            let opposite = a.forward == b.forward;
            neighbour[a.triangle as usize][a.slot as usize] = (b.triangle, opposite);
            neighbour[b.triangle as usize][b.slot as usize] = (a.triangle, opposite);
        }
    }
    let mut patch = vec![NONE; triangles.len()];
    let mut turn = vec![false; triangles.len()];
    let mut patches = 0;
    for seed in 0..triangles.len() {
        if patch[seed] != NONE {
            continue;
        }
        patch[seed] = patches;
        let mut members = vec![seed];
        let mut next = 0;
        while next < members.len() {
            let t = members[next];
            next += 1;
            for (other, opposite) in neighbour[t] {
                if other != NONE && patch[other as usize] == NONE {
                    patch[other as usize] = patches;
                    turn[other as usize] = turn[t] ^ opposite;
                    members.push(other as usize);
                }
            }
        }
        let weight =
            |t: &usize| if turn[*t] { area(&triangles[*t]) } else { -area(&triangles[*t]) };
        if members.iter().map(weight).sum::<f64>() > 0.0 {
            members.iter().for_each(|&t| turn[t] = !turn[t]);
        }
        patches += 1;
    }
    (patch, turn)
}

/// Patches that are inside out on their own: they enclose a negative volume, and in front of them
/// the winding number is −1. (In front of the wall of a cavity it is 0.)
fn inside_out_patches(triangles: &[[Vec3; 3]], patch: &[u32], volumes: &[f64]) -> Vec<u32> {
    let patches = patch.iter().max().map_or(0, |&p| p as usize + 1);
    let mut volume = vec![0.0; patches];
    let mut largest = vec![(0.0, 0); patches];
    for (t, &p) in patch.iter().enumerate() {
        volume[p as usize] += volumes[t];
        let area = norm(area_normal(triangles[t]));
        if area > largest[p as usize].0 {
            largest[p as usize] = (area, t);
        }
    }
    let suspects: Vec<usize> = (0..patches).filter(|&p| volume[p] < 0.0).collect();
    if suspects.is_empty() {
        return Vec::new();
    }
    let tree = TriangleTree::new(triangles.to_vec());
    let winding = WindingTree::new(&tree);
    let in_front = |p: usize| {
        let (area, t) = largest[p];
        add_scaled(centroid(triangles[t]), area_normal(triangles[t]), 1e-3 / area.sqrt())
    };
    suspects.into_iter().filter(|&p| winding.at(in_front(p)) < -0.5).map(|p| p as u32).collect()
}
