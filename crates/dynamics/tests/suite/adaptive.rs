//! Steps chosen by a tolerance: errors follow it, ends are hit, what is rejected leaves no trace.

use crate::common;

use std::sync::{Arc, Mutex};

use common::{Body, distance, strict};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::newton::Counters;
use pliant_dynamics::{
    Adaptive, DynamicsError, Estimate, Integrator, IntegratorName, Method, Moment, Motion, Options,
    Role, State, StepControl, StepReport, System,
};
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_sections::Sections;

/// A clamped bar, bent and twisted by its velocities; its support may shake.
fn swinging(shaken: bool) -> (System, State) {
    let mut body = Body::bar("neo-hookean", [2, 1, 1], 0.3);
    let end = body.at_x(0.0);
    let shake = |anchor: Vec3, t: f64| {
        let w = 15.0_f64;
        let (s, c) = (w * t).sin_cos();
        Moment {
            x: [anchor[0], anchor[1] + 0.02 * (1.0 - c), anchor[2]],
            v: [0.0, 0.02 * w * s, 0.0],
            a: [0.0, 0.02 * w * w * c, 0.0],
        }
    };
    let motion = if shaken { Motion::Function(Arc::new(shake)) } else { Motion::Still };
    body.constraints.drive(&end, &body.rest, motion).unwrap();
    let (system, mut state) = body.system();
    for (v, x) in state.v.iter_mut().zip(&state.x) {
        *v = [0.1 * x[0], -0.8 * x[0] * x[0], 0.6 * x[0] * (x[1] - 0.1)];
    }
    (system, state)
}

fn adaptive(name: IntegratorName, control: StepControl) -> Adaptive {
    Adaptive::new(name.build(&strict()).unwrap(), control).unwrap()
}

fn difference(a: &State, b: &State) -> f64 {
    distance(&a.x, &b.x).max(distance(&a.v, &b.v))
}

const END: f64 = 0.24;

#[test]
fn errors_are_proportional_to_the_tolerance_from_1e_3_to_1e_10() {
    use IntegratorName as I;
    for shaken in [false, true] {
        let run = |name: I, tolerance: f64| {
            let (mut system, mut state) = swinging(shaken);
            let mut method = adaptive(name, StepControl::with_tolerance(tolerance));
            method.advance(&mut system, &mut state, END).unwrap();
            assert!(state.time == END);
            (state, method.counts())
        };
        let (reference, _) = run(I::DormandPrince853, 1e-13);
        for name in [I::DormandPrince5, I::DormandPrince853] {
            let mut logs = Vec::new();
            for k in 3..=10 {
                let tolerance = 10.0_f64.powi(-k);
                let (state, counts) = run(name, tolerance);
                let error = difference(&state, &reference);
                println!("| {} | {tolerance:.0e} | {error:.2e} | {counts:?} |", name.name());
                assert!(error < 30.0 * tolerance, "{} {tolerance:e}: {error:e}", name.name());
                logs.push((tolerance.ln(), error.ln()));
            }
            let slope = slope(&logs);
            assert!((slope - 1.0).abs() < 0.12, "{}: {slope}", name.name());
        }
    }
}

/// Of the line nearest to the points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
    let sums = points.iter().fold((0.0, 0.0), |s, p| {
        let (x, y) = (p.0 - mean.0, p.1 - mean.1);
        (s.0 + x * y, s.1 + x * x)
    });
    sums.0 / sums.1
}

#[test]
fn steps_are_rejected_where_a_load_comes_suddenly_and_only_there() {
    let body = Body::bar("neo-hookean", [2, 1, 1], 0.3).clamped();
    let pull = DeadLoad::gravity(
        &body.rest,
        &body.masses,
        [0.0, -20.0, 0.0],
        TimeCurve::Pulse { start: 0.1, rise: 0.0, hold: 10.0, height: 1.0 },
    )
    .unwrap();
    let (mut system, mut state) = body.with_model(Role::Load, Box::new(pull)).system();
    // Nothing happens before the load comes: steps grow.
    let mut method = adaptive(IntegratorName::DormandPrince5, StepControl::with_tolerance(1e-6));
    method.advance(&mut system, &mut state, 0.0999).unwrap();
    assert_eq!(method.counts().rejected, 0);
    let before = method.counts();
    method.advance(&mut system, &mut state, 0.2).unwrap();
    let after = method.counts();
    assert!(after.rejected >= 2, "{after:?}");
    assert!(after.smallest < 1e-2 * before.largest, "{before:?} {after:?}");
    assert!(state.time == 0.2 && after.accepted > before.accepted);
    assert_eq!(method.step_counts(), Some(after));
}

