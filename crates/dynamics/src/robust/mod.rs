//! [`Robust`]: a way to rest from any start, tangled ones included.
//!
//! Newton's method finds a state of rest near its start, and where elements are inverted at the start that is as a rule
//! a tangled one. A body that moves and loses its energy slowly finds its way out, the surer the less it is damped. So:
//!
//! 1. where no point is inverted at the start, Newton's method is tried first;
//! 2. else, and where that fails or ends tangled, the body is let go under its full load with damping, and Newton's method
//!    finds the end;
//! 3. where that end is tangled, crushed or not stable, the body is let go once more from the same start, pushed a little to
//!    another side, up to [`RobustSettings::rounds`] times. Of four rounds the first two let an easier law stand in for that of the
//!    body, `stable-neo-hookean` of the same shear modulus with a Poisson's ratio of 0.3, until the body has come to rest with
//!    it; from there Newton's method goes on with the law itself. A body that hardly changes its volume, or whose
//!    continuation to inverted elements has minima of its own, is stuck where that one is not. The third round takes
//!    explicit steps with damping η M, which solve no equations, so that kinks of an energy do not trouble them (that of a
//!    corotated body has some where σ₂ = −σ₃); the fourth takes steps of backward Euler, which do not mind how stiff a body is
//!    against changes of its volume. The next four have half the damping. Where no law can stand in there are only
//!    the latter two, by turns;
//! 4. an end that stores energy is an answer only once two rounds have found none that stores less: a body may come to rest
//!    upright and stable, but turned about itself.
//!
//! Masses are those with which an explicit step of about 1 is stable for every vertex of the body at rest, and the first η is
//! the slowest frequency ω₁ of the body with these masses, which is half of what damps that mode critically; a round lasts 20/η,
//! in which amplitudes fall by e⁻¹⁰. An explicit step is no longer than what Gershgorin's bound of the present stiffness allows,
//! takes no vertex further than a part of an edge, and is taken back with those before it where energy grows.
//! Implicit steps are 0.045/ω₁ long at first.

mod found;
mod motion;

use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::sums::{self, add_scaled};
use pliant_solvers::{LinearSolver, SolverError, SolverName, SolverUse};

use self::found::Found;
use self::motion::kinetic;
use crate::dynamic_relaxation::row_sums;
use crate::newton::{Counters, Newton, NewtonReport, NewtonSettings, Phases};
use crate::problem::{Tangled, blocks_of};
use crate::{DynamicsError, NonlinearSolver, Problem};

/// Settings of [`Robust`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RobustSettings {
    /// How often the body is let go, with half the damping every fourth time.
    pub rounds: usize,
    /// Explicit and implicit steps of a solve, all rounds together.
    pub max_steps: usize,
}

impl Default for RobustSettings {
    fn default() -> Self {
        Self { rounds: 10, max_steps: 200_000 }
    }
}

/// The solver, with its memory.
pub struct Robust {
    settings: RobustSettings,
    newton: Newton,
    /// For implicit steps.
    stepper: Newton,
    /// For the slowest frequency.
    linear: Box<dyn LinearSolver>,
    counters: Counters,
    history: Vec<f64>,
    matrix: Option<Matrix>,
    masses: Vec<f64>,
    rows: Vec<f64>,
    r: Vec<f64>,
    v: Vec<f64>,
    start: Vec<f64>,
    best: Vec<f64>,
    /// Positions, velocities and forces to go back to.
    back: [Vec<f64>; 3],
}

/// The first implicit step, in units of 1/ω₁, and how many there are; half as long and twice as many every round.
const IMPLICIT: (f64, usize) = (0.045, 120);
/// How far vertices are pushed before they are let go, in edges.
const PUSH: f64 = 0.02;
/// Iterations for the slowest frequency, and what bounds it: masses make the fastest one 2.
const INVERSE: usize = 8;
const FREQUENCIES: (f64, f64) = (1e-4, 0.5);

