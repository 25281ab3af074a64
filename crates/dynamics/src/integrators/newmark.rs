//! Newmark's family (1959): x₁ = x₀ + h v₀ + h² ((½ − β) a₀ + β a₁), v₁ = v₀ + h ((1 − γ) a₀ + γ a₁).

use pliant_algebra::vec3::add_scaled;

use super::entry::{IntegratorEntry, implicit};
use super::options::{BETA, GAMMA, TOLERANCE};
use crate::implicit::{Differentiation, ImplicitScheme, Prediction, Shares};
use crate::{DynamicsError, State};

/// Order 2 for γ = ½, order 1 otherwise; unconditionally stable for 2β ≥ γ ≥ ½.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newmark {
    beta: f64,
    gamma: f64,
}

impl Newmark {
    /// β above 0 (0 would be explicit), γ at least ½ (below it vibrations grow).
    pub fn new(beta: f64, gamma: f64) -> Result<Self, DynamicsError> {
        if !(beta > 0.0 && beta <= 1.0) {
            let accepted = "above 0, at most 1; for β = 0 take verlet or central-differences";
            return Err(DynamicsError::Setting { what: "Newmark's β", found: beta, accepted });
        }
        if !(0.5..=1.0).contains(&gamma) {
            let accepted = "0.5 to 1: below 0.5 every vibration grows";
            return Err(DynamicsError::Setting { what: "Newmark's γ", found: gamma, accepted });
        }
        Ok(Self { beta, gamma })
    }
}

impl Default for Newmark {
    fn default() -> Self {
        Self { beta: 0.25, gamma: 0.5 }
    }
}

/// The end of a Newmark step with a₁ = 0, and its slopes.
pub(super) fn predict(beta: f64, gamma: f64, state: &State, h: f64, end: &mut Prediction) {
    for i in 0..state.x.len() {
        let (x, v, a) = (state.x[i], state.v[i], state.a[i]);
        end.x[i] = add_scaled(add_scaled(x, v, h), a, h * h * (0.5 - beta));
        end.v[i] = add_scaled(v, a, h * (1.0 - gamma));
    }
    end.a.fill([0.0; 3]);
    end.velocity_slope = gamma / (beta * h);
    end.acceleration_slope = 1.0 / (beta * h * h);
}

impl ImplicitScheme for Newmark {
    fn name(&self) -> &'static str {
        "newmark"
    }

    fn order(&self) -> usize {
        if self.gamma == 0.5 { 2 } else { 1 }
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
        if 2.0 * self.beta >= self.gamma {
            Differentiation::AsVelocities
        } else {
            Differentiation::Never
        }
    }

    fn shares(&self) -> Shares {
        Shares::END
    }

    fn predict(&self, state: &State, h: f64, end: &mut Prediction) {
        predict(self.beta, self.gamma, state, h, end);
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "newmark",
    about: "implicit, order 2 for gamma 1/2; beta and gamma to choose",
    options: &[BETA, GAMMA, TOLERANCE],
    // Reversible without its damping.
    keeps_structure: |o| o.newmark.1 == 0.5,
    averages_ends: true,
    make: |o| implicit(Newmark::new(o.newmark.0, o.newmark.1)?, o),
    ..IntegratorEntry::IMPLICIT
};
