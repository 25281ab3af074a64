//! [`Implicit`]: a step of any implicit scheme as one nonlinear problem.
//!
//! A scheme says only how x, v and a at the end of a step follow from the unknown d, the deviation of the
//! positions from a prediction, and between start and end where the equations of motion are to hold:
//!
//! ```text
//! x₁ = x_p + d,   v₁ = v_p + c_v d,   a₁ = a_p + c_a d
//! M a_e + g(x_e, v_e, t_e) = 0,   ·_e = (1 − s) ·₀ + s ·₁
//! ```
//!
//! The reduction to one system in d, with the matrix s_a c_a M + s_x ∂g/∂x + s_v c_v ∂g/∂v, is done here
//! once for all. As d is a deviation, v₁ and a₁ do not suffer from the cancellation in x₁ − x₀.

mod lead;
mod rates;
mod start_up;
mod step_problem;

use pliant_algebra::vec3::{self, Vec3};
use pliant_forces::ForceError;
use pliant_sections::Sections;
use pliant_solvers::SolverUse;
use pliant_solvers::matrix::Shape;

use self::rates::Rates;
use self::step_problem::StepProblem;
use crate::extrapolation::Extrapolation;
use crate::integrators::{Estimate, Integrator, Method, StepReport, check_step, failed_at};
use crate::newton::{Counters, NewtonReport, Phases};
use crate::system::{Accelerations, DampingForm, End};
use crate::vector::set_sum;
use crate::{DynamicsError, NonlinearSolver, State, System};

/// Where between start (0) and end (1) the equations of motion hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// s_x, which is also the share of time.
    pub position: f64,
    /// s_v
    pub velocity: f64,
    /// s_a
    pub acceleration: f64,
}

impl Shares {
    /// At the end of the step.
    pub const END: Self = Self { position: 1.0, velocity: 1.0, acceleration: 1.0 };
}

/// The end of a step for d = 0, and how it changes with d.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// x_p
    pub x: Vec<Vec3>,
    /// v_p
    pub v: Vec<Vec3>,
    /// a_p
    pub a: Vec<Vec3>,
    /// c_v, 1/s.
    pub velocity_slope: f64,
    /// c_a, 1/s².
    pub acceleration_slope: f64,
}

/// An implicit method: how v and a follow from x.
pub trait ImplicitScheme: Send {
    /// The name users know it by.
    fn name(&self) -> &'static str;
    /// Its order.
    fn order(&self) -> usize;
    /// Whether it goes on from the accelerations at the start.
    fn needs_accelerations(&self) -> bool;
    /// Whether a₁ belongs to the end of the step; otherwise it is only a guess for the next one.
    fn ends_with_accelerations(&self) -> bool;
    /// Steps of the past that it goes on from, besides the state itself.
    fn past_steps(&self) -> usize;
    /// Past states to keep: those that it goes on from, and those that only its estimate looks at.
    fn keeps(&self) -> usize {
        self.past_steps()
    }
    /// Whether it can go on from the past of this state with a step of h; otherwise it starts again.
    fn past_serves(&self, state: &State, h: f64) -> bool {
        state.evenly_spaced(h) >= self.past_steps()
    }
    /// Whether it estimates its error.
    fn estimates(&self) -> bool {
        false
    }
    /// Writes the error of a step of h from `state` to x and v, and returns its order.
    fn estimate(
        &self,
        _state: &State,
        _h: f64,
        _end: [&[Vec3]; 2],
        _error: &mut [Vec<Vec3>; 2],
    ) -> Option<usize> {
        None
    }
    /// How damping by stiffness finds the rate of forces.
    fn differentiation(&self) -> Differentiation {
        Differentiation::Never
    }
    /// Where the equations of motion hold.
    fn shares(&self) -> Shares;
    /// Writes the prediction for a step of h seconds. Where `state` has fewer past steps than were asked
    /// for, a lower order will do.
    fn predict(&self, state: &State, h: f64, end: &mut Prediction);
}

/// How the rate of a function of positions, known where the equations hold, is found from its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Differentiation {
    /// Not at all: damping by stiffness is β K(x) v.
    Never,
    /// As the scheme finds v from x. For schemes whose equations hold at the end of a step, and in which errors of v do not
    /// grow where x is given.
    AsVelocities,
    /// By backward differences of order 2, through this place and those of the last two steps: for schemes whose equations
    /// hold within the step.
    Backward,
}

