//! [`DynamicRelaxation`]: a damped motion that ends in the static state (Nienhuys, sections 4.1 and 4.4.1).
//!
//! Explicit steps with lumped masses and damping η M. The step is the longest that is stable, from a bound
//! of the largest eigenvalue of M⁻¹K (Gershgorin's, renewed now and then); η = 2 √λ₁ damps the slowest
//! mode critically, with λ₁ estimated along the motion by Rayleigh's quotient Δx·Δr / Δx·MΔx
//! (Underwood 1983). Or no damping, and a stop at every peak of kinetic energy (Cundall 1976).

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::{Vec3, dot, norm_squared, sub};
use pliant_forces::ForceError;
use pliant_sections::Sections;
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::sums::{self, add_scaled, norm};

use crate::newton::{Counters, NewtonReport};
use crate::problem::blocks_of;
use crate::vector::check_length;
use crate::{DynamicsError, Iterate, NonlinearSolver, Problem, Stopping};

/// What takes the energy out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Damper {
    /// η = 2 √λ₁ from the motion itself.
    #[default]
    Automatic,
    /// A fixed η, 1/s.
    Fixed(f64),
    /// Velocities are set to zero where kinetic energy has a peak.
    Kinetic,
}

/// Settings of [`DynamicRelaxation`].
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicRelaxationSettings {
    /// What takes the energy out.
    pub damper: Damper,
    /// Lumped masses, kg. Without, each vertex has the mass that makes a step of 1 s stable for it, which
    /// is quickest.
    pub masses: Option<Vec<f64>>,
    /// |r| ≤ this times the largest of the forces it is the sum of ends the iteration.
    pub force_tolerance: f64,
    /// |r| that ends it whatever it is the sum of, N.
    pub absolute_force: f64,
    /// Steps after which it is an error.
    pub max_iterations: usize,
}

impl Default for DynamicRelaxationSettings {
    fn default() -> Self {
        Self {
            damper: Damper::default(),
            masses: None,
            force_tolerance: 1e-6,
            absolute_force: 0.0,
            max_iterations: 100_000,
        }
    }
}

/// The solver, with its memory.
pub struct DynamicRelaxation {
    settings: DynamicRelaxationSettings,
    counters: Counters,
    history: Vec<f64>,
    matrix: Option<Matrix>,
    masses: Vec<f64>,
    rows: Vec<f64>,
    r: Vec<f64>,
    before: Vec<f64>,
    v: Vec<f64>,
    damping: f64,
}

/// Steps between two bounds of the largest eigenvalue.
const RENEW: usize = 50;
/// The part of the longest stable step that is taken.
const SAFE: f64 = 0.95;
/// By this the step is shortened where it inverts an element, as in section 4.4.1.
const SHORTER: f64 = 0.85;
/// Times that is done.
const REPAIRS: usize = 40;

impl DynamicRelaxation {
    /// With settings.
    pub fn new(settings: DynamicRelaxationSettings) -> Result<Self, DynamicsError> {
        let tolerance = settings.force_tolerance;
        if !(tolerance > 0.0 && tolerance < 1.0) {
            let (what, accepted) = ("force tolerance", "between 0 and 1");
            return Err(DynamicsError::Setting { what, found: tolerance, accepted });
        }
        if let Damper::Fixed(eta) = settings.damper
            && !(eta >= 0.0 && eta.is_finite())
        {
            let (what, accepted) = ("damping η", "a finite number of 0 or more");
            return Err(DynamicsError::Setting { what, found: eta, accepted });
        }
        if let Some(masses) = &settings.masses
            && let Some(v) = masses.iter().position(|m| !(*m > 0.0 && m.is_finite()))
        {
            return Err(DynamicsError::Unsupported(format!(
                "mass of vertex {v} = {}: dynamic relaxation needs masses above 0",
                masses[v]
            )));
        }
        Ok(Self {
            settings,
            counters: Counters::default(),
            history: Vec::new(),
            matrix: None,
            masses: Vec::new(),
            rows: Vec::new(),
            r: Vec::new(),
            before: Vec::new(),
            v: Vec::new(),
            damping: 0.0,
        })
    }

    /// η at the end of the last solve, 1/s.
    pub fn damping(&self) -> f64 {
        self.damping
    }

    /// The longest stable step: h² λ ≤ 4 with λ ≤ max Σⱼ|Kᵢⱼ| / mᵢ.
    fn stable_step(&mut self, problem: &mut dyn Problem, y: &[f64]) -> Result<f64, ForceError> {
        let shape = problem.shape();
        let matrix = match self.matrix.take() {
            Some(m) if m.shape().same(&shape) => self.matrix.insert(m),
            _ => self.matrix.insert(Matrix::zero(&shape)),
        };
        self.counters.jacobians += 1;
        problem.jacobian(y, false, matrix)?;
        row_sums(blocks_of(matrix)?, &mut self.rows);
        if let Some(masses) = &self.settings.masses {
            self.masses.copy_from_slice(masses);
            let fastest = self.rows.iter().zip(masses).map(|(r, m)| r / m).fold(0.0, f64::max);
            return Ok(SAFE * 2.0 / fastest.sqrt());
        }
        for (m, r) in self.masses.iter_mut().zip(&self.rows) {
            // Masses only grow: what was stable stays so.
            *m = m.max(0.25 * r).max(f64::MIN_POSITIVE);
        }
        Ok(SAFE)
    }

