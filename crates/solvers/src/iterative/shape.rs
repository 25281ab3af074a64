//! [`Shape`]: which blocks a sparse lower triangle has, and [`Sources`]: where in A they come from.

use std::ops::Range;

use pliant_algebra::sparse::{Block, BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;

use super::tree::{Graph, Tree};

/// Marks a source block that is to be transposed.
const TURNED: u32 = 1 << 31;
/// Marks fill, which no block of A is the source of.
const NO_BLOCK: u32 = u32::MAX;

/// Which blocks the strict lower triangle has, rows in the order of the tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    pub tree: Tree,
    pub offsets: Vec<u32>,
    pub columns: Vec<u32>,
}

/// Where the blocks of A are that make the lower triangle of a [`Factor`] with the pattern of A.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources(Vec<u32>);

impl Shape {
    /// The lower triangle of A in the order of a tree with leaves of at most `leaf` vertices.
    pub(crate) fn of_pattern(
        pattern: &Pattern,
        positions: Option<&[Vec3]>,
        leaf: usize,
    ) -> (Self, Sources) {
        let graph = Graph::new(pattern);
        let tree = Tree::new(&graph, positions, leaf);
        let n = tree.order.len();
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        let mut columns = Vec::with_capacity(pattern.blocks() - n);
        for (i, &old) in tree.order.iter().enumerate() {
            let first = columns.len();
            let lower = graph.of(old as usize).iter().map(|&j| tree.inverse[j as usize]);
            columns.extend(lower.filter(|&j| (j as usize) < i));
            columns[first..].sort_unstable();
            offsets.push(columns.len() as u32);
        }
        let mut sources = vec![0; columns.len()];
        // Rows of A in turn: finding the place in a short row of G is quicker than in A's.
        for old in 0..n {
            let i = tree.inverse[old];
            for slot in pattern.range(old).skip(1) {
                let j = tree.inverse[pattern.columns()[slot] as usize];
                let (row, column) = (i.max(j) as usize, i.min(j));
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                let at = range.start + columns[range].partition_point(|&c| c < column);
                // Stored is block (i, j), wanted is (row, column).
                sources[at] = slot as u32 | if i < j { TURNED } else { 0 };
            }
        }
        (Self { tree, offsets, columns }, Sources(sources))
    }

    /// The same with the fill of level 1: (i, j) where both are coupled to a lower c.
    pub(crate) fn with_fill(&self, sources: &Sources) -> (Self, Sources) {
        let n = self.rows();
        let mut starts = vec![0_u32; n + 1];
        for &c in &self.columns {
            starts[c as usize + 1] += 1;
        }
        for c in 0..n {
            starts[c + 1] += starts[c];
        }
        let mut next = starts.clone();
        let mut below = vec![0_u32; self.columns.len()];
        for i in 0..n {
            for &c in &self.columns[self.row(i)] {
                below[next[c as usize] as usize] = i as u32;
                next[c as usize] += 1;
            }
        }
        let (mut offsets, mut columns, mut places) = (vec![0], Vec::new(), Vec::new());
        let mut row: Vec<(u32, u32)> = Vec::new();
        for i in 0..n {
            row.clear();
            row.extend(self.row(i).map(|k| (self.columns[k], sources.0[k])));
            for &c in &self.columns[self.row(i)] {
                let list = &below[starts[c as usize] as usize..starts[c as usize + 1] as usize];
                // Rows between c and i that have c too.
                row.extend(list.iter().take_while(|&&j| (j as usize) < i).map(|&j| (j, NO_BLOCK)));
            }
            // A block of A sorts before fill at the same place.
            row.sort_unstable();
            row.dedup_by_key(|entry| entry.0);
            columns.extend(row.iter().map(|entry| entry.0));
            places.extend(row.iter().map(|entry| entry.1));
            offsets.push(columns.len() as u32);
        }
        (Self { tree: self.tree.clone(), offsets, columns }, Sources(places))
    }

    /// Of each block, whether it is among those of a shape with fewer; none if that has others too.
    pub(crate) fn among(&self, offsets: &[u32], columns: &[u32]) -> Option<Vec<bool>> {
        if offsets.len() != self.offsets.len() {
            return None;
        }
        let mut stays = vec![false; self.columns.len()];
        let mut found = 0;
        for i in 0..self.rows() {
            let few = columns.get(offsets[i] as usize..offsets[i + 1] as usize)?;
            for k in self.row(i) {
                stays[k] = few.binary_search(&self.columns[k]).is_ok();
                found += usize::from(stays[k]);
            }
        }
        (found == columns.len()).then_some(stays)
    }

    /// Those of the blocks for which `keep` is true.
    pub(crate) fn kept(&self, keep: impl Fn(usize) -> bool) -> Self {
        let (mut offsets, mut columns) = (vec![0], Vec::new());
        for i in 0..self.rows() {
            columns.extend(self.row(i).filter(|&k| keep(k)).map(|k| self.columns[k]));
            offsets.push(columns.len() as u32);
        }
        Self { tree: self.tree.clone(), offsets, columns }
    }

    pub(crate) fn rows(&self) -> usize {
        self.tree.order.len()
    }

    pub(crate) fn row(&self, i: usize) -> Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    pub(crate) fn memory(&self) -> usize {
        self.tree.memory() + 4 * (self.offsets.len() + self.columns.len())
    }
}

impl Sources {
    /// Whether block k is one of A's, not fill.
    pub(crate) fn has_block(&self, k: usize) -> bool {
        self.0[k] != NO_BLOCK
    }

    /// Those of the blocks for which `keep` is true.
    pub(crate) fn kept(&self, keep: impl Fn(usize) -> bool) -> Self {
        Self((0..self.0.len()).filter(|&k| keep(k)).map(|k| self.0[k]).collect())
    }

    /// Block k of the triangle of A, column after column.
    #[inline]
    pub(crate) fn block(&self, matrix: &BlockMatrix, k: usize) -> Block {
        let source = self.0[k];
        if source == NO_BLOCK {
            return [0.0; 9];
        }
        let b = &matrix.values[(source & !TURNED) as usize];
        if source & TURNED != 0 {
            // The transposed block, column after column, is the block row after row.
            *b
        } else {
            [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]
        }
    }

    pub(crate) fn memory(&self) -> usize {
        4 * self.0.len()
    }
}
