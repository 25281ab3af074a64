//! [`Minres`]: minimal residuals for symmetric matrices that need not be positive definite.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::Vec3;

use super::krylov::{Krylov, zeros};
use super::preconditioner::Preconditioner;
use super::system::{Settings, System};
use super::vectors::{copy, dot, scale, sweep};
use crate::{Constraints, Report, SolverError, StopReason};

/// Checks of b − A x without a restart.
const CHECKS: usize = 4;

/// Paige and Saunders (1975) with a positive definite preconditioner, in the form of Elman, Silvester
/// and Wathen (2005, algorithm 4.1).
///
/// What it minimises is the residual in the norm of M⁻¹. When that has fallen by the tolerance,
/// b − A x is computed, and the goal is tightened if it is not there yet.
pub struct Minres {
    system: System,
    v: [Vec<Vec3>; 3],
    z: [Vec<Vec3>; 2],
    w: [Vec<Vec3>; 3],
}

impl Minres {
    /// MINRES with that preconditioner, which must be positive definite also where A is not:
    /// diagonal and block-diagonal always are.
    pub fn new(preconditioner: Box<dyn Preconditioner>, settings: Settings) -> Self {
        let system = System::new("minres", preconditioner, settings);
        Self { system, v: Default::default(), z: Default::default(), w: Default::default() }
    }

    /// The settings, to be changed between solves.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.system.settings
    }

    /// Constraints of the solves to come. The matrix stays as it is.
    pub fn set_constraints(&mut self, constraints: Option<Constraints>) {
        self.system.constraints = constraints;
    }
}

impl Krylov for Minres {
    const SYMMETRIC: bool = true;

    fn system(&self) -> &System {
        &self.system
    }

    fn system_mut(&mut self) -> &mut System {
        &mut self.system
    }

    fn resize(&mut self, rows: usize) {
        zeros(self.v.iter_mut().chain(&mut self.z).chain(&mut self.w), rows);
    }

    fn bytes(&self) -> usize {
        8 * 24 * self.v[0].len()
    }

    fn check(&self, _: &BlockMatrix) -> Result<(), SolverError> {
        Ok(())
    }

    fn iterate(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        let Self { system, v: [v0, v1, v2], z: [z, next_z], w: [w0, w1, w2] } = self;
        system.begin(matrix, b, x)?;
        let reference = system.reference(matrix, b, [v0, v1]);
        if reference == 0.0 {
            return Ok(system.zero(x));
        }
        let Settings { tolerance, max_iterations, .. } = system.settings;
        let report = |iterations, relative_residual, reason| {
            Ok(Report { iterations, relative_residual, reason })
        };
        let mut residual = system.residual(matrix, b, x, v1) / reference;
        if residual <= tolerance {
            return report(0, residual, StopReason::Residual);
        }
        let mut iterations = 0;
        let mut restarted_at = f64::INFINITY;
        let indefinite = |iterations, square| SolverError::Indefinite {
            solver: "minres (its preconditioner)",
            iterations,
            curvature: square,
        };
        'restart: loop {
            for list in [&mut *v0, w0, w1] {
                list.fill([0.0; 3]);
            }
            system.precondition(v1, z)?;
            let square = dot(v1, z);
            if square.is_nan() || square <= 0.0 {
                return Err(indefinite(iterations, square));
            }
            let (mut gamma, mut before) = (square.sqrt(), 1.0);
            let first = gamma;
            let mut eta = gamma;
            let (mut s, mut s_before, mut c, mut c_before) = (0.0, 0.0, 1.0, 1.0);
            // How far |η| is to fall.
            let mut goal = 0.5 * tolerance / residual;
            let mut checks = 0;
            loop {
                scale(z, 1.0 / gamma);
                system.multiply(matrix, z, v2);
                let delta = dot(v2, z);
                let (f, g) = (delta / gamma, gamma / before);
                sweep([&*v1, v0], [v2], &|[v1, v0], [v2]| {
                    for ((v2, v1), v0) in v2.iter_mut().zip(v1).zip(v0) {
                        *v2 -= f * v1 + g * v0;
                    }
                    []
                });
                system.precondition(v2, next_z)?;
                let square = dot(v2, next_z);
                // Zero when the space is exhausted; rounding may put it below.
                if square.is_nan() || square < -1e-10 * first * first {
                    return Err(indefinite(iterations, square));
                }
                let next = square.max(0.0).sqrt();
                let a0 = c * delta - c_before * s * gamma;
                let a1 = a0.hypot(next);
                let a2 = s * delta + c_before * c * gamma;
                let a3 = s_before * gamma;
                if a1 == 0.0 {
                    let hint = "the matrix is singular";
                    return Err(system.failure(matrix, iterations, residual, hint, [v0, v2]));
                }
                (c_before, s_before) = (c, s);
                (c, s) = (a0 / a1, next / a1);
                let step = c * eta;
                sweep([&*z, w0, w1], [w2, x], &|[z, w0, w1], [w2, x]| {
                    let old = w0.iter().zip(w1).zip(z);
                    for ((w2, x), ((w0, w1), z)) in w2.iter_mut().zip(x).zip(old) {
                        *w2 = (z - a3 * w0 - a2 * w1) / a1;
                        *x += step * *w2;
                    }
                    []
                });
                eta *= -s;
                iterations += 1;
                let exhausted = next <= 1e-14 * first;
                let done = iterations >= max_iterations || exhausted || !eta.is_finite();
                if eta.abs() <= goal * first || done {
                    // v0 is not needed any more: the recurrence goes on with v1 and v2.
                    residual = system.residual(matrix, b, x, v0) / reference;
                    if residual <= tolerance {
                        return report(iterations, residual, StopReason::Residual);
                    }
                    checks += 1;
                    if checks <= CHECKS && !done {
                        goal *= 0.5 * tolerance / residual;
                    } else {
                        // The recurrence has lost sight of b − A x, or the space is exhausted.
                        let falls = residual < 0.5 * restarted_at;
                        let stuck = !falls;
                        if stuck && system.is_rounding(residual, x, reference) {
                            return report(iterations, residual, StopReason::Stagnation);
                        }
                        if iterations >= max_iterations || stuck {
                            let hint =
                                "allow more iterations or loosen the tolerance, or take ldlt";
                            let scratch: [&mut [Vec3]; 2] = [v1, v2];
                            return Err(system.failure(matrix, iterations, residual, hint, scratch));
                        }
                        restarted_at = residual;
                        copy(v1, v0);
                        continue 'restart;
                    }
                }
                (before, gamma) = (gamma, next);
                std::mem::swap(z, next_z);
                // (v0, v1, v2) ← (v1, v2, v0), and w alike.
                std::mem::swap(v0, v1);
                std::mem::swap(v1, v2);
                std::mem::swap(w0, w1);
                std::mem::swap(w1, w2);
            }
        }
    }
}
