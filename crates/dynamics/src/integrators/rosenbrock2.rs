//! The Rosenbrock method of order 2 by Verwer, Spee, Blom and Hundsdorfer (SIAM J. Sci. Comput. 20, 1999).

use std::f64::consts::FRAC_1_SQRT_2;

use super::RosenbrockTable;
use super::entry::{IntegratorEntry, linearly_implicit};
use crate::linearly_implicit::Stage;

/// Of the two γ that make it L-stable, 1 ± 1/√2, the smaller one: on linear problems its error is 34
/// times smaller. (The authors prefer the larger one for concentrations, which must not become negative.)
const GAMMA: f64 = 1.0 - FRAC_1_SQRT_2;

/// k₁ and k₂ with weights ½, γ₂₁ = −2γ, α₂₁ = 1: order 2 with any matrix, L-stable. Compared with it is the
/// linearly implicit Euler method, which its first stage is.
pub static ROSENBROCK2: RosenbrockTable = RosenbrockTable {
    name: "rosenbrock2",
    order: 2,
    order_with_any_jacobian: 2,
    gamma: GAMMA,
    stages: &[
        Stage { time: 0.0, rate: GAMMA, a: &[], c: &[] },
        Stage { time: 1.0, rate: -GAMMA, a: &[1.0 / GAMMA], c: &[-2.0 / GAMMA] },
    ],
    weights: &[1.5 / GAMMA, 0.5 / GAMMA],
    error: &[0.5 / GAMMA, 0.5 / GAMMA],
    error_order: 1,
};

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "rosenbrock2",
    about: "linearly implicit, order 2; L-stable, with any Jacobian",
    make: |o| linearly_implicit(&ROSENBROCK2, o),
    ..IntegratorEntry::LINEARLY_IMPLICIT
};
