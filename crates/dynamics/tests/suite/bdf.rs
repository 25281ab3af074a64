//! Backward differentiation with steps that change.

use crate::common;

use common::{Body, distance, strict};
use pliant_dynamics::{IntegratorName, State, System};

fn swinging() -> (System, State) {
    let (system, mut state) = Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped().system();
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [0.1 * x[0], -0.8 * x[0] * x[0], 0.6 * x[0] * (x[1] - 0.1)];
    }
    (system, state)
}

const END: f64 = 0.12;

/// Lengths that vary smoothly by 1 ± `by`, `count` of them.
fn lengths(count: usize, by: f64) -> Vec<f64> {
    let wave = |k: usize| {
        let phase = 2.0 * std::f64::consts::TAU * (k as f64 + 0.5) / count as f64;
        1.0 + by * phase.sin()
    };
    let sum: f64 = (0..count).map(wave).sum();
    (0..count).map(|k| END * wave(k) / sum).collect()
}

fn run(name: IntegratorName, lengths: &[f64]) -> (State, usize) {
    let (mut system, mut state) = swinging();
    let mut integrator = name.build(&strict()).unwrap();
    for &h in lengths {
        integrator.step(&mut system, &mut state, h).unwrap();
    }
    (state, integrator.counters().solves)
}

fn reference() -> State {
    run(IntegratorName::Rk4, &lengths(6000, 0.0)).0
}

#[test]
fn orders_two_and_three_hold_with_steps_that_vary() {
    let exact = reference();
    for (name, order) in [(IntegratorName::Bdf2, 2.0), (IntegratorName::Bdf3, 3.0)] {
        let errors: Vec<f64> = [60, 120, 240, 480]
            .map(|n| {
                let (state, solves) = run(name, &lengths(n, 0.5));
                // One system a step but for those of the start: the past was of use.
                assert!(solves < n + 12, "{}: {solves} for {n}", name.name());
                distance(&state.v, &exact.v)
            })
            .to_vec();
        let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
        println!("{} {errors:?} {orders:?}", name.name());
        assert!((orders[2] - order).abs() < 0.1, "{}: {orders:?}", name.name());
    }
}

#[test]
fn others_start_again_and_keep_their_order() {
    let exact = reference();
    for (name, order, first) in [(IntegratorName::Bdf4, 4.0, 40), (IntegratorName::Bdf5, 5.0, 30)] {
        // Twice: half of the time with one step, then with one that is shorter by a third.
        let errors: Vec<f64> = (0..3)
            .map(|k| {
                let n = first << k;
                let (long, short) = (vec![0.6 * END / n as f64; n], vec![0.4 * END / n as f64; n]);
                let (state, solves) = run(name, &[long, short].concat());
                let least = 2 * n + 2 * (name.build(&strict()).unwrap().order() - 1);
                assert!(solves >= least, "{}: {solves} against {least}", name.name());
                distance(&state.v, &exact.v)
            })
            .collect();
        let last = (errors[1] / errors[2]).log2();
        println!("{} {errors:?} {last}", name.name());
        assert!((last - order).abs() < 0.25, "{}: {errors:?} {last}", name.name());
    }
}

#[test]
fn a_step_that_grows_too_fast_for_stability_starts_again() {
    for (name, growth) in [(IntegratorName::Bdf2, 2.4), (IntegratorName::Bdf3, 1.5)] {
        let solves = |ratio: f64| {
            let h = 0.001;
            let even = run(name, &[h; 8]).1;
            run(name, &[vec![h; 8], vec![ratio * h]].concat()).1 - even
        };
        assert_eq!(solves(growth), 1, "{}", name.name());
        assert_eq!(solves(0.1), 1, "{}", name.name());
        assert!(solves(growth + 0.1) > 1, "{}", name.name());
    }
}

#[test]
fn equal_steps_are_as_ever_whatever_rounding_does_to_their_times() {
    // The same motion, started at a late time at which times are rounded: the coefficients do not see it.
    let run = |time: f64| {
        let (mut system, mut state) = swinging();
        state.time = time;
        let mut integrator = IntegratorName::Bdf3.build(&strict()).unwrap();
        for _ in 0..20 {
            integrator.step(&mut system, &mut state, 0.002).unwrap();
        }
        state
    };
    assert!(distance(&run(0.0).x, &run(1000.0).x) < 1e-14);
}

#[test]
fn estimates_are_those_of_one_step_and_there_from_the_first_one_on() {
    for name in [IntegratorName::Bdf2, IntegratorName::Bdf3] {
        let (mut system, mut state) = swinging();
        let mut integrator = name.build(&strict()).unwrap();
        let steps = [1.0, 1.0, 1.0, 1.0, 1.3, 0.8, 1.1, 0.9, 1.0, 1.2].map(|f| f * 5e-4);
        for (k, h) in steps.into_iter().enumerate() {
            // The exact motion from where this step starts.
            let mut exact = state.clone();
            let mut fine = IntegratorName::Rk4.build(&strict()).unwrap();
            let before = state.clone();
            integrator.step(&mut system, &mut state, h).unwrap();
            let estimate = integrator.estimate().unwrap();
            for _ in 0..20 {
                fine.step(&mut system, &mut exact, h / 20.0).unwrap();
            }
            let zero = vec![[0.0; 3]; state.len()];
            let real = distance(&state.v, &exact.v);
            let told = distance(estimate.v, &zero);
            println!("{} {k}: {told:e} for {real:e}, order {}", name.name(), estimate.order);
            if k > 5 {
                assert_eq!(estimate.order, integrator.order());
                // The past deviates from the motion through this state by errors d of its own steps, which
                // Milne's device takes for none: d = e + d/3 for order 2, d = e + 5d/11 for order 3.
                let told = told * if estimate.order == 2 { 1.5 } else { 11.0 / 6.0 };
                assert!(told > 0.8 * real && told < 1.25 * real, "{told:e} {real:e}");
            } else {
                assert!(told > 0.3 * real, "{}: {told:e} {real:e}", name.name());
            }
            // A step that fails has none.
            if k == 9 {
                let mut wrong = before;
                wrong.v[0][0] = f64::NAN;
                integrator.step(&mut system, &mut wrong, h).unwrap_err();
                assert!(integrator.estimate().is_none());
            }
        }
    }
    let mut bdf4 = IntegratorName::Bdf4.build(&strict()).unwrap();
    let (mut system, mut state) = swinging();
    bdf4.step(&mut system, &mut state, 1e-3).unwrap();
    assert!(bdf4.estimate().is_none());
}
