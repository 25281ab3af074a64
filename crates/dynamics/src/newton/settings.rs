//! What [`Newton`](super::Newton) can be told.

use crate::{DynamicsError, Stopping};

/// How well linear systems are solved, for inexact Newton: |r + J δ| ≤ η |r|.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Forcing {
    /// The same η always.
    Constant(f64),
    /// η = γ (|rₖ| / |rₖ₋₁|)² with safeguards (Eisenstat and Walker 1996, choice 2 with exponent 2), at
    /// most `largest`. The first η of a solve is what the linear model was off by in the solve before (their
    /// choice 1), as one step of time is much like the next.
    EisenstatWalker {
        /// γ, 0.9 where nothing is known.
        gamma: f64,
        /// The first η, and a bound of all.
        largest: f64,
    },
}

/// When Jacobians are made and how well systems are solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// Every iteration.
    Full,
    /// Kept until Θ exceeds this.
    Simplified {
        /// Between 0 and 1.
        slowest: f64,
    },
    /// Every iteration, with systems solved only as well as it is worth. With a direct solver the same as full.
    Inexact(Forcing),
}

impl Form {
    /// Simplified, as long as the correction shrinks to seven tenths: for direct solvers, whose factors cost more than
    /// many solves.
    pub const KEPT: Self = Self::Simplified { slowest: 0.7 };
}

/// When the stiffness is projected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projection {
    /// Where a direction does not descend, or cannot be found.
    WhenNeeded,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Settings of [`Newton`](super::Newton).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonSettings {
    /// When Jacobians are made.
    pub form: Form,
    /// |r| ≤ this times the largest of the forces it is the sum of ends the iteration.
    pub force_tolerance: f64,
    /// So does a correction of less than this times the size of the body.
    pub displacement_tolerance: f64,
    /// |r| that is small enough whatever it is the sum of, N.
    pub absolute_force: f64,
    /// Corrections over the length of the step that are small enough, m/s; 0 for none.
    pub speed_tolerance: f64,
    /// Iterations after which it is an error.
    pub max_iterations: usize,
    /// Takes what the last iteration gives as the answer: with one iteration this makes an implicit
    /// method linearly (semi-) implicit.
    pub accept_last: bool,
    /// Shortens steps.
    pub line_search: bool,
    /// When the stiffness is projected.
    pub projection: Projection,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            form: Form::Inexact(Forcing::EisenstatWalker { gamma: 0.9, largest: 0.1 }),
            force_tolerance: 1e-6,
            displacement_tolerance: 1e-14,
            absolute_force: 0.0,
            speed_tolerance: 0.0,
            max_iterations: 100,
            accept_last: false,
            line_search: true,
            projection: Projection::WhenNeeded,
        }
    }
}

impl NewtonSettings {
    /// One iteration without line search, whatever it gives.
    pub fn semi_implicit() -> Self {
        Self { max_iterations: 1, accept_last: true, line_search: false, ..Self::default() }
    }

    /// The rules by which a solve ends.
    pub fn stopping(&self) -> Stopping {
        Stopping {
            relative_force: self.force_tolerance,
            absolute_force: self.absolute_force,
            correction: self.displacement_tolerance,
            speed: self.speed_tolerance,
        }
    }

    /// Fails where a number is outside its range.
    pub fn check(&self) -> Result<(), DynamicsError> {
        let check = |what, found: f64, good: bool, accepted| {
            if good { Ok(()) } else { Err(DynamicsError::Setting { what, found, accepted }) }
        };
        self.stopping().check()?;
        let most = self.max_iterations;
        check("Newton iterations", most as f64, most > 0, "at least 1")?;
        let inside = |x: f64| x > 0.0 && x < 1.0;
        match self.form {
            Form::Full => Ok(()),
            Form::Simplified { slowest: s } => {
                check("slowest contraction", s, inside(s), "between 0 and 1")
            }
            Form::Inexact(Forcing::Constant(eta)) => {
                check("forcing term", eta, inside(eta), "between 0 and 1")
            }
            Form::Inexact(Forcing::EisenstatWalker { gamma, largest }) => {
                check("forcing γ", gamma, gamma > 0.0 && gamma <= 1.0, "above 0, at most 1")?;
                check("largest forcing term", largest, inside(largest), "between 0 and 1")
            }
        }
    }
}
