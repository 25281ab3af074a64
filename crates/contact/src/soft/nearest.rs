//! [`Nearest`]: the triangle of a body that is nearest to a point.

use pliant_algebra::lanes::LANES;
use pliant_algebra::vec3::Vec3;
use pliant_mesh::spatial::Aabb;

use crate::broad::tree::Tree;
use crate::distance::{Closest, Stencil};

/// Depth of the stack: seven siblings wait on each level, and eleven levels hold 2³² triangles.
const STACK: usize = LANES * 12;
/// Boxes are looked into unless they are farther than the best by more than rounding: of equally near triangles the lowest is taken,
/// whatever the shape of the tree.
const SLACK: f64 = 1.0 + 1e-12;

/// Triangles of one body in a tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Nearest {
    tree: Tree<3>,
}

/// What is asked for.
pub(super) struct Query<'a> {
    /// Positions of all collision vertices, and their triangles; `first` is the number of the body's first triangle.
    pub(super) y: &'a [Vec3],
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) first: u32,
    /// The vertex, and whether triangles at it count.
    pub(super) vertex: u32,
    pub(super) skips_own: bool,
}

/// The triangle, by its number among all, and the closest points.
pub(super) struct Hit {
    pub(super) triangle: u32,
    pub(super) closest: Closest,
}

impl Nearest {
    /// Brings the boxes of the triangles of a body up to date. `boxes` are those of all collision vertices.
    pub(super) fn update(&mut self, triangles: &[[u32; 3]], boxes: &[Aabb]) {
        self.tree.update(triangles, boxes);
    }

    /// Finds the nearest triangle within `limit`, m, which may be infinite.
    pub(super) fn find(&self, query: &Query<'_>, limit: f64) -> Option<Hit> {
        let point = query.y[query.vertex as usize];
        let mut best: Option<Hit> = None;
        let mut most = limit * limit;
        let mut stack = [(0_u32, 0_u32, 0.0_f64); STACK];
        let top = self.tree.levels.len().checked_sub(1)?;
        stack[0] = (top as u32, 0, 0.0);
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (level, index, far) = stack[depth];
            if far > SLACK * most {
                continue;
            }
            // The boxes of children: groups one level below, or leaves below the lowest.
            let group = &self.tree.levels[level as usize][index as usize];
            let from = depth;
            for lane in 0..LANES {
                let far = squared(&group.get(lane), point);
                // Empty lanes are infinitely far.
                if !(far.is_finite() && far <= SLACK * most) {
                    continue;
                }
                let child = index * LANES as u32 + lane as u32;
                if level == 0 {
                    self.look(child as usize, query, point, &mut most, &mut best);
                    continue;
                }
                // Nearer ones are looked at first: they go to the top.
                let mut at = depth;
                while at > from && stack[at - 1].2 < far {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = (level - 1, child, far);
                depth += 1;
            }
        }
        best
    }

    /// Looks at the eight triangles of a leaf.
    fn look(
        &self,
        leaf: usize,
        query: &Query<'_>,
        point: Vec3,
        most: &mut f64,
        best: &mut Option<Hit>,
    ) {
        let Some(boxes) = self.tree.leaves.get(leaf) else { return };
        for lane in 0..LANES {
            let Some(&item) = self.tree.order.get(leaf * LANES + lane) else { return };
            if squared(&boxes.boxes.get(lane), point) > SLACK * *most {
                continue;
            }
            let triangle = query.first + item;
            let [a, b, c] = query.triangles[triangle as usize];
            if query.skips_own && [a, b, c].contains(&query.vertex) {
                continue;
            }
            let x = [query.vertex, a, b, c].map(|v| query.y[v as usize]);
            let closest = Stencil::PointTriangle.closest(&x);
            let d = closest.distance;
            let before = best.as_ref().map(|b| (b.closest.distance, b.triangle));
            let better = match before {
                None => d * d <= *most,
                Some(before) => (d, triangle) < before,
            };
            if better {
                *most = d * d;
                *best = Some(Hit { triangle, closest });
            }
        }
    }
}

/// The squared distance of a point and a box; infinite for an empty one.
fn squared(b: &Aabb, p: Vec3) -> f64 {
    let mut sum = 0.0;
    for k in 0..3 {
        let out = (b.min[k] - p[k]).max(p[k] - b.max[k]).max(0.0);
        sum += out * out;
    }
    sum
}
