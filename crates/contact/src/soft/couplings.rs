//! [`Declared`]: couplings that a model names beyond those that are always there.

use pliant_algebra::sparse::Pattern;
use pliant_forces::{Change, ForceError, Slots};

/// Couplings are given up when there are this many times as many as needed, and so many more.
const SPARE: (f64, usize) = (1.5, 64);

/// Couplings that are named now, and the patterns with and without them.
#[derive(Debug, Clone, Default)]
pub(super) struct Declared {
    /// Ascending.
    pairs: Vec<(u32, u32)>,
    /// The pattern without these, and the present one.
    base: Option<Pattern>,
    bound: Option<Pattern>,
    /// Number of the model's first vertex in the system.
    first: u32,
}

impl Declared {
    pub(super) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// The present pattern, with the number of the model's first vertex in it.
    pub(super) fn bound(&self) -> Option<(&Pattern, u32)> {
        self.bound.as_ref().map(|pattern| (pattern, self.first))
    }

    pub(super) fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        for &(i, j) in &self.pairs {
            slots.get(i, j)?;
        }
        // Nothing is declared before the first configuration was seen.
        if self.base.is_none() {
            self.base = Some(slots.pattern().clone());
            self.first = slots.first();
        }
        self.bound = Some(slots.pattern().clone());
        Ok(())
    }

    /// Writes the pairs within lists of vertices that are not always coupled, ascending.
    pub(super) fn missing(&self, lists: impl Iterator<Item = [u32; 4]>, to: &mut Vec<(u32, u32)>) {
        to.clear();
        let Some(base) = &self.base else { return };
        for list in lists {
            for i in list {
                for j in list.into_iter().filter(|&j| i < j) {
                    if base.slot(self.first + i, self.first + j).is_none() {
                        to.push((i, j));
                    }
                }
            }
        }
        to.sort_unstable();
        to.dedup();
    }

    /// Whether all of these are named.
    pub(super) fn serves(&self, pairs: &[(u32, u32)]) -> bool {
        pairs.iter().all(|pair| self.pairs.binary_search(pair).is_ok())
    }

    /// Whether so few are named that none need be given up.
    pub(super) fn is_short(&self) -> bool {
        self.pairs.len() <= SPARE.1
    }

    /// Names these, unless those that are named serve and are not many more.
    pub(super) fn take(&mut self, serves: bool, pairs: &[(u32, u32)]) -> Change {
        let most = (SPARE.0 * pairs.len() as f64) as usize + SPARE.1;
        if serves && self.pairs.len() <= most || pairs == self.pairs {
            return Change::Same;
        }
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        Change::Couplings
    }

    /// Names these and no others.
    pub(super) fn replace(&mut self, pairs: &[(u32, u32)]) -> Change {
        if pairs == self.pairs {
            return Change::Same;
        }
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        Change::Couplings
    }

    pub(super) fn adopt(&mut self, pairs: &[(u32, u32)]) {
        self.pairs = pairs.to_vec();
    }
}
