//! [`Adaptive`]: steps as long as a tolerance allows, for every method that estimates its error.
//!
//! Error norm, first step and controller are those of Hairer, Nørsett and Wanner, Solving ODEs I, II.4 and
//! IV.2 of the second volume (proportional and integral). Positions are weighed by displacements from rest,
//! so that a body far from the origin is not computed more roughly.

mod control;
mod error_norm;

pub use control::{StepControl, StepCounts};

use pliant_algebra::vec3::{Vec3, add_scaled, sub};
use pliant_sections::Sections;
use pliant_solvers::SolverUse;

use self::error_norm::Weights;
use crate::integrators::{Estimate, Integrator, Method, StepReport, check_step};
use crate::newton::{Counters, Phases};
use crate::state::Past;
use crate::vector::set_sum;
use crate::{DynamicsError, State, System};

/// A step that was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taken {
    /// Its length, s.
    pub step: f64,
    /// Its error in units of the tolerance, at most 1.
    pub error: f64,
    /// Trials before it.
    pub trials: usize,
    /// What the method says about it.
    pub report: StepReport,
}

/// An integrator that chooses its steps.
pub struct Adaptive {
    inner: Box<dyn Integrator>,
    control: StepControl,
    /// The next step, s, once one was made.
    next: Option<f64>,
    /// The error before, for the controller.
    before: f64,
    counts: StepCounts,
    /// Where the last step began, and where it ended, if it was taken.
    start: State,
    end: Past,
    taken: bool,
    /// Where an advance that was asked for as one step began.
    whole: State,
    work: [Vec<Vec3>; 3],
}

impl Adaptive {
    /// Of a method that estimates its error.
    pub fn new(inner: Box<dyn Integrator>, control: StepControl) -> Result<Self, DynamicsError> {
        control.check()?;
        Ok(Self {
            inner,
            control,
            next: control.first,
            before: 1e-4,
            counts: StepCounts::default(),
            start: State::default(),
            end: Past::default(),
            taken: false,
            whole: State::default(),
            work: Default::default(),
        })
    }

    /// What steps are chosen by.
    pub fn control(&self) -> &StepControl {
        &self.control
    }

    /// Steps since it was made.
    pub fn counts(&self) -> StepCounts {
        self.counts
    }

    /// The step that it would try next, s.
    pub fn next_step(&self) -> Option<f64> {
        self.next
    }

    /// Moves on to a time and ends there exactly. On error the state is the last good one, with its time.
    pub fn advance(
        &mut self,
        system: &mut System,
        state: &mut State,
        until: f64,
    ) -> Result<StepReport, DynamicsError> {
        let mut report = StepReport::default();
        loop {
            if state.time == until && until.is_finite() {
                return Ok(report);
            }
            report = self.step_once(system, state, until)?.report;
        }
    }

    /// One step that is as long as the tolerance allows and does not go beyond a time. On error the state
    /// is what it was.
    pub fn step_once(
        &mut self,
        system: &mut System,
        state: &mut State,
        until: f64,
    ) -> Result<Taken, DynamicsError> {
        let to_go = until - state.time;
        check_step(to_go)?;
        state.check(system.vertices())?;
        self.start.copy_from(state);
        self.taken = false;
        let planned = match self.next {
            Some(h) => h,
            None => self.first_step(system, to_go)?,
        };
        let planned = planned.min(self.control.largest);
        let smallest = (self.control.smallest * to_go).max(4.0 * f64::EPSILON * state.time.abs());
        let mut h = fit(planned, to_go);
        let mut trials = 0;
        loop {
            let last = h >= to_go;
            let outcome = self.inner.step(system, state, h);
            let cause = match outcome {
                Ok(report) => {
                    let (error, order) = self.error(system, state)?;
                    if error <= 1.0 {
                        if last {
                            state.time = until;
                        }
                        self.accept(state, h, error, order, trials > 0, last.then_some(planned));
                        return Ok(Taken { step: h, error, trials, report });
                    }
                    self.counts.rejected += 1;
                    // No integral part: the error of a rejected step says enough.
                    let factor = self.control.safety * error.powf(-1.0 / (order + 1) as f64);
                    h *= if factor.is_finite() { factor.max(self.control.shrink) } else { 0.1 };
                    None
                }
                Err(cause @ DynamicsError::Failed { .. }) => {
                    self.counts.failed += 1;
                    h *= 0.25;
                    Some(Box::new(cause))
                }
                Err(other) => {
                    state.copy_from(&self.start);
                    return Err(other);
                }
            };
            state.copy_from(&self.start);
            trials += 1;
            if h < smallest {
                self.next = None;
                let time = state.time;
                return Err(DynamicsError::StepTooSmall { time, step: h, smallest, trials, cause });
            }
        }
    }

