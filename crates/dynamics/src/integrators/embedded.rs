//! Explicit Runge-Kutta methods that estimate their error and know the motion within a step.
//!
//! The slope at the end of a step is the first slope of the next one: it is kept as the acceleration of
//! the state, so that a rejected step, a checkpoint and a restart all find the right one.

use pliant_algebra::vec3::{Vec3, add_scaled, scale, sub};
use pliant_forces::Configuration;
use pliant_sections::Sections;

use super::runge_kutta::combine;
use super::{Estimate, ExplicitScheme, Method, Next, Tableau};
use crate::{DynamicsError, State, System};

/// A method with all that goes with it. Weights are of the slopes of the stages, then of the slope at the
/// end of the step, then of the extra stages.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedTableau {
    /// The method itself.
    pub method: Tableau,
    /// Weights of the estimated error.
    pub error: &'static [f64],
    /// It shrinks like h^(this + 1), tempered by `rough` where there is one.
    pub error_order: usize,
    /// Weights of a second estimate.
    pub rough: Option<&'static [f64]>,
    /// Rows of stages that only dense output needs.
    pub extra: &'static [&'static [f64]],
    /// When they are.
    pub extra_c: &'static [f64],
    /// Weights of what dense output adds to the cubic through both ends, factor by factor: θ²(1−θ)²,
    /// θ³(1−θ)², θ³(1−θ)³, …
    pub dense: &'static [&'static [f64]],
    /// The order of dense output.
    pub dense_order: usize,
}

/// Positions and velocities, or their slopes.
type Pair = (Vec<Vec3>, Vec<Vec3>);

/// An embedded method with its stages.
pub struct Embedded {
    table: &'static EmbeddedTableau,
    /// v and a of each stage, of the end of the step, and of the extra stages.
    slopes: Vec<Pair>,
    error: Pair,
    rough: Pair,
    /// Positions of a stage.
    x: Vec<Vec3>,
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    time: f64,
    h: f64,
    /// Whether a step was made, and whether its extra stages are known.
    stepped: bool,
    extended: bool,
}

impl Embedded {
    /// Of a table.
    pub fn new(table: &'static EmbeddedTableau) -> Self {
        Self {
            table,
            slopes: Vec::new(),
            error: Pair::default(),
            rough: Pair::default(),
            x: Vec::new(),
            start: Vec::new(),
            end: Vec::new(),
            time: 0.0,
            h: 0.0,
            stepped: false,
            extended: false,
        }
    }

    fn resize(&mut self, n: usize) {
        let stages = self.table.method.b.len() + 1 + self.table.extra.len();
        self.slopes.resize_with(stages, Pair::default);
        let pairs = self.slopes.iter_mut().chain([&mut self.error, &mut self.rough]);
        let lists = pairs.flat_map(|(x, v)| [x, v]);
        for list in lists.chain([&mut self.x, &mut self.start, &mut self.end]) {
            list.resize(n, [0.0; 3]);
        }
    }

    /// The slopes of a stage whose row is given, from those before it; `state` is where the step began.
    fn stage(
        &mut self,
        system: &mut System,
        state: Option<&State>,
        at: usize,
        row: &[f64],
        c: f64,
    ) -> Result<(), DynamicsError> {
        let (done, rest) = self.slopes.split_at_mut(at);
        let (v, a) = &mut rest[0];
        combine(&mut self.x, Some(&self.start), self.h, row, &done.iter().map(|s| &s.0));
        combine(v, Some(&done[0].0), self.h, row, &done.iter().map(|s| &s.1));
        let time = self.time + c * self.h;
        let at = match state {
            Some(state) => state.ahead(&self.x, v, time, self.h),
            None => Configuration::new(&self.x, v, time),
        };
        system.accelerations(&at, a)
    }

    fn steps(&mut self, system: &mut System, state: &State) -> Result<(), DynamicsError> {
        let method = self.table.method;
        self.start.copy_from_slice(&state.x);
        self.x.copy_from_slice(&state.x);
        let (v, a) = &mut self.slopes[0];
        v.copy_from_slice(&state.v);
        if state.knows_acceleration {
            a.copy_from_slice(&state.a);
        } else {
            system.accelerations(&state.configuration(), a)?;
        }
        for (at, (row, c)) in method.a.iter().zip(method.c).enumerate().skip(1) {
            self.stage(system, Some(state), at, row, *c)?;
        }
        let last = method.b.len();
        let (done, rest) = self.slopes.split_at_mut(last);
        let (v, a) = &mut rest[0];
        combine(&mut self.end, Some(&self.start), self.h, method.b, &done.iter().map(|s| &s.0));
        combine(v, Some(&done[0].0), self.h, method.b, &done.iter().map(|s| &s.1));
        let time = self.time + self.h;
        system.constraints().impose_positions(time, &mut self.end);
        system.constraints().impose_velocities(time, v);
        self.x.copy_from_slice(&self.end);
        system.accelerations(&state.ahead(&self.end, v, time, self.h), a)
    }

