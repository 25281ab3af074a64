//! Static methods by name, what they do where it is hard, and motion without inertia.

use crate::common;

use std::sync::Arc;

use common::{Body, distance, strict};
use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::newton::Converged;
use pliant_dynamics::{
    Acting, CgFormula, CgSearch, DynamicsError, Evaluation, IntegratorName, Iterate, Moment,
    Motion, Newton, NewtonSettings, NonlinearCg, NonlinearCgSettings, NonlinearSolver, Options,
    Problem, Role, State, StaticMethod, StaticOptions, Statics, Stopping, System, TruncatedNewton,
    TruncatedNewtonSettings, blocks_of,
};
use pliant_forces::loads::{DeadLoad, Faces, Pressure, TimeCurve};
use pliant_forces::{Ask, Character, Configuration, ForceError, ForceModel, Slots, Workspace};
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::sums;
use pliant_solvers::{Choice, SolverName};

fn options(tolerance: f64) -> StaticOptions {
    let solver = Choice { solver: SolverName::Cholesky, ..Choice::default() };
    StaticOptions { solver, ..StaticOptions::default() }.with_force_tolerance(tolerance)
}

fn sagging() -> (System, State) {
    Body::bar("neo-hookean", [3, 1, 1], 0.3).with_gravity([0.0, -2.0, 0.0]).clamped().system()
}

#[test]
fn all_methods_find_the_same_state() {
    let (mut system, mut newton) = sagging();
    StaticMethod::Newton.statics(&options(1e-11)).unwrap().solve(&mut system, &mut newton).unwrap();
    let sag = distance(&newton.x, system.rest());
    assert!(sag > 0.05, "{sag}");
    for method in StaticMethod::ALL {
        let (mut system, mut state) = sagging();
        let mut statics = method.statics(&options(1e-9)).unwrap();
        let report = statics.solve(&mut system, &mut state).unwrap();
        println!("{} {report:?} {:?}", method.name(), statics.solver().counters());
        let error = distance(&state.x, &newton.x);
        assert!(error < 1e-6 * sag, "{}: {error:e} of {sag}", method.name());
    }
}

#[test]
fn names_are_read_back_and_the_nearest_is_suggested() {
    for method in StaticMethod::ALL {
        assert_eq!(method.name().parse(), Ok(method));
        assert!(!method.about().is_empty());
    }
    for (wrong, right) in [("newtons", "newton"), ("nonlinear_cg", "nonlinear-cg")] {
        let error = wrong.parse::<StaticMethod>().unwrap_err().to_string();
        assert!(error.contains(&format!("did you mean \"{right}\"?")), "{error}");
        assert!(error.contains("no static method"), "{error}");
    }
}

#[test]
fn settings_outside_their_range_are_refused() {
    for settings in [
        TruncatedNewtonSettings { force_tolerance: 0.0, ..TruncatedNewtonSettings::default() },
        TruncatedNewtonSettings { first_radius: f64::NAN, ..TruncatedNewtonSettings::default() },
        TruncatedNewtonSettings { max_inner: 0, ..TruncatedNewtonSettings::default() },
    ] {
        assert!(TruncatedNewton::new(settings).is_err(), "{settings:?}");
    }
    let settings = NonlinearCgSettings { search_tolerance: 1.5, ..NonlinearCgSettings::default() };
    assert!(NonlinearCg::new(settings).is_err());
}

#[test]
fn every_line_search_and_formula_of_nonlinear_cg_finds_the_state() {
    let (mut system, mut newton) = sagging();
    StaticMethod::Newton.statics(&options(1e-11)).unwrap().solve(&mut system, &mut newton).unwrap();
    for search in [CgSearch::Newton, CgSearch::Secant, CgSearch::ScaleDependentSecant] {
        for formula in [CgFormula::FletcherReeves, CgFormula::PolakRibiere] {
            let mut options = options(1e-9);
            options.nonlinear_cg.search = search;
            options.nonlinear_cg.formula = formula;
            let (mut system, mut state) = sagging();
            let mut statics = StaticMethod::NonlinearCg.statics(&options).unwrap();
            statics.solve(&mut system, &mut state).unwrap();
            let error = distance(&state.x, &newton.x);
            let counters = statics.solver().counters();
            println!("{search:?} {formula:?}: {counters:?}");
            assert!(error < 1e-7, "{search:?} {formula:?}: {error:e}");
            match search {
                CgSearch::Newton => assert!(counters.jacobians > counters.iterations),
                CgSearch::Secant => assert_eq!(counters.jacobians, counters.iterations),
                CgSearch::ScaleDependentSecant => assert_eq!(counters.jacobians, 0),
            }
        }
    }
}

