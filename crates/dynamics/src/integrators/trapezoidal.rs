//! The trapezoidal rule: x₁ = x₀ + h/2 (v₀ + v₁), v₁ = v₀ + h/2 (a₀ + a₁).

use super::entry::{IntegratorEntry, implicit};
use super::newmark::predict;
use crate::implicit::{Differentiation, ImplicitScheme, Prediction, Shares};
use crate::{LoadRule, State};

/// Order 2, A-stable; Newmark's method with β = ¼ and γ = ½.
#[derive(Debug, Clone, Copy)]
pub struct Trapezoidal;

impl ImplicitScheme for Trapezoidal {
    fn name(&self) -> &'static str {
        "trapezoidal"
    }

    fn order(&self) -> usize {
        2
    }

    fn needs_accelerations(&self) -> bool {
        true
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
        predict(0.25, 0.5, state, h, end);
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "trapezoidal",
    about: "implicit, order 2; no damping",
    keeps_structure: |_| true,
    load_rule: LoadRule::Chord([0.5, 0.0, 0.5]),
    averages_ends: true,
    make: |o| implicit(Trapezoidal, o),
    ..IntegratorEntry::IMPLICIT
};
