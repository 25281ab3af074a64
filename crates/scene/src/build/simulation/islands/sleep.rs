//! Islands that have come to rest are not stepped until something comes near (`contact.sleep`).

use pliant_algebra::vec3::{norm, norm_squared, sub};
use pliant_dynamics::{State, StepReport};

use super::island::Island;
use crate::error::SceneError;

/// Steps in which a body is calm before it sleeps.
const STEPS: u64 = 10;
/// Calm is what moves more slowly than this part of √(g d), the speed by which a body of size d falls down;
const SPEED: f64 = 1e-5;
/// and gains speed by less than this part of gravity, so that what turns round at the top of its flight is not calm.
const GAIN: f64 = 1e-3;

impl Island {
    /// Whether it sleeps.
    pub(super) fn sleeps(&self) -> bool {
        self.calm >= STEPS
    }

    /// Skips a step of h seconds if it sleeps and what acts on it stays as it is. What does not wakes it.
    pub(super) fn doze(&mut self, h: f64) -> Result<bool, SceneError> {
        if !self.sleeps() {
            return Ok(false);
        }
        let end = self.state.time + h;
        if !self.system.is_steady(&self.state, end)? {
            self.calm = 0;
            return Ok(false);
        }
        self.start.copy_from(&self.state);
        self.state.stay(end);
        if let Some(hulls) = &mut self.hulls {
            hulls.clear();
            hulls.cover(&self.state.x);
        }
        self.retries = crate::run::retry::Retries::default();
        self.stepped = Some(StepReport::default());
        Ok(true)
    }

    /// Counts steps in which it was calm. Where nothing falls, none is: a speed has nothing to be small against.
    pub(super) fn count_calm(&mut self, gravity: f64) {
        let Self { state, start, system, .. } = self;
        let calm = is_calm(start, state, gravity, system.size());
        self.calm = if calm { self.calm + 1 } else { 0 };
    }
}

fn is_calm(start: &State, end: &State, gravity: f64, size: f64) -> bool {
    let slow = SPEED * SPEED * gravity * size;
    let gain = GAIN * gravity * (end.time - start.time);
    let of = |(before, v)| norm_squared(v) <= slow && norm(sub(v, before)) <= gain;
    gravity > 0.0 && start.v.iter().copied().zip(end.v.iter().copied()).all(of)
}
