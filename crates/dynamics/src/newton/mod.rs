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

use pliant_algebra::sparse::{Block, BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;
use pliant_sections::Sections;
use pliant_solvers::{LinearSolver, SolverError};

use self::watchdog::Watchdog;
use crate::linear::analyze;
use crate::vector::{dot, largest, norm, set_sum};
use crate::{DynamicsError, Evaluation, Iterate, NonlinearSolver, Problem};

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
    /// How much of the projection there is to be in the Jacobian, 0 to 1.
    projected: f64,
    /// What the matrix holds, while y stays where it is.
    assembled: Option<Assembled>,
    /// The projected Jacobian, where a part is taken of each.
    other: Option<BlockMatrix>,
    /// The diagonal before it was raised.
    diagonal: Vec<Block>,
    /// Iterations to go before less of it is tried.
    patience: usize,
    raised: f64,
    /// Iterations in a row that were lost in rounding.
    stalled: usize,
    /// Whether the last solve began where it ended.
    idle: bool,
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

/// What the matrix of a solver holds at the present y, besides a raise of its diagonal.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Assembled {
    /// How much of the projection is in it.
    part: f64,
    /// Whether `other` holds all of the projection.
    knows_other: bool,
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
            assembled: None,
            other: None,
            diagonal: Vec::new(),
            patience: 0,
            raised: 0.0,
            stalled: 0,
            idle: false,
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
        self.prepare_for(problem.pattern(), problem.positions())
    }

    fn prepare_for(
        &mut self,
        pattern: &Arc<Pattern>,
        positions: &[Vec3],
    ) -> Result<(), DynamicsError> {
        if self.analyzed.as_ref().is_some_and(|p| Arc::ptr_eq(p, pattern)) {
            return Ok(());
        }
        self.matrix = Some(analyze(&mut *self.solver, pattern, positions)?);
        (self.other, self.assembled) = (None, None);
        self.diagonal.clear();
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

    /// Brings the matrix to the Jacobian at y with the part of the projection that is wanted, and no raise.
    /// What is known at this y is not assembled again.
    fn assemble(&mut self, problem: &mut dyn Problem, y: &[Vec3]) -> Result<(), DynamicsError> {
        let Some(matrix) = &mut self.matrix else {
            return Err(DynamicsError::Unsupported("Newton: no pattern was analyzed".into()));
        };
        let part = self.projected;
        if let Some(Assembled { part: there, knows_other }) = self.assembled {
            for (i, block) in self.diagonal.drain(..).enumerate() {
                put_diagonal(matrix, i, block);
            }
            if there == part {
                return Ok(());
            }
            if there == 0.0 || knows_other {
                self.assembled = None;
                let other =
                    self.other.get_or_insert_with(|| BlockMatrix::zero(matrix.pattern().clone()));
                if !knows_other {
                    problem.jacobian(y, true, other)?;
                }
                // K + p (P − K) for another p, from what it is for the present one.
                let change = (part - there) / (1.0 - there);
                let (to, from) = (&mut matrix.values, &other.values);
                for (to, from) in to.as_flattened_mut().iter_mut().zip(from.as_flattened()) {
                    *to += change * (from - *to);
                }
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
    fn refresh(&mut self, problem: &mut dyn Problem, y: &[Vec3]) -> Result<(), DynamicsError> {
        self.kept = None;
        self.counters.jacobians += 1;
        let clock = Instant::now();
        self.assemble(problem, y)?;
        self.phases.jacobians += clock.elapsed();
        let Some(matrix) = &mut self.matrix else { return Ok(()) };
        if self.raised > 0.0 {
            self.diagonal.extend(matrix.diagonal());
            raise(matrix, self.raised);
        }
        let clock = Instant::now();
        self.solver.factor(matrix)?;
        self.phases.factors += clock.elapsed();
        self.kept = Some(problem.kind());
        Ok(())
    }

    /// r at y, with the pattern of y; the Jacobian too, in the same pass, where it will be wanted.
    fn start(
        &mut self,
        problem: &mut dyn Problem,
        y: &[Vec3],
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
        self.counters.solves += 1;
        self.history.clear();
        let slowest = match self.settings.form {
            Form::Simplified { slowest } => Some(slowest),
            _ => None,
        };
        // A Jacobian at the start is as good as certain to be wanted, unless one is kept or it is to be
        // projected; where the last solve had nothing to do, this one may have nothing to do either.
        let wanted = slowest.is_none() && self.settings.projection != Projection::Always;
        let mut here = self.start(problem, y, wanted && !self.idle)?;
        let mut size = norm(&self.r);
        self.history.push(size);
        self.watchdog.restart();
        self.begin(here);
        let (mut change, mut slow, mut forced) = (f64::INFINITY, false, None);
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
            let report =
                |reason| NewtonReport { iterations, residual: size, scale: here.scale, reason };
            let iterate =
                Iterate { residual: size, scale: here.scale, correction: change, rows: here.rows };
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
                // A kept Jacobian has one try; where it does harm, or leads too far, a new one is made here.
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
        let outcome = self.run(problem, y);
        // The next solve is at another place, or at another time.
        self.assembled = None;
        outcome
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

    fn save(&self, to: &mut Sections) {
        let mut section = to.write("newton");
        section.flag(self.analyzed.is_some()).flag(self.idle).maybe_number(self.nonlinearity);
        // Other forms make a Jacobian for every iteration.
        let simplified = matches!(self.settings.form, Form::Simplified { .. });
        let kept = self.kept.zip(self.matrix.as_ref()).filter(|_| simplified);
        section.flag(kept.is_some());
        if let Some((weights, matrix)) = kept {
            section.numbers(weights).vectors(&matrix.values);
        }
        if self.analyzed.is_some() {
            self.solver.save(to);
        }
    }

    fn load(
        &mut self,
        from: &Sections,
        pattern: &Arc<Pattern>,
        positions: &[Vec3],
    ) -> Result<(), DynamicsError> {
        self.forget();
        let mut section = from.read("newton")?;
        let analyzed = section.flag()?;
        self.idle = section.flag()?;
        self.nonlinearity = section.maybe_number()?;
        let kept = section.flag()?;
        if !analyzed {
            return Ok(section.finish()?);
        }
        self.prepare_for(pattern, positions)?;
        let weights = if kept { Some(section.numbers()?) } else { None };
        if let Some(matrix) = self.matrix.as_mut().filter(|_| kept) {
            matrix.values = section.vectors_of(matrix.values.len())?;
        }
        section.finish()?;
        self.solver.load(from, self.matrix.as_ref().filter(|_| kept))?;
        self.kept = weights;
        Ok(())
    }

    fn forget(&mut self) {
        // The linear solver is set up anew too: it may keep a factor of its own.
        (self.analyzed, self.kept, self.nonlinearity) = (None, None, None);
        self.idle = false;
    }
}

/// Puts a diagonal block back.
fn put_diagonal(matrix: &mut BlockMatrix, i: usize, block: Block) {
    if let Some(slot) = matrix.pattern().slot(i as u32, i as u32) {
        matrix.values[slot.index() as usize] = block;
    }
}

/// Raises the diagonal of each vertex by `part` of its mean.
fn raise(matrix: &mut BlockMatrix, part: f64) {
    for i in 0..matrix.rows() as u32 {
        let Some(slot) = matrix.pattern().slot(i, i) else { continue };
        let block = &mut matrix.values[slot.index() as usize];
        let mean = part * (block[0].abs() + block[4].abs() + block[8].abs()) / 3.0;
        for k in [0, 4, 8] {
            block[k] += mean;
        }
    }
}
