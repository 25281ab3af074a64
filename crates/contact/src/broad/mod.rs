//! [`BroadPhase`]: pairs of primitives that may be near each other.
//!
//! Boxes of vertices, edges and triangles are swept along the motion and padded; pairs are those whose boxes overlap and that share no vertex. Pairs
//! come in ascending order and depend on positions alone: not on the number of threads, nor on what was asked before.

pub(crate) mod boxes;
mod pairs;
mod sorted;
pub(crate) mod tree;

use pliant_algebra::vec3::Vec3;
use rayon::prelude::*;

use crate::surface::CollisionSurface;
pub(crate) use boxes::{overlap, swept, union};
use pliant_mesh::spatial::Aabb;
use sorted::PairList;
use tree::Tree;

/// Vertices boxed by one task.
const CHUNK: usize = 4096;

/// Trees over a collision surface, and the pairs found with them. All buffers are kept: after some updates there are no allocations.
#[derive(Debug, Clone, Default)]
pub struct BroadPhase {
    boxes: Vec<Aabb>,
    /// Vertices as items of one vertex each.
    singles: Vec<[u32; 1]>,
    vertices: Tree<1>,
    edges: Tree<2>,
    triangles: Tree<3>,
    point_triangle: PairList,
    edge_edge: PairList,
    edge_triangle: PairList,
}

impl BroadPhase {
    /// Trees without boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Brings boxes up to date: around the collision vertices at `y`, or around their motion from `y` to y + Δ, with `padding`
    /// (m) on each side. Half the distance at which pairs are wanted is the right padding, as both boxes have it. The surface must be the same in all calls.
    ///
    /// # Panics
    /// Where `y` or `by` has not an entry for each collision vertex.
    pub fn update(
        &mut self,
        surface: &CollisionSurface,
        y: &[Vec3],
        by: Option<&[Vec3]>,
        padding: f64,
    ) {
        let count = surface.vertex_count();
        assert!(y.len() == count && by.is_none_or(|by| by.len() == count));
        self.boxes.resize(count, Aabb::EMPTY);
        self.boxes.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, boxes)| {
            for (i, b) in (chunk * CHUNK..).zip(boxes) {
                *b = boxes::swept(y[i], by.map_or([0.0; 3], |by| by[i]), padding);
            }
        });
        if self.singles.len() != count {
            self.singles = (0..count as u32).map(|v| [v]).collect();
        }
        self.vertices.update(&self.singles, &self.boxes);
        self.edges.update(surface.edges(), &self.boxes);
        self.triangles.update(surface.triangles(), &self.boxes);
    }

    /// Returns the pairs [vertex, triangle]. `accept` is asked with a vertex of each, as by
    /// [`CollisionSurface::bodies`] of these the pair may be one that never collides.
    pub fn point_triangle(&mut self, accept: impl Fn(u32, u32) -> bool + Sync) -> &[[u32; 2]] {
        pairs::between(&self.vertices, &self.triangles, &accept, &mut self.point_triangle);
        &self.point_triangle.pairs
    }

    /// Returns the pairs [edge, edge], the lower one first.
    pub fn edge_edge(&mut self, accept: impl Fn(u32, u32) -> bool + Sync) -> &[[u32; 2]] {
        pairs::within(&self.edges, &accept, &mut self.edge_edge);
        &self.edge_edge.pairs
    }

    /// Returns the pairs [edge, triangle], which intersect where surfaces do.
    pub fn edge_triangle(&mut self, accept: impl Fn(u32, u32) -> bool + Sync) -> &[[u32; 2]] {
        pairs::between(&self.edges, &self.triangles, &accept, &mut self.edge_triangle);
        &self.edge_triangle.pairs
    }
}
