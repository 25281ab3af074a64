//! Backward Euler: x₁ = x₀ + h v₁, v₁ = v₀ + h a₁.

use super::entry::{IntegratorEntry, implicit};
use crate::implicit::{Differentiation, ImplicitScheme, Prediction, Shares};
use crate::vector::set_sum;
use crate::{LoadRule, State};

/// Order 1, L-stable; takes energy out of every vibration. With one Newton iteration from the positions
/// of before it is the semi-implicit method of Baraff and Witkin (1998).
#[derive(Debug, Clone, Copy)]
pub struct BackwardEuler;

impl ImplicitScheme for BackwardEuler {
    fn name(&self) -> &'static str {
        "backward-euler"
    }

    fn order(&self) -> usize {
        1
    }

    fn needs_accelerations(&self) -> bool {
        false
    }

    fn ends_with_accelerations(&self) -> bool {
        true
    }

    fn past_steps(&self) -> usize {
        0
    }

    fn differentiation(&self) -> Differentiation {
        Differentiation::AsVelocities
    }

    fn shares(&self) -> Shares {
        Shares::END
    }

    fn predict(&self, state: &State, h: f64, end: &mut Prediction) {
        set_sum(&mut end.x, &state.x, &state.v, h);
        end.v.copy_from_slice(&state.v);
        end.a.fill([0.0; 3]);
        end.velocity_slope = 1.0 / h;
        end.acceleration_slope = 1.0 / (h * h);
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "backward-euler",
    about: "implicit, order 1; takes every step, damps every vibration",
    load_rule: LoadRule::Chord([0.0, 0.0, 1.0]),
    make: |o| implicit(BackwardEuler, o),
    ..IntegratorEntry::IMPLICIT
};
