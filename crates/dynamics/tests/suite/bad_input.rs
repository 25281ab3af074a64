//! What is refused, and in which words; and that the state survives it.

use crate::common;

use common::Body;
use pliant_dynamics::{
    Acting, DynamicsError, Forcing, Form, IntegratorName, Mass, NewtonSettings, Options, State,
    System,
};

/// A vertex of the free end.
fn free_vertex(system: &System) -> usize {
    system.rest().iter().position(|x| x[0] > 0.99).unwrap()
}

fn body() -> (System, State) {
    Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped().system()
}

#[test]
fn steps_that_are_none_are_refused_by_all() {
    for &name in IntegratorName::ALL {
        let (mut system, mut state) = body();
        let before = state.clone();
        let mut integrator = name.build(&Options::default()).unwrap();
        assert_eq!(integrator.name(), name.name());
        for h in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            let error = integrator.step(&mut system, &mut state, h).unwrap_err();
            assert!(matches!(error, DynamicsError::Step { .. }), "{error}");
        }
        assert_eq!(state, before);
    }
}

#[test]
fn a_state_that_is_not_finite_names_the_vertex() {
    for &name in IntegratorName::ALL {
        let (mut system, mut state) = body();
        let mut integrator = name.build(&Options::default()).unwrap();
        state.v[5][1] = f64::NAN;
        let error = integrator.step(&mut system, &mut state, 0.01).unwrap_err().to_string();
        assert!(error.contains("velocity of vertex 5"), "{error}");
        state.v[5][1] = 0.0;
        state.x.pop();
        let error = integrator.step(&mut system, &mut state, 0.01).unwrap_err().to_string();
        assert!(error.contains("positions, but the system has"), "{error}");
    }
}

#[test]
fn names_are_read_back_and_the_nearest_is_suggested() {
    for &name in IntegratorName::ALL {
        assert_eq!(name.name().parse(), Ok(name));
        assert!(!name.about().is_empty());
    }
    for (wrong, right) in [("backwards-euler", "backward-euler"), ("rk5", "rk4"), ("bdf7", "bdf1")]
    {
        let error = wrong.parse::<IntegratorName>().unwrap_err().to_string();
        assert!(error.contains(&format!("did you mean \"{right}\"?")), "{error}");
    }
}

#[test]
fn settings_outside_their_range_are_refused() {
    let build = |options: &Options, name: IntegratorName| name.build(options).map(|_| ());
    for newton in [
        NewtonSettings { force_tolerance: -1.0, ..NewtonSettings::default() },
        NewtonSettings { force_tolerance: f64::NAN, ..NewtonSettings::default() },
        NewtonSettings { max_iterations: 0, ..NewtonSettings::default() },
        NewtonSettings { form: Form::Simplified { slowest: 1.5 }, ..NewtonSettings::default() },
        NewtonSettings { form: Form::Inexact(Forcing::Constant(0.0)), ..NewtonSettings::default() },
    ] {
        let error = build(&Options { newton, ..Options::default() }, IntegratorName::BackwardEuler);
        assert!(matches!(error, Err(DynamicsError::Setting { .. })), "{newton:?}");
    }
    for newmark in [(0.0, 0.5), (0.25, 0.4), (f64::NAN, 0.5)] {
        let options = Options { newmark, ..Options::default() };
        assert!(build(&options, IntegratorName::Newmark).is_err(), "{newmark:?}");
    }
    let options = Options { spectral_radius: 1.1, ..Options::default() };
    assert!(build(&options, IntegratorName::GeneralizedAlpha).is_err());
}

#[test]
fn a_vertex_without_mass_is_named() {
    let mut body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    body.masses[4] = 0.0;
    let (mut system, mut state) = body.system();
    state.x[4][0] += 0.01;
    let mut integrator = IntegratorName::Verlet.build(&Options::default()).unwrap();
    let error = integrator.step(&mut system, &mut state, 1e-3).unwrap_err().to_string();
    assert!(error.contains("vertex 4 has no mass"), "{error}");
    let error =
        System::new(&[[0.0; 3]], Vec::<Acting>::new()).unwrap().with_mass(Mass::Lumped(vec![-1.0]));
    assert!(error.err().unwrap().to_string().contains("mass of vertex 0 = -1"));
}

#[test]
fn a_step_that_blows_up_keeps_the_state_and_says_where() {
    let (mut system, mut state) = body();
    let v = free_vertex(&system);
    state.v[v] = [-300.0, 0.0, 0.0];
    let mut integrator = IntegratorName::Verlet.build(&Options::default()).unwrap();
    let before = state.clone();
    let error = integrator.step(&mut system, &mut state, 0.01).unwrap_err();
    assert_eq!(state, before);
    let text = error.to_string();
    assert!(
        text.contains(&format!("fastest vertex {v}: 3.000e2 m/s")) && text.contains("inverted"),
        "{text}"
    );
}

#[test]
fn newton_that_does_not_converge_keeps_the_state_and_gives_its_numbers() {
    let (mut system, mut state) = body();
    state.v[free_vertex(&system)] = [-5.0, 0.0, 0.0];
    let newton =
        NewtonSettings { max_iterations: 1, force_tolerance: 1e-12, ..NewtonSettings::default() };
    let mut integrator =
        IntegratorName::BackwardEuler.build(&Options { newton, ..Options::default() }).unwrap();
    let before = state.clone();
    let error = integrator.step(&mut system, &mut state, 0.02).unwrap_err();
    assert_eq!(state, before);
    let DynamicsError::Failed { cause, .. } = error else { panic!("{error}") };
    let DynamicsError::NotConverged { iterations, residual, wanted, .. } = *cause else {
        panic!("{cause}")
    };
    assert!(iterations == 1 && residual > wanted && wanted > 0.0);
}