/// What Newton starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// The accelerations are extrapolated from the steps before; where Newton fails from there, as below.
    #[default]
    Extrapolation,
    /// The accelerations go on as they are; where Newton fails from there, the positions of before.
    Acceleration,
    /// The positions of before: one iteration from there is the semi-implicit method.
    Positions,
}

/// An integrator made of a scheme and a nonlinear solver.
pub struct Implicit {
    scheme: Box<dyn ImplicitScheme>,
    solver: Box<dyn NonlinearSolver>,
    start: Start,
    end: Prediction,
    d: Vec<Vec3>,
    /// r of a guess.
    residual: Vec<Vec3>,
    work: Work,
    /// Of the last step: positions, velocities, and the order if there is one.
    error: [Vec<Vec3>; 2],
    error_order: Option<usize>,
    extrapolation: Extrapolation,
    rates: Rates,
}

/// Iterations of Newton's method from which on a step was hard: the next one looks at all guesses before it starts.
const HARD: usize = 5;

/// Vectors of the step under way.
#[derive(Default)]
struct Work {
    /// The fixed part of a_e, and M times it.
    fixed: Vec<Vec3>,
    fixed_mass: Vec<Vec3>,
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    a: Vec<Vec3>,
    inertia: Vec<Vec3>,
    /// Of supports that take a body along; where the equations held.
    way: Vec<Vec3>,
    /// The first guess where supports lead bodies.
    led: Vec<Vec3>,
}

impl Implicit {
    /// Joins them.
    pub fn new(
        scheme: Box<dyn ImplicitScheme>,
        solver: Box<dyn NonlinearSolver>,
        start: Start,
    ) -> Self {
        let (end, d, work) = (Prediction::default(), Vec::new(), Work::default());
        let error = [Vec::new(), Vec::new()];
        Self {
            scheme,
            solver,
            start,
            end,
            d,
            residual: Vec::new(),
            work,
            error,
            error_order: None,
            extrapolation: Extrapolation::default(),
            rates: Rates::default(),
        }
    }

    /// The nonlinear solver, for its counters.
    pub fn solver(&self) -> &dyn NonlinearSolver {
        &*self.solver
    }

    fn resize(&mut self, n: usize) {
        let work = &mut self.work;
        let own =
            [&mut self.end.x, &mut self.end.v, &mut self.end.a, &mut self.d, &mut self.residual];
        let theirs = [
            &mut work.fixed,
            &mut work.fixed_mass,
            &mut work.x,
            &mut work.v,
            &mut work.a,
            &mut work.inertia,
        ];
        for list in own.into_iter().chain(theirs).chain(&mut self.error) {
            list.resize(n, [0.0; 3]);
        }
    }

    /// The first guess of d, with held vertices where they are to be at the end.
    fn guess(&mut self, system: &System, state: &State, h: f64, start: Start) {
        let (end, d) = (&self.end, &mut self.d);
        let deviation =
            |i: usize, a| vec3::scale(vec3::sub(a, end.a[i]), 1.0 / end.acceleration_slope);
        match start {
            Start::Extrapolation => {
                self.extrapolation.ahead(h, &state.a, |i, a| d[i] = deviation(i, a));
            }
            Start::Acceleration => {
                for (i, d) in d.iter_mut().enumerate() {
                    *d = deviation(i, state.a[i]);
                }
            }
            Start::Positions => set_sum(d, &state.x, &end.x, -1.0),
        }
        // Through positions, as that is what motions prescribe.
        let x = &mut self.work.x;
        set_sum(x, &end.x, &self.d, 1.0);
        system.constraints().impose_positions(state.time + h, x);
        for held in system.constraints().vertices() {
            let i = held.vertex as usize;
            let wanted = vec3::sub(x[i], end.x[i]);
            // The free part stays as it was guessed, without rounding.
            let free = held.filtered(self.d[i]);
            self.d[i] = vec3::add(free, vec3::sub(wanted, held.filtered(wanted)));
        }
    }

    /// Brings guesses into the order of what is to be lowered there: the potential of the step, or |r| where there is none.
    /// Where bodies meet or are damped hard, accelerations jump from step to step, and what is extrapolated from them can lie
    /// further from the end of the step than its start.
    fn rank(
        &mut self,
        system: &mut System,
        state: &State,
        form: DampingForm<'_>,
        h: f64,
        starts: &mut [Start],
    ) -> Result<(), DynamicsError> {
        let shares = self.scheme.shares();
        let mut ranked = [(f64::INFINITY, Start::Positions); 3];
        let ranked = &mut ranked[..starts.len()];
        for ((merit, ranked), &mut start) in ranked.iter_mut().zip(&mut *starts) {
            self.guess(system, state, h, start);
            self.fix_accelerations(system, state, h);
            let (end, work) = (&self.end, &mut self.work);
            let mut problem = StepProblem { system, state, end, shares, form, h, work };
            *ranked = start;
            *merit = problem.merit(&mut self.d, &mut self.residual)?;
        }
        // Of equals the first one stays first.
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (start, (_, ranked)) in starts.iter_mut().zip(&*ranked) {
            *start = *ranked;
        }
        Ok(())
    }

