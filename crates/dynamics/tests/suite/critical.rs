//! The critical step: where a run explodes, and the warning before it does.

use crate::common;

use common::Body;
use pliant_dynamics::{IntegratorName, Options, State, System, critical_step};

fn shivering(consistent: bool) -> (System, State) {
    let body = Body::bar("linear", [3, 1, 1], 0.3).clamped();
    let (system, mut state) = if consistent { body.consistent_system() } else { body.system() };
    for (i, v) in state.v.iter_mut().enumerate() {
        *v = [0.001 * (i as f64).sin(), 0.001 * (2.0 * i as f64).cos(), 0.0];
    }
    system.constraints().impose_velocities(0.0, &mut state.v);
    (system, state)
}

#[test]
fn intervals_on_the_imaginary_axis_are_those_of_theory() {
    use IntegratorName as I;
    let close = |name: I, expected: f64, within: f64| {
        let found = name.imaginary_interval();
        println!("| {} | {found:.6} |", name.name());
        assert!((found - expected).abs() <= within, "{}: {found}", name.name());
    };
    for name in [I::ForwardEuler, I::ExplicitMidpoint, I::Rkc2] {
        close(name, 0.0, 0.0);
    }
    for name in [I::SymplecticEuler, I::Verlet, I::CentralDifferences] {
        close(name, 2.0, 0.0);
    }
    for name in [I::Rk4, I::ThreeEighths] {
        close(name, 8.0_f64.sqrt(), 1e-12);
    }
    // Its polynomial is the series up to z⁵, and z⁶/600.
    let excess = |y: f64| {
        let (y2, y4, y6) = (y * y, y.powi(4), y.powi(6));
        let real = 1.0 - y2 / 2.0 + y4 / 24.0 - y6 / 600.0;
        let imaginary = y * (1.0 - y2 / 6.0 + y4 / 120.0);
        real * real + imaginary * imaginary - 1.0
    };
    let limit = I::DormandPrince5.imaginary_interval();
    assert!(excess(0.999 * limit) < 0.0 && excess(1.001 * limit) > 0.0, "{limit}");
    close(I::DormandPrince853, 5.96, 0.03);
    assert!(I::BackwardEuler.imaginary_interval().is_infinite());
}

#[test]
fn a_body_explodes_above_the_critical_step_and_not_below() {
    use IntegratorName as I;
    for consistent in [false, true] {
        for (name, steps) in
            [(I::SymplecticEuler, 600), (I::Verlet, 600), (I::Rk4, 600), (I::DormandPrince853, 200)]
        {
            let (mut system, state) = shivering(consistent);
            let critical = critical_step(&mut system, &state, name).unwrap();
            let energy_after = |factor: f64| {
                let (mut system, mut state) = shivering(consistent);
                let mut method = name.build(&Options::default()).unwrap();
                let before = system.energies(&state).unwrap().total();
                for _ in 0..steps {
                    method.step(&mut system, &mut state, factor * critical.step).unwrap();
                }
                system.energies(&state).unwrap().total() / before
            };
            let (below, above) = (energy_after(0.98), energy_after(1.03));
            assert!(below < 100.0 && above > 1e6, "{}: {below:e} {above:e}", name.name());
            assert!(critical.warning(0.5 * critical.step).is_none());
            let near = critical.warning(0.95 * critical.step).unwrap();
            let above = critical.warning(1.1 * critical.step).unwrap();
            assert!(near.contains("near the critical step of"), "{near}");
            assert!(above.contains("above") && above.contains("take"), "{above}");
        }
    }
}

#[test]
fn methods_without_a_critical_step_say_so() {
    let (mut system, state) = shivering(false);
    let euler = critical_step(&mut system, &state, IntegratorName::ForwardEuler).unwrap();
    assert!(euler.step == 0.0);
    assert!(euler.warning(1e-9).unwrap().contains("lets undamped vibrations grow"));
    let implicit = critical_step(&mut system, &state, IntegratorName::BackwardEuler).unwrap();
    assert!(implicit.step.is_infinite() && implicit.warning(1e9).is_none());
    assert_eq!(implicit.highest_frequency, system.highest_frequency(&state).unwrap());
}
