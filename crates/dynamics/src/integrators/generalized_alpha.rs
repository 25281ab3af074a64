//! Generalised α (Chung and Hulbert 1993), with forces of the state between start and end:
//! M a(1 − α_m) + g(x(1 − α_f), v(1 − α_f), t(1 − α_f)) = 0.

use super::entry::{IntegratorEntry, implicit};
use super::newmark::predict;
use super::options::{SPECTRAL_RADIUS, TOLERANCE};
use crate::implicit::{Differentiation, ImplicitScheme, Prediction, Shares};
use crate::{DynamicsError, State};

/// Order 2, unconditionally stable for linear bodies; what is above the resolution of the step is damped
/// by a factor ρ∞ a step, what is below hardly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeneralizedAlpha {
    alpha_m: f64,
    alpha_f: f64,
    beta: f64,
    gamma: f64,
}

impl GeneralizedAlpha {
    /// With the spectral radius ρ∞ at infinite frequency, from 0 (all gone in one step) to 1 (no
    /// damping); Chung and Hulbert, equations 25, 17 and 20.
    pub fn new(rho: f64) -> Result<Self, DynamicsError> {
        if !(0.0..=1.0).contains(&rho) {
            let accepted = "0 to 1";
            return Err(DynamicsError::Setting {
                what: "spectral radius ρ∞",
                found: rho,
                accepted,
            });
        }
        Ok(Self::optimal((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)))
    }

    /// γ for order 2 and β for most damping at high frequencies.
    fn optimal(alpha_m: f64, alpha_f: f64) -> Self {
        let gamma = 0.5 - alpha_m + alpha_f;
        let beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
        Self { alpha_m, alpha_f, beta, gamma }
    }
}

impl ImplicitScheme for GeneralizedAlpha {
    fn name(&self) -> &'static str {
        "generalized-alpha"
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
        // Also where ρ∞ = 0 and they hold at the end, so that ρ∞ alone is what changes with it. With a linear body this is
        // as stable as β K v: no spectral radius is above 1 for any step, damping and ρ∞.
        Differentiation::Backward
    }

    fn shares(&self) -> Shares {
        let (position, acceleration) = (1.0 - self.alpha_f, 1.0 - self.alpha_m);
        Shares { position, velocity: position, acceleration }
    }

    fn predict(&self, state: &State, h: f64, end: &mut Prediction) {
        predict(self.beta, self.gamma, state, h, end);
    }
}

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "generalized-alpha",
    about: "implicit, order 2; damps only what the step cannot resolve",
    options: &[SPECTRAL_RADIUS, TOLERANCE],
    keeps_structure: |o| o.spectral_radius == 1.0,
    averages_ends: true,
    make: |o| implicit(GeneralizedAlpha::new(o.spectral_radius)?, o),
    ..IntegratorEntry::IMPLICIT
};
