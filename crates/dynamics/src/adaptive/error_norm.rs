//! The norm that errors of steps are measured in.

use pliant_algebra::vec3::Vec3;
use pliant_solvers::sums;

use super::StepControl;
use crate::{State, System};

/// What errors are measured by.
pub(super) struct Weights<'a> {
    pub(super) control: &'a StepControl,
    pub(super) system: &'a System,
    /// At both ends of a step.
    pub(super) states: (&'a State, &'a State),
}

impl Weights<'_> {
    /// √(mean of (error / tolerance)²) over what is free.
    pub(super) fn norm(&self, x: &[Vec3], v: &[Vec3]) -> f64 {
        let (from, to) = self.states;
        let (c, size) = (self.control, self.system.size());
        let (length, speed) = (c.absolute_position * size, c.absolute_velocity * size);
        let rest = self.system.rest();
        let [sum] = sums::over(rest.len(), &|range| {
            let mut sum = 0.0;
            for i in range {
                for k in 0..3 {
                    let [from_rest, to_rest] = [from, to].map(|s| (s.x[i][k] - rest[i][k]).abs());
                    let moved = from_rest.max(to_rest);
                    let fast = from.v[i][k].abs().max(to.v[i][k].abs());
                    let ex = x[i][k] / (length + c.relative * moved);
                    let ev = v[i][k] / (speed + c.relative * fast);
                    sum += ex * ex + ev * ev;
                }
            }
            [sum]
        });
        let held: usize =
            self.system.constraints().vertices().iter().map(|h| h.directions().count()).sum();
        let free = 3 * self.system.vertices() - held;
        (sum / (2 * free.max(1)) as f64).sqrt()
    }
}
