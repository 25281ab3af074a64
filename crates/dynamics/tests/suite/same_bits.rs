//! The same bits on every run, at every number of threads, and after a checkpoint.

use crate::common;

use common::Body;
use pliant_dynamics::Role;
use pliant_dynamics::{
    Form, Integrator, IntegratorName, NewtonSettings, Options, State, StepControl, System,
};
use pliant_forces::damping::LinearDamping;
use pliant_sections::Sections;
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
    let mut integrator = name.build(options).unwrap();
    for _ in 0..count {
        integrator.step(system, state, 0.004).unwrap();
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

/// As a run and its checkpoint would: another process has a system and a method of its own.
fn go_on_from_a_checkpoint(name: IntegratorName, options: &Options, h: f64, steps: [usize; 2]) {
    let damped = name != IntegratorName::Verlet;
    let (mut system, mut state) = swinging(damped);
    let mut integrator = name.build(options).unwrap();
    let go = |integrator: &mut Box<dyn Integrator>, system: &mut System, state: &mut State, n| {
        for _ in 0..n {
            integrator.step(system, state, h).unwrap();
        }
    };
    go(&mut integrator, &mut system, &mut state, steps[0]);
    let mut sections = Sections::new();
    state.save(&mut sections);
    integrator.save(&mut sections);
    let bytes = sections.to_bytes();
    let made = integrator.counters();
    go(&mut integrator, &mut system, &mut state, steps[1]);

    let sections = Sections::from_bytes(&bytes).unwrap();
    let (mut system, _) = swinging(damped);
    let mut restored = State::load(&sections).unwrap();
    let mut other = name.build(options).unwrap();
    other.load(&sections, &system).unwrap();
    go(&mut other, &mut system, &mut restored, steps[1]);
    assert!(restored.to_bytes() == state.to_bytes(), "{} {options:?}", name.name());
    // An estimate that is made again would cost evaluations, and may happen to give the same steps.
    let (all, found) = (integrator.counters(), other.counters());
    assert_eq!(found.jacobians, all.jacobians - made.jacobians, "{} {options:?}", name.name());
    assert_eq!(found.residuals, all.residuals - made.residuals, "{} {options:?}", name.name());
}

#[test]
fn a_run_from_a_checkpoint_is_the_run_without() {
    for &name in IntegratorName::ALL {
        go_on_from_a_checkpoint(name, &Options::default(), 0.004, [8, 4]);
    }
}

#[test]
fn step_control_goes_on_from_a_checkpoint() {
    use IntegratorName as I;
    let control = Some(StepControl::with_tolerance(1e-6));
    let options = Options { control, ..Options::default() };
    for name in [I::DormandPrince5, I::DormandPrince853, I::Rkc2, I::Rock2, I::Bdf2, I::Bdf3] {
        go_on_from_a_checkpoint(name, &options, 0.01, [3, 3]);
    }
}

#[test]
fn a_kept_jacobian_is_kept_across_a_checkpoint() {
    let newton =
        NewtonSettings { form: Form::Simplified { slowest: 0.3 }, ..NewtonSettings::default() };
    let options = Options { newton, ..Options::default() };
    for &name in IntegratorName::ALL {
        go_on_from_a_checkpoint(name, &options, 0.001, [10, 5]);
    }
}

/// Spectral radii are estimated every 25 steps.
#[test]
fn estimates_of_frequencies_are_made_when_they_would_have_been() {
    use IntegratorName as I;
    for name in [I::Rkc2, I::Rock2, I::ExplicitNewmark] {
        go_on_from_a_checkpoint(name, &Options::default(), 0.01, [30, 30]);
    }
}

#[test]
fn bytes_that_are_no_checkpoint_are_refused() {
    let (_, state) = swinging(false);
    let bytes = state.to_bytes();
    for cut in [0, 7, 8, 39, 40, 48, bytes.len() - 8, bytes.len() - 1] {
        let error = State::from_bytes(&bytes[..cut]).unwrap_err().to_string();
        assert!(error.contains("is damaged: cut off"), "{error}");
    }
    let mut many = bytes.clone();
    many[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    State::from_bytes(&many).unwrap_err();
    let mut other = bytes;
    other[0] = b'x';
    State::from_bytes(&other).unwrap_err();
}
