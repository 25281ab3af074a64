//! Integrators by the names users know them by.

use std::str::FromStr;

use pliant_errors::names::nearest;
use pliant_solvers::Choice;

use super::{
    AMF_RK32, BackwardEuler, Bdf, CentralDifferences, EXPLICIT_MIDPOINT, Explicit, FORWARD_EULER,
    GeneralizedAlpha, ImplicitMidpoint, Integrator, Newmark, QuasiStatic, RK4, ROSENBROCK2,
    ROSENBROCK4_GRK4A, ROSENBROCK4_GRK4T, ROSENBROCK4_LSTABLE, ROSENBROCK4_SHAMPINE,
    ROSENBROCK4_VELDHUIZEN_B, ROSENBROCK4_VELDHUIZEN_D, RosenbrockTable, RungeKutta,
    SymplecticEuler, THREE_EIGHTHS, Trapezoidal, Verlet,
};
use super::{DORMAND_PRINCE_5, DORMAND_PRINCE_853, Embedded, ExplicitNewmark, Rkc2, Rock2};
use crate::adaptive::{Adaptive, StepControl};
use crate::newton::{Newton, NewtonSettings};
use crate::{
    DynamicsError, Implicit, ImplicitScheme, LinearlyImplicit, Start, StaticMethod, StaticOptions,
};

/// What integrators can be told. Each looks at what concerns it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// For implicit methods.
    pub newton: NewtonSettings,
    /// Their linear solver.
    pub solver: Choice,
    /// What Newton starts from.
    pub start: Start,
    /// β and γ of `newmark`.
    pub newmark: (f64, f64),
    /// ρ∞ of `generalized-alpha`.
    pub spectral_radius: f64,
    /// Steps chosen by a tolerance, for methods that estimate their error: a step is then made of as many
    /// shorter ones as it needs.
    pub control: Option<StepControl>,
    /// Steps between factorisations of `central-differences` where damping changes.
    pub refactor_every: usize,
    /// How `quasi-static` comes to rest.
    pub static_method: StaticMethod,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            newton: NewtonSettings::default(),
            solver: Choice::default(),
            start: Start::default(),
            newmark: (0.25, 0.5),
            spectral_radius: 0.8,
            control: None,
            refactor_every: 1,
            static_method: StaticMethod::default(),
        }
    }
}

impl Options {
    /// One linear system a step.
    pub fn semi_implicit() -> Self {
        let newton = NewtonSettings::semi_implicit();
        Self { newton, start: Start::Positions, ..Self::default() }
    }
}

macro_rules! names {
    ($($variant:ident $name:literal $about:literal;)*) => {
        /// An integrator by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum IntegratorName {
            $(#[doc = $about] $variant,)*
        }

        impl IntegratorName {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name users know it by.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// One line about it.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)*
                }
            }
        }
    };
}

