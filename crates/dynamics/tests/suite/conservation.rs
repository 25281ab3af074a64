//! What is kept, and what a method itself loses.

use crate::common;

use common::spinning::{KEEP_ANGULAR_MOMENTUM, drift, spinning};
use common::{Body, strict};
use pliant_algebra::vec3::{Vec3, sub};
use pliant_dynamics::{IntegratorName, Ledger, State, System};

#[test]
fn every_integrator_keeps_linear_momentum() {
    // A body without inertia has no momentum.
    for &name in IntegratorName::ALL.iter().filter(|n| **n != IntegratorName::QuasiStatic) {
        let (linear, _) = drift(name, 0.002, 100, false);
        assert!(linear < 1e-12, "{}: {linear:e}", name.name());
    }
}

#[test]
fn methods_that_keep_angular_momentum_keep_it_for_ten_thousand_steps() {
    use IntegratorName as I;
    for name in KEEP_ANGULAR_MOMENTUM {
        let (linear, angular) = drift(name, 0.002, 10_000, false);
        assert!(linear < 1e-12 && angular < 1e-10, "{}: {linear:e} {angular:e}", name.name());
    }
    let (linear, angular) = drift(I::ImplicitMidpoint, 0.002, 500, true);
    assert!(linear < 1e-12 && angular < 1e-10, "consistent mass: {linear:e} {angular:e}");
    // And one that does not: 0.02 rad a step.
    let (_, angular) = drift(I::BackwardEuler, 0.01, 100, false);
    assert!(angular > 1e-2, "{angular:e}");
}

/// A linear body under its weight, in motion.
fn swinging(consistent: bool) -> (System, State) {
    let body = Body::bar("linear", [3, 1, 1], 0.3).with_gravity([0.0, -1.0, 0.0]).clamped();
    let (system, mut state) = if consistent { body.consistent_system() } else { body.system() };
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [0.3 * x[0], -x[0] * x[0], 0.2 * x[0] * x[1]];
    }
    (system, state)
}

#[test]
fn backward_euler_loses_half_the_squares_of_its_changes_on_a_linear_body() {
    for consistent in [false, true] {
        let (mut system, mut state) = swinging(consistent);
        let size = system.energies(&state).unwrap().kinetic;
        let mut integrator = IntegratorName::BackwardEuler.build(&strict()).unwrap();
        let mut ledger = Ledger::new(&mut system, &state).unwrap();
        for _ in 0..20 {
            let before = state.clone();
            let lost = ledger.balance().numerical_loss;
            integrator.step(&mut system, &mut state, 0.02).unwrap();
            let lost = ledger.record(&mut system, &state).unwrap().numerical_loss - lost;
            // ½|Δv|²_M is the kinetic energy of Δv, ½|Δx|²_K the elastic one of the displacement Δx.
            let change: Vec<Vec3> =
                state.v.iter().zip(&before.v).map(|(a, b)| sub(*a, *b)).collect();
            let mut moved = State::at_rest(system.rest());
            for (m, (a, b)) in moved.x.iter_mut().zip(state.x.iter().zip(&before.x)) {
                *m = std::array::from_fn(|k| m[k] + a[k] - b[k]);
            }
            let expected = system.kinetic(&change) + system.energies(&moved).unwrap().elastic;
            assert!((lost - expected).abs() < 1e-12 * size, "{lost:e} {expected:e}");
            assert!(lost > 1e-3 * size, "{lost:e} of {size:e}");
        }
    }
}

#[test]
fn the_midpoint_rule_loses_nothing_on_a_linear_body() {
    for consistent in [false, true] {
        let (mut system, mut state) = swinging(consistent);
        let size = system.energies(&state).unwrap().kinetic;
        let mut integrator = IntegratorName::ImplicitMidpoint.build(&strict()).unwrap();
        let mut ledger = Ledger::new(&mut system, &state).unwrap();
        for _ in 0..200 {
            integrator.step(&mut system, &mut state, 0.02).unwrap();
            let lost = ledger.record(&mut system, &state).unwrap().numerical_loss;
            assert!(lost.abs() < 1e-12 * size, "{lost:e} of {size:e}");
        }
    }
}

#[test]
fn what_methods_lose_on_a_nonlinear_body_vanishes_at_their_order() {
    use IntegratorName as I;
    for &name in I::ALL.iter().filter(|n| **n != I::QuasiStatic) {
        let lost = |steps: usize| {
            let (mut system, mut state) = spinning(false);
            let mut integrator = name.build(&strict()).unwrap();
            let mut ledger = Ledger::new(&mut system, &state).unwrap();
            for _ in 0..steps {
                integrator.step(&mut system, &mut state, 0.1 / steps as f64).unwrap();
                ledger.record(&mut system, &state).unwrap();
            }
            ledger.balance().numerical_loss.abs() / ledger.balance().energies.total()
        };
        let order = name.build(&strict()).unwrap().order();
        let steps = match order {
            1 | 2 => 80,
            3 | 4 => 160,
            5 | 6 => 20,
            _ => 4,
        };
        let (coarse, fine) = (lost(steps), lost(2 * steps));
        let observed = (coarse / fine).log2();
        println!("| {} | {order} | {observed:.2} | {coarse:.1e} | {fine:.1e} |", name.name());
        assert!(observed > order as f64 - 0.2, "{}: {observed}", name.name());
    }
}

#[test]
fn the_drift_of_angular_momentum_vanishes_at_the_order_of_the_method() {
    use IntegratorName as I;
    for &name in I::ALL {
        if name == I::QuasiStatic || KEEP_ANGULAR_MOMENTUM.contains(&name) {
            continue;
        }
        let order = name.build(&strict()).unwrap().order();
        let steps = match order {
            1 | 2 => 80,
            3 | 4 => 40,
            5 => 16,
            6 => 20,
            _ => 4,
        };
        let after = |steps: usize| drift(name, 0.1 / steps as f64, steps, false).1;
        let (coarse, fine) = (after(steps), after(2 * steps));
        assert!(coarse > 1e-13, "{} keeps it: {coarse:e}", name.name());
        let observed = (coarse / fine).log2();
        assert!(observed > order as f64 - 0.2, "{}: {observed}", name.name());
    }
}
