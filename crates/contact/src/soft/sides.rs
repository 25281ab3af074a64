//! [`Sides`]: which side of a surface is its outer one, at faces, edges and corners.

use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, dot, norm, normalized, sub};

use crate::distance::{Closest, Stencil};
use crate::surface::CollisionSurface;

/// The triangles around each collision vertex.
#[derive(Debug, Clone, Default)]
pub(super) struct Sides {
    offsets: Vec<u32>,
    around: Vec<u32>,
}

impl Sides {
    pub(super) fn new(surface: &CollisionSurface) -> Self {
        let mut offsets = vec![0_u32; surface.vertex_count() + 1];
        let corners = || (0_u32..).zip(surface.triangles()).flat_map(|(t, c)| c.map(|v| (v, t)));
        for (v, _) in corners() {
            offsets[v as usize + 1] += 1;
        }
        for v in 0..surface.vertex_count() {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut around = vec![0; 3 * surface.triangles().len()];
        for (v, t) in corners() {
            around[next[v as usize] as usize] = t;
            next[v as usize] += 1;
        }
        Self { offsets, around }
    }

    fn around(&self, vertex: u32) -> &[u32] {
        let [first, last] = [0, 1].map(|k| self.offsets[vertex as usize + k] as usize);
        &self.around[first..last]
    }

    /// A vector that points outward where the closest point on the triangle lies: its normal; at an edge the sum of the unit
    /// normals of the triangles there, at a corner that of all around it, weighted by their angles. Zero where all of them vanish.
    pub(super) fn outward(
        &self,
        surface: &CollisionSurface,
        y: &[Vec3],
        triangle: u32,
        closest: &Closest,
    ) -> Vec3 {
        let corners = surface.triangles()[triangle as usize];
        let normal = |t: u32| {
            let [a, b, c] = surface.triangles()[t as usize].map(|v| y[v as usize]);
            cross(sub(b, a), sub(c, a))
        };
        let unit = |t: u32| normalized(normal(t)).unwrap_or([0.0; 3]);
        let mut used = corners.iter().zip(&closest.weights[1..]).filter(|(_, c)| **c != 0.0);
        match (closest.active, used.next(), used.next()) {
            (Stencil::PointEdge, Some((&a, _)), Some((b, _))) => {
                let at_edge = |t: &&u32| surface.triangles()[**t as usize].contains(b);
                self.around(a).iter().filter(at_edge).fold([0.0; 3], |n, &t| add(n, unit(t)))
            }
            (Stencil::PointPoint, Some((&a, _)), _) => {
                self.around(a).iter().fold([0.0; 3], |n, &t| {
                    add_scaled(n, unit(t), angle(surface.triangles()[t as usize], a, y))
                })
            }
            _ => normal(triangle),
        }
    }
}

/// The angle of a triangle at its corner `a`, rad.
fn angle(corners: [u32; 3], a: u32, y: &[Vec3]) -> f64 {
    let k = corners.iter().position(|&v| v == a).unwrap_or(0);
    let [p, q, r] = [0, 1, 2].map(|j| y[corners[(k + j) % 3] as usize]);
    let (e, f) = (sub(q, p), sub(r, p));
    norm(cross(e, f)).atan2(dot(e, f))
}
