//! Forward Euler: x₁ = x₀ + h v₀, v₁ = v₀ + h a₀.

use super::Tableau;
use super::entry::{IntegratorEntry, interval, runge_kutta};

/// Order 1. Vibrations grow at any step: for comparison only.
pub const FORWARD_EULER: Tableau =
    Tableau { name: "forward-euler", order: 1, a: &[&[]], b: &[1.0], c: &[0.0] };

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "forward-euler",
    about: "explicit, order 1; vibrations grow at any step",
    imaginary_interval: || interval(&FORWARD_EULER),
    make: |_| runge_kutta(&FORWARD_EULER),
    ..IntegratorEntry::EXPLICIT
};
