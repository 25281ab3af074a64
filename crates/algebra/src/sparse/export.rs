//! Matrices for other programs: compressed rows of scalars, and Matrix Market files.

use std::io::{self, Write};
use std::ops::Range;

use super::matrix::transposed;
use super::{BlockMatrix, Pattern, for_each_part};

/// Block rows that are written as one piece of parallel work.
const GRAIN: usize = 2048;

/// The bit of an index that says that the block is the transposed of the stored one. Patterns have fewer than
/// 2³¹ blocks.
const TURNED: u32 = 1 << 31;

/// A matrix of scalars in compressed rows, all entries of a symmetric one included. Rows and columns 3 v, 3 v + 1
/// and 3 v + 2 are those of x, y and z of vertex v.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Csr {
    /// Where each row starts, and at the end the number of entries.
    pub offsets: Vec<usize>,
    /// Columns, ascending in each row.
    pub columns: Vec<u32>,
    /// Entries.
    pub values: Vec<f64>,
}

impl Csr {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Number of stored entries.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Returns the columns and entries of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let at = self.offsets[row]..self.offsets[row + 1];
        (&self.columns[at.clone()], &self.values[at])
    }

    /// Returns the entry of a row and a column, 0 where none is stored.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        if row >= self.rows() {
            return 0.0;
        }
        let (columns, values) = self.row(row);
        columns.binary_search(&(column as u32)).map_or(0.0, |at| values[at])
    }

    /// Removes stored zeros, such as those of a mass matrix at the vertices.
    pub fn drop_zeros(&mut self) {
        let mut end = 0;
        let mut start = 0;
        for row in 0..self.rows() {
            let stop = self.offsets[row + 1];
            for k in start..stop {
                if self.values[k] != 0.0 {
                    (self.columns[end], self.values[end]) = (self.columns[k], self.values[k]);
                    end += 1;
                }
            }
            start = stop;
            self.offsets[row + 1] = end;
        }
        self.columns.truncate(end);
        self.values.truncate(end);
    }
}

impl BlockMatrix {
    /// Returns the matrix as compressed rows of scalars, both triangles. What is symmetric comes out symmetric to
    /// the bit.
    pub fn to_csr(&self) -> Csr {
        self.csr(&|i| i, &|i| i)
    }

    /// The same with block row and column i of this matrix as row and column `order[i]` of the result, in time
    /// linear in the blocks.
    ///
    /// # Panics
    /// If `order` is no permutation of the block rows.
    pub fn to_csr_in(&self, order: &[u32]) -> Csr {
        let n = self.rows();
        assert_eq!(order.len(), n, "a place for each block row");
        let mut old = vec![u32::MAX; n];
        for (i, &to) in order.iter().enumerate() {
            let slot = &mut old[to as usize];
            assert!(*slot == u32::MAX, "row {to} is the place of two rows");
            *slot = i as u32;
        }
        self.csr(&|i| order[i] as usize, &|i| old[i] as usize)
    }

    /// `new(i)` is the row that row i becomes, and `old` the way back.
    fn csr(
        &self,
        new: &(impl Fn(usize) -> usize + Sync),
        old: &(impl Fn(usize) -> usize + Sync),
    ) -> Csr {
        let pattern = &**self.pattern();
        let n = pattern.rows();
        let (starts, blocks) = full_rows(pattern, new, old);
        let entries = 9 * blocks.len();
        let mut csr = Csr {
            offsets: vec![0; 3 * n + 1],
            columns: vec![0; entries],
            values: vec![0.0; entries],
        };
        for i in 0..n {
            let (start, wide) = (9 * starts[i], 3 * (starts[i + 1] - starts[i]));
            for r in 0..3 {
                csr.offsets[3 * i + r + 1] = start + (r + 1) * wide;
            }
        }
        // Rows are written by themselves: how they are shared out changes no bit.
        let mut parts: Vec<Range<usize>> =
            (0..n).step_by(GRAIN).map(|first| first..(first + GRAIN).min(n)).collect();
        let firsts: Vec<usize> = parts.iter().map(|rows| 9 * starts[rows.start]).collect();
        let split = split_at(&firsts);
        let symmetric = pattern.is_symmetric();
        let work = |_: usize, rows: &mut Range<usize>, out: Out<'_>| {
            let Out { first, columns, values } = out;
            for i in rows.clone() {
                let row = &blocks[starts[i]..starts[i + 1]];
                let (start, wide) = (9 * starts[i] - first, 3 * row.len());
                for (k, &(j, slot)) in row.iter().enumerate() {
                    let stored = &self.values[(slot & !TURNED) as usize];
                    let mut block = if slot & TURNED == 0 { *stored } else { transposed(stored) };
                    if symmetric && j as usize == i {
                        // The lower triangle counts, so that rounding leaves no trace.
                        (block[1], block[2], block[5]) = (block[3], block[6], block[7]);
                    }
                    for r in 0..3 {
                        let at = start + r * wide + 3 * k;
                        columns[at..at + 3].copy_from_slice(&[3 * j, 3 * j + 1, 3 * j + 2]);
                        values[at..at + 3].copy_from_slice(&block[3 * r..3 * r + 3]);
                    }
                }
            }
        };
        let all = Out { first: 0, columns: &mut csr.columns, values: &mut csr.values };
        for_each_part(&mut parts, all, &split, &work);
        csr
    }

    /// Writes a Matrix Market file, `coordinate real symmetric` (the lower triangle, as the format
    /// asks) or `general`, with numbers that read back to the same bits.
    pub fn write_matrix_market(&self, sink: &mut dyn Write) -> io::Result<()> {
        let symmetric = self.pattern().is_symmetric();
        let csr = self.to_csr();
        let kept = |row: usize, column: u32| !symmetric || column as usize <= row;
        let n = 3 * self.rows();
        let rows = || (0..n).map(|i| (i, csr.offsets[i]..csr.offsets[i + 1]));
        let entries: usize =
            rows().map(|(i, at)| csr.columns[at].iter().filter(|&&j| kept(i, j)).count()).sum();
        let kind = if symmetric { "symmetric" } else { "general" };
        writeln!(sink, "%%MatrixMarket matrix coordinate real {kind}")?;
        writeln!(sink, "{n} {n} {entries}")?;
        for (i, at) in rows() {
            for k in at {
                if kept(i, csr.columns[k]) {
                    writeln!(sink, "{} {} {:e}", i + 1, csr.columns[k] + 1, csr.values[k])?;
                }
            }
        }
        Ok(())
    }
}

