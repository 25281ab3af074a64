//! Whether a surface is closed, manifold and consistently oriented.

use super::grouped::Grouped;
use super::union_find::UnionFind;
use crate::surface::SurfaceMesh;

/// What the edges of a surface say about it. Edges are `[lower, higher]` and sorted; polygons with
/// fewer than three different vertices are passed over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SurfaceEdges {
    /// Number of edges.
    pub count: usize,
    /// Edges of one polygon only.
    pub open: Vec<[u32; 2]>,
    /// Edges of more than two polygons.
    pub non_manifold: Vec<[u32; 2]>,
    /// Edges that two polygons run through in the same direction: their normals disagree.
    pub inconsistent: Vec<[u32; 2]>,
    /// Vertices whose polygons fall into several fans that touch only there, ascending.
    pub non_manifold_vertices: Vec<u32>,
}

impl SurfaceEdges {
    /// Whether every edge has a polygon on either side.
    pub fn is_closed(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether every neighbourhood is a disc or half a disc.
    pub fn is_manifold(&self) -> bool {
        self.non_manifold.is_empty() && self.non_manifold_vertices.is_empty()
    }

    /// Whether neighbours agree on which side is out.
    pub fn is_oriented(&self) -> bool {
        self.inconsistent.is_empty()
    }
}

/// Examines the edges of a triangle surface.
pub fn surface_edges(surface: &SurfaceMesh) -> SurfaceEdges {
    polygon_edges(surface.triangles.as_flattened(), 3, surface.vertices.len())
}

/// Examines the edges of polygons given as flat lists of `corners` vertices below `vertices`.
pub fn polygon_edges(polygons: &[u32], corners: usize, vertices: usize) -> SurfaceEdges {
    let mut report = SurfaceEdges::default();
    // Corners of one vertex are united across every edge; what stays apart is another fan.
    let mut fans = UnionFind::new(polygons.len());
    let mut counted = vec![false; polygons.len()];
    for_each_edge(polygons, corners, vertices, |edge, uses| {
        for side in uses {
            // A collapsed quadrilateral names one vertex at two corners.
            if edge[0] == edge[1] {
                fans.unite(side.from, side.to);
                continue;
            }
            let [low, high] =
                if side.forward { [side.from, side.to] } else { [side.to, side.from] };
            let first = uses[0];
            let [first_low, first_high] =
                if first.forward { [first.from, first.to] } else { [first.to, first.from] };
            fans.unite(first_low, low);
            fans.unite(first_high, high);
            counted[low as usize] = true;
            counted[high as usize] = true;
        }
        if edge[0] == edge[1] {
            return;
        }
        report.count += 1;
        match uses {
            [_] => report.open.push(edge),
            [a, b] if a.forward == b.forward => report.inconsistent.push(edge),
            [_, _] => {}
            _ => report.non_manifold.push(edge),
        }
    });
    let mut fan = vec![u32::MAX; vertices];
    let mut torn = vec![false; vertices];
    for (corner, &v) in polygons.iter().enumerate().filter(|(corner, _)| counted[*corner]) {
        let root = fans.find(corner as u32);
        let seen = &mut fan[v as usize];
        if *seen == u32::MAX {
            *seen = root;
        }
        torn[v as usize] |= *seen != root;
    }
    report.non_manifold_vertices = (0..vertices as u32).filter(|&v| torn[v as usize]).collect();
    report
}

/// An edge as one polygon uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct EdgeUse {
    /// The corner it leaves from: an index into the flat list of polygons.
    pub(crate) from: u32,
    /// The corner it goes to.
    pub(crate) to: u32,
    /// Whether it runs from the lower to the higher vertex.
    pub(crate) forward: bool,
}

/// Calls `visit` with each edge `[lower, higher]` and its uses, sorted by edge. Edges from a vertex
/// to itself are visited too; polygons with fewer than three different vertices are not.
pub(crate) fn for_each_edge(
    polygons: &[u32],
    corners: usize,
    vertices: usize,
    mut visit: impl FnMut([u32; 2], &[EdgeUse]),
) {
    let mut uses = Grouped::new(vertices, || {
        polygons.chunks_exact(corners).enumerate().filter(|(_, p)| spans(p)).flat_map(
            move |(index, polygon)| {
                (0..corners).map(move |i| {
                    let j = (i + 1) % corners;
                    let (a, b) = (polygon[i], polygon[j]);
                    let from = (index * corners + i) as u32;
                    let to = (index * corners + j) as u32;
                    (a.min(b), (a.max(b), EdgeUse { from, to, forward: a <= b }))
                })
            },
        )
    });
    let mut run = Vec::new();
    for low in 0..uses.len() {
        let bucket = uses.of_mut(low);
        bucket.sort_unstable();
        for same in bucket.chunk_by(|a, b| a.0 == b.0) {
            run.clear();
            run.extend(same.iter().map(|u| u.1));
            visit([low as u32, same[0].0], &run);
        }
    }
}

/// Whether a polygon has at least three different vertices.
fn spans(polygon: &[u32]) -> bool {
    let fresh = |&i: &usize| !polygon[..i].contains(&polygon[i]);
    (0..polygon.len()).filter(fresh).count() >= 3
}
