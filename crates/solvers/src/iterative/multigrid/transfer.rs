//! [`Transfer`]: the smoothed prolongator P between two levels, and the coarse matrix Pᵀ A P.

use std::ops::Range;

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::Pack;
use pliant_algebra::sparse::for_each_part;

use super::aggregate::NONE;
use super::blocks::{
    Blocks, RowWork, Rows, Small, Thin, add_multiplied, add_product, add_turned,
    add_turned_product, over_entries, wide,
};

/// Coarse rows that one thread fills at a time.
const CHUNK: usize = 128;

/// Patterns are made once; values as often as the matrix changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Transfer<const R: usize> {
    /// The aggregate of each fine vertex that is in one.
    of: Vec<u32>,
    /// Orthonormal modes on each.
    tentative: Vec<Small<R, 6>>,
    p: Blocks<R, 6, f32>,
    /// Offsets and columns of A P, whose values are never there as a whole: they would be the largest of all lists.
    ap: (Vec<u32>, Vec<u32>),
    chunks: Vec<Chunk<R>>,
    /// For each aggregate its fine vertices in P: (vertex, place in P).
    restriction_offsets: Vec<u32>,
    restriction: Vec<(u32, u32)>,
}

impl<const R: usize> Transfer<R> {
    /// Finds the patterns of P, A P and Pᵀ A P; the last is returned, without values.
    pub(super) fn new(
        rows: &impl Rows<R>,
        of: Vec<u32>,
        count: usize,
        tentative: Vec<Small<R, 6>>,
    ) -> (Self, Blocks<6, 6>) {
        // Row i of P touches the aggregates of i's neighbours, of A P those of theirs.
        let p = union(rows.len(), count, |i, add| {
            let aggregates = rows.columns(i).iter().map(|&j| of[j as usize]);
            aggregates.filter(|&a| a != NONE).for_each(add);
        });
        let p = Blocks::<R, 6, f32>::with_pattern(p.0, p.1);
        let ap = union(rows.len(), count, |i, add| {
            for &j in rows.columns(i) {
                for &a in &p.columns[p.range(j as usize)] {
                    add(a);
                }
            }
        });
        let mut restriction_offsets = vec![0_u32; count + 1];
        for &a in &p.columns {
            restriction_offsets[a as usize + 1] += 1;
        }
        for a in 0..count {
            restriction_offsets[a + 1] += restriction_offsets[a];
        }
        let mut next = restriction_offsets.clone();
        let mut restriction = vec![(0, 0); p.columns.len()];
        for i in 0..rows.len() {
            for k in p.range(i) {
                let at = &mut next[p.columns[k] as usize];
                restriction[*at as usize] = (i as u32, k as u32);
                *at += 1;
            }
        }
        let chunks = Vec::new();
        let mut transfer = Self { of, tentative, p, ap, chunks, restriction_offsets, restriction };
        let coarse = union(count, count, |a, add| {
            for &(i, _) in transfer.fine(a) {
                for &c in row_of(&transfer.ap, i as usize) {
                    add(c);
                }
            }
        });
        let longest = transfer.ap.0.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        transfer.chunks = (0..count)
            .step_by(CHUNK)
            .map(|first| {
                let coarse = first..(first + CHUNK).min(count);
                let touched = coarse.clone().flat_map(|a| transfer.fine(a)).map(|&(i, _)| i);
                let mut fine: Vec<u32> = touched.collect();
                fine.sort_unstable();
                fine.dedup();
                Chunk { coarse, fine, row: vec![[[0.0; 6]; R]; longest as usize] }
            })
            .collect();
        (transfer, Blocks::with_pattern(coarse.0, coarse.1))
    }

    /// The aggregate of each fine vertex that is in one.
    pub(super) fn aggregates(&self) -> &[u32] {
        &self.of
    }

    fn fine(&self, a: usize) -> &[(u32, u32)] {
        let offsets = &self.restriction_offsets;
        &self.restriction[offsets[a] as usize..offsets[a + 1] as usize]
    }

