//! [`Transfer`]: the smoothed prolongator P between two levels, and the coarse matrix Pᵀ A P.

use super::aggregate::NONE;
use super::blocks::{
    Blocks, RowWork, Rows, Small, add_product, add_turned, add_turned_product, over_entries,
};

/// Patterns are made once; values as often as the matrix changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Transfer<const R: usize> {
    /// The aggregate of each fine vertex that is in one.
    of: Vec<u32>,
    /// Orthonormal modes on each.
    tentative: Vec<Small<R, 6>>,
    p: Blocks<R, 6>,
    ap: Blocks<R, 6>,
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
        let p = Blocks::<R, 6>::with_pattern(p.0, p.1);
        let ap = union(rows.len(), count, |i, add| {
            for &j in rows.columns(i) {
                for &a in &p.columns[p.range(j as usize)] {
                    add(a);
                }
            }
        });
        let ap = Blocks::<R, 6>::with_pattern(ap.0, ap.1);
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
        let transfer = Self { of, tentative, p, ap, restriction_offsets, restriction };
        let coarse = union(count, count, |a, add| {
            for &(i, _) in transfer.fine(a) {
                for &c in &transfer.ap.columns[transfer.ap.range(i as usize)] {
                    add(c);
                }
            }
        });
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
        let Self { of, tentative, p, ap, .. } = self;
        p.fill(&Smoothed { rows, inverse, omega, of, tentative });
        ap.fill(&TimesMatrix { rows, p });
        coarse.fill(&Galerkin { transfer: self });
        coarse.mirror();
    }

    /// coarse = Pᵀ fine
    pub(super) fn restrict(&self, fine: &[[f64; R]], coarse: &mut [[f64; 6]]) {
        over_entries(0, coarse, rayon::current_num_threads() > 1, &|a, out| {
            let mut sum = [0.0; 6];
            for &(i, at) in self.fine(a) {
                add_turned(&mut sum, &self.p.values[at as usize], &fine[i as usize]);
            }
            *out = sum;
        });
    }

    /// fine ← fine + P coarse
    pub(super) fn prolong(&self, coarse: &[[f64; 6]], fine: &mut [[f64; R]]) {
        over_entries(0, fine, rayon::current_num_threads() > 1, &|i, out| {
            let range = self.p.range(i);
            for (p, &a) in self.p.values[range.clone()].iter().zip(&self.p.columns[range]) {
                super::blocks::add_multiplied(out, p, &coarse[a as usize]);
            }
        });
    }

    pub(super) fn memory(&self) -> usize {
        self.p.memory()
            + self.ap.memory()
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

impl<M: Rows<R>, const R: usize> RowWork<Small<R, 6>> for Smoothed<'_, M, R> {
    #[inline(always)]
    fn row(&self, i: usize, columns: &[u32], values: &mut [Small<R, 6>]) {
        let Self { rows, inverse, omega, of, tentative } = *self;
        values.fill([[0.0; 6]; R]);
        for (k, &j) in rows.columns(i).iter().enumerate() {
            let Some(value) = place(columns, values, of[j as usize]) else { continue };
            add_product(value, -omega, &rows.block(i, k), &tentative[j as usize]);
        }
        for value in values.iter_mut() {
            let sum = std::mem::replace(value, [[0.0; 6]; R]);
            add_product(value, 1.0, &inverse[i], &sum);
        }
        if let Some(value) = place(columns, values, of[i]) {
            for (row, t) in value.iter_mut().zip(&tentative[i]) {
                for c in 0..6 {
                    row[c] += t[c];
                }
            }
        }
    }
}

/// Rows of A P.
struct TimesMatrix<'a, M, const R: usize> {
    rows: &'a M,
    p: &'a Blocks<R, 6>,
}

impl<M: Rows<R>, const R: usize> RowWork<Small<R, 6>> for TimesMatrix<'_, M, R> {
    #[inline(always)]
    fn row(&self, i: usize, columns: &[u32], values: &mut [Small<R, 6>]) {
        let Self { rows, p } = *self;
        values.fill([[0.0; 6]; R]);
        for (k, &j) in rows.columns(i).iter().enumerate() {
            let a = rows.block(i, k);
            let range = p.range(j as usize);
            for (x, &c) in p.values[range.clone()].iter().zip(&p.columns[range]) {
                if let Some(value) = place(columns, values, c) {
                    add_product(value, 1.0, &a, x);
                }
            }
        }
    }
}

/// Rows of the upper triangle of Pᵀ A P; the lower one is its mirror image.
struct Galerkin<'a, const R: usize> {
    transfer: &'a Transfer<R>,
}

impl<const R: usize> RowWork<Small<6, 6>> for Galerkin<'_, R> {
    #[inline(always)]
    fn row(&self, a: usize, columns: &[u32], values: &mut [Small<6, 6>]) {
        let Transfer { p, ap, .. } = self.transfer;
        let upper = columns.partition_point(|&c| (c as usize) < a);
        let (columns, values) = (&columns[upper..], &mut values[upper..]);
        values.fill([[0.0; 6]; 6]);
        for &(i, at) in self.transfer.fine(a) {
            let p = &p.values[at as usize];
            let mut range = ap.range(i as usize);
            range.start += ap.columns[range.clone()].partition_point(|&c| (c as usize) < a);
            for (x, &c) in ap.values[range.clone()].iter().zip(&ap.columns[range]) {
                if let Some(value) = place(columns, values, c) {
                    add_turned_product(value, p, x);
                }
            }
        }
        // Modes that an aggregate cannot tell apart have zero rows.
        if let Some(own) = place(columns, values, a as u32) {
            for k in 0..6 {
                if own[k][k] <= 0.0 {
                    own[k][k] = 1.0;
                }
            }
        }
    }
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
