//! Series of second order, over numbers and over jets.

use pliant_algebra::real::Real;
use pliant_materials::jet::Jet;
use pliant_materials::series::Series;

#[test]
fn the_series_of_a_product_and_a_logarithm_is_that_of_taylor() {
    let x = Series::line(2.0, 3.0); // 2 + 3t
    let f = x * x * Real::ln(x);
    let ln = 2f64.ln();
    // (x² ln x)' = 2x ln x + x, (..)'' = 2 ln x + 3
    assert!((f.value - 4.0 * ln).abs() < 1e-15);
    assert!((f.linear - 3.0 * (4.0 * ln + 2.0)).abs() < 1e-14);
    assert!((f.quadratic - 4.5 * (2.0 * ln + 3.0)).abs() < 1e-14);
}

#[test]
fn a_series_over_jets_reaches_fourth_derivatives() {
    // t² coefficient of 1/(x + t) is 1/x³; its second derivative is 12/x⁵.
    let [x, _, _] = Jet::variables([2.0, 0.0, 0.0]);
    let f = Series::line(x, Jet::constant(1.0)).recip();
    assert!((f.quadratic.second[0] - 12.0 / 32.0).abs() < 1e-15);
}
