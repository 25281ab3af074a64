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

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{self, Vec3};
use pliant_forces::ForceError;
use pliant_sections::Sections;

use crate::integrators::{
    Estimate, ImplicitMidpoint, Integrator, StepReport, check_step, failed_at,
};
use crate::newton::{Converged, Counters, NewtonReport, Phases};
use crate::system::{Accelerations, End, Linearization};
use crate::trend::Trend;
use crate::vector::{dot, norm, set_sum};
use crate::{
    DynamicsError, Evaluation, Iterate, NonlinearSolver, Problem, State, Stopping, System, Weights,
};

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
    /// Where the equations of motion hold.
    fn shares(&self) -> Shares;
    /// Writes the prediction for a step of h seconds. Where `state` has fewer past steps than were asked
    /// for, a lower order will do.
    fn predict(&self, state: &State, h: f64, end: &mut Prediction);
}

/// What Newton starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// The accelerations go on changing as they did in the steps before; where that leads nowhere, as below.
    #[default]
    Trend,
    /// The accelerations go on as they are; where that leads nowhere, the positions of before.
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
    work: Work,
    /// Of the last step: positions, velocities, and the order if there is one.
    error: [Vec<Vec3>; 2],
    error_order: Option<usize>,
    trend: Trend,
}

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
    /// Of supports that lead a body along.
    way: Vec<Vec3>,
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
            work,
            error,
            error_order: None,
            trend: Trend::default(),
        }
    }

    /// The nonlinear solver, for its counters.
    pub fn solver(&self) -> &dyn NonlinearSolver {
        &*self.solver
    }

    fn resize(&mut self, n: usize) {
        let work = &mut self.work;
        let own = [&mut self.end.x, &mut self.end.v, &mut self.end.a, &mut self.d];
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
            Start::Trend => self.trend.ahead(h, &state.a, |i, a| d[i] = deviation(i, a)),
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

    fn attempt(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<NewtonReport, DynamicsError> {
        state.check(system.vertices())?;
        system.begin_step(state, h)?;
        self.resize(system.vertices());
        if !self.scheme.past_serves(state, h) {
            return self.start_up(system, state, h);
        }
        if self.scheme.needs_accelerations() && !state.knows_acceleration {
            let mut a = std::mem::take(&mut self.work.a);
            let found = system.accelerations(&state.configuration(), &mut a);
            if found.is_ok() {
                state.a.copy_from_slice(&a);
                state.knows_acceleration = true;
            }
            self.work.a = a;
            found?;
        }
        self.scheme.predict(state, h, &mut self.end);
        let shares = self.scheme.shares();
        let mut outcome = Ok(());
        let mut report = None;
        // If Newton fails from the extrapolated guess, it is tried again from a simpler one.
        let starts: &[Start] = match self.start {
            Start::Trend if self.trend.serves(state.time, state.x.len()) => {
                &[Start::Trend, Start::Acceleration, Start::Positions]
            }
            Start::Trend | Start::Acceleration => &[Start::Acceleration, Start::Positions],
            Start::Positions => &[Start::Positions],
        };
        for &start in starts {
            self.guess(system, state, h, start);
            self.fix_accelerations(system, state, h);
            let mut problem =
                StepProblem { system, state, end: &self.end, shares, h, work: &mut self.work };
            let last = start == Start::Positions;
            let begun = problem.begin(&mut *self.solver, &mut self.d, last);
            match begun.and_then(|()| self.solver.solve(&mut problem, &mut self.d)) {
                Ok(done) => {
                    (outcome, report) = (Ok(()), Some(done));
                    break;
                }
                Err(
                    e @ (DynamicsError::Force(ForceError::Inverted { .. })
                    | DynamicsError::Stuck { .. }
                    | DynamicsError::NotConverged { .. }),
                ) => outcome = Err(e),
                Err(e) => return Err(e),
            }
        }
        outcome?;
        self.commit(system, state, h)?;
        report.ok_or_else(|| DynamicsError::Unsupported("no start was tried".into()))
    }

    /// A first step of a multistep method, as accurate as those to come: the implicit midpoint rule with
    /// 1, 2, … substeps, whose errors are even powers of their length, extrapolated to none (Hairer,
    /// Nørsett and Wanner, Solving ODEs I, II.9).
    fn start_up(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<NewtonReport, DynamicsError> {
        let scheme = std::mem::replace(&mut self.scheme, Box::new(ImplicitMidpoint));
        let least = if scheme.estimates() { 2 } else { 1 };
        let columns = scheme.order().div_ceil(2).max(least);
        let outcome = self.extrapolate(system, state, h, columns);
        self.scheme = scheme;
        let (report, mut x, mut v) = outcome?;
        let end = End {
            x: &mut x,
            v: &mut v,
            a: Accelerations::Unknown,
            time: state.time + h,
            keep: self.scheme.keeps(),
            followed: None,
        };
        system.end_step(state, end)?;
        self.error_order = self.scheme.estimates().then_some(2 * (columns - 1));
        Ok(report)
    }

    fn extrapolate(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        columns: usize,
    ) -> Result<(NewtonReport, Vec<Vec3>, Vec<Vec3>), DynamicsError> {
        let mut table: Vec<State> = Vec::new();
        let mut report = None;
        for n in 1..=columns {
            let mut fine = state.clone();
            for _ in 0..n {
                report = Some(self.attempt(system, &mut fine, h / n as f64)?);
            }
            // Aitken and Neville in the square of the substep: table[j] is T(n, n − j).
            table.insert(0, fine);
            for j in 1..n {
                let ratio = n as f64 / (n - j) as f64;
                let weight = 1.0 / (ratio * ratio - 1.0);
                let (finer, coarser) = table.split_at_mut(j);
                let improve = |to: &mut [Vec3], from: &[Vec3]| {
                    for (to, &from) in to.iter_mut().zip(from) {
                        *to = vec3::add_scaled(from, vec3::sub(from, *to), weight);
                    }
                };
                improve(&mut coarser[0].x, &finer[j - 1].x);
                improve(&mut coarser[0].v, &finer[j - 1].v);
            }
        }
        match (table.pop(), report) {
            (Some(best), Some(report)) => {
                // The column before has an error of order 2 (columns − 1).
                if let Some(before) = table.last() {
                    set_sum(&mut self.error[0], &best.x, &before.x, -1.0);
                    set_sum(&mut self.error[1], &best.v, &before.v, -1.0);
                }
                Ok((report, best.x, best.v))
            }
            _ => Err(DynamicsError::Unsupported("a method of order 0".into())),
        }
    }

    /// Makes the end of the step the state.
    fn commit(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
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
        // The first step has no trend: what it began with may not be known. Nor has one that does not go on from
        // the last. Accelerations were exchanged: those of the start are in `work` now.
        if state.steps == 1 {
            self.trend.forget();
        } else {
            self.trend.record([start, time], h, &self.work.a, &state.a);
        }
        Ok(())
    }
}

impl Integrator for Implicit {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn order(&self) -> usize {
        self.scheme.order()
    }

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

    fn phases(&self) -> Phases {
        self.solver.phases()
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        let [x, v] = &self.error;
        self.error_order.map(|order| Estimate { x, v, order })
    }

    fn save(&self, to: &mut Sections) {
        // Other starts do not look at it.
        if self.start == Start::Trend {
            self.trend.save(to);
        }
        self.solver.save(to);
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        if self.start == Start::Trend {
            self.trend.load(from, system.vertices())?;
        }
        self.solver.load(from, system.pattern(), system.rest())
    }

    fn forget(&mut self) {
        self.solver.forget();
        self.trend.forget();
    }
}

/// r(d) of one step.
struct StepProblem<'a> {
    system: &'a mut System,
    state: &'a State,
    end: &'a Prediction,
    shares: Shares,
    h: f64,
    work: &'a mut Work,
}

impl StepProblem<'_> {
    /// x_e and v_e for d; the time there.
    fn place(&mut self, d: &[Vec3]) -> f64 {
        let (state, end, shares) = (self.state, self.end, self.shares);
        set_sum(&mut self.work.x, &end.x, d, 1.0);
        set_sum(&mut self.work.v, &end.v, d, end.velocity_slope);
        let blend = |at_end: &mut [Vec3], start: &[Vec3], share: f64| {
            if share != 1.0 {
                for (e, &s) in at_end.iter_mut().zip(start) {
                    *e = vec3::lerp(s, *e, share);
                }
            }
        };
        blend(&mut self.work.x, &state.x, shares.position);
        blend(&mut self.work.v, &state.v, shares.velocity);
        state.time + shares.position * self.h
    }

    /// Sees that nothing inadmissible lies between the start of the step and the first guess. Where supports
    /// alone would cross an inversion, the body is led along with them, if it is the `last` guess.
    fn begin(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        d: &mut [Vec3],
        last: bool,
    ) -> Result<(), DynamicsError> {
        if !self.system.bounds_steps() {
            return Ok(());
        }
        let Err(cause) = self.check_way(d) else { return Ok(()) };
        if !last || !self.system.constraints().moves() {
            return Err(cause.into());
        }
        // From where everything was, supports are moved and what is free follows.
        let mut way = std::mem::take(&mut self.work.way);
        way.resize(d.len(), [0.0; 3]);
        way.copy_from_slice(d);
        set_sum(d, &self.state.x, &self.end.x, -1.0);
        for (way, &d) in way.iter_mut().zip(&*d) {
            *way = vec3::sub(*way, d);
        }
        let led = solver.lead(self, d, &way);
        self.work.way = way;
        led?;
        Ok(self.check_way(d)?)
    }

    /// An error where something inadmissible lies between the start of the step and d.
    fn check_way(&mut self, d: &[Vec3]) -> Result<(), ForceError> {
        let time = self.place(d);
        let work = &mut *self.work;
        set_sum(&mut work.inertia, &work.x, &self.state.x, -1.0);
        let at = self.state.ahead(&self.state.x, &self.state.v, time, self.h);
        let reach = self.system.admissible(&at, &work.inertia, 1.0)?;
        if reach >= 1.0 {
            return Ok(());
        }
        // The element that inverts first.
        set_sum(&mut work.x, &self.state.x, &work.inertia, reach);
        Err(self.system.inverted_at(&work.x))
    }

    fn mass_weight(&self) -> f64 {
        self.shares.acceleration * self.end.acceleration_slope
    }

    fn weights(&self) -> Weights {
        Weights {
            mass: self.mass_weight(),
            position: self.shares.position,
            velocity: self.shares.velocity * self.end.velocity_slope,
        }
    }

    /// r(d) and, where it is wanted, ∂r/∂d without constraints, in one pass.
    fn evaluate(
        &mut self,
        d: &[Vec3],
        r: &mut [Vec3],
        linear: Option<Linearization<'_>>,
    ) -> Result<Evaluation, ForceError> {
        let time = self.place(d);
        let weight = self.mass_weight();
        let velocity_weight = self.weights().velocity;
        let has_potentials =
            self.system.has_energy() || velocity_weight > 0.0 && self.system.has_potentials();
        let has_energy = has_potentials && self.system.pattern().is_symmetric();
        let work = &mut *self.work;
        let at = self.state.ahead(&work.x, &work.v, time, self.h);
        let forces = self.system.evaluate(&at, r, has_energy, linear)?;
        set_sum(&mut work.a, &work.fixed, d, weight);
        self.system.multiply_mass(&work.a, &mut work.inertia);
        // ½ dᵀ(M a_e + M a_fixed) + Π(x_e)/s + φ(v_e)/w has the gradient M a_e + g, as v_e changes by w d.
        let energy = has_energy.then(|| {
            let kinetic = 0.5 * (dot(d, &work.inertia) + dot(d, &work.fixed_mass));
            let share = self.shares.position;
            let damping = match forces.damping_potential {
                0.0 => 0.0,
                potential => potential / velocity_weight,
            };
            let size = kinetic.abs() + forces.energy_size / share + damping.abs();
            (kinetic + forces.energy / share + damping, size)
        });
        for (r, i) in r.iter_mut().zip(&work.inertia) {
            *r = vec3::add(*r, *i);
        }
        self.system.constraints().filter(r);
        let scale = forces.largest.max(norm(&work.inertia));
        Ok(Evaluation { scale, energy, rows: 0.0 })
    }
}

