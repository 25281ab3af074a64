//! Fits of data that were made of known terms.

use std::f64::consts::TAU;

use pliant_memory_fit::{FitError, Measured, Relaxation, Term};

fn known() -> Relaxation {
    let terms = vec![
        Term { time: 0.02, modulus: 800.0 },
        Term { time: 0.3, modulus: 500.0 },
        Term { time: 4.0, modulus: 300.0 },
    ];
    Relaxation { long_term: 1000.0, terms }
}

/// SplitMix64, and of it numbers that are nearly normal with deviation 1: sums of twelve.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    fn next(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn logarithmic(from: f64, to: f64, count: usize) -> Vec<f64> {
    let at = |k: usize| from * (to / from).powf(k as f64 / (count - 1) as f64);
    (0..count).map(at).collect()
}

fn step_strain(count: usize, noise: f64) -> Measured {
    let mut random = Noise(7);
    let time = logarithmic(1e-3, 40.0, count);
    let modulus = time.iter().map(|&t| known().at(t) * (1.0 + noise * random.next())).collect();
    Measured::StepStrain { time, modulus }
}

fn oscillation(count: usize, noise: f64) -> Measured {
    let mut random = Noise(8);
    let frequency = logarithmic(5e-3, 100.0, count);
    let all = frequency.iter().map(|f| known().complex(TAU * f));
    let (storage, loss) = all
        .map(|m| (m.re + noise * m.size() * random.next(), m.im + noise * m.size() * random.next()))
        .unzip();
    Measured::Oscillation { frequency, storage, loss }
}

/// Stress of the three branches under a strain that is linear between rows, by the integral of G(t − s) ε̇(s) piece by piece.
fn loading(noise: f64) -> Measured {
    let mut random = Noise(9);
    let time: Vec<f64> = (0..400).map(|k| 0.005 * f64::from(k) + 1e-4 * f64::from(k * k)).collect();
    let strain: Vec<f64> =
        time.iter().map(|t| 0.02 + 0.05 * (t * 1.3).sin() + 0.03 * (t * 11.0).sin()).collect();
    let g = known();
    let stress = |k: usize| {
        let mut sum = g.at(time[k] - time[0]) * strain[0];
        for j in 1..=k {
            let (a, b) = (time[k] - time[j - 1], time[k] - time[j]);
            let rate = (strain[j] - strain[j - 1]) / (time[j] - time[j - 1]);
            let piece = |t: &Term| t.modulus * t.time * ((-b / t.time).exp() - (-a / t.time).exp());
            sum += rate * (g.long_term * (a - b) + g.terms.iter().map(piece).sum::<f64>());
        }
        sum
    };
    let exact: Vec<f64> = (0..time.len()).map(stress).collect();
    let mean = (exact.iter().map(|s| s * s).sum::<f64>() / exact.len() as f64).sqrt();
    let stress = exact.iter().map(|s| s + noise * mean * random.next()).collect();
    Measured::Loading { time, strain, stress }
}

fn compare(found: &Relaxation, tolerance: f64) {
    let expected = known();
    assert_eq!(found.terms.len(), expected.terms.len(), "{found:?}");
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < tolerance, "{a} for {b}: {found:?}");
    close(found.long_term, expected.long_term);
    for (a, b) in found.terms.iter().zip(&expected.terms) {
        close(a.modulus, b.modulus);
        close(a.time, b.time);
    }
}

#[test]
fn known_terms_come_back() {
    for data in [step_strain(60, 0.0), oscillation(30, 0.0), loading(0.0)] {
        let fit = data.fit(16).unwrap();
        compare(&fit.relaxation, 1e-6);
        assert!(fit.rms < 1e-10 && fit.max_modulus_error < 1e-9, "{}", fit.rms);
    }
}

#[test]
fn with_noise_of_a_hundredth_they_come_back_within_a_twentieth() {
    for data in [step_strain(2000, 0.01), oscillation(400, 0.01)] {
        let fit = data.fit(16).unwrap();
        compare(&fit.relaxation, 0.05);
        assert!((fit.rms / 0.01 - 1.0).abs() < 0.5, "{}", fit.rms);
    }
}

#[test]
fn moduli_for_given_times_come_back_with_noise_from_any_test() {
    for data in [step_strain(200, 0.01), oscillation(60, 0.01), loading(0.01)] {
        // A time that is not there gets no term or a small one.
        let fit = data.fit_times(&[4.0, 0.02, 0.3]).unwrap();
        compare(&fit.relaxation, 0.05);
    }
}

#[test]
fn a_time_that_data_do_not_have_gets_next_to_nothing() {
    let fit = step_strain(60, 0.0).fit_times(&[0.02, 0.08, 0.3, 4.0]).unwrap();
    for term in fit.relaxation.terms {
        let expected =
            known().terms.iter().find(|t| t.time == term.time).map_or(0.0, |t| t.modulus);
        assert!((term.modulus - expected).abs() < 1e-9, "{term:?}");
    }
}

#[test]
fn elastic_data_have_no_terms() {
    let time = logarithmic(0.01, 10.0, 12);
    let fit = Measured::StepStrain { modulus: vec![3e3; 12], time }.fit(16).unwrap();
    assert!(fit.relaxation.terms.is_empty());
    assert!((fit.relaxation.long_term / 3e3 - 1.0).abs() < 1e-14);
}

#[test]
fn fewer_terms_than_there_are_is_the_best_with_so_many() {
    let one = oscillation(30, 0.0).fit(1).unwrap();
    let two = oscillation(30, 0.0).fit(2).unwrap();
    assert_eq!((one.relaxation.terms.len(), two.relaxation.terms.len()), (1, 2));
    assert!(two.rms < 0.6 * one.rms && two.rms > 1e-3, "{} {}", one.rms, two.rms);
}

#[test]
fn a_fluid_has_no_long_term_modulus() {
    let time = logarithmic(0.01, 10.0, 40);
    let modulus = time.iter().map(|t| 900.0 * (-t).exp()).collect();
    let error = Measured::StepStrain { time, modulus }.fit(4).unwrap_err();
    assert!(matches!(error, FitError::Undetermined(_)), "{error}");
}

#[test]
fn a_wave_at_its_own_time_has_the_published_loss() {
    // G∞ = 1, G₁ = 0.95, τ = 0.01 s: tan δ at ωτ = 1.
    let terms = vec![Term { time: 0.01, modulus: 0.95 }];
    let sls = Relaxation { long_term: 1.0, terms };
    assert!((1.0 / sls.q(100.0) - 0.322_033_898_305).abs() < 1e-12);
    assert!((std::f64::consts::PI * sls.complex(100.0).im - 1.492_256_51).abs() < 1e-8);
    assert!((sls.at(0.01) - 1.349_485_469).abs() < 1e-9);
}
