//! The Hausdorff distance of two surfaces, by samples.

use pliant_algebra::vec3::{Vec3, lerp};
use rayon::prelude::*;

use crate::spatial::triangles::{TriangleTree, centroid};
use crate::surface::SurfaceMesh;

/// How far two surfaces are from each other at most, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hausdorff {
    /// From points of the first to the second.
    pub forward: f64,
    /// From points of the second to the first.
    pub backward: f64,
}

impl Hausdorff {
    /// The larger of both directions.
    pub fn symmetric(&self) -> f64 {
        self.forward.max(self.backward)
    }
}

/// The distance between two valid surfaces, sampled at the corners, edge middles and centroids of
/// all triangles: a lower bound, off by at most half of a triangle's longest edge. Infinite if one
/// of them is empty and the other is not.
pub fn hausdorff(a: &SurfaceMesh, b: &SurfaceMesh) -> Hausdorff {
    between(&TriangleTree::of(a), &TriangleTree::of(b))
}

/// The same for trees that are already there.
pub fn between(a: &TriangleTree, b: &TriangleTree) -> Hausdorff {
    Hausdorff { forward: one_sided(a, b), backward: one_sided(b, a) }
}

fn one_sided(from: &TriangleTree, to: &TriangleTree) -> f64 {
    // The maximum does not depend on the order, so threads do not change it.
    from.triangles()
        .par_iter()
        .map(|&t| {
            let distance = |p| to.nearest(p).map_or(f64::INFINITY, |n| n.distance);
            samples(t).into_iter().map(distance).fold(0.0, f64::max)
        })
        .reduce(|| 0.0, f64::max)
}

fn samples([a, b, c]: [Vec3; 3]) -> [Vec3; 7] {
    [a, b, c, lerp(a, b, 0.5), lerp(b, c, 0.5), lerp(c, a, 0.5), centroid([a, b, c])]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(z: f64, side: f64) -> SurfaceMesh {
        let vertices = vec![[0.0, 0.0, z], [side, 0.0, z], [side, side, z], [0.0, side, z]];
        SurfaceMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]])
    }

    #[test]
    fn parallel_squares_are_their_offset_apart() {
        let d = hausdorff(&square(0.0, 1.0), &square(0.25, 1.0));
        assert_eq!(d, Hausdorff { forward: 0.25, backward: 0.25 });
    }

    #[test]
    fn a_part_is_near_the_whole_but_not_the_reverse() {
        let d = hausdorff(&square(0.0, 1.0), &square(0.0, 3.0));
        assert_eq!(d.forward, 0.0);
        assert!((d.backward - 8f64.sqrt()).abs() < 1e-15);
        assert_eq!(d.symmetric(), d.backward);
    }

    #[test]
    fn nothing_is_infinitely_far_from_something() {
        let d = hausdorff(&square(0.0, 1.0), &SurfaceMesh::default());
        assert_eq!(d, Hausdorff { forward: f64::INFINITY, backward: 0.0 });
    }
}
