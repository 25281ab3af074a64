//! The order of every integrator on a smooth nonlinear body.

mod common;

use common::{Body, strict};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{IntegratorName, State, System};

/// A clamped neo-Hookean bar of a few tetrahedra, bent and twisted by its velocities.
fn swinging(consistent: bool) -> (System, State) {
    let body = Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped();
    let (system, mut state) = if consistent { body.consistent_system() } else { body.system() };
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        // Zero at the clamped end.
        *v = [0.1 * x[0], -0.8 * x[0] * x[0], 0.6 * x[0] * (x[1] - 0.1)];
    }
    (system, state)
}

const END: f64 = 0.24;

fn run(name: IntegratorName, steps: usize, consistent: bool) -> Vec<[Vec3; 2]> {
    let (mut system, mut state) = swinging(consistent);
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

fn observed(name: IntegratorName, first: usize, consistent: bool) -> Vec<f64> {
    let reference = run(IntegratorName::Rk4, 12_000, consistent);
    let errors: Vec<f64> =
        (0..5).map(|k| error(&run(name, first << k, consistent), &reference)).collect();
    let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("| {} | {:.3?} | {:?} |", name.name(), orders, errors);
    orders
}

fn check(name: IntegratorName, first: usize) {
    let order = name.build(&strict()).unwrap().order() as f64;
    let orders = observed(name, first, false);
    let last = orders[orders.len() - 1];
    assert!((last - order).abs() < 0.1, "{}: {orders:.3?}", name.name());
}

#[test]
fn one_step_methods_have_their_order() {
    use IntegratorName as I;
    for (name, first) in [
        (I::ForwardEuler, 800),
        (I::SymplecticEuler, 200),
        (I::ExplicitMidpoint, 80),
        (I::Rk4, 40),
        (I::ThreeEighths, 40),
        (I::Verlet, 60),
        (I::CentralDifferences, 60),
        (I::BackwardEuler, 200),
        (I::ImplicitMidpoint, 30),
        (I::Trapezoidal, 30),
        (I::Newmark, 30),
        (I::GeneralizedAlpha, 30),
    ] {
        check(name, first);
    }
}

#[test]
fn multistep_methods_have_their_order() {
    use IntegratorName as I;
    for (name, first) in
        [(I::Bdf1, 200), (I::Bdf2, 60), (I::Bdf3, 60), (I::Bdf4, 40), (I::Bdf5, 40), (I::Bdf6, 15)]
    {
        check(name, first);
    }
}

#[test]
fn orders_hold_with_the_consistent_mass() {
    for (name, order, first) in
        [(IntegratorName::Trapezoidal, 2.0, 30), (IntegratorName::ThreeEighths, 4.0, 60)]
    {
        let orders = observed(name, first, true);
        assert!((orders[3] - order).abs() < 0.1, "{}: {orders:.3?}", name.name());
    }
}
