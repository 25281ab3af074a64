//! [`Memory`]: what one force model remembers from step to step. It lives in the state of a motion, never in the
//! model: states are copied, taken back and written to disk.

/// What one model remembers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Memory {
    /// So many numbers a point, in the model's own order.
    pub numbers: Vec<f64>,
    /// Entries that come and go.
    pub keyed: Keyed,
}

impl Memory {
    /// Becomes a copy of another one, in the room that there is.
    pub fn copy_from(&mut self, other: &Self) {
        let Self { numbers, keyed: Keyed { width, keys, values } } = other;
        self.numbers.clone_from(numbers);
        self.keyed.width = *width;
        self.keyed.keys.clone_from(keys);
        self.keyed.values.clone_from(values);
    }
}

/// Entries of equal width, found by their keys, in ascending order of keys. Their number may change from step to
/// step, as that of contacts does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Keyed {
    width: usize,
    keys: Vec<u64>,
    values: Vec<f64>,
}

impl Keyed {
    /// No entries, of so many numbers each.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    /// Makes it from its parts; `None` unless keys ascend and each has `width` numbers.
    pub fn from_parts(width: usize, keys: Vec<u64>, values: Vec<f64>) -> Option<Self> {
        let ascending = keys.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = keys.len().checked_mul(width)? == values.len();
        (ascending && fits).then_some(Self { width, keys, values })
    }

    /// Numbers of each entry.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// All keys, ascending.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// All numbers, entry after entry.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The numbers of an entry.
    pub fn get(&self, key: u64) -> Option<&[f64]> {
        let at = self.keys.binary_search(&key).ok()?;
        Some(&self.values[at * self.width..(at + 1) * self.width])
    }

    /// Takes all entries away, for new ones of so many numbers each. What was allocated stays.
    pub fn reset(&mut self, width: usize) {
        self.width = width;
        self.keys.clear();
        self.values.clear();
    }

    /// Appends an entry. Returns false, with nothing done, unless its key is above all others and it has as
    /// many numbers as the others.
    #[must_use]
    pub fn push(&mut self, key: u64, values: &[f64]) -> bool {
        let fits = values.len() == self.width && self.keys.last().is_none_or(|&last| last < key);
        if fits {
            self.keys.push(key);
            self.values.extend_from_slice(values);
        }
        fits
    }
}
