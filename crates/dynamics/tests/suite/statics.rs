//! Bodies at rest, and the Newton iterations that bring them there.

use crate::common;

use std::sync::Arc;

use common::{Body, YOUNG, distance};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::sum_and_moment;
use pliant_dynamics::{
    CgFormula, Constraints, Damper, DynamicRelaxation, DynamicRelaxationSettings, DynamicsError,
    Forcing, Form, Motion, Newton, NewtonSettings, NonlinearCg, NonlinearCgSettings, Role, State,
    StaticSettings, Statics, System,
};
use pliant_forces::loads::{DeadLoad, Faces, Pressure, TimeCurve};
use pliant_forces::springs::{Grab, Grabs};
use pliant_solvers::{Choice, SolverName};

fn statics(newton: NewtonSettings, solver: SolverName) -> Statics {
    let solver = Choice { solver, ..Choice::default() }.build().unwrap();
    Statics::new(Box::new(Newton::new(newton, solver).unwrap()), StaticSettings::default()).unwrap()
}

fn strict(form: Form) -> NewtonSettings {
    NewtonSettings { form, force_tolerance: 1e-11, ..NewtonSettings::default() }
}

/// Rollers on the three faces through the origin; the far end is pulled by `stretch`.
fn rollers(body: &Body, stretch: f64) -> Constraints {
    let mut constraints = Constraints::new();
    let curve = TimeCurve::Constant(1.0);
    for (v, x) in body.rest.iter().enumerate() {
        let on = |k: usize| x[k].abs() < 1e-9;
        let v = [v as u32];
        let end = (x[0] - 1.0).abs() < 1e-9;
        let mut directions: Vec<Vec3> = Vec::new();
        for (k, axis) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().enumerate()
        {
            if on(k) || (k == 0 && end) {
                directions.push(axis);
            }
        }
        let motion = Motion::Translation {
            direction: if end { [stretch, 0.0, 0.0] } else { [0.0; 3] },
            curve: curve.clone(),
        };
        if !directions.is_empty() {
            constraints.hold(&v, &body.rest, &directions, motion).unwrap();
        }
    }
    constraints
}

/// Displacements against u = ε (x, −ν y, −ν z), and the force on the end against E A ε, both relative.
fn tension(law: &'static str, strain: f64) -> (f64, f64) {
    let poisson = 0.3;
    let mut body = Body::bar(law, [4, 1, 1], poisson);
    body.constraints = rollers(&body, strain);
    let end = body.at_x(1.0);
    let (mut system, mut state) = body.system();
    statics(strict(Form::Full), SolverName::Cholesky).solve(&mut system, &mut state).unwrap();
    let expected: Vec<Vec3> = system
        .rest()
        .iter()
        .map(|x| {
            let across = 1.0 - poisson * strain;
            [x[0] * (1.0 + strain), x[1] * across, x[2] * across]
        })
        .collect();
    let mut reactions = Vec::new();
    system.reactions(&state, &mut reactions).unwrap();
    let at_end = reactions.iter().filter(|r| end.contains(&r.0));
    let (force, _) = sum_and_moment(at_end.map(|&(v, f)| (f, state.x[v as usize])), [0.0; 3]);
    let exact = YOUNG * 0.09 * strain;
    (distance(&state.x, &expected) / strain, (force[0] - exact).abs() / exact)
}

#[test]
fn a_linear_bar_in_tension_has_the_strain_and_force_of_the_closed_form() {
    let (displacement, force) = tension("linear", 0.1);
    assert!(displacement < 1e-12 && force < 1e-11, "{displacement:e} {force:e}");
}

#[test]
fn a_neo_hookean_bar_tends_to_the_closed_form_at_small_strain() {
    let (coarse, fine) = (tension("neo-hookean", 1e-3), tension("neo-hookean", 1e-4));
    assert!(fine.0 < 1e-4 && fine.1 < 2e-4, "{fine:?}");
    // The difference is of second order in strain: relative to it, of first.
    for (coarse, fine) in [(coarse.0, fine.0), (coarse.1, fine.1)] {
        assert!((coarse / fine - 10.0).abs() < 0.1, "{}", coarse / fine);
    }
}

