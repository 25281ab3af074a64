//! Matrices to decompose, and how tests measure them.
#![allow(dead_code, reason = "each test binary uses its own part")]

use pliant_algebra::lanes::LANES;
use pliant_algebra::mat3::Mat3;
use proptest::prelude::*;

/// One unit in the last place of 1.
pub(crate) const ULP: f64 = f64::EPSILON;

/// A rotation from any quaternion that is not too short.
pub(crate) fn rotation([w, x, y, z]: [f64; 4]) -> Mat3<f64> {
    let n = (w * w + x * x + y * y + z * z).sqrt();
    let (w, x, y, z) = (w / n, x / n, y / n, z / n);
    Mat3([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ])
}

/// Rotations, evenly enough.
pub(crate) fn rotations() -> impl Strategy<Value = Mat3<f64>> {
    prop::array::uniform4(-1.0..1.0f64)
        .prop_filter("a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01)
        .prop_map(rotation)
}

/// Singular values of every kind: spread, equal, nearly equal, tiny, zero, of either sign.
pub(crate) fn singular_values() -> impl Strategy<Value = [f64; 3]> {
    let one = prop_oneof![
        4 => 0.1..2.0f64,
        1 => Just(0.0),
        1 => Just(1.0),
        1 => (-1e-15..1e-15f64).prop_map(|d| 1.0 + d),
        1 => (-1e-7..1e-7f64).prop_map(|d| 1.0 + d),
        2 => (-40.0..0.0f64).prop_map(f64::exp2),
        1 => (-200.0..-40.0f64).prop_map(f64::exp2),
        2 => -2.0..-0.1f64,
        1 => Just(-1.0),
    ];
    prop::array::uniform3(one)
}

/// Any matrix a deformation can have, and worse.
pub(crate) fn matrices() -> impl Strategy<Value = Mat3<f64>> {
    let random = prop::array::uniform9(-1.0..1.0f64).prop_map(Mat3::from_array);
    let sparse = prop::array::uniform9(prop_oneof![Just(0.0), Just(1.0), Just(-1.0), Just(1e-9)])
        .prop_map(Mat3::from_array);
    let composed = (rotations(), singular_values(), rotations())
        .prop_map(|(u, s, v)| u.scale_columns(s).mul_transpose(&v));
    let near_identity = prop::array::uniform9(-1.0..1.0f64).prop_flat_map(|m| {
        (-60.0..0.0f64).prop_map(move |e| Mat3::identity() + Mat3::from_array(m).scale(e.exp2()))
    });
    let unscaled = prop_oneof![2 => random, 1 => sparse, 4 => composed, 1 => near_identity];
    (unscaled, prop_oneof![3 => Just(0.0), 1 => -500.0..500.0f64])
        .prop_map(|(m, e)| m.scale(e.exp2()))
}

/// Eight of them.
pub(crate) fn packs() -> impl Strategy<Value = [Mat3<f64>; LANES]> {
    prop::collection::vec(matrices(), LANES).prop_map(|m| std::array::from_fn(|i| m[i]))
}

/// max |Mᵀ M − I|
pub(crate) fn orthogonality(m: &Mat3<f64>) -> f64 {
    (m.gram() - Mat3::identity()).max_abs()
}

/// The largest |entry| / |scale|, 0 if both vanish. Divides first: scales may be extreme.
pub(crate) fn relative(error: &Mat3<f64>, scale: f64) -> f64 {
    let largest = error.max_abs();
    if largest == 0.0 { 0.0 } else { largest / scale }
}

/// The same matrix for the oracle. Of dynamic size: the library's shortcut for 3x3 goes through
/// FᵀF alone and keeps only half of the digits of small singular values.
pub(crate) fn oracle(m: &Mat3<f64>) -> nalgebra::DMatrix<f64> {
    nalgebra::DMatrix::from_row_slice(3, 3, &m.to_array())
}

/// Equal bits; any NaN equals any NaN.
pub(crate) fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Distance in units of the last place of `exact`; 0 for two NaN.
pub(crate) fn ulps(value: f64, exact: f64) -> f64 {
    if same_bits(value, exact) || value == exact {
        return 0.0;
    }
    let spacing = exact.abs().next_up() - exact.abs();
    (value - exact).abs() / spacing
}
