//! Backward differentiation formulas (Curtiss and Hirschfelder 1952) of order 1 to 6 with equal steps:
//! x₁ = Σ cⱼ x₋ⱼ + β h v₁, and the same for v₁ and a₁.

use pliant_algebra::vec3::{Vec3, add_scaled, sub};

use crate::implicit::{ImplicitScheme, Prediction, Shares};
use crate::{DynamicsError, State};

/// Order k with k − 1 past steps; A-stable up to order 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bdf {
    order: usize,
}

/// β and the cⱼ of each order as numerators over one denominator, from j = 0 on.
const TABLE: [(f64, f64, &[f64]); 6] = [
    (1.0, 1.0, &[1.0]),
    (2.0, 3.0, &[4.0, -1.0]),
    (6.0, 11.0, &[18.0, -9.0, 2.0]),
    (12.0, 25.0, &[48.0, -36.0, 16.0, -3.0]),
    (60.0, 137.0, &[300.0, -300.0, 200.0, -75.0, 12.0]),
    (60.0, 147.0, &[360.0, -450.0, 400.0, -225.0, 72.0, -10.0]),
];

const NAMES: [&str; 6] = ["bdf1", "bdf2", "bdf3", "bdf4", "bdf5", "bdf6"];

impl Bdf {
    /// Of order 1 to 6; from 7 on no such method is stable.
    pub fn new(order: usize) -> Result<Self, DynamicsError> {
        if (1..=6).contains(&order) {
            return Ok(Self { order });
        }
        let accepted = "1 to 6: from 7 on they are unstable";
        Err(DynamicsError::Setting { what: "order of BDF", found: order as f64, accepted })
    }
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

    fn shares(&self) -> Shares {
        Shares::END
    }

    fn predict(&self, state: &State, h: f64, end: &mut Prediction) {
        let order = self.order.min(state.evenly_spaced(h) + 1);
        let (beta, denominator, c) = TABLE[order - 1];
        // The cⱼ sum to 1: with differences to the latest state, rounding is that of the differences.
        let combine = |now: Vec3, past: &dyn Fn(usize) -> Vec3| {
            let sum = c
                .iter()
                .enumerate()
                .skip(1)
                .fold([0.0; 3], |sum, (j, c)| add_scaled(sum, sub(past(j - 1), now), *c));
            add_scaled(now, sum, 1.0 / denominator)
        };
        let step = h * beta / denominator;
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
