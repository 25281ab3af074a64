//! Bodies that fall, and the balance of what moves them.

use crate::common;

use common::{Body, distance, strict};
use pliant_dynamics::sum_and_moment;
use pliant_dynamics::{IntegratorName, Options};

#[test]
fn a_bar_falls_by_the_recurrence_of_backward_euler() {
    let (mut system, mut state) =
        Body::bar("neo-hookean", [4, 1, 1], 0.3).with_gravity([0.0, -9.81, 0.0]).system();
    let mut integrator = IntegratorName::BackwardEuler.build(&strict()).unwrap();
    let (h, steps) = (0.01, 20);
    for _ in 0..steps {
        integrator.step(&mut system, &mut state, h).unwrap();
    }
    let fall = -9.81 * h * h * f64::from(steps * (steps + 1)) / 2.0;
    let expected: Vec<_> = system.rest().iter().map(|x| [x[0], x[1] + fall, x[2]]).collect();
    assert!(distance(&state.x, &expected) < 1e-13, "{:e}", distance(&state.x, &expected));
    assert!((state.v[3][1] + 9.81 * h * f64::from(steps)).abs() < 1e-13);
    assert!((state.time - 0.2).abs() < 1e-15 && state.steps == 20);
}

#[test]
fn a_bar_at_rest_under_gravity_is_held_by_its_weight() {
    let body = Body::bar("neo-hookean", [4, 1, 1], 0.3).with_gravity([0.0, -9.81, 0.0]).clamped();
    let weight: f64 = body.masses.iter().sum::<f64>() * 9.81;
    let (mut system, mut state) = body.system();
    // Backward Euler takes the vibration out.
    let mut integrator = IntegratorName::BackwardEuler.build(&Options::default()).unwrap();
    for _ in 0..200 {
        integrator.step(&mut system, &mut state, 0.2).unwrap();
    }
    let mut reactions = Vec::new();
    system.reactions(&state, &mut reactions).unwrap();
    let (force, _) =
        sum_and_moment(reactions.iter().map(|&(v, f)| (f, state.x[v as usize])), [0.0; 3]);
    assert!((force[1] - weight).abs() < 1e-5 * weight, "{force:?} {weight}");
    assert!(force[0].abs().max(force[2].abs()) < 1e-5 * weight, "{force:?}");
}

#[test]
fn the_highest_frequency_is_where_verlet_becomes_unstable() {
    for consistent in [false, true] {
        let body = || Body::bar("linear", [3, 1, 1], 0.3).clamped();
        let make = || if consistent { body().consistent_system() } else { body().system() };
        let (mut system, state) = make();
        let omega = system.highest_frequency(&state).unwrap();
        let energy_after = |factor: f64| {
            let (mut system, mut state) = make();
            for (i, v) in state.v.iter_mut().enumerate() {
                *v = [0.001 * (i as f64).sin(), 0.001 * (2.0 * i as f64).cos(), 0.0];
            }
            system.constraints().impose_velocities(0.0, &mut state.v);
            let mut verlet = IntegratorName::Verlet.build(&Options::default()).unwrap();
            let before = system.energies(&state).unwrap().total();
            for _ in 0..600 {
                verlet.step(&mut system, &mut state, factor * 2.0 / omega).unwrap();
            }
            assert_eq!(verlet.counters().residuals, 601);
            system.energies(&state).unwrap().total() / before
        };
        let (below, above) = (energy_after(0.99), energy_after(1.01));
        assert!(below < 100.0 && above > 1e20, "{below:e} {above:e}");
    }
}
