//! [`Counts`]: entries and operations of a Cholesky factor, from the pattern and an order alone.

use pliant::algebra::sparse::Pattern;
use pliant::solvers::SolverError;
use pliant::solvers::direct::factor_pattern;

/// What an order costs. Blocks count as full: nine entries each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counts {
    /// Entries of L, the diagonal included.
    pub(super) entries: u64,
    /// Entries of L where the lower triangle of A has none.
    pub(super) fill: u64,
    /// Σ c² over the columns of L with c entries each: multiplications and additions.
    pub(super) flops: f64,
}

impl Counts {
    pub(super) fn new(pattern: &Pattern, order: &[u32]) -> Result<Self, SolverError> {
        let blocks = factor_pattern(pattern, order)?;
        let mut columns = vec![0_u32; pattern.rows()];
        for &(_, column) in &blocks {
            columns[column as usize] += 1;
        }
        // The three columns of a vertex with k blocks, its own included, have 3k, 3k − 1 and 3k − 2 entries.
        let flops = |k: u32| (0..3).map(|c| f64::from(3 * k - c).powi(2)).sum::<f64>();
        Ok(Self {
            entries: 9 * blocks.len() as u64 - 3 * pattern.rows() as u64,
            fill: 9 * (blocks.len() - pattern.blocks()) as u64,
            flops: columns.into_iter().map(flops).sum(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_four_fills_one_block() {
        let ring = |couple: &mut dyn FnMut(u32, u32)| (0..4).for_each(|i| couple(i, (i + 1) % 4));
        let pattern = Pattern::symmetric(4, |couple| ring(couple)).unwrap();
        let counts = Counts::new(&pattern, &[0, 1, 2, 3]).unwrap();
        // 4 diagonal blocks of 6 entries, 4 edges and 1 fill of 9.
        assert_eq!((counts.entries, counts.fill), (24 + 36 + 9, 9));
        // Columns of 3, 3, 2 and 1 blocks.
        let column = |k: f64| (3.0 * k).powi(2) + (3.0 * k - 1.0).powi(2) + (3.0 * k - 2.0).powi(2);
        assert_eq!(counts.flops, 2.0 * column(3.0) + column(2.0) + column(1.0));
    }
}
