//! [`Bvh`]: a tree of axis-aligned boxes over triangles, cells or points, for nearest and overlap
//! queries. It knows boxes and item numbers only; what an item is stays with the caller.

use pliant_algebra::vec3::Vec3;

use super::aabb::Aabb;

/// A node: its items are `Bvh::items()[first..first + count]`, its children (if any) the two nodes
/// `left` and `left + 1`.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Around all items below.
    pub bounds: Aabb,
    /// First item below this node.
    pub first: u32,
    /// Items below this node.
    pub count: u32,
    /// The left child; 0 for a leaf.
    pub left: u32,
}

impl Node {
    /// Whether it has no children.
    pub fn is_leaf(&self) -> bool {
        self.left == 0
    }

    /// The range of its items.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// The tree. Building it is deterministic; parents come before their children.
#[derive(Debug, Clone)]
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

const LEAF: usize = 4;
const BINS: usize = 16;
/// Depth of the stacks of queries. Splits below depth 64 halve the count, so no tree is deeper.
const STACK: usize = 128;

impl Bvh {
    /// Builds the tree over `boxes`; item i is the one with box i.
    pub fn build(boxes: &[Aabb]) -> Self {
        let centres: Vec<Vec3> = boxes.iter().map(Aabb::centre).collect();
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |a, b| a.union(*b));
        let mut nodes = vec![Node { bounds, first: 0, count: boxes.len() as u32, left: 0 }];
        let mut stack = vec![(0_usize, 0_usize)];
        while let Some((index, depth)) = stack.pop() {
            let range = nodes[index].range();
            if range.len() <= LEAF {
                continue;
            }
            let part = &mut items[range.clone()];
            let middle = split(part, boxes, &centres, depth);
            let left = nodes.len() as u32;
            nodes[index].left = left;
            for (from, to) in
                [(range.start, range.start + middle), (range.start + middle, range.end)]
            {
                let bounds =
                    items[from..to].iter().fold(Aabb::EMPTY, |a, &i| a.union(boxes[i as usize]));
                let (first, count) = (from as u32, (to - from) as u32);
                nodes.push(Node { bounds, first, count, left: 0 });
            }
            stack.push((left as usize + 1, depth + 1));
            stack.push((left as usize, depth + 1));
        }
        Bvh { nodes, items }
    }

