//! [`Sets`]: bodies in disjoint sets.

/// Disjoint sets of the numbers below a count. Each set is known by its lowest member.
#[derive(Debug, Clone, Default)]
pub(super) struct Sets {
    /// A lower member of the same set, or itself.
    lower: Vec<usize>,
}

impl Sets {
    /// Each number alone.
    pub(super) fn new(count: usize) -> Self {
        Self { lower: (0..count).collect() }
    }

    /// Begins with what is joined for ever: for each number the lowest one of its set.
    pub(super) fn reset(&mut self, lowest: &[usize]) {
        self.lower.clear();
        self.lower.extend_from_slice(lowest);
    }

    /// The lowest member of the set of a number.
    pub(super) fn lowest(&self, mut k: usize) -> usize {
        while self.lower[k] != k {
            k = self.lower[k];
        }
        k
    }

    /// Joins two sets; returns whether they were apart.
    pub(super) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.lowest(a), self.lowest(b));
        self.lower[a.max(b)] = a.min(b);
        a != b
    }

    /// How many sets there are.
    pub(super) fn count(&self) -> usize {
        (0..self.lower.len()).filter(|&k| self.lower[k] == k).count()
    }

    /// The lowest members of all sets, ascending.
    pub(super) fn lowest_members(&self) -> impl Iterator<Item = usize> {
        (0..self.lower.len()).filter(|&k| self.lower[k] == k)
    }

    /// Whether these numbers, ascending, are the whole set of the first of them.
    pub(super) fn is_set(&self, members: &[usize]) -> bool {
        let Some(&first) = members.first() else { return false };
        self.lower[first] == first && self.members(first).eq(members.iter().copied())
    }

    /// The members of the set of a number, ascending.
    pub(super) fn members(&self, of: usize) -> impl Iterator<Item = usize> {
        let lowest = self.lowest(of);
        (0..self.lower.len()).filter(move |&k| self.lowest(k) == lowest)
    }
}

#[cfg(test)]
mod tests {
    use super::Sets;

    #[test]
    fn sets_are_known_by_their_lowest_member_whatever_the_order_of_joins() {
        for joins in [[[4, 2], [1, 4]], [[1, 2], [2, 4]], [[2, 4], [4, 1]]] {
            let mut sets = Sets::new(6);
            assert!(joins.iter().all(|&[a, b]| sets.join(a, b)));
            assert!(!sets.join(4, 1));
            assert_eq!(sets.lowest_members().collect::<Vec<_>>(), [0, 1, 3, 5]);
            assert_eq!(sets.members(4).collect::<Vec<_>>(), [1, 2, 4]);
            assert!(sets.is_set(&[1, 2, 4]) && !sets.is_set(&[1, 2]) && !sets.is_set(&[2, 4]));
            assert_eq!(sets.count(), 4);
        }
    }
}