names! {
    ForwardEuler "forward-euler" "explicit, order 1; vibrations grow at any step";
    SymplecticEuler "symplectic-euler" "explicit, order 1; no drift of energy";
    ExplicitMidpoint "explicit-midpoint" "explicit, order 2; vibrations grow slowly";
    Rk4 "rk4" "explicit, order 4; the classical method of Kutta";
    ThreeEighths "three-eighths" "explicit, order 4; Kutta's 3/8 rule";
    DormandPrince5 "dormand-prince-5" "explicit, order 5; knows its error, dense output of order 4";
    DormandPrince853 "dormand-prince-853" "explicit, order 8; knows its error, dense output of order 7";
    Verlet "verlet" "explicit, order 2; symplectic, one evaluation a step; no damping";
    CentralDifferences "central-differences" "explicit, order 2; as verlet, with damping";
    Rkc2 "rkc2" "explicit, order 2; as many stages as damped motion needs, knows its error";
    Rock2 "rock2" "explicit, order 2; as rkc2, with a longer stability interval";
    ExplicitNewmark "explicit-newmark" "explicit, order 2; prefactored steps T/2^i, chosen by stability";
    BackwardEuler "backward-euler" "implicit, order 1; takes every step, damps every vibration";
    ImplicitMidpoint "implicit-midpoint" "implicit, order 2; keeps momentum and, on linear bodies, energy";
    Trapezoidal "trapezoidal" "implicit, order 2; no damping";
    Newmark "newmark" "implicit, order 2 for gamma 1/2; beta and gamma to choose";
    GeneralizedAlpha "generalized-alpha" "implicit, order 2; damps only what the step cannot resolve";
    Bdf1 "bdf1" "implicit, order 1; backward Euler as a multistep method";
    Bdf2 "bdf2" "implicit, order 2; A-stable, damps";
    Bdf3 "bdf3" "implicit, order 3; stable but near the imaginary axis";
    Bdf4 "bdf4" "implicit, order 4; for smooth or damped motion";
    Bdf5 "bdf5" "implicit, order 5; for smooth or damped motion";
    Bdf6 "bdf6" "implicit, order 6; for smooth or damped motion";
    QuasiStatic "quasi-static" "a state of rest at every time; no inertia, no damping";
    Rosenbrock2 "rosenbrock2" "linearly implicit, order 2; L-stable, with any Jacobian";
    AmfRk32 "amf-rk32" "linearly implicit, order 3; L-stable";
    Rosenbrock4Lstable "rosenbrock4-lstable" "linearly implicit, order 4; L-stable";
    Rosenbrock4Shampine "rosenbrock4-shampine" "linearly implicit, order 4; A-stable";
    Rosenbrock4Grk4t "rosenbrock4-grk4t" "linearly implicit, order 4; small errors, nearly A-stable";
    Rosenbrock4Grk4a "rosenbrock4-grk4a" "linearly implicit, order 4; A-stable";
    Rosenbrock4VeldhuizenD "rosenbrock4-veldhuizen-d" "linearly implicit, order 4; small errors, nearly A-stable";
    Rosenbrock4VeldhuizenB "rosenbrock4-veldhuizen-b" "linearly implicit, order 4; A-stable";
}

impl IntegratorName {
    /// Whether equal steps make it symplectic or reversible in time with these options, so that energy does not
    /// drift. A step that is divided breaks this: the drift is then that of any method of its order.
    pub fn keeps_structure(self, options: &Options) -> bool {
        match self {
            Self::SymplecticEuler
            | Self::Verlet
            | Self::CentralDifferences
            | Self::ExplicitNewmark
            | Self::ImplicitMidpoint
            | Self::Trapezoidal => true,
            // Reversible without its damping.
            Self::Newmark => options.newmark.1 == 0.5,
            Self::GeneralizedAlpha => options.spectral_radius == 1.0,
            Self::ForwardEuler
            | Self::ExplicitMidpoint
            | Self::Rk4
            | Self::ThreeEighths
            | Self::DormandPrince5
            | Self::DormandPrince853
            | Self::Rkc2
            | Self::Rock2
            | Self::BackwardEuler
            | Self::Bdf1
            | Self::Bdf2
            | Self::Bdf3
            | Self::Bdf4
            | Self::Bdf5
            | Self::Bdf6
            | Self::QuasiStatic
            | Self::Rosenbrock2
            | Self::AmfRk32
            | Self::Rosenbrock4Lstable
            | Self::Rosenbrock4Shampine
            | Self::Rosenbrock4Grk4t
            | Self::Rosenbrock4Grk4a
            | Self::Rosenbrock4VeldhuizenD
            | Self::Rosenbrock4VeldhuizenB => false,
        }
    }

    /// Makes it.
    pub fn build(self, options: &Options) -> Result<Box<dyn Integrator>, DynamicsError> {
        let fixed = self.with_fixed_steps(options)?;
        Ok(match options.control {
            Some(control) => Box::new(Adaptive::new(fixed, control)?),
            None => fixed,
        })
    }

