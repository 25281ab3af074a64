//! [`DynamicsError`]: why a body could not be moved or brought to rest, and what to try.

use pliant_algebra::vec3::Vec3;
use pliant_errors::{Class, six_digits, six_digits_of};
use pliant_forces::ForceError;
use pliant_sections::SectionError;
use pliant_solvers::SolverError;

use crate::BlowUp;

/// Why a step, a static solve or a set-up failed. The state is always that of before.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicsError {
    /// A force model failed.
    #[error("{0}")]
    Force(#[from] ForceError),
    /// The linear solver failed.
    #[error("{0}")]
    Linear(#[from] SolverError),
    /// The time step is not positive and finite.
    #[error("time step {} s: a finite number above 0 is needed", six_digits(*.found))]
    Step {
        /// What was given.
        found: f64,
    },
    /// A setting is outside its range.
    #[error("{what} = {}: {accepted}", six_digits(*.found))]
    Setting {
        /// Which.
        what: &'static str,
        /// Its value.
        found: f64,
        /// What is accepted.
        accepted: &'static str,
    },
    /// A value of the state is NaN or infinite.
    #[error("the {what} of vertex {vertex} is {}: the state is not finite", six_digits_of(*.value))]
    NotFinite {
        /// Position, velocity, …
        what: &'static str,
        /// The first such vertex.
        vertex: usize,
        /// What was found.
        value: Vec3,
    },
    /// A list is not as long as there are vertices.
    #[error("{found} {what}, but the system has {expected} vertices")]
    Length {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
    /// Two holds of a vertex differ along a direction.
    #[error(
        "vertex {vertex} is held twice along {direction:?}, by holds {first} and {second}, whose motions differ: hold it once, or along orthogonal directions"
    )]
    HeldTwice {
        /// The vertex.
        vertex: usize,
        /// The direction that both hold, or have a part in.
        direction: Vec3,
        /// The number of the hold that was made first, from 0.
        first: usize,
        /// The number of the other one.
        second: usize,
    },
    /// What is asked for cannot be done with this system.
    #[error("{0}")]
    Unsupported(String),
    /// No such integrator.
    #[error("there is no integrator \"{found}\"; did you mean \"{nearest}\"? (there are {known})")]
    UnknownIntegrator {
        /// The name given.
        found: String,
        /// The one most like it.
        nearest: &'static str,
        /// All names.
        known: String,
    },
    /// No such static method.
    #[error(
        "there is no static method \"{found}\"; did you mean \"{nearest}\"? (there are {known})"
    )]
    UnknownStaticMethod {
        /// The name given.
        found: String,
        /// The one most like it.
        nearest: &'static str,
        /// All names.
        known: String,
    },
    /// The nonlinear solver came to its last iteration.
    #[error(
        "not converged after {iterations} Newton iterations: |r| = {residual:.3e} N, wanted {wanted:.3e} N (largest force {scale:.3e} N, last change {change:.3e} m); take a smaller step, smaller load steps, or allow more iterations"
    )]
    NotConverged {
        /// Iterations made.
        iterations: usize,
        /// |r| where it ended, N.
        residual: f64,
        /// |r| that was wanted, N.
        wanted: f64,
        /// The largest of the forces that r is the sum of, N.
        scale: f64,
        /// The largest movement of a vertex in the last iteration, m.
        change: f64,
    },
    /// No step along the Newton direction is better than none.
    #[error(
        "Newton iteration {iteration} is stuck at |r| = {residual:.3e} N (wanted {wanted:.3e} N): {trials} shorter steps, down to {shortest:.1e} of it, did not lower {merit}{}; take a smaller step",
        .inverted.map_or(String::new(), |e| format!(", and element {e} is about to invert"))
    )]
    Stuck {
        /// Which iteration.
        iteration: usize,
        /// |r|, N.
        residual: f64,
        /// |r| that was wanted, N.
        wanted: f64,
        /// Step lengths tried.
        trials: usize,
        /// The shortest one.
        shortest: f64,
        /// "the energy" or "the residual".
        merit: &'static str,
        /// An element that inverted on the way.
        inverted: Option<usize>,
    },
    /// A time step failed.
    #[error(
        "the step from t = {time:.6e} s by {step:.3e} s failed (fastest vertex {vertex}: {speed:.3e} m/s): {cause}{}",
        .report.as_ref().map_or(String::new(), ToString::to_string)
    )]
    Failed {
        /// Where it began, s.
        time: f64,
        /// Its length, s.
        step: f64,
        /// The fastest vertex before the step.
        vertex: usize,
        /// Its speed, m/s.
        speed: f64,
        /// Why.
        #[source]
        cause: Box<DynamicsError>,
        /// Where it broke down, and what to try.
        report: Option<Box<BlowUp>>,
    },
    /// No step is short enough for the tolerance.
    #[error(
        "at t = {time:.6e} s the step shrank to {step:.3e} s, below {smallest:.3e} s, in {trials} trials{}; the motion has a jump here, the tolerance is too tight, or the body breaks down: loosen the tolerance, allow shorter steps, or smooth the load",
        .cause.as_ref().map_or(String::new(), |c| format!(" (the last one: {c})"))
    )]
    StepTooSmall {
        /// Time of the last good state, s.
        time: f64,
        /// The step it came down to, s.
        step: f64,
        /// The shortest one allowed, s.
        smallest: f64,
        /// Trials.
        trials: usize,
        /// Why the last one failed, if it did so otherwise than by its error.
        #[source]
        cause: Option<Box<DynamicsError>>,
    },
    /// Forces balance, but not in a state the material is made for.
    #[error(
        "forces balance only with element {element} of {model} turned inside out (J = {jacobian:.3e}, stretches {:.3e}, {:.3e}, {:.3e}), which its law is not made for: lower the load, allow smaller load steps, or take the invertible form of the material",
        .stretches[0], .stretches[1], .stretches[2]
    )]
    InsideOut {
        /// The model it belongs to.
        model: String,
        /// The first such element.
        element: usize,
        /// The first vertex of the body that it belongs to, as the system counts.
        first_vertex: usize,
        /// det F there.
        jacobian: f64,
        /// The singular values of F, the last with the sign of J.
        stretches: [f64; 3],
    },
    /// No state of rest without inverted elements was found.
    #[error(
        "the body is still tangled after it was let go {rounds} times: {inverted} quadrature points are inverted, the smallest J is {min_j:.3e}{}; take a law that pulls inverted elements back harder (stable-neo-hookean, a higher threshold), a finer mesh, or a start nearer to the answer",
        .cause.as_ref().map_or(String::new(), |c| format!(" (the last time: {c})"))
    )]
    Tangled {
        /// How often it was let go.
        rounds: usize,
        /// Inverted quadrature points of the best end.
        inverted: u64,
        /// The smallest J there.
        min_j: f64,
        /// Why no end was found the last time, if that was so every time.
        #[source]
        cause: Option<Box<DynamicsError>>,
    },
    /// A static solve did not get to the full load.
    #[error(
        "the load could be brought to {factor:.6} of itself only, in {increments} increments: {cause}"
    )]
    Load {
        /// The largest part for which there is an equilibrium state.
        factor: f64,
        /// Increments that succeeded.
        increments: usize,
        /// What stopped it.
        #[source]
        cause: Box<DynamicsError>,
    },
    /// Nothing holds a body.
    #[error(
        "nothing holds vertex {vertex}: it was followed for {rounds} rounds, and in the last one it still moved by {:.3e}, {:.3e}, {:.3e} m and met nothing that stops it; fix the body, or put something in its way", .way[0], .way[1], .way[2]
    )]
    Unheld {
        /// The one that moves farthest.
        vertex: usize,
        /// Its way in the last round, m.
        way: Vec3,
        /// Rounds made.
        rounds: usize,
    },
    /// A part of the system touches nothing where its forces balance.
    #[error(
        "the body with vertex {vertex} touches nothing at its state of rest, and nothing else holds it: fix it, or press something on it"
    )]
    Untouched {
        /// The first vertex of the part.
        vertex: usize,
    },
    /// Areas of contact or normal forces of friction go on changing.
    #[error(
        "contact has not settled in {rounds} rounds: in the last one vertex {vertex} still moved by {moved:.3e} m, with |r| = {residual:.3e} N at its end (largest force {scale:.3e} N); take smaller load steps, a larger contact distance, or less friction"
    )]
    Unsettled {
        /// Rounds made.
        rounds: usize,
        /// The vertex that moved farthest in the last one.
        vertex: usize,
        /// By how much, m.
        moved: f64,
        /// |r| at its end, N.
        residual: f64,
        /// The largest of the forces that r is the sum of, N.
        scale: f64,
    },
    /// Natural frequencies were not found.
    #[error(
        "{found} of {wanted} natural modes found in {subspace} dimensions (the next one is wrong by {residual:.1e}, relative): ask for fewer, for a larger tolerance or a larger subspace"
    )]
    Modes {
        /// Modes that are as accurate as was asked for.
        found: usize,
        /// Modes asked for.
        wanted: usize,
        /// Vectors that were tried.
        subspace: usize,
        /// The error of the first mode that is not.
        residual: f64,
    },
    /// Bytes that are no checkpoint, or one of something else.
    #[error("{0}")]
    Checkpoint(#[from] SectionError),
}