/// Moves every vertex, and says that its error is what it is told, one entry a call.
struct Told {
    errors: Vec<f64>,
    x: Vec<Vec3>,
    /// A second estimate, as a multiple of the first.
    rough: Option<f64>,
    rough_x: Vec<Vec3>,
    seen: Arc<Mutex<Vec<(State, f64)>>>,
}

impl Method for Told {
    fn save(&self, _: &mut Sections) {}

    fn load(&mut self, _: &Sections, _: &System) -> Result<(), DynamicsError> {
        Ok(())
    }

    fn name(&self) -> &'static str {
        "told"
    }

    fn order(&self) -> usize {
        2
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        Some(Estimate { x: &self.x, v: &self.x, order: 2 })
    }

    fn rough_estimate(&self) -> Option<Estimate<'_>> {
        let x = &self.rough_x;
        self.rough.map(|_| Estimate { x, v: x, order: 1 })
    }
}

impl Integrator for Told {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        self.seen.lock().unwrap().push((state.clone(), h));
        let error = if self.errors.len() > 1 { self.errors.remove(0) } else { self.errors[0] };
        if error.is_nan() {
            // A careless one: it has changed the state by then.
            state.v[0][0] += 1.0;
            let cause = Box::new(DynamicsError::Step { found: h });
            return Err(DynamicsError::Failed {
                time: state.time,
                step: h,
                vertex: 0,
                speed: 0.0,
                cause,
                report: None,
            });
        }
        state.x.iter_mut().for_each(|x| x[0] += h);
        system.constraints().impose_positions(state.time + h, &mut state.x);
        state.a.iter_mut().for_each(|a| a[1] += 1.0);
        state.knows_acceleration = true;
        state.past.clear();
        state.time += h;
        state.steps += 1;
        self.x = vec![[error; 3]; state.len()];
        self.rough_x = vec![[self.rough.unwrap_or(0.0) * error; 3]; state.len()];
        Ok(StepReport::default())
    }

    fn counters(&self) -> Counters {
        Counters::default()
    }
}

type Seen = Arc<Mutex<Vec<(State, f64)>>>;

fn told(errors: &[f64]) -> (Adaptive, Seen) {
    told_twice(errors, None)
}

fn told_twice(errors: &[f64], rough: Option<f64>) -> (Adaptive, Seen) {
    let seen = Seen::default();
    let (x, rough_x) = (Vec::new(), Vec::new());
    let inner = Told { errors: errors.to_vec(), x, rough, rough_x, seen: seen.clone() };
    let control = StepControl { first: Some(0.1), ..StepControl::with_tolerance(1e-3) };
    (Adaptive::new(Box::new(inner), control).unwrap(), seen)
}

#[test]
fn a_rejected_or_failed_step_leaves_no_trace_in_the_state() {
    let (mut system, mut state) = swinging(false);
    // A state with a past and all.
    let mut bdf = IntegratorName::Bdf3.build(&strict()).unwrap();
    for _ in 0..5 {
        bdf.step(&mut system, &mut state, 0.001).unwrap();
    }
    let bytes = state.to_bytes();
    assert!(!state.past.is_empty());
    let (mut method, seen) = told(&[1.0, f64::NAN, f64::INFINITY, 1e-9]);
    method.step_once(&mut system, &mut state, 1.0).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 4);
    for (given, h) in &*seen {
        assert!(given.to_bytes() == bytes, "h = {h}");
    }
    let counts = method.counts();
    assert_eq!((counts.accepted, counts.rejected, counts.failed), (1, 2, 1));
    // Shorter each time: by the error, by four, by ten.
    let steps: Vec<f64> = seen.iter().map(|s| s.1).collect();
    assert!(steps[1] < 0.021 && (steps[2] / steps[1] - 0.25).abs() < 1e-14);
    assert!((steps[3] / steps[2] - 0.2).abs() < 1e-14 || (steps[3] / steps[2] - 0.1).abs() < 1e-14);
}

