//! Potentials of the gap: tables, derivatives, inverses.

use pliant_contact::barrier::Barrier;

#[test]
fn pressure_of_the_gap_is_that_of_the_table() {
    for (delta, pressure) in [
        (0.9, 0.03218),
        (0.75, 0.22717),
        (0.5, 1.19315),
        (0.25, 4.32944),
        (0.1, 12.24465),
        (0.05, 23.74189),
        (0.01, 107.128),
    ] {
        let found = Barrier::Log.pressure(delta);
        assert!(
            (found / pressure - 1.0).abs() < 1e-4 && (found - pressure).abs() < 5e-4,
            "{found}"
        );
    }
}

#[test]
fn gap_under_a_pressure_is_that_of_the_table() {
    for (pressure, delta) in [
        (1e-3, 0.98185),
        (1e-2, 0.94338),
        (0.1, 0.82853),
        (1.0, 0.53244),
        (10.0, 0.12215),
        (100.0, 0.01075),
    ] {
        let found = Barrier::Log.relative_gap(pressure);
        assert!((found - delta).abs() < 5e-6, "{found}");
    }
}

#[test]
fn gap_and_pressure_are_inverse_over_thirty_decades() {
    for barrier in Barrier::ALL {
        for step in -60..=60 {
            let pressure = 10_f64.powf(f64::from(step) / 4.0);
            let delta = barrier.relative_gap(pressure);
            if barrier == Barrier::Cubic && pressure > 2.0 {
                assert_eq!(delta, 0.0);
                continue;
            }
            // The pressure of a gap near d̂ is as good as 1 − δ is.
            let rounding = f64::EPSILON / (1.0 - delta) + f64::EPSILON;
            let error = (barrier.pressure(delta) / pressure - 1.0).abs();
            assert!(error < 16.0 * rounding, "{barrier:?} {pressure:e}: {error:e}");
        }
        assert_eq!(barrier.relative_gap(0.0), 1.0);
        assert_eq!(barrier.relative_gap(f64::INFINITY), 0.0);
    }
}

#[test]
fn derivatives_are_those_of_the_value_in_metres() {
    for barrier in Barrier::ALL {
        for activation in [1e-3, 0.7] {
            for delta in [0.02_f64, 0.1, 0.5, 0.9, 0.99] {
                let gap = delta * activation;
                let h = 1e-3 * delta.min(1.0 - delta) * activation;
                let at = |s: f64| barrier.jet(gap + s * h, activation);
                let slope = |f: &dyn Fn(f64) -> f64| {
                    (8.0 * (f(1.0) - f(-1.0)) - (f(2.0) - f(-2.0))) / (12.0 * h)
                };
                let jet = at(0.0);
                let first = slope(&|s| at(s).value);
                let second = slope(&|s| at(s).first);
                assert!((jet.first / first - 1.0).abs() < 1e-9, "{barrier:?} {delta}");
                assert!((jet.second / second - 1.0).abs() < 1e-9, "{barrier:?} {delta}");
                assert!(jet.value > 0.0 && jet.first < 0.0 && jet.second > 0.0);
            }
        }
    }
}

#[test]
fn barrier_of_squared_distances_is_the_other_one_times_a_factor() {
    for (delta, ratio) in [(0.9, 7.22), (0.5, 4.5), (0.1, 2.42)] {
        let [ipc, log] = [Barrier::Ipc, Barrier::Log].map(|b| b.jet(delta * 0.3, 0.3).value);
        assert!((ipc / log - ratio).abs() < 1e-12);
    }
    // As printed: b = −(s−S)² ln(s/S) over d̂³.
    let (g, hat) = (0.2_f64, 0.3_f64);
    let (s, big) = (g * g, hat * hat);
    let printed = -(s - big).powi(2) * (s / big).ln() / hat.powi(3);
    assert!((Barrier::Ipc.jet(g, hat).value / printed - 1.0).abs() < 1e-14);
}

#[test]
fn beyond_the_activation_distance_there_is_nothing_and_at_contact_no_way_through() {
    for barrier in Barrier::ALL {
        assert_eq!(barrier.jet(1.0, 1.0), barrier.jet(5.0, 1.0));
        assert_eq!(barrier.jet(1.0, 1.0).value, 0.0);
        // C² at d̂.
        let near = barrier.jet(1.0 - 1e-9, 1.0);
        assert!(near.value < 1e-25 && near.first > -1e-16 && near.second < 1e-7);
        assert_eq!(Barrier::by_name(barrier.name()), Some(barrier));
    }
    assert_eq!(Barrier::Log.jet(0.0, 1.0).value, f64::INFINITY);
    let jet = Barrier::Cubic.jet(0.0, 0.5);
    assert!((jet.value - 1.0 / 3.0).abs() < 1e-16);
    assert_eq!((jet.first, jet.second), (-2.0, 8.0));
}
