//! Integrators by name: each takes a state one step further, or fails and leaves it as it was.

mod amf_rk32;
mod backward_euler;
mod bdf;
mod central_differences;
mod damped_mass;
mod dormand_prince_5;
mod dormand_prince_853;
mod embedded;
mod entry;
mod explicit_midpoint;
mod explicit_newmark;
mod forward_euler;
mod generalized_alpha;
mod implicit_midpoint;
mod method;
mod names;
mod newmark;
pub(crate) mod options;
mod quasi_static;
mod rk4;
mod rkc2;
mod rock2;
mod rosenbrock;
mod rosenbrock2;
mod rosenbrock4;
mod runge_kutta;
mod stabilized;
mod symplectic_euler;
mod three_eighths;
mod three_term;
mod trapezoidal;
mod verlet;

pub use amf_rk32::AMF_RK32;
pub use backward_euler::BackwardEuler;
pub use bdf::Bdf;
pub use central_differences::CentralDifferences;
pub use dormand_prince_5::DORMAND_PRINCE_5;
pub use dormand_prince_853::DORMAND_PRINCE_853;
pub use embedded::{Embedded, EmbeddedTableau};
pub use entry::{IntegratorEntry, Solves};
pub use explicit_midpoint::EXPLICIT_MIDPOINT;
pub use explicit_newmark::ExplicitNewmark;
pub use forward_euler::FORWARD_EULER;
pub use generalized_alpha::GeneralizedAlpha;
pub use implicit_midpoint::ImplicitMidpoint;
pub use method::{Estimate, Method};
pub use names::IntegratorName;
pub use newmark::Newmark;
pub use options::Options;
pub use quasi_static::QuasiStatic;
pub use rk4::RK4;
pub use rkc2::{Rkc, Rkc2};
pub use rock2::{Rock, Rock2};
pub use rosenbrock::RosenbrockTable;
pub use rosenbrock2::ROSENBROCK2;
pub use rosenbrock4::{
    ROSENBROCK4_GRK4A, ROSENBROCK4_GRK4T, ROSENBROCK4_LSTABLE, ROSENBROCK4_SHAMPINE,
    ROSENBROCK4_VELDHUIZEN_B, ROSENBROCK4_VELDHUIZEN_D,
};
pub use runge_kutta::{RungeKutta, Tableau};
pub use stabilized::{Family, Stabilized, Stages};
pub use symplectic_euler::SymplecticEuler;
pub use three_eighths::THREE_EIGHTHS;
pub use trapezoidal::Trapezoidal;
pub use verlet::Verlet;

use pliant_algebra::vec3::Vec3;
use pliant_forces::Memory;
use pliant_sections::Sections;
use pliant_solvers::SolverUse;

use crate::adaptive::StepCounts;
use crate::newton::{Counters, NewtonReport, Phases};
use crate::system::{Accelerations, End};
use crate::{BlowUp, DynamicsError, State, System};

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// What the nonlinear solver did, for implicit methods.
    pub newton: Option<NewtonReport>,
}

/// Something that moves a state on in time.
pub trait Integrator: Method {
    /// One step of h seconds. On error the state is what it was.
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError>;
    /// What was done since it was made.
    fn counters(&self) -> Counters;
    /// Where its time went, of those that look at the clock.
    fn phases(&self) -> Phases {
        Phases::default()
    }
    /// As [`NonlinearSolver::chosen`](crate::NonlinearSolver::chosen).
    fn chosen(&self) -> Option<SolverUse> {
        None
    }
}

/// An explicit method: how to advance.
pub trait ExplicitScheme: Method {
    /// Whether forces may depend on velocities, but for dry friction, which every method takes.
    fn takes_velocity_forces(&self) -> bool;
    /// Writes the state after h seconds: positions and velocities, and accelerations if it returns true.
    fn advance(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        next: &mut Next,
    ) -> Result<bool, DynamicsError>;
}

/// The state that a step ends with, before it is taken.
#[derive(Debug, Clone, Default)]
pub struct Next {
    /// Positions, m.
    pub x: Vec<Vec3>,
    /// Velocities, m/s.
    pub v: Vec<Vec3>,
    /// Accelerations, m/s².
    pub a: Vec<Vec3>,
    /// What models remember, if the scheme has followed it through steps of its own.
    pub memory: Vec<Memory>,
    /// If so, what they have dissipated meanwhile, J.
    pub followed: Option<f64>,
}

