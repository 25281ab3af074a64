//! The order of every integrator on a smooth nonlinear body.

mod common;

use std::sync::Arc;

use common::{Body, strict};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{IntegratorName, Moment, Motion, State, System};

/// The mass of the bar, and whether its clamped end is shaken.
#[derive(Clone, Copy)]
struct Case {
    consistent: bool,
    shaken: bool,
}

const PLAIN: Case = Case { consistent: false, shaken: false };

/// Up and down by 4 cm, from rest.
fn shake(anchor: Vec3, t: f64) -> Moment {
    let w = 15.0_f64;
    let (s, c) = (w * t).sin_cos();
    Moment {
        x: [anchor[0], anchor[1] + 0.02 * (1.0 - c), anchor[2]],
        v: [0.0, 0.02 * w * s, 0.0],
        a: [0.0, 0.02 * w * w * c, 0.0],
    }
}

/// A clamped neo-Hookean bar of a few tetrahedra, bent and twisted by its velocities.
fn swinging(case: Case) -> (System, State) {
    let mut body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let end = body.at_x(0.0);
    let motion = if case.shaken { Motion::Function(Arc::new(shake)) } else { Motion::Still };
    body.constraints.drive(&end, &body.rest, motion).unwrap();
    let (system, mut state) =
        if case.consistent { body.consistent_system() } else { body.system() };
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        // Zero at the clamped end.
        *v = [0.1 * x[0], -0.8 * x[0] * x[0], 0.6 * x[0] * (x[1] - 0.1)];
    }
    (system, state)
}

const END: f64 = 0.24;

fn run(name: IntegratorName, steps: usize, case: Case) -> Vec<[Vec3; 2]> {
    let (mut system, mut state) = swinging(case);
    let mut integrator = name.build(&strict()).unwrap();
    for _ in 0..steps {
        integrator.step(&mut system, &mut state, END / steps as f64).unwrap();
    }
    state.x.into_iter().zip(state.v).map(|(x, v)| [x, v]).collect()
}

/// Root mean square over positions and velocities.
fn error(a: &[[Vec3; 2]], b: &[[Vec3; 2]]) -> f64 {
    let (a, b) = (a.as_flattened().as_flattened(), b.as_flattened().as_flattened());
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
    (sum / a.len() as f64).sqrt()
}

type Motions = [[Vec3; 2]];

/// What all are compared with.
fn reference(case: Case) -> Vec<[Vec3; 2]> {
    run(IntegratorName::DormandPrince853, 800, case)
}

/// Orders over four halvings of the step.
fn observed(name: IntegratorName, first: usize, case: Case, reference: &Motions) -> Vec<f64> {
    let errors: Vec<f64> = (0..5).map(|k| error(&run(name, first << k, case), reference)).collect();
    let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("| {} | {:.3?} | {:?} |", name.name(), orders, errors);
    orders
}

fn check(name: IntegratorName, first: usize, reference: &Motions) {
    let order = name.build(&strict()).unwrap().order() as f64;
    let orders = observed(name, first, PLAIN, reference);
    let last = orders[orders.len() - 1];
    assert!((last - order).abs() < 0.1, "{}: {orders:.3?}", name.name());
}

#[test]
fn one_step_methods_have_their_order() {
    use IntegratorName as I;
    let reference = reference(PLAIN);
    for (name, first) in [
        (I::ForwardEuler, 800),
        (I::SymplecticEuler, 200),
        (I::ExplicitMidpoint, 80),
        (I::Rk4, 40),
        (I::ThreeEighths, 40),
        (I::Verlet, 60),
        (I::CentralDifferences, 60),
        (I::DormandPrince5, 16),
        (I::Rkc2, 80),
        (I::Rock2, 80),
        (I::ExplicitNewmark, 120),
        (I::BackwardEuler, 200),
        (I::ImplicitMidpoint, 30),
        (I::Trapezoidal, 30),
        (I::Newmark, 30),
        (I::GeneralizedAlpha, 30),
    ] {
        check(name, first, &reference);
    }
}

#[test]
fn order_eight_is_seen_until_rounding_hides_it() {
    for (case, last) in [(PLAIN, 2), (Case { consistent: true, shaken: true }, 3)] {
        let orders = observed(IntegratorName::DormandPrince853, 4, case, &reference(case));
        assert!((orders[last] - 8.0).abs() < 0.1, "{orders:.3?}");
    }
}

#[test]
fn multistep_methods_have_their_order() {
    use IntegratorName as I;
    let reference = reference(PLAIN);
    for (name, first) in
        [(I::Bdf1, 200), (I::Bdf2, 60), (I::Bdf3, 60), (I::Bdf4, 40), (I::Bdf5, 40), (I::Bdf6, 15)]
    {
        check(name, first, &reference);
    }
}

#[test]
fn orders_hold_with_the_consistent_mass() {
    let case = Case { consistent: true, ..PLAIN };
    let reference = reference(case);
    for (name, order, first) in
        [(IntegratorName::Trapezoidal, 2.0, 30), (IntegratorName::ThreeEighths, 4.0, 60)]
    {
        let orders = observed(name, first, case, &reference);
        assert!((orders[3] - order).abs() < 0.1, "{}: {orders:.3?}", name.name());
    }
}

#[test]
fn orders_hold_with_a_support_that_moves() {
    use IntegratorName as I;
    for consistent in [false, true] {
        let case = Case { consistent, shaken: true };
        let reference = reference(case);
        for (name, order, first) in [
            (I::Rk4, 4.0, 60),
            (I::DormandPrince5, 5.0, if consistent { 30 } else { 16 }),
            (I::Rkc2, 2.0, 60),
            (I::Rock2, 2.0, 60),
            (I::Verlet, 2.0, 60),
            (I::CentralDifferences, 2.0, 60),
            (I::ExplicitNewmark, 2.0, 100),
            (I::ImplicitMidpoint, 2.0, 30),
            (I::Trapezoidal, 2.0, 30),
            (I::GeneralizedAlpha, 2.0, 30),
            (I::Bdf2, 2.0, 60),
            (I::Bdf4, 4.0, 40),
        ] {
            let orders = observed(name, first, case, &reference);
            assert!((orders[3] - order).abs() < 0.1, "{} {consistent}: {orders:.3?}", name.name());
        }
    }
}
