//! [`Rows`]: a spring network as the rows of a sparse matrix, in packs of eight.
//!
//! Every spring stands in the rows of both its ends and is computed twice. In return a row owns its
//! gradient, its diagonal block and its part of the other blocks: rows can go to any thread in any
//! order without changing a bit, and nothing has to be stored between.

use pliant_algebra::lanes::{F64x8, LANES};
use pliant_mesh::topology::Grouped;

use super::network::Spring;

/// Place of a block that another row writes.
pub(super) const NOT_MINE: u32 = u32::MAX;

/// Springs by vertex. The last pack of a row is filled up with springs without stiffness from the
/// vertex to itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// First pack of each row, and the end of the last.
    pub(super) starts: Vec<u32>,
    /// The other end of each spring, ascending within a row.
    pub(super) other: Vec<[u32; LANES]>,
    pub(super) rest: Vec<F64x8>,
    pub(super) stiffness: Vec<F64x8>,
    /// Empty if no spring is damped.
    pub(super) damping: Vec<F64x8>,
    /// Where the block of each spring lies, or [`NOT_MINE`].
    pub(super) place: Vec<[u32; LANES]>,
    /// Where the diagonal block of each row lies, or [`NOT_MINE`] for empty rows.
    pub(super) diagonal: Vec<u32>,
    /// No place of a row before v is at or above `from[v]`, none of the others below it: where to
    /// cut the matrix between threads. Empty where rows are interleaved.
    pub(super) from: Vec<u32>,
    /// Whether the matrix keeps one triangle only.
    pub(super) one_triangle: bool,
}

impl Rows {
    pub(super) fn new(vertex_count: usize, springs: &[Spring]) -> Self {
        let damped = springs.iter().any(|s| s.damping != 0.0);
        let mut grouped: Grouped<(u32, u32)> = Grouped::new(vertex_count, || {
            springs.iter().zip(0..).flat_map(|(s, i)| {
                let [a, b] = s.ends;
                [(a, (b, i)), (b, (a, i))]
            })
        });
        let mut rows = Self::default();
        rows.starts.push(0);
        for v in 0..vertex_count {
            let row = grouped.of_mut(v);
            row.sort_unstable();
            for pack in row.chunks(LANES) {
                let mut other = [v as u32; LANES];
                let [mut rest, mut stiffness, mut damping] = [F64x8::default(); 3];
                for (lane, &(o, i)) in pack.iter().enumerate() {
                    let spring = springs[i as usize];
                    other[lane] = o;
                    rest.0[lane] = spring.rest;
                    stiffness.0[lane] = spring.stiffness;
                    damping.0[lane] = spring.damping;
                }
                rows.other.push(other);
                rows.rest.push(rest);
                rows.stiffness.push(stiffness);
                if damped {
                    rows.damping.push(damping);
                }
            }
            rows.starts.push(rows.other.len() as u32);
        }
        rows
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The packs of a row.
    #[inline(always)]
    pub(super) fn packs(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    /// The springs of a row as (other end, pack, lane).
    pub(super) fn springs(&self, row: usize) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
        self.packs(row)
            .flat_map(move |pack| (0..LANES).map(move |lane| (self.other[pack][lane], pack, lane)))
            .filter(move |&(other, ..)| other != row as u32)
    }

    pub(super) fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        let n = self.len();
        let mut place = vec![[NOT_MINE; LANES]; self.other.len()];
        self.diagonal = vec![NOT_MINE; n];
        let mut one_triangle = false;
        let mut lowest = vec![u32::MAX; n + 1];
        let mut highest = vec![None; n];
        for v in 0..n {
            if self.packs(v).is_empty() {
                continue;
            }
            let (at, _) = slot(v as u32, v as u32);
            self.diagonal[v] = at;
            (lowest[v], highest[v]) = (at, Some(at));
            for (other, pack, lane) in self.springs(v) {
                let (at, transposed) = slot(v as u32, other);
                if transposed {
                    one_triangle = true;
                } else {
                    place[pack][lane] = at;
                    lowest[v] = lowest[v].min(at);
                    highest[v] = highest[v].max(Some(at));
                }
            }
        }
        self.place = place;
        self.one_triangle = one_triangle;
        for v in (0..n).rev() {
            lowest[v] = lowest[v].min(lowest[v + 1]);
        }
        let mut above = None;
        let apart = (0..n).all(|v| {
            let cut = above.is_none_or(|a| a < lowest[v]);
            above = above.max(highest[v]);
            cut
        });
        self.from = if apart { lowest } else { Vec::new() };
    }
}
