//! [`Permutation`]: a new order of items, known in both directions.

use crate::error::{ErrorKind, MeshError};

/// A new order of `len` items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permutation {
    new_to_old: Vec<u32>,
    old_to_new: Vec<u32>,
}

impl Permutation {
    /// The order that leaves everything in place.
    pub fn identity(len: usize) -> Self {
        let order: Vec<u32> = (0..len as u32).collect();
        Self { old_to_new: order.clone(), new_to_old: order }
    }

    /// From the list of old indices in their new order. An error where an index is missing,
    /// repeated or too large.
    pub fn from_new_to_old(new_to_old: Vec<u32>) -> Result<Self, MeshError> {
        let n = new_to_old.len();
        let mut old_to_new = vec![u32::MAX; n];
        for (new, &old) in new_to_old.iter().enumerate() {
            match old_to_new.get_mut(old as usize) {
                Some(slot) if *slot == u32::MAX => *slot = new as u32,
                Some(_) => {
                    let text = format!("index {old} stands twice in an order of {n} items");
                    return Err(MeshError::new(ErrorKind::Index, text));
                }
                None => {
                    let text = format!("index {old} in an order of {n} items");
                    return Err(MeshError::new(ErrorKind::Index, text));
                }
            }
        }
        Ok(Self { new_to_old, old_to_new })
    }

    /// The order that sorts `keys`; equal keys stay in place.
    pub fn sorting<K: Ord>(keys: &[K]) -> Self {
        let mut new_to_old: Vec<u32> = (0..keys.len() as u32).collect();
        new_to_old
            .sort_unstable_by(|&a, &b| keys[a as usize].cmp(&keys[b as usize]).then(a.cmp(&b)));
        Self::trusted(new_to_old)
    }

    /// From a list that is a permutation by construction.
    pub(super) fn trusted(new_to_old: Vec<u32>) -> Self {
        let mut old_to_new = vec![0; new_to_old.len()];
        for (new, &old) in new_to_old.iter().enumerate() {
            old_to_new[old as usize] = new as u32;
        }
        Self { new_to_old, old_to_new }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.new_to_old.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.new_to_old.is_empty()
    }

    /// The old index of each new one.
    pub fn new_to_old(&self) -> &[u32] {
        &self.new_to_old
    }

    /// The new index of each old one.
    pub fn old_to_new(&self) -> &[u32] {
        &self.old_to_new
    }

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { new_to_old: self.old_to_new.clone(), old_to_new: self.new_to_old.clone() }
    }

    /// `data` of the old order in the new one: vertex data by a vertex order, cell data by a cell
    /// order.
    ///
    /// # Panics
    /// Where `data` has not as many items as the permutation.
    #[must_use]
    pub fn apply<T: Clone>(&self, data: &[T]) -> Vec<T> {
        assert_eq!(data.len(), self.len(), "one datum for each item");
        self.new_to_old.iter().map(|&old| data[old as usize].clone()).collect()
    }

    /// Turns old indices (of sets, of cells' nodes) into new ones.
    ///
    /// # Panics
    /// Where an index is out of range.
    pub fn renumber(&self, indices: &mut [u32]) {
        indices.iter_mut().for_each(|i| *i = self.old_to_new[*i as usize]);
    }
}
