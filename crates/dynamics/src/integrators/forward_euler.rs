//! Forward Euler: x₁ = x₀ + h v₀, v₁ = v₀ + h a₀.

use super::Tableau;

/// Order 1. Vibrations grow at any step: for comparison only.
pub const FORWARD_EULER: Tableau =
    Tableau { name: "forward-euler", order: 1, a: &[&[]], b: &[1.0], c: &[0.0] };