    /// Positions and velocities within the last step that was taken, at the share theta of it: by the
    /// method's own formula where it has one, otherwise on the cubic through both ends.
    pub fn interpolate(
        &mut self,
        system: &mut System,
        theta: f64,
        x: &mut [Vec3],
        v: &mut [Vec3],
    ) -> Result<(), DynamicsError> {
        if !self.taken {
            return Err(DynamicsError::Unsupported(
                "there is no step to look into: the last one failed, or there was none".into(),
            ));
        }
        for (what, found) in [("positions", x.len()), ("velocities", v.len())] {
            crate::vector::check_length(what, found, self.end.x.len())?;
        }
        if !theta.is_finite() {
            let accepted = "a share of the last step, 0 to 1, is needed";
            return Err(DynamicsError::Setting { what: "theta", found: theta, accepted });
        }
        if self.inner.interpolate(system, theta, x, v)? {
            return Ok(());
        }
        let (from, to) = (&self.start, &self.end);
        let h = to.time - from.time;
        let rest = 1.0 - theta;
        for i in 0..x.len() {
            let (x0, v0, v1) = (from.x[i], from.v[i], to.v[i]);
            let change = sub(to.x[i], x0);
            // x₀ + (3θ² − 2θ³) Δ + h θ (1−θ) ((1−θ) v₀ − θ v₁), and its derivative.
            let y = add_scaled(x0, change, theta * theta * (3.0 - 2.0 * theta));
            let y = add_scaled(y, v0, h * theta * rest * rest);
            x[i] = add_scaled(y, v1, -h * theta * theta * rest);
            let s: Vec3 = change.map(|c| c * 6.0 * theta * rest / h);
            let s = add_scaled(s, v0, rest * (1.0 - 3.0 * theta));
            v[i] = add_scaled(s, v1, theta * (3.0 * theta - 2.0));
        }
        let time = from.time + theta * h;
        system.constraints().impose_positions(time, x);
        system.constraints().impose_velocities(time, v);
        Ok(())
    }

    /// The last step that was taken: when it began and ended, s.
    pub fn last_step(&self) -> (f64, f64) {
        (self.start.time, self.end.time)
    }

    /// Takes note of a step, and plans the next one.
    fn accept(
        &mut self,
        state: &State,
        h: f64,
        error: f64,
        order: usize,
        after_trials: bool,
        cut_from: Option<f64>,
    ) {
        self.end.x.clone_from(&state.x);
        self.end.v.clone_from(&state.v);
        self.end.time = state.time;
        self.taken = true;
        let counts = &mut self.counts;
        counts.accepted += 1;
        counts.largest = counts.largest.max(h);
        if cut_from.is_none_or(|planned| h >= planned) || counts.smallest.is_infinite() {
            counts.smallest = counts.smallest.min(h);
        }
        let control = &self.control;
        let q = (order + 1) as f64;
        let beta = control.memory / q;
        let factor =
            control.safety * error.max(1e-12).powf(0.75 * beta - 1.0 / q) * self.before.powf(beta);
        let factor = factor.clamp(control.shrink, control.grow);
        // A step after one that was rejected does not grow.
        let next = h * if after_trials { factor.min(1.0) } else { factor };
        self.before = error.max(1e-4);
        self.next = Some(match cut_from {
            // What was cut short says nothing against the step that was planned.
            Some(planned) if !after_trials => next.max(planned),
            _ => next,
        });
    }