fn sagging() -> (System, State) {
    Body::bar("neo-hookean", [6, 2, 2], 0.3).with_gravity([0.0, -1.0, 0.0]).clamped().system()
}

#[test]
fn full_newton_converges_quadratically() {
    let (mut system, mut state) = sagging();
    let mut solver = statics(strict(Form::Full), SolverName::Cholesky);
    let report = solver.solve(&mut system, &mut state).unwrap();
    let history = solver.solver().history();
    println!("{history:?} {report:?} {:?}", solver.solver().counters());
    // Far from both the start and rounding: the exponent of r_{k+1} ~ r_k^p.
    let near: Vec<f64> = history
        .iter()
        .copied()
        .filter(|r| r / report.scale < 0.1 && r / report.scale > 1e-14)
        .collect();
    let n = near.len();
    assert!(n >= 3, "{history:?}");
    let order = (near[n - 1] / near[n - 2]).ln() / (near[n - 2] / near[n - 3]).ln();
    assert!(order > 1.8, "{order}: {history:?}");
}

#[test]
fn all_forms_of_newton_find_the_same_state() {
    let (mut system, start) = sagging();
    let mut reference = start.clone();
    statics(strict(Form::Full), SolverName::Cholesky).solve(&mut system, &mut reference).unwrap();
    let sag = distance(&reference.x, system.rest());
    assert!(sag > 0.1, "{sag}");
    let walker = Forcing::EisenstatWalker { gamma: 0.9, largest: 0.5 };
    for (form, solver) in [
        (Form::Simplified { slowest: 0.3 }, SolverName::Cholesky),
        (Form::Inexact(walker), SolverName::Cg),
        (Form::Inexact(Forcing::Constant(0.1)), SolverName::Cg),
    ] {
        let mut state = start.clone();
        let mut solver = statics(strict(form), solver);
        let report = solver.solve(&mut system, &mut state).unwrap();
        let error = distance(&state.x, &reference.x);
        println!("{form:?} {report:?} {:?}", solver.solver().counters());
        assert!(error < 1e-8 * sag, "{form:?}: {error:e}");
        let counters = solver.solver().counters();
        match form {
            Form::Simplified { .. } => {
                assert!(counters.jacobians < counters.iterations, "{counters:?}");
                // Few because most contract well, more than one because some do not.
                assert!(counters.jacobians_slow > 0, "{counters:?}");
            }
            _ => assert_eq!(counters.jacobians, counters.iterations + counters.jacobians_projected),
        }
    }
}

#[test]
fn a_load_that_is_too_much_at_once_is_brought_up_in_increments() {
    // A pressure on the free end that follows it: unsymmetric, so that there is no energy to lean on.
    let body = Body::bar("neo-hookean", [6, 1, 1], 0.3).clamped();
    let faces: Vec<[u32; 3]> = body.end_faces();
    let load =
        Pressure::uniform(body.rest.len(), Faces::Triangles(&faces), 600.0, TimeCurve::default());
    let (mut system, mut state) = body.with_model(Role::Load, Box::new(load.unwrap())).system();
    assert!(!system.pattern().is_symmetric());
    let mut solver = statics(strict(Form::Full), SolverName::Lu);
    let report = solver.solve(&mut system, &mut state).unwrap();
    println!("{report:?}");
    let mut reactions = Vec::new();
    system.reactions(&state, &mut reactions).unwrap();
    // Pushed along −x, held along +x; the end keeps its area but for the strain across.
    let force: f64 = reactions.iter().map(|r| r.1[0]).sum();
    assert!((force / (600.0 * 0.09) - 1.0).abs() < 0.1, "{force}");
    // The exact tangent shows in the last iterations.
    let h = solver.solver().history();
    assert!(h[h.len() - 1] < 1e-3 * h[h.len() - 2], "{h:?}");
}

