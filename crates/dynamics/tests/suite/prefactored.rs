//! Explicit methods with damping in the matrix: central differences with a kept factor, and the explicit Newmark
//! method on steps T/2^i.

use crate::common;

use common::{Body, distance, strict};
use pliant_algebra::sparse::BlockMatrix;
use pliant_dynamics::integrators::{CentralDifferences, ExplicitNewmark};
use pliant_dynamics::{
    DynamicsError, Explicit, Integrator, IntegratorName, Mass, Method, Motion, Options, Role,
    State, System, critical_step,
};
use pliant_forces::damping::LinearDamping;
use pliant_forces::loads::TimeCurve;
use pliant_forces::{
    Ask, Character, Configuration, ForceError, ForceModel, Slots, TimeDependence, Workspace,
};

/// g = c |v|² v at every vertex: D depends on the state.
struct Cubic(f64, Vec<u32>);

impl ForceModel for Cubic {
    fn name(&self) -> &'static str {
        "cubic damping"
    }
    fn character(&self) -> Character {
        Character::DAMPING
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        (0..self.1.len() as u32).for_each(|i| couple(i, i));
    }
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        for (i, place) in self.1.iter_mut().enumerate() {
            *place = slots.get(i as u32, i as u32)?.index();
        }
        Ok(())
    }
    fn evaluate(
        &self,
        state: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        for (i, v) in state.v.iter().enumerate() {
            let square: f64 = v.iter().map(|c| c * c).sum();
            if let Some(g) = ask.gradient.as_deref_mut() {
                (0..3).for_each(|k| g[i][k] += self.0 * square * v[k]);
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                let block = &mut tangent[self.1[i] as usize];
                for r in 0..3 {
                    for c in 0..3 {
                        let d = if r == c { square } else { 0.0 } + 2.0 * v[r] * v[c];
                        block[3 * r + c] += ask.velocity_weight * self.0 * d;
                    }
                }
            }
        }
        Ok(())
    }
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

/// A swinging bar with the consistent mass and one of two dampings; its support may be driven.
fn swinging(cubic: bool, driven: bool) -> (System, State) {
    let mut body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let end = body.at_x(0.0);
    let motion = if driven {
        let curve = TimeCurve::Ramp { start: -1.0, end: 1.0, from: -1.0, to: 1.0 };
        Motion::Rotation { centre: [0.0, 0.1, 0.1], axis: [1.0, 0.0, 0.0], curve }
    } else {
        Motion::Still
    };
    body.constraints.drive(&end, &body.rest, motion).unwrap();
    let n = body.rest.len();
    let damping: Box<dyn ForceModel> = if cubic {
        Box::new(Cubic(20.0, vec![0; n]))
    } else {
        Box::new(LinearDamping::mass_proportional(&body.masses, 6.0).unwrap())
    };
    let (system, mut state) = body.with_model(Role::Damping, damping).consistent_system();
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [0.1 * x[0], -0.8 * x[0] * x[0], 0.6 * x[0] * (x[1] - 0.1)];
    }
    system.constraints().impose_velocities(0.0, &mut state.v);
    (system, state)
}

fn run(mut method: Box<dyn Integrator>, steps: usize, cubic: bool, driven: bool) -> State {
    let (mut system, mut state) = swinging(cubic, driven);
    for _ in 0..steps {
        method.step(&mut system, &mut state, 0.12 / steps as f64).unwrap();
    }
    state
}

fn orders(make: impl Fn() -> Box<dyn Integrator>, cubic: bool, driven: bool) -> Vec<f64> {
    let reference =
        run(IntegratorName::DormandPrince853.build(&strict()).unwrap(), 300, cubic, driven);
    let errors: Vec<f64> = (0..5)
        .map(|k| {
            let end = run(make(), 80 << k, cubic, driven);
            distance(&end.x, &reference.x).max(distance(&end.v, &reference.v))
        })
        .collect();
    println!("{errors:?}");
    errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect()
}

#[test]
fn central_differences_keep_order_two_with_a_kept_factor_and_the_consistent_mass() {
    for (cubic, driven, period) in
        [(false, false, 1), (false, true, 1), (true, false, 1), (true, true, 1), (true, true, 5)]
    {
        let options = Options { refactor_every: period, ..strict() };
        let make = || IntegratorName::CentralDifferences.build(&options).unwrap();
        let orders = orders(make, cubic, driven);
        assert!((orders[3] - 2.0).abs() < 0.1, "{cubic} {driven} {period}: {orders:.3?}");
    }
    assert!(matches!(CentralDifferences::refactored_every(0), Err(DynamicsError::Setting { .. })));
}

#[test]
fn explicit_newmark_has_order_two_with_constant_damping() {
    for driven in [false, true] {
        let make = || -> Box<dyn Integrator> { Box::new(Explicit::new(ExplicitNewmark::new())) };
        let orders = orders(make, false, driven);
        assert!((orders[3] - 2.0).abs() < 0.1, "{driven}: {orders:.3?}");
    }
}

