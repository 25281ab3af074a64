//! [`NonlinearCg`]: conjugate gradients on the energy itself, without a matrix (Nienhuys, section
//! 4.4.2; Fletcher and Reeves 1964; Polak and Ribière 1969).

use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;
use pliant_sections::Sections;
use pliant_solvers::matrix::{Matrix, MatrixProduct, Shape};
use pliant_solvers::sums::{dot, norm, set_sum};

use crate::newton::{Converged, Counters, NewtonReport};
use crate::{DynamicsError, Evaluation, Iterate, NonlinearSolver, Problem, Stopping};

/// How much of the last direction goes into the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CgFormula {
    /// |r₁|² / |r₀|²
    FletcherReeves,
    /// r₁·(r₁ − r₀) / |r₀|², none where that is negative.
    #[default]
    PolakRibiere,
}

/// How a line is searched for r·p = 0 (Nienhuys, section 4.4.2). All are safeguarded by a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CgSearch {
    /// Newton's method: p·K p at every trial.
    Newton,
    /// The first trial from p·K p, the others by secants.
    Secant,
    /// Secants alone, from a first trial of `first_move` and, later, of the length that was found before:
    /// no matrix.
    #[default]
    ScaleDependentSecant,
}

/// Settings of [`NonlinearCg`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NonlinearCgSettings {
    /// β
    pub formula: CgFormula,
    /// How lines are searched.
    pub search: CgSearch,
    /// A line is searched until r·p has fallen to this part of what it was.
    pub search_tolerance: f64,
    /// |r| ≤ this times the largest of the forces it is the sum of ends the iteration.
    pub force_tolerance: f64,
    /// |r| that ends it whatever it is the sum of, N.
    pub absolute_force: f64,
    /// Iterations after which it is an error.
    pub max_iterations: usize,
    /// The first trial of the first line search moves no vertex by more than this part of the body.
    pub first_move: f64,
}

impl Default for NonlinearCgSettings {
    fn default() -> Self {
        Self {
            formula: CgFormula::default(),
            search: CgSearch::default(),
            search_tolerance: 0.1,
            force_tolerance: 1e-6,
            absolute_force: 0.0,
            max_iterations: 20_000,
            first_move: 1e-3,
        }
    }
}

/// The solver, with its memory. It takes problems with and without energy: lines are searched by r·p, which
/// needs forces alone.
pub struct NonlinearCg {
    settings: NonlinearCgSettings,
    counters: Counters,
    history: Vec<f64>,
    r: Vec<f64>,
    p: Vec<f64>,
    next: Vec<f64>,
    next_r: Vec<f64>,
    /// K and K p, for searches that look at it.
    curvature: Option<(Matrix, MatrixProduct, Vec<f64>)>,
}

/// Moves below this part of the size of a body are lost in its positions.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Such moves in a row before it is enough.
const STALLED: usize = 3;
/// Trials of one line search.
const TRIALS: usize = 12;
/// Trials may be longer than the one before by this at most.
const LONGER: f64 = 4.0;
/// How far along a line models are asked for their bounds, in units of the first trial.
const FARTHEST: f64 = 1e3;

impl NonlinearCg {
    /// With settings.
    pub fn new(settings: NonlinearCgSettings) -> Result<Self, DynamicsError> {
        let inside = |x: f64| x > 0.0 && x < 1.0;
        for (what, found, good) in [
            ("force tolerance", settings.force_tolerance, inside(settings.force_tolerance)),
            ("first move", settings.first_move, inside(settings.first_move)),
            ("search tolerance", settings.search_tolerance, inside(settings.search_tolerance)),
        ] {
            if !good {
                let accepted = "between 0 and 1";
                return Err(DynamicsError::Setting { what, found, accepted });
            }
        }
        let none = Vec::new;
        Ok(Self {
            settings,
            counters: Counters::default(),
            history: Vec::new(),
            r: none(),
            p: none(),
            next: none(),
            next_r: none(),
            curvature: None,
        })
    }

    /// p·K p at `next`.
    fn curvature(&mut self, problem: &mut dyn Problem) -> Result<f64, ForceError> {
        let shape = problem.shape();
        let (matrix, product, kp) = match self.curvature.take() {
            Some(made) if made.0.shape().same(&shape) => self.curvature.insert(made),
            _ => self.curvature.insert((
                Matrix::zero(&shape),
                MatrixProduct::new(&shape),
                vec![0.0; shape.size()],
            )),
        };
        self.counters.jacobians += 1;
        problem.jacobian(&self.next, false, matrix)?;
        product.apply(matrix, &self.p, kp);
        Ok(dot(&self.p, kp))
    }

