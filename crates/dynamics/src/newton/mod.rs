//! [`Newton`]: full, simplified and inexact Newton for r(y) = 0.
//!
//! - **full**: a Jacobian for every iteration;
//! - **simplified**: a Jacobian is kept, also from solve to solve, as long as the contraction
//!   Θ = |δₖ| / |δₖ₋₁| stays small (Hairer and Wanner, Solving ODEs II, IV.8);
//! - **inexact**: linear systems are solved only as well as r is worth it (Eisenstat and Walker 1996).
//!
//! Steps are shortened on the energy where there is one, and where an element would invert. Without an
//! energy |r| is watched instead ([`Watchdog`]): it may rise for a few full steps, as it does where a body is
//! hardly compressible, before the iteration goes back and shortens its steps. The stiffness is projected to positive semi-definite only once a direction fails to descend
//! or a factorisation fails, until full steps succeed again; if that is not enough, or if no part of the
//! step is any good, the diagonal is raised (Levenberg 1944, Marquardt 1963) until directions are short and
//! downhill, and lowered again by full steps.

mod advance;
mod lead;
mod report;
mod settings;
mod watchdog;

pub use report::{Converged, Counters, NewtonReport, Phases};
pub use settings::{Forcing, Form, NewtonSettings, Projection};

use std::sync::Arc;
use std::time::Instant;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;
use pliant_solvers::{LinearSolver, SolverError};

use self::watchdog::Watchdog;
use crate::linear::analyze;
use crate::vector::{dot, largest, norm, set_sum};
use crate::{DynamicsError, Evaluation, NonlinearSolver, Problem};

/// The solver, with its memory.
pub struct Newton {
    settings: NewtonSettings,
    solver: Box<dyn LinearSolver>,
    counters: Counters,
    phases: Phases,
    /// |r| at the start and after each iteration of the last solve, N.
    history: Vec<f64>,
    analyzed: Option<Arc<Pattern>>,
    matrix: Option<BlockMatrix>,
    /// What the kept Jacobian was made for.
    kept: Option<[f64; 3]>,
    /// How much of the projection there is in the Jacobian, 0 to 1.
    projected: f64,
    /// The other Jacobian, where a part is taken of each.
    other: Option<BlockMatrix>,
    /// Iterations to go before less of it is tried.
    patience: usize,
    raised: f64,
    /// Iterations in a row that were lost in rounding.
    stalled: usize,
    /// By how much the last first step missed what the linear model promised, relative to |r| before it.
    nonlinearity: Option<f64>,
    /// |r + J δ| of the last linear solve, N.
    linear_residual: f64,
    r: Vec<Vec3>,
    right: Vec<Vec3>,
    delta: Vec<Vec3>,
    next: Vec<Vec3>,
    next_r: Vec<Vec3>,
    watchdog: Watchdog,
}

/// The first raise of the diagonal, relative to it, and its growth.
const RAISE: (f64, f64) = (1e-4, 30.0);
/// The first part of the projection that is tried, and its growth.
const PROJECTION: (f64, f64) = (0.0625, 4.0);
/// Iterations before less of it is tried.
const PATIENCE: usize = 3;
/// Iterations lost in rounding before it is enough.
const STALLED: usize = 2;
/// Raises before giving up.
const RAISES: usize = 8;

impl Newton {
    /// With a linear solver.
    pub fn new(
        settings: NewtonSettings,
        solver: Box<dyn LinearSolver>,
    ) -> Result<Self, DynamicsError> {
        settings.check()?;
        Ok(Self {
            settings,
            solver,
            counters: Counters::default(),
            phases: Phases::default(),
            history: Vec::new(),
            analyzed: None,
            matrix: None,
            kept: None,
            projected: 0.0,
            other: None,
            patience: 0,
            raised: 0.0,
            stalled: 0,
            nonlinearity: None,
            linear_residual: 0.0,
            r: Vec::new(),
            right: Vec::new(),
            delta: Vec::new(),
            next: Vec::new(),
            next_r: Vec::new(),
            watchdog: Watchdog::default(),
        })
    }

    /// The settings.
    pub fn settings(&self) -> &NewtonSettings {
        &self.settings
    }

    /// The linear solver.
    pub fn linear_solver(&self) -> &dyn LinearSolver {
        &*self.solver
    }

