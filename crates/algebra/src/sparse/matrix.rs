//! [`BlockMatrix`]: a pattern with values.

use std::sync::Arc;

use super::{Block, Pattern, Slot};

/// A sparse matrix of 3×3 blocks, symmetric (upper triangle stored) or not, as its pattern says.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    pattern: Arc<Pattern>,
    /// Blocks in the order of the pattern.
    pub values: Vec<Block>,
}

impl BlockMatrix {
    /// The zero matrix of that pattern.
    pub fn zero(pattern: Arc<Pattern>) -> Self {
        let values = vec![[0.0; 9]; pattern.blocks()];
        Self { pattern, values }
    }

    /// Its pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// Sets all values to zero.
    pub fn clear(&mut self) {
        clear(&mut self.values, rayon::current_num_threads() > 1);
    }

    /// Block (i, j), zero where none is stored.
    pub fn block(&self, i: usize, j: usize) -> Block {
        match self.pattern.slot(i as u32, j as u32) {
            Some(Slot::Stored(at)) => self.values[at as usize],
            Some(Slot::Transposed(at)) => transposed(&self.values[at as usize]),
            None => [0.0; 9],
        }
    }

    /// The diagonal blocks.
    pub fn diagonal(&self) -> impl Iterator<Item = &Block> {
        (0..self.rows()).map(|i| match self.pattern.slot(i as u32, i as u32) {
            Some(slot) => &self.values[slot.index() as usize],
            None => &[0.0; 9],
        })
    }

    /// Adds `block` to block (i, j); false where the pattern has no such block. Symmetric matrices
    /// are told (i, j) or (j, i), not both.
    pub fn add(&mut self, i: u32, j: u32, block: &Block) -> bool {
        let Some(slot) = self.pattern.slot(i, j) else { return false };
        let block = if slot.stored().is_some() { *block } else { transposed(block) };
        for (value, b) in self.values[slot.index() as usize].iter_mut().zip(block) {
            *value += b;
        }
        true
    }

    /// All entries, row after row, 3n × 3n: for tests and small systems.
    pub fn to_dense(&self) -> Vec<f64> {
        let n = 3 * self.rows();
        let mut dense = vec![0.0; n * n];
        for i in 0..self.rows() {
            for k in self.pattern.range(i) {
                let j = self.pattern.columns()[k] as usize;
                for (at, value) in self.values[k].iter().enumerate() {
                    let (r, c) = (3 * i + at / 3, 3 * j + at % 3);
                    dense[r * n + c] = *value;
                    if self.pattern.is_symmetric() && i != j {
                        dense[c * n + r] = *value;
                    }
                }
            }
        }
        dense
    }
}

/// The transposed block.
pub(super) fn transposed(b: &Block) -> Block {
    [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]
}

/// Blocks that are cleared by one thread: as much as a core keeps at hand.
const CLEARED: usize = 8192;

/// In halves, as the matrix is filled: one core writes to memory at half the speed of two.
fn clear(blocks: &mut [Block], parallel: bool) {
    if !parallel || blocks.len() <= CLEARED {
        blocks.fill([0.0; 9]);
        return;
    }
    let (low, high) = blocks.split_at_mut(blocks.len() / 2);
    rayon::join(|| clear(low, parallel), || clear(high, parallel));
}
