//! The gamma function.

use std::f64::consts::{PI, TAU};

/// Coefficients of Lanczos's approximation with g = 7 and nine terms; relative error below 1e-14 for positive numbers.
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// Γ(x), with Γ(n + 1) = n!
///
/// ```
/// use pliant_memory_fit::gamma;
/// assert!((gamma(5.0) - 24.0).abs() < 1e-12);
/// assert!((gamma(0.5) - std::f64::consts::PI.sqrt()).abs() < 1e-14);
/// ```
pub fn gamma(x: f64) -> f64 {
    if x < 0.5 {
        // Euler's reflection.
        return PI / ((PI * x).sin() * gamma(1.0 - x));
    }
    let z = x - 1.0;
    let mut sum = LANCZOS[0];
    for (k, c) in LANCZOS.iter().enumerate().skip(1) {
        sum += c / (z + k as f64);
    }
    let t = z + 7.5;
    TAU.sqrt() * t.powf(z + 0.5) * (-t).exp() * sum
}
