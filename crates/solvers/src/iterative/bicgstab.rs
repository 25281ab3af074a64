//! [`Bicgstab`]: stabilised bi-conjugate gradients for unsymmetric matrices.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::Vec3;

use super::krylov::{Krylov, zeros};
use super::preconditioner::Preconditioner;
use super::system::{Settings, System};
use super::vectors::{copy, dot, norm, piece_dot, sweep};
use crate::{Constraints, Report, SolverError, StopReason};

/// Restarts after which more of them do not help.
const RESTARTS: usize = 20;
/// A product of vectors this small beside their lengths is zero.
const BREAKDOWN: f64 = 1e-14;

/// Van der Vorst (1992), preconditioned from the right, so that its residual is b − A x. Two products
/// with A and M⁻¹ an iteration, and eight vectors whatever their number. Where a product of residuals
/// vanishes it restarts from the residual of the moment.
pub struct Bicgstab {
    system: System,
    /// r, r̃, p, v, s = t and M⁻¹ p, M⁻¹ s.
    lists: [Vec<Vec3>; 7],
}

impl Bicgstab {
    /// BiCGSTAB with that preconditioner.
    pub fn new(preconditioner: Box<dyn Preconditioner>, settings: Settings) -> Self {
        let system = System::new("bicgstab", preconditioner, settings);
        Self { system, lists: Default::default() }
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

/// Whether a product is nothing but rounding, or not a number.
fn vanishes(product: f64, size: f64) -> bool {
    product.is_nan() || product.abs() <= BREAKDOWN * size
}

impl Krylov for Bicgstab {
    const SYMMETRIC: bool = false;

    fn system(&self) -> &System {
        &self.system
    }

    fn system_mut(&mut self) -> &mut System {
        &mut self.system
    }

    fn resize(&mut self, rows: usize) {
        zeros(&mut self.lists, rows);
    }

    fn bytes(&self) -> usize {
        7 * 24 * self.lists[0].len()
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
        let Self { system, lists: [r, shadow, p, v, t, mp, ms] } = self;
        system.begin(matrix, b, x)?;
        let reference = system.reference(matrix, b, [p, v]);
        if reference == 0.0 {
            return Ok(system.zero(x));
        }
        let Settings { tolerance, max_iterations, .. } = system.settings;
        let mut residual = system.residual(matrix, b, x, r) / reference;
        let (mut iterations, mut restarts) = (0, 0);
        let mut before = f64::INFINITY;
        loop {
            // r is b − A x here, computed from x.
            let reason = if residual <= tolerance {
                Some(StopReason::Residual)
            } else if residual > 0.5 * before && system.is_rounding(residual, x, reference) {
                Some(StopReason::Stagnation)
            } else {
                None
            };
            if let Some(reason) = reason {
                return Ok(Report { iterations, relative_residual: residual, reason });
            }
            if iterations >= max_iterations || restarts > RESTARTS || !residual.is_finite() {
                let hint = "take gmres, a stronger preconditioner or lu";
                return Err(system.failure(matrix, iterations, residual, hint, [p, v]));
            }
            restarts += 1;
            before = residual;
            copy(shadow, r);
            copy(p, r);
            let mut rho = dot(r, shadow);
            while iterations < max_iterations {
                system.precondition(p, mp)?;
                system.multiply(matrix, mp, v);
                let down = dot(shadow, v);
                if vanishes(down, norm(shadow) * norm(v)) {
                    break;
                }
                let alpha = rho / down;
                // r becomes s.
                sweep([&*v], [r], &|[v], [r]| {
                    for (r, v) in r.iter_mut().zip(v) {
                        *r -= alpha * v;
                    }
                    []
                });
                system.precondition(r, ms)?;
                system.multiply(matrix, ms, t);
                let [ts, tt] =
                    sweep([&*t, r], [], &|[t, s], []| [piece_dot(t, s), piece_dot(t, t)]);
                let omega = if tt > 0.0 { ts / tt } else { 0.0 };
                let [square, next] =
                    sweep([&*t, mp, ms, shadow], [r, x], &|[t, mp, ms, shadow], [r, x]| {
                        for ((x, mp), ms) in x.iter_mut().zip(mp).zip(ms) {
                            *x += alpha * mp + omega * ms;
                        }
                        for (r, t) in r.iter_mut().zip(t) {
                            *r -= omega * t;
                        }
                        [piece_dot(r, r), piece_dot(r, shadow)]
                    });
                iterations += 1;
                residual = square.sqrt() / reference;
                let broken = vanishes(next, norm(shadow) * square.sqrt());
                if residual <= tolerance || !residual.is_finite() || omega == 0.0 || broken {
                    break;
                }
                let beta = (next / rho) * (alpha / omega);
                rho = next;
                sweep([&*r, v], [p], &|[r, v], [p]| {
                    for ((p, r), v) in p.iter_mut().zip(r).zip(v) {
                        *p = r + beta * (*p - omega * v);
                    }
                    []
                });
            }
            residual = system.residual(matrix, b, x, r) / reference;
        }
    }
}
