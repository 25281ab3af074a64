//! [`Fans`]: how often edges and vertices of a surface are counted along with which triangle.
//!
//! A vertex near a surface is near several of its triangles: near both sides of an edge, near all triangles around a corner. Summed
//! over triangles, its potential would jump with the mesh by a factor of the valence. Inclusion and exclusion counts
//! each place once: the sum over triangles, less that over inner edges, plus that over inner vertices (Li et al., Convergent
//! incremental potential contact, 2023). Each edge and vertex is counted along with one triangle at it, its owner.
//!
//! At the rim of a face more is taken away. A vertex inside of a face stands for the area around it, and of one just below the rim of a
//! block only a half has something above it, below a corner a quarter: there the places of the edge count ½ and those of the corner ¼
//! in all. An edge of the exterior angle θ loses ½ sin²θ of its places if it is convex, at most a half, and a vertex half of what
//! its edges lose. A vertex at a rim itself stands for area on one side of it only: for it nothing is lost. So two flat faces whose meshes
//! match have the area that they share. All counts follow from the surface at rest, so that the sum is as smooth as its parts.

use pliant_algebra::vec3::{Vec3, cross, dot, norm_squared, sub};

use crate::surface::CollisionSurface;

/// No vertex.
const NONE: u32 = u32::MAX;
/// The least that is left of the places of a vertex.
const LEAST: f64 = 0.25;

/// An edge that is counted along with a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    /// How often it is counted at least.
    base: f64,
    /// The part of its places that it loses.
    loss: f64,
    /// The corner of the other triangle opposite of it; no vertex at an open rim.
    pub(super) opposite: u32,
}

impl Side {
    /// How often it counts for a vertex of some flatness.
    pub(super) fn times(&self, flatness: f64) -> f64 {
        self.base + flatness * self.loss
    }
}

/// A corner that is counted along with a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// How often it is counted with all triangles, less edges, around it.
    counted: f64,
    /// What its edges lose.
    lost: f64,
}

impl Place {
    /// How often it counts for a vertex of some flatness.
    pub(super) fn times(&self, flatness: f64) -> f64 {
        let lost = flatness * self.lost;
        (1.0 - 0.5 * lost).max(LEAST) - (self.counted - lost)
    }
}

/// What is counted along with a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owned {
    /// The side from corner k to the next, if it is counted here.
    pub(super) sides: [Option<Side>; 3],
    /// Its corners, if they are counted here.
    pub(super) corners: [Option<Place>; 3],
}

/// How often places of a surface count.
#[derive(Debug, Clone)]
pub(super) struct Fans {
    /// One for each triangle.
    pub(super) owned: Vec<Owned>,
    /// Of each vertex 1 inside of a flat face, 0 at a rim.
    pub(super) flatness: Vec<f64>,
}

impl Fans {
    pub(super) fn new(surface: &CollisionSurface) -> Self {
        let triangles = surface.triangles();
        let mut owned = vec![Owned { sides: [None; 3], corners: [None; 3] }; triangles.len()];
        let mut sides: Vec<([u32; 2], usize, usize)> = Vec::with_capacity(3 * triangles.len());
        // At each vertex: how often its triangles, less edges, count there, and what its edges lose.
        let mut counted = vec![0.0; surface.vertex_count()];
        let mut lost = vec![0.0; surface.vertex_count()];
        let mut owner = vec![NONE; surface.vertex_count()];
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], t, k));
                counted[a as usize] += 1.0;
                owner[a as usize] = owner[a as usize].min(t as u32);
            }
        }
        sides.sort_unstable();
        for group in sides.chunk_by(|one, other| one.0 == other.0) {
            let (ends, first, k) = group[0];
            let (loss, opposite) = match *group {
                [_] => (0.5, NONE),
                [_, (_, second, l)] => {
                    let [one, other] = [triangles[first], triangles[second]];
                    (loss(surface.rest(), [one, other], [k, l]), other[(l + 2) % 3])
                }
                // Where more than two meet, all but one are taken away.
                _ => (0.0, NONE),
            };
            let base = group.len() as f64 - 1.0;
            owned[first].sides[k] = Some(Side { base, loss, opposite });
            for v in ends {
                counted[v as usize] -= base;
                lost[v as usize] += loss;
            }
        }
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let v = corners[k] as usize;
                if owner[v] == t as u32 {
                    owned[t].corners[k] = Some(Place { counted: counted[v], lost: lost[v] });
                }
            }
        }
        let flatness = lost.iter().map(|lost| (1.0 - lost).max(0.0)).collect();
        Self { owned, flatness }
    }
}

/// The part of its places that the edge between two triangles loses; `sides` says which of their sides it is.
fn loss(rest: &[Vec3], triangles: [[u32; 3]; 2], sides: [usize; 2]) -> f64 {
    let corners = |t: [u32; 3]| t.map(|v| rest[v as usize]);
    let normal = |[a, b, c]: [Vec3; 3]| cross(sub(b, a), sub(c, a));
    let [one, other] = triangles.map(corners);
    let (m, n) = (normal(one), normal(other));
    let inside = dot(m, sub(other[(sides[1] + 2) % 3], one[sides[0]]));
    let lengths = norm_squared(m) * norm_squared(n);
    if inside >= 0.0 || lengths == 0.0 {
        return 0.0;
    }
    let across = cross(m, n);
    0.5 * if dot(m, n) > 0.0 { norm_squared(across) / lengths } else { 1.0 }
}
