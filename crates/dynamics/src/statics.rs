//! [`Statics`]: the state in which nothing moves, with loads brought up step by step.

use std::sync::Arc;

use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::{Vec3, lerp};
use pliant_forces::{Configuration, ForceError, Inversion};
use pliant_sections::Sections;
use pliant_solvers::matrix::Shape;

use crate::rigid::{free_motions, refuse_free_body, untouched};
use crate::settling::{Setting, Settling};
use crate::system::{Accelerations, End};
use crate::vector::{add_scaled, set_sum};
use crate::{DynamicsError, NonlinearSolver, State, System};

/// Settings of [`Statics`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticSettings {
    /// The first part of the load, up to 1.
    pub first_increment: f64,
    /// The smallest increment before it is an error.
    pub smallest_increment: f64,
    /// The largest increment, up to 1: increments that succeed are doubled up to here.
    pub largest_increment: f64,
}

impl Default for StaticSettings {
    fn default() -> Self {
        Self { first_increment: 1.0, smallest_increment: 1e-4, largest_increment: 1.0 }
    }
}

/// What a static solve did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticReport {
    /// Load increments that succeeded.
    pub increments: usize,
    /// Increments that failed and were halved.
    pub cuts: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// |r| at the end, N.
    pub residual: f64,
    /// The largest of the forces it is the sum of, N.
    pub scale: f64,
    /// As [`NewtonReport::definite`](crate::NewtonReport::definite) of the last increment: true if the state is known to be stable.
    pub definite: Option<bool>,
}

/// The time h seconds after a state, s; that of the state itself where h is infinite.
pub(crate) fn after(state: &State, h: f64) -> f64 {
    if h == f64::INFINITY { state.time } else { state.time + h }
}

/// A nonlinear solver with load stepping.
pub struct Statics {
    solver: Box<dyn NonlinearSolver>,
    settings: StaticSettings,
    start: Vec<Vec3>,
    target: Vec<Vec3>,
    u: Vec<Vec3>,
    good: Vec<Vec3>,
    /// u of the load step before the last good one.
    before: Vec<Vec3>,
    /// What is left of the way of held vertices.
    way: Vec<Vec3>,
    x: Vec<Vec3>,
    still: Vec<Vec3>,
    /// The system that was seen to be held, and its [`System::changes`] then: a pin may go without a change of pattern.
    held: Option<(Arc<Pattern>, u64)>,
    /// Models, by their place in the system, that were not inverted at the start and must not be at the end.
    upright: Vec<usize>,
    /// Whether supports move on the way to the full load.
    moves: bool,
    rounds: Settling,
}

impl Statics {
    /// With a nonlinear solver.
    pub fn new(
        solver: Box<dyn NonlinearSolver>,
        settings: StaticSettings,
    ) -> Result<Self, DynamicsError> {
        for (what, found) in [
            ("first load increment", settings.first_increment),
            ("smallest load increment", settings.smallest_increment),
            ("largest load increment", settings.largest_increment),
        ] {
            if !(found > 0.0 && found <= 1.0) {
                let accepted = "above 0, at most 1";
                return Err(DynamicsError::Setting { what, found, accepted });
            }
        }
        let none = Vec::new;
        Ok(Self {
            solver,
            settings,
            start: none(),
            target: none(),
            u: none(),
            good: none(),
            before: none(),
            way: none(),
            x: none(),
            still: none(),
            held: None,
            upright: Vec::new(),
            moves: false,
            rounds: Settling::default(),
        })
    }

    /// The nonlinear solver, for its counters.
    pub fn solver(&self) -> &dyn NonlinearSolver {
        &*self.solver
    }

    /// Forgets what the solver keeps from solve to solve.
    pub fn forget(&mut self) {
        self.solver.forget();
        self.held = None;
    }

    /// Writes what it keeps from solve to solve.
    pub fn save(&self, to: &mut Sections) {
        to.write("statics").flag(self.held.is_some());
        self.solver.save(to);
    }