    /// Moves along p to where r·p is small; what r tells there and how far that was, or none if there is
    /// no way forward. `next` and `next_r` are of that place.
    fn search(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
        first: f64,
    ) -> Result<Option<(Evaluation, f64)>, ForceError> {
        let start = dot(&self.r, &self.p);
        let (mut low, mut low_slope, mut alpha) = (0.0, start, first);
        if self.settings.search != CgSearch::ScaleDependentSecant {
            self.next.copy_from_slice(y);
            let rise = self.curvature(problem)?;
            alpha = if rise > 0.0 { -start / rise } else { first };
        }
        // No further than models admit, and nothing is crossed on the way.
        let farthest = FARTHEST * alpha;
        let reach = problem.admissible(y, &self.p, farthest)?;
        let mut bound = if reach < farthest { reach } else { f64::INFINITY };
        alpha = alpha.min(0.95 * bound);
        let mut best = None;
        for _ in 0..TRIALS {
            set_sum(&mut self.next, y, alpha, &self.p);
            self.counters.residuals += 1;
            let slope = match problem.residual(&self.next, &mut self.next_r) {
                Ok(here) => {
                    best = Some((here, alpha));
                    dot(&self.next_r, &self.p)
                }
                Err(ForceError::Inverted { .. }) => {
                    self.counters.inversions += 1;
                    (bound, best) = (alpha, None);
                    alpha = 0.5 * (low + alpha);
                    continue;
                }
                Err(other) => return Err(other),
            };
            if slope.abs() <= self.settings.search_tolerance * start.abs() {
                break;
            }
            self.counters.shortened += 1;
            // The secant through the last two slopes, or the tangent; where they do not rise, on along the
            // line.
            let rise = match self.settings.search {
                CgSearch::Newton => self.curvature(problem)?,
                _ => (slope - low_slope) / (alpha - low),
            };
            let secant = if rise > 0.0 { alpha - slope / rise } else { LONGER * alpha };
            if slope < 0.0 {
                (low, low_slope) = (alpha, slope);
            } else {
                bound = alpha;
            }
            let longest =
                if bound.is_finite() { low + 0.95 * (bound - low) } else { LONGER * alpha };
            alpha = secant.clamp(low + 0.05 * (longest - low), longest);
        }
        Ok(best)
    }
}

impl NonlinearSolver for NonlinearCg {
    fn solve(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
    ) -> Result<NewtonReport, DynamicsError> {
        for list in [&mut self.r, &mut self.p, &mut self.next, &mut self.next_r] {
            list.clear();
            list.resize(y.len(), 0.0);
        }
        self.history.clear();
        self.counters.solves += 1;
        self.counters.residuals += 1;
        let mut here = problem.residual(y, &mut self.r)?;
        let (mut beta, mut first, mut change) = (0.0, None, f64::INFINITY);
        let (mut iterations, mut stalled) = (0, 0);
        let (relative, absolute) = (self.settings.force_tolerance, self.settings.absolute_force);
        let rules = Stopping::by_force(relative, absolute);
        loop {
            let size = norm(&self.r);
            self.history.push(size);
            let wanted = rules.force(here.scale);
            if let Some(reason) = problem.solved(&rules, &Iterate::new(size, &here)) {
                return Ok(NewtonReport::unfactored(iterations, size, here.scale, reason));
            }
            if stalled >= STALLED {
                let reason = Converged::Rounding;
                return Ok(NewtonReport::unfactored(iterations, size, here.scale, reason));
            }
            if iterations >= self.settings.max_iterations {
                let (residual, scale) = (size, here.scale);
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
            for (p, r) in self.p.iter_mut().zip(&self.r) {
                *p = beta * *p - r;
            }
            if dot(&self.r, &self.p) >= 0.0 {
                // No longer downhill: begin again with the gradient.
                for (p, r) in self.p.iter_mut().zip(&self.r) {
                    *p = -r;
                }
            }
            let longest = problem.longest_move(y, &self.p);
            let trial = first.unwrap_or(self.settings.first_move * problem.size() / longest);
            let Some((next, alpha)) = self.search(problem, y, trial)? else {
                return Err(DynamicsError::Stuck {
                    iteration: iterations,
                    residual: size,
                    wanted,
                    trials: TRIALS,
                    shortest: trial,
                    merit: "the slope of the energy",
                    inverted: None,
                });
            };
            let (old, new) = (dot(&self.r, &self.r), dot(&self.next_r, &self.next_r));
            beta = match self.settings.formula {
                CgFormula::FletcherReeves => new / old,
                CgFormula::PolakRibiere => ((new - dot(&self.next_r, &self.r)) / old).max(0.0),
            };
            change = alpha * longest;
            // Without any force to compare with, as in a body that nothing loads, rounding ends the iteration.
            stalled = if change <= ROUNDING * problem.size() { stalled + 1 } else { 0 };
            first = Some(alpha);
            y.copy_from_slice(&self.next);
            std::mem::swap(&mut self.r, &mut self.next_r);
            here = next;
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn history(&self) -> &[f64] {
        &self.history
    }

    /// Nothing: every solve starts anew.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, _: &Shape, _: Option<&[Vec3]>) -> Result<(), DynamicsError> {
        Ok(())
    }
}