#[test]
fn a_load_without_equilibrium_is_an_error_that_says_how_far_it_got_and_keeps_the_state() {
    // A dead load that compresses the bar beyond any stable shape near it, and few iterations.
    let body = Body::bar("neo-hookean", [6, 1, 1], 0.3).clamped();
    let end = body.at_x(1.0);
    let loads: Vec<(u32, Vec3)> = end.iter().map(|&v| (v, [-1e9, 0.0, 0.0])).collect();
    let load = DeadLoad::points(&body.rest, &loads, TimeCurve::default()).unwrap();
    let (mut system, mut state) = body.with_model(Role::Load, Box::new(load)).system();
    let before = state.clone();
    let few = NewtonSettings { max_iterations: 8, ..NewtonSettings::default() };
    let error = statics(few, SolverName::Cholesky).solve(&mut system, &mut state).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, DynamicsError::Load { factor, .. } if factor < 0.1), "{text}");
    assert!(text.contains("could be brought to 0.0"), "{text}");
    assert_eq!(state, before);
}

#[test]
fn a_free_body_is_refused_with_a_hint() {
    let (mut system, mut state) =
        Body::bar("neo-hookean", [2, 1, 1], 0.3).with_gravity([0.0, -1.0, 0.0]).system();
    let error = statics(NewtonSettings::default(), SolverName::Cholesky)
        .solve(&mut system, &mut state)
        .unwrap_err()
        .to_string();
    assert!(error.contains("nothing stops the body from moving along x"), "{error}");
    // Two vertices make a hinge, a third one off their line stops it.
    let solve = |held: &[Vec3]| {
        let mut body = Body::bar("neo-hookean", [2, 1, 1], 0.3).with_gravity([0.0, -1.0, 0.0]);
        let at = |p: &Vec3| {
            let same = |x: &Vec3| distance(&[*x], &[*p]) < 1e-9;
            body.rest.iter().position(same).unwrap() as u32
        };
        let held: Vec<u32> = held.iter().map(at).collect();
        body.constraints.fix(&held, &body.rest).unwrap();
        let (mut system, mut state) = body.system();
        statics(NewtonSettings::default(), SolverName::Cholesky).solve(&mut system, &mut state)
    };
    let hinge = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.3]];
    let error = solve(&hinge).unwrap_err().to_string();
    assert!(error.contains("turning about [0.00, 0.00, 1.00]"), "{error}");
    solve(&[hinge[0], hinge[1], [0.0, 0.3, 0.0]]).unwrap();
}

/// Pins are springs on vertices that elements couple already: when one goes, the pattern stays as it is.
#[test]
fn a_body_whose_last_pin_was_taken_out_is_refused() {
    let mut body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    body.models.push((Role::Load, Box::new(Grabs::new())));
    let (mut system, mut state) = body.system();
    let count = system.vertices();
    for v in 0..count as u32 {
        let grab =
            Grab { nodes: vec![(v, 1.0)], target: system.rest()[v as usize], stiffness: 10.0 };
        let pins = system.models_of_mut::<Grabs>().next().unwrap();
        pins.start(u64::from(v), grab, count).unwrap();
    }
    let mut solver = statics(NewtonSettings::default(), SolverName::Cholesky);
    solver.solve(&mut system, &mut state).unwrap();
    let pattern = system.pattern().clone();
    let pins = system.models_of_mut::<Grabs>().next().unwrap();
    (1..count as u64).for_each(|id| assert!(pins.end(id)));
    let error = solver.solve(&mut system, &mut state).unwrap_err().to_string();
    assert!(error.contains("nothing stops the body from turning"), "{error}");
    assert!(system.models_of_mut::<Grabs>().next().unwrap().end(0));
    let error = solver.solve(&mut system, &mut state).unwrap_err().to_string();
    assert!(error.contains("nothing stops the body from moving along x"), "{error}");
    assert!(Arc::ptr_eq(&pattern, system.pattern()), "the pattern is that of before");
}

/// The same with supports that are constraints.
#[test]
fn a_body_whose_constraints_were_taken_away_is_refused() {
    let (mut system, mut state) = Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped().system();
    let mut solver = statics(NewtonSettings::default(), SolverName::Cholesky);
    solver.solve(&mut system, &mut state).unwrap();
    let mut system = system.with_constraints(Constraints::new()).unwrap();
    let error = solver.solve(&mut system, &mut state).unwrap_err().to_string();
    assert!(error.contains("nothing stops the body from moving along x"), "{error}");
}