#[test]
fn the_controller_follows_its_formula() {
    let (mut system, mut state) = swinging(false);
    let (mut method, _) = told(&[2e-4, 3e-4]);
    let first = method.step_once(&mut system, &mut state, 10.0).unwrap();
    let second = method.step_once(&mut system, &mut state, 10.0).unwrap();
    let q = 3.0;
    let beta = 0.2 / q;
    let expected = 0.1 * 0.9 * first.error.powf(0.75 * beta - 1.0 / q) * 1e-4_f64.powf(beta);
    assert!((second.step - expected).abs() < 1e-14, "{} {expected}", second.step);
    let third = method.next_step().unwrap();
    let factor = second.error.powf(0.75 * beta - 1.0 / q) * first.error.powf(beta);
    assert!((third - second.step * 0.9 * factor).abs() < 1e-14);
}

#[test]
fn a_second_estimate_tempers_the_first_as_in_dop853() {
    let error = |rough: Option<f64>| {
        let (mut system, mut state) = swinging(false);
        let (mut method, _) = told_twice(&[2e-4], rough);
        method.step_once(&mut system, &mut state, 10.0).unwrap().error
    };
    let alone = error(None);
    for rough in [0.0_f64, 3.0, 100.0] {
        let expected = alone / (1.0 + 0.01 * rough * rough).sqrt();
        assert!((error(Some(rough)) - expected).abs() < 1e-14, "{rough}");
    }
}

#[test]
fn one_step_to_the_end_ends_there_to_the_last_bit() {
    // t + (until − t) is not always until, where t is negative.
    let mut differs = false;
    for k in 1..200 {
        let (mut system, mut state) = swinging(false);
        state.time = -0.987;
        let until = 0.000137 * f64::from(k);
        differs |= state.time + (until - state.time) != until;
        let (mut method, _) = told(&[1e-12]);
        while state.time < until {
            method.step_once(&mut system, &mut state, until).unwrap();
        }
        assert!(state.time == until, "{k}");
    }
    assert!(differs);
}

#[test]
fn a_step_that_becomes_too_small_is_an_error_and_the_last_good_state_stays() {
    let (mut system, mut state) = swinging(false);
    let (mut method, _) = told(&[1e-9, 1.0]);
    let error = method.advance(&mut system, &mut state, 1.0).unwrap_err();
    let DynamicsError::StepTooSmall { time, step, smallest, trials, cause } = error else {
        panic!("{error}")
    };
    assert!(time == 0.1 && state.time == 0.1 && state.steps == 1, "{time}");
    assert!(step < smallest && trials > 5 && cause.is_none());
    // As one step of an integrator, nothing has happened.
    let (mut system, mut state) = swinging(false);
    let before = state.clone();
    let (mut method, _) = told(&[1e-9, f64::NAN]);
    let error = Integrator::step(&mut method, &mut system, &mut state, 1.0).unwrap_err();
    assert!(matches!(error, DynamicsError::StepTooSmall { cause: Some(_), .. }), "{error}");
    assert_eq!(state, before);
}

#[test]
fn a_first_step_that_turns_elements_inside_out_is_tried_again() {
    let (mut system, mut state) = swinging(false);
    let v = system.rest().iter().position(|x| x[0] > 0.99).unwrap();
    state.v[v] = [-8.0, 0.0, 0.0];
    let control = StepControl { first: Some(0.5), ..StepControl::with_tolerance(1e-5) };
    let mut method = adaptive(IntegratorName::DormandPrince5, control);
    method.advance(&mut system, &mut state, 0.5).unwrap();
    let counts = method.counts();
    assert!(counts.failed >= 1 && counts.accepted > 5 && state.time == 0.5, "{counts:?}");
}

