//! Laws continued by their volume ratio.

use pliant_materials::continued_volume::ContinuedVolume;
use pliant_materials::invariants::InvariantLaw;
use pliant_materials::jet::Jet;
use pliant_materials::neo_hookean::NeoHookean;

const LAW: ContinuedVolume<NeoHookean> = ContinuedVolume { law: NeoHookean, threshold: 0.4 };

/// W̃ of I₁ = 3 for λ = 1.5, μ = 1.
fn at(j: f64) -> Jet<f64> {
    LAW.derivatives(&[1.5, 1.0], 3.0, 3.0, j)
}

#[test]
fn above_the_threshold_nothing_changes() {
    for j in [0.4, 0.5, 1.0, 3.0] {
        assert_eq!(at(j), NeoHookean.derivatives(&[1.5, 1.0], 3.0, 3.0, j));
    }
}

#[test]
fn below_it_the_energy_is_a_parabola_in_the_volume() {
    // g = −ln J + ¾ ln² J: g′ = (1.5 ln J − 1)/J, g″ = (2.5 − 1.5 ln J)/J².
    let ln = 0.4_f64.ln();
    let (slope, bend) = ((1.5 * ln - 1.0) / 0.4, (2.5 - 1.5 * ln) / 0.16);
    for j in [0.39, 0.0, -0.7, -20.0] {
        let (d, w) = (j - 0.4, at(j));
        let value = -ln + 0.75 * ln * ln + d * slope + 0.5 * d * d * bend;
        assert!((w.value - value).abs() < 1e-13 * value.abs(), "{j}: {} {value}", w.value);
        let first = slope + d * bend;
        assert!((w.first[2] - first).abs() < 1e-13 * first.abs());
        assert!((w.second[2] - bend).abs() < 1e-13 * bend);
        assert_eq!(w.value, LAW.energy(&[1.5, 1.0], 3.0, 3.0, j));
    }
}
