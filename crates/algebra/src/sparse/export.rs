//! Matrices for other programs: compressed rows of scalars, and Matrix Market files.

use std::io::{self, Write};

use super::BlockMatrix;
use super::matrix::transposed;

/// A matrix of scalars in compressed rows, all entries of a symmetric one included.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    /// Where each row starts, and at the end the number of entries.
    pub offsets: Vec<usize>,
    /// Columns, ascending in each row.
    pub columns: Vec<u32>,
    /// Entries.
    pub values: Vec<f64>,
}

impl BlockMatrix {
    /// The matrix as compressed rows of scalars, both triangles.
    pub fn to_csr(&self) -> Csr {
        let (pattern, n) = (self.pattern(), self.rows());
        // The blocks of each row: those below the diagonal, which other rows hold, then its own.
        // Rows are visited in order, so both come out ascending.
        let mut counts = vec![0_usize; n + 1];
        for i in 0..n {
            counts[i + 1] += pattern.row(i).len();
            if pattern.is_symmetric() {
                for &j in &pattern.row(i)[1..] {
                    counts[j as usize + 1] += 1;
                }
            }
        }
        for i in 0..n {
            counts[i + 1] += counts[i];
        }
        let mut blocks = vec![(0_u32, 0_u32, false); counts[n]];
        let mut next = counts.clone();
        let mut put = |row: usize, entry| {
            blocks[next[row]] = entry;
            next[row] += 1;
        };
        for i in 0..n {
            for k in pattern.range(i) {
                let j = pattern.columns()[k];
                put(i, (j, k as u32, false));
                if pattern.is_symmetric() && j as usize != i {
                    put(j as usize, (i as u32, k as u32, true));
                }
            }
        }
        let mut csr = Csr {
            offsets: Vec::with_capacity(3 * n + 1),
            columns: Vec::with_capacity(9 * blocks.len()),
            values: Vec::with_capacity(9 * blocks.len()),
        };
        csr.offsets.push(0);
        for i in 0..n {
            let row = &mut blocks[counts[i]..counts[i + 1]];
            row.sort_unstable_by_key(|b| b.0);
            for r in 0..3 {
                for &(j, slot, turned) in row.iter() {
                    let block = &self.values[slot as usize];
                    let block = if turned { transposed(block) } else { *block };
                    for c in 0..3 {
                        csr.columns.push(3 * j + c as u32);
                        csr.values.push(block[3 * r + c]);
                    }
                }
                csr.offsets.push(csr.columns.len());
            }
        }
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