/// Energy ½ yᵀ A y over one vertex plus a quartic, with a Jacobian that can be wrong.
struct Well {
    pattern: Arc<Pattern>,
    /// Second derivatives at 0.
    curvature: Vec3,
    /// Factor of the Jacobian, and whether there is an energy.
    wrong: f64,
    energy: bool,
}

impl Well {
    fn new(curvature: Vec3, wrong: f64, energy: bool) -> Self {
        let pattern = Arc::new(Pattern::symmetric(1, |couple| couple(0, 0)).unwrap());
        Self { pattern, curvature, wrong, energy }
    }
}

impl Problem for Well {
    fn shape(&self) -> Shape {
        Shape::Blocks(self.pattern.clone())
    }
    fn positions(&self) -> Option<&[Vec3]> {
        Some(&[[0.0; 3]])
    }
    fn size(&self) -> f64 {
        1.0
    }
    fn residual(&mut self, y: &[f64], r: &mut [f64]) -> Result<Evaluation, ForceError> {
        let c = self.curvature;
        for k in 0..3 {
            r[k] = c[k] * y[k] + y[k] * y[k] * y[k];
        }
        let energy: f64 = (0..3).map(|k| y[k] * y[k] * (0.5 * c[k] + 0.25 * y[k] * y[k])).sum();
        let energy = self.energy.then_some((energy, energy.abs() + 1.0));
        Ok(Evaluation { scale: 1.0, energy, rows: 0.0 })
    }
    fn jacobian(&mut self, y: &[f64], _: bool, matrix: &mut Matrix) -> Result<(), ForceError> {
        matrix.clear();
        let matrix = blocks_of(matrix)?;
        for k in 0..3 {
            let exact = self.curvature[k] + 3.0 * y[k] * y[k];
            matrix.values[0][4 * k] = self.wrong * exact;
        }
        Ok(())
    }
    fn linearize(
        &mut self,
        y: &[f64],
        r: &mut [f64],
        matrix: &mut Matrix,
    ) -> Result<Evaluation, ForceError> {
        self.jacobian(y, false, matrix)?;
        self.residual(y, r)
    }
    fn weights(&self) -> [f64; 3] {
        [0.0, 1.0, 0.0]
    }
    fn longest_move(&mut self, _: &[f64], d: &[f64]) -> f64 {
        sums::norm(d)
    }
    fn admissible(&mut self, _: &[f64], _: &[f64], limit: f64) -> Result<f64, ForceError> {
        Ok(limit)
    }
    fn follow_couplings(&mut self, _: &[f64]) -> Result<bool, DynamicsError> {
        Ok(false)
    }
    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged> {
        rules.met(iterate, 1.0, None)
    }
}

#[test]
fn truncated_newton_leaves_a_saddle_along_negative_curvature() {
    // Near the saddle at 0 of a double well: Newton would go to it.
    let mut problem = Well::new([-1.0, 2.0, 3.0], 1.0, true);
    let mut y = vec![[1e-3, 0.5, -0.5]];
    let mut solver = TruncatedNewton::new(TruncatedNewtonSettings {
        force_tolerance: 1e-12,
        ..TruncatedNewtonSettings::default()
    })
    .unwrap();
    solver.solve(&mut problem, y.as_flattened_mut()).unwrap();
    assert!(distance(&y, &[[1.0, 0.0, 0.0]]) < 1e-11, "{y:?}");
    let history = solver.history();
    println!("{history:?}");
    let n = history.len();
    // Superlinear in the end.
    assert!(history[n - 1] < 1e-3 * history[n - 2], "{history:?}");
}

