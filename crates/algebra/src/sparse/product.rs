//! [`Product`]: y = A x for one vector or several at once.

use std::ops::Range;

use super::parts::for_each_part;
use super::{Block, Pattern};
use crate::dispatch::{Kernel, Level};
use crate::lanes::{Pack, Quad, Row4, prefetch};
use crate::vec3::Vec3;

/// Parts have at least this many blocks, so that what they share is small beside what they own.
const PART_BLOCKS: usize = 16384;
/// And there are at most this many parts.
const PARTS: usize = 64;

/// Blocks that are asked for ahead of their use: about a kilobyte.
const AHEAD: usize = 16;

/// The plan of multiplication with matrices of one pattern, and the memory it needs.
///
/// Rows are cut into parts that do not depend on the number of threads. A part works on a table of
/// its own, of its rows and of those that its columns reach beyond them; what it adds to the latter
/// is handed over in the order of the parts. So the bits are the same on any number of threads.
#[derive(Debug, Clone)]
pub struct Product {
    symmetric: bool,
    offsets: Vec<u32>,
    /// Columns as places in the table of the part.
    columns: Vec<u32>,
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
struct Part {
    rows: Range<usize>,
    /// Columns beyond the rows, ascending.
    outside: Vec<u32>,
    /// What other parts hand to these rows, by row, then part: (row, part, place in its table).
    incoming: Vec<(u32, u32, u32)>,
    x: Vec<Row4>,
    y: Vec<Row4>,
}

impl Product {
    /// Plans multiplication with matrices of that pattern.
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.rows();
        let size = PART_BLOCKS.max(pattern.blocks().div_ceil(PARTS));
        let mut columns = pattern.columns().to_vec();
        let mut parts: Vec<Part> = Vec::new();
        let mut start = 0;
        while start < n {
            let limit = pattern.range(start).start + size;
            let end =
                pattern.offsets().partition_point(|&o| (o as usize) < limit).clamp(start + 1, n);
            let rows = start..end;
            let blocks = pattern.range(start).start..pattern.range(end - 1).end;
            let mut outside: Vec<u32> = columns[blocks.clone()]
                .iter()
                .copied()
                .filter(|&j| !rows.contains(&(j as usize)))
                .collect();
            outside.sort_unstable();
            outside.dedup();
            for j in &mut columns[blocks] {
                *j = match outside.binary_search(j) {
                    Ok(at) => (end - start + at) as u32,
                    Err(_) => *j - start as u32,
                };
            }
            parts.push(Part { rows, outside, incoming: Vec::new(), x: Vec::new(), y: Vec::new() });
            start = end;
        }
        if pattern.is_symmetric() {
            for p in 0..parts.len() {
                let own = parts[p].rows.len();
                for (at, j) in std::mem::take(&mut parts[p].outside).into_iter().enumerate() {
                    let owner = parts.partition_point(|q| q.rows.end <= j as usize);
                    parts[owner].incoming.push((j, p as u32, (own + at) as u32));
                    parts[p].outside.push(j);
                }
            }
            for part in &mut parts {
                part.incoming.sort_unstable();
            }
        }
        Self {
            symmetric: pattern.is_symmetric(),
            offsets: pattern.offsets().to_vec(),
            columns,
            parts,
        }
    }

    /// y = A x, where `values` are the blocks of A in the order of the pattern.
    ///
    /// # Panics
    /// Where a length is not that of the pattern.
    pub fn apply(&mut self, values: &[Block], x: &[Vec3], y: &mut [Vec3]) {
        self.apply_many::<1>(values, x.as_chunks().0, y.as_chunks_mut().0);
    }

    /// Y = A X for K vectors: entry i holds the K vectors at vertex i. The matrix is read once for
    /// all of them. No allocation after the first call with the same or a greater K.
    ///
    /// # Panics
    /// Where a length is not that of the pattern.
    pub fn apply_many<const K: usize>(
        &mut self,
        values: &[Block],
        x: &[[Vec3; K]],
        y: &mut [[Vec3; K]],
    ) {
        let Self { symmetric, offsets, columns, parts } = self;
        let n = offsets.len() - 1;
        assert!(x.len() == n && y.len() == n, "one entry for each row of the matrix");
        assert_eq!(values.len(), columns.len(), "one block for each place of the pattern");
        let symmetric = *symmetric;
        let (offsets, columns) = (&*offsets, &*columns);
        for_each_part(parts, (), &|(), _| ((), ()), &|_, part, ()| {
            part.multiply(symmetric, offsets, columns, values, x);
        });
        let parts = &*parts;
        // Rows of y go with the parts; the list of parts is read by all.
        hand_over(parts, 0..parts.len(), y, 0, rayon::current_num_threads() > 1);
    }
}

