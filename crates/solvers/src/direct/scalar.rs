//! Block matrices as compressed rows and columns of scalars, for faer's sparse factorisations.

use pliant_algebra::sparse::{Block, Pattern};
use pliant_algebra::vec3::Vec3;

/// All blocks row by row, both triangles of symmetric patterns.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    offsets: Vec<u32>,
    /// Column, place in the matrix, whether the place holds the transpose.
    blocks: Vec<(u32, u32, bool)>,
}

impl Rows {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let mut offsets = vec![0_u32; n + 1];
        let each = |visit: &mut dyn FnMut(usize, (u32, u32, bool))| {
            for i in 0..n {
                for (slot, &j) in pattern.range(i).zip(pattern.row(i)) {
                    visit(i, (j, slot as u32, false));
                    if pattern.is_symmetric() && j as usize != i {
                        visit(j as usize, (i as u32, slot as u32, true));
                    }
                }
            }
        };
        each(&mut |i, _| offsets[i + 1] += 1);
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut blocks = vec![(0, 0, false); offsets[n] as usize];
        each(&mut |i, block| {
            blocks[next[i] as usize] = block;
            next[i] += 1;
        });
        for i in 0..n {
            blocks[offsets[i] as usize..offsets[i + 1] as usize].sort_unstable();
        }
        Self { offsets, blocks }
    }

    /// Number of scalar entries.
    pub(super) fn entries(&self) -> usize {
        9 * self.blocks.len()
    }

    /// Calls `visit(row, column, slot, place in the block)` for each scalar, row by row, ascending.
    fn each(&self, mut visit: impl FnMut(usize, u32, usize, usize)) {
        for i in 0..self.offsets.len() - 1 {
            for r in 0..3 {
                for &(j, slot, turned) in
                    &self.blocks[self.offsets[i] as usize..self.offsets[i + 1] as usize]
                {
                    for c in 0..3 {
                        let at = if turned { 3 * c + r } else { 3 * r + c };
                        visit(3 * i + r, 3 * j + c as u32, slot as usize, at);
                    }
                }
            }
        }
    }

    /// Where rows start, and their columns: the pattern of rows, or of the columns of the transpose.
    pub(super) fn row_pattern(&self) -> (Vec<u32>, Vec<u32>) {
        let mut offsets = vec![0_u32; 3 * (self.offsets.len() - 1) + 1];
        let mut columns = Vec::with_capacity(self.entries());
        self.each(|row, column, _, _| {
            columns.push(column);
            offsets[row + 1] = columns.len() as u32;
        });
        (offsets, columns)
    }

    /// Where columns start, and their rows.
    pub(super) fn column_pattern(&self) -> (Vec<u32>, Vec<u32>) {
        let mut offsets = vec![0_u32; 3 * (self.offsets.len() - 1) + 1];
        self.each(|_, column, _, _| offsets[column as usize + 1] += 1);
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        let mut next = offsets.clone();
        let mut rows = vec![0_u32; self.entries()];
        self.each(|row, column, _, _| {
            let at = &mut next[column as usize];
            rows[*at as usize] = row as u32;
            *at += 1;
        });
        (offsets, rows)
    }

    /// Values in the order of the rows.
    pub(super) fn row_values(&self, values: &[Block], to: &mut [f64]) {
        let mut to = to.iter_mut();
        self.each(|_, _, slot, at| {
            if let Some(to) = to.next() {
                *to = values[slot][at];
            }
        });
    }

    /// Values in the order of the columns. `next` is scratch, of the length of the column starts.
    pub(super) fn column_values(
        &self,
        values: &[Block],
        offsets: &[u32],
        next: &mut [u32],
        to: &mut [f64],
    ) {
        next.copy_from_slice(offsets);
        self.each(|_, column, slot, at| {
            let place = &mut next[column as usize];
            to[*place as usize] = values[slot][at];
            *place += 1;
        });
    }

    pub(super) fn memory(&self) -> usize {
        4 * self.offsets.len() + 12 * self.blocks.len()
    }
}

/// The order of the scalars for an order of the vertices, and its inverse.
pub(super) fn scalar_order(order: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let forward: Vec<u32> = order.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]).collect();
    let inverse = super::elimination::inverse(&forward);
    (forward, inverse)
}

/// Copies vectors one after the other.
pub(super) fn gather(b: &[&[Vec3]], to: &mut Vec<f64>) {
    to.clear();
    for b in b {
        to.extend_from_slice(b.as_flattened());
    }
}

/// And back.
pub(super) fn scatter(from: &[f64], x: &mut [&mut [Vec3]]) {
    let mut at = 0;
    for x in x {
        let x = x.as_flattened_mut();
        x.copy_from_slice(&from[at..at + x.len()]);
        at += x.len();
    }
}
