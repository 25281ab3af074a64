//! Exact test whether surfaces intersect, and where.
//!
//! Two triangles intersect where an edge of one of them passes through the other. What the bounds on steps promise is
//! checked by this test, which makes no error: once for each step that is kept, and before a run for the shapes at rest.

mod exact;
mod intersect;

pub use exact::{area_sign, volume_sign};
pub use intersect::{edge_meets_triangle, meeting_point};

use pliant_algebra::vec3::Vec3;
use rayon::prelude::*;

use crate::broad::BroadPhase;
use crate::surface::CollisionSurface;

/// Pairs tested by one task.
const CHUNK: usize = 1024;

/// An edge that meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intersection {
    /// The edge, by its number in the surface.
    pub edge: u32,
    /// The triangle.
    pub triangle: u32,
    /// A point of the edge near where they meet, m.
    pub place: Vec3,
}

/// Finds intersections of a surface with itself. Buffers are kept from call to call.
#[derive(Debug, Clone, Default)]
pub struct OverlapTest {
    broad: BroadPhase,
    chunks: Vec<Vec<Intersection>>,
    found: Vec<Intersection>,
}

impl OverlapTest {
    /// A test without trees.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all pairs of an edge and a triangle without a common vertex that meet at positions `y` of
    /// the collision vertices, ascending by edge and triangle. Touching counts. `accept` is asked with a vertex of each.
    ///
    /// # Panics
    /// Where `y` has not an entry for each collision vertex.
    pub fn find(
        &mut self,
        surface: &CollisionSurface,
        y: &[Vec3],
        accept: impl Fn(u32, u32) -> bool + Sync,
    ) -> &[Intersection] {
        self.broad.update(surface, y, None, 0.0);
        let pairs = self.broad.edge_triangle(accept);
        let tasks = pairs.len().div_ceil(CHUNK);
        if self.chunks.len() < tasks {
            self.chunks.resize_with(tasks, Vec::new);
        }
        let chunks = &mut self.chunks[..tasks];
        chunks.par_iter_mut().zip(pairs.par_chunks(CHUNK)).for_each(|(found, pairs)| {
            found.clear();
            for &[edge, triangle] in pairs {
                let ends = surface.edges()[edge as usize].map(|v| y[v as usize]);
                let corners = surface.triangles()[triangle as usize].map(|v| y[v as usize]);
                if edge_meets_triangle(ends, corners) {
                    let place = meeting_point(ends, corners);
                    found.push(Intersection { edge, triangle, place });
                }
            }
        });
        self.found.clear();
        self.found.extend(chunks.iter().flatten());
        &self.found
    }
}
