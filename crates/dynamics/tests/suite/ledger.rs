//! The balance of energy closes.

use crate::common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Body, strict};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{Balance, IntegratorName, Ledger, Motion, Role, State, System};
use pliant_forces::damping::LinearDamping;
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::{Ask, Character, Configuration, ForceError, ForceModel, Slots, Workspace};

fn run(system: &mut System, state: &mut State, steps: usize, end: f64) -> Balance {
    let mut integrator = IntegratorName::ImplicitMidpoint.build(&strict()).unwrap();
    let mut ledger = Ledger::new(system, state).unwrap();
    for _ in 0..steps {
        integrator.step(system, state, end / steps as f64).unwrap();
        ledger.record(system, state).unwrap();
    }
    ledger.balance()
}

#[test]
fn nothing_is_missing_where_everything_is_linear() {
    // Gravity, a dead load and linear damping on a linear body: the trapezoidal rule is exact.
    let body = Body::bar("linear", [3, 1, 1], 0.3).with_gravity([0.0, -1.0, 0.0]).clamped();
    let end = body.at_x(1.0);
    let loads: Vec<(u32, Vec3)> = end.iter().map(|&v| (v, [2.0, 0.0, 8.0])).collect();
    let load = DeadLoad::points(&body.rest, &loads, TimeCurve::default()).unwrap();
    let damping = LinearDamping::mass_proportional(&body.masses, 2.0).unwrap();
    let (mut system, mut state) = body
        .with_model(Role::Load, Box::new(load))
        .with_model(Role::Damping, Box::new(damping))
        .system();
    let balance = run(&mut system, &mut state, 100, 0.5);
    println!("{balance:?}");
    let size = balance.energies.elastic;
    assert!(size > 0.0 && balance.energies.kinetic > 0.0 && balance.energies.gravity < 0.0);
    assert!(balance.dissipated > 0.1 * size && balance.external_work > 0.1 * size);
    assert!(balance.numerical_loss.abs() < 1e-12 * size, "{balance:?}");
    assert_eq!(balance.energies.load, 0.0);
}

#[test]
fn a_body_damped_by_its_own_stiffness_shows_its_elastic_energy() {
    let balance = |steps: usize| {
        let mut body = Body::bar("neo-hookean", [3, 1, 1], 0.3).with_gravity([0.0, -2.0, 0.0]);
        let end = body.at_x(0.0);
        body.constraints.fix(&end, &body.rest).unwrap();
        let damping = LinearDamping::mass_proportional(&body.masses, 1.0).unwrap();
        let (mut system, mut state) =
            body.with_model(Role::Damping, Box::new(damping)).damped(4e-3).system();
        run(&mut system, &mut state, steps, 0.2)
    };
    let (coarse, fine) = (balance(100), balance(200));
    println!("{coarse:?}\n{fine:?}");
    let size = fine.energies.elastic;
    assert!(size > 0.05 * fine.energies.gravity.abs(), "{fine:?}");
    assert!(fine.dissipated > 0.05 * size, "{fine:?}");
    // The elastic force is in the balance as an energy, not as a work: what is missing is of order 2.
    assert!(fine.numerical_loss.abs() < 1e-7 * size, "{fine:?}");
    assert!(coarse.numerical_loss.abs() > 3.0 * fine.numerical_loss.abs(), "{coarse:?}");
}

#[test]
fn the_work_of_a_support_that_moves_is_found_to_second_order() {
    let lost = |steps: usize| {
        let mut body = Body::bar("neo-hookean", [3, 1, 1], 0.3);
        let end = body.at_x(0.0);
        // Starts and ends gently, as a jump of velocity would need an impulse.
        let shake = Motion::Function(std::sync::Arc::new(|anchor: Vec3, t: f64| {
            let w = 20.0_f64;
            let y = 0.02 * (1.0 - (w * t).cos());
            pliant_dynamics::Moment {
                x: [anchor[0], anchor[1] + y, anchor[2]],
                v: [0.0, 0.02 * w * (w * t).sin(), 0.0],
                a: [0.0, 0.02 * w * w * (w * t).cos(), 0.0],
            }
        }));
        body.constraints.drive(&end, &body.rest, shake).unwrap();
        let (mut system, mut state) = body.system();
        let balance = run(&mut system, &mut state, steps, 0.1);
        assert!(balance.external_work > 0.1 * balance.energies.total(), "{balance:?}");
        balance.numerical_loss.abs() / balance.external_work
    };
    let (coarse, fine) = (lost(50), lost(100));
    println!("{coarse:e} {fine:e}");
    assert!(fine < 1e-3 && coarse / fine > 3.5, "{coarse:e} {fine:e}");
}

/// A step ends where its solver has looked last: entering it in the balance asks no elastic model again, and gives what a
/// system gives that has seen nothing.
#[test]
fn what_the_solver_has_seen_is_not_evaluated_again() {
    let evaluations = Arc::new(AtomicUsize::new(0));
    let counted = |counts: bool| {
        let mut body =
            Body::bar("st-venant-kirchhoff", [3, 1, 1], 0.3).with_gravity([0.0, -2.0, 0.0]);
        let end = body.at_x(0.0);
        body.constraints.fix(&end, &body.rest).unwrap();
        if counts {
            let elastic = body.elastic();
            body.models[0].1 =
                Box::new(Counted { model: elastic, evaluations: evaluations.clone() });
        }
        body.damped(4e-3).system()
    };
    let (mut system, mut state) = counted(true);
    let mut integrator = IntegratorName::BackwardEuler.build(&strict()).unwrap();
    let mut ledger = Ledger::new(&mut system, &state).unwrap();
    for _ in 0..5 {
        integrator.step(&mut system, &mut state, 0.01).unwrap();
        let before = evaluations.load(Ordering::Relaxed);
        let balance = ledger.record(&mut system, &state).unwrap();
        assert_eq!(evaluations.load(Ordering::Relaxed), before);
        let (mut other, _) = counted(false);
        let energies = other.energies(&state).unwrap();
        assert_eq!(energies.elastic, balance.energies.elastic);
        assert!(energies.elastic > 0.0);
    }
    // What was seen elsewhere, or of models that were changed since, does not count.
    let before = evaluations.load(Ordering::Relaxed);
    let moved: Vec<Vec3> = state.x.iter().map(|x| [1.01 * x[0], x[1], x[2]]).collect();
    let elsewhere = State::new(&moved, &state.v, state.time);
    assert!(system.energies(&elsewhere).unwrap().elastic != ledger.balance().energies.elastic);
    system.models_mut().for_each(drop);
    system.energies(&state).unwrap();
    assert_eq!(evaluations.load(Ordering::Relaxed), before + 2);
}

/// Counts how often a model is evaluated.
struct Counted {
    model: Box<dyn ForceModel>,
    evaluations: Arc<AtomicUsize>,
}

impl ForceModel for Counted {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stable_step(&self, at: &Configuration<'_>, masses: &[f64]) -> f64 {
        self.model.stable_step(at, masses)
    }

    fn character(&self) -> Character {
        self.model.character()
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.model.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.model.bind(slots)
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        self.model.evaluate(at, ask, work)
    }
}
