//! The resistance to the loss of volume: Vega's factor, and its derivatives.

use pliant_algebra::mat3::Mat3;
use pliant_materials::compression_resistance::CompressionResistance;
use pliant_materials::dense::DenseTangent;
use pliant_materials::invariants::ByInvariants;
use pliant_materials::{Constants, Law, LawName};

/// With Vega's numbers: E = 3, ν = 0.25, r = 500, so that r E/(1 − 2ν) = 3000.
#[test]
fn vegas_factor_is_three_times_the_bulk_modulus() {
    let constants = Constants::YoungPoisson { young: 3.0, poisson: 0.25 };
    let knows_volume = |law: &LawName| law.entry().bulk_modulus.is_some();
    for law in LawName::ALL.into_iter().filter(knows_volume) {
        let k = CompressionResistance::stiffness(500.0, law, &constants).unwrap();
        assert!((k - 3000.0 / 2592.0).abs() < 1e-14, "{}: {k}", law.name());
    }
    let wrong = CompressionResistance::stiffness(1.0, LawName::COROTATIONAL, &constants);
    assert!(wrong.unwrap_err().to_string().contains("resist compression"));
    for r in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(CompressionResistance::stiffness(r, LawName::NEO_HOOKEAN, &constants).is_err());
    }
}

#[test]
fn it_acts_on_lost_volume_alone_and_grows_through_inversion() {
    let law = ByInvariants(CompressionResistance);
    let at = |f: [f64; 3]| {
        let f = Mat3::diagonal(f);
        (Law::energy(&law, &[2.0], &f), law.stress(&[2.0], &f))
    };
    assert_eq!(at([2.0, 1.0, 0.6]), (0.0, Mat3::zero()));
    // J = 1/2: W = 2/8, P₁₁ = −3·2/4 · J/σ₁.
    let (w, p) = at([1.0, 1.0, 0.5]);
    assert_eq!((w, p.0[0][0], p.0[2][2]), (0.25, -0.75, -1.5));
    // J = −1 is pushed harder than J = 0, and outwards.
    assert_eq!(at([1.0, 1.0, -1.0]).0, 16.0);
    assert!(at([1.0, 1.0, -1.0]).1.0[2][2] < at([1.0, 1.0, 0.0]).1.0[2][2]);
}

#[test]
fn stress_is_the_slope_of_the_energy_and_the_tangent_that_of_the_stress() {
    let law = ByInvariants(CompressionResistance);
    let f = Mat3([[0.9, 0.2, -0.1], [0.05, 0.8, 0.3], [-0.2, 0.1, 0.7]]);
    let (stress, tangent) = law.stress_and_tangent(&[3.0], &f, false);
    let dense = DenseTangent::from_tangent(&tangent);
    let h = 1e-6;
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let moved = |step: f64| {
            let mut f = f;
            f.0[i][j] += step;
            (Law::energy(&law, &[3.0], &f), law.stress(&[3.0], &f))
        };
        let ((up, p_up), (down, p_down)) = (moved(h), moved(-h));
        assert!(((up - down) / (2.0 * h) - stress.0[i][j]).abs() < 1e-8);
        let slope = (p_up - p_down).scale(0.5 / h) - dense.columns[i][j];
        assert!(slope.norm_squared().sqrt() < 1e-7, "{slope:?}");
    }
}
