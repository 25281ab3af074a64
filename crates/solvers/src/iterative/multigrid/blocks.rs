//! [`Blocks`]: sparse matrices of small dense blocks in full rows, and what multigrid does with rows.

use std::ops::Range;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::Pack;
use pliant_algebra::sparse::{BlockMatrix, Pattern};

/// Rows that are worth handing to another thread.
const PIECE: usize = 512;
/// Marks a source block that is to be transposed.
const TURNED: u32 = 1 << 31;

/// A block of R rows and C columns.
pub(super) type Small<const R: usize, const C: usize> = [[f64; C]; R];

/// The same in single precision, for what is read often and need not be exact.
pub(super) type Thin<const R: usize, const C: usize> = [[f32; C]; R];

/// Rows of blocks, columns ascending.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks<const R: usize, const C: usize, T = f64> {
    pub offsets: Vec<u32>,
    pub columns: Vec<u32>,
    pub values: Vec<[[T; C]; R]>,
}

/// Work on one row of a matrix. Mark `row`, and what it calls, `#[inline(always)]`: so it is compiled with
/// the widest registers.
pub(super) trait RowWork<T>: Sync {
    fn row(&self, i: usize, columns: &[u32], values: &mut [T]);
}

/// A square matrix by full rows, wherever its blocks lie.
pub(super) trait Rows<const R: usize>: Sync {
    fn len(&self) -> usize;
    fn columns(&self, i: usize) -> &[u32];
    /// Block k of row i.
    fn block(&self, i: usize, k: usize) -> Small<R, R>;
}

impl<const R: usize, const C: usize, T: Copy + Default + Send> Blocks<R, C, T> {
    /// A matrix with these rows of columns, all zero.
    pub(super) fn with_pattern(offsets: Vec<u32>, columns: Vec<u32>) -> Self {
        let values = vec![[[T::default(); C]; R]; columns.len()];
        Self { offsets, columns, values }
    }

    #[inline(always)]
    pub(super) fn range(&self, i: usize) -> Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    pub(super) fn memory(&self) -> usize {
        4 * (self.offsets.len() + self.columns.len()) + size_of::<T>() * R * C * self.values.len()
    }

    /// Does the work on all rows in parallel.
    pub(super) fn fill(&mut self, work: &impl RowWork<[[T; C]; R]>) {
        let Self { offsets, columns, values } = self;
        let n = offsets.len().saturating_sub(1);
        over_rows(0..n, offsets, columns, values, rayon::current_num_threads() > 1, work);
    }
}

impl<const R: usize, const C: usize> Blocks<R, C> {
    /// y = A x
    pub(super) fn multiply(&self, x: &[[f64; C]], y: &mut [[f64; R]]) {
        over_entries(0, y, rayon::current_num_threads() > 1, &|i, y| {
            let mut sum = [0.0; R];
            let range = self.range(i);
            for (a, &j) in self.values[range.clone()].iter().zip(&self.columns[range]) {
                add_multiplied(&mut sum, a, &x[j as usize]);
            }
            *y = sum;
        });
    }
}

impl<const R: usize> Blocks<R, R> {
    /// Copies the upper triangle to the lower one of a matrix with a symmetric pattern.
    pub(super) fn mirror(&mut self) {
        for i in 0..self.len() {
            for k in self.range(i) {
                let j = self.columns[k] as usize;
                if j >= i {
                    break;
                }
                let row = self.range(j);
                if let Ok(at) = self.columns[row.clone()].binary_search(&(i as u32)) {
                    let above = self.values[row.start + at];
                    for r in 0..R {
                        for c in 0..R {
                            self.values[k][r][c] = above[c][r];
                        }
                    }
                }
            }
        }
    }
}

impl<const R: usize> Rows<R> for Blocks<R, R> {
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }
    #[inline(always)]
    fn columns(&self, i: usize) -> &[u32] {
        &self.columns[self.range(i)]
    }
    #[inline(always)]
    fn block(&self, i: usize, k: usize) -> Small<R, R> {
        self.values[self.offsets[i] as usize + k]
    }
}

/// Full rows of a symmetric pattern: columns, and where the blocks lie.
#[derive(Debug, Clone, Default)]
pub(super) struct FullRows {
    pub offsets: Vec<u32>,
    columns: Vec<u32>,
    sources: Vec<u32>,
}

impl FullRows {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let mut offsets = vec![0_u32; n + 1];
        for i in 0..n {
            offsets[i + 1] += 1;
            for &j in &pattern.row(i)[1..] {
                offsets[i + 1] += 1;
                offsets[j as usize + 1] += 1;
            }
        }
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut columns = vec![0; offsets[n] as usize];
        let mut sources = vec![0; offsets[n] as usize];
        // Blocks below the diagonal come first, as rows are visited in order.
        for i in 0..n {
            for k in pattern.range(i).skip(1) {
                let at = &mut next[pattern.columns()[k] as usize];
                columns[*at as usize] = i as u32;
                sources[*at as usize] = k as u32 | TURNED;
                *at += 1;
            }
        }
        for i in 0..n {
            for k in pattern.range(i) {
                columns[next[i] as usize] = pattern.columns()[k];
                sources[next[i] as usize] = k as u32;
                next[i] += 1;
            }
        }
        Self { offsets, columns, sources }
    }

    pub(super) fn memory(&self) -> usize {
        4 * (self.offsets.len() + 2 * self.columns.len())
    }
}

