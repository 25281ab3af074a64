//! What [`Auto`] decides by: the first matrix, and what iterations turn out to cost.

use pliant_algebra::sparse::BlockMatrix;

use super::{Auto, Names};
use crate::SolverError;
use crate::choose::SolverName;
use crate::cost::{self, Span};
use crate::iterative::PreconditionerName;
use crate::ordering::Graph;

/// From here on a factor is not thought of: it takes more memory and time than any iteration.
const LARGE: usize = 100_000;
/// Up to here, without mass, a factor is made whatever it costs, as that is little: exact steps spare iterations of Newton's method, and a
/// linear body takes one.
const SMALL: usize = 3_000;
/// Edges that a push is felt across, below which the mass dominates and iterations are few.
const SHORT_REACH: f64 = 1.1;
/// Iterations that cost more than so many times a factor are too many.
const TOO_MUCH: f64 = 1.5;
/// Too many by so many factors, in one matrix or little by little, are taken for a mistake: factors are made from then on.
const PATIENCE: f64 = 4.0;
/// What a factor costs is looked up where a rough estimate of it is below so many times the iterations.
const WORTH_A_LOOK: f64 = 4.0;

impl Auto {
    /// By the first matrix.
    pub(super) fn choose(&mut self, matrix: &BlockMatrix) -> Result<Names, SolverError> {
        let n = matrix.rows();
        if !matrix.pattern().is_symmetric() {
            if n <= LARGE / 5 {
                self.why = format!("lu: unsymmetric, {n} vertices");
                return Ok((SolverName::Lu, None));
            }
            self.why = format!("bicgstab with block-diagonal: unsymmetric, {n} vertices are many");
            return Ok((SolverName::Bicgstab, Some(PreconditionerName::BlockDiagonal)));
        }
        let reach = reach(matrix);
        let describe = if reach.is_finite() {
            format!("a push is felt across {reach:.1} edges")
        } else {
            "no mass".to_owned()
        };
        let span = Span::of(&Graph::new(matrix.pattern()));
        self.bearable = span.factor() / WORTH_A_LOOK;
        if reach <= SHORT_REACH {
            self.why = format!("cg with block-diagonal: {n} vertices, {describe}");
            return Ok((SolverName::Cg, Some(PreconditionerName::BlockDiagonal)));
        }
        if n <= SMALL && reach.is_infinite() {
            self.why = format!("cholesky with metis: small ({n} vertices), {describe}");
            return Ok((SolverName::Cholesky, None));
        }
        let cost = |preconditioner| {
            let count = cost::iterations(preconditioner, span, reach, self.settings.tolerance);
            let each = cost::iteration(matrix.pattern(), preconditioner);
            (
                preconditioner,
                count,
                cost::preparation(matrix.pattern(), preconditioner) + count * each,
            )
        };
        let mut best = cost(PreconditionerName::Eisenstat);
        if self.positions.is_some() {
            let multigrid = cost(PreconditionerName::Multigrid);
            if multigrid.2 < best.2 {
                best = multigrid;
            }
        }
        let (preconditioner, count, iterations) = best;
        let factor = if self.bearable < iterations { self.direct_cost()? } else { None };
        if let Some(factor) = factor {
            self.bearable = TOO_MUCH * factor;
            if factor < iterations {
                let share = factor / iterations;
                self.why = format!(
                    "cholesky with metis: {n} vertices, {describe}; a factor costs {share:.1} of some {count:.0} iterations of cg with {}",
                    preconditioner.name()
                );
                return Ok((SolverName::Cholesky, None));
            }
        }
        self.direct = None;
        self.why = format!("cg with {}: {n} vertices, {describe}", preconditioner.name());
        Ok((SolverName::Cg, Some(preconditioner)))
    }

    /// What factorisation and solution cost, which the analysis tells; none of systems that are too large for it.
    fn direct_cost(&mut self) -> Result<Option<f64>, SolverError> {
        if self.pattern.as_ref().is_none_or(|p| p.rows() > LARGE) {
            return Ok(None);
        }
        if self.direct.is_none() {
            self.direct = Some(self.build((SolverName::Cholesky, None))?);
        }
        let (Some(pattern), Some(solver)) = (&self.pattern, &self.direct) else { return Ok(None) };
        let counts = solver.factor_flops().zip(solver.factor_nonzeros());
        Ok(counts.map(|(flops, nonzeros)| cost::direct(pattern.rows(), flops, nonzeros)))
    }

    /// What iterations cost.
    pub(super) fn cost_of(&self, iterations: usize) -> f64 {
        let ((SolverName::Cg, Some(preconditioner)), Some(pattern)) = (self.names, &self.pattern)
        else {
            return 0.0;
        };
        let prepared =
            if self.spent == 0.0 { cost::preparation(pattern, preconditioner) } else { 0.0 };
        prepared + iterations as f64 * cost::iteration(pattern, preconditioner)
    }

    /// Settles what the last matrix has cost, and goes over to factors where that was too much for too long.
    pub(super) fn settle(&mut self) -> Result<(), SolverError> {
        let spent = std::mem::take(&mut self.spent);
        let (SolverName::Cg, Some(preconditioner)) = self.names else { return Ok(()) };
        if spent == 0.0 || self.detour.is_some() {
            return Ok(());
        }
        if spent >= self.bearable {
            let Some(factor) = self.direct_cost()? else { return Ok(()) };
            self.bearable = TOO_MUCH * factor;
        }
        self.debt = (self.debt + spent - self.bearable).max(0.0);
        let factor = self.bearable / TOO_MUCH;
        if self.debt > PATIENCE * factor {
            self.why = format!(
                "cholesky with metis: iterations of cg with {} cost more, with the last matrix {:.1} times a factor",
                preconditioner.name(),
                spent / factor
            );
            self.names = (SolverName::Cholesky, None);
            self.take_up()?;
        }
        Ok(())
    }
}

/// How many edges away a push is felt within a step: √(‖A_ii‖ / ‖Σ_j A_ij‖), the median over rows. Stiffness
/// does not resist a translation, so the sum over a row is its mass, which the diagonal exceeds by what the
/// stiffness adds; √ of that is the speed of waves in edges a step. Infinite without mass. Rows that are
/// fixed, or next to them, are few.
fn reach(matrix: &BlockMatrix) -> f64 {
    let pattern = matrix.pattern();
    let n = matrix.rows();
    let norm = |b: &[f64; 9]| b.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut sums = vec![[0.0; 9]; n];
    let mut on = vec![0.0; n];
    for i in 0..n {
        for (k, &j) in pattern.range(i).zip(pattern.row(i)) {
            let block = &matrix.values[k];
            for c in 0..9 {
                sums[i][c] += block[c];
            }
            if j as usize == i {
                on[i] = norm(block);
            } else {
                for c in 0..9 {
                    // The block of the lower triangle is the transposed one.
                    sums[j as usize][c] += block[3 * (c % 3) + c / 3];
                }
            }
        }
    }
    let mut squares: Vec<f64> = sums
        .iter()
        .zip(&on)
        .filter(|(_, on)| **on > 0.0)
        .map(|(sum, &on)| {
            let sum = norm(sum);
            // Rounding is not mass.
            if sum > 1e-12 * on { on / sum } else { f64::INFINITY }
        })
        .collect();
    if squares.is_empty() {
        return 0.0;
    }
    let middle = squares.len() / 2;
    squares.select_nth_unstable_by(middle, f64::total_cmp).1.sqrt()
}
