//! ln, exp, cbrt and powi against the standard library (whose error is about half an ulp).

use crate::common;

use common::{same_bits, ulps};
use pliant_algebra::real::Real;

/// Numbers spread over the exponents between two powers of two.
fn sweep(low: f64, high: f64, count: usize) -> impl Iterator<Item = f64> {
    let mut seed = 7u64;
    (0..count).map(move |i| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let jitter = (seed >> 11) as f64 / (1u64 << 53) as f64;
        (low + (high - low) * (i as f64 + jitter) / count as f64).exp2()
    })
}

/// The largest distance in ulp over the given numbers.
fn worst(numbers: impl Iterator<Item = f64>, f: fn(f64) -> f64, exact: fn(f64) -> f64) -> f64 {
    numbers.map(|x| ulps(f(x), exact(x))).fold(0.0, f64::max)
}

#[test]
fn logarithm_is_within_one_ulp_over_all_normal_numbers() {
    assert!(worst(sweep(-1074.0, 1023.99, 400_000), Real::ln, f64::ln) <= 1.0);
    assert!(worst(sweep(-1.0, 1.0, 400_000), Real::ln, f64::ln) <= 1.0);
}

#[test]
fn logarithm_keeps_its_digits_next_to_one() {
    let near = sweep(-53.0, -1.0, 100_000).flat_map(|d| [1.0 + d, 1.0 - d]);
    assert!(worst(near, Real::ln, f64::ln) <= 1.0);
    assert_eq!(Real::ln(1.0), 0.0);
}

#[test]
fn exponential_is_within_one_ulp_over_its_range() {
    let both = |low, high| sweep(low, high, 200_000).flat_map(|x| [x, -x]);
    let normal = both(-60.0, 9.46).filter(|x| (-708.3..709.7).contains(x));
    assert!(worst(normal, Real::exp, f64::exp) <= 1.0);
    // Subnormal results are rounded twice.
    let subnormal = (0..10_000).map(|i| -708.4 - 37.0 * f64::from(i) / 10_000.0);
    assert!(worst(subnormal, Real::exp, f64::exp) <= 1.0);
}

/// Error of a cube root in ulp, from the residual x − y³ in twice the precision: the standard
/// library's own cube root is not good enough to judge.
fn cube_root_error(x: f64) -> f64 {
    let y = Real::cbrt(x);
    let square = y * y;
    let square_rest = y.mul_add(y, -square);
    let cube = square * y;
    let cube_rest = square.mul_add(y, -cube) + square_rest * y;
    let error = ((x - cube) - cube_rest) / (3.0 * square);
    error.abs() / (y.abs().next_up() - y.abs())
}

#[test]
fn cube_root_is_within_seven_tenths_of_an_ulp() {
    let both = sweep(-900.0, 900.0, 400_000).flat_map(|x| [x, -x]);
    assert!(both.map(cube_root_error).fold(0.0, f64::max) <= 0.7);
}

#[test]
fn cube_root_serves_the_ends_of_the_range_and_cubes() {
    let ends = sweep(-1074.0, -900.0, 20_000).chain(sweep(900.0, 1023.99, 20_000));
    assert!(worst(ends, Real::cbrt, f64::cbrt) <= 1.0);
    for i in (1..2000).map(f64::from) {
        assert_eq!(Real::cbrt(i * i * i), i);
    }
}

#[test]
fn special_values_are_those_of_ieee_754() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    type Case = (fn(f64) -> f64, f64, f64);
    let cases: [Case; 23] = [
        (Real::ln, 0.0, -inf),
        (Real::ln, -0.0, -inf),
        (Real::ln, inf, inf),
        (Real::ln, -1.0, nan),
        (Real::ln, -inf, nan),
        (Real::ln, -5e-324, nan),
        (Real::ln, nan, nan),
        (Real::exp, 0.0, 1.0),
        (Real::exp, -0.0, 1.0),
        (Real::exp, inf, inf),
        (Real::exp, -inf, 0.0),
        (Real::exp, nan, nan),
        (Real::exp, 709.79, inf),
        (Real::exp, 1e300, inf),
        (Real::exp, -745.2, 0.0),
        (Real::exp, -1e300, 0.0),
        (Real::cbrt, 0.0, 0.0),
        (Real::cbrt, -0.0, -0.0),
        (Real::cbrt, inf, inf),
        (Real::cbrt, -inf, -inf),
        (Real::cbrt, nan, nan),
        (Real::cbrt, -8.0, -2.0),
        (Real::sqrt, -1.0, nan),
    ];
    for (f, x, exact) in cases {
        assert!(same_bits(f(x), exact), "f({x}) = {} instead of {exact}", f(x));
    }
}

#[test]
fn integer_powers_multiply() {
    for x in [1.5, -0.3, 2.0, 1e10] {
        for n in -9..=9 {
            let exact = f64::powi(x, n);
            assert!(ulps(Real::powi(x, n), exact) <= 5.0, "{x}^{n}");
        }
    }
    assert_eq!(Real::powi(-2.0, 5), -32.0);
    assert_eq!(Real::powi(2.0, -3), 0.125);
    assert_eq!(Real::powi(0.0, 0), 1.0);
    assert_eq!(Real::powi(1.0, i32::MIN), 1.0);
}

#[test]
fn minimum_and_maximum_return_the_second_beside_nan() {
    assert_eq!(Real::min(f64::NAN, 1.0), 1.0);
    assert!(Real::min(1.0, f64::NAN).is_nan());
    assert_eq!(Real::max(f64::NAN, 1.0), 1.0);
    assert!(Real::max(1.0, f64::NAN).is_nan());
}