#[test]
fn nonlinear_cg_finds_the_state_of_newton() {
    let body = || Body::bar("neo-hookean", [3, 1, 1], 0.3).with_gravity([0.0, -2.0, 0.0]).clamped();
    let (mut system, mut newton) = body().system();
    statics(strict(Form::Full), SolverName::Cholesky).solve(&mut system, &mut newton).unwrap();
    let sag = distance(&newton.x, system.rest());
    for formula in [CgFormula::PolakRibiere, CgFormula::FletcherReeves] {
        let (mut system, mut state) = body().system();
        let settings = NonlinearCgSettings {
            formula,
            force_tolerance: 1e-9,
            ..NonlinearCgSettings::default()
        };
        let cg = Box::new(NonlinearCg::new(settings).unwrap());
        let mut solver = Statics::new(cg, StaticSettings::default()).unwrap();
        let report = solver.solve(&mut system, &mut state).unwrap();
        println!("{formula:?} {report:?} {:?}", solver.solver().counters());
        let error = distance(&state.x, &newton.x);
        assert!(error < 1e-6 * sag, "{formula:?}: {error:e} of {sag}");
        assert_eq!(solver.solver().counters().jacobians, 0);
    }
}

#[test]
fn dynamic_relaxation_finds_the_state_of_newton() {
    let body = || Body::bar("neo-hookean", [3, 1, 1], 0.3).with_gravity([0.0, -2.0, 0.0]).clamped();
    let (mut system, mut newton) = body().system();
    statics(strict(Form::Full), SolverName::Cholesky).solve(&mut system, &mut newton).unwrap();
    let sag = distance(&newton.x, system.rest());
    for damper in [Damper::Automatic, Damper::Kinetic] {
        for masses in [None, Some(body().masses)] {
            let (mut system, mut state) = body().system();
            let what = format!("{damper:?}, own masses: {}", masses.is_some());
            let settings = DynamicRelaxationSettings {
                damper,
                masses,
                force_tolerance: 1e-9,
                ..DynamicRelaxationSettings::default()
            };
            let relaxation = Box::new(DynamicRelaxation::new(settings).unwrap());
            let mut solver = Statics::new(relaxation, StaticSettings::default()).unwrap();
            let report = solver.solve(&mut system, &mut state).unwrap();
            println!("{what} {report:?}");
            let error = distance(&state.x, &newton.x);
            assert!(error < 1e-6 * sag, "{what}: {error:e} of {sag}");
        }
    }
}

#[test]
fn the_damping_that_is_found_is_near_the_best_of_a_scan() {
    let iterations = |damper: Damper| {
        let (mut system, mut state) =
            Body::bar("linear", [6, 1, 1], 0.3).with_gravity([0.0, -0.1, 0.0]).clamped().system();
        let masses = Some(Body::bar("linear", [6, 1, 1], 0.3).masses);
        let settings = DynamicRelaxationSettings {
            damper,
            masses,
            force_tolerance: 1e-6,
            ..DynamicRelaxationSettings::default()
        };
        let relaxation = Box::new(DynamicRelaxation::new(settings).unwrap());
        let mut solver = Statics::new(relaxation, StaticSettings::default()).unwrap();
        solver.solve(&mut system, &mut state).unwrap().iterations
    };
    let scan: Vec<(f64, usize)> =
        (0..12).map(|k| 1.3_f64.powi(k)).map(|eta| (eta, iterations(Damper::Fixed(eta)))).collect();
    let best = scan.iter().map(|s| s.1).min().unwrap();
    let found = iterations(Damper::Automatic);
    println!("{scan:?} automatic {found}");
    assert!((found as f64) < 1.5 * best as f64, "{found} against {best}");
}

