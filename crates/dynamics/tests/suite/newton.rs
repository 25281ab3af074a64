//! What Newton does where it is hard, and how little where it is easy.

use crate::common;

use common::{Body, distance, strict};
use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{
    Form, IntegratorName, Motion, Newton, NewtonSettings, Options, Role, State, StaticSettings,
    Statics, System, Weights,
};
use pliant_forces::damping::LinearDamping;
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_solvers::{Choice, SolverName};

fn cholesky() -> Choice {
    Choice { solver: SolverName::Cholesky, ..Choice::default() }
}

/// A bar whose far end is pushed towards the clamped one by `by`, of its length 1.
fn pushed(by: f64) -> (System, State) {
    let mut body = Body::bar("neo-hookean", [6, 2, 2], 0.3).clamped();
    let end = body.at_x(1.0);
    let curve = TimeCurve::default();
    let push = Motion::Translation { direction: [-by, 0.0, 0.0], curve };
    body.constraints.drive(&end, &body.rest, push).unwrap();
    body.system()
}

fn solve(by: f64, first_increment: f64) -> (State, pliant_dynamics::Counters) {
    let (mut system, mut state) = pushed(by);
    let settings = NewtonSettings { force_tolerance: 1e-10, ..NewtonSettings::default() };
    let newton = Newton::new(settings, cholesky().build().unwrap()).unwrap();
    let settings = StaticSettings { first_increment, ..StaticSettings::default() };
    let mut statics = Statics::new(Box::new(newton), settings).unwrap();
    let report = statics.solve(&mut system, &mut state).unwrap();
    println!("{by} {report:?} {:?}", statics.solver().counters());
    (state, statics.solver().counters())
}

#[test]
fn a_push_that_would_invert_the_first_layer_is_shared_by_all() {
    // Elements at the end are 1/6 long: moved by 0.3 alone they would be inside out.
    let (at_once, counters) = solve(0.3, 1.0);
    assert!(counters.solves == 1 && counters.iterations <= 4, "{counters:?}");
    let (in_parts, _) = solve(0.3, 0.05);
    let error = distance(&at_once.x, &in_parts.x);
    assert!(error < 1e-8, "{error:e}");
}

#[test]
fn a_stiffness_that_is_not_definite_is_projected() {
    // Squeezed by more than stays definite on the way.
    let (_, counters) = solve(0.7, 1.0);
    assert!(counters.jacobians_projected > 0, "{counters:?}");
    assert!(counters.jacobians_projected < counters.iterations, "{counters:?}");
}

fn swinging() -> (System, State) {
    let (system, mut state) = Body::bar("neo-hookean", [4, 1, 1], 0.3).clamped().system();
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [0.1 * x[0], -0.8 * x[0] * x[0], 0.6 * x[0] * (x[1] - 0.1)];
    }
    (system, state)
}

#[test]
fn one_iteration_is_the_semi_implicit_method() {
    // M (v₁ − v₀)/h + g(x₀) + K(x₀) (x₁ − x₀) = 0 with x₁ = x₀ + h v₁.
    let (mut system, mut state) = swinging();
    let options = Options { solver: cholesky(), ..Options::semi_implicit() };
    let mut integrator = IntegratorName::BackwardEuler.build(&options).unwrap();
    let h = 0.02;
    for _ in 0..5 {
        let before = state.clone();
        integrator.step(&mut system, &mut state, h).unwrap();
        let n = state.len();
        let place = before.configuration();
        let mut g = vec![[0.0; 3]; n];
        let scale = system.forces(&place, &mut g, false).unwrap().largest.max(1.0);
        let mut k = BlockMatrix::zero(system.pattern().clone());
        let weights = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
        system.tangent(&place, weights, false, &mut k).unwrap();
        let minus = |a: &[Vec3], b: &[Vec3], s: f64| -> Vec<Vec3> {
            a.iter().zip(b).map(|(a, b)| std::array::from_fn(|k| s * (a[k] - b[k]))).collect()
        };
        let (mut stiff, mut inertia) = (g.clone(), g.clone());
        Product::new(system.pattern()).apply(
            &k.values,
            &minus(&state.x, &before.x, 1.0),
            &mut stiff,
        );
        system.multiply_mass(&minus(&state.v, &before.v, 1.0 / h), &mut inertia);
        for i in 0..n {
            g[i] = std::array::from_fn(|c| g[i][c] + stiff[i][c] + inertia[i][c]);
        }
        system.constraints().filter(&mut g);
        let error = distance(&g, &vec![[0.0; 3]; n]) / scale;
        assert!(error < 1e-11, "{error:e}");
    }
    let counters = integrator.counters();
    assert_eq!((counters.iterations, counters.jacobians), (5, 5));
}