/// Entries from number `first` on.
struct Out<'a> {
    first: usize,
    columns: &'a mut [u32],
    values: &'a mut [f64],
}

/// Divides entries where the part of a number begins.
fn split_at(firsts: &[usize]) -> impl for<'a> Fn(Out<'a>, usize) -> (Out<'a>, Out<'a>) + Sync + '_ {
    move |Out { first, columns, values }, part| {
        let at = firsts[part] - first;
        let (left, right) = columns.split_at_mut(at);
        let (below, above) = values.split_at_mut(at);
        (
            Out { first, columns: left, values: below },
            Out { first: firsts[part], columns: right, values: above },
        )
    }
}

/// Where the blocks of each row begin, and of all rows, one after the other, columns (ascending) and slots, both
/// triangles, in the new numbering.
///
/// Counting alone: blocks are listed by column first; then columns are visited in ascending order, and each puts
/// its blocks to the ends of the rows they belong to, which therefore come out sorted.
fn full_rows(
    pattern: &Pattern,
    new: &impl Fn(usize) -> usize,
    old: &impl Fn(usize) -> usize,
) -> (Vec<usize>, Vec<(u32, u32)>) {
    let (n, symmetric) = (pattern.rows(), pattern.is_symmetric());
    let columns = pattern.columns();
    // Blocks (i, j) by j: all, or of a symmetric pattern those beside the diagonal.
    let listed = |i: usize, j: u32| !symmetric || j as usize != i;
    let (mut below, mut starts) = (vec![0_u32; n + 1], vec![0_usize; n + 1]);
    for i in 0..n {
        starts[new(i) + 1] += pattern.row(i).len();
        for &j in pattern.row(i) {
            below[j as usize + 1] += u32::from(listed(i, j));
        }
    }
    if symmetric {
        for j in 0..n {
            starts[new(j) + 1] += below[j + 1] as usize;
        }
    }
    for i in 0..n {
        below[i + 1] += below[i];
        starts[i + 1] += starts[i];
    }
    let mut by_column = vec![(0_u32, 0_u32); below[n] as usize];
    let mut next = below.clone();
    for i in 0..n {
        for k in pattern.range(i) {
            if listed(i, columns[k]) {
                let at = &mut next[columns[k] as usize];
                by_column[*at as usize] = (i as u32, k as u32);
                *at += 1;
            }
        }
    }
    let mut blocks = vec![(0_u32, 0_u32); starts[n]];
    let mut next = starts.clone();
    for column in 0..n {
        let j = old(column);
        let mut put = |row: usize, slot: u32| {
            let at = &mut next[new(row)];
            blocks[*at] = (column as u32, slot);
            *at += 1;
        };
        for &(i, slot) in &by_column[below[j] as usize..below[j + 1] as usize] {
            put(i as usize, slot);
        }
        if symmetric {
            for k in pattern.range(j) {
                let row = columns[k] as usize;
                put(row, k as u32 | if row == j { 0 } else { TURNED });
            }
        }
    }
    (starts, blocks)
}
