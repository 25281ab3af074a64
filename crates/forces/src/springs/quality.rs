//! Damping constants that give every spring the same mechanical quality.

use super::network::Spring;
use crate::error::ForceError;
use crate::parameter::{positive, vertices};

/// At which frequency the quality Q = k / (ω R) of a spring with constant k and damping R holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QualityFit {
    /// At the undamped eigenfrequency ω = √(k/m): R = √(k m) / Q.
    #[default]
    Eigenfrequency,
    /// As Hauth (B.1) prints it, at ω² = k/m + (R/2m)²: R = (1/Q) √(2kmQ√(Q²+1) − 2kmQ²). That is
    /// not the damped frequency, which has a minus there; it is here for comparison.
    AsPrinted,
}

impl QualityFit {
    /// R for a spring of constant `stiffness` (N/m) on a mass (kg), N·s/m.
    pub fn damping(self, stiffness: f64, mass: f64, quality: f64) -> f64 {
        match self {
            Self::Eigenfrequency => (stiffness * mass).sqrt() / quality,
            // The printed root without its cancellation: √(Q²+1) − Q = 1 / (√(Q²+1) + Q).
            Self::AsPrinted => {
                let root = quality.hypot(1.0) + quality;
                (2.0 * stiffness * mass / (quality * root)).sqrt()
            }
        }
    }
}

/// Sets the damping of springs for a quality, with the reduced mass m₁m₂/(m₁+m₂) of their ends: the
/// mass with which the two swing against each other.
pub fn damp_for_quality(
    springs: &mut [Spring],
    masses: &[f64],
    quality: f64,
    fit: QualityFit,
) -> Result<(), ForceError> {
    positive("quality", quality)?;
    for spring in springs {
        vertices("damping for a quality", &spring.ends, masses.len())?;
        let mut ends = [0.0; 2];
        for (mass, v) in ends.iter_mut().zip(spring.ends) {
            *mass = positive(format_args!("mass of vertex {v}"), masses[v as usize])?;
        }
        let reduced = ends[0] * ends[1] / (ends[0] + ends[1]);
        spring.damping = fit.damping(spring.stiffness, reduced, quality);
    }
    Ok(())
}