#[test]
fn truncated_newton_takes_a_squeezed_bar_without_projection() {
    let (mut system, mut state) = squeezed(0.16);
    let mut statics = StaticMethod::TruncatedNewton.statics(&options(1e-9)).unwrap();
    let report = statics.solve(&mut system, &mut state).unwrap();
    println!("{report:?} {:?}", statics.solver().counters());
    assert_eq!(report.increments, 1);
}

fn squeezed(by: f64) -> (System, State) {
    let mut body = Body::bar("neo-hookean", [6, 2, 2], 0.3).clamped();
    let end = body.at_x(1.0);
    let push = Motion::Translation { direction: [-by, 0.0, 0.0], curve: TimeCurve::default() };
    body.constraints.drive(&end, &body.rest, push).unwrap();
    body.system()
}

#[test]
fn truncated_newton_refuses_forces_without_energy() {
    let body = Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped();
    let faces = body.end_faces();
    let curve = TimeCurve::default();
    let load = Pressure::uniform(body.rest.len(), Faces::Triangles(&faces), 10.0, curve).unwrap();
    let (mut system, mut state) = body.with_model(Role::Load, Box::new(load)).system();
    let mut statics = StaticMethod::TruncatedNewton.statics(&options(1e-9)).unwrap();
    let error = statics.solve(&mut system, &mut state).unwrap_err().to_string();
    assert!(error.contains("needs forces that come from an energy: take newton"), "{error}");
}

#[test]
fn a_jacobian_that_misleads_newton_is_regularised_until_it_does_not() {
    // Without energy no direction is known to descend: every part of the step makes |r| larger.
    let mut problem = Well::new([1.0, 2.0, 3.0], -1.0, false);
    let mut y = vec![[0.5, 0.5, -0.5]];
    let solver = Choice { solver: SolverName::Ldlt, ..Choice::default() }.build().unwrap();
    let settings = NewtonSettings {
        force_tolerance: 1e-8,
        max_iterations: 400,
        displacement_tolerance: 0.0,
        ..NewtonSettings::default()
    };
    let mut newton = Newton::new(settings, solver).unwrap();
    let report = newton.solve(&mut problem, y.as_flattened_mut()).unwrap();
    println!("{report:?} {:?}", newton.counters());
    assert!(newton.counters().jacobians_regularised > 0);
    assert!(distance(&y, &[[0.0; 3]]) < 1e-7, "{y:?}");
    // Where it does not mislead nothing is regularised.
    let solver = Choice { solver: SolverName::Ldlt, ..Choice::default() }.build().unwrap();
    let mut newton = Newton::new(settings, solver).unwrap();
    let mut y = [[0.5, 0.5, -0.5]];
    newton.solve(&mut Well::new([1.0, 2.0, 3.0], 1.0, false), y.as_flattened_mut()).unwrap();
    assert_eq!(newton.counters().jacobians_regularised, 0);
}

/// A clamped end that turns about the axis of the bar, from rest.
fn turned(anchor: Vec3, t: f64) -> Moment {
    let (s, c) = (3.0 * t).sin_cos();
    let (y, z) = (anchor[1] - 0.15, anchor[2] - 0.15);
    let x = [anchor[0], 0.15 + c * y - s * z, 0.15 + s * y + c * z];
    Moment { x, v: [0.0; 3], a: [0.0; 3] }
}

#[test]
fn quasi_static_motion_is_a_sequence_of_states_of_rest() {
    let body = || {
        let mut body = Body::bar("neo-hookean", [4, 1, 1], 0.3).clamped();
        let end = body.at_x(1.0);
        body.constraints.drive(&end, &body.rest, Motion::Function(Arc::new(turned))).unwrap();
        let middle = body.at_x(0.5);
        let loads: Vec<(u32, Vec3)> = middle.iter().map(|&v| (v, [0.0, -4.0, 0.0])).collect();
        let ramp = TimeCurve::Ramp { start: 0.0, end: 0.5, from: 0.0, to: 1.0 };
        let load = DeadLoad::points(&body.rest, &loads, ramp).unwrap();
        body.with_model(Role::Load, Box::new(load)).system()
    };
    let (mut system, mut state) = body();
    let mut motion = IntegratorName::QuasiStatic.build(&strict()).unwrap();
    for step in 1..=10 {
        let report = motion.step(&mut system, &mut state, 0.05).unwrap();
        assert!(report.newton.unwrap().iterations > 0);
        assert_eq!(state.steps, step);
        // Nothing is left of the forces but at the supports.
        let mut g = vec![[0.0; 3]; state.len()];
        let place = state.configuration();
        let largest = system.forces(&place, &mut g, false).unwrap().largest;
        system.constraints().filter(&mut g);
        assert!(distance(&g, &vec![[0.0; 3]; g.len()]) < 1e-11 * largest);
    }
    assert!((state.time - 0.5).abs() < 1e-12);
    assert!(state.v.iter().all(|v| *v == [0.0; 3]));
    // The path of an elastic body does not matter: one static solve ends in the same place.
    let (mut system, mut at_once) = body();
    let mut steps = IntegratorName::QuasiStatic.build(&strict()).unwrap();
    steps.step(&mut system, &mut at_once, state.time).unwrap();
    assert!(distance(&at_once.x, &state.x) < 1e-9, "{:e}", distance(&at_once.x, &state.x));
}