impl DynamicsError {
    /// Returns its class. A step or a load that failed has the class of its cause: a method that cannot serve a system
    /// fails in the first step, and is still bad input.
    pub fn class(&self) -> Class {
        match self {
            Self::Force(error) => error.class(),
            Self::Linear(error) => error.class(),
            Self::Checkpoint(error) => error.class(),
            Self::Failed { cause, .. } | Self::Load { cause, .. } => cause.class(),
            Self::NotFinite { .. }
            | Self::NotConverged { .. }
            | Self::Stuck { .. }
            | Self::StepTooSmall { .. }
            | Self::InsideOut { .. }
            | Self::Tangled { .. }
            | Self::Unsettled { .. }
            | Self::Modes { .. } => Class::Computation,
            Self::Step { .. }
            | Self::Setting { .. }
            | Self::Length { .. }
            | Self::HeldTwice { .. }
            | Self::Unheld { .. }
            | Self::Untouched { .. }
            | Self::Unsupported(_)
            | Self::UnknownIntegrator { .. }
            | Self::UnknownStaticMethod { .. } => Class::Input,
        }
    }

    /// Whether the step may succeed when it is shorter: the iteration, the linear solver or a law gave up on the way,
    /// as opposed to a system, a setting or an input that is wrong whatever the step. Methods that choose their steps
    /// have tried shorter ones already.
    pub fn shorter_step_may_help(&self) -> bool {
        match self {
            Self::Failed { cause, .. } | Self::Load { cause, .. } => cause.shorter_step_may_help(),
            Self::NotConverged { .. }
            | Self::Stuck { .. }
            | Self::InsideOut { .. }
            | Self::Tangled { .. }
            | Self::Unsettled { .. }
            | Self::NotFinite { .. } => true,
            Self::Force(error) => match error {
                ForceError::Inverted { .. }
                | ForceError::NotFinite { .. }
                | ForceError::Blocked { .. }
                | ForceError::Intersecting { .. }
                | ForceError::Obstacle { .. } => true,
                ForceError::Undeclared { .. }
                | ForceError::Parameter { .. }
                | ForceError::Unsupported(_) => false,
            },
            Self::Linear(error) => matches!(
                error,
                SolverError::NotPositiveDefinite { .. }
                    | SolverError::Singular { .. }
                    | SolverError::NotFinite { .. }
                    | SolverError::NotConverged { .. }
                    | SolverError::Indefinite { .. }
            ),
            Self::Step { .. }
            | Self::Setting { .. }
            | Self::Length { .. }
            | Self::HeldTwice { .. }
            | Self::Unheld { .. }
            | Self::Untouched { .. }
            | Self::Unsupported(_)
            | Self::UnknownIntegrator { .. }
            | Self::UnknownStaticMethod { .. }
            | Self::StepTooSmall { .. }
            | Self::Modes { .. }
            | Self::Checkpoint(_) => false,
        }
    }
}
