//! What is kept, and what a method itself loses.

mod common;

use common::{Body, strict};
use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_dynamics::{IntegratorName, State, System};

/// A free neo-Hookean block that flies, spins and vibrates.
fn spinning(consistent: bool) -> (System, State) {
    let body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let (system, mut state) = if consistent { body.consistent_system() } else { body.system() };
    System::spin(&mut state, [0.5, 0.15, 0.15], [0.3, -1.0, 2.0]);
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [v[0] + 0.5 + 0.1 * x[0], v[1] - 0.2, v[2] + 0.1 * x[1]];
    }
    (system, state)
}

/// The largest changes of linear and angular momentum, relative to what they are.
fn drift(name: IntegratorName, h: f64, steps: usize, consistent: bool) -> (f64, f64) {
    let (mut system, mut state) = spinning(consistent);
    let mut integrator = name.build(&strict()).unwrap();
    let (linear, angular) = system.momenta(&state);
    let mut worst = (0.0_f64, 0.0_f64);
    let relative = |now: Vec3, then: Vec3| norm(sub(now, then)) / norm(then);
    for _ in 0..steps {
        integrator.step(&mut system, &mut state, h).unwrap();
        let now = system.momenta(&state);
        worst = (worst.0.max(relative(now.0, linear)), worst.1.max(relative(now.1, angular)));
    }
    println!("| {} | {:.1e} | {:.1e} |", name.name(), worst.0, worst.1);
    worst
}

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
    for name in [I::ImplicitMidpoint, I::Verlet, I::CentralDifferences, I::SymplecticEuler] {
        let (linear, angular) = drift(name, 0.002, 10_000, false);
        assert!(linear < 1e-12 && angular < 1e-10, "{}: {linear:e} {angular:e}", name.name());
    }
    let (linear, angular) = drift(I::ImplicitMidpoint, 0.002, 500, true);
    assert!(linear < 1e-12 && angular < 1e-10, "consistent mass: {linear:e} {angular:e}");
    // And one that does not: 0.02 rad a step.
    let (_, angular) = drift(I::BackwardEuler, 0.01, 100, false);
    assert!(angular > 1e-2, "{angular:e}");
}

#[test]
fn backward_euler_loses_half_the_squares_of_its_changes_on_a_linear_body() {
    for consistent in [false, true] {
        let body = Body::bar("linear", [3, 1, 1], 0.3).clamped();
        let (mut system, mut state) =
            if consistent { body.consistent_system() } else { body.system() };
        for (v, x) in state.v.iter_mut().zip(&state.x) {
            *v = [0.3 * x[0], -x[0] * x[0], 0.2 * x[0] * x[1]];
        }
        let mut integrator = IntegratorName::BackwardEuler.build(&strict()).unwrap();
        for _ in 0..20 {
            let before = state.clone();
            let energy = system.energies(&state).unwrap();
            integrator.step(&mut system, &mut state, 0.02).unwrap();
            let lost = energy.total() - system.energies(&state).unwrap().total();
            // ½|Δv|²_M is the kinetic energy of Δv, ½|Δx|²_K the elastic one of the displacement Δx.
            let change: Vec<Vec3> =
                state.v.iter().zip(&before.v).map(|(a, b)| sub(*a, *b)).collect();
            let mut moved = State::at_rest(system.rest());
            for (m, (a, b)) in moved.x.iter_mut().zip(state.x.iter().zip(&before.x)) {
                *m = std::array::from_fn(|k| m[k] + a[k] - b[k]);
            }
            let expected = system.kinetic(&change) + system.energies(&moved).unwrap().elastic;
            assert!((lost - expected).abs() < 1e-12 * energy.total(), "{lost:e} {expected:e}");
            assert!(lost > 0.0);
        }
    }
}

#[test]
fn the_midpoint_rule_loses_nothing_on_a_linear_body() {
    let body = Body::bar("linear", [3, 1, 1], 0.3).clamped();
    let (mut system, mut state) = body.system();
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [0.3 * x[0], -x[0] * x[0], 0.2 * x[0] * x[1]];
    }
    let mut integrator = IntegratorName::ImplicitMidpoint.build(&strict()).unwrap();
    let energy = system.energies(&state).unwrap().total();
    for _ in 0..200 {
        integrator.step(&mut system, &mut state, 0.02).unwrap();
        let lost = energy - system.energies(&state).unwrap().total();
        assert!(lost.abs() < 1e-12 * energy, "{lost:e} of {energy:e}");
    }
}

#[test]
fn what_methods_lose_on_a_nonlinear_body_vanishes_at_their_order() {
    use IntegratorName as I;
    for (name, order) in
        [(I::BackwardEuler, 1.0), (I::Trapezoidal, 2.0), (I::GeneralizedAlpha, 2.0)]
    {
        let lost = |steps: usize| {
            let (mut system, mut state) = spinning(false);
            let mut integrator = name.build(&strict()).unwrap();
            let energy = system.energies(&state).unwrap().total();
            for _ in 0..steps {
                integrator.step(&mut system, &mut state, 0.1 / steps as f64).unwrap();
            }
            (energy - system.energies(&state).unwrap().total()).abs()
        };
        let observed = (lost(80) / lost(160)).log2();
        assert!(observed > order - 0.1, "{}: {observed}", name.name());
    }
}