#[test]
fn ends_are_hit_exactly_and_frames_do_not_disturb_the_steps() {
    let (mut system, mut state) = swinging(false);
    let mut method = adaptive(IntegratorName::DormandPrince5, StepControl::with_tolerance(1e-6));
    for k in 1..=50 {
        let until = 0.24 / 50.0 * f64::from(k);
        method.advance(&mut system, &mut state, until).unwrap();
        assert!(state.time == until);
    }
    let (mut system, mut whole) = swinging(false);
    let mut once = adaptive(IntegratorName::DormandPrince5, StepControl::with_tolerance(1e-6));
    once.advance(&mut system, &mut whole, 0.24).unwrap();
    assert!(difference(&state, &whole) < 1e-5);
    assert!(method.counts().accepted <= once.counts().accepted + 50);
    // A time that is over is refused.
    let error = method.advance(&mut system, &mut state, 0.1).unwrap_err();
    assert!(matches!(error, DynamicsError::Step { .. }), "{error}");
}

#[test]
fn a_method_without_estimate_is_refused_and_so_are_settings() {
    let (mut system, mut state) = swinging(false);
    let before = state.clone();
    let control = Some(StepControl::default());
    let options = Options { control, ..strict() };
    let mut method = IntegratorName::Rk4.build(&options).unwrap();
    let error = method.step(&mut system, &mut state, 0.01).unwrap_err().to_string();
    assert!(error.contains("rk4 does not estimate its error"), "{error}");
    assert_eq!(state, before);
    let good = StepControl::default();
    for bad in [
        StepControl { relative: -1.0, ..good },
        StepControl { absolute_position: 0.0, ..good },
        StepControl { absolute_velocity: f64::NAN, ..good },
        StepControl { safety: 1.5, ..good },
        StepControl { shrink: 0.0, ..good },
        StepControl { grow: 1.0, ..good },
        StepControl { memory: 1.0, ..good },
        StepControl { first: Some(-1.0), ..good },
        StepControl { largest: 0.0, ..good },
        StepControl { smallest: 0.0, ..good },
    ] {
        let options = Options { control: Some(bad), ..strict() };
        let error = IntegratorName::DormandPrince5.build(&options).map(|_| ());
        assert!(matches!(error, Err(DynamicsError::Setting { .. })), "{bad:?}");
    }
}

#[test]
fn the_inside_of_a_step_is_as_accurate_as_its_formula() {
    use IntegratorName as I;
    let reference = |t: f64| {
        let (mut system, mut state) = swinging(true);
        let mut method = adaptive(I::DormandPrince853, StepControl::with_tolerance(1e-14));
        method.advance(&mut system, &mut state, t).unwrap();
        state
    };
    // Orders of the error in x and v within one step.
    for (name, h, orders) in
        [(I::DormandPrince5, 0.008, [5.0, 5.0]), (I::DormandPrince853, 0.03, [8.0, 8.0])]
    {
        for theta in [0.37, 0.8] {
            let error = |h: f64| {
                let (mut system, mut state) = swinging(true);
                let control = StepControl { first: Some(h), ..StepControl::with_tolerance(1.0) };
                let mut method = adaptive(name, control);
                let taken = method.step_once(&mut system, &mut state, 1.0).unwrap();
                assert!(taken.step == h && method.last_step() == (0.0, h));
                let exact = reference(theta * h);
                let (mut x, mut v) = (exact.x.clone(), exact.v.clone());
                x.fill([0.0; 3]);
                v.fill([0.0; 3]);
                method.interpolate(&mut system, theta, &mut x, &mut v).unwrap();
                [distance(&x, &exact.x), distance(&v, &exact.v)]
            };
            let (coarse, fine) = (error(h), error(0.5 * h));
            for k in 0..2 {
                let observed = (coarse[k] / fine[k]).log2();
                println!("{} {theta} {k}: {coarse:?} {fine:?}", name.name());
                assert!(observed > orders[k] - 0.3, "{} {theta} {k}: {observed}", name.name());
            }
        }
    }
}