#[test]
fn a_kept_jacobian_serves_many_steps() {
    let run = |form: Form| {
        let (mut system, mut state) = swinging();
        let newton = NewtonSettings { form, force_tolerance: 1e-10, ..NewtonSettings::default() };
        let options = Options { newton, ..strict() };
        let mut integrator = IntegratorName::Trapezoidal.build(&options).unwrap();
        for _ in 0..50 {
            integrator.step(&mut system, &mut state, 0.002).unwrap();
        }
        (state, integrator.counters())
    };
    let (full, all) = run(Form::Full);
    let (kept, few) = run(Form::Simplified { slowest: 0.3 });
    println!("{all:?}\n{few:?}");
    assert!(distance(&full.x, &kept.x) < 1e-10);
    assert!(4 * few.jacobians < all.jacobians, "{few:?} {all:?}");
    assert_eq!(few.jacobians, few.jacobians_first + few.jacobians_slow + few.jacobians_worse);
}

/// A bar pressed to a tenth bulges and folds on the way; the stiffness is often not definite.
#[test]
fn a_bar_is_pressed_to_a_tenth_of_its_length() {
    let (_, counters) = solve(0.9, 0.1);
    // 252 in 13 load steps.
    assert!(counters.iterations < 300 && counters.jacobians_regularised == 0, "{counters:?}");
}

/// Strains of 1e-8: forces are rounded to more than the tolerance asks for, and the energy tells nothing.
#[test]
fn a_tolerance_below_rounding_ends_at_rounding() {
    let body = Body::bar("neo-hookean", [6, 2, 2], 0.4).clamped();
    let loads: Vec<(u32, Vec3)> = body.at_x(1.0).iter().map(|&v| (v, [0.0, -1e-6, 0.0])).collect();
    let load = DeadLoad::points(&body.rest, &loads, TimeCurve::default()).unwrap();
    let (mut system, mut state) = body.with_model(Role::Load, Box::new(load)).system();
    let settings = NewtonSettings { force_tolerance: 1e-14, ..NewtonSettings::default() };
    let newton = Newton::new(settings, cholesky().build().unwrap()).unwrap();
    let mut statics = Statics::new(Box::new(newton), StaticSettings::default()).unwrap();
    let report = statics.solve(&mut system, &mut state).unwrap();
    assert!(report.cuts == 0 && report.iterations <= 5, "{report:?}");
    assert!(report.residual < 1e-7 * report.scale, "{report:?}");
}

/// A body that is turned inside out springs back through itself. Its damping has no energy, but a potential of the
/// velocities: steps are shortened until the sum of both falls. By the residual alone Newton gets stuck on the way.
#[test]
fn a_damped_body_inside_out_springs_back() {
    for (name, h) in [
        (IntegratorName::BackwardEuler, 0.1),
        (IntegratorName::ImplicitMidpoint, 0.04),
        (IntegratorName::Newmark, 0.04),
        (IntegratorName::Bdf2, 0.04),
    ] {
        let body = Body::bar("stable-neo-hookean", [4, 2, 2], 0.45).clamped();
        let damping = LinearDamping::mass_proportional(&body.masses, 3.0).unwrap();
        let (mut system, mut state) = body.with_model(Role::Damping, Box::new(damping)).system();
        for x in &mut state.x {
            x[0] = -x[0];
        }
        let newton = NewtonSettings { max_iterations: 200, ..strict().newton };
        let mut integrator = name.build(&Options { newton, ..strict() }).unwrap();
        for step in 0..5 {
            if let Err(error) = integrator.step(&mut system, &mut state, h) {
                panic!("{} in step {step}: {error}", name.name());
            }
        }
        println!("{} {:?}", name.name(), integrator.counters());
    }
}
