//! [`Pattern`]: which blocks a matrix has, and where they lie.

/// Why a pattern could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternError {
    /// A coupling names a row or column that does not exist.
    Index {
        /// Row and column.
        coupling: (u32, u32),
        /// How many rows there are.
        rows: usize,
    },
    /// More blocks than a 32-bit place can tell apart.
    TooManyBlocks(usize),
}

impl std::fmt::Display for PatternError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index { coupling: (i, j), rows } => {
                write!(f, "coupling of vertices {i} and {j}, but there are {rows}")
            }
            Self::TooManyBlocks(n) => {
                write!(f, "{n} couplings: at most 2^31 − 1 are served")
            }
        }
    }
}

impl std::error::Error for PatternError {}

/// Where a block (i, j) lies among the values of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// The value there is the block.
    Stored(u32),
    /// The value there is the block's transpose, that is block (j, i): symmetric matrices store one triangle.
    Transposed(u32),
}

impl Slot {
    /// Index among the values.
    pub fn index(self) -> u32 {
        match self {
            Self::Stored(index) | Self::Transposed(index) => index,
        }
    }

    /// Index of a block that is stored as it is.
    pub fn stored(self) -> Option<u32> {
        match self {
            Self::Stored(index) => Some(index),
            Self::Transposed(_) => None,
        }
    }
}

/// Rows of block columns, ascending. Every diagonal block is there. Symmetric patterns hold only
/// columns from the diagonal on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    symmetric: bool,
    offsets: Vec<u32>,
    columns: Vec<u32>,
}

impl Pattern {
    /// The pattern of a symmetric matrix: `couplings` calls its argument with each pair of vertices
    /// whose block may be non-zero, in any order and as often as it likes. It is run twice and must
    /// say the same both times.
    pub fn symmetric(
        rows: usize,
        couplings: impl FnMut(&mut dyn FnMut(u32, u32)),
    ) -> Result<Self, PatternError> {
        Self::build(true, rows, couplings)
    }

    /// The pattern of an unsymmetric matrix. Pairs are (row, column).
    pub fn unsymmetric(
        rows: usize,
        couplings: impl FnMut(&mut dyn FnMut(u32, u32)),
    ) -> Result<Self, PatternError> {
        Self::build(false, rows, couplings)
    }

    fn build(
        symmetric: bool,
        rows: usize,
        mut couplings: impl FnMut(&mut dyn FnMut(u32, u32)),
    ) -> Result<Self, PatternError> {
        let order = |i: u32, j: u32| if symmetric { (i.min(j), i.max(j)) } else { (i, j) };
        // Counting sort by row, repetitions included; then each row is sorted and thinned in place.
        let mut offsets = vec![0_usize; rows + 1];
        let mut wrong = None;
        couplings(&mut |i, j| {
            if i.max(j) as usize >= rows {
                wrong.get_or_insert((i, j));
            } else if i != j {
                offsets[order(i, j).0 as usize + 1] += 1;
            }
        });
        if let Some(coupling) = wrong {
            return Err(PatternError::Index { coupling, rows });
        }
        for i in 0..rows {
            offsets[i + 1] += offsets[i] + 1;
        }
        let mut columns = vec![0_u32; offsets[rows]];
        let mut next = offsets.clone();
        for i in 0..rows {
            columns[next[i]] = i as u32;
            next[i] += 1;
        }
        couplings(&mut |i, j| {
            let (i, j) = order(i, j);
            if i != j {
                let at = &mut next[i as usize];
                columns[*at] = j;
                *at += 1;
            }
        });
        drop(next);
        let mut thin = Vec::with_capacity(rows + 1);
        thin.push(0);
        let mut end = 0;
        for i in 0..rows {
            let (from, to) = (offsets[i], offsets[i + 1]);
            columns[from..to].sort_unstable();
            for k in from..to {
                // `end` never passes k, as what is thinned is not longer than what it came from.
                let column = columns[k];
                if end == thin[i] as usize || columns[end - 1] != column {
                    columns[end] = column;
                    end += 1;
                }
            }
            if end > (u32::MAX >> 1) as usize {
                return Err(PatternError::TooManyBlocks(end));
            }
            thin.push(end as u32);
        }
        columns.truncate(end);
        columns.shrink_to_fit();
        Ok(Self { symmetric, offsets: thin, columns })
    }

    /// Whether only the upper triangle is stored.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of stored blocks.
    pub fn blocks(&self) -> usize {
        self.columns.len()
    }

    /// Where the blocks of row `i` lie.
    pub fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    /// The block columns of row `i`.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.columns[self.range(i)]
    }

    /// Where each row starts, and at the end how many blocks there are.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Columns of all blocks, row after row.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Returns the slot of block (i, j), if the pattern has one.
    pub fn slot(&self, i: u32, j: u32) -> Option<Slot> {
        let transposed = self.symmetric && i > j;
        let (row, column) = if transposed { (j, i) } else { (i, j) };
        let start = *self.offsets.get(row as usize)?;
        let end = *self.offsets.get(row as usize + 1)?;
        if self.symmetric && row == column {
            // Every row has its diagonal block, and in the upper triangle it is the first.
            return Some(Slot::Stored(start));
        }
        let at = self.columns[start as usize..end as usize].binary_search(&column).ok()?;
        let index = start + at as u32;
        Some(if transposed { Slot::Transposed(index) } else { Slot::Stored(index) })
    }

    /// Returns the pattern with further blocks. Pairs are (row, column), for symmetric patterns row ≤ column,
    /// ascending, and none of them is in the pattern yet.
    pub fn with(&self, extra: &[(u32, u32)]) -> Result<Self, PatternError> {
        let rows = self.rows();
        if let Some(&coupling) = extra.iter().find(|(i, j)| (*i).max(*j) as usize >= rows) {
            return Err(PatternError::Index { coupling, rows });
        }
        let count = self.blocks() + extra.len();
        if count > (u32::MAX >> 1) as usize {
            return Err(PatternError::TooManyBlocks(count));
        }
        let mut offsets = Vec::with_capacity(rows + 1);
        let mut columns = Vec::with_capacity(count);
        offsets.push(0);
        let mut left = extra;
        for i in 0..rows {
            let (mine, others) = left.split_at(left.partition_point(|pair| pair.0 as usize <= i));
            left = others;
            let mut new = mine.iter().map(|pair| pair.1).peekable();
            for &column in self.row(i) {
                while let Some(before) = new.next_if(|&j| j < column) {
                    columns.push(before);
                }
                columns.push(column);
            }
            columns.extend(new);
            offsets.push(columns.len() as u32);
        }
        Ok(Self { symmetric: self.symmetric, offsets, columns })
    }
}
