//! The iteration of Newton's method.

use std::time::Instant;

use pliant_forces::ForceError;
use pliant_solvers::sums::{norm, set_sum};

use super::jacobian::{PROJECTION, REGULARISATIONS, REGULARISE};
use super::{Converged, Forcing, Form, Newton, NewtonReport, Projection};
use crate::{DynamicsError, Evaluation, Iterate, Problem};

/// Iterations lost in rounding before it is enough.
const STALLED: usize = 2;

impl Newton {
    /// How well the next system is to be solved.
    fn forcing(&mut self, wanted: f64, before: &mut Option<(f64, f64)>, norm: f64) {
        let Form::Inexact(forcing) = self.settings.form else { return };
        let eta = match (forcing, *before) {
            (Forcing::Constant(eta), _) => eta,
            // The last solve tells how far the linear model can be trusted: to solve better than that is
            // wasted, to solve worse takes one more Jacobian.
            (Forcing::EisenstatWalker { largest, .. }, None) => {
                self.nonlinearity.map_or(largest, |part| part.min(largest))
            }
            (Forcing::EisenstatWalker { gamma, largest }, Some((norm_before, eta_before))) => {
                let ratio = norm / norm_before;
                let eta = gamma * ratio * ratio;
                let safeguard = gamma * eta_before * eta_before;
                if safeguard > 0.1 { eta.max(safeguard) } else { eta }.min(largest)
            }
        };
        // No better than what ends the iteration asks for.
        let eta = eta.max(0.5 * wanted / norm).clamp(1e-14, 0.9);
        *before = Some((norm, eta));
        self.solver.set_tolerance(eta);
    }

    /// What every solve begins with.
    pub(super) fn begin(&mut self, here: Evaluation) {
        let always = self.settings.projection == Projection::Always;
        self.projected = if always { 1.0 } else { 0.0 };
        (self.regularised, self.patience, self.stalled) = (0.0, 0, 0);
        self.definite = false;
        // With an energy, and if it may, Newton does better than to solve with an indefinite matrix.
        let mends = self.settings.projection != Projection::Never && !self.settings.accept_last;
        self.solver.wants_definite(mends && here.energy.is_some());
    }

