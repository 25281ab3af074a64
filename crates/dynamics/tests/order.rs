//! The order of every integrator on a smooth nonlinear body.

mod common;

use std::sync::Arc;

use common::{Body, strict};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{IntegratorName, Moment, Motion, Role, State, System};
use pliant_forces::damping::{CurrentRayleigh, RayleighTangent};
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::{Ask, ForceError, ForceModel};

/// The mass of the bar, and whether its clamped end is shaken.
#[derive(Clone, Copy)]
struct Case {
    consistent: bool,
    shaken: bool,
    forces: Forces,
}

#[derive(Clone, Copy, PartialEq)]
enum Forces {
    /// Of the body alone.
    Elastic,
    /// Damped, with loads that come and go.
    Damped,
    /// With a tangent that is 0.7 of what it should be.
    Crude,
}

const PLAIN: Case = Case { consistent: false, shaken: false, forces: Forces::Elastic };

/// A force model whose tangent is wrong.
struct Crude(Box<dyn ForceModel>);

impl ForceModel for Crude {
    fn name(&self) -> &'static str {
        "crude"
    }
    fn is_symmetric(&self) -> bool {
        true
    }
    fn has_energy(&self) -> bool {
        true
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.0.couplings(couple);
    }
    fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.0.bind(slot);
    }
    fn add(
        &mut self,
        state: &pliant_forces::State<'_>,
        ask: &mut Ask<'_>,
    ) -> Result<(), ForceError> {
        ask.position_weight *= 0.7;
        self.0.add(state, ask)
    }
    fn largest_step(&self, state: &pliant_forces::State<'_>, mass: &[f64]) -> f64 {
        self.0.largest_step(state, mass)
    }
}

/// Pulls one vertex along z by 1 − cos 12 t: time goes into it smoothly, and it does not tell its rate.
struct Wave(u32);

impl ForceModel for Wave {
    fn name(&self) -> &'static str {
        "wave"
    }
    fn is_symmetric(&self) -> bool {
        true
    }
    fn has_energy(&self) -> bool {
        false
    }
    fn couplings(&self, _: &mut dyn FnMut(u32, u32)) {}
    fn bind(&mut self, _: &dyn Fn(u32, u32) -> (u32, bool)) {}
    fn add(
        &mut self,
        state: &pliant_forces::State<'_>,
        ask: &mut Ask<'_>,
    ) -> Result<(), ForceError> {
        if let Some(g) = ask.gradient.as_deref_mut() {
            g[self.0 as usize][2] -= 3.0 * (1.0 - (12.0 * state.time).cos());
        }
        Ok(())
    }
    fn largest_step(&self, _: &pliant_forces::State<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

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
    if case.forces == Forces::Crude {
        let (role, exact) = body.models.remove(0);
        body.models.push((role, Box::new(Crude(exact))));
    }
    if case.forces == Forces::Damped {
        // A ramp is linear over the whole motion, a wave is not.
        let ramp = TimeCurve::Ramp { start: -0.1, end: 0.9, from: 0.0, to: 1.0 };
        let loads: Vec<(u32, Vec3)> =
            body.at_x(1.0).iter().map(|&v| (v, [0.0, 10.0, 0.0])).collect();
        let load = DeadLoad::points(&body.rest, &loads, ramp).unwrap();
        let wave = Wave(loads[0].0);
        let elastic = body.models.remove(0).1;
        let exact = RayleighTangent::Difference;
        let damped = CurrentRayleigh::new(elastic, &body.masses, 2.0, 2e-3, exact).unwrap();
        body.models.push((Role::Elastic, Box::new(damped)));
        body.models.push((Role::Load, Box::new(load)));
        body.models.push((Role::Load, Box::new(wave)));
    }
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

const LINEARLY_IMPLICIT: [(IntegratorName, f64, usize); 8] = [
    (IntegratorName::Rosenbrock2, 2.0, 60),
    (IntegratorName::AmfRk32, 3.0, 60),
    (IntegratorName::Rosenbrock4Lstable, 4.0, 60),
    (IntegratorName::Rosenbrock4Shampine, 4.0, 60),
    (IntegratorName::Rosenbrock4Grk4t, 4.0, 30),
    (IntegratorName::Rosenbrock4Grk4a, 4.0, 50),
    (IntegratorName::Rosenbrock4VeldhuizenD, 4.0, 30),
    (IntegratorName::Rosenbrock4VeldhuizenB, 4.0, 60),
];

#[test]
fn linearly_implicit_methods_have_their_order() {
    let reference = reference(PLAIN);
    for (name, _, first) in LINEARLY_IMPLICIT {
        check(name, first, &reference);
    }
}

#[test]
fn linearly_implicit_methods_have_their_order_with_damping_and_loads_that_follow_time() {
    for consistent in [false, true] {
        let case = Case { consistent, forces: Forces::Damped, ..PLAIN };
        let reference = reference(case);
        for (name, order, first) in LINEARLY_IMPLICIT {
            // Above the noise of the difference that ∂g/∂t is here.
            let first = first.min(30);
            let orders = observed(name, first, case, &reference);
            assert!((orders[3] - order).abs() < 0.1, "{} {consistent}: {orders:.3?}", name.name());
        }
    }
}

#[test]
fn a_w_method_keeps_its_order_with_a_jacobian_that_is_wrong() {
    let case = Case { forces: Forces::Crude, ..PLAIN };
    let reference = reference(PLAIN);
    for (name, order, first) in [
        (IntegratorName::Rosenbrock2, 2.0, 120),
        (IntegratorName::AmfRk32, 2.0, 120),
        (IntegratorName::Rosenbrock4Lstable, 1.0, 240),
    ] {
        let orders = observed(name, first, case, &reference);
        assert!((orders[3] - order).abs() < 0.1, "{}: {orders:.3?}", name.name());
    }
}

#[test]
fn order_eight_is_seen_until_rounding_hides_it() {
    for (case, last) in [(PLAIN, 2), (Case { consistent: true, shaken: true, ..PLAIN }, 3)] {
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
        let case = Case { consistent, shaken: true, ..PLAIN };
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
            (I::Rosenbrock2, 2.0, 60),
            (I::AmfRk32, 3.0, 60),
            (I::Rosenbrock4Lstable, 4.0, 60),
            (I::Rosenbrock4Grk4t, 4.0, 30),
        ] {
            let orders = observed(name, first, case, &reference);
            assert!((orders[3] - order).abs() < 0.1, "{} {consistent}: {orders:.3?}", name.name());
        }
    }
}
