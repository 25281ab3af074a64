//! [`Wall`]: a shape that stops vertices by what a method does with them, not by a force.

use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, normalized, sub};

use super::shape::Shape;
use crate::error::ForceError;
use crate::parameter::vertices;

/// A point s = Σ c x that is behind a surface. Over the face of a body it is a vertex less its closest point; before an obstacle
/// the vertex alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// Vertices, and their c; 0 for those that do not count.
    pub nodes: [u32; 4],
    /// c
    pub weights: [f64; 4],
    /// The outward normal of the surface, of length 1.
    pub normal: Vec3,
    /// How far the point is behind the surface, m.
    pub depth: f64,
}

/// Something that finds what is behind surfaces.
pub trait Meets: Send {
    /// Adds all points that are behind a surface at positions x, in an order that depends on these alone. No allocation once
    /// buffers have grown.
    fn find(&mut self, x: &[Vec3], found: &mut Vec<Meeting>);
}

/// An obstacle for some vertices that exerts no force by itself.
#[derive(Debug, Clone)]
pub struct Wall {
    shape: Shape,
    vertices: Vec<u32>,
}

impl Wall {
    /// A shape for some of `vertex_count` vertices.
    pub fn new(shape: Shape, on: &[u32], vertex_count: usize) -> Result<Self, ForceError> {
        vertices("obstacle", on, vertex_count)?;
        Ok(Self { shape: shape.checked()?, vertices: on.to_vec() })
    }

    /// Its form.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Calls `visit` with each vertex that is inside at positions x, the nearest point of the surface, and the outward normal
    /// there.
    pub fn inside(&self, x: &[Vec3], mut visit: impl FnMut(u32, Vec3, Vec3)) {
        for &v in &self.vertices {
            let Some(&x) = x.get(v as usize) else { continue };
            if self.shape.touches(x) {
                let free = self.shape.nearest_free(x);
                if let Some(normal) = normalized(sub(free, x)) {
                    visit(v, free, normal);
                }
            }
        }
    }

    /// The nearest point of the surface and its outward normal for a point that was on the surface, where its normal was
    /// `normal`; none where the surface has been left by more than `reach`, m.
    pub fn along(&self, x: Vec3, normal: Vec3, reach: f64) -> Option<(Vec3, Vec3)> {
        let inner = add_scaled(x, normal, -reach);
        if !self.shape.touches(inner) {
            return None;
        }
        let free = self.shape.nearest_free(inner);
        normalized(sub(free, inner)).map(|normal| (free, normal))
    }
}

impl Meets for Wall {
    fn find(&mut self, x: &[Vec3], found: &mut Vec<Meeting>) {
        self.inside(x, |v, free, normal| {
            let depth = norm(sub(free, x[v as usize]));
            let weights = [1.0, 0.0, 0.0, 0.0];
            found.push(Meeting { nodes: [v; 4], weights, normal, depth });
        });
    }
}

impl Meeting {
    /// n · Σ c y of a field over all vertices.
    pub fn along(&self, y: &[Vec3]) -> f64 {
        let sum = self.nodes.iter().zip(self.weights).fold([0.0; 3], |sum, (&v, c)| {
            if c == 0.0 { sum } else { add_scaled(sum, y[v as usize], c) }
        });
        dot(sum, self.normal)
    }
}
