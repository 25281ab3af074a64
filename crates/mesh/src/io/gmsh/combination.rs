//! [`Combinations`]: which groups things are in, each distinct combination stored once.
//!
//! A combination is a path in a tree, so that adding a group to one costs the same however many it
//! already has.

use std::collections::BTreeMap;

/// A distinct combination of groups; [`NONE`] is the empty one.
pub(super) type Combination = u32;

/// No group at all.
pub(super) const NONE: Combination = 0;

/// The combinations met so far.
#[derive(Debug)]
pub(super) struct Combinations {
    /// The combination without its last group, and that group.
    nodes: Vec<(Combination, u64)>,
    children: BTreeMap<(Combination, u64), Combination>,
    latest: ((Combination, u64), Combination),
}

impl Combinations {
    pub(super) fn new() -> Self {
        let nowhere = ((Combination::MAX, 0), NONE);
        Self { nodes: vec![(NONE, 0)], children: BTreeMap::new(), latest: nowhere }
    }

    /// How many there are, the empty one and those on the way to others included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The combination with one group more.
    #[inline]
    pub(super) fn with(&mut self, combination: Combination, group: u64) -> Combination {
        let key = (combination, group);
        if self.latest.0 != key {
            let next = self.nodes.len() as Combination;
            let child = *self.children.entry(key).or_insert(next);
            if child == next {
                self.nodes.push(key);
            }
            self.latest = (key, child);
        }
        self.latest.1
    }

    /// The group that was added last.
    pub(super) fn last(&self, combination: Combination) -> Option<u64> {
        (combination != NONE).then(|| self.nodes[combination as usize].1)
    }

    /// Its groups in the order in which they were added, without repetition.
    pub(super) fn groups(&self, mut combination: Combination) -> Vec<u64> {
        let mut groups = Vec::new();
        while combination != NONE {
            let (parent, group) = self.nodes[combination as usize];
            groups.push(group);
            combination = parent;
        }
        groups.reverse();
        let mut seen = std::collections::BTreeSet::new();
        groups.retain(|&group| seen.insert(group));
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_paths_are_one_combination_and_groups_keep_their_order() {
        let mut c = Combinations::new();
        let a = c.with(NONE, 7);
        let b = c.with(a, 3);
        assert_eq!(c.with(NONE, 7), a);
        assert_eq!(c.with(a, 3), b);
        assert_ne!(c.with(NONE, 3), b);
        let again = c.with(b, 7);
        assert_eq!(c.groups(again), [7, 3]);
        assert_eq!(c.last(b), Some(3));
        assert_eq!(c.last(NONE), None);
        assert_eq!(c.groups(NONE), [0; 0]);
        assert_eq!(c.len(), 5);
    }
}
