//! The toy problem of VirTis (figure 3.7) against its closed form, and the slopes of its work-precision
//! diagram (figure 3.8).

use crate::common;
#[allow(dead_code)]
#[path = "../../examples/work_precision/runs.rs"]
mod runs;
#[path = "../../examples/work_precision/toy.rs"]
mod toy;

use std::time::Duration;

use common::strict;
use pliant_dynamics::{DynamicsError, IntegratorName, State};
use runs::{Task, distance};
use toy::{exact, toy};

fn at(t: f64) -> State {
    let [z, v] = exact(t);
    State::new(&[[0.0, 0.0, z]], &[[0.0, 0.0, v]], t)
}

/// Times are not looked at.
fn task(end: f64, reference: &State) -> Task<'_> {
    Task { make: &toy, end, clock: &Duration::default, reference }
}

#[test]
fn the_closed_form_solves_the_equation_of_the_toy() {
    for (t, z) in [
        (0.05, -1.13338087643770),
        (0.1, -1.01789997123649),
        (0.5, -1.01205752379539),
        (1.0, -1.00973113393785),
    ] {
        assert!((exact(t)[0] - z).abs() < 1e-14, "{t}");
        let h = 1e-4;
        let [[z0, v0], [z, v], [z1, v1]] = [exact(t - h), exact(t), exact(t + h)];
        assert!(((z1 - z0) / (2.0 * h) - v).abs() < 1e-5);
        // z″ = (k (l₀ − z) − d z′) / m + g
        let a = (100.0 * (-1.0 - z) - v) / 0.1 - 10.0;
        assert!(((v1 - v0) / (2.0 * h) - a).abs() < 1e-3);
    }
    assert_eq!(distance(&toy().unwrap().1, &at(0.0)), 0.0);
}

#[test]
fn every_integrator_comes_to_the_closed_form_at_its_order() {
    use IntegratorName as I;
    let reference = at(0.1);
    let task = task(0.1, &reference);
    for &name in I::ALL.iter().filter(|n| **n != I::QuasiStatic) {
        // h ω at first: 3.2 / steps.
        let first = match name {
            I::ForwardEuler | I::SymplecticEuler | I::BackwardEuler | I::Bdf1 => 800,
            I::DormandPrince853 => 5,
            I::DormandPrince5 => 80,
            _ => 100,
        };
        let run = |steps: usize| task.run(name, &strict(), steps);
        if name == I::Verlet {
            // It has no place for a damper.
            assert!(matches!(run(first), Err(DynamicsError::Unsupported(_))));
            continue;
        }
        let errors = [first, 2 * first].map(|steps| run(steps).unwrap().error.unwrap());
        let (seen, order) =
            ((errors[0] / errors[1]).log2(), name.build(&strict()).unwrap().order() as f64);
        println!(
            "| {} | {order} | {seen:.2} | {:.1e} | {:.1e} |",
            name.name(),
            errors[0],
            errors[1]
        );
        assert!((seen - order).abs() < 0.1, "{}: {seen} {errors:?}", name.name());
        assert!(errors[1] < 0.01, "{}: {errors:?}", name.name());
    }
}

#[test]
fn forward_euler_is_stable_on_the_toy_below_a_hundredth_of_a_second() {
    // |1 + hλ| = 1 with λ = −5 ± 5√39 i: h = 2·5 / |λ|² = 10 / 1000.
    let reference = at(2.0);
    let task = task(2.0, &reference);
    let error = |steps: usize| {
        task.run(IntegratorName::ForwardEuler, &strict(), steps).unwrap().error.unwrap()
    };
    let start = distance(&toy().unwrap().1, &reference);
    assert!(error(220) < start && error(180) > start, "{start} {} {}", error(220), error(180));
}

#[test]
fn methods_of_order_two_span_six_decades() {
    use IntegratorName as I;
    let reference = at(0.1);
    let task = task(0.1, &reference);
    for name in [I::CentralDifferences, I::Rock2, I::ImplicitMidpoint, I::Bdf2, I::Rosenbrock2] {
        let error = |steps: usize| task.run(name, &strict(), steps).unwrap().error.unwrap();
        let (long, short) = (error(1), error(8000));
        assert!(long > 1e6 * short, "{}: {long:e} {short:e}", name.name());
    }
}
