//! [`Tree`]: primitives of one kind in groups of eight along Hilbert's curve, and groups of groups above them.
//!
//! Nothing points to anything: child c of group g on one level is group 8 g + c of the level below. A refit
//! writes all boxes anew in one pass.

use pliant_algebra::lanes::{F64x8, LANES, prefetch};
use pliant_mesh::reorder::hilbert_key;
use pliant_mesh::spatial::Aabb;
use rayon::prelude::*;

use super::boxes::{Group, half_area, union};

/// Groups above leaves that are refitted by one task.
const CHUNK: usize = 64;
/// Bits of the curve on each axis.
const BITS: u32 = 12;
/// Refits after which a tree is built anew.
const OLD: u32 = 32;
/// Growth of the area of boxes after which it is built anew.
const LOOSE: f64 = 2.0;

/// A leaf: eight items.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf<const N: usize> {
    /// Their boxes.
    pub(crate) boxes: Group,
    /// Their vertices, as numbers that packs can compare; −1 where there is no item.
    pub(crate) corners: [F64x8; N],
}

impl<const N: usize> Leaf<N> {
    /// Asks for all cache lines.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        self.boxes.prefetch();
        for corners in &self.corners {
            prefetch(Some(corners));
        }
    }
}

/// A tree over primitives of `N` vertices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree<const N: usize> {
    /// Items in the order of the curve, eight to a leaf.
    pub(crate) order: Vec<u32>,
    pub(crate) leaves: Vec<Leaf<N>>,
    /// Boxes around the leaves, then around the groups of the level below, up to a single group.
    pub(crate) levels: Vec<Vec<Group>>,
    keys: Vec<(u64, u32)>,
    age: u32,
    area_at_build: f64,
}

impl<const N: usize> Tree<N> {
    /// Brings all boxes up to date; builds the tree anew by a fixed rule.
    pub(crate) fn update(&mut self, items: &[[u32; N]], vertices: &[Aabb]) {
        let fresh = self.order.len() != items.len() || self.levels.is_empty();
        if !fresh && self.age < OLD {
            self.refit(vertices);
            self.age += 1;
            if self.area() <= LOOSE * self.area_at_build {
                return;
            }
        }
        self.sort(items, vertices);
        self.refit(vertices);
        self.age = 0;
        self.area_at_build = self.area();
    }

    /// The sum of the half areas of all groups of eight leaves.
    fn area(&self) -> f64 {
        let Some(level) = self.levels.get(1).or(self.levels.first()) else { return 0.0 };
        level.iter().flat_map(|g| (0..LANES).map(|l| half_area(&g.get(l)))).sum()
    }

    /// Puts items in the order of the curve through a cube around them.
    fn sort(&mut self, items: &[[u32; N]], vertices: &[Aabb]) {
        let all = vertices.iter().fold(Aabb::EMPTY, |all, b| union(&all, b));
        let size = all.extent().into_iter().fold(0.0, f64::max);
        let last = (1_u32 << BITS) - 1;
        let key = |item: &[u32; N]| {
            let middle = around(*item, vertices).centre();
            let place = |k: usize| (middle[k] - all.min[k]) / size * f64::from(last);
            // The cast makes 0 of what is not a number.
            hilbert_key(std::array::from_fn(|k| (place(k) as u32).min(last)), BITS)
        };
        self.keys.clear();
        self.keys.extend(items.iter().zip(0..).map(|(item, index)| (key(item), index)));
        self.keys.sort_unstable();
        self.order.clear();
        self.order.extend(self.keys.iter().map(|(_, index)| index));
        self.leaves.clear();
        self.leaves.extend(self.order.chunks(LANES).map(|group| {
            let mut corners = [F64x8([-1.0; LANES]); N];
            for (lane, &item) in group.iter().enumerate() {
                for n in 0..N {
                    corners[n].0[lane] = f64::from(items[item as usize][n]);
                }
            }
            Leaf { boxes: Group::EMPTY, corners }
        }));
        let (mut count, mut level) = (self.leaves.len(), 0);
        while count > 1 || level == 0 {
            count = count.div_ceil(LANES);
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].clear();
            self.levels[level].resize(count, Group::EMPTY);
            level += 1;
        }
        self.levels.truncate(level);
    }

    fn refit(&mut self, vertices: &[Aabb]) {
        let Some((lowest, above)) = self.levels.split_first_mut() else { return };
        let count = self.order.len();
        let work = lowest.par_chunks_mut(CHUNK).zip(self.leaves.par_chunks_mut(CHUNK * LANES));
        work.enumerate().for_each(|(chunk, (groups, leaves))| {
            let first = chunk * CHUNK * LANES * LANES;
            for (l, leaf) in leaves.iter_mut().enumerate() {
                let mut bounds = Aabb::EMPTY;
                for lane in 0..LANES.min(count - (first + l * LANES)) {
                    let item = std::array::from_fn(|n| leaf.corners[n].0[lane] as u32);
                    let b = around::<N>(item, vertices);
                    leaf.boxes.set(lane, &b);
                    bounds = union(&bounds, &b);
                }
                groups[l / LANES].set(l % LANES, &bounds);
            }
        });
        let mut below: &[Group] = lowest;
        for level in above {
            for (group, children) in level.iter_mut().zip(below.chunks(LANES)) {
                for (lane, child) in children.iter().enumerate() {
                    group.set(lane, &child.bounds());
                }
            }
            below = level;
        }
    }
}

#[inline(always)]
fn around<const N: usize>(item: [u32; N], vertices: &[Aabb]) -> Aabb {
    let mut b = vertices[item[0] as usize];
    for n in 1..N {
        b = union(&b, &vertices[item[n] as usize]);
    }
    b
}
