//! Backward differentiation formulas (Curtiss and Hirschfelder 1952) of order 1 to 6:
//! x₁ = Σ cⱼ x₋ⱼ + β h v₁, and the same for v₁ and a₁.
//!
//! Orders 2 and 3 take steps of any length: their coefficients follow from the times of the past. The
//! others start again where the step changes, as steps that vary would make them unstable.

use pliant_algebra::vec3::{Vec3, add_scaled, scale, sub};

use super::entry::{IntegratorEntry, implicit};
use crate::implicit::{Differentiation, ImplicitScheme, Prediction, Shares};
use crate::{DynamicsError, State};

/// Order k with k − 1 past steps; A-stable up to order 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bdf {
    order: usize,
}

/// β and the cⱼ of each order as numerators over one denominator, from j = 0 on, for equal steps.
const TABLE: [(f64, f64, &[f64]); 6] = [
    (1.0, 1.0, &[1.0]),
    (2.0, 3.0, &[4.0, -1.0]),
    (6.0, 11.0, &[18.0, -9.0, 2.0]),
    (12.0, 25.0, &[48.0, -36.0, 16.0, -3.0]),
    (60.0, 137.0, &[300.0, -300.0, 200.0, -75.0, 12.0]),
    (60.0, 147.0, &[360.0, -450.0, 400.0, -225.0, 72.0, -10.0]),
];

const NAMES: [&str; 6] = ["bdf1", "bdf2", "bdf3", "bdf4", "bdf5", "bdf6"];

/// The most by which steps may grow for ever without loss of stability: 1 + √2 for order 2 and 1.534 for
/// order 3 (Grigorieff 1983; Calvo, Grande and Grigorieff 1990).
const GROWTH: [f64; 2] = [2.414, 1.534];

impl Bdf {
    /// Of order 1 to 6; from 7 on no such method is stable.
    pub fn new(order: usize) -> Result<Self, DynamicsError> {
        if (1..=6).contains(&order) {
            return Ok(Self { order });
        }
        let accepted = "1 to 6: from 7 on they are unstable";
        Err(DynamicsError::Setting { what: "order of BDF", found: order as f64, accepted })
    }

    /// Whether steps may vary.
    fn varies(self) -> bool {
        matches!(self.order, 2 | 3)
    }

    /// The cⱼ and β h.
    fn coefficients(self, state: &State, h: f64) -> ([f64; 6], f64) {
        let mut c = [0.0; 6];
        let even = state.evenly_spaced(h) + 1;
        if even < self.order && self.varies() && state.past.len() + 1 >= self.order {
            // p′(t₁) = v₁ for the polynomial p through x₁, x₀, x₋₁, …
            let tau = ages(state, h);
            let tau = &tau[..self.order];
            let slope: f64 = tau.iter().map(|t| 1.0 / t).sum();
            for (j, c) in c.iter_mut().enumerate().take(self.order) {
                *c = at_end(tau, j) / (tau[j] * slope);
            }
            return (c, 1.0 / slope);
        }
        let (beta, denominator, table) = TABLE[self.order.min(even) - 1];
        for (c, number) in c.iter_mut().zip(table) {
            *c = number / denominator;
        }
        (c, h * beta / denominator)
    }
}

/// How long before the end of a step of h the states are: the current one, then those of the past.
fn ages(state: &State, h: f64) -> [f64; 4] {
    let mut tau = [h; 4];
    for (tau, past) in tau[1..].iter_mut().zip(&state.past) {
        *tau = h + (state.time - past.time);
    }
    tau
}

/// The value at 0 of the polynomial that is 1 at tau[j] and 0 at all others.
fn at_end(tau: &[f64], j: usize) -> f64 {
    let others = tau.iter().enumerate().filter(|(i, _)| *i != j);
    others.map(|(_, t)| t / (t - tau[j])).product()
}

