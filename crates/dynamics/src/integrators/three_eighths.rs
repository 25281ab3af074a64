//! Kutta's ⅜ rule (1901).

use super::Tableau;

/// Order 4, with smaller error terms than the classical method.
pub const THREE_EIGHTHS: Tableau = Tableau {
    name: "three-eighths",
    order: 4,
    a: &[&[], &[1.0 / 3.0], &[-1.0 / 3.0, 1.0], &[1.0, -1.0, 1.0]],
    b: &[1.0 / 8.0, 3.0 / 8.0, 3.0 / 8.0, 1.0 / 8.0],
    c: &[0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0],
};