#[test]
fn quasi_static_steps_that_are_too_long_are_taken_in_parts() {
    // An end that is inside out if it turns by 3 rad at once.
    let mut body = Body::bar("neo-hookean", [6, 1, 1], 0.3).clamped();
    let end = body.at_x(1.0);
    body.constraints.drive(&end, &body.rest, Motion::Function(Arc::new(turned))).unwrap();
    let (mut system, mut state) = body.system();
    for method in [StaticMethod::Newton, StaticMethod::TruncatedNewton] {
        let mut state = state.clone();
        let mut motion =
            IntegratorName::QuasiStatic.build(&Options { static_method: method, ..strict() });
        let motion = motion.as_mut().unwrap();
        motion.step(&mut system, &mut state, 1.0).unwrap();
        assert!(motion.counters().solves > 1, "{:?}", motion.counters());
        let held = end[0] as usize;
        assert_eq!(state.x[held], turned(system.rest()[held], 1.0).x);
    }
    // A free body has no state of rest, and says so.
    let (mut free, mut flying) = Body::bar("neo-hookean", [2, 1, 1], 0.3).system();
    let mut motion = IntegratorName::QuasiStatic.build(&strict()).unwrap();
    let error = motion.step(&mut free, &mut flying, 0.1).unwrap_err().to_string();
    assert!(error.contains("nothing stops the body from moving along x"), "{error}");
    // Where there is no state of rest near by, the state is that of before.
    state.x[end[0] as usize][0] = f64::NAN;
    let mut motion = IntegratorName::QuasiStatic.build(&strict()).unwrap();
    motion.step(&mut system, &mut state, 0.1).unwrap_err();
    assert_eq!((state.time, state.steps), (0.0, 0));
}

/// Springs that hold a single point.
struct Springs(u32);

impl ForceModel for Springs {
    fn name(&self) -> &'static str {
        "springs"
    }
    fn character(&self) -> Character {
        Character::POTENTIAL
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
        for k in 0..3 {
            let d = state.x[0][k] - 1.0;
            if let Some(energy) = ask.energy.as_deref_mut() {
                *energy += 0.5 * d * d;
            }
            if let Some(g) = ask.gradient.as_deref_mut() {
                g[0][k] += d;
            }
            if let Some(tangent) = ask.tangent.as_deref_mut() {
                tangent[self.0 as usize][4 * k] += ask.position_weight;
            }
        }
        Ok(())
    }
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }
}

#[test]
fn a_point_cannot_turn_and_is_not_refused_for_it() {
    let models: Vec<(Role, Box<dyn ForceModel>)> = vec![(Role::Elastic, Box::new(Springs(0)))];
    let mut system = System::new(&[[0.0; 3]], models).unwrap();
    let mut state = State::at_rest(&[[0.0; 3]]);
    let mut statics: Statics = StaticMethod::Newton.statics(&options(1e-12)).unwrap();
    statics.solve(&mut system, &mut state).unwrap();
    assert!(distance(&state.x, &[[1.0; 3]]) < 1e-14);
    let mut free = System::new(&[[0.0; 3]], Vec::<Acting>::new()).unwrap();
    let error = statics.solve(&mut free, &mut state);
    assert!(matches!(error, Err(DynamicsError::Unsupported(_))), "{error:?}");
}