impl Robust {
    /// With settings, and with the linear solvers of Newton's method, of implicit steps and of the slowest frequency.
    pub fn new(
        settings: RobustSettings,
        newton: NewtonSettings,
        solvers: [Box<dyn LinearSolver>; 3],
    ) -> Result<Self, DynamicsError> {
        for (what, count) in [("rounds", settings.rounds), ("steps", settings.max_steps)] {
            if count == 0 {
                return Err(DynamicsError::Setting { what, found: 0.0, accepted: "at least 1" });
            }
        }
        let [of_newton, of_steps, linear] = solvers;
        let roughly = NewtonSettings {
            force_tolerance: 1e-3,
            max_iterations: 200,
            ..NewtonSettings::default()
        };
        Ok(Self {
            settings,
            newton: Newton::new(newton, of_newton)?,
            stepper: Newton::new(roughly, of_steps)?,
            linear,
            counters: Counters::default(),
            history: Vec::new(),
            matrix: None,
            masses: Vec::new(),
            rows: Vec::new(),
            r: Vec::new(),
            v: Vec::new(),
            start: Vec::new(),
            best: Vec::new(),
            back: Default::default(),
        })
    }

    /// A matrix for the next tangent, which the linear solver knows the shape of.
    fn room(&mut self, body: &dyn Tangled) -> Result<&mut Matrix, DynamicsError> {
        self.counters.jacobians += 1;
        let shape = body.shape();
        Ok(match self.matrix.take() {
            Some(m) if m.shape().same(&shape) => self.matrix.insert(m),
            _ => {
                self.linear.analyze(&shape, body.positions())?;
                self.matrix.insert(Matrix::zero(&shape))
            }
        })
    }

    /// Masses of the body at rest, and its slowest frequency with them.
    fn measure(&mut self, body: &mut dyn Tangled) -> Result<f64, DynamicsError> {
        let matrix = self.room(body)?;
        body.rest_jacobian(matrix)?;
        if let Some(matrix) = &mut self.matrix {
            row_sums(blocks_of(matrix)?, &mut self.rows);
        }
        for (m, row) in self.masses.iter_mut().zip(&self.rows) {
            *m = (0.25 * row).max(f64::MIN_POSITIVE);
        }
        let square = self.slowest(body).unwrap_or(0.0);
        let usual = FREQUENCIES.0.max(0.2 / (self.masses.len() as f64).cbrt());
        let omega = if square > 0.0 { square.sqrt() } else { usual };
        Ok(omega.clamp(FREQUENCIES.0, FREQUENCIES.1))
    }

    /// λ₁ of K x = λ M x by inverse iteration; none where K of the body at rest has no inverse.
    fn slowest(&mut self, body: &dyn Tangled) -> Option<f64> {
        let matrix = self.matrix.as_ref()?;
        self.linear.factor(matrix).ok()?;
        self.linear.set_tolerance(1e-4);
        push(&mut self.r, 0, 1.0);
        body.filter(&mut self.r);
        let mut square = None;
        for _ in 0..INVERSE {
            let (x, masses) = (self.r.as_chunks_mut::<3>().0, &self.masses);
            for (x, m) in x.iter_mut().zip(masses) {
                *x = x.map(|c| c * m);
            }
            self.v.fill(0.0);
            self.linear.solve(matrix, &self.r, &mut self.v).ok()?;
            // Held parts have no stiffness of their own.
            body.filter(&mut self.v);
            let stiff = sums::dot(&self.r, &self.v);
            let inert = kinetic(&self.v, &self.masses);
            if !(stiff > 0.0 && inert > 0.0) {
                return None;
            }
            square = Some(stiff / inert);
            let size = 1.0 / inert.sqrt();
            set_scaled(&mut self.r, size, &self.v);
        }
        square
    }

    /// Whether the tangent at y is positive definite, where the linear solver can tell.
    fn is_definite(
        &mut self,
        body: &mut dyn Tangled,
        y: &[f64],
    ) -> Result<Option<bool>, DynamicsError> {
        let matrix = self.room(body)?;
        body.jacobian(y, false, matrix)?;
        let Self { linear, matrix: Some(matrix), .. } = self else { return Ok(None) };
        linear.wants_definite(true);
        Ok(match linear.factor(matrix) {
            Ok(()) if linear.name() == SolverName::Cholesky.name() => Some(true),
            Err(SolverError::NotPositiveDefinite { .. }) => Some(false),
            _ => None,
        })
    }

