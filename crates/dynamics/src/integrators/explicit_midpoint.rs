//! The explicit midpoint rule (Runge 1895): half a step of Euler, then a whole one with the slope there.

use super::Tableau;

/// Order 2. Vibrations grow slowly.
pub const EXPLICIT_MIDPOINT: Tableau = Tableau {
    name: "explicit-midpoint",
    order: 2,
    a: &[&[], &[0.5]],
    b: &[0.0, 1.0],
    c: &[0.0, 0.5],
};