    /// The part of a_e that does not depend on d. What is held has the acceleration of its motion instead of
    /// that of the scheme, which is of lower order: with a consistent mass the neighbours feel it.
    fn fix_accelerations(&mut self, system: &mut System, state: &State, h: f64) {
        let shares = self.scheme.shares();
        let s = shares.acceleration;
        for (i, fixed) in self.work.fixed.iter_mut().enumerate() {
            *fixed = vec3::scale(self.end.a[i], s);
            if s != 1.0 {
                *fixed = vec3::add_scaled(*fixed, state.a[i], 1.0 - s);
            }
        }
        if system.constraints().moves() {
            let slope = s * self.end.acceleration_slope;
            let time = state.time + shares.position * h;
            set_sum(&mut self.work.a, &self.work.fixed, &self.d, slope);
            system.constraints().impose_accelerations(time, &mut self.work.a);
            for held in system.constraints().vertices() {
                let i = held.vertex as usize;
                let wanted = vec3::add_scaled(self.work.a[i], self.d[i], -slope);
                let free = held.filtered(self.work.fixed[i]);
                self.work.fixed[i] = vec3::add(free, vec3::sub(wanted, held.filtered(wanted)));
            }
        }
        system.multiply_mass(&self.work.fixed, &mut self.work.fixed_mass);
    }

    /// Methods that go on from several steps, or that extrapolate, would leave x(q).
    fn refuse_restricted(&self, system: &System) -> Result<(), DynamicsError> {
        if !system.is_restricted() || self.scheme.keeps() == 0 {
            return Ok(());
        }
        Err(DynamicsError::Unsupported(format!(
            "{} does not serve rigid parts and reduced bodies: take backward-euler, implicit-midpoint, trapezoidal, newmark or generalized-alpha",
            self.scheme.name()
        )))
    }