/// The finest matrix by full rows.
pub(super) struct Finest<'a> {
    pub rows: &'a FullRows,
    pub matrix: &'a BlockMatrix,
}

impl Rows<3> for Finest<'_> {
    fn len(&self) -> usize {
        self.rows.offsets.len() - 1
    }
    #[inline(always)]
    fn columns(&self, i: usize) -> &[u32] {
        &self.rows.columns[self.rows.offsets[i] as usize..self.rows.offsets[i + 1] as usize]
    }
    #[inline(always)]
    fn block(&self, i: usize, k: usize) -> Small<3, 3> {
        let source = self.rows.sources[self.rows.offsets[i] as usize + k];
        let b = &self.matrix.values[(source & !TURNED) as usize];
        if source & TURNED == 0 {
            [[b[0], b[1], b[2]], [b[3], b[4], b[5]], [b[6], b[7], b[8]]]
        } else {
            [[b[0], b[3], b[6]], [b[1], b[4], b[7]], [b[2], b[5], b[8]]]
        }
    }
}

/// In double precision.
#[inline(always)]
pub(super) fn wide<const R: usize, const C: usize>(thin: &Thin<R, C>) -> Small<R, C> {
    thin.map(|row| row.map(f64::from))
}

/// y ← y + A x
#[inline(always)]
pub(super) fn add_multiplied<const R: usize, const C: usize>(
    y: &mut [f64; R],
    a: &Small<R, C>,
    x: &[f64; C],
) {
    for r in 0..R {
        // Products side by side, then the upper half onto the lower: wide registers serve for both.
        let mut products = [0.0; C];
        for c in 0..C {
            products[c] = a[r][c] * x[c];
        }
        let half = C / 2;
        let mut sum = if C % 2 == 1 { products[C - 1] } else { 0.0 };
        for c in 0..half {
            sum += products[c] + products[half + c];
        }
        y[r] += sum;
    }
}

/// y ← y + Aᵀ x
#[inline(always)]
pub(super) fn add_turned<const R: usize, const C: usize>(
    y: &mut [f64; C],
    a: &Small<R, C>,
    x: &[f64; R],
) {
    for r in 0..R {
        for c in 0..C {
            y[c] += a[r][c] * x[r];
        }
    }
}

/// Y ← Y + s A X
#[inline(always)]
pub(super) fn add_product<const R: usize, const K: usize, const C: usize>(
    y: &mut Small<R, C>,
    s: f64,
    a: &Small<R, K>,
    x: &Small<K, C>,
) {
    for r in 0..R {
        for k in 0..K {
            let f = s * a[r][k];
            for c in 0..C {
                y[r][c] += f * x[k][c];
            }
        }
    }
}

/// Y ← Y + Aᵀ X
#[inline(always)]
pub(super) fn add_turned_product<const R: usize, const K: usize, const C: usize>(
    y: &mut Small<R, C>,
    a: &Small<K, R>,
    x: &Small<K, C>,
) {
    for k in 0..K {
        for r in 0..R {
            for c in 0..C {
                y[r][c] += a[k][r] * x[k][c];
            }
        }
    }
}

/// Entries that one thread works on, with the widest registers.
struct Entries<'a, T, W> {
    first: usize,
    list: &'a mut [T],
    work: &'a W,
}

impl<T, W: Fn(usize, &mut T)> Kernel for Entries<'_, T, W> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        for (k, entry) in self.list.iter_mut().enumerate() {
            (self.work)(self.first + k, entry);
        }
    }
}

/// Rows that one thread works on, with the widest registers.
struct SomeRows<'a, T, W> {
    rows: Range<usize>,
    offsets: &'a [u32],
    columns: &'a [u32],
    values: &'a mut [T],
    work: &'a W,
}

impl<T, W: RowWork<T>> Kernel for SomeRows<'_, T, W> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        let mut rest = self.values;
        for i in self.rows {
            let range = self.offsets[i] as usize..self.offsets[i + 1] as usize;
            let (row, more) = rest.split_at_mut(range.len());
            self.work.row(i, &self.columns[range], row);
            rest = more;
        }
    }
}

/// Runs `work(i, entry)` on all entries in parallel; entry 0 is number `first`.
pub(super) fn over_entries<T: Send>(
    first: usize,
    entries: &mut [T],
    parallel: bool,
    work: &(impl Fn(usize, &mut T) + Sync),
) {
    if entries.len() <= PIECE || !parallel {
        Level::best().run(Entries { first, list: entries, work });
        return;
    }
    let half = entries.len() / 2;
    let (low, high) = entries.split_at_mut(half);
    rayon::join(
        || over_entries(first, low, parallel, work),
        || over_entries(first + half, high, parallel, work),
    );
}

fn over_rows<T: Send>(
    rows: Range<usize>,
    offsets: &[u32],
    columns: &[u32],
    values: &mut [T],
    parallel: bool,
    work: &impl RowWork<T>,
) {
    if rows.len() <= PIECE || !parallel {
        Level::best().run(SomeRows { rows, offsets, columns, values, work });
        return;
    }
    let half = rows.start + rows.len() / 2;
    let at = (offsets[half] - offsets[rows.start]) as usize;
    let (low, high) = values.split_at_mut(at);
    rayon::join(
        || over_rows(rows.start..half, offsets, columns, low, parallel, work),
        || over_rows(half..rows.end, offsets, columns, high, parallel, work),
    );
}
