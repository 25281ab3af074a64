//! The iteration of conjugate gradients, written once for block matrices with constraints and for operators.

use crate::sums::{add_scaled, copy, dot, piece_dot, sweep_numbers};

use super::system::{Settings, Stop};
use crate::{Report, SolverError, StopReason};

/// What the iteration asks of the system it solves.
pub(super) trait Space {
    /// y = A x, with zeros where something is held.
    fn multiply(&mut self, x: &[f64], y: &mut [f64]);
    /// r = b − A x, with zeros where something is held, and its norm.
    fn residual(&mut self, b: &[f64], x: &[f64], r: &mut [f64]) -> f64;
    /// What residuals are compared with. `scratch` is overwritten.
    fn reference(&mut self, b: &[f64], scratch: [&mut [f64]; 2]) -> f64;
    /// z = M⁻¹ r, with zeros where something is held.
    fn precondition(&mut self, r: &[f64], z: &mut [f64]) -> Result<(), SolverError>;
    /// Sets x to the answer where the right-hand side is zero.
    fn zero(&self, x: &mut [f64]);
    /// Returns true if a residual that does not fall any more is as small as rounding lets it be.
    fn is_rounding(&self, residual: f64, x: &[f64], reference: f64) -> bool;
    /// How far the residual of the recurrence may be from that of x after so many iterations, relative to `reference`.
    fn drift(&self, iterations: usize, x: &[f64], reference: f64) -> f64;
    /// Says why an iteration has failed. `scratch` is overwritten.
    fn failure(
        &mut self,
        iterations: usize,
        residual: f64,
        hint: &str,
        scratch: [&mut [f64]; 2],
    ) -> SolverError;
}

/// Residual, preconditioned residual, direction and its product.
#[derive(Default)]
pub(super) struct Work {
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

impl Work {
    /// Makes room for n unknowns.
    pub(super) fn resize(&mut self, n: usize) {
        for list in [&mut self.r, &mut self.z, &mut self.p, &mut self.q] {
            list.resize(n, 0.0);
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        4 * 8 * self.r.len()
    }
}

/// The longest delay of the estimate of the error.
pub(super) const LONGEST_DELAY: usize = 64;

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

/// The part of the tolerance that the residual may be wrong by without being computed again.
const DRIFT: f64 = 0.01;

/// Conjugate gradients (Hestenes and Stiefel 1952) for numbers that were looked at. On entry x holds a first guess.
pub(super) fn run(
    space: &mut dyn Space,
    settings: Settings,
    work: &mut Work,
    b: &[f64],
    x: &mut [f64],
) -> Result<Report, SolverError> {
    let Work { r, z, p, q } = work;
    let reference = space.reference(b, [p, q]);
    if reference == 0.0 {
        space.zero(x);
        return Ok(Report {
            iterations: 0,
            relative_residual: 0.0,
            reason: StopReason::ZeroRightHandSide,
        });
    }
    let Settings { tolerance, stop, max_iterations } = settings;
    let mut residual = space.residual(b, x, r) / reference;
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
        space.precondition(r, z)?;
        let mut rz = dot(r, z);
        copy(p, z);
        loop {
            space.multiply(p, q);
            let curvature = dot(p, q);
            if !(curvature > 0.0 && rz > 0.0) {
                let known = space.failure(iterations, residual, "", [z, q]);
                return Err(match known {
                    SolverError::Singular { .. } => known,
                    _ => SolverError::Indefinite { solver: "cg", iterations, curvature },
                });
            }
            let alpha = rz / curvature;
            let [square] = sweep_numbers([&*q], [r], &|[q], [r]| {
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
                if !(small && space.drift(iterations, x, reference) <= DRIFT * tolerance) {
                    residual = space.residual(b, x, r) / reference;
                }
                if small_error {
                    return report(iterations, residual, StopReason::EnergyNorm);
                }
                if estimate.is_none() && residual <= tolerance {
                    return report(iterations, residual, StopReason::Residual);
                }
                // A restart that gains less than half tells that more will not help.
                let falls = residual < 0.5 * restarted_at;
                let stuck = !falls;
                if stuck && space.is_rounding(residual, x, reference) {
                    return report(iterations, residual, StopReason::Stagnation);
                }
                if iterations >= max_iterations || stuck {
                    let hint = if iterations >= max_iterations {
                        "allow more iterations, or take a stronger preconditioner such as ic0 or multigrid"
                    } else {
                        "rounding keeps it there: loosen the tolerance, or take cholesky"
                    };
                    return Err(space.failure(iterations, residual, hint, [z, q]));
                }
                restarted_at = residual;
                continue 'restart;
            }
            space.precondition(r, z)?;
            let next = dot(r, z);
            let beta = next / rz;
            rz = next;
            sweep_numbers([&*z], [x, p], &|[z], [x, p]| {
                for ((x, p), z) in x.iter_mut().zip(p).zip(z) {
                    *x += alpha * *p;
                    *p = z + beta * *p;
                }
                []
            });
        }
    }
}
