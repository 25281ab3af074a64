//! [`Fans`]: which edges and vertices of a surface are counted along with which triangle.
//!
//! A vertex near a surface is near several of its triangles: near both sides of an edge, near all triangles around a corner. Summed
//! over triangles, its potential would jump with the mesh by a factor of the valence. Inclusion and exclusion counts
//! each place once: the sum over triangles, less that over inner edges, plus that over inner vertices (Li et al., Convergent
//! incremental potential contact, 2023). Each edge and vertex is counted along with one triangle at it, its owner. All
//! counts are fixed, so that the sum is as smooth as its parts.

use crate::surface::CollisionSurface;

/// No vertex.
const NONE: u32 = u32::MAX;

/// What is counted along with a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owned {
    /// For side k, from corner k to the next, the corner of the other triangle opposite of it, if the side is an inner
    /// edge that is counted here.
    pub(super) sides: [Option<u32>; 3],
    /// Whether a corner is an inner vertex that is counted here.
    pub(super) corners: [bool; 3],
}

/// One for each triangle.
#[derive(Debug, Clone)]
pub(super) struct Fans(pub(super) Vec<Owned>);

impl Fans {
    pub(super) fn new(surface: &CollisionSurface) -> Self {
        let triangles = surface.triangles();
        let mut owned = vec![Owned { sides: [None; 3], corners: [false; 3] }; triangles.len()];
        let mut sides: Vec<([u32; 2], usize, usize)> = Vec::with_capacity(3 * triangles.len());
        // How many triangles, less inner edges, there are around each vertex.
        let mut open = vec![0_i64; surface.vertex_count()];
        let mut owner = vec![NONE; surface.vertex_count()];
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], t, k));
                open[a as usize] += 1;
                owner[a as usize] = owner[a as usize].min(t as u32);
            }
        }
        sides.sort_unstable();
        for group in sides.chunk_by(|one, other| one.0 == other.0) {
            // An edge of one triangle is a rim; where more than two meet nothing is taken away.
            let [(ends, first, k), (_, second, l)] = *group else { continue };
            owned[first].sides[k] = Some(triangles[second][(l + 2) % 3]);
            for v in ends {
                open[v as usize] -= 1;
            }
        }
        for (t, corners) in triangles.iter().enumerate() {
            for k in 0..3 {
                let v = corners[k] as usize;
                owned[t].corners[k] = owner[v] == t as u32 && open[v] == 0;
            }
        }
        Self(owned)
    }
}