    fn attempt(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<NewtonReport, DynamicsError> {
        state.check(system.vertices())?;
        system.begin_restricted_step(state, h)?;
        self.refuse_restricted(system)?;
        self.resize(system.vertices());
        if !self.scheme.past_serves(state, h) {
            return self.start_up(system, state, h);
        }
        if self.scheme.needs_accelerations() && !state.knows_acceleration {
            let mut a = std::mem::take(&mut self.work.a);
            let found = system.accelerations(&state.configuration(), &mut a);
            if found.is_ok() {
                system.settle_accelerations(state, &mut a);
                state.a.copy_from_slice(&a);
                state.knows_acceleration = true;
            }
            self.work.a = a;
            found?;
        }
        self.scheme.predict(state, h, &mut self.end);
        // The form is lent by the rates, while guesses are made with all else.
        let mut rates = std::mem::take(&mut self.rates);
        let outcome = self.solve(system, state, h, &mut rates);
        let outcome = outcome.and_then(|report| {
            self.commit(system, state, h, &mut rates)?;
            Ok(report)
        });
        self.rates = rates;
        outcome
    }

    /// Solves for the end of the step, from one guess after the other.
    fn solve(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        rates: &mut Rates,
    ) -> Result<NewtonReport, DynamicsError> {
        let shares = self.scheme.shares();
        let form = rates.begin(&*self.scheme, system, state, h)?;
        let mut outcome = Ok(());
        let mut report = None;
        // If Newton fails from the extrapolated guess, it is tried again from a simpler one.
        let mut starts = [Start::Extrapolation, Start::Acceleration, Start::Positions];
        let starts = match self.start {
            Start::Extrapolation if self.extrapolation.serves(state.time, state.x.len()) => {
                &mut starts[..]
            }
            Start::Extrapolation | Start::Acceleration => &mut starts[1..],
            Start::Positions => &mut starts[2..],
        };
        let usual = starts.first().copied();
        if self.extrapolation.doubtful && self.start == Start::Extrapolation {
            self.rank(system, state, form, h, starts)?;
        }
        let unlike = starts.first().copied() != usual;
        let last_of_all = starts.last().copied();
        for &start in &*starts {
            self.guess(system, state, h, start);
            self.fix_accelerations(system, state, h);
            let (end, work) = (&self.end, &mut self.work);
            let mut problem = StepProblem { system, state, end, shares, form, h, work };
            let last = Some(start) == last_of_all;
            let begun = problem.begin(&mut *self.solver, &mut self.d, last);
            match begun.and_then(|()| problem.solve(&mut *self.solver, &mut self.d)) {
                Ok(done) => {
                    (outcome, report) = (Ok(()), Some(done));
                    break;
                }
                Err(
                    e @ (DynamicsError::Force(
                        ForceError::Inverted { .. }
                        | ForceError::Blocked { .. }
                        | ForceError::Obstacle { .. },
                    )
                    | DynamicsError::Stuck { .. }
                    | DynamicsError::NotConverged { .. }),
                ) => outcome = Err(e),
                Err(e) => return Err(e),
            }
        }
        outcome?;
        self.extrapolation.doubtful =
            unlike || report.is_some_and(|report| report.iterations >= HARD);
        report.ok_or_else(|| DynamicsError::Unsupported("no start was tried".into()))
    }

    /// Makes the end of the step the state.
    fn commit(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
        rates: &mut Rates,
    ) -> Result<(), DynamicsError> {
        let (end, work) = (&self.end, &mut self.work);
        let (start, time) = (state.time, state.time + h);
        set_sum(&mut work.x, &end.x, &self.d, 1.0);
        set_sum(&mut work.v, &end.v, &self.d, end.velocity_slope);
        set_sum(&mut work.a, &end.a, &self.d, end.acceleration_slope);
        let constraints = system.constraints();
        constraints.impose_positions(time, &mut work.x);
        constraints.impose_velocities(time, &mut work.v);
        constraints.impose_accelerations(time, &mut work.a);
        let share = self.scheme.shares().position;
        work.way.resize(work.x.len(), [0.0; 3]);
        for ((place, &x0), &x1) in work.way.iter_mut().zip(&state.x).zip(&work.x) {
            *place = if share == 1.0 { x1 } else { vec3::lerp(x0, x1, share) };
        }
        rates.end(&*self.scheme, system, (state, &work.way, h))?;
        let error_order = self.scheme.estimate(state, h, [&work.x, &work.v], &mut self.error);
        let known = self.scheme.ends_with_accelerations();
        let Work { x, v, a, .. } = work;
        let end = End {
            x,
            v,
            a: if known { Accelerations::Known(a) } else { Accelerations::Guessed(a) },
            time,
            keep: self.scheme.keeps(),
            followed: None,
        };
        system.end_step(state, end)?;
        self.error_order = error_order;
        // The first step has no extrapolation: what it began with may not be known. Nor has one that does not go on from
        // the last. Accelerations were exchanged: those of the start are in `work` now.
        if state.steps == 1 {
            self.extrapolation.forget();
        } else {
            self.extrapolation.record([start, time], h, &self.work.a, &state.a);
        }
        Ok(())
    }
}

impl Method for Implicit {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn order(&self) -> usize {
        self.scheme.order()
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        let [x, v] = &self.error;
        self.error_order.map(|order| Estimate { x, v, order })
    }

    fn save(&self, to: &mut Sections) {
        // Other starts do not look at it.
        if self.start == Start::Extrapolation {
            self.extrapolation.save(to);
        }
        self.rates.save(&*self.scheme, to);
        self.solver.save(to);
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        if self.start == Start::Extrapolation {
            self.extrapolation.load(from, system.vertices())?;
        }
        self.rates.load(&*self.scheme, from, system.vertices())?;
        if let Some(shape) = system.restricted_shape(self.scheme.shares().position)? {
            return self.solver.load(from, &shape, None);
        }
        let shape = Shape::Blocks(system.pattern().clone());
        self.solver.load(from, &shape, Some(system.rest()))
    }

    fn forget(&mut self) {
        self.solver.forget();
        self.extrapolation.forget();
        self.rates.forget();
    }
}

impl Integrator for Implicit {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        check_step(h)?;
        self.error_order = None;
        match self.attempt(system, state, h) {
            Ok(newton) => Ok(StepReport { newton: Some(newton) }),
            Err(cause) => {
                self.error_order = None;
                Err(failed_at(system, state, &self.work.x, h, false, cause))
            }
        }
    }

    fn counters(&self) -> Counters {
        self.solver.counters()
    }

    fn chosen(&self) -> Option<SolverUse> {
        self.solver.chosen()
    }

    fn phases(&self) -> Phases {
        self.solver.phases()
    }
}