    pub(super) fn run(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
    ) -> Result<NewtonReport, DynamicsError> {
        self.counters.solves += 1;
        self.history.clear();
        let slowest = match self.settings.form {
            Form::Simplified { slowest } => Some(slowest),
            _ => None,
        };
        // A Jacobian at the start is as good as certain to be wanted, unless a stale one serves or it is to be
        // projected; where the last solve had nothing to do, this one may have nothing to do either.
        let wanted = slowest.is_none() && self.settings.projection != Projection::Always;
        let mut here = self.start(problem, y, wanted && !self.idle)?;
        let mut size = norm(&self.r);
        self.history.push(size);
        self.watchdog.restart();
        self.begin(here);
        let (mut change, mut whole, mut slow, mut forced) = (f64::INFINITY, false, false, None);
        let mut iterations = 0;
        let rules = self.settings.stopping();
        loop {
            if iterations > 0 && problem.follow_couplings(y)? {
                // The same place with another pattern.
                self.prepare(problem)?;
                self.counters.residuals += 1;
                here = problem.residual(y, &mut self.r)?;
                size = norm(&self.r);
                self.watchdog.restart();
            }
            let wanted = rules.force(here.scale);
            let definite = self.definite.then_some(true);
            let report = |reason| NewtonReport {
                iterations,
                residual: size,
                scale: here.scale,
                reason,
                definite,
            };
            let iterate = Iterate {
                residual: size,
                scale: here.scale,
                correction: change,
                whole,
                rows: here.rows,
            };
            if let Some(reason) = problem.solved(&rules, &iterate) {
                self.idle = iterations == 0;
                return Ok(report(reason));
            }
            if self.stalled >= STALLED {
                return Ok(report(Converged::Rounding));
            }
            if iterations >= self.settings.max_iterations {
                if self.settings.accept_last {
                    return Ok(report(Converged::Accepted));
                }
                let (residual, scale) = (size, here.scale);
                self.stale = None;
                return Err(DynamicsError::NotConverged {
                    iterations,
                    residual,
                    wanted,
                    scale,
                    change,
                });
            }
            iterations += 1;
            self.counters.iterations += 1;
            if here.energy.is_none() && self.settings.line_search {
                (here, size) = self.watchdog.look(y, &mut self.r, here, size);
            }
            let fits = self.stale == Some(problem.weights());
            let mut keep = slowest.is_some() && fits && !slow;
            if slowest.is_some() && !keep {
                *if fits {
                    &mut self.counters.jacobians_slow
                } else {
                    &mut self.counters.jacobians_first
                } += 1;
            }
            self.forcing(wanted, &mut forced, size);
            let mut tries = 0;
            let (next, length) = loop {
                match self.direction(problem, y, keep, here.energy.is_some()) {
                    // Where full steps have led there may be no way on.
                    Err(DynamicsError::Linear(_)) if self.watchdog.call_back() => {
                        (here, size) = self.watchdog.look(y, &mut self.r, here, size);
                        keep = false;
                        continue;
                    }
                    other => other?,
                }
                if !keep {
                    match self.advance(problem, y, here, size, iterations, wanted) {
                        Err(DynamicsError::Stuck { .. }) if tries < REGULARISATIONS => {
                            tries += 1;
                            self.regularise_more();
                            continue;
                        }
                        outcome => break outcome?,
                    }
                }
                // A stale Jacobian has one try; where it does harm, or leads too far, a new one is made here.
                if problem.admissible(y, &self.delta, 1.0)? < 1.0 {
                    keep = false;
                    self.counters.jacobians_worse += 1;
                    continue;
                }
                match self.trial(problem, y, 1.0) {
                    Ok(next) if norm(&self.next_r) < size => break (next, 1.0),
                    Ok(_) | Err(ForceError::Inverted { .. }) => {
                        keep = false;
                        self.counters.jacobians_worse += 1;
                    }
                    Err(other) => return Err(other.into()),
                }
            };
            y.copy_from_slice(&self.next);
            self.assembled = None;
            std::mem::swap(&mut self.r, &mut self.next_r);
            here = next;
            let before = std::mem::replace(&mut size, norm(&self.r));
            self.history.push(size);
            if iterations == 1 && length == 1.0 && self.regularised == 0.0 {
                self.nonlinearity = Some((size - self.linear_residual).abs() / before);
            }
            // What regularisation holds back, or a line search cuts short, tells nothing about how near the
            // end is.
            let now = match length {
                _ if self.regularised > 0.0 => f64::INFINITY,
                0.0 => 0.0,
                _ => problem.longest_move(y, &self.delta),
            };
            slow = slowest.is_some_and(|slowest| now > slowest * change);
            // Nothing is cut short where nothing is left.
            (change, whole) = (now, length >= 1.0 || now == 0.0);
            self.patience = self.patience.saturating_sub(1);
            if self.patience == 0 && self.settings.projection != Projection::Always {
                self.projected *= 0.5;
                if self.projected < 0.5 * PROJECTION.0 {
                    self.projected = 0.0;
                }
            }
            if length >= 1.0 {
                self.regularised = if self.regularised > REGULARISE.0 {
                    self.regularised / REGULARISE.1
                } else {
                    0.0
                };
            }
        }
    }

    /// r at y + α δ.
    pub(super) fn trial(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
        alpha: f64,
    ) -> Result<Evaluation, ForceError> {
        set_sum(&mut self.next, y, alpha, &self.delta);
        self.counters.residuals += 1;
        let clock = Instant::now();
        let found = problem.residual(&self.next, &mut self.next_r);
        self.phases.residuals += clock.elapsed();
        found
    }
}
