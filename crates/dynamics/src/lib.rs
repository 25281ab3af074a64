//! Statics and dynamics: how a system of force models comes to rest, and how it moves.
//!
//! A [`System`] is what does not change: models bound to one matrix, masses, constraints. A [`State`] is
//! what does: positions, velocities, accelerations, time and the past that multistep methods need. An
//! [`Integrator`] takes a state one step further or fails with the state as it was; [`Statics`] finds the
//! state in which nothing moves. One implicit step and a static solve are the same call of a
//! [`NonlinearSolver`].

pub mod balance;
pub mod constraints;
mod critical;
mod dynamic_relaxation;
mod error;
pub mod implicit;
pub mod integrators;
pub mod ledger;
pub mod line_search;
pub mod modes;
pub mod newton;
mod nonlinear_cg;
mod problem;
mod rigid;
pub mod state;
pub mod statics;
mod symmetric;
pub mod system;
mod vector;

pub use balance::{Energies, sum_and_moment};
pub use constraints::{Constraints, Moment, Motion};
pub use dynamic_relaxation::{Damper, DynamicRelaxation, DynamicRelaxationSettings};
pub use error::DynamicsError;
pub use implicit::{Implicit, ImplicitScheme, Prediction, Shares, Start};
pub use integrators::{
    Estimate, Explicit, ExplicitScheme, Integrator, IntegratorName, Options, StepReport,
};
pub use ledger::{Balance, Ledger};
pub use modes::{Mode, ModeSettings, Modes};
pub use newton::{Counters, Forcing, Form, Newton, NewtonReport, NewtonSettings, Projection};
pub use nonlinear_cg::{CgFormula, NonlinearCg, NonlinearCgSettings};
pub use problem::{Evaluation, NonlinearSolver, Problem};
pub use state::{Past, State};
pub use statics::{StaticReport, StaticSettings, Statics};
pub use system::{Mass, Role, System, Weights};
