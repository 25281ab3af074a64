//! The classical method of Kutta (1901).

use super::Tableau;

/// Order 4, stable for h ω up to 2.83.
pub const RK4: Tableau = Tableau {
    name: "rk4",
    order: 4,
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    c: &[0.0, 0.5, 0.5, 1.0],
};