    /// Takes in the pattern of a problem, once.
    fn prepare(&mut self, problem: &dyn Problem) -> Result<(), DynamicsError> {
        let pattern = problem.pattern();
        if self.analyzed.as_ref().is_some_and(|p| Arc::ptr_eq(p, pattern)) {
            return Ok(());
        }
        self.matrix = Some(analyze(&mut *self.solver, pattern, problem.positions())?);
        self.other = None;
        self.kept = None;
        self.history.reserve(self.settings.max_iterations + 1);
        for list in
            [&mut self.r, &mut self.right, &mut self.delta, &mut self.next, &mut self.next_r]
        {
            list.clear();
            list.resize(pattern.rows(), [0.0; 3]);
        }
        self.analyzed = Some(pattern.clone());
        Ok(())
    }

    /// Makes and factors the Jacobian at y.
    fn refresh(&mut self, problem: &mut dyn Problem, y: &[Vec3]) -> Result<(), DynamicsError> {
        self.kept = None;
        let Some(matrix) = &mut self.matrix else {
            return Err(DynamicsError::Unsupported("Newton: no pattern was analyzed".into()));
        };
        self.counters.jacobians += 1;
        let clock = Instant::now();
        let part = self.projected;
        problem.jacobian(y, part == 1.0, matrix)?;
        if part > 0.0 && part < 1.0 {
            let other =
                self.other.get_or_insert_with(|| BlockMatrix::zero(matrix.pattern().clone()));
            problem.jacobian(y, true, other)?;
            for (to, from) in matrix.values.iter_mut().zip(&other.values) {
                for (to, from) in to.iter_mut().zip(from) {
                    *to += part * (from - *to);
                }
            }
        }
        self.phases.jacobians += clock.elapsed();
        if self.raised > 0.0 {
            raise(matrix, self.raised);
        }
        let clock = Instant::now();
        self.solver.factor(matrix)?;
        self.phases.factors += clock.elapsed();
        self.kept = Some(problem.kind());
        Ok(())
    }

    /// J δ = −r with the Jacobian there is.
    fn solve_linear(&mut self) -> Result<(), DynamicsError> {
        let Some(matrix) = &self.matrix else {
            return Err(DynamicsError::Unsupported("Newton: no pattern was analyzed".into()));
        };
        for (b, r) in self.right.iter_mut().zip(&self.r) {
            *b = r.map(|r| -r);
        }
        self.delta.fill([0.0; 3]);
        let clock = Instant::now();
        let report = self.solver.solve(matrix, &self.right, &mut self.delta)?;
        self.phases.solves += clock.elapsed();
        self.counters.linear_iterations += report.iterations;
        self.linear_residual = report.relative_residual * norm(&self.right);
        Ok(())
    }

