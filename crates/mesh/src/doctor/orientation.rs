//! Which way the triangles of a surface face.

use pliant_algebra::vec3::{Vec3, sub, triple};

use crate::spatial::Aabb;
use crate::surface::SurfaceMesh;
use crate::topology::{Grouped, for_each_edge};

/// A surface cut at every edge that has not two triangles. Each patch can be walked from triangle
/// to triangle, and has two orientations.
pub(super) struct Patches {
    /// Number of patches.
    count: usize,
    /// The patch of each triangle.
    label: Vec<u32>,
    /// Whether each triangle must be turned for its patch to agree: never the majority.
    pub(super) contrary: Vec<bool>,
    /// Whether each patch is closed.
    closed: Vec<bool>,
}

/// Walks each patch from its first triangle.
pub(super) fn patches(surface: &SurfaceMesh) -> Patches {
    let n = surface.triangles.len();
    let mut links: Vec<(u32, u32, bool)> = Vec::new();
    // Triangles at an edge that is open or crowded, or at no edge at all.
    let mut rim = vec![true; n];
    let mut edges = vec![0u8; n];
    let nodes = surface.triangles.as_flattened();
    for_each_edge(nodes, 3, surface.vertices.len(), |_, uses| {
        if let [a, b] = uses {
            links.push((a.from / 3, b.from / 3, a.forward == b.forward));
            edges[a.from as usize / 3] += 1;
            edges[b.from as usize / 3] += 1;
        }
    });
    rim.iter_mut().zip(&edges).for_each(|(rim, &e)| *rim = e != 3);
    let across = Grouped::new(n, || {
        links.iter().flat_map(|&(a, b, turned)| [(a, (b, turned)), (b, (a, turned))])
    });
    let mut p = Patches {
        count: 0,
        label: vec![u32::MAX; n],
        contrary: vec![false; n],
        closed: Vec::new(),
    };
    let mut patch = Vec::new();
    for seed in 0..n {
        if p.label[seed] != u32::MAX {
            continue;
        }
        patch.clear();
        patch.push(seed);
        p.label[seed] = p.count as u32;
        let mut head = 0;
        while let Some(&t) = patch.get(head) {
            head += 1;
            for &(other, turned) in across.of(t) {
                let other = other as usize;
                if p.label[other] == u32::MAX {
                    p.label[other] = p.count as u32;
                    p.contrary[other] = p.contrary[t] != turned;
                    patch.push(other);
                }
            }
        }
        let against = patch.iter().filter(|&&t| p.contrary[t]).count();
        if 2 * against > patch.len() {
            for &t in &patch {
                p.contrary[t] = !p.contrary[t];
            }
        }
        p.closed.push(patch.iter().all(|&t| !rim[t]));
        p.count += 1;
    }
    p
}

/// Which triangles belong to closed patches with the inside out, once the contrary ones are turned.
///
/// The patch of the greatest volume must have a positive one; where it has not, the whole surface
/// is taken to be inside out. Of the others, those of negative volume within its bounding box are
/// taken for cavities, and those outside it for bodies that need turning.
pub(super) fn inside_out(surface: &SurfaceMesh, patches: &Patches) -> Vec<bool> {
    let mut boxes = vec![Aabb::EMPTY; patches.count];
    let mut volume = vec![0.0; patches.count];
    let mut origin: Vec<Option<Vec3>> = vec![None; patches.count];
    for (t, &label) in patches.label.iter().enumerate() {
        let (patch, corners) = (label as usize, surface.corners(t));
        let bounds = &mut boxes[patch];
        for p in corners {
            *bounds = bounds.with(p);
        }
        let o = *origin[patch].get_or_insert(corners[0]);
        let [a, b, c] = corners.map(|p| sub(p, o));
        let share = triple(a, b, c);
        volume[patch] += if patches.contrary[t] { -share } else { share };
    }
    let closed = |&p: &usize| patches.closed[p] && volume[p].is_finite();
    let size = |p: usize| volume[p].abs();
    let mut turned = vec![false; patches.count];
    let largest =
        (0..patches.count).filter(closed).fold(None, |best: Option<usize>, p| match best {
            Some(b) if size(b) >= size(p) => best,
            _ => Some(p),
        });
    if let Some(outer) = largest {
        let all = volume[outer] < 0.0;
        for p in (0..patches.count).filter(closed) {
            let negative = (volume[p] < 0.0) != all;
            turned[p] = all != (negative && !boxes[outer].encloses(&boxes[p]));
        }
    }
    patches.label.iter().map(|&p| turned[p as usize]).collect()
}
