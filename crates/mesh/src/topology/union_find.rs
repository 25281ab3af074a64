//! Disjoint sets of indices.

/// Disjoint sets over `0..n`; the root of a set is its lowest member, so that results do not depend
/// on the order in which sets were united.
pub(crate) struct UnionFind(Vec<u32>);

impl UnionFind {
    pub(crate) fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    /// The lowest member of the set of `i`; halves the path on its way.
    pub(crate) fn find(&mut self, mut i: u32) -> u32 {
        loop {
            let parent = self.0[i as usize];
            if parent == i {
                return i;
            }
            let grandparent = self.0[parent as usize];
            self.0[i as usize] = grandparent;
            i = grandparent;
        }
    }

    /// Unites two sets; whether they were apart.
    pub(crate) fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