impl Problem for StepProblem<'_> {
    fn pattern(&self) -> &Arc<Pattern> {
        self.system.pattern()
    }

    fn positions(&self) -> &[Vec3] {
        self.system.rest()
    }

    fn size(&self) -> f64 {
        self.system.size()
    }

    fn residual(&mut self, d: &[Vec3], r: &mut [Vec3]) -> Result<Evaluation, ForceError> {
        self.evaluate(d, r, None)
    }

    fn jacobian(
        &mut self,
        d: &[Vec3],
        project: bool,
        matrix: &mut BlockMatrix,
    ) -> Result<(), ForceError> {
        let time = self.place(d);
        let weights = self.weights();
        let at = self.state.ahead(&self.work.x, &self.work.v, time, self.h);
        self.system.tangent(&at, weights, project, matrix)?;
        self.system.constraints().project(matrix);
        Ok(())
    }

    fn linearize(
        &mut self,
        d: &[Vec3],
        r: &mut [Vec3],
        matrix: &mut BlockMatrix,
    ) -> Result<Evaluation, ForceError> {
        let weights = self.weights();
        let linear = Linearization { weights, project: false, matrix: &mut *matrix };
        let found = self.evaluate(d, r, Some(linear))?;
        self.system.constraints().project(matrix);
        Ok(found)
    }

    fn kind(&self) -> [f64; 3] {
        let Weights { mass, position, velocity } = self.weights();
        [mass, position, velocity]
    }

    fn admissible(&mut self, d: &[Vec3], way: &[Vec3], limit: f64) -> Result<f64, ForceError> {
        if !self.system.bounds_steps() {
            return Ok(limit);
        }
        let time = self.place(d);
        let work = &mut *self.work;
        // Positions where the equations hold move by a share of what those at the end do.
        let share = self.shares.position;
        for (to, &way) in work.inertia.iter_mut().zip(way) {
            *to = vec3::scale(way, share);
        }
        let at = self.state.ahead(&work.x, &work.v, time, self.h);
        self.system.admissible(&at, &work.inertia, limit)
    }

    fn follow_couplings(&mut self, d: &[Vec3]) -> Result<bool, DynamicsError> {
        if !self.system.changes_couplings() {
            return Ok(false);
        }
        let time = self.place(d);
        let at = self.state.ahead(&self.work.x, &self.work.v, time, self.h);
        self.system.follow_couplings(&at)
    }

    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged> {
        rules.judge(iterate, self.system.size(), Some(self.h))
    }
}
