//! The Jacobian of Newton's method: made, mended until directions descend, and kept.

use std::time::Instant;

use pliant_solvers::matrix::Matrix;
use pliant_solvers::sums::{dot, norm};
use pliant_solvers::{SolverError, SolverName};

use super::{Newton, Projection};
use crate::{DynamicsError, Evaluation, Problem};

/// What the matrix of a solver holds at the present y, besides a regularisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Assembled {
    /// How much of the projection is in it.
    pub(super) part: f64,
    /// Whether `other` holds all of the projection.
    pub(super) knows_other: bool,
}

/// The first regularisation, relative to the diagonal, and its growth.
pub(super) const REGULARISE: (f64, f64) = (1e-4, 30.0);
/// The first part of the projection that is tried, and its growth.
pub(super) const PROJECTION: (f64, f64) = (0.0625, 4.0);
/// Iterations before less of it is tried.
const PATIENCE: usize = 3;
/// Regularisations before giving up.
pub(super) const REGULARISATIONS: usize = 8;

impl Newton {
    /// Brings the matrix to the Jacobian at y with the part of the projection that is wanted, not regularised.
    /// What is known at this y is not assembled again.
    pub(super) fn assemble(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
    ) -> Result<(), DynamicsError> {
        let Some(matrix) = &mut self.matrix else {
            return Err(DynamicsError::Unsupported("Newton: no pattern was analyzed".into()));
        };
        let part = self.projected;
        if let Some(Assembled { part: there, knows_other }) = self.assembled {
            matrix.restore_diagonal(&mut self.diagonal);
            if there == part {
                return Ok(());
            }
            if there == 0.0 || knows_other {
                self.assembled = None;
                let other = self.other.get_or_insert_with(|| Matrix::zero(&matrix.shape()));
                if !knows_other {
                    problem.jacobian(y, true, other)?;
                }
                // K + p (P − K) for another p, from what it is for the present one.
                let change = (part - there) / (1.0 - there);
                matrix.blend(other, change);
                self.assembled = Some(Assembled { part, knows_other: true });
                return Ok(());
            }
        }
        self.assembled = None;
        self.diagonal.clear();
        let whole = part == 1.0;
        problem.jacobian(y, whole, matrix)?;
        self.assembled =
            Some(Assembled { part: if whole { 1.0 } else { 0.0 }, knows_other: false });
        if whole || part == 0.0 { Ok(()) } else { self.assemble(problem, y) }
    }

    /// Makes and factors the Jacobian at y.
    pub(super) fn refresh(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
    ) -> Result<(), DynamicsError> {
        self.stale = None;
        self.counters.jacobians += 1;
        let clock = Instant::now();
        self.assemble(problem, y)?;
        self.phases.jacobians += clock.elapsed();
        let Some(matrix) = &mut self.matrix else { return Ok(()) };
        if self.regularised > 0.0 {
            matrix.save_diagonal(&mut self.diagonal);
            matrix.regularise(self.regularised);
        }
        let clock = Instant::now();
        self.solver.factor(matrix)?;
        self.phases.factors += clock.elapsed();
        // Only a matrix that is positive definite has this factor.
        self.definite = self.projected == 0.0
            && self.regularised == 0.0
            && self.solver.name() == SolverName::Cholesky.name();
        self.stale = Some(problem.weights());
        Ok(())
    }

    /// r at y, with the pattern of y; the Jacobian too, in the same pass, where it will be wanted.
    pub(super) fn start(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
        with_jacobian: bool,
    ) -> Result<Evaluation, DynamicsError> {
        problem.follow_couplings(y)?;
        self.prepare(problem)?;
        self.counters.residuals += 1;
        self.assembled = None;
        let clock = Instant::now();
        let here = match &mut self.matrix {
            Some(matrix) if with_jacobian => {
                let here = problem.linearize(y, &mut self.r, matrix)?;
                self.assembled = Some(Assembled { part: 0.0, knows_other: false });
                self.diagonal.clear();
                here
            }
            _ => problem.residual(y, &mut self.r)?,
        };
        *if with_jacobian { &mut self.phases.jacobians } else { &mut self.phases.residuals } +=
            clock.elapsed();
        Ok(here)
    }

    /// J δ = −r with the Jacobian there is.
    pub(super) fn solve_linear(&mut self) -> Result<(), DynamicsError> {
        let Some(matrix) = &self.matrix else {
            return Err(DynamicsError::Unsupported("Newton: no pattern was analyzed".into()));
        };
        for (b, r) in self.right.iter_mut().zip(&self.r) {
            *b = -r;
        }
        self.delta.fill(0.0);
        let clock = Instant::now();
        let report = self.solver.solve(matrix, &self.right, &mut self.delta)?;
        self.phases.solves += clock.elapsed();
        self.counters.linear_iterations += report.iterations;
        self.linear_residual = report.relative_residual * norm(&self.right);
        Ok(())
    }

    /// A direction of descent at y with a Jacobian of y (or, where `keep`, the stale one).
    pub(super) fn direction(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
        keep: bool,
        has_energy: bool,
    ) -> Result<(), DynamicsError> {
        let mut tries = 0;
        let mut keep = keep;
        loop {
            self.definite = false;
            let made = if keep { Ok(()) } else { self.refresh(problem, y) };
            let outcome = made.and_then(|()| self.solve_linear());
            keep = false;
            let failure = match outcome {
                Ok(()) if !has_energy || dot(&self.r, &self.delta) < 0.0 => return Ok(()),
                Ok(()) => None,
                Err(DynamicsError::Linear(
                    cause @ (SolverError::NotPositiveDefinite { .. }
                    | SolverError::Singular { .. }
                    | SolverError::Indefinite { .. }
                    | SolverError::NotConverged { .. }),
                )) => Some(cause),
                Err(other) => return Err(other),
            };
            // From here on the Jacobian is the reason: make a better one.
            self.stale = None;
            if self.projected < 1.0 && self.settings.projection != Projection::Never {
                // As little as will do: the whole projection makes a body far too stiff that is about to
                // give way. Where there is but one iteration, what is safe.
                self.projected = match self.projected {
                    _ if self.settings.accept_last => 1.0,
                    0.0 => PROJECTION.0,
                    part => (PROJECTION.1 * part).min(1.0),
                };
                self.patience = PATIENCE;
                self.counters.jacobians_projected += 1;
            } else if tries < REGULARISATIONS && !self.settings.accept_last {
                self.regularise_more();
                tries += 1;
            } else {
                return match failure {
                    Some(cause) => Err(cause.into()),
                    None => Ok(()), // the line search has the last word
                };
            }
        }
    }

    /// Trusts the Jacobian less.
    pub(super) fn regularise_more(&mut self) {
        self.regularised = (self.regularised * REGULARISE.1).max(REGULARISE.0);
        if self.settings.projection != Projection::Never {
            self.projected = 1.0;
        }
        self.counters.jacobians_regularised += 1;
    }
}