impl ImplicitScheme for Bdf {
    fn name(&self) -> &'static str {
        NAMES[self.order - 1]
    }

    fn order(&self) -> usize {
        self.order
    }

    fn needs_accelerations(&self) -> bool {
        false
    }

    fn ends_with_accelerations(&self) -> bool {
        true
    }

    fn past_steps(&self) -> usize {
        self.order - 1
    }

    fn keeps(&self) -> usize {
        if self.varies() { self.order } else { self.order - 1 }
    }

    fn past_serves(&self, state: &State, h: f64) -> bool {
        if state.evenly_spaced(h) >= self.past_steps() {
            return true;
        }
        let times: [f64; 2] = match &*state.past {
            [first, second, ..] => [state.time - first.time, first.time - second.time],
            [first] => [state.time - first.time, f64::INFINITY],
            [] => return false,
        };
        self.varies()
            && state.past.len() >= self.past_steps()
            && times.iter().all(|&t| t > 0.0)
            && h <= GROWTH[self.order - 2] * times[0]
    }

    fn estimates(&self) -> bool {
        self.varies()
    }

    /// Milne's device: the difference to the polynomial through the past, of degree m, is Π τⱼ times the
    /// divided difference of order m + 1 that the error of the formula is a multiple of. Where there is not
    /// past enough for m = k the error is that of order k − 1.
    fn estimate(
        &self,
        state: &State,
        h: f64,
        end: [&[Vec3]; 2],
        error: &mut [Vec<Vec3>; 2],
    ) -> Option<usize> {
        let m = self.order.min(state.past.len());
        if !self.varies() || m + 1 < self.order || m == 0 {
            return None;
        }
        let tau = ages(state, h);
        let tau = &tau[..=m];
        let slope: f64 = tau[..m].iter().map(|t| 1.0 / t).sum();
        let factor = 1.0 / (tau[m] * slope);
        let mut weights = [0.0; 4];
        for (j, weight) in weights.iter_mut().enumerate().take(m + 1) {
            *weight = at_end(tau, j);
        }
        let [x, v] = error;
        let now = [(x, &state.x), (v, &state.v)];
        for (k, (error, now)) in now.into_iter().enumerate() {
            for (i, error) in error.iter_mut().enumerate() {
                // The weights sum to 1: differences to the latest state, as in the formula itself.
                let mut sum = sub(end[k][i], now[i]);
                for (past, weight) in state.past.iter().zip(&weights[1..=m]) {
                    let past = if k == 0 { &past.x } else { &past.v };
                    sum = add_scaled(sum, sub(past[i], now[i]), -weight);
                }
                *error = scale(sum, factor);
            }
        }
        Some(m)
    }

    fn differentiation(&self) -> Differentiation {
        Differentiation::AsVelocities
    }

    fn shares(&self) -> Shares {
        Shares::END
    }

    fn predict(&self, state: &State, h: f64, end: &mut Prediction) {
        let (c, step) = self.coefficients(state, h);
        // The cⱼ sum to 1: with differences to the latest state, rounding is that of the differences.
        let combine = |now: Vec3, past: &dyn Fn(usize) -> Vec3| {
            let used = c.iter().enumerate().skip(1).filter(|(_, c)| **c != 0.0);
            used.fold(now, |sum, (j, c)| add_scaled(sum, sub(past(j - 1), now), *c))
        };
        for i in 0..state.x.len() {
            let v = combine(state.v[i], &|j| state.past[j].v[i]);
            end.v[i] = v;
            end.x[i] = add_scaled(combine(state.x[i], &|j| state.past[j].x[i]), v, step);
        }
        end.a.fill([0.0; 3]);
        end.velocity_slope = 1.0 / step;
        end.acceleration_slope = 1.0 / (step * step);
    }
}

/// Its line in the register.
pub(super) const BDF1: IntegratorEntry = IntegratorEntry {
    name: "bdf1",
    about: "implicit, order 1; backward Euler as a multistep method",
    make: |o| implicit(Bdf::new(1)?, o),
    ..IntegratorEntry::IMPLICIT
};

/// Its line in the register.
pub(super) const BDF2: IntegratorEntry = IntegratorEntry {
    name: "bdf2",
    about: "implicit, order 2; A-stable, damps",
    make: |o| implicit(Bdf::new(2)?, o),
    ..IntegratorEntry::IMPLICIT
};

/// Its line in the register.
pub(super) const BDF3: IntegratorEntry = IntegratorEntry {
    name: "bdf3",
    about: "implicit, order 3; stable but near the imaginary axis",
    make: |o| implicit(Bdf::new(3)?, o),
    ..IntegratorEntry::IMPLICIT
};

/// Its line in the register.
pub(super) const BDF4: IntegratorEntry = IntegratorEntry {
    name: "bdf4",
    about: "implicit, order 4; for smooth or damped motion",
    make: |o| implicit(Bdf::new(4)?, o),
    ..IntegratorEntry::IMPLICIT
};

/// Its line in the register.
pub(super) const BDF5: IntegratorEntry = IntegratorEntry {
    name: "bdf5",
    about: "implicit, order 5; for smooth or damped motion",
    make: |o| implicit(Bdf::new(5)?, o),
    ..IntegratorEntry::IMPLICIT
};

/// Its line in the register.
pub(super) const BDF6: IntegratorEntry = IntegratorEntry {
    name: "bdf6",
    about: "implicit, order 6; for smooth or damped motion",
    make: |o| implicit(Bdf::new(6)?, o),
    ..IntegratorEntry::IMPLICIT
};
