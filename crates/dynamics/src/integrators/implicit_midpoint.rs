//! The implicit midpoint rule: x₁ = x₀ + h v_m, v₁ = v₀ + h a_m with M a_m + g(x_m, v_m, t_m) = 0 at the
//! means of start and end.

use super::entry::{IntegratorEntry, implicit};
use crate::implicit::{ImplicitScheme, Prediction, Shares};
use crate::vector::set_sum;
use crate::{LoadRule, State};

/// Order 2, A-stable, symplectic: keeps linear and angular momentum, and the energy of linear bodies.
#[derive(Debug, Clone, Copy)]
pub struct ImplicitMidpoint;

impl ImplicitScheme for ImplicitMidpoint {
    fn name(&self) -> &'static str {
        "implicit-midpoint"
    }

    fn order(&self) -> usize {
        2
    }

    fn needs_accelerations(&self) -> bool {
        false
    }

    fn ends_with_accelerations(&self) -> bool {
        false
    }

    fn past_steps(&self) -> usize {
        0
    }

    fn shares(&self) -> Shares {
        Shares { position: 0.5, velocity: 0.5, acceleration: 1.0 }
    }

    fn predict(&self, state: &State, h: f64, end: &mut Prediction) {
        // x₁ = x₀ + h v₀ + d gives v₁ = 2 (x₁ − x₀)/h − v₀ = v₀ + 2 d/h and a_m = (v₁ − v₀)/h.
        set_sum(&mut end.x, &state.x, &state.v, h);
        end.v.copy_from_slice(&state.v);
        end.a.fill([0.0; 3]);
        end.velocity_slope = 2.0 / h;
        end.acceleration_slope = 2.0 / (h * h);
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "implicit-midpoint",
    about: "implicit, order 2; keeps momentum and, on linear bodies, energy",
    keeps_structure: |_| true,
    load_rule: LoadRule::Chord([0.0, 1.0, 0.0]),
    make: |o| implicit(ImplicitMidpoint, o),
    ..IntegratorEntry::IMPLICIT
};
