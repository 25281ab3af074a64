//! [`Target`]: where a kernel adds a block; [`Lookup`] and [`Binding`]: how it finds out.

use std::collections::HashMap;
use std::ops::Range;

use pliant_algebra::sparse::{Block, Slot};

use super::{Reduction, Rows};
use crate::error::ForceError;
use crate::slots::Slots;

/// Set in the index of a block that is collected for rows of others.
const COLLECTED: u32 = 1 << 31;

/// Where a chunk adds a block: among the blocks of its own rows, counted from the first of them, or among those that
/// it collects. One number of 32 bits, as kernels in lanes read many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Target(u32);

impl Target {
    /// Returns the block.
    #[inline(always)]
    pub(crate) fn of<'a>(self, own: &'a mut [Block], collected: &'a mut [Block]) -> &'a mut Block {
        let list = if self.0 & COLLECTED == 0 { own } else { collected };
        &mut list[(self.0 & !COLLECTED) as usize]
    }

    /// Returns the block if it is one of the chunk's own, to have it brought to the cache.
    #[inline(always)]
    pub(crate) fn peek(self, own: &[Block]) -> Option<&Block> {
        own.get(self.0 as usize)
    }
}

/// The slots of one chunk, while it looks them up.
pub(crate) struct Lookup<'a> {
    slots: &'a Slots<'a>,
    own: Range<u32>,
    /// Slots in rows of others, numbered as they are met.
    collected: HashMap<u32, u32>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(slots: &'a Slots<'a>, rows: &Rows) -> Self {
        Self { slots, own: slots.rows(&rows.inside), collected: HashMap::new() }
    }

    /// Returns true if the matrix stores one triangle.
    pub(crate) fn one_triangle(&self) -> bool {
        self.slots.one_triangle()
    }

    /// Returns the target of block (i, j) if the matrix stores it as it is, not transposed.
    pub(crate) fn stored(&mut self, i: u32, j: u32) -> Result<Option<Target>, ForceError> {
        match self.slots.get(i, j)? {
            Slot::Stored(slot) => self.target(slot).map(Some),
            Slot::Transposed(_) => Ok(None),
        }
    }

    /// Returns the target of block (i, j) or, where the matrix stores that, of its transpose: for kernels that
    /// transpose by themselves.
    pub(crate) fn either(&mut self, i: u32, j: u32) -> Result<Target, ForceError> {
        let slot = self.slots.get(i, j)?.index();
        self.target(slot)
    }

    fn target(&mut self, slot: u32) -> Result<Target, ForceError> {
        let (index, mark) = if self.own.contains(&slot) {
            (slot - self.own.start, 0)
        } else {
            let next = self.collected.len() as u32;
            (*self.collected.entry(slot).or_insert(next), COLLECTED)
        };
        if index >= COLLECTED {
            return Err(ForceError::Unsupported(
                "more than 2^31 blocks in the rows of one chunk: divide the body".into(),
            ));
        }
        Ok(Target(index | mark))
    }

    /// Ends the search of chunk `c`; adds (slot, chunk, number) of what it collects to the entries.
    pub(super) fn end<T>(self, targets: T, c: u32, entries: &mut Vec<(u32, u32, u32)>) -> Bound<T> {
        let collected = self.collected.len();
        // In any order: the entries are sorted afterwards.
        entries.extend(self.collected.into_iter().map(|(slot, at)| (slot, c, at)));
        Bound { targets, own: self.own.start as usize..self.own.end as usize, collected }
    }
}

/// A chunk's targets in one pattern, in the form that its kernel chose.
#[derive(Debug, Clone)]
pub(crate) struct Bound<T> {
    pub(crate) targets: T,
    /// The blocks in the rows that it owns.
    pub(crate) own: Range<usize>,
    /// Number of blocks that it collects.
    pub(super) collected: usize,
}

/// The targets of all chunks in one pattern.
#[derive(Debug, Clone)]
pub(crate) struct Binding<T> {
    chunks: Vec<Bound<T>>,
    shared: Reduction,
    full: bool,
    matrix_blocks: usize,
}

impl<T> Binding<T> {
    pub(super) fn new(chunks: Vec<Bound<T>>, shared: Reduction, slots: &Slots<'_>) -> Self {
        Self { chunks, shared, full: !slots.one_triangle(), matrix_blocks: slots.blocks() }
    }

    /// The targets of chunk `c`.
    pub(crate) fn chunk(&self, c: usize) -> &Bound<T> {
        &self.chunks[c]
    }

    /// Returns true if both triangles are stored.
    pub(crate) fn full(&self) -> bool {
        self.full
    }

    /// Number of blocks of the matrix.
    pub(super) fn matrix_blocks(&self) -> usize {
        self.matrix_blocks
    }

    /// Which chunks have something for a block in rows of others.
    pub(super) fn shared(&self) -> &Reduction {
        &self.shared
    }
}

/// The error of a model that is asked for its tangent before it was bound.
pub(crate) fn not_bound(model: &str) -> ForceError {
    ForceError::Unsupported(format!(
        "{model} was asked for its tangent before it was bound to a pattern"
    ))
}