    fn with_fixed_steps(self, options: &Options) -> Result<Box<dyn Integrator>, DynamicsError> {
        let scheme: Box<dyn ImplicitScheme> = match self {
            Self::ForwardEuler => {
                return Ok(Box::new(Explicit::new(RungeKutta::new(&FORWARD_EULER))));
            }
            Self::SymplecticEuler => return Ok(Box::new(Explicit::new(SymplecticEuler))),
            Self::ExplicitMidpoint => {
                return Ok(Box::new(Explicit::new(RungeKutta::new(&EXPLICIT_MIDPOINT))));
            }
            Self::Rk4 => return Ok(Box::new(Explicit::new(RungeKutta::new(&RK4)))),
            Self::ThreeEighths => {
                return Ok(Box::new(Explicit::new(RungeKutta::new(&THREE_EIGHTHS))));
            }
            Self::DormandPrince5 => {
                return Ok(Box::new(Explicit::new(Embedded::new(&DORMAND_PRINCE_5))));
            }
            Self::DormandPrince853 => {
                return Ok(Box::new(Explicit::new(Embedded::new(&DORMAND_PRINCE_853))));
            }
            Self::Verlet => return Ok(Box::new(Explicit::new(Verlet))),
            Self::CentralDifferences => {
                let scheme = CentralDifferences::refactored_every(options.refactor_every)?;
                return Ok(Box::new(Explicit::new(scheme)));
            }
            Self::Rkc2 => return Ok(Box::new(Explicit::new(Rkc2::new()))),
            Self::Rock2 => return Ok(Box::new(Explicit::new(Rock2::new()))),
            Self::ExplicitNewmark => {
                return Ok(Box::new(Explicit::new(ExplicitNewmark::new())));
            }
            Self::BackwardEuler => Box::new(BackwardEuler),
            Self::ImplicitMidpoint => Box::new(ImplicitMidpoint),
            Self::Trapezoidal => Box::new(Trapezoidal),
            Self::Newmark => Box::new(Newmark::new(options.newmark.0, options.newmark.1)?),
            Self::GeneralizedAlpha => Box::new(GeneralizedAlpha::new(options.spectral_radius)?),
            Self::Bdf1 => Box::new(Bdf::new(1)?),
            Self::Bdf2 => Box::new(Bdf::new(2)?),
            Self::Bdf3 => Box::new(Bdf::new(3)?),
            Self::Bdf4 => Box::new(Bdf::new(4)?),
            Self::Bdf5 => Box::new(Bdf::new(5)?),
            Self::Bdf6 => Box::new(Bdf::new(6)?),
            Self::QuasiStatic => {
                let statics = StaticOptions {
                    newton: options.newton,
                    solver: options.solver,
                    ..StaticOptions::default()
                        .with_force_tolerance(options.newton.force_tolerance)
                        .with_absolute_force(options.newton.absolute_force)
                };
                let statics = options.static_method.statics(&statics)?;
                return Ok(Box::new(QuasiStatic::new(statics)));
            }
            Self::Rosenbrock2 => return linearly_implicit(&ROSENBROCK2, options),
            Self::AmfRk32 => return linearly_implicit(&AMF_RK32, options),
            Self::Rosenbrock4Lstable => return linearly_implicit(&ROSENBROCK4_LSTABLE, options),
            Self::Rosenbrock4Shampine => return linearly_implicit(&ROSENBROCK4_SHAMPINE, options),
            Self::Rosenbrock4Grk4t => return linearly_implicit(&ROSENBROCK4_GRK4T, options),
            Self::Rosenbrock4Grk4a => return linearly_implicit(&ROSENBROCK4_GRK4A, options),
            Self::Rosenbrock4VeldhuizenD => {
                return linearly_implicit(&ROSENBROCK4_VELDHUIZEN_D, options);
            }
            Self::Rosenbrock4VeldhuizenB => {
                return linearly_implicit(&ROSENBROCK4_VELDHUIZEN_B, options);
            }
        };
        let newton = Newton::new(options.newton, options.solver.linear()?)?;
        Ok(Box::new(Implicit::new(scheme, Box::new(newton), options.start)))
    }
}

fn linearly_implicit(
    table: &'static RosenbrockTable,
    options: &Options,
) -> Result<Box<dyn Integrator>, DynamicsError> {
    let (solver, projection) = (options.solver.build()?, options.newton.projection);
    Ok(Box::new(LinearlyImplicit::new(Box::new(table), solver, projection)))
}

impl FromStr for IntegratorName {
    type Err = DynamicsError;

    fn from_str(text: &str) -> Result<Self, DynamicsError> {
        if let Some(&found) = Self::ALL.iter().find(|i| i.name() == text) {
            return Ok(found);
        }
        Err(DynamicsError::UnknownIntegrator {
            found: text.to_owned(),
            nearest: nearest(text, Self::ALL.iter().map(|i| i.name())),
            known: Self::ALL.iter().map(|i| i.name()).collect::<Vec<_>>().join(", "),
        })
    }
}