/// A bar that stands on its end between smooth walls, of a law that gives way under ρ g L / E = 0.19245.
fn standing(load: f64) -> Body {
    let g = load * YOUNG / common::DENSITY;
    let mut body = Body::bar("st-venant-kirchhoff", [8, 1, 1], 0.0);
    for (v, x) in body.rest.iter().enumerate() {
        let mut directions = vec![[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if x[0] == 0.0 {
            directions.push([1.0, 0.0, 0.0]);
        }
        let still = Motion::Translation { direction: [0.0; 3], curve: TimeCurve::default() };
        body.constraints.hold(&[v as u32], &body.rest, &directions, still).unwrap();
    }
    body.with_gravity([-g, 0.0, 0.0])
}

fn least_jacobian(system: &System, state: &State) -> f64 {
    let worst = system.models().filter_map(|(_, m)| m.worst(&state.x));
    worst.map(|w| w.jacobian).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_bar_loaded_beyond_its_limit_is_refused_and_not_turned_inside_out() {
    let (mut system, mut state) = standing(0.15).system();
    let mut solver = statics(strict(Form::Full), SolverName::Cholesky);
    solver.solve(&mut system, &mut state).unwrap();
    let least = least_jacobian(&system, &state);
    assert!(least > 0.5, "{least}");

    let (mut system, mut state) = standing(0.4).system();
    let before = state.clone();
    let error = solver.solve(&mut system, &mut state).unwrap_err();
    let DynamicsError::Load { factor, cause, .. } = &error else { panic!("{error}") };
    // 1 / (1 − 1/2n) above the limit of the continuum, n = 8, and tetrahedra that are a little stiffer.
    assert!((0.19..0.22).contains(&(0.4 * factor)), "{factor}");
    let text = error.to_string();
    let told = matches!(**cause, DynamicsError::InsideOut { jacobian, .. } if jacobian <= 0.0);
    assert!(told && text.contains("inside out (J = -"), "{text}");
    assert_eq!(state.x, before.x);
}

#[test]
fn a_bar_that_starts_inside_out_is_not_refused() {
    // The mirror image of St. Venant-Kirchhoff is at rest.
    let (mut system, mut state) =
        Body::bar("st-venant-kirchhoff", [4, 1, 1], 0.3).clamped().system();
    for x in &mut state.x {
        x[0] = -x[0];
    }
    statics(strict(Form::Full), SolverName::Cholesky).solve(&mut system, &mut state).unwrap();
    assert!((least_jacobian(&system, &state) + 1.0).abs() < 1e-9);
}

#[test]
fn load_increments_grow_to_the_largest_and_no_further() {
    let run = |first_increment, largest_increment| {
        let load = StaticSettings { first_increment, largest_increment, ..Default::default() };
        let solver = Choice { solver: SolverName::Cholesky, ..Choice::default() }.build().unwrap();
        let newton = Newton::new(strict(Form::Full), solver).unwrap();
        let (mut system, mut state) = Body::bar("neo-hookean", [4, 1, 1], 0.3)
            .clamped()
            .with_gravity([0.0, -0.3, 0.0])
            .system();
        Statics::new(Box::new(newton), load).unwrap().solve(&mut system, &mut state).unwrap()
    };
    assert_eq!(run(0.125, 1.0).increments, 4); // 1/8, 1/8, 1/4, 1/2
    assert_eq!(run(0.125, 0.125).increments, 8);
    // From where the last two steps point to; from the last one alone it takes 33.
    let report = run(0.125, 0.125);
    assert_eq!(report.iterations, 26, "{report:?}");
}

/// A body that is hardly compressible, pulled to a multiple of its length by a suction that follows its end.
#[test]
fn a_load_that_follows_takes_no_more_iterations_than_full_steps_do() {
    let run = |line_search: bool| {
        let body = Body::bar("neo-hookean", [4, 1, 1], 0.499).clamped();
        let faces = body.end_faces();
        let pressure = Pressure::on_faces(
            body.rest.len(),
            Faces::Triangles(&faces),
            &vec![-0.3 * YOUNG; faces.len()],
            TimeCurve::default(),
        );
        let (mut system, mut state) =
            body.with_model(Role::Load, Box::new(pressure.unwrap())).system();
        let newton = NewtonSettings { line_search, ..strict(Form::Full) };
        statics(newton, SolverName::Lu).solve(&mut system, &mut state).unwrap()
    };
    let (full, watched) = (run(false), run(true));
    println!("{full:?} {watched:?}");
    assert_eq!((full.iterations, full.cuts), (watched.iterations, watched.cuts));
}