#[test]
fn the_cubic_serves_methods_without_a_formula() {
    let (mut system, mut state) = swinging(false);
    let start = state.clone();
    let (mut method, _) = told(&[1e-9]);
    method.step_once(&mut system, &mut state, 1.0).unwrap();
    let (mut x, mut v) = (start.x.clone(), start.v.clone());
    let (mut fresh, _) = told(&[1e-9]);
    let error = fresh.interpolate(&mut system, 0.5, &mut x, &mut v).unwrap_err().to_string();
    assert!(error.contains("no step to look into"), "{error}");
    for (theta, expected) in [(0.0, &start), (1.0, &state)] {
        method.interpolate(&mut system, theta, &mut x, &mut v).unwrap();
        assert!(distance(&x, &expected.x) < 1e-15 && distance(&v, &expected.v) < 1e-13);
    }
    // v is the derivative of x.
    let mut at = |theta: f64| {
        method.interpolate(&mut system, theta, &mut x, &mut v).unwrap();
        (x.clone(), v.clone())
    };
    let ((low, _), (_, middle), (high, _)) = (at(0.3 - 1e-5), at(0.3), at(0.3 + 1e-5));
    for i in 0..low.len() {
        for k in 0..3 {
            let slope = (high[i][k] - low[i][k]) / 2e-6;
            assert!((slope - middle[i][k]).abs() < 1e-7, "{slope} {}", middle[i][k]);
        }
    }
    let error = method.interpolate(&mut system, 0.5, &mut x[1..], &mut v).unwrap_err();
    assert!(matches!(error, DynamicsError::Length { .. }));
    let error = method.interpolate(&mut system, f64::NAN, &mut x, &mut v).unwrap_err();
    assert!(matches!(error, DynamicsError::Setting { .. }));
}

#[test]
fn a_free_body_under_control_falls_and_spins() {
    let (mut system, mut state) =
        Body::bar("neo-hookean", [2, 1, 1], 0.3).with_gravity([0.0, -9.81, 0.0]).system();
    System::spin(&mut state, [0.5, 0.15, 0.15], [0.3, -1.0, 2.0]);
    let (linear, angular) = system.momenta(&state);
    let mass: f64 = 1000.0 * 0.09;
    let control = Some(StepControl::with_tolerance(1e-8));
    let options = Options { control, ..strict() };
    let mut method = IntegratorName::DormandPrince5.build(&options).unwrap();
    for _ in 0..10 {
        method.step(&mut system, &mut state, 0.05).unwrap();
    }
    let (now, spin) = system.momenta(&state);
    assert!((now[1] - linear[1] + mass * 9.81 * 0.5).abs() < 1e-10 * mass, "{now:?}");
    assert!((spin[0] - angular[0]).abs() > 0.0 && (state.time - 0.5).abs() < 1e-15);
    assert!(method.step_counts().unwrap().accepted > 10);
}

#[test]
fn implicit_methods_with_an_estimate_follow_the_tolerance_too() {
    use IntegratorName as I;
    let run = |name: I, tolerance: f64| {
        let (mut system, mut state) = swinging(true);
        let mut method = adaptive(name, StepControl::with_tolerance(tolerance));
        method.advance(&mut system, &mut state, END).unwrap();
        assert!(state.time == END);
        (state, method.counts())
    };
    let (reference, _) = run(I::DormandPrince853, 1e-13);
    // Steps are as long as h^(q+1) is near the tolerance, and the error at the end is near h^p: pairs that go
    // on with the better of two results are proportional to the tolerance, BDF to a power of it.
    for (name, expected) in [
        (I::Bdf2, 2.0 / 3.0),
        (I::Bdf3, 3.0 / 4.0),
        (I::Rosenbrock4Lstable, 1.0),
        (I::Rosenbrock4Shampine, 1.0),
        (I::Rosenbrock4Grk4t, 1.0),
        (I::Rosenbrock4Grk4a, 1.0),
    ] {
        let mut logs = Vec::new();
        for k in 5..=8 {
            let tolerance = 10.0_f64.powi(-k);
            let (state, counts) = run(name, tolerance);
            let error = difference(&state, &reference);
            println!("| {} | {tolerance:.0e} | {error:.2e} | {counts:?} |", name.name());
            logs.push((tolerance.ln(), error.ln()));
        }
        let slope = slope(&logs);
        println!("{}: {slope}", name.name());
        assert!((slope - expected).abs() < 0.15, "{}: {slope}", name.name());
    }
}
