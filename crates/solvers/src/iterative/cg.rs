//! [`Cg`]: preconditioned conjugate gradients.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::preconditioner::Preconditioner;
use super::system::{Settings, Stop, System};
use super::vectors::{add_scaled, copy, dot, piece_dot, sweep};
use crate::{Constraints, Layout, LinearSolver, Report, SolverError, StopReason};

/// The longest delay of the estimate of the error.
pub(super) const LONGEST_DELAY: usize = 64;

/// Conjugate gradients for symmetric positive definite matrices (Hestenes and Stiefel 1952).
///
/// The residual that the recurrence carries drifts away from b − A x by rounding. When it says that
/// the tolerance is reached, b − A x is computed, and if that is still above, the iteration restarts
/// from it. With constraints, residuals and directions are filtered (Baraff and Witkin 1998, in the
/// form of Ascher and Boxerman 2003, where the first guess holds the prescribed values).
pub struct Cg {
    system: System,
    r: Vec<Vec3>,
    z: Vec<Vec3>,
    p: Vec<Vec3>,
    q: Vec<Vec3>,
}

/// The error in the energy norm from what iterations gain.
pub(super) struct EnergyEstimate {
    gains: [f64; LONGEST_DELAY],
    delay: usize,
    count: usize,
    /// ‖x‖²_A so far.
    total: f64,
}

impl EnergyEstimate {
    /// `start` is bᵀx₀ + r₀ᵀx₀, which for the first guess x₀ adds what was there before.
    pub(super) fn new(delay: usize, start: f64) -> Self {
        let delay = delay.clamp(1, LONGEST_DELAY);
        Self { gains: [0.0; LONGEST_DELAY], delay, count: 0, total: start }
    }

    /// Takes the gain α rᵀz of an iteration; the relative error before the last `delay` of them, once
    /// there are as many.
    pub(super) fn add(&mut self, gain: f64) -> Option<f64> {
        self.gains[self.count % self.delay] = gain;
        self.count += 1;
        self.total += gain;
        let recent: f64 = self.gains[..self.delay].iter().sum();
        (self.count >= self.delay && self.total > 0.0).then(|| (recent / self.total).sqrt())
    }
}

impl Cg {
    /// Conjugate gradients with that preconditioner.
    pub fn new(preconditioner: Box<dyn Preconditioner>, settings: Settings) -> Self {
        let system = System::new("cg", preconditioner, settings);
        Self { system, r: Vec::new(), z: Vec::new(), p: Vec::new(), q: Vec::new() }
    }

    /// The settings, to be changed between solves.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.system.settings
    }

    /// The preconditioner.
    pub fn preconditioner(&self) -> &dyn Preconditioner {
        &*self.system.preconditioner
    }

    /// Constraints of the solves to come. The matrix stays as it is.
    pub fn set_constraints(&mut self, constraints: Option<Constraints>) {
        self.system.constraints = constraints;
    }

    fn iterate(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        let Self { system, r, z, p, q } = self;
        system.begin(matrix, b, x)?;
        let reference = system.reference(matrix, b, [p, q]);
        if reference == 0.0 {
            return Ok(system.zero(x));
        }
        let Settings { tolerance, stop, max_iterations } = system.settings;
        let mut residual = system.residual(matrix, b, x, r) / reference;
        let report = |iterations, relative_residual, reason| {
            Ok(Report { iterations, relative_residual, reason })
        };
        if residual <= tolerance {
            return report(0, residual, StopReason::Residual);
        }
        let mut estimate = match stop {
            Stop::EnergyNorm { delay } => Some(EnergyEstimate::new(delay, dot(b, x) + dot(r, x))),
            Stop::Residual => None,
        };
        let mut iterations = 0;
        // The true residual at the last restart.
        let mut restarted_at = f64::INFINITY;
        'restart: loop {
            system.precondition(r, z)?;
            let mut rz = dot(r, z);
            copy(p, z);
            loop {
                system.multiply(matrix, p, q);
                let curvature = dot(p, q);
                if !(curvature > 0.0 && rz > 0.0) {
                    let known = system.failure(matrix, iterations, residual, "", [z, q]);
                    return Err(match known {
                        SolverError::Singular { .. } => known,
                        _ => SolverError::Indefinite { solver: "cg", iterations, curvature },
                    });
                }
                let alpha = rz / curvature;
                let [square] = sweep([&*q], [r], &|[q], [r]| {
                    for (r, q) in r.iter_mut().zip(q) {
                        *r -= alpha * q;
                    }
                    [piece_dot(r, r)]
                });
                iterations += 1;
                residual = square.sqrt() / reference;
                let error = estimate.as_mut().and_then(|e| e.add(alpha * rz));
                let small_error = error.is_some_and(|e| e <= tolerance);
                let small = if estimate.is_some() { small_error } else { residual <= tolerance };
                if small || iterations >= max_iterations || !residual.is_finite() {
                    add_scaled(x, alpha, p);
                    residual = system.residual(matrix, b, x, r) / reference;
                    if small_error {
                        return report(iterations, residual, StopReason::EnergyNorm);
                    }
                    if estimate.is_none() && residual <= tolerance {
                        return report(iterations, residual, StopReason::Residual);
                    }
                    // A restart that gains less than half tells that more will not help.
                    let falls = residual < 0.5 * restarted_at;
                    let stuck = !falls;
                    if stuck && system.is_rounding(residual, x, reference) {
                        return report(iterations, residual, StopReason::Stagnation);
                    }
                    if iterations >= max_iterations || stuck {
                        let hint = if iterations >= max_iterations {
                            "allow more iterations, or take a stronger preconditioner such as ic0 or multigrid"
                        } else {
                            "rounding keeps it there: loosen the tolerance, or take cholesky"
                        };
                        return Err(system.failure(matrix, iterations, residual, hint, [z, q]));
                    }
                    restarted_at = residual;
                    continue 'restart;
                }
                system.precondition(r, z)?;
                let next = dot(r, z);
                let beta = next / rz;
                rz = next;
                sweep([&*z], [x, p], &|[z], [x, p]| {
                    for ((x, p), z) in x.iter_mut().zip(p).zip(z) {
                        *x += alpha * *p;
                        *p = z + beta * *p;
                    }
                    []
                });
            }
        }
    }
}

impl LinearSolver for Cg {
    fn name(&self) -> &'static str {
        "cg"
    }

    fn takes_unsymmetric(&self) -> bool {
        false
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        super::needs_symmetric_matrix(pattern, "cg")?;
        for list in [&mut self.r, &mut self.z, &mut self.p, &mut self.q] {
            list.clear();
            list.resize(pattern.rows(), [0.0; 3]);
        }
        self.system.analyze(pattern, layout)
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        super::needs_positive_diagonal(matrix)?;
        self.system.factor(matrix)
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        self.iterate(matrix, b, x)
    }

    fn set_tolerance(&mut self, relative: f64) {
        self.system.settings.tolerance = relative;
    }

    fn save(&self, to: &mut Sections) {
        self.system.save(to);
    }

    fn load(&mut self, from: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        self.system.load(from, matrix)
    }

    fn memory(&self) -> usize {
        self.system.preconditioner.memory() + 4 * 24 * self.r.len()
    }

    fn note(&self) -> Option<String> {
        self.system.preconditioner.note()
    }
}
