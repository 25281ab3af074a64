//! What [`Newton`](super::Newton) has done.

use std::time::Duration;

/// What was done, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Solves of nonlinear systems.
    pub solves: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Evaluations of r.
    pub residuals: usize,
    /// Jacobians: all of them.
    pub jacobians: usize,
    /// Jacobians made as there was none for this step and method.
    pub jacobians_first: usize,
    /// Jacobians made as a stale one contracted too slowly.
    pub jacobians_slow: usize,
    /// Jacobians made as a step with a stale one made things worse.
    pub jacobians_worse: usize,
    /// Jacobians made again with projection.
    pub jacobians_projected: usize,
    /// Jacobians made again with regularisation.
    pub jacobians_regularised: usize,
    /// Iterations of the linear solver (for direct ones steps of refinement).
    pub linear_iterations: usize,
    /// Trials of line searches beyond the first.
    pub shortened: usize,
    /// Trials at which an element inverted.
    pub inversions: usize,
    /// Patterns that a linear solver was set up for: the first, and others as couplings changed.
    pub patterns: usize,
}

/// Where the time of nonlinear solves went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Phases {
    /// In residuals.
    pub residuals: Duration,
    /// In Jacobians.
    pub jacobians: Duration,
    /// In setting up the linear solver with values.
    pub factors: Duration,
    /// In linear solves.
    pub solves: Duration,
}

/// Why an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Converged {
    /// |r| is small beside the forces.
    Force,
    /// Corrections are small beside the body.
    Displacement,
    /// Corrections are small speeds.
    Speed,
    /// The energy is least and forces are balanced as well as numbers of this precision can tell, though the
    /// tolerance asks for more.
    Rounding,
    /// No: the last iterate was taken as asked for.
    Accepted,
}

/// What a solve did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonReport {
    /// Iterations.
    pub iterations: usize,
    /// |r| at the end, N.
    pub residual: f64,
    /// The largest of the forces it is the sum of, N.
    pub scale: f64,
    /// Why it ended.
    pub reason: Converged,
    /// True if the tangent of the last iteration was factored as it is, neither projected nor regularised, and found to
    /// be positive definite; none where that is not known.
    pub definite: Option<bool>,
}

impl NewtonReport {
    /// Of a solve that has factored no tangent.
    pub(crate) fn unfactored(
        iterations: usize,
        residual: f64,
        scale: f64,
        reason: Converged,
    ) -> Self {
        Self { iterations, residual, scale, reason, definite: None }
    }
}