    /// λ₁ from the last step: Δx·Δr / Δx·MΔx with Δx = h v.
    fn slowest(&self, h: f64) -> f64 {
        let lists = [&self.v, &self.r, &self.before];
        let ([v, r, before], masses) = (lists.map(|list| list.as_chunks::<3>().0), &self.masses);
        let [stiff, inert] = sums::over(v.len(), &|range| {
            let (mut stiff, mut inert) = (0.0, 0.0);
            for i in range {
                stiff += dot(v[i], sub(r[i], before[i])) / h;
                inert += masses[i] * norm_squared(v[i]);
            }
            [stiff, inert]
        });
        if inert > 0.0 && stiff > 0.0 { stiff / inert } else { 0.0 }
    }
}

/// Σⱼ|Kᵢⱼ| of every vertex, by the largest row sums of its blocks: a bound of eigenvalues (Gershgorin).
pub(crate) fn row_sums(matrix: &BlockMatrix, rows: &mut [f64]) {
    let pattern = matrix.pattern();
    rows.fill(0.0);
    for i in 0..pattern.rows() {
        for (k, &j) in pattern.range(i).zip(pattern.row(i)) {
            let b = matrix.values[k].map(f64::abs);
            let along = |k: usize| b[3 * k] + b[3 * k + 1] + b[3 * k + 2];
            let across = |k: usize| b[k] + b[k + 3] + b[k + 6];
            let most = |f: &dyn Fn(usize) -> f64| f(0).max(f(1)).max(f(2));
            rows[i] += most(&along);
            if pattern.is_symmetric() && j as usize != i {
                rows[j as usize] += most(&across);
            }
        }
    }
}

impl NonlinearSolver for DynamicRelaxation {
    fn solve(
        &mut self,
        problem: &mut dyn Problem,
        y: &mut [f64],
    ) -> Result<NewtonReport, DynamicsError> {
        let Shape::Blocks(pattern) = problem.shape() else {
            return Err(DynamicsError::Unsupported(format!(
                "dynamic-relaxation serves problems of vertices, and this one has {}, as reduced bodies have: take newton",
                problem.shape().kind()
            )));
        };
        let n = pattern.rows();
        if let Some(masses) = &self.settings.masses {
            check_length("masses", masses.len(), n)?;
        }
        for list in [&mut self.r, &mut self.before, &mut self.v] {
            list.clear();
            list.resize(y.len(), 0.0);
        }
        for list in [&mut self.masses, &mut self.rows] {
            list.clear();
            list.resize(n, 0.0);
        }
        self.history.clear();
        self.counters.solves += 1;
        self.counters.residuals += 1;
        let mut here = problem.residual(y, &mut self.r)?;
        let (mut h, mut kinetic, mut iterations) = (0.0, 0.0, 0);
        let (mut safety, mut renew, inversions) = (1.0, false, self.counters.inversions);
        let mut at_rest = true;
        self.damping = match self.settings.damper {
            Damper::Fixed(eta) => eta,
            _ => 0.0,
        };
        let (relative, absolute) = (self.settings.force_tolerance, self.settings.absolute_force);
        let rules = Stopping::by_force(relative, absolute);
        loop {
            let size = norm(&self.r);
            self.history.push(size);
            let wanted = rules.force(here.scale);
            if let Some(reason) = problem.solved(&rules, &Iterate::new(size, &here)) {
                return Ok(NewtonReport::unfactored(iterations, size, here.scale, reason));
            }
            if iterations >= self.settings.max_iterations {
                let (residual, scale, change) =
                    (size, here.scale, h * problem.longest_move(y, &self.v));
                return Err(DynamicsError::NotConverged {
                    iterations,
                    residual,
                    wanted,
                    scale,
                    change,
                });
            }
            if renew || iterations % RENEW == 0 {
                h = safety * self.stable_step(problem, y)?;
                renew = false;
            }
            iterations += 1;
            self.counters.iterations += 1;
            let half = 0.5 * h * self.damping;
            // Velocities are those half a step later: from rest they have half a step to grow. A whole one
            // would feed the fastest modes at every stop.
            let kick = if at_rest { 0.5 * h * (1.0 + half) } else { h };
            at_rest = false;
            let (v, r) = (self.v.as_chunks_mut::<3>().0, self.r.as_chunks::<3>().0);
            for ((v, r), m) in v.iter_mut().zip(r).zip(&self.masses) {
                *v =
                    std::array::from_fn(|k| ((1.0 - half) * v[k] - kick * r[k] / m) / (1.0 + half));
            }
            add_scaled(y, h, &self.v);
            std::mem::swap(&mut self.r, &mut self.before);
            self.counters.residuals += 1;
            match problem.residual(y, &mut self.r) {
                Ok(now) => here = now,
                // The step was not stable after all: back, stop, and on with a shorter one.
                Err(ForceError::Inverted { .. })
                    if self.counters.inversions - inversions < REPAIRS =>
                {
                    self.counters.inversions += 1;
                    add_scaled(y, -h, &self.v);
                    std::mem::swap(&mut self.r, &mut self.before);
                    self.v.fill(0.0);
                    at_rest = true;
                    (safety, renew, kinetic) = (SHORTER * safety, true, 0.0);
                    continue;
                }
                Err(other) => return Err(other.into()),
            }
            match self.settings.damper {
                Damper::Automatic => self.damping = (2.0 * self.slowest(h).sqrt()).min(1.9 / h),
                Damper::Fixed(_) => {}
                Damper::Kinetic => {
                    let (v, masses) = (self.v.as_chunks::<3>().0, &self.masses);
                    let [now] = sums::over(v.len(), &|range| {
                        [range.map(|i| masses[i] * norm_squared(v[i])).sum()]
                    });
                    if now < kinetic {
                        self.v.fill(0.0);
                        (kinetic, at_rest) = (0.0, true);
                    } else {
                        kinetic = now;
                    }
                }
            }
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
