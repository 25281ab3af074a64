//! [`StaticMethod`]: ways to equilibrium by the names users know them by.

use std::str::FromStr;

use pliant_errors::names::nearest;
use pliant_solvers::Choice;
use pliant_units::OptionSpec;

use crate::integrators::options::{self, Options};
use crate::newton::{Newton, NewtonSettings};
use crate::{
    DynamicRelaxation, DynamicRelaxationSettings, DynamicsError, NonlinearCg, NonlinearCgSettings,
    NonlinearSolver, Robust, RobustSettings, StaticSettings, Statics, TruncatedNewton,
    TruncatedNewtonSettings,
};

/// What static methods can be told. Each looks at what concerns it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StaticOptions {
    /// Of `newton`.
    pub newton: NewtonSettings,
    /// Its linear solver.
    pub solver: Choice,
    /// Of `truncated-newton`.
    pub truncated_newton: TruncatedNewtonSettings,
    /// Of `nonlinear-cg`.
    pub nonlinear_cg: NonlinearCgSettings,
    /// Of `dynamic-relaxation`.
    pub dynamic_relaxation: DynamicRelaxationSettings,
    /// Of `robust`, whose last part is that of `newton`.
    pub robust: RobustSettings,
    /// How loads are brought up.
    pub load: StaticSettings,
}

impl StaticOptions {
    /// The same |r|, relative to the forces it is the sum of, for all methods.
    #[must_use]
    pub fn with_force_tolerance(mut self, tolerance: f64) -> Self {
        self.newton.force_tolerance = tolerance;
        self.truncated_newton.force_tolerance = tolerance;
        self.nonlinear_cg.force_tolerance = tolerance;
        self.dynamic_relaxation.force_tolerance = tolerance;
        self
    }

    /// The same |r|, N, for all methods.
    #[must_use]
    pub fn with_absolute_force(mut self, absolute: f64) -> Self {
        self.newton.absolute_force = absolute;
        self.truncated_newton.absolute_force = absolute;
        self.nonlinear_cg.absolute_force = absolute;
        self.dynamic_relaxation.absolute_force = absolute;
        self
    }
}

/// A static method by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum StaticMethod {
    /// Newton with a linear solver.
    #[default]
    Newton,
    /// Newton with conjugate gradients inside a region of trust.
    TruncatedNewton,
    /// Conjugate gradients on the energy.
    NonlinearCg,
    /// A damped motion that ends.
    DynamicRelaxation,
    /// Damped motions that untangle a body, and Newton.
    Robust,
}

impl StaticMethod {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Newton,
        Self::TruncatedNewton,
        Self::NonlinearCg,
        Self::DynamicRelaxation,
        Self::Robust,
    ];

    /// The name users know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Newton => "newton",
            Self::TruncatedNewton => "truncated-newton",
            Self::NonlinearCg => "nonlinear-cg",
            Self::DynamicRelaxation => "dynamic-relaxation",
            Self::Robust => "robust",
        }
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        match self {
            Self::Newton => "few iterations, each with a linear system; takes all forces",
            Self::TruncatedNewton => "as newton, without a factor; follows negative curvature",
            Self::NonlinearCg => "many cheap iterations, without a matrix",
            Self::DynamicRelaxation => "an explicit motion with damping found on the way",
            Self::Robust => {
                "from any start: damped motions untangle the body, newton finds the end"
            }
        }
    }

    /// The keys of `[solver]` that it takes, not counting those of its linear solver.
    pub fn options(self) -> &'static [OptionSpec<Options>] {
        match self {
            Self::Newton | Self::Robust => &[
                options::STATIC_METHOD,
                options::NEWTON,
                options::NEWTON_TOLERANCE,
                options::ABSOLUTE_TOLERANCE,
                options::PROJECTION,
                options::NEWTON_ITERATIONS,
            ],
            Self::TruncatedNewton | Self::NonlinearCg | Self::DynamicRelaxation => {
                &[options::STATIC_METHOD, options::NEWTON_TOLERANCE, options::ABSOLUTE_TOLERANCE]
            }
        }
    }

    /// True if it takes a linear solver.
    pub fn takes_linear_solver(self) -> bool {
        matches!(self, Self::Newton | Self::Robust)
    }

    /// Makes the solver.
    pub fn build(self, options: &StaticOptions) -> Result<Box<dyn NonlinearSolver>, DynamicsError> {
        Ok(match self {
            Self::Newton => Box::new(Newton::new(options.newton, options.solver.linear()?)?),
            Self::TruncatedNewton => Box::new(TruncatedNewton::new(options.truncated_newton)?),
            Self::NonlinearCg => Box::new(NonlinearCg::new(options.nonlinear_cg)?),
            Self::DynamicRelaxation => {
                Box::new(DynamicRelaxation::new(options.dynamic_relaxation.clone())?)
            }
            Self::Robust => {
                let linear = || options.solver.linear();
                let solvers = [linear()?, linear()?, linear()?];
                Box::new(Robust::new(options.robust, options.newton, solvers)?)
            }
        })
    }

    /// Makes the solver with load stepping.
    pub fn statics(self, options: &StaticOptions) -> Result<Statics, DynamicsError> {
        Statics::new(self.build(options)?, options.load)
    }
}

impl FromStr for StaticMethod {
    type Err = DynamicsError;

    fn from_str(text: &str) -> Result<Self, DynamicsError> {
        Self::ALL.into_iter().find(|m| m.name() == text).ok_or_else(|| {
            DynamicsError::UnknownStaticMethod {
                found: text.to_owned(),
                nearest: nearest(text, Self::ALL.map(Self::name)),
                known: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}