/// Copies each part's own rows to y and adds what other parts have for them.
fn hand_over<const K: usize>(
    parts: &[Part],
    range: Range<usize>,
    y: &mut [[Vec3; K]],
    base: usize,
    parallel: bool,
) {
    if range.len() > 1 {
        let half = range.start + range.len() / 2;
        let at = parts[half].rows.start;
        let (low, high) = y.split_at_mut(at - base);
        let (left, right) = (range.start..half, half..range.end);
        if parallel {
            rayon::join(
                || hand_over(parts, left, low, base, parallel),
                || hand_over(parts, right, high, at, parallel),
            );
        } else {
            hand_over(parts, left, low, base, parallel);
            hand_over(parts, right, high, at, parallel);
        }
        return;
    }
    let Some(part) = parts.get(range.start) else { return };
    for (y, own) in y.iter_mut().zip(part.y.chunks_exact(K.max(1))) {
        for k in 0..K {
            y[k] = [own[k].0[0], own[k].0[1], own[k].0[2]];
        }
    }
    for &(row, from, at) in &part.incoming {
        let target = &mut y[row as usize - base];
        for k in 0..K {
            let add = parts[from as usize].y[at as usize * K + k].0;
            for c in 0..3 {
                target[k][c] += add[c];
            }
        }
    }
}

impl Part {
    fn multiply<const K: usize>(
        &mut self,
        symmetric: bool,
        offsets: &[u32],
        columns: &[u32],
        values: &[Block],
        x: &[[Vec3; K]],
    ) {
        let Self { rows, outside, x: xs, y: ys, .. } = self;
        let len = (rows.len() + outside.len()) * K;
        xs.resize(len, Row4::default());
        ys.clear();
        ys.resize(len, Row4::default());
        let all = rows.clone().chain(outside.iter().map(|&j| j as usize));
        for (local, i) in xs.chunks_exact_mut(K.max(1)).zip(all) {
            for k in 0..K {
                let [a, b, c] = x[i][k];
                local[k].0 = [a, b, c, 0.0];
            }
        }
        let rows = rows.clone();
        Level::best().run(RowProduct::<K> { symmetric, rows, offsets, columns, values, xs, ys });
    }
}

/// The rows of a part, on its table.
struct RowProduct<'a, const K: usize> {
    symmetric: bool,
    rows: Range<usize>,
    offsets: &'a [u32],
    columns: &'a [u32],
    values: &'a [Block],
    xs: &'a [Row4],
    ys: &'a mut [Row4],
}

impl<const K: usize> Kernel for RowProduct<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { symmetric, rows, offsets, columns, values, xs, ys } = self;
        for (own, i) in rows.enumerate() {
            let range = offsets[i] as usize..offsets[i + 1] as usize;
            // Products with the three rows of the blocks; their first three entries are summed at the end,
            // and what is in the fourth does not matter.
            let zero = P::Quad::splat(0.0);
            let mut sums = [[zero; 3]; K];
            let mut xi = [[zero; 3]; K];
            for k in 0..K {
                let [x, y, z, _] = xs[own * K + k].0;
                xi[k] = [P::Quad::splat(x), P::Quad::splat(y), P::Quad::splat(z)];
            }
            for (k, &j) in range.clone().zip(&columns[range]) {
                let j = j as usize;
                prefetch(values.get(k + AHEAD));
                let [a0, a1, a2, a3, a4, a5, a6, a7, a8] = values[k];
                let lines = [
                    P::Quad::load(&[a0, a1, a2, a3]),
                    P::Quad::load(&[a3, a4, a5, a6]),
                    P::Quad::load(&[a5, a6, a7, a8]).rotate(),
                ];
                let xj = &xs[j * K..j * K + K];
                for k in 0..K {
                    let x = P::Quad::from_row(&xj[k]);
                    for r in 0..3 {
                        sums[k][r] = sums[k][r] + lines[r] * x;
                    }
                }
                if symmetric && j != own {
                    let yj = &mut ys[j * K..j * K + K];
                    for k in 0..K {
                        let [x, y, z] = xi[k];
                        let lower = lines[0] * x + lines[1] * y + lines[2] * z;
                        yj[k] = (P::Quad::from_row(&yj[k]) + lower).to_row();
                    }
                }
            }
            for k in 0..K {
                let y = &mut ys[own * K + k].0;
                for r in 0..3 {
                    let [a, b, c, _] = sums[k][r].to_row().0;
                    y[r] += a + b + c;
                }
            }
        }
    }
}
