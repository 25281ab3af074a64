//! The explicit midpoint rule (Runge 1895): half a step of Euler, then a whole one with the slope there.

use super::Tableau;
use super::entry::{IntegratorEntry, interval, runge_kutta};

/// Order 2. Vibrations grow slowly.
pub const EXPLICIT_MIDPOINT: Tableau = Tableau {
    name: "explicit-midpoint",
    order: 2,
    a: &[&[], &[0.5]],
    b: &[0.0, 1.0],
    c: &[0.0, 0.5],
};

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "explicit-midpoint",
    about: "explicit, order 2; vibrations grow slowly",
    imaginary_interval: || interval(&EXPLICIT_MIDPOINT),
    make: |_| runge_kutta(&EXPLICIT_MIDPOINT),
    ..IntegratorEntry::EXPLICIT
};
