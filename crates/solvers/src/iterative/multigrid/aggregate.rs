//! Which vertices become one on the next level (Vaněk, Mandel and Brezina 1996, algorithm 2).

use super::blocks::{Rows, Small};

/// Marks a vertex that is in no aggregate: nothing binds it to others, as where it is fixed, and the
/// smoother alone solves for it. If such vertices were kept, coarse levels would be full of them.
pub(super) const NONE: u32 = u32::MAX;

/// Strong neighbours by row: ‖A_ij‖² > θ² ‖A_ii‖ ‖A_jj‖, where norms are those of the part that has to
/// do with translations. On coarse levels rotations come after them; their share of the diagonal is so
/// large that, with it, hardly any neighbour would count as strong.
pub(super) struct Strong {
    offsets: Vec<u32>,
    columns: Vec<u32>,
}

impl Strong {
    pub(super) fn new<const R: usize>(rows: &impl Rows<R>, threshold: f64) -> Self {
        let square = |b: &Small<R, R>| {
            b.iter().take(3).flat_map(|row| row.iter().take(3)).map(|v| v * v).sum::<f64>()
        };
        let mut diagonal = vec![0.0; rows.len()];
        for (i, d) in diagonal.iter_mut().enumerate() {
            if let Ok(k) = rows.columns(i).binary_search(&(i as u32)) {
                *d = square(&rows.block(i, k)).sqrt();
            }
        }
        let mut offsets = vec![0];
        let mut columns = Vec::new();
        for i in 0..rows.len() {
            for (k, &j) in rows.columns(i).iter().enumerate() {
                let limit = threshold * threshold * diagonal[i] * diagonal[j as usize];
                if j as usize != i && square(&rows.block(i, k)) > limit {
                    columns.push(j);
                }
            }
            offsets.push(columns.len() as u32);
        }
        Self { offsets, columns }
    }

    fn of(&self, i: usize) -> &[u32] {
        &self.columns[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// The aggregate of each vertex or [`NONE`], and how many there are. Roots are at least three edges apart;
    /// vertices are looked at in their order, so that the outcome is always the same.
    pub(super) fn aggregate(&self) -> (Vec<u32>, usize) {
        let n = self.offsets.len() - 1;
        let mut of = vec![NONE; n];
        let mut count = 0;
        for i in 0..n {
            if of[i] == NONE && self.of(i).iter().all(|&j| of[j as usize] == NONE) {
                // Vertices without strong neighbours are left for the end.
                if self.of(i).is_empty() {
                    continue;
                }
                of[i] = count;
                for &j in self.of(i) {
                    of[j as usize] = count;
                }
                count += 1;
            }
        }
        // The rest joins the neighbouring aggregate it has most edges with.
        let rooted = of.clone();
        for i in 0..n {
            if of[i] != NONE {
                continue;
            }
            let mut best = (0, NONE);
            for &j in self.of(i) {
                let a = rooted[j as usize];
                if a == NONE {
                    continue;
                }
                let edges = self.of(i).iter().filter(|&&k| rooted[k as usize] == a).count();
                if edges > best.0 || (edges == best.0 && a < best.1) {
                    best = (edges, a);
                }
            }
            of[i] = best.1;
        }
        for i in 0..n {
            if of[i] == NONE && !self.of(i).is_empty() {
                of[i] = count;
                for &j in self.of(i) {
                    if of[j as usize] == NONE {
                        of[j as usize] = count;
                    }
                }
                count += 1;
            }
        }
        (of, count as usize)
    }
}
