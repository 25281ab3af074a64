//! Constant Q: closed form, and its fit, against the numbers of the specification.

use std::f64::consts::TAU;

use pliant_memory_fit::{Band, ConstantQ, FitError};

const LIVER: ConstantQ = ConstantQ { q: 4.8, modulus: 2500.0, at: 2.0 };
const WIDE: Band = Band { from: 0.1, to: 1e4 };
const HANDS: Band = Band { from: 0.1, to: 100.0 };

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} instead of {expected}");
}

#[test]
fn closed_form_has_its_published_numbers() {
    close(LIVER.gamma(), 0.065_379_382_96, 1e-9);
    let relaxation = [1.198_044_376, 0.886_572_260_8, 0.656_077_845_9, 0.485_508_242_2];
    let creep = [0.811_415_275, 1.096_483_107, 1.481_701_467, 2.002_255_415];
    for (k, t) in [0.01, 0.1, 1.0, 10.0].into_iter().enumerate() {
        close(LIVER.relaxation(t) / 2500.0, relaxation[k], 1e-9);
        close(LIVER.creep(t) * 2500.0, creep[k], 1e-9);
    }
    let m = LIVER.complex(TAU * 2.0);
    close(m.size(), 2500.0, 1e-15);
    close(m.re / 2500.0, 0.978_980_419_738, 1e-12);
    for f in [1e-3, 2.0, 1e5] {
        let m = LIVER.complex(TAU * f);
        close(m.re / m.im, 4.8, 1e-13);
    }
}