    /// Goes on where the method that wrote these sections was, with the same system.
    pub fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        let mut section = from.read("statics")?;
        self.held = section.flag()?.then(|| (system.pattern().clone(), system.changes()));
        section.finish()?;
        if let Some(shape) = system.restricted_shape(1.0)? {
            return self.solver.load(from, &shape, None);
        }
        let shape = Shape::Blocks(system.pattern().clone());
        self.solver.load(from, &shape, Some(system.rest()))
    }

    /// As [`Statics::solve_after`], with the full load at once or not at all: for states near equilibrium.
    pub(crate) fn solve_at_once(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StaticReport, DynamicsError> {
        let at_once = StaticSettings {
            first_increment: 1.0,
            smallest_increment: 1.0,
            largest_increment: 1.0,
        };
        let settings = std::mem::replace(&mut self.settings, at_once);
        let outcome = self.solve_after(system, state, h);
        self.settings = settings;
        outcome
    }

    /// Moves the state to equilibrium under the loads of its time. Loads, gravity and prescribed
    /// displacements are brought up from none; where an increment fails it is halved, where two succeed
    /// it is doubled, and the next one starts from where the last two point to. A state with elements turned
    /// inside out counts as a failure where the law is not made for that and the state at the start was upright.
    /// The state is changed only if the full load is reached. Models that remember have all the time there is to relax.
    pub fn solve(
        &mut self,
        system: &mut System,
        state: &mut State,
    ) -> Result<StaticReport, DynamicsError> {
        self.solve_after(system, state, f64::INFINITY)
    }

    /// As [`Statics::solve`], h seconds later: under the loads of that time, and with as much time passed for
    /// models that remember. After 0 s these answer as they do at an instant; an infinite time is for them alone, under the
    /// loads of now.
    pub fn solve_after(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StaticReport, DynamicsError> {
        state.check(system.vertices())?;
        system.begin_restricted_step(state, h)?;
        let time = after(state, h);
        let n = system.vertices();
        for list in [
            &mut self.u,
            &mut self.good,
            &mut self.before,
            &mut self.way,
            &mut self.x,
            &mut self.still,
        ] {
            list.clear();
            list.resize(n, [0.0; 3]);
        }
        self.start.clone_from(&state.x);
        self.target.clone_from(&state.x);
        system.constraints().impose_positions(time, &mut self.target);
        self.moves = self.target != self.start;
        let same = |(pattern, changes): &(Arc<Pattern>, u64)| {
            Arc::ptr_eq(pattern, system.pattern()) && *changes == system.changes()
        };
        if system.has_contact() {
            // Only contact can hold what moves freely here.
            let floats = !free_motions(system, state)?.is_empty();
            self.rounds.begin(system, floats);
        } else if !self.held.as_ref().is_some_and(same) {
            self.rounds.begin(system, false);
            refuse_free_body(system, state)?;
            self.held = Some((system.pattern().clone(), system.changes()));
        }
        self.upright.clear();
        self.upright.extend(
            (system.models_on().enumerate())
                .filter(|(_, (vertices, m))| {
                    m.character().inversion == Inversion::Unfit
                        && m.worst(&state.x[vertices.clone()]).is_some_and(|w| w.jacobian > 0.0)
                })
                .map(|(k, _)| k),
        );
        let outcome = self.bring_up(system, state, h);
        system.set_load_factor(1.0);
        let report = outcome?;
        set_sum(&mut self.x, &self.start, &self.u, 1.0);
        if self.rounds.floats()
            && let Some(vertex) = untouched(system, state, &self.x)?
        {
            return Err(DynamicsError::Untouched { vertex });
        }
        self.way.fill([0.0; 3]);
        let mut memory = std::mem::take(&mut self.rounds.memory);
        let followed = if system.has_memory() {
            let at = state.ahead(&self.x, &self.still, time, h);
            let settled = system.has_contact().then_some(&self.rounds.settled[..]);
            let at = Configuration { settled, ..at };
            let dissipated = system.follow_memory(&at, &mut memory)?;
            Some((&mut memory, dissipated))
        } else {
            None
        };
        let (x, v, a) = (&mut self.x, &mut self.still, Accelerations::Guessed(&mut self.way));
        system.end_step(state, End { x, v, a, time, keep: 0, followed })?;
        self.rounds.memory = memory;
        state.v.fill([0.0; 3]);
        Ok(report)
    }

    fn bring_up(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
    ) -> Result<StaticReport, DynamicsError> {
        let (mut factor, mut step) =
            (0.0_f64, self.settings.first_increment.min(self.settings.largest_increment));
        // The length of the last step from one equilibrium to another.
        let mut last = None;
        let contact = system.has_contact();
        let (mut in_row, iterations) = (0, self.solver.counters().iterations);
        let mut report = StaticReport {
            increments: 0,
            cuts: 0,
            iterations: 0,
            residual: 0.0,
            scale: 0.0,
            definite: None,
        };
        while factor < 1.0 {
            let mut next = if factor + step > 1.0 - 1e-9 { 1.0 } else { factor + step };
            system.set_load_factor(next);
            if let Some(last) = last.filter(|_| !contact) {
                let part = (next - factor) / last;
                for ((u, &good), &before) in self.u.iter_mut().zip(&self.good).zip(&self.before) {
                    *u = lerp(before, good, 1.0 + part);
                }
            }
            // Held vertices at the same part of their way; what is free stays, or is taken along.
            self.way.fill([0.0; 3]);
            for held in system.constraints().vertices() {
                let i = held.vertex as usize;
                let part = lerp(self.start[i], self.target[i], next);
                let lacks = std::array::from_fn(|k| part[k] - self.start[i][k] - self.u[i][k]);
                let free = held.filtered(lacks);
                self.way[i] = std::array::from_fn(|k| lacks[k] - free[k]);
            }
            let (x, still) = (&mut self.x[..], &self.still[..]);
            let mut setting = Setting { system, state, start: &self.start, x, still, h };
            let moved = self.rounds.begin_step(&mut setting, &self.good).and_then(|()| {
                let mut problem = setting.problem(&mut self.rounds);
                if last.is_none() || contact {
                    problem.prescribe(&mut *self.solver, &mut self.u, &self.way)?;
                } else {
                    add_scaled(&mut self.u, &self.way, 1.0);
                }
                // From the last equilibrium to the first guess nothing inadmissible may be crossed.
                set_sum(&mut self.way, &self.u, &self.good, -1.0);
                if contact {
                    return problem.shorten(&self.good, &self.way, &mut self.u);
                }
                problem.check_way(&self.good, &self.way)?;
                Ok(1.0)
            });
            // Where something is in the way of supports they are brought as near as they can be, and so are the loads.
            let mut enough = Ok(());
            if let Ok(part) = moved
                && part < 1.0
                && self.moves
            {
                step = part * (next - factor);
                next = factor + step;
                setting.system.set_load_factor(next);
                if step < self.settings.smallest_increment {
                    let mut problem = setting.problem(&mut self.rounds);
                    enough = Err(problem.obstruction(&self.good, &self.way));
                }
            }
            let solved = moved.and(enough);
            let solved = solved
                .and_then(|()| self.rounds.solve(&mut setting, &mut *self.solver, &mut self.u));
            match solved.and_then(|done| self.refuse_inside_out(system).map(|()| done)) {
                Ok(done) => {
                    // What was there before any load is no equilibrium to go on from.
                    last = (factor > 0.0).then_some(next - factor);
                    factor = next;
                    self.before.copy_from_slice(&self.good);
                    self.good.copy_from_slice(&self.u);
                    report.increments += 1;
                    (report.residual, report.scale) = (done.residual, done.scale);
                    report.definite = done.definite;
                    in_row += 1;
                    if in_row >= 2 {
                        step = (2.0 * step).min(self.settings.largest_increment);
                    }
                }
                Err(
                    cause @ (DynamicsError::NotConverged { .. }
                    | DynamicsError::Stuck { .. }
                    | DynamicsError::Linear(_)
                    | DynamicsError::InsideOut { .. }
                    | DynamicsError::Unsettled { .. }
                    | DynamicsError::Force(
                        ForceError::Inverted { .. }
                        | ForceError::NotFinite { .. }
                        | ForceError::Blocked { .. }
                        | ForceError::Obstacle { .. },
                    )),
                ) => {
                    self.u.copy_from_slice(&self.good);
                    report.cuts += 1;
                    in_row = 0;
                    step *= 0.5;
                    if step < self.settings.smallest_increment {
                        let (increments, cause) = (report.increments, Box::new(cause));
                        return Err(DynamicsError::Load { factor, increments, cause });
                    }
                }
                Err(other) => return Err(other),
            }
        }
        report.iterations = self.solver.counters().iterations - iterations;
        Ok(report)
    }

    /// An error where an element was turned inside out on the way from the start to u.
    fn refuse_inside_out(&mut self, system: &System) -> Result<(), DynamicsError> {
        set_sum(&mut self.x, &self.start, &self.u, 1.0);
        let upright = |(k, _): &(usize, _)| self.upright.contains(k);
        for (_, (vertices, model)) in system.models_on().enumerate().filter(upright) {
            let first_vertex = vertices.start;
            let worst = model.worst(&self.x[vertices]);
            let Some(worst) = worst.filter(|w| w.jacobian <= 0.0) else { continue };
            return Err(DynamicsError::InsideOut {
                model: model.name().to_owned(),
                element: worst.element,
                first_vertex,
                jacobian: worst.jacobian,
                stretches: worst.stretches,
            });
        }
        Ok(())
    }
}
