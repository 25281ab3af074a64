//! Statics and dynamics: how a system of force models comes to rest, and how it moves.
//!
//! A [`System`] is what does not change: models bound to one matrix, masses, constraints. A [`State`] is
//! what does: positions, velocities, accelerations, time and the past that multistep methods need. An
//! [`Integrator`] takes a state one step further or fails with the state as it was; [`Statics`] finds the
//! state in which nothing moves. One implicit step and a static solve are the same call of a
//! [`NonlinearSolver`].

pub mod adaptive;
pub mod balance;
mod blow_up;
pub mod constraints;
mod critical;
mod damped_step;
mod dynamic_relaxation;
mod equilibrium;
mod error;
mod extrapolation;
pub mod implicit;
pub mod integrators;
pub mod ledger;
pub mod line_search;
mod linear;
pub mod linearly_implicit;
pub mod mapped;
pub mod modes;
pub mod newton;
mod nonlinear_cg;
mod problem;
mod rigid;
mod robust;
mod settling;
mod spectral_radius;
mod stability;
pub mod state;
mod static_method;
pub mod statics;
mod stopped;
mod stopping;
mod symmetric;
pub mod system;
mod truncated_newton;
mod vector;

pub use adaptive::{Adaptive, StepControl, StepCounts, Taken};
pub use balance::{Energies, sum_and_moment};
pub use blow_up::BlowUp;
pub use constraints::{Constraints, Moment, Motion};
pub use critical::{CriticalStep, critical_step};
pub use dynamic_relaxation::{Damper, DynamicRelaxation, DynamicRelaxationSettings};
pub use error::DynamicsError;
pub use implicit::{Differentiation, Implicit, ImplicitScheme, Prediction, Shares, Start};
pub use integrators::{
    Estimate, Explicit, ExplicitScheme, Integrator, IntegratorEntry, IntegratorName, Method,
    Options, Solves, StepReport,
};
pub use ledger::{Balance, Ledger, LoadRule, PartEntries};
pub use linearly_implicit::{LinearlyImplicit, LinearlyImplicitScheme, Stage};
pub use mapped::{Map, Mapped, Restriction};
pub use modes::{Mode, ModeSettings, Modes};
pub use newton::{
    Counters, Forcing, Form, Newton, NewtonReport, NewtonSettings, Phases, Projection,
};
pub use nonlinear_cg::{CgFormula, CgSearch, NonlinearCg, NonlinearCgSettings};
pub use problem::{Evaluation, NonlinearSolver, Problem, Tangled, blocks_of};
pub use robust::{Robust, RobustSettings};
pub use stability::StabilityCheck;
pub use state::{Past, State};
pub use static_method::{StaticMethod, StaticOptions};
pub use statics::{StaticReport, StaticSettings, Statics};
pub use stopped::Stopped;
pub use stopping::{Iterate, Stopping};
pub use system::{Accelerations, Acting, End, Mass, ModelForce, Role, System, Weights};
pub use truncated_newton::{TruncatedNewton, TruncatedNewtonSettings};
