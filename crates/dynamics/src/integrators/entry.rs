//! [`IntegratorEntry`]: everything there is to know about a method without running it. A method is one file that ends with
//! its entry, and one line in the list of [`names`](super::names).

use pliant_units::OptionSpec;

use super::options::{self, Options};
use super::{Embedded, EmbeddedTableau, Explicit};
use super::{ExplicitScheme, Integrator, RosenbrockTable, RungeKutta, Tableau};
use crate::critical::stable_on_imaginary_axis;
use crate::newton::Newton;
use crate::{DynamicsError, Implicit, ImplicitScheme, LinearlyImplicit, LoadRule};

/// One method of the register.
#[derive(Debug, Clone, Copy)]
pub struct IntegratorEntry {
    /// Name in scenes and commands: lower case with hyphens, unique.
    pub name: &'static str,
    /// One line for users.
    pub about: &'static str,
    /// Equations that a step solves, and so the keys of `[solver]` that it takes.
    pub solves: Solves,
    /// Keys of `[time]` that it takes.
    pub options: &'static [OptionSpec<Options>],
    /// True if equal steps make it symplectic or reversible in time with these options.
    pub keeps_structure: fn(&Options) -> bool,
    /// The largest h ω for which an undamped vibration does not grow; infinite for methods without a limit.
    pub imaginary_interval: fn() -> f64,
    /// Whether forces at the start of a step count beside those at its end, so that friction which turns in between, as it does
    /// where things stick, is averaged away.
    pub averages_ends: bool,
    /// How the work of loads within a step is summed up.
    pub load_rule: LoadRule,
    /// Makes it, with steps of fixed length.
    pub make: fn(&Options) -> Result<Box<dyn Integrator>, DynamicsError>,
}

/// Equations that a step solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solves {
    /// None, or only its own: explicit methods.
    Nothing,
    /// Linear systems: Rosenbrock methods.
    Linear,
    /// A nonlinear system by Newton's method.
    Newton,
    /// A state of rest by a static method.
    Rest,
}

impl Solves {
    /// Keys of `[solver]` that are taken besides those of the linear solver.
    pub fn options(self, options: &Options) -> &'static [OptionSpec<Options>] {
        match self {
            Self::Nothing => &[],
            Self::Linear => &[options::PROJECTION],
            Self::Newton => &[
                options::NEWTON,
                options::NEWTON_TOLERANCE,
                options::ABSOLUTE_TOLERANCE,
                options::SPEED_TOLERANCE,
                options::PROJECTION,
                options::NEWTON_ITERATIONS,
            ],
            Self::Rest => options.static_method.options(),
        }
    }

    /// True if the keys of a linear solver are taken.
    pub fn takes_linear_solver(self, options: &Options) -> bool {
        match self {
            Self::Nothing => false,
            Self::Linear | Self::Newton => true,
            Self::Rest => options.static_method.takes_linear_solver(),
        }
    }
}

impl IntegratorEntry {
    /// What explicit methods have in common. Name, text and maker are still to be given.
    pub const EXPLICIT: Self = Self {
        name: "",
        about: "",
        solves: Solves::Nothing,
        options: &[options::TOLERANCE],
        keeps_structure: |_| false,
        imaginary_interval: || f64::INFINITY,
        averages_ends: false,
        load_rule: LoadRule::Cubic,
        make: |_| explicit(super::SymplecticEuler),
    };
    /// The same for explicit methods whose step has a matrix of determinant 1: |tr| ≤ 2.
    pub const SYMPLECTIC: Self =
        Self { keeps_structure: |_| true, imaginary_interval: || 2.0, ..Self::EXPLICIT };
    /// The same for implicit methods.
    pub const IMPLICIT: Self = Self { solves: Solves::Newton, ..Self::EXPLICIT };
    /// The same for Rosenbrock methods.
    pub const LINEARLY_IMPLICIT: Self = Self { solves: Solves::Linear, ..Self::EXPLICIT };
}

/// An explicit method.
#[allow(clippy::unnecessary_wraps, reason = "as makers are")]
pub(super) fn explicit<S: ExplicitScheme + 'static>(
    scheme: S,
) -> Result<Box<dyn Integrator>, DynamicsError> {
    Ok(Box::new(Explicit::new(scheme)))
}

/// A Runge-Kutta method.
pub(super) fn runge_kutta(table: &'static Tableau) -> Result<Box<dyn Integrator>, DynamicsError> {
    explicit(RungeKutta::new(table))
}

/// A Runge-Kutta method that knows its error.
pub(super) fn embedded(
    table: &'static EmbeddedTableau,
) -> Result<Box<dyn Integrator>, DynamicsError> {
    explicit(Embedded::new(table))
}

/// An implicit method, solved by Newton's.
pub(super) fn implicit<S: ImplicitScheme + 'static>(
    scheme: S,
    options: &Options,
) -> Result<Box<dyn Integrator>, DynamicsError> {
    let newton = Newton::new(options.newton, options.solver.linear()?)?;
    Ok(Box::new(Implicit::new(Box::new(scheme), Box::new(newton), options.start)))
}

/// A Rosenbrock method.
pub(super) fn linearly_implicit(
    table: &'static RosenbrockTable,
    options: &Options,
) -> Result<Box<dyn Integrator>, DynamicsError> {
    let (solver, projection) = (options.solver.build()?, options.newton.projection);
    Ok(Box::new(LinearlyImplicit::new(Box::new(table), solver, projection)))
}

/// The interval of a Runge-Kutta method.
pub(super) fn interval(table: &Tableau) -> f64 {
    stable_on_imaginary_axis(&table.stability_polynomial())
}