#[test]
fn explicit_newmark_is_central_differences_where_the_step_is_stable_and_halves_it_where_not() {
    let (mut system, start) = swinging(false, false);
    let limit =
        critical_step(&mut system, &start, IntegratorName::CentralDifferences).unwrap().step;
    for (factor, parts) in [(0.7, 1), (1.4, 2), (1.9, 4), (3.0, 4), (12.0, 16)] {
        let h = factor * limit;
        let (mut system, mut state) = swinging(false, false);
        let mut method = Explicit::new(ExplicitNewmark::new());
        method.step(&mut system, &mut state, h).unwrap();
        let counts = method.step_counts().unwrap();
        assert_eq!(counts.accepted, parts, "{factor}");
        assert!((counts.largest - h / parts as f64).abs() < 1e-15);
        let (mut system, mut other) = swinging(false, false);
        let mut central = IntegratorName::CentralDifferences.build(&strict()).unwrap();
        for _ in 0..parts {
            central.step(&mut system, &mut other, h / parts as f64).unwrap();
        }
        let apart = distance(&state.x, &other.x).max(distance(&state.v, &other.v));
        assert!(apart < 1e-12, "{factor}: {apart:e}");
    }
}

#[test]
fn explicit_newmark_stays_stable_at_any_step_and_refuses_what_is_hopeless() {
    let (mut system, mut state) = swinging(false, false);
    let mut method = IntegratorName::ExplicitNewmark.build(&Options::default()).unwrap();
    for _ in 0..20 {
        method.step(&mut system, &mut state, 0.1).unwrap();
    }
    let found = system.energies(&state).unwrap().total();
    let (mut other, mut exact) = swinging(false, false);
    let mut reference = IntegratorName::DormandPrince5.build(&strict()).unwrap();
    for _ in 0..1000 {
        reference.step(&mut other, &mut exact, 0.002).unwrap();
    }
    let expected = other.energies(&exact).unwrap().total();
    assert!((found - expected).abs() < 0.01 * expected, "{found:e} {expected:e}");
    let before = state.clone();
    let error = method.step(&mut system, &mut state, 1000.0).unwrap_err().to_string();
    assert!(error.contains("down to 1/4096"), "{error}");
    assert_eq!(state, before);
}

/// A spring along y that is stiff in the first half of a second only.
struct Fading(u32);

impl ForceModel for Fading {
    fn name(&self) -> &'static str {
        "fading spring"
    }
    fn character(&self) -> Character {
        Character { time: TimeDependence::Unknown, ..Character::POTENTIAL }
    }
    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        couple(0, 0);
    }
    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.0 = slots.get(0, 0)?.index();
        Ok(())
    }
    fn evaluate(
        &self,
        state: &Configuration<'_>,
        ask: &mut Ask<'_>,
        _: &mut Workspace,
    ) -> Result<(), ForceError> {
        let k = if state.time < 0.5 { 1e4 } else { 1e-2 };
        if let Some(g) = ask.gradient.as_deref_mut() {
            g[0][1] += k * state.x[0][1];
        }
        Ok(())
    }
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

#[test]
fn explicit_newmark_lengthens_its_steps_only_where_they_fit_the_grid() {
    let models: Vec<(Role, Box<dyn ForceModel>)> = vec![(Role::Elastic, Box::new(Fading(0)))];
    let system = System::new(&[[0.0; 3]], models).unwrap();
    let mut system = system.with_mass(Mass::Lumped(vec![1.0])).unwrap();
    let mut state = State::new(&[[0.0, 1e-3, 0.0]], &[[3.0, 0.0, 0.0]], 0.0);
    let mut method = Explicit::new(ExplicitNewmark::new());
    method.step(&mut system, &mut state, 1.0).unwrap();
    let counts = method.step_counts().unwrap();
    // ω = 100: steps of 1/64 in the first half; after it longer ones, once the frequency is looked at
    // again after 25 steps or more.
    assert!((counts.smallest - 1.0 / 64.0).abs() < 1e-15, "{counts:?}");
    assert!(counts.largest > 3.0 / 64.0 && counts.accepted < 60, "{counts:?}");
    // All steps together are as long as what was asked for.
    assert!((state.x[0][0] - 3.0).abs() < 1e-14 && state.time == 1.0, "{:?}", state.x);
}

#[test]
fn a_singular_mass_is_refused() {
    let body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let mut state = State::at_rest(&body.rest);
    state.x[3][0] += 0.01;
    let system = System::new(&body.rest, vec![(Role::Elastic, body.elastic())]).unwrap();
    let zero = BlockMatrix::zero(system.pattern().clone());
    let mut system = system.with_mass(Mass::Consistent(zero)).unwrap();
    let before = state.clone();
    for name in [IntegratorName::CentralDifferences, IntegratorName::ExplicitNewmark] {
        let mut method = name.build(&Options::default()).unwrap();
        method.step(&mut system, &mut state, 0.01).unwrap_err();
        assert_eq!(state, before);
    }
}
