//! Numbers with first and second derivatives.

use pliant_algebra::real::Real;
use pliant_materials::jet::Jet;

#[test]
fn products_quotients_and_powers_differentiate_exactly() {
    let [x, y, z] = Jet::variables([2.0, 4.0, 0.5]);
    // f = x² z / y
    let f = x.powi(2) * z / y;
    assert_eq!(f.value, 0.5);
    assert_eq!(f.first, [0.5, -0.125, 1.0]);
    assert_eq!(f.second, [0.25, 0.0625, 0.0, -0.125, -0.25, 1.0]);
}

#[test]
fn functions_follow_the_chain_rule() {
    let [x, _, _] = Jet::variables([0.7, 0.0, 0.0]);
    let close = |jet: Jet<f64>, exact: [f64; 3]| {
        let got = [jet.value, jet.first[0], jet.second[0]];
        for i in 0..3 {
            assert!((got[i] - exact[i]).abs() < 4e-15, "{got:?} {exact:?}");
        }
    };
    let e = 0.7f64.exp();
    close(x.exp(), [e, e, e]);
    close(Real::ln(x), [0.7f64.ln(), 1.0 / 0.7, -1.0 / 0.49]);
    close(x.sqrt(), [0.7f64.sqrt(), 0.5 * 0.7f64.powf(-0.5), -0.25 * 0.7f64.powf(-1.5)]);
    let third = 1.0 / 3.0;
    close(
        x.cbrt(),
        [0.7f64.cbrt(), third * 0.7f64.powf(-2.0 * third), -2.0 / 9.0 * 0.7f64.powf(-5.0 * third)],
    );
    close((-x).abs(), [0.7, 1.0, 0.0]);
    close(x.max(x * 2.0), [1.4, 2.0, 0.0]);
    close(x.copysign(-x), [-0.7, -1.0, 0.0]);
    close(x.square(), [0.49, 1.4, 2.0]);
}