/// Band, terms, rms of a real component, error of |M| in %, ends of Q, G∞ and (τ/s, G/Pa), as printed there.
type Row = (Band, usize, f64, f64, [f64; 2], f64, &'static [(f64, f64)]);

const TABLE: [Row; 8] = [
    (WIDE, 2, 0.0872, 18.0, [3.16, 50.0], 1996.52, &[(2.91127e-4, 3094.16), (0.0370929, 1679.02)]),
    (
        WIDE,
        3,
        0.0474,
        7.2,
        [3.72, 14.9],
        1744.18,
        &[(8.8069e-5, 2891.79), (3.84142e-3, 1759.29), (0.169932, 1073.48)],
    ),
    (
        WIDE,
        4,
        0.0250,
        3.9,
        [4.18, 8.0],
        1600.65,
        &[(4.12407e-5, 2770.15), (9.04941e-4, 1720.57), (0.0189265, 1159.1), (0.410145, 799.209)],
    ),
    (
        WIDE,
        5,
        0.0129,
        2.9,
        [4.46, 5.86],
        1507.35,
        &[
            (2.45877e-5, 2713.71),
            (3.40833e-4, 1633.91),
            (4.28647e-3, 1175.14),
            (0.0539789, 843.619),
            (0.718617, 656.088),
        ],
    ),
    (
        WIDE,
        7,
        0.0033,
        1.3,
        [4.71, 4.95],
        1384.96,
        &[
            (1.24147e-5, 2732.62),
            (1.02654e-4, 1442.78),
            (6.78617e-4, 1114.22),
            (4.45725e-3, 871.193),
            (0.0292785, 681.159),
            (0.193174, 535.999),
            (1.46537, 523.008),
        ],
    ),
    (WIDE, 8, 0.0017, 0.6, [4.73, 4.88], 1340.09, &[]),
    (
        HANDS,
        3,
        0.0164,
        3.0,
        [4.45, 6.24],
        1527.72,
        &[(2.77249e-3, 1491.64), (0.0426499, 905.186), (0.632682, 685.175)],
    ),
    (
        HANDS,
        4,
        0.0061,
        2.1,
        [4.67, 5.05],
        1427.55,
        &[(1.58061e-3, 1484.72), (0.0153573, 829.258), (0.126082, 628.355), (1.14197, 562.516)],
    ),
];

#[test]
fn fits_are_those_of_the_table() {
    for (band, terms, rms, modulus_error, q, long_term, pairs) in TABLE {
        let fit = LIVER.fit(band, terms).unwrap();
        // Printed to as many digits as are compared.
        assert!((fit.rms / 2f64.sqrt() - rms).abs() <= 1e-4, "{terms}: {}", fit.rms);
        let digit = if modulus_error > 10.0 { 0.5 } else { 0.05 };
        let found = 100.0 * fit.max_modulus_error;
        assert!((found - modulus_error).abs() <= 1.1 * digit, "{terms}: {found} %");
        close(fit.q_min, q[0], 2e-3);
        close(fit.q_max, q[1], 1e-2);
        close(fit.relaxation.long_term, long_term, 1e-3);
        assert_eq!(fit.relaxation.terms.len(), terms);
        for (term, (time, modulus)) in fit.relaxation.terms.iter().zip(pairs) {
            close(term.time, *time, 1e-3);
            close(term.modulus, *modulus, 1e-3);
        }
        assert!(fit.iterations < 70, "{terms}: {} iterations", fit.iterations);
    }
}

#[test]
fn default_terms_keep_modulus_and_q_within_five_percent() {
    for q in [3.0, 4.8, 10.0, 50.0] {
        for (band, terms) in [(HANDS, 5), (WIDE, 7), (Band { from: 0.5, to: 8.0 }, 3)] {
            assert_eq!(ConstantQ::default_terms(band), terms);
            let fit = ConstantQ { q, ..LIVER }.fit(band, terms).unwrap();
            let worst = fit.max_modulus_error.max(1.0 - fit.q_min / q).max(fit.q_max / q - 1.0);
            assert!(worst < 0.05, "Q {q}, {} Hz to {} Hz: {worst}", band.from, band.to);
        }
    }
}

#[test]
fn the_fit_scales_with_modulus_and_time() {
    let fit = LIVER.fit(HANDS, 4).unwrap();
    let faster = Band { from: 10.0 * HANDS.from, to: 10.0 * HANDS.to };
    let other = ConstantQ { modulus: 5e4, at: 20.0, ..LIVER }.fit(faster, 4).unwrap();
    close(other.relaxation.long_term, 20.0 * fit.relaxation.long_term, 1e-8);
    for (a, b) in fit.relaxation.terms.iter().zip(&other.relaxation.terms) {
        close(b.time, a.time / 10.0, 1e-8);
        close(b.modulus, a.modulus * 20.0, 1e-8);
    }
}

#[test]
fn the_closed_form_alone_is_near() {
    // One term a decade, one decade beyond each end of 0.1 Hz to 10 kHz; the viscosity of the fast end, which is left out, is felt two decades below it.
    let series = LIVER.closed_form(Band { from: 0.01, to: 1e5 }, 7);
    for f in (Band { from: 0.2, to: 100.0 }).frequencies() {
        let m = series.complex(TAU * f);
        close(m.size(), LIVER.complex(TAU * f).size(), 0.02);
        close(m.re / m.im, 4.8, 0.065);
    }
}

#[test]
fn numbers_out_of_range_are_named() {
    let name = |material: ConstantQ, band: Band, terms| match material.fit(band, terms) {
        Err(FitError::OutOfRange { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(ConstantQ { q: 0.0, ..LIVER }, HANDS, 5), "q");
    assert_eq!(name(ConstantQ { q: f64::NAN, ..LIVER }, HANDS, 5), "q");
    assert_eq!(name(ConstantQ { modulus: -1.0, ..LIVER }, HANDS, 5), "modulus");
    assert_eq!(name(ConstantQ { at: 0.0, ..LIVER }, HANDS, 5), "at");
    assert_eq!(name(LIVER, Band { from: 0.0, to: 1.0 }, 5), "from");
    assert_eq!(name(LIVER, Band { from: 2.0, to: 1.0 }, 5), "to");
    assert_eq!(name(LIVER, Band { from: 1e-300, to: 1e300 }, 5), "to");
    assert_eq!(name(LIVER, HANDS, 0), "terms");
    assert_eq!(name(LIVER, HANDS, 17), "terms");
}