    /// The error of the step just made, in units of the tolerance, and its order.
    fn error(&mut self, system: &System, state: &mut State) -> Result<(f64, usize), DynamicsError> {
        let Some(estimate) = self.inner.estimate() else {
            state.copy_from(&self.start);
            return Err(DynamicsError::Unsupported(format!(
                "{} does not estimate its error, so its steps cannot be chosen: take dormand-prince-5 or another method with an estimate, or a fixed step",
                self.inner.name()
            )));
        };
        let norm = |e: &Estimate<'_>| {
            let weights = Weights { control: &self.control, system, states: (&self.start, state) };
            weights.norm(e.x, e.v)
        };
        let fine = norm(&estimate);
        let error = match self.inner.rough_estimate() {
            Some(rough) if fine > 0.0 => {
                let rough = norm(&rough);
                fine * fine / (fine * fine + 0.01 * rough * rough).sqrt()
            }
            _ => fine,
        };
        // NaN counts as an infinite error.
        Ok((if error.is_finite() { error } else { f64::INFINITY }, estimate.order))
    }

    /// A first step from how fast the forces change (Hairer, Nørsett and Wanner, II.4).
    fn first_step(&mut self, system: &mut System, to_go: f64) -> Result<f64, DynamicsError> {
        let start = &self.start;
        let [x, v, a] = &mut self.work;
        for list in [&mut *x, &mut *v, &mut *a] {
            list.resize(start.len(), [0.0; 3]);
        }
        system.accelerations(&start.configuration(), a)?;
        // The slope of what is free: held vertices are moved, however fast.
        v.copy_from_slice(&start.v);
        system.constraints().filter(v);
        system.constraints().filter(a);
        set_sum(x, &start.x, system.rest(), -1.0);
        let weights = Weights { control: &self.control, system, states: (start, start) };
        let (d0, d1) = (weights.norm(x, v), weights.norm(v, a));
        let h0 = if d0 < 1e-5 || d1 < 1e-5 { 1e-6 * to_go } else { (0.01 * d0 / d1).min(to_go) };
        set_sum(x, &start.x, v, h0);
        // One step of Euler's method, and how the slope changed along it.
        let mut moved = std::mem::take(&mut self.end.v);
        moved.resize(start.len(), [0.0; 3]);
        set_sum(&mut moved, &start.v, a, h0);
        let mut change = std::mem::take(&mut self.end.x);
        change.resize(start.len(), [0.0; 3]);
        let end = start.ahead(x, &moved, start.time + h0, h0);
        let outcome = system.accelerations(&end, &mut change);
        let step = match outcome {
            Ok(()) => {
                for (c, &a) in change.iter_mut().zip(&*a) {
                    *c = sub(*c, a);
                }
                for (m, &v) in moved.iter_mut().zip(&start.v) {
                    *m = sub(*m, v);
                }
                system.constraints().filter(&mut moved);
                system.constraints().filter(&mut change);
                let weights = Weights { control: &self.control, system, states: (start, start) };
                let d2 = weights.norm(&moved, &change) / h0;
                let largest = d1.max(d2);
                let h1 = if largest <= 1e-15 {
                    (1e-3 * h0).max(1e-6 * to_go)
                } else {
                    // Estimates are of one order less than the methods that they go with.
                    (0.01 / largest).powf(1.0 / self.inner.order() as f64)
                };
                h1.min(100.0 * h0)
            }
            // The trial went too far.
            Err(DynamicsError::Force(_)) => 0.01 * h0,
            Err(other) => return Err(other),
        };
        (self.end.x, self.end.v) = (change, moved);
        Ok(step.clamp(1e-9 * to_go, to_go))
    }
}

/// The planned step, so that the last two before the end are alike rather than one of them tiny.
fn fit(planned: f64, to_go: f64) -> f64 {
    if planned * 1.01 >= to_go {
        to_go
    } else if planned * 2.0 > to_go {
        0.5 * to_go
    } else {
        planned
    }
}

impl Method for Adaptive {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn order(&self) -> usize {
        self.inner.order()
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        self.inner.estimate()
    }

    fn rough_estimate(&self) -> Option<Estimate<'_>> {
        self.inner.rough_estimate()
    }

    fn interpolate(
        &mut self,
        system: &mut System,
        theta: f64,
        x: &mut [Vec3],
        v: &mut [Vec3],
    ) -> Result<bool, DynamicsError> {
        Adaptive::interpolate(self, system, theta, x, v).map(|()| true)
    }

    fn step_counts(&self) -> Option<StepCounts> {
        Some(self.counts)
    }

    fn save(&self, to: &mut Sections) {
        let mut section = to.write("step control");
        section.maybe_number(self.next).number(self.before);
        self.counts.save(&mut section);
        self.inner.save(to);
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        let mut section = from.read("step control")?;
        let (next, before) = (section.maybe_number()?, section.number()?);
        let counts = StepCounts::load(&mut section)?;
        section.finish()?;
        (self.next, self.before, self.counts, self.taken) = (next, before, counts, false);
        self.inner.load(from, system)
    }

    fn forget(&mut self) {
        (self.next, self.before) = (self.control.first, 1e-4);
        self.inner.forget();
    }
}

impl Integrator for Adaptive {
    /// Moves on by h in as many steps as the tolerance needs.
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        check_step(h)?;
        self.whole.copy_from(state);
        let outcome = self.advance(system, state, state.time + h);
        if outcome.is_err() {
            state.copy_from(&self.whole);
        }
        outcome
    }

    fn counters(&self) -> Counters {
        self.inner.counters()
    }

    fn chosen(&self) -> Option<SolverUse> {
        self.inner.chosen()
    }

    fn phases(&self) -> Phases {
        self.inner.phases()
    }
}
