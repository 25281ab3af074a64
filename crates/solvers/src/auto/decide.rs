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
const SMALL: usize = 1_000;
/// Edges that a push is felt across, below which the mass dominates and iterations are few.
const SHORT_REACH: f64 = 1.1;
/// Iterations that cost more than so many times another method are too many.
const TOO_MUCH: f64 = 1.5;
/// Too many by the cost of so many matrices, with one matrix or little by little, are taken for a mistake: the other method is taken
/// from then on.
const PATIENCE: f64 = 4.0;
/// A factor is analysed where a rough estimate of its cost is below so many times the iterations: in motion, where an analysis
/// serves many matrices, and at rest.
const WORTH_A_LOOK: [f64; 2] = [1.5, 0.8];
/// Up to so many vertices a factor is taken at first where it costs at most this part of iterations: systems cost little there, and a
/// motion that wears out factors would cost more than is to be gained.
const FEW: (usize, f64) = (1_000, 0.6);
/// The levels of multigrid serve so many matrices that each bears this part of them.
const KEPT_LEVELS: f64 = 0.3;
/// Newton's method asks for little first and for more later: this is in between.
const TYPICAL: f64 = 1e-3;

/// A method, roughly how many iterations a solution takes, and what each matrix costs by it.
#[derive(Debug, Clone, Copy)]
struct Offer {
    names: Names,
    iterations: f64,
    cost: f64,
}

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
        self.at_rest = reach.is_infinite();
        self.rough = cost::kept(span.factor(), matrix.pattern(), self.at_rest);
        self.bearable = TOO_MUCH * self.rough;
        if reach <= SHORT_REACH {
            self.why = format!("cg with block-diagonal: {n} vertices, {describe}");
            return Ok((SolverName::Cg, Some(PreconditionerName::BlockDiagonal)));
        }
        if n <= SMALL && self.at_rest {
            self.why = format!("cholesky with metis: small ({n} vertices), {describe}");
            return Ok((SolverName::Cholesky, None));
        }
        let name = PreconditionerName::Eisenstat;
        let count = cost::iterations(span, reach, self.tolerance());
        let mut best = Offer {
            names: (SolverName::Cg, Some(name)),
            iterations: count,
            cost: count * cost::iteration(matrix.pattern(), name),
        };
        best = self.multigrid().filter(|other| other.cost < best.cost).unwrap_or(best);
        if let Some(factor) = self.factors(best.cost)? {
            self.bearable = TOO_MUCH * factor.cost;
            let part = if n <= FEW.0 { FEW.1 } else { 1.0 };
            if factor.cost < part * best.cost {
                self.why = format!(
                    "cg with {}: {n} vertices, {describe}; a factor that serves several matrices costs {:.1} of some {:.0} iterations with {}",
                    words(factor.names),
                    factor.cost / best.cost,
                    best.iterations,
                    words(best.names)
                );
                return Ok(factor.names);
            }
        }
        (self.direct, self.looked) = (None, false);
        self.why = format!("cg with {}: {n} vertices, {describe}", words(best.names));
        Ok(best.names)
    }

    /// To what systems will be solved.
    fn tolerance(&self) -> f64 {
        self.settings.tolerance.min(TYPICAL)
    }

    /// Multigrid, where vertices have places.
    fn multigrid(&self) -> Option<Offer> {
        let pattern = self.pattern.as_ref().filter(|_| self.positions.is_some())?;
        let name = PreconditionerName::Multigrid;
        let iterations = cost::cycles(self.tolerance());
        let cost = KEPT_LEVELS * cost::preparation(pattern, name)
            + iterations * cost::iteration(pattern, name);
        Some(Offer { names: (SolverName::Cg, Some(name)), iterations, cost })
    }

    /// Factors that are kept from matrix to matrix, whose cost the analysis tells; none of systems that are too large for it, and
    /// none where a rough estimate says that they cost more than `other`.
    fn factors(&mut self, other: f64) -> Result<Option<Offer>, SolverError> {
        let look = WORTH_A_LOOK[usize::from(self.at_rest)] * other;
        let Some(pattern) = self.pattern.clone().filter(|p| p.rows() <= LARGE) else {
            return Ok(None);
        };
        let names = (SolverName::Cg, Some(PreconditionerName::StaleCholesky));
        self.looked |= self.rough < look;
        if self.direct.is_none() && self.looked {
            self.direct = Some(self.build(names)?);
        }
        let Some(solver) = &self.direct else { return Ok(None) };
        let counts = solver.factor_flops().zip(solver.factor_nonzeros());
        Ok(counts.map(|(flops, nonzeros)| {
            let factor = cost::factor(pattern.rows(), flops, nonzeros);
            let cost = cost::kept([factor, cost::use_of_factor(nonzeros)], &pattern, self.at_rest);
            Offer { names, iterations: 1.0, cost }
        }))
    }

    /// What iterations cost.
    pub(super) fn cost_of(&self, iterations: usize) -> f64 {
        let ((SolverName::Cg, Some(preconditioner)), Some(pattern)) = (self.names, &self.pattern)
        else {
            return 0.0;
        };
        // It sees to its costs itself.
        if preconditioner == PreconditionerName::StaleCholesky {
            return 0.0;
        }
        let first = if self.spent == 0.0 { KEPT_LEVELS } else { 0.0 };
        first * cost::preparation(pattern, preconditioner)
            + iterations as f64 * cost::iteration(pattern, preconditioner)
    }

    /// Settles what the last matrix has cost, and goes over to another method where that was too much for too long.
    pub(super) fn settle(&mut self) -> Result<(), SolverError> {
        let spent = std::mem::take(&mut self.spent);
        let (SolverName::Cg, Some(preconditioner)) = self.names else { return Ok(()) };
        if spent == 0.0 || self.detour.is_some() {
            return Ok(());
        }
        let other = self.multigrid().filter(|other| other.names != self.names);
        let most = other.map_or(f64::INFINITY, |other| TOO_MUCH * other.cost);
        let bearable = self.bearable.min(most);
        if spent < bearable {
            self.debt = (self.debt + spent - bearable).max(0.0);
            return Ok(());
        }
        let factor = self.factors(spent.min(most))?;
        let cheapest = [factor, other].into_iter().flatten();
        let Some(other) = cheapest.min_by(|a, b| a.cost.total_cmp(&b.cost)) else {
            return Ok(());
        };
        self.bearable = TOO_MUCH * other.cost;
        self.debt = (self.debt + spent - self.bearable).max(0.0);
        if self.debt > PATIENCE * other.cost {
            self.why = format!(
                "cg with {}: iterations of cg with {} cost more, with the last matrix {:.1} times as much",
                words(other.names),
                preconditioner.name(),
                spent / other.cost
            );
            (self.names, self.debt) = (other.names, 0.0);
            self.take_up()?;
        }
        Ok(())
    }
}

/// The preconditioner.
fn words((_, preconditioner): Names) -> &'static str {
    preconditioner.map_or("none", PreconditionerName::name)
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