    /// All nodes, the root first, every parent before its children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Item numbers in tree order.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// The item nearest to `point` among those nearer than `within_squared`, by the caller's
    /// squared distance, with that distance. Of equally near items the one with the lowest number.
    pub fn nearest(
        &self,
        point: Vec3,
        within_squared: f64,
        mut distance_squared: impl FnMut(u32) -> f64,
    ) -> Option<(u32, f64)> {
        let mut best = (u32::MAX, within_squared);
        let mut stack = [(0_u32, 0.0_f64); STACK];
        let mut top = usize::from(!self.items.is_empty());
        stack[0] = (0, self.nodes[0].bounds.distance_squared(point));
        while top > 0 {
            top -= 1;
            let (index, near) = stack[top];
            if near > best.1 {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.is_leaf() {
                for &item in &self.items[node.range()] {
                    let d = distance_squared(item);
                    if d < best.1 || (d == best.1 && item < best.0) {
                        best = (item, d);
                    }
                }
            } else {
                let [a, b] = [node.left, node.left + 1]
                    .map(|c| (c, self.nodes[c as usize].bounds.distance_squared(point)));
                let (nearer, farther) = if a.1 <= b.1 { (a, b) } else { (b, a) };
                stack[top] = farther;
                stack[top + 1] = nearer;
                top += 2;
            }
        }
        (best.0 != u32::MAX).then_some(best)
    }

    /// Calls `item` for the items of every leaf whose box, and all boxes above it, pass `enter`.
    pub fn visit(&self, mut enter: impl FnMut(&Aabb) -> bool, mut item: impl FnMut(u32)) {
        let mut stack = [0_u32; STACK];
        let mut top = usize::from(!self.items.is_empty());
        while top > 0 {
            top -= 1;
            let node = &self.nodes[stack[top] as usize];
            if !enter(&node.bounds) {
                continue;
            }
            if node.is_leaf() {
                self.items[node.range()].iter().for_each(|&i| item(i));
            } else {
                stack[top] = node.left + 1;
                stack[top + 1] = node.left;
                top += 2;
            }
        }
    }
}

/// Orders `part` so that its first `n` items make the left child, and returns n, 0 < n < len.
/// Binned surface-area heuristic; halving by count where that fails or the tree gets deep.
fn split(part: &mut [u32], boxes: &[Aabb], centres: &[Vec3], depth: usize) -> usize {
    let spread = Aabb::around(part.iter().map(|&i| centres[i as usize]));
    let extent: Vec3 = std::array::from_fn(|k| spread.max[k] - spread.min[k]);
    let axis = (0..3).fold(0, |best, k| if extent[k] > extent[best] { k } else { best });
    if depth < 64 && extent[axis] > 0.0 && extent[axis].is_finite() {
        let bin = |i: u32| {
            let t = (centres[i as usize][axis] - spread.min[axis]) / extent[axis];
            ((t * BINS as f64) as usize).min(BINS - 1)
        };
        let mut count = [0_usize; BINS];
        let mut bounds = [Aabb::EMPTY; BINS];
        for &i in part.iter() {
            count[bin(i)] += 1;
            bounds[bin(i)] = bounds[bin(i)].union(boxes[i as usize]);
        }
        let mut right = [(0, 0.0); BINS];
        let (mut n, mut b) = (0, Aabb::EMPTY);
        for k in (1..BINS).rev() {
            n += count[k];
            b = b.union(bounds[k]);
            right[k] = (n, b.half_area());
        }
        let (mut n, mut b, mut best) = (0, Aabb::EMPTY, (f64::INFINITY, 0));
        for k in 1..BINS {
            n += count[k - 1];
            b = b.union(bounds[k - 1]);
            let cost = n as f64 * b.half_area() + right[k].0 as f64 * right[k].1;
            if n > 0 && right[k].0 > 0 && cost < best.0 {
                best = (cost, k);
            }
        }
        if best.1 > 0 {
            let mut n = 0;
            for j in 0..part.len() {
                if bin(part[j]) < best.1 {
                    part.swap(j, n);
                    n += 1;
                }
            }
            return n;
        }
    }
    let middle = part.len() / 2;
    part.select_nth_unstable_by(middle, |&a, &b| {
        centres[a as usize][axis].total_cmp(&centres[b as usize][axis]).then(a.cmp(&b))
    });
    middle
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_algebra::vec3::{norm_squared, sub};
    use proptest::prelude::*;

    fn points() -> impl Strategy<Value = Vec<Vec3>> {
        // Few distinct values, so that points coincide.
        prop::collection::vec(
            [0..7_i32, 0..7, 0..7].prop_map(|p| p.map(|x| f64::from(x) * 0.3)),
            1..200,
        )
    }

    proptest! {
        #[test]
        fn nearest_and_visit_agree_with_brute_force(points in points(), q in [-1.0..3.0_f64, -1.0..3.0, -1.0..3.0]) {
            let boxes: Vec<Aabb> = points.iter().map(|&p| Aabb::around([p])).collect();
            let tree = Bvh::build(&boxes);
            let d = |i: u32| norm_squared(sub(points[i as usize], q));
            let found = tree.nearest(q, f64::INFINITY, d).unwrap();
            let best = (0..points.len() as u32).min_by(|&a, &b| d(a).total_cmp(&d(b))).unwrap();
            prop_assert_eq!(found, (best, d(best)));

            let region = Aabb { min: [0.3; 3], max: q };
            let mut seen = Vec::new();
            tree.visit(|b| b.overlaps(&region), |i| if region.contains(points[i as usize]) { seen.push(i) });
            seen.sort_unstable();
            let expected: Vec<u32> = (0..points.len() as u32).filter(|&i| region.contains(points[i as usize])).collect();
            prop_assert_eq!(seen, expected);
        }
    }

    #[test]
    fn coincident_and_infinite_boxes_make_a_shallow_tree() {
        for p in [[1.0; 3], [f64::INFINITY; 3], [f64::NAN; 3], [1e308; 3]] {
            let tree = Bvh::build(&vec![Aabb { min: p, max: p }; 100_000]);
            let mut count = 0;
            tree.visit(|_| true, |_| count += 1);
            assert_eq!(count, 100_000);
        }
        assert_eq!(Bvh::build(&[]).nearest([0.0; 3], f64::INFINITY, |_| 0.0), None);
    }

    #[test]
    fn items_in_geometric_progression_do_not_overflow_the_stack() {
        let boxes: Vec<Aabb> =
            (0..2000).map(|i| Aabb::around([[2.0_f64.powi(i - 1000), 0.0, 0.0]])).collect();
        let tree = Bvh::build(&boxes);
        let mut count = 0;
        tree.visit(|_| true, |_| count += 1);
        assert_eq!(count, 2000);
    }
}
