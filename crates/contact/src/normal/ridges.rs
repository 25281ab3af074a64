//! How much of two edges are ridges to each other.
//!
//! Where two faces touch, vertices near triangles carry the pressure, and pairs of edges count for next to nothing, or the pressure would
//! depend on how edges of both meshes happen to cross. Where two ridges cross, as facets of two round bodies do, no vertex is near
//! anything: the pair of edges is all there is to carry. With a small weight it would let the gap close to a ten thousandth of d̂, and
//! motions would be stopped by times of impact where they ought to be stopped by forces.
//!
//! Two edges that touch inside of both have the normal n = u × w of their directions. The faces beside them tell which case it is: the far
//! corner of each lies below its edge, seen from the other body, by a depth along n. Where one face is flat, a vertex is near it or soon will
//! be; where all are deeper than d̂, nothing but the edges touches. A pair counts by ψ(s) = s² (3 − 2s), where s is the least depth over d̂/4, and at most 1.
//!
//! Directions are lagged, as [facing areas](crate::surface::CollisionSurface::facing_area) are: they are those of the start of a step. They do
//! not depend on how far apart the edges were then.

use pliant_algebra::vec3::{Vec3, cross, dot, norm, sub};

use super::NormalContact;
use super::fans::NONE;

/// The part of d̂ by which faces fall away beside edges that count in full.
const FULL: f64 = 0.25;

impl NormalContact {
    /// Returns ψ of two edges for positions `start` of the collision vertices: 0 where a face beside one of them is flat against the other
    /// body, 1 where all four fall away. `vertices` are the ends of the first edge and of the second.
    pub(super) fn ridge(
        &self,
        start: &[Vec3],
        edges: [usize; 2],
        vertices: [u32; 4],
        activation: f64,
    ) -> f64 {
        let [a, b, c, d] = vertices.map(|v| start[v as usize]);
        let n = cross(sub(b, a), sub(d, c));
        let length = norm(n);
        if length == 0.0 {
            return 0.0;
        }
        // Which of the bodies is above the other is not known: the one order or the other has all depths above 0.
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for ((edge, from), sign) in edges.into_iter().zip([a, c]).zip([1.0, -1.0]) {
            for &corner in self.fans.corners[edge].iter().filter(|&&corner| corner != NONE) {
                let depth = sign * dot(sub(start[corner as usize], from), n) / length;
                (least, most) = (least.min(depth), most.max(depth));
            }
        }
        let s = (least.max(-most) / (FULL * activation)).clamp(0.0, 1.0);
        s * s * (3.0 - 2.0 * s)
    }
}