    /// A fine vertex of an aggregate, for messages.
    pub(super) fn first_vertex(&self, a: usize) -> usize {
        self.of.iter().position(|&of| of as usize == a).unwrap_or(0)
    }

    /// P = (I − ω D⁻¹ A) P̃ and `coarse` = Pᵀ A P.
    pub(super) fn fill(
        &mut self,
        rows: &impl Rows<R>,
        inverse: &[Small<R, R>],
        omega: f64,
        coarse: &mut Blocks<6, 6>,
    ) {
        let Self { of, tentative, p, ap, chunks, .. } = self;
        p.fill(&Smoothed { rows, inverse, omega, of, tentative });
        let Blocks { offsets, columns, values } = coarse;
        let (offsets, columns) = (&**offsets, &**columns);
        for_each_part(
            chunks,
            (0, &mut values[..]),
            // Values go with their chunks.
            &|(base, values), chunk| {
                let at = offsets[CHUNK * chunk] as usize;
                let (before, after) = values.split_at_mut(at - base);
                ((base, before), (at, after))
            },
            &|_, chunk, (base, values)| {
                Level::best().run(Galerkin { rows, p, ap, chunk, offsets, columns, base, values });
            },
        );
        coarse.mirror();
    }

    /// coarse = Pᵀ fine
    pub(super) fn restrict(&self, fine: &[[f64; R]], coarse: &mut [[f64; 6]]) {
        over_entries(0, coarse, rayon::current_num_threads() > 1, &|a, out| {
            let mut sum = [0.0; 6];
            for &(i, at) in self.fine(a) {
                add_turned(&mut sum, &wide(&self.p.values[at as usize]), &fine[i as usize]);
            }
            *out = sum;
        });
    }

    /// fine ← fine + P coarse
    pub(super) fn prolong(&self, coarse: &[[f64; 6]], fine: &mut [[f64; R]]) {
        over_entries(0, fine, rayon::current_num_threads() > 1, &|i, out| {
            let range = self.p.range(i);
            for (p, &a) in self.p.values[range.clone()].iter().zip(&self.p.columns[range]) {
                add_multiplied(out, &wide(p), &coarse[a as usize]);
            }
        });
    }

    pub(super) fn memory(&self) -> usize {
        let chunk = |chunk: &Chunk<R>| 4 * chunk.fine.len() + 48 * R * chunk.row.len();
        self.p.memory()
            + 4 * (self.ap.0.len() + self.ap.1.len())
            + self.chunks.iter().map(chunk).sum::<usize>()
            + 4 * self.of.len()
            + 48 * R * self.tentative.len()
            + 8 * self.restriction.len()
    }
}

/// Rows of P = (I − ω D⁻¹ A) P̃.
struct Smoothed<'a, M, const R: usize> {
    rows: &'a M,
    inverse: &'a [Small<R, R>],
    omega: f64,
    of: &'a [u32],
    tentative: &'a [Small<R, 6>],
}

impl<M: Rows<R>, const R: usize> RowWork<Thin<R, 6>> for Smoothed<'_, M, R> {
    #[inline(always)]
    fn row(&self, i: usize, columns: &[u32], values: &mut [Thin<R, 6>]) {
        let Self { rows, inverse, omega, of, tentative } = *self;
        for (&aggregate, value) in columns.iter().zip(values) {
            let mut sum = [[0.0; 6]; R];
            for (k, &j) in rows.columns(i).iter().enumerate() {
                if of[j as usize] == aggregate {
                    add_product(&mut sum, -omega, &rows.block(i, k), &tentative[j as usize]);
                }
            }
            let mut exact = if of[i] == aggregate { tentative[i] } else { [[0.0; 6]; R] };
            add_product(&mut exact, 1.0, &inverse[i], &sum);
            *value = exact.map(|row| row.map(|v| v as f32));
        }
    }
}

/// Coarse rows that are filled by one thread.
#[derive(Debug, Clone)]
struct Chunk<const R: usize> {
    coarse: Range<usize>,
    /// Fine rows whose part of P they touch, ascending.
    fine: Vec<u32>,
    /// Room for a row of A P.
    row: Vec<Small<R, 6>>,
}