    /// Newton's method from y, and what it came to.
    fn end(&mut self, body: &mut dyn Tangled, y: &mut [f64]) -> Result<Found, DynamicsError> {
        let mut report = self.newton.solve(body, y)?;
        self.history.extend_from_slice(self.newton.history());
        if report.definite.is_none() {
            report.definite = self.is_definite(body, y)?;
        }
        let seen = body.inspect(y)?;
        let energy = body.residual(y, &mut self.r)?.energy.map(|(energy, _)| energy);
        Ok(Found { report, seen, energy })
    }

    fn run(
        &mut self,
        body: &mut dyn Tangled,
        y: &mut [f64],
    ) -> Result<NewtonReport, DynamicsError> {
        let Shape::Blocks(pattern) = body.shape() else { return Err(unsupported()) };
        for list in [&mut self.r, &mut self.v, &mut self.start, &mut self.best] {
            list.clear();
            list.resize(y.len(), 0.0);
        }
        for list in [&mut self.masses, &mut self.rows] {
            list.clear();
            list.resize(pattern.rows(), 0.0);
        }
        for list in &mut self.back {
            list.clear();
            list.resize(y.len(), 0.0);
        }
        self.history.clear();
        self.counters.solves += 1;
        self.start.copy_from_slice(y);
        // A start outside of the domain of a law is an error at once.
        let at_start = body.residual(y, &mut self.r)?;
        let inverted = body.inspect(y)?.is_some_and(|seen| seen.inverted > 0);
        let mut best: Option<Found> = None;
        let mut cause = None;
        let mut rounds = 0;
        if !inverted {
            match self.end(body, y) {
                Ok(found) if found.is_clean() => return Ok(found.report),
                Ok(found) => self.keep(&mut best, found, y),
                Err(error) => cause = Some(error),
            }
        }
        let mut steps = self.settings.max_steps;
        while rounds < self.settings.rounds && steps > 0 {
            y.copy_from_slice(&self.start);
            if inverted || rounds > 0 {
                push(&mut self.v, rounds as u64 + 1, PUSH * edge(body));
                body.filter(&mut self.v);
                add_scaled(y, 1.0, &self.v);
            }
            let moved = self.round(body, y, rounds, &mut steps);
            body.stand_in(false);
            rounds += 1;
            match moved.and_then(|()| self.end(body, y)) {
                Ok(found) if found.is_answer(best.as_ref(), at_start.energy) => {
                    return Ok(found.report);
                }
                Ok(found) => self.keep(&mut best, found, y),
                Err(error) => cause = Some(error),
            }
        }
        y.copy_from_slice(if best.is_some() { &self.best } else { &self.start });
        match (best, cause) {
            (Some(found), _) if !found.inverted() => Ok(found.report),
            (Some(Found { seen, .. }), _) => {
                let seen = seen.unwrap_or_default();
                let (inverted, min_j, cause) = (seen.inverted, seen.min_j, None);
                Err(DynamicsError::Tangled { rounds, inverted, min_j, cause })
            }
            (None, cause) => {
                let seen = body.inspect(y)?.unwrap_or_default();
                let (inverted, min_j, cause) = (seen.inverted, seen.min_j, cause.map(Box::new));
                Err(DynamicsError::Tangled { rounds, inverted, min_j, cause })
            }
        }
    }

