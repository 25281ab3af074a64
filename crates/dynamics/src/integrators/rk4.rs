//! The classical method of Kutta (1901).

use super::Tableau;
use super::entry::{IntegratorEntry, interval, runge_kutta};

/// Order 4, stable for h ω up to 2.83.
pub const RK4: Tableau = Tableau {
    name: "rk4",
    order: 4,
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    c: &[0.0, 0.5, 0.5, 1.0],
};

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "rk4",
    about: "explicit, order 4; the classical method of Kutta",
    imaginary_interval: || interval(&RK4),
    make: |_| runge_kutta(&RK4),
    ..IntegratorEntry::EXPLICIT
};