/// An integrator made of an explicit scheme.
pub struct Explicit<S> {
    scheme: S,
    next: Next,
    /// Whether the system suits the scheme, once looked at.
    suits: bool,
    counters: Counters,
}

impl<S: ExplicitScheme> Explicit<S> {
    /// Of a scheme.
    pub fn new(scheme: S) -> Self {
        Self { scheme, next: Next::default(), suits: false, counters: Counters::default() }
    }

    fn attempt(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<(), DynamicsError> {
        state.check(system.vertices())?;
        system.begin_step(state, h)?;
        if !self.suits {
            if !self.scheme.takes_velocity_forces() && system.is_damped() {
                return Err(DynamicsError::Unsupported(format!(
                    "{} does not serve forces that depend on velocity: take central-differences, rk4 or an implicit method, or leave out damping",
                    self.scheme.name()
                )));
            }
            self.suits = true;
        }
        let next = &mut self.next;
        for list in [&mut next.x, &mut next.v, &mut next.a] {
            list.resize(system.vertices(), [0.0; 3]);
        }
        // Where forces are asked for first, for the report if that fails.
        next.x.copy_from_slice(&state.x);
        next.followed = None;
        let knows = self.scheme.advance(system, state, h, next)?;
        let Next { x, v, a, memory, followed } = next;
        let end = End {
            x,
            v,
            a: if knows { Accelerations::Known(a) } else { Accelerations::Unknown },
            time: state.time + h,
            keep: 0,
            followed: followed.map(|dissipated| (memory, dissipated)),
        };
        system.end_step(state, end)
    }
}

impl<S: ExplicitScheme> Method for Explicit<S> {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn order(&self) -> usize {
        self.scheme.order()
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        self.scheme.estimate()
    }

    fn rough_estimate(&self) -> Option<Estimate<'_>> {
        self.scheme.rough_estimate()
    }

    fn interpolate(
        &mut self,
        system: &mut System,
        theta: f64,
        x: &mut [Vec3],
        v: &mut [Vec3],
    ) -> Result<bool, DynamicsError> {
        self.scheme.interpolate(system, theta, x, v)
    }

    fn step_counts(&self) -> Option<StepCounts> {
        self.scheme.step_counts()
    }

    fn save(&self, to: &mut Sections) {
        to.write("explicit").flag(self.suits);
        self.scheme.save(to);
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        let mut section = from.read("explicit")?;
        self.suits = section.flag()?;
        section.finish()?;
        self.scheme.load(from, system)
    }

    fn forget(&mut self) {
        self.scheme.forget();
    }
}

impl<S: ExplicitScheme> Integrator for Explicit<S> {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        check_step(h)?;
        let evaluations = system.evaluations();
        let outcome = self.attempt(system, state, h);
        self.counters.residuals += system.evaluations() - evaluations;
        match outcome {
            Ok(()) => Ok(StepReport::default()),
            Err(cause) => Err(failed_at(system, state, &self.next.x, h, true, cause)),
        }
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

pub(crate) fn check_step(h: f64) -> Result<(), DynamicsError> {
    if h > 0.0 && h.is_finite() { Ok(()) } else { Err(DynamicsError::Step { found: h }) }
}

/// The report of a step that failed.
pub(crate) fn failed(state: &State, h: f64, cause: DynamicsError) -> DynamicsError {
    match cause {
        // What is wrong with the set-up has nothing to do with the step.
        DynamicsError::Unsupported(_) | DynamicsError::Length { .. } => cause,
        cause => {
            let (vertex, speed) = state.fastest();
            let cause = Box::new(cause);
            DynamicsError::Failed { time: state.time, step: h, vertex, speed, cause, report: None }
        }
    }
}

/// The same with what is known about positions x, at which forces were last asked for.
pub(crate) fn failed_at(
    system: &System,
    state: &State,
    x: &[Vec3],
    h: f64,
    explicit: bool,
    cause: DynamicsError,
) -> DynamicsError {
    let known = BlowUp::of(system, state, x, h, explicit, &cause);
    let mut error = failed(state, h, cause);
    if let DynamicsError::Failed { report, .. } = &mut error {
        *report = Some(Box::new(known));
    }
    error
}
