//! Stages that follow from the two before them: what stabilised explicit methods have in common.

use pliant_algebra::vec3::Vec3;

use super::Next;
use crate::{DynamicsError, State, System};

/// Positions and velocities.
pub(super) type Pair = (Vec<Vec3>, Vec<Vec3>);

/// Yⱼ = p Y₀ + q Yⱼ₋₁ + r Yⱼ₋₂ + h m f(Yⱼ₋₁) + h n f(Y₀)
#[derive(Debug, Clone, Copy)]
pub(super) struct Recursion {
    /// p, q, r
    pub(super) stages: [f64; 3],
    /// m, n
    pub(super) slopes: [f64; 2],
}

/// The stages of a step.
#[derive(Default)]
pub(super) struct ThreeTerm {
    pub(super) start: Pair,
    /// Accelerations at the start, and of the stage before the last.
    pub(super) first: Vec<Vec3>,
    pub(super) slope: Vec<Vec3>,
    /// Yⱼ and Yⱼ₋₁.
    pub(super) last: Pair,
    pub(super) older: Pair,
    /// cⱼ and cⱼ₋₁: stages are at t + c h.
    c: [f64; 2],
    time: f64,
    h: f64,
}

impl ThreeTerm {
    /// Makes the start of a step the first stage, with its accelerations.
    pub(super) fn begin(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
    ) -> Result<(), DynamicsError> {
        let pairs = [&mut self.start, &mut self.last, &mut self.older];
        let lists = pairs.into_iter().flat_map(|(x, v)| [x, v]);
        for list in lists.chain([&mut self.first, &mut self.slope]) {
            list.resize(state.len(), [0.0; 3]);
        }
        for pair in [&mut self.start, &mut self.last, &mut self.older] {
            pair.0.copy_from_slice(&state.x);
            pair.1.copy_from_slice(&state.v);
        }
        (self.c, self.time, self.h) = ([0.0; 2], state.time, h);
        if state.knows_acceleration {
            self.first.copy_from_slice(&state.a);
            return Ok(());
        }
        system.accelerations(&state.configuration(), &mut self.first)
    }

    /// Y₁ = Y₀ + h m f(Y₀)
    pub(super) fn first_stage(&mut self, m: f64) {
        self.slope.copy_from_slice(&self.first);
        self.push(Recursion { stages: [0.0, 1.0, 0.0], slopes: [m, 0.0] });
    }

    /// The next stage.
    pub(super) fn stage(
        &mut self,
        system: &mut System,
        state: &State,
        recursion: Recursion,
    ) -> Result<(), DynamicsError> {
        let time = self.time + self.c[0] * self.h;
        let at = state.ahead(&self.last.0, &self.last.1, time, self.h);
        system.accelerations(&at, &mut self.slope)?;
        self.push(recursion);
        Ok(())
    }

    /// Replaces the older stage by the next one, whose slope is known.
    fn push(&mut self, Recursion { stages: [p, q, r], slopes: [m, n] }: Recursion) {
        let (m_h, n_h) = (self.h * m, self.h * n);
        let blend = |y: [Vec3; 5]| -> Vec3 {
            std::array::from_fn(|k| {
                p * y[0][k] + q * y[1][k] + r * y[2][k] + m_h * y[3][k] + n_h * y[4][k]
            })
        };
        let Self { start, last, older, first, slope, .. } = self;
        for i in 0..slope.len() {
            let (v0, v) = (start.1[i], last.1[i]);
            older.0[i] = blend([start.0[i], last.0[i], older.0[i], v, v0]);
            older.1[i] = blend([v0, v, older.1[i], slope[i], first[i]]);
        }
        std::mem::swap(older, last);
        // Those of y′ = 1.
        self.c = [q * self.c[0] + r * self.c[1] + m + n, self.c[0]];
    }

    /// The last stage as the end of the step, with the accelerations there, which the next step begins with.
    pub(super) fn end(
        &self,
        system: &mut System,
        state: &State,
        next: &mut Next,
    ) -> Result<(), DynamicsError> {
        next.x.copy_from_slice(&self.last.0);
        next.v.copy_from_slice(&self.last.1);
        let time = self.time + self.h;
        system.constraints().impose_positions(time, &mut next.x);
        system.constraints().impose_velocities(time, &mut next.v);
        system.accelerations(&state.ahead(&next.x, &next.v, time, self.h), &mut next.a)
    }
}