    /// Lets the body go from y, in the way of this round. An easier law may stand in for that of the body afterwards.
    fn round(
        &mut self,
        body: &mut dyn Tangled,
        y: &mut [f64],
        round: usize,
        steps: &mut usize,
    ) -> Result<(), DynamicsError> {
        let stands_in = body.stand_in(true);
        let level = (if stands_in { round / 4 } else { round / 2 }) as i32;
        let gentle = 0.5_f64.powi(level);
        if stands_in && round % 4 < 2 {
            let slowest = self.measure(body)?;
            self.let_go(body, y, gentle * slowest, steps)?;
            // Where it is not quite at rest the law itself goes on from there.
            return match self.stepper.solve(body, y) {
                Ok(_) | Err(DynamicsError::NotConverged { .. } | DynamicsError::Stuck { .. }) => {
                    Ok(())
                }
                Err(other) => Err(other),
            };
        }
        body.stand_in(false);
        let slowest = self.measure(body)?;
        if round.is_multiple_of(2) {
            return self.let_go(body, y, gentle * slowest, steps);
        }
        let (h, count) = IMPLICIT;
        self.let_go_implicitly(body, y, (gentle * h / slowest, count << level), steps)
    }

    /// Keeps the better one of two ends.
    fn keep(&mut self, best: &mut Option<Found>, found: Found, y: &[f64]) {
        if best.as_ref().is_none_or(|best| found.better_than(best)) {
            self.best.copy_from_slice(y);
            *best = Some(found);
        }
    }
}

fn unsupported() -> DynamicsError {
    DynamicsError::Unsupported(
        "robust finds states of rest of bodies whose vertices move one by one, not of reduced bodies or rigid parts, and not the end of a time step: take newton".into(),
    )
}

/// The length of an edge, m, as if vertices were spread evenly.
fn edge(body: &dyn Tangled) -> f64 {
    let vertices = body.shape().size() as f64 / 3.0;
    0.6 * body.size() / vertices.max(1.0).cbrt()
}

fn set_scaled(to: &mut [f64], s: f64, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = s * from;
    }
}

/// Numbers between −size and size that look random and are the same on every run (splitmix64 of place and round).
fn push(to: &mut [f64], round: u64, size: f64) {
    for (i, to) in to.iter_mut().enumerate() {
        let mut z = (round << 40).wrapping_add(i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64;
        *to = size * (unit - 1.0);
    }
}

impl NonlinearSolver for Robust {
    fn solve(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
    ) -> Result<NewtonReport, DynamicsError> {
        let before = self.counters().iterations;
        problem.follow_couplings(y)?;
        let body = problem.tangled().ok_or_else(unsupported)?;
        let report = self.run(body, y)?;
        Ok(NewtonReport { iterations: self.counters().iterations - before, ..report })
    }

    /// Newton's answer to moved supports, unless the body is tangled already.
    fn prescribe(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
        way: &[f64],
    ) -> Result<(), DynamicsError> {
        let body = problem.tangled().ok_or_else(unsupported)?;
        if body.inspect(y)?.is_some_and(|seen| seen.inverted > 0) {
            add_scaled(y, 1.0, way);
            return Ok(());
        }
        self.newton.prescribe(problem, y, way)
    }

    /// Those of Newton's method, and explicit steps as iterations.
    fn counters(&self) -> Counters {
        let Counters { iterations, residuals, jacobians, inversions, .. } = self.counters;
        let (newton, stepper) = (self.newton.counters(), self.stepper.counters());
        Counters {
            solves: self.counters.solves,
            iterations: newton.iterations + stepper.iterations + iterations,
            residuals: newton.residuals + stepper.residuals + residuals,
            jacobians: newton.jacobians + stepper.jacobians + jacobians,
            linear_iterations: newton.linear_iterations + stepper.linear_iterations,
            inversions: newton.inversions + stepper.inversions + inversions,
            ..newton
        }
    }

    fn phases(&self) -> Phases {
        self.newton.phases()
    }

    fn chosen(&self) -> Option<SolverUse> {
        self.newton.chosen()
    }

    fn history(&self) -> &[f64] {
        &self.history
    }

    fn save(&self, to: &mut Sections) {
        self.newton.save(to);
    }

    fn load(
        &mut self,
        from: &Sections,
        shape: &Shape,
        positions: Option<&[Vec3]>,
    ) -> Result<(), DynamicsError> {
        self.newton.load(from, shape, positions)
    }

    fn forget(&mut self) {
        self.newton.forget();
        self.stepper.forget();
    }
}