    /// h Σ weight slope, of what is free.
    fn estimate_into(&self, system: &System, weights: &[f64], to: &mut Pair) {
        combine(&mut to.0, None, self.h, weights, &self.slopes.iter().map(|s| &s.0));
        combine(&mut to.1, None, self.h, weights, &self.slopes.iter().map(|s| &s.1));
        system.constraints().filter(&mut to.0);
        system.constraints().filter(&mut to.1);
    }
}

impl Method for Embedded {
    fn name(&self) -> &'static str {
        self.table.method.name
    }

    fn order(&self) -> usize {
        self.table.method.order
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        let (x, v) = (&self.error.0, &self.error.1);
        self.stepped.then_some(Estimate { x, v, order: self.table.error_order })
    }

    fn rough_estimate(&self) -> Option<Estimate<'_>> {
        let (x, v) = (&self.rough.0, &self.rough.1);
        (self.stepped && self.table.rough.is_some()).then_some(Estimate { x, v, order: 3 })
    }

    fn interpolate(
        &mut self,
        system: &mut System,
        theta: f64,
        x: &mut [Vec3],
        v: &mut [Vec3],
    ) -> Result<bool, DynamicsError> {
        if !self.stepped || x.len() != self.x.len() || v.len() != self.x.len() {
            return Ok(false);
        }
        // Further stages would need what models remembered before the step.
        if !self.extended && !self.table.extra.is_empty() && system.has_memory() {
            return Ok(false);
        }
        let last = self.table.method.b.len();
        if !self.extended {
            for (k, (row, c)) in self.table.extra.iter().zip(self.table.extra_c).enumerate() {
                self.stage(system, None, last + 1 + k, row, *c)?;
            }
            self.extended = true;
        }
        // Hairer, Nørsett and Wanner, Solving ODEs I, II.6: θ (Δ + (1−θ) (b + θ (c + (1−θ) (d₁ + …)))) with
        // Δ = y₁ − y₀, b = h k₀ − Δ, c = Δ − h k₁ − b.
        let rest = 1.0 - theta;
        let (one, two, three) = (theta, theta * rest, theta * theta * rest);
        let blend =
            |to: &mut [Vec3], from: &[Vec3], end: &[Vec3], slope: &[Vec3], last: &[Vec3]| {
                for (i, to) in to.iter_mut().enumerate() {
                    let y = add_scaled(from[i], sub(end[i], from[i]), one - two + 2.0 * three);
                    let y = add_scaled(y, scale(slope[i], self.h), two - three);
                    *to = add_scaled(y, last[i], -self.h * three);
                }
            };
        let (first, end) = (&self.slopes[0], &self.slopes[last]);
        blend(x, &self.start, &self.end, &first.0, &end.0);
        blend(v, &first.0, &end.0, &first.1, &end.1);
        let mut factor = three;
        for (k, row) in self.table.dense.iter().enumerate() {
            factor *= if k % 2 == 0 { rest } else { theta };
            for (&w, slope) in row.iter().zip(&self.slopes).filter(|(w, _)| **w != 0.0) {
                crate::vector::add_scaled(x, &slope.0, self.h * factor * w);
                crate::vector::add_scaled(v, &slope.1, self.h * factor * w);
            }
        }
        let time = self.time + theta * self.h;
        system.constraints().impose_positions(time, x);
        system.constraints().impose_velocities(time, v);
        Ok(true)
    }

    /// Nothing: the first slope is the acceleration of the state.
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, _: &System) -> Result<(), DynamicsError> {
        Ok(())
    }
}

impl ExplicitScheme for Embedded {
    fn takes_velocity_forces(&self) -> bool {
        true
    }

    fn advance(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        next: &mut Next,
    ) -> Result<bool, DynamicsError> {
        self.resize(state.len());
        (self.time, self.h) = (state.time, h);
        (self.stepped, self.extended) = (false, false);
        if let Err(cause) = self.steps(system, state) {
            // Where it failed, for the report.
            next.x.copy_from_slice(&self.x);
            return Err(cause);
        }
        let last = &self.slopes[self.table.method.b.len()];
        next.x.copy_from_slice(&self.end);
        next.v.copy_from_slice(&last.0);
        next.a.copy_from_slice(&last.1);
        let mut error = std::mem::take(&mut self.error);
        self.estimate_into(system, self.table.error, &mut error);
        self.error = error;
        if let Some(weights) = self.table.rough {
            let mut rough = std::mem::take(&mut self.rough);
            self.estimate_into(system, weights, &mut rough);
            self.rough = rough;
        }
        self.stepped = true;
        Ok(true)
    }
}