    /// A direction of descent at y with a Jacobian of y (or, where `keep`, the kept one).
    fn direction(
        &mut self,
        problem: &mut dyn Problem,
        y: &[Vec3],
        keep: bool,
        has_energy: bool,
    ) -> Result<(), DynamicsError> {
        let mut raises = 0;
        let mut keep = keep;
        loop {
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
            self.kept = None;
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
            } else if raises < RAISES && !self.settings.accept_last {
                self.raise_more();
                raises += 1;
            } else {
                return match failure {
                    Some(cause) => Err(cause.into()),
                    None => Ok(()), // the line search has the last word
                };
            }
        }
    }

    /// Trusts the Jacobian less.
    fn raise_more(&mut self) {
        self.raised = (self.raised * RAISE.1).max(RAISE.0);
        if self.settings.projection != Projection::Never {
            self.projected = 1.0;
        }
        self.counters.jacobians_raised += 1;
    }

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
    fn begin(&mut self, here: Evaluation) {
        let always = self.settings.projection == Projection::Always;
        self.projected = if always { 1.0 } else { 0.0 };
        (self.raised, self.patience, self.stalled) = (0.0, 0, 0);
        // With an energy, and if it may, Newton does better than to solve with an indefinite matrix.
        let mends = self.settings.projection != Projection::Never && !self.settings.accept_last;
        self.solver.wants_definite(mends && here.energy.is_some());
    }

    fn run(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [Vec3],
    ) -> Result<NewtonReport, DynamicsError> {
        self.prepare(problem)?;
        self.counters.solves += 1;
        self.history.clear();
        let slowest = match self.settings.form {
            Form::Simplified { slowest } => Some(slowest),
            _ => None,
        };
        self.counters.residuals += 1;
        let clock = Instant::now();
        let mut here = problem.residual(y, &mut self.r)?;
        self.phases.residuals += clock.elapsed();
        let mut size = norm(&self.r);
        self.history.push(size);
        self.watchdog.restart();
        self.begin(here);
        let (mut change, mut slow, mut forced) = (f64::INFINITY, false, None);
        let mut iterations = 0;
        loop {
            let wanted = self.settings.force_tolerance * here.scale;
            let report =
                |reason| NewtonReport { iterations, residual: size, scale: here.scale, reason };
            if size <= wanted {
                return Ok(report(Converged::Force));
            }
            if change <= self.settings.displacement_tolerance * problem.size() {
                return Ok(report(Converged::Displacement));
            }
            if self.stalled >= STALLED {
                return Ok(report(Converged::Rounding));
            }
            if iterations >= self.settings.max_iterations {
                if self.settings.accept_last {
                    return Ok(report(Converged::Accepted));
                }
                let (residual, scale) = (size, here.scale);
                self.kept = None;
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
            let fits = self.kept == Some(problem.kind());
            let mut keep = slowest.is_some() && fits && !slow;
            if slowest.is_some() && !keep {
                *if fits {
                    &mut self.counters.jacobians_slow
                } else {
                    &mut self.counters.jacobians_first
                } += 1;
            }
            self.forcing(wanted, &mut forced, size);
            let mut raises = 0;
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
                        Err(DynamicsError::Stuck { .. }) if raises < RAISES => {
                            raises += 1;
                            self.raise_more();
                            continue;
                        }
                        outcome => break outcome?,
                    }
                }
                // A kept Jacobian has one try; where it does harm, a new one is made here.
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
            std::mem::swap(&mut self.r, &mut self.next_r);
            here = next;
            let before = std::mem::replace(&mut size, norm(&self.r));
            self.history.push(size);
            if iterations == 1 && length == 1.0 && self.raised == 0.0 {
                self.nonlinearity = Some((size - self.linear_residual).abs() / before);
            }
            // What a raised diagonal holds back, or a line search cuts short, tells nothing about how near the
            // end is.
            let now = match length {
                _ if self.raised > 0.0 => f64::INFINITY,
                0.0 => 0.0,
                _ => largest(&self.delta),
            };
            slow = slowest.is_some_and(|slowest| now > slowest * change);
            change = now;
            self.patience = self.patience.saturating_sub(1);
            if self.patience == 0 && self.settings.projection != Projection::Always {
                self.projected *= 0.5;
                if self.projected < 0.5 * PROJECTION.0 {
                    self.projected = 0.0;
                }
            }
            if length >= 1.0 {
                self.raised = if self.raised > RAISE.0 { self.raised / RAISE.1 } else { 0.0 };
            }
        }
    }

    /// r at y + α δ.
    fn trial(
        &mut self,
        problem: &mut dyn Problem,
        y: &[Vec3],
        alpha: f64,
    ) -> Result<Evaluation, ForceError> {
        set_sum(&mut self.next, y, &self.delta, alpha);
        self.counters.residuals += 1;
        let clock = Instant::now();
        let found = problem.residual(&self.next, &mut self.next_r);
        self.phases.residuals += clock.elapsed();
        found
    }
}

impl NonlinearSolver for Newton {
    fn solve(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [Vec3],
    ) -> Result<NewtonReport, DynamicsError> {
        self.run(problem, y)
    }

    fn lead(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [Vec3],
        way: &[Vec3],
    ) -> Result<(), DynamicsError> {
        self.follow(problem, y, way)
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn phases(&self) -> Phases {
        self.phases
    }

    fn history(&self) -> &[f64] {
        &self.history
    }

    fn forget(&mut self) {
        // The linear solver is set up anew too: it may keep a factor of its own.
        (self.analyzed, self.kept, self.nonlinearity) = (None, None, None);
    }
}

/// Raises the diagonal of each vertex by `part` of its mean.
fn raise(matrix: &mut BlockMatrix, part: f64) {
    for i in 0..matrix.rows() as u32 {
        let Some((slot, _)) = matrix.pattern().slot(i, i) else { continue };
        let block = &mut matrix.values[slot as usize];
        let mean = part * (block[0].abs() + block[4].abs() + block[8].abs()) / 3.0;
        for k in [0, 4, 8] {
            block[k] += mean;
        }
    }
}