/// Rows of the upper triangle of Pᵀ A P, from one row of A P after the other; the lower one is its mirror image. Fine rows at the rim of
/// a chunk are multiplied once for each chunk.
struct Galerkin<'a, M, const R: usize> {
    rows: &'a M,
    p: &'a Blocks<R, 6, f32>,
    ap: &'a (Vec<u32>, Vec<u32>),
    chunk: &'a mut Chunk<R>,
    /// Of the coarse matrix.
    offsets: &'a [u32],
    columns: &'a [u32],
    /// Place of the first of the values.
    base: usize,
    values: &'a mut [Small<6, 6>],
}

impl<M: Rows<R>, const R: usize> Kernel for Galerkin<'_, M, R> {
    type Output = ();
    #[inline(always)]
    fn run<P: Pack>(self) {
        let Self { rows, p, ap, chunk: Chunk { coarse, fine, row }, offsets, columns, .. } = self;
        let (base, values) = (self.base, self.values);
        values.fill([[0.0; 6]; 6]);
        for &i in &*fine {
            let i = i as usize;
            let aggregates = row_of(ap, i);
            let row = &mut row[..aggregates.len()];
            row.fill([[0.0; 6]; R]);
            for (k, &j) in rows.columns(i).iter().enumerate() {
                let a = rows.block(i, k);
                let range = p.range(j as usize);
                for (x, &c) in p.values[range.clone()].iter().zip(&p.columns[range]) {
                    if let Some(value) = place(aggregates, row, c) {
                        add_product(value, 1.0, &a, &wide(x));
                    }
                }
            }
            let range = p.range(i);
            for (own, &a) in p.values[range.clone()].iter().zip(&p.columns[range]) {
                if !coarse.contains(&(a as usize)) {
                    continue;
                }
                let own = wide(own);
                let range = offsets[a as usize] as usize..offsets[a as usize + 1] as usize;
                let there = &mut values[range.start - base..range.end - base];
                let upper = aggregates.partition_point(|&c| c < a);
                for (x, &c) in row[upper..].iter().zip(&aggregates[upper..]) {
                    if let Some(value) = place(&columns[range.clone()], there, c) {
                        add_turned_product(value, &own, x);
                    }
                }
            }
        }
        // Modes that an aggregate cannot tell apart have zero rows.
        for a in coarse.clone() {
            let range = offsets[a] as usize..offsets[a + 1] as usize;
            let there = &mut values[range.start - base..range.end - base];
            if let Some(own) = place(&columns[range], there, a as u32) {
                for k in 0..6 {
                    if own[k][k] <= 0.0 {
                        own[k][k] = 1.0;
                    }
                }
            }
        }
    }
}

/// Columns of a row.
#[inline(always)]
fn row_of((offsets, columns): &(Vec<u32>, Vec<u32>), i: usize) -> &[u32] {
    &columns[offsets[i] as usize..offsets[i + 1] as usize]
}

/// The value in the column of that number.
#[inline(always)]
fn place<'a, T>(columns: &[u32], values: &'a mut [T], column: u32) -> Option<&'a mut T> {
    columns.binary_search(&column).ok().and_then(|k| values.get_mut(k))
}

/// Offsets and ascending columns of rows that `visit` names, as often as it likes.
fn union(
    rows: usize,
    columns: usize,
    visit: impl Fn(usize, &mut dyn FnMut(u32)),
) -> (Vec<u32>, Vec<u32>) {
    let mut seen = vec![u32::MAX; columns];
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    let mut out: Vec<u32> = Vec::new();
    for i in 0..rows {
        let first = out.len();
        visit(i, &mut |c| {
            if std::mem::replace(&mut seen[c as usize], i as u32) != i as u32 {
                out.push(c);
            }
        });
        out[first..].sort_unstable();
        offsets.push(out.len() as u32);
    }
    (offsets, out)
}
