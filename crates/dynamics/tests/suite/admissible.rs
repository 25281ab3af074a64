//! Laws that need J > 0 bound the steps of nonlinear solvers: forces are asked for at no inverted configuration.

use crate::common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::Body;
use pliant_dynamics::{
    DynamicsError, IntegratorName, Motion, Options, Role, State, StaticMethod, StaticOptions,
    System,
};
use pliant_forces::loads::TimeCurve;
use pliant_forces::{Ask, Character, Configuration, ForceError, ForceModel, Slots, Workspace};

/// Exerts nothing, and remembers the smallest J of all configurations that forces were asked for at.
struct Spy {
    body: Box<dyn ForceModel>,
    least: Arc<AtomicU64>,
}

impl ForceModel for Spy {
    fn name(&self) -> &'static str {
        "spy"
    }
    fn character(&self) -> Character {
        Character::POTENTIAL
    }
    fn couplings(&self, _: &mut dyn FnMut(u32, u32)) {}
    fn bind(&mut self, _: &Slots<'_>) -> Result<(), ForceError> {
        Ok(())
    }
    fn evaluate(
        &self,
        at: &Configuration<'_>,
        _: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        let here = self.body.worst(at.x).unwrap().jacobian;
        let least = f64::from_bits(self.least.load(Ordering::Relaxed)).min(here);
        self.least.store(least.to_bits(), Ordering::Relaxed);
        Ok(())
    }
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

/// A bar that is watched before its law sees a configuration.
fn watched(mut body: Body) -> (System, State, Arc<AtomicU64>) {
    let least = Arc::new(AtomicU64::new(f64::INFINITY.to_bits()));
    let spy = Spy { body: body.elastic(), least: least.clone() };
    body.models.insert(0, (Role::Other, Box::new(spy)));
    let (system, state) = body.system();
    (system, state, least)
}

fn bar() -> Body {
    Body::bar("neo-hookean", [6, 2, 2], 0.3)
}

#[test]
fn no_trial_of_a_static_method_is_inverted() {
    let mut bounded = 0;
    // Far from rest: whole steps of Newton would turn elements inside out.
    for (name, stretch) in
        [("newton", 2.0), ("newton", 4.0), ("newton", 8.0), ("nonlinear-cg", 4.0)]
    {
        let (mut system, mut state, least) = watched(bar().clamped());
        for x in &mut state.x {
            *x = [stretch * x[0], x[1] + 0.5 * x[0] * x[0], x[2] + 0.2 * x[0] * x[1]];
        }
        system.constraints().impose_positions(0.0, &mut state.x);
        let method: StaticMethod = name.parse().unwrap();
        let mut statics = method.statics(&StaticOptions::default()).unwrap();
        let solved = statics.solve(&mut system, &mut state);
        let inversions = statics.solver().counters().inversions;
        let least = f64::from_bits(least.load(Ordering::Relaxed));
        println!(
            "{name} from {stretch}: bounded {inversions} times, least J {least:e}: {solved:?}"
        );
        assert!(least > 0.0, "{name}: {least:e}");
        bounded += inversions;
    }
    assert!(bounded > 0, "the bound was never met");
}

#[test]
fn no_trial_of_a_step_is_inverted() {
    let (mut system, mut state, least) = watched(bar().clamped());
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [-20.0 * x[0], 8.0 * x[0] * x[0], 0.0];
    }
    system.constraints().impose_velocities(0.0, &mut state.v);
    let mut integrator = IntegratorName::BackwardEuler.build(&Options::default()).unwrap();
    for _ in 0..10 {
        integrator.step(&mut system, &mut state, 0.02).unwrap();
    }
    let least = f64::from_bits(least.load(Ordering::Relaxed));
    let inversions = integrator.counters().inversions;
    println!("bounded {inversions} times, smallest J {least:e}");
    assert!(least > 0.0, "{least:e}");
}

#[test]
fn a_support_that_crushes_the_body_within_a_step_is_an_error_that_a_shorter_step_may_cure() {
    // One end is driven through the other within a step: no first guess is admissible.
    let mut body = bar().clamped();
    let driven = body.at_x(1.0);
    let curve = TimeCurve::Ramp { start: 0.0, end: 0.02, from: 0.0, to: 1.0 };
    let motion = Motion::Translation { direction: [-2.5, 0.0, 0.0], curve };
    body.constraints.drive(&driven, &body.rest, motion).unwrap();
    let (mut system, mut state, _) = watched(body);
    let before = state.clone();
    let mut integrator = IntegratorName::BackwardEuler.build(&Options::default()).unwrap();
    let error = integrator.step(&mut system, &mut state, 0.02).unwrap_err();
    assert!(state.x == before.x && state.time == before.time);
    let DynamicsError::Failed { cause, .. } = &error else { panic!("{error}") };
    let inverted = matches!(**cause, DynamicsError::Force(ForceError::Inverted { .. }));
    assert!(inverted && error.shorter_step_may_help(), "{error}");
}
