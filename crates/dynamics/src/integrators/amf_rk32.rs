//! A Rosenbrock method of order 3(2) on the explicit pair RK32, as Hauth uses one (section 3.2.6).
//!
//! He cites Gerisch and Verwer (Appl. Numer. Math. 42, 2002), who solve its systems by approximate
//! factorisation along the axes of a grid. Tetrahedra have no such axes, and neither his text nor ours gives
//! their table; here the systems are solved as they are, and the coefficients follow from what such a
//! method has to do:
//!
//! - the explicit pair behind it has the nodes 0, 1, ½ and the weights ⅙, ⅙, ⅔ and ½, ½, 0;
//! - both have order 2 with any matrix: Σ bᵢ γᵢ = Σ b̂ᵢ γᵢ = 0, hence γ₂ = −γ and γ₃ = 0;
//! - order 3 with the exact Jacobian: Σ bᵢ βᵢⱼ βⱼ = ⅙, hence γ₃₂ = γ (3γ − 2) / (2 − 4γ);
//! - L-stability: γ³ − 3γ² + 3γ/2 − ⅙ = 0.

use super::RosenbrockTable;
use super::entry::{IntegratorEntry, linearly_implicit};
use crate::linearly_implicit::Stage;

/// The root between ⅓ and ½.
const GAMMA: f64 = 0.435_866_521_508_459;
/// The off-diagonal γᵢⱼ.
const G21: f64 = -2.0 * GAMMA;
const G32: f64 = GAMMA * (3.0 * GAMMA - 2.0) / (2.0 - 4.0 * GAMMA);
const G31: f64 = -GAMMA - G32;
/// Γ⁻¹ below its diagonal of 1/γ, without sign: C.
const C21: f64 = G21 / (GAMMA * GAMMA);
const C32: f64 = G32 / (GAMMA * GAMMA);
const C31: f64 = (G31 - G32 * G21 / GAMMA) / (GAMMA * GAMMA);

/// The table in the variables of the driver: a = α Γ⁻¹, m = b Γ⁻¹, e = (b − b̂) Γ⁻¹.
pub static AMF_RK32: RosenbrockTable = RosenbrockTable {
    name: "amf-rk32",
    order: 3,
    order_with_any_jacobian: 2,
    gamma: GAMMA,
    stages: &[
        Stage { time: 0.0, rate: GAMMA, a: &[], c: &[] },
        Stage { time: 1.0, rate: -GAMMA, a: &[1.0 / GAMMA], c: &[C21] },
        Stage {
            time: 0.5,
            rate: 0.0,
            a: &[0.25 / GAMMA - 0.25 * C21, 0.25 / GAMMA],
            c: &[C31, C32],
        },
    ],
    weights: &[
        1.0 / (6.0 * GAMMA) - C21 / 6.0 - C31 * 2.0 / 3.0,
        1.0 / (6.0 * GAMMA) - C32 * 2.0 / 3.0,
        2.0 / (3.0 * GAMMA),
    ],
    error: &[
        -1.0 / (3.0 * GAMMA) + C21 / 3.0 - C31 * 2.0 / 3.0,
        -1.0 / (3.0 * GAMMA) - C32 * 2.0 / 3.0,
        2.0 / (3.0 * GAMMA),
    ],
    error_order: 2,
};

/// Its line in the register.
pub(super) const ENTRY: IntegratorEntry = IntegratorEntry {
    name: "amf-rk32",
    about: "linearly implicit, order 3; L-stable",
    make: |o| linearly_implicit(&AMF_RK32, o),
    ..IntegratorEntry::LINEARLY_IMPLICIT
};
