//! Integrators by the names users know them by.

use std::str::FromStr;

use pliant_errors::names::nearest;
use pliant_units::OptionSpec;

use super::{
    Integrator, IntegratorEntry, Options, amf_rk32, backward_euler, bdf, central_differences,
    dormand_prince_5, dormand_prince_853, explicit_midpoint, explicit_newmark, forward_euler,
    generalized_alpha, implicit_midpoint, newmark, quasi_static, rk4, rkc2, rock2, rosenbrock2,
    rosenbrock4, symplectic_euler, three_eighths, trapezoidal, verlet,
};
use crate::adaptive::Adaptive;
use crate::{DynamicsError, LoadRule};

macro_rules! names {
    ($($variant:ident $entry:path;)*) => {
        /// An integrator by name: a handle to its [`IntegratorEntry`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "its entry says what each is")]
        pub enum IntegratorName {
            $($variant,)*
        }

        impl IntegratorName {
            /// All of them, in the order in which they are shown to users.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Everything the register knows about it.
            pub const fn entry(self) -> &'static IntegratorEntry {
                match self {
                    $(Self::$variant => &$entry,)*
                }
            }
        }
    };
}

// A new method adds its line here.
names! {
    ForwardEuler forward_euler::ENTRY;
    SymplecticEuler symplectic_euler::ENTRY;
    ExplicitMidpoint explicit_midpoint::ENTRY;
    Rk4 rk4::ENTRY;
    ThreeEighths three_eighths::ENTRY;
    DormandPrince5 dormand_prince_5::ENTRY;
    DormandPrince853 dormand_prince_853::ENTRY;
    Verlet verlet::ENTRY;
    CentralDifferences central_differences::ENTRY;
    Rkc2 rkc2::ENTRY;
    Rock2 rock2::ENTRY;
    ExplicitNewmark explicit_newmark::ENTRY;
    BackwardEuler backward_euler::ENTRY;
    ImplicitMidpoint implicit_midpoint::ENTRY;
    Trapezoidal trapezoidal::ENTRY;
    Newmark newmark::ENTRY;
    GeneralizedAlpha generalized_alpha::ENTRY;
    Bdf1 bdf::BDF1;
    Bdf2 bdf::BDF2;
    Bdf3 bdf::BDF3;
    Bdf4 bdf::BDF4;
    Bdf5 bdf::BDF5;
    Bdf6 bdf::BDF6;
    QuasiStatic quasi_static::ENTRY;
    Rosenbrock2 rosenbrock2::ENTRY;
    AmfRk32 amf_rk32::ENTRY;
    Rosenbrock4Lstable rosenbrock4::LSTABLE;
    Rosenbrock4Shampine rosenbrock4::SHAMPINE;
    Rosenbrock4Grk4t rosenbrock4::GRK4T;
    Rosenbrock4Grk4a rosenbrock4::GRK4A;
    Rosenbrock4VeldhuizenD rosenbrock4::VELDHUIZEN_D;
    Rosenbrock4VeldhuizenB rosenbrock4::VELDHUIZEN_B;
}

impl IntegratorName {
    /// Every key of `[time]` that some method takes.
    pub const OPTIONS: &'static [OptionSpec<Options>] = super::options::TIME;

    /// The name users know it by.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// One line about it.
    pub const fn about(self) -> &'static str {
        self.entry().about
    }

    /// The keys of `[time]` that it takes.
    pub const fn options(self) -> &'static [OptionSpec<Options>] {
        self.entry().options
    }

    /// The methods that take a key of `[time]`.
    pub fn takers(key: &str) -> Vec<&'static str> {
        let takes = |name: &&Self| name.options().iter().any(|o| o.key == key);
        Self::ALL.iter().filter(takes).map(|name| name.name()).collect()
    }

    /// Whether equal steps make it symplectic or reversible in time with these options, so that energy does not
    /// drift. A step that is divided breaks this: the drift is then that of any method of its order.
    pub fn keeps_structure(self, options: &Options) -> bool {
        (self.entry().keeps_structure)(options)
    }

    /// The largest h ω for which an undamped vibration does not grow.
    pub fn imaginary_interval(self) -> f64 {
        (self.entry().imaginary_interval)()
    }

    /// How the work of loads within a step is summed up, with these options.
    pub fn load_rule(self, options: &Options) -> LoadRule {
        match self.entry().load_rule {
            // Steps that a method divides by itself are not seen one by one.
            LoadRule::Chord(_) if options.control.is_some() => LoadRule::Cubic,
            rule => rule,
        }
    }

    /// Makes it.
    pub fn build(self, options: &Options) -> Result<Box<dyn Integrator>, DynamicsError> {
        let fixed = (self.entry().make)(options)?;
        Ok(match options.control {
            Some(control) => Box::new(Adaptive::new(fixed, control)?),
            None => fixed,
        })
    }
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
