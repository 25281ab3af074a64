//! [`Grouped`]: lists of items, one list for each key, in two flat arrays.

/// Items grouped by a key in `0..len`: the items of key `k` are
/// `items[offsets[k]..offsets[k + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grouped<T> {
    /// Where each group starts, and at the end where the last one stops.
    pub offsets: Vec<usize>,
    /// All groups, one after another.
    pub items: Vec<T>,
}

/// Indices grouped by index: the rows of a sparse graph.
pub type Adjacency = Grouped<u32>;

impl<T: Copy + Default> Grouped<T> {
    /// Counting sort of `pairs()` by key, stable within a group. The iterator is run twice and must
    /// give the same pairs both times, with keys below `len`.
    pub fn new<I: Iterator<Item = (u32, T)>>(len: usize, pairs: impl Fn() -> I) -> Self {
        let mut offsets = vec![0; len + 1];
        for (key, _) in pairs() {
            offsets[key as usize + 1] += 1;
        }
        for k in 0..len {
            offsets[k + 1] += offsets[k];
        }
        // While filling, offsets[k] runs from the start of group k to its end, which is the start
        // of group k + 1: shifting the array by one puts it right again.
        let mut items = vec![T::default(); offsets[len]];
        for (key, item) in pairs() {
            let at = &mut offsets[key as usize];
            items[*at] = item;
            *at += 1;
        }
        offsets.copy_within(0..len, 1);
        offsets[0] = 0;
        Self { offsets, items }
    }
}

impl<T> Grouped<T> {
    /// Number of groups.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of group `key`.
    pub fn of(&self, key: usize) -> &[T] {
        &self.items[self.offsets[key]..self.offsets[key + 1]]
    }

    /// The items of group `key`, to be changed.
    pub fn of_mut(&mut self, key: usize) -> &mut [T] {
        &mut self.items[self.offsets[key]..self.offsets[key + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_the_order_of_their_items() {
        let pairs = [(2, 7), (0, 1), (2, 5), (3, 9), (2, 6)];
        let grouped = Grouped::<u32>::new(5, || pairs.into_iter());
        assert_eq!(grouped.offsets, [0, 1, 1, 4, 5, 5]);
        assert_eq!(grouped.of(2), [7, 5, 6]);
        assert!(grouped.of(1).is_empty() && grouped.of(4).is_empty());
        assert_eq!(Grouped::<u32>::new(0, std::iter::empty).len(), 0);
    }
}
