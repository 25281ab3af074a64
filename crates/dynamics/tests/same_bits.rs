//! The same bits on every run, at every number of threads, and after a checkpoint.

mod common;

use common::Body;
use pliant_dynamics::Role;
use pliant_dynamics::{Form, IntegratorName, NewtonSettings, Options, State, StepControl, System};
use pliant_forces::damping::LinearDamping;
use pliant_solvers::{Choice, SolverName};

fn swinging(damped: bool) -> (System, State) {
    let mut body =
        Body::bar("neo-hookean", [6, 2, 2], 0.4).with_gravity([0.0, -9.81, 0.0]).clamped();
    if damped {
        let damping = LinearDamping::mass_proportional(&body.masses, 0.5).unwrap();
        body = body.with_model(Role::Damping, Box::new(damping));
    }
    body.system()
}

fn steps(
    name: IntegratorName,
    options: &Options,
    system: &mut System,
    state: &mut State,
    count: usize,
) {
    steps_of(name, options, system, state, count, 0.004);
}

fn steps_of(
    name: IntegratorName,
    options: &Options,
    system: &mut System,
    state: &mut State,
    count: usize,
    h: f64,
) {
    let mut integrator = name.build(options).unwrap();
    for _ in 0..count {
        integrator.step(system, state, h).unwrap();
    }
}

#[test]
fn the_same_bits_at_one_two_and_three_threads() {
    for solver in [SolverName::Cholesky, SolverName::Cg] {
        let options =
            Options { solver: Choice { solver, ..Choice::default() }, ..Options::default() };
        for &name in IntegratorName::ALL {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let (mut system, mut state) = swinging(name != IntegratorName::Verlet);
                    steps(name, &options, &mut system, &mut state, 6);
                    state.to_bytes()
                })
            };
            let one = run(1);
            assert!(one == run(2) && one == run(3), "{} with {}", name.name(), solver.name());
        }
    }
}

#[test]
fn steps_that_are_chosen_are_the_same_at_every_number_of_threads() {
    use IntegratorName as I;
    let control = Some(StepControl::with_tolerance(1e-6));
    let options = Options { control, ..Options::default() };
    for name in [I::DormandPrince5, I::DormandPrince853, I::Rkc2, I::Rock2] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut system, mut state) = swinging(true);
                steps(name, &options, &mut system, &mut state, 6);
                state.to_bytes()
            })
        };
        let one = run(1);
        assert!(one == run(1) && one == run(2) && one == run(3), "{}", name.name());
    }
}

#[test]
fn step_control_is_forgotten_at_a_checkpoint_so_that_both_runs_are_the_same() {
    use IntegratorName as I;
    let control = Some(StepControl::with_tolerance(1e-6));
    let options = Options { control, ..Options::default() };
    for name in [I::DormandPrince5, I::DormandPrince853, I::Rkc2, I::Rock2, I::Bdf2, I::Bdf3] {
        let (mut system, mut state) = swinging(true);
        let mut integrator = name.build(&options).unwrap();
        for _ in 0..3 {
            integrator.step(&mut system, &mut state, 0.01).unwrap();
        }
        integrator.forget();
        let mut restored = State::from_bytes(&state.to_bytes()).unwrap();
        for _ in 0..3 {
            integrator.step(&mut system, &mut state, 0.01).unwrap();
        }
        let (mut system, _) = swinging(true);
        steps_of(name, &options, &mut system, &mut restored, 3, 0.01);
        assert!(restored.to_bytes() == state.to_bytes(), "{}", name.name());
    }
}

#[test]
fn a_run_from_a_checkpoint_is_the_run_without() {
    for &name in IntegratorName::ALL {
        let (mut system, mut state) = swinging(name != IntegratorName::Verlet);
        let options = Options::default();
        steps(name, &options, &mut system, &mut state, 8);
        let bytes = state.to_bytes();
        let mut restored = State::from_bytes(&bytes).unwrap();
        assert_eq!(restored, state);
        steps(name, &options, &mut system, &mut state, 4);
        // As another process would: a system of its own.
        let (mut system, _) = swinging(name != IntegratorName::Verlet);
        steps(name, &options, &mut system, &mut restored, 4);
        assert!(restored.to_bytes() == state.to_bytes(), "{}", name.name());
    }
}

#[test]
fn a_kept_jacobian_is_forgotten_at_a_checkpoint_so_that_both_runs_are_the_same() {
    let newton =
        NewtonSettings { form: Form::Simplified { slowest: 0.3 }, ..NewtonSettings::default() };
    let options = Options { newton, ..Options::default() };
    for &name in IntegratorName::ALL {
        let (mut system, mut state) = swinging(name != IntegratorName::Verlet);
        let mut integrator = name.build(&options).unwrap();
        let mut go_on = |system: &mut System, state: &mut State, count: usize| {
            for _ in 0..count {
                integrator.step(system, state, 0.001).unwrap();
            }
            let jacobians = integrator.counters().jacobians;
            integrator.forget();
            jacobians
        };
        let made = go_on(&mut system, &mut state, 10);
        let mut restored = State::from_bytes(&state.to_bytes()).unwrap();
        let more = go_on(&mut system, &mut state, 5) - made;
        let (mut system, _) = swinging(name != IntegratorName::Verlet);
        let mut integrator = name.build(&options).unwrap();
        for _ in 0..5 {
            integrator.step(&mut system, &mut restored, 0.001).unwrap();
        }
        assert!(restored.to_bytes() == state.to_bytes(), "{}", name.name());
        assert_eq!(integrator.counters().jacobians, more, "{}", name.name());
    }
}

#[test]
fn bytes_that_are_no_checkpoint_are_refused() {
    let (_, state) = swinging(false);
    let bytes = state.to_bytes();
    for cut in [0, 7, 8, 39, 40, 48, bytes.len() - 8, bytes.len() - 1] {
        let error = State::from_bytes(&bytes[..cut]).unwrap_err().to_string();
        assert!(error.contains("not a checkpoint"), "{error}");
    }
    let mut many = bytes.clone();
    many[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    State::from_bytes(&many).unwrap_err();
    let mut other = bytes;
    other[0] = b'x';
    State::from_bytes(&other).unwrap_err();
}
