//! Kutta's ⅜ rule (1901).

use super::Tableau;
use super::entry::{IntegratorEntry, interval, runge_kutta};

/// Order 4, with smaller error terms than the classical method.
pub const THREE_EIGHTHS: Tableau = Tableau {
    name: "three-eighths",
    order: 4,
    a: &[&[], &[1.0 / 3.0], &[-1.0 / 3.0, 1.0], &[1.0, -1.0, 1.0]],
    b: &[1.0 / 8.0, 3.0 / 8.0, 3.0 / 8.0, 1.0 / 8.0],
    c: &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0],
};

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "three-eighths",
    about: "explicit, order 4; Kutta's 3/8 rule",
    imaginary_interval: || interval(&THREE_EIGHTHS),
    make: |_| runge_kutta(&THREE_EIGHTHS),
    ..IntegratorEntry::EXPLICIT
};
