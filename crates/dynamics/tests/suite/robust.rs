//! The static method `robust` from tangled starts, and what tells a tangled or unstable end from an answer.

use crate::common;

use common::{Body, distance};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{
    DynamicsError, NewtonSettings, RobustSettings, StabilityCheck, State, StaticMethod,
    StaticOptions, System,
};
use pliant_solvers::{Choice, SolverName};

fn options() -> StaticOptions {
    let solver = Choice { solver: SolverName::Cholesky, ..Choice::default() };
    let newton = NewtonSettings {
        force_tolerance: 1e-12,
        displacement_tolerance: 1e-11,
        max_iterations: 200,
        ..NewtonSettings::default()
    };
    StaticOptions { solver, newton, ..StaticOptions::default() }
}

fn bar(law: &'static str, poisson: f64) -> Body {
    Body::bar(law, [5, 2, 2], poisson).clamped()
}

/// Numbers from 0 to 1 that look random.
fn random() -> impl FnMut() -> f64 {
    let mut s = 7_u64;
    move || {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (s >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Free vertices anywhere in the box, in a plane, in a line, in a point, or on the other side.
#[allow(clippy::type_complexity)]
fn starts() -> [(&'static str, Box<dyn FnMut(Vec3) -> Vec3>); 5] {
    let mut number = random();
    [
        ("random", Box::new(move |_| [number(), 0.3 * number(), 0.3 * number()])),
        ("plane", Box::new(|x| [0.0, x[1], x[2]])),
        ("line", Box::new(|x| [x[0], 0.15, 0.15])),
        ("point", Box::new(|_| [0.5, 0.15, 0.15])),
        ("mirror", Box::new(|x| [-x[0], x[1], x[2]])),
    ]
}

fn spoil(state: &mut State, system: &System, to: &mut dyn FnMut(Vec3) -> Vec3) {
    for (x, rest) in state.x.iter_mut().zip(system.rest()) {
        if rest[0] != 0.0 {
            *x = to(*rest);
        }
    }
}

#[test]
fn robust_untangles_what_newton_leaves_tangled() {
    let mut left = 0;
    for (law, poisson) in [("stable-neo-hookean", 0.3), ("stable-neo-hookean", 0.49)] {
        for (name, mut to) in starts() {
            let solve = |method: StaticMethod, to: &mut dyn FnMut(Vec3) -> Vec3| {
                let (mut system, mut state) = bar(law, poisson).system();
                spoil(&mut state, &system, to);
                let report = method.statics(&options()).unwrap().solve(&mut system, &mut state);
                let seen = system.inspect(&state.x).unwrap().unwrap();
                (report, distance(&state.x, system.rest()), seen)
            };
            let (report, off, seen) = solve(StaticMethod::Robust, &mut *to);
            let what = format!("{law} {poisson} {name}: {report:?} {off:e} {seen:?}");
            println!("{what}");
            assert!(report.is_ok_and(|report| report.definite == Some(true)), "{what}");
            assert!(off < 1e-6 && seen.inverted == 0 && (seen.min_j - 1.0).abs() < 1e-5, "{what}");
            let (report, off, seen) = solve(StaticMethod::Newton, &mut *to);
            println!("  newton: {off:e} {seen:?}");
            left += usize::from(report.is_err() || (off > 1e-2 && seen.inverted > 0));
        }
    }
    assert!(left > 0, "newton alone does it: these starts show nothing");
}

#[test]
fn robust_has_the_same_bits_every_time() {
    let run = || {
        let (mut system, mut state) = bar("stable-neo-hookean", 0.3).system();
        let (_, mut to) = starts().into_iter().next().unwrap();
        spoil(&mut state, &system, &mut *to);
        StaticMethod::Robust.statics(&options()).unwrap().solve(&mut system, &mut state).unwrap();
        state.x
    };
    assert_eq!(run(), run());
}

#[test]
fn robust_never_calls_a_tangle_an_answer() {
    // The mirror image of a St. Venant-Kirchhoff body has no energy and no forces.
    let (mut system, mut state) = bar("st-venant-kirchhoff", 0.3).system();
    spoil(&mut state, &system, &mut |x| [-x[0], x[1], x[2]]);
    let before = state.clone();
    let robust = RobustSettings { rounds: 2, ..RobustSettings::default() };
    let mut statics = StaticMethod::Robust.statics(&StaticOptions { robust, ..options() }).unwrap();
    let error = statics.solve(&mut system, &mut state).unwrap_err();
    let told = matches!(error, DynamicsError::Tangled { rounds: 2, inverted: 100, min_j, .. } if (min_j + 1.0).abs() < 1e-6);
    assert!(told && error.to_string().contains("still tangled"), "{error}");
    assert_eq!(state.x, before.x);
}

#[test]
fn robust_refuses_at_once_what_a_law_has_no_forces_for() {
    let (mut system, mut state) = bar("neo-hookean", 0.3).system();
    spoil(&mut state, &system, &mut |x| [-x[0], x[1], x[2]]);
    let mut statics = StaticMethod::Robust.statics(&options()).unwrap();
    let error = statics.solve(&mut system, &mut state).unwrap_err();
    assert!(error.to_string().contains("element"), "{error}");
}

#[test]
fn a_factor_tells_a_stable_state_from_one_that_is_not() {
    let check =
        |state: &State, system: &mut System| StabilityCheck::default().look(system, state).unwrap();
    let (mut system, mut state) = bar("stable-neo-hookean", 0.3).system();
    let mut statics = StaticMethod::Newton.statics(&options()).unwrap();
    spoil(&mut state, &system, &mut |x| [1.01 * x[0], x[1], x[2]]);
    let report = statics.solve(&mut system, &mut state).unwrap();
    assert_eq!((report.definite, check(&state, &mut system)), (Some(true), Some(true)));
    // Collapsed to a point, where most elements have neither forces nor stiffness.
    spoil(&mut state, &system, &mut |_| [0.5, 0.15, 0.15]);
    assert_eq!(check(&state, &mut system), Some(false));
    assert!(statics.solve(&mut system, &mut state).is_err());
}
