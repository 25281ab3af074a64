//! Steps that fail: they are divided, counted, and end where they would have ended.

use std::fs;
use std::path::Path;

use pliant_errors::Class;
use pliant_scene::run::{Destination, Outcome, Progress, run};
use pliant_scene::{Folder, MOST_PARTS, Origin, Retries, Scene, SceneError, Simulation};

use crate::temporary::Temporary;

/// A block that is pressed to a tenth of its length twice, each time within one step: its cells would be turned
/// inside out.
const PRESSED: &str = r#"
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.3 }
fixed = "x-min"
damping = { mass = "2 1/s" }
[body.block.moved]
set = "x-max"
translation = { by = [-0.09, 0, 0], curve = { kind = "table", times = [0, 0.02, 0.04, 0.1, 0.12, 0.14], values = [0, 0, 1, 0, 0, 1] } }
[time]
step = "20 ms"
end = "0.2 s"
[output]
frames = 0
report = false
checkpoint_every = 4
"#;

/// The same within the first step, which is all there is.
const PRESSED_AT_ONCE: &str = r#"
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.3 }
fixed = "x-min"
damping = { mass = "2 1/s" }
[body.block.moved]
set = "x-max"
translation = { by = [-0.09, 0, 0], curve = { kind = "ramp", start = 0, end = 0.02 } }
[time]
step = "20 ms"
end = "20 ms"
"#;

fn parse(text: &str, sets: &[&str]) -> Result<Scene, SceneError> {
    let mut text = text.to_owned();
    for set in sets {
        text = text.replacen("[time]\n", &format!("[time]\n{set}\n"), 1);
    }
    Scene::parse(&text, Path::new("pressed.toml"))
}

fn scene(text: &str, sets: &[&str]) -> Scene {
    parse(text, sets).unwrap_or_else(|e| panic!("{e}"))
}

fn simulation(text: &str, sets: &[&str]) -> Simulation {
    Simulation::build(&scene(text, sets)).unwrap_or_else(|e| panic!("{e}"))
}

impl Temporary {
    fn folder(&self) -> Folder {
        let origin = Origin { scene: "pressed".into(), sets: Vec::new() };
        Folder::create(&self.0, &origin, false).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }
}

/// Runs until `stop` steps were made.
fn go(scene: &Scene, folder: &Folder, resume: bool, stop: u64) -> (Outcome, Simulation) {
    let mut simulation = Simulation::build(scene).unwrap();
    let place = Destination { folder, resume };
    let mut watch = |p: &Progress| p.step < stop;
    let outcome = run(scene, &mut simulation, Some(&place), &mut watch).unwrap();
    (outcome, simulation)
}

/// The column of retries of a history.
fn retries(history: &str) -> Vec<u64> {
    let mut lines = history.lines();
    let column = lines.next().unwrap().split(',').position(|name| name == "retries").unwrap();
    lines.map(|row| row.split(',').nth(column).unwrap().parse().unwrap()).collect()
}

#[test]
fn a_step_that_fails_is_divided_and_the_run_goes_on() {
    let temporary = Temporary::new("goes-on");
    let off = scene(PRESSED, &["retry = false"]);
    let (outcome, made) = go(&off, &temporary.folder(), false, u64::MAX);
    let error = outcome.failure.expect("the step that presses fails");
    assert_eq!((error.class(), made.state().steps), (Class::Computation, 1), "{error}");
    assert!(!error.to_string().contains("divided"), "{error}");
    assert_eq!(outcome.summary.retries, 0);
    assert_eq!(outcome.summary.shortest_step, None);

    let mut on = scene(PRESSED, &[]);
    on.output.report = true;
    let (outcome, made) = go(&on, &temporary.folder(), false, u64::MAX);
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let (summary, tally) = (&outcome.summary, made.tally().retries);
    assert_eq!((summary.converged, summary.steps), (true, 10));
    // The time is what ten whole steps come to, to the last bit.
    let end = (0..10).fold(0.0, |t, _| t + 0.02);
    assert_eq!(made.state().time.to_bits(), f64::to_bits(end));
    assert_eq!(tally.steps, 2);
    assert!(tally.attempts >= 2);
    assert_eq!(summary.retries, tally.attempts);
    assert_eq!(summary.divided_steps, 2);
    assert_eq!(summary.first_divided, Some(0.02));
    assert!((summary.last_divided.unwrap() - 0.12).abs() < 1e-12);
    let shortest = summary.shortest_step.unwrap();
    assert!(shortest <= 0.01 && shortest >= 0.02 / f64::from(MOST_PARTS), "{shortest}");
    let column = retries(&temporary.read("history.csv"));
    assert_eq!(column.len(), 11);
    assert!(column.is_sorted() && column[1] == 0 && column[2] > 0 && column[7] > column[6]);
    assert_eq!(column[10], tally.attempts);
    // It is said once, in the summary, in the report and by the command.
    let text = tally.text().unwrap();
    assert!(text.starts_with("2 steps failed, the first at t = 20\u{a0}ms"), "{text}");
    assert_eq!(made.warnings.iter().filter(|w| **w == text).count(), 1);
    assert!(summary.warnings.contains(&text));
    let page = temporary.read("report.html");
    assert!(page.contains("2 steps failed, the first at") && page.contains("Steps that fail"));
}

#[test]
fn a_divided_step_is_two_half_steps_to_the_last_bit() {
    for sets in [
        &["integrator = \"backward-euler\""][..],
        // With linear systems that are solved as well as the last solve tells.
        &["integrator = \"backward-euler\"", "# newton = \"inexact\"\n# linear = \"cg\""],
        &["integrator = \"generalized-alpha\""],
        &["integrator = \"bdf2\""],
        &["integrator = \"rosenbrock2\""],
        &["integrator = \"implicit-midpoint\"", "retry = true"],
        &["integrator = \"rk4\""],
    ] {
        // As far, and with as few iterations, that one division is needed and enough.
        let cases = [50, 5, 4, 3].into_iter().flat_map(|most| (40..99).map(move |by| (most, by)));
        let pressed = cases.map(|(most, by)| {
            let text = PRESSED_AT_ONCE.replace("[-0.09", &format!("[-0.0{by}"));
            let kept = sets.last().filter(|s| s.starts_with('#')).map(|s| s.replace("# ", ""));
            let kept = kept.unwrap_or_default();
            // Others have no iterations to limit.
            let others = ["rosenbrock2", "rk4"].iter().any(|name| sets[0].contains(name));
            let limit = if others { String::new() } else { format!("newton_iterations = {most}") };
            let text = format!("{text}[solver]\n{limit}\n{kept}\n");
            let mut whole = simulation(&text, sets);
            whole.step().map(|()| (text, whole))
        });
        let once = |(_, s): &(String, Simulation)| s.tally().retries.attempts == 1;
        let (text, whole) = pressed.flatten().find(once).unwrap_or_else(|| panic!("{sets:?}"));
        assert_eq!(whole.tally().retries.shortest, 0.01, "{sets:?}");
        let mut halves = simulation(&text.replace("\"20 ms\"\nend", "\"10 ms\"\nend"), sets);
        halves.step().unwrap();
        halves.step().unwrap();
        assert_eq!(halves.tally().retries, Retries::default());
        assert_eq!((whole.state().steps, halves.state().steps), (1, 2));
        let mut state = halves.state().clone();
        state.steps = 1;
        assert!(state.to_bytes() == whole.state().to_bytes(), "{sets:?}");
        // Work and dissipation are those of the halves.
        assert_eq!(whole.balance(), halves.balance(), "{sets:?}");
        let newton = |s: &Simulation| s.last_iterations();
        assert!(newton(&whole) >= newton(&halves));
    }
}

#[test]
fn a_run_with_divided_steps_is_the_same_when_resumed_and_on_any_number_of_threads() {
    for newton in ["full", "simplified"] {
        let scene = scene(&format!("{PRESSED}[solver]\nnewton = \"{newton}\"\n"), &[]);
        let whole = Temporary::new(&format!("whole-{newton}"));
        let (outcome, made) = go(&scene, &whole.folder(), false, u64::MAX);
        assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
        assert_eq!(made.tally().retries.steps, 2);
        let (state, history) = (made.state().to_bytes(), whole.read("history.csv"));
        // Stopped after the first step that is divided, and right after the second: each time with a checkpoint.
        let cut = Temporary::new(&format!("cut-{newton}"));
        let folder = cut.folder();
        for stop in [6, 7, u64::MAX] {
            let (outcome, made) = go(&scene, &folder, stop > 6, stop);
            if stop == u64::MAX {
                assert!(made.state().to_bytes() == state, "{newton}");
                assert_eq!(outcome.summary.resumed_at, Some(7));
                assert_eq!(cut.read("history.csv"), history);
                // Iterations and times of the first two steps are those of before the checkpoint.
                let both: Vec<serde_json::Value> = [&whole, &cut]
                    .map(|t| serde_json::from_str(&t.read("summary.json")).unwrap())
                    .into();
                for key in ["retries", "divided_steps", "first_divided", "shortest_step", "energy"]
                {
                    assert_eq!(both[0][key], both[1][key], "{key}");
                }
            }
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let other = Temporary::new(&format!("{threads}-{newton}"));
            pool.install(|| go(&scene, &other.folder(), false, u64::MAX));
            assert_eq!(other.read("history.csv"), history, "{threads} threads");
        }
    }
}

#[test]
fn where_nothing_fails_retries_change_nothing() {
    let text = PRESSED.replace("-0.09", "-0.01");
    let run = |set: &str| {
        let mut simulation = simulation(&text, &[set]);
        while !simulation.is_done() {
            simulation.step().unwrap();
        }
        (simulation.state().to_bytes(), simulation.balance(), simulation.tally())
    };
    let (on, off) = (run("retry = true"), run("retry = false"));
    assert!(on == off && on.2.retries == Retries::default() && on.2.retries.text().is_none());
}

#[test]
fn a_step_that_fails_in_its_shortest_part_says_so_and_leaves_everything_as_it_was() {
    // One iteration is never enough for forces to a part in 1e13.
    let text = format!("{PRESSED}[solver]\nnewton_iterations = 1\nnewton_tolerance = 1e-13\n");
    let mut simulation = simulation(&text, &[]);
    // At rest there is nothing to iterate for; gravity is.
    let (state, balance) = (simulation.state().to_bytes(), simulation.balance());
    let error = simulation.step().unwrap_err();
    let first = "the step at t = 0\u{a0}s failed even when divided into 64 parts: ";
    assert!(error.to_string().starts_with(first), "{error}");
    assert!(error.to_string().contains("did not converge"), "{error}");
    assert_eq!(error.class(), Class::Computation);
    assert!(simulation.state().to_bytes() == state);
    assert_eq!(simulation.balance(), balance);
    assert_eq!(simulation.tally().retries, Retries::default());
    // Nothing of it is left in the method either.
    assert_eq!(simulation.step().unwrap_err().to_string(), error.to_string());
}

#[test]
fn parts_that_succeeded_before_one_that_fails_are_taken_back() {
    // Through the other end: all goes well until there is no room left.
    let text = PRESSED_AT_ONCE.replace("[-0.09", "[-0.2");
    let mut simulation = simulation(&text, &[]);
    let (state, balance) = (simulation.state().to_bytes(), simulation.balance());
    let error = simulation.step().unwrap_err().to_string();
    assert!(error.contains("divided into 64 parts"), "{error}");
    assert!(!error.contains("the step from t = 0\u{a0}s"), "no part succeeded: {error}");
    assert!(simulation.state().to_bytes() == state);
    assert_eq!(simulation.balance(), balance);
    assert_eq!(simulation.step().unwrap_err().to_string(), error);
}

#[test]
fn a_step_whose_end_has_no_energy_is_not_half_made() {
    // Forces are those of the start; that the block is inside out shows only when the balance is drawn up.
    let sets = ["integrator = \"symplectic-euler\""];
    let mut explicit = simulation(PRESSED_AT_ONCE, &sets);
    let (state, balance) = (explicit.state().to_bytes(), explicit.balance());
    let error = explicit.step().unwrap_err();
    assert!(error.to_string().contains("inverted"), "{error}");
    assert!(explicit.state().to_bytes() == state);
    assert_eq!(explicit.balance(), balance);
}

#[test]
fn steps_are_divided_by_default_where_that_takes_nothing_from_the_method() {
    for (name, on) in [
        ("backward-euler", true),
        ("generalized-alpha", true),
        ("bdf3", true),
        ("rosenbrock2", true),
        ("rk4", true),
        ("implicit-midpoint", false),
        ("trapezoidal", false),
        ("newmark", false),
        ("symplectic-euler", false),
        ("verlet", false),
        ("central-differences", false),
        ("explicit-newmark", false),
    ] {
        let set = format!("integrator = \"{name}\"");
        assert_eq!(scene(PRESSED, &[&set]).time.retry, on, "{name}");
        assert!(scene(PRESSED, &[&set, "retry = true"]).time.retry, "{name}");
        assert!(!scene(PRESSED, &[&set, "retry = false"]).time.retry, "{name}");
    }
    let set = ["integrator = \"newmark\"", "beta = 0.3025", "gamma = 0.6"];
    assert!(scene(PRESSED, &set).time.retry, "newmark with damping");
    let set = ["integrator = \"generalized-alpha\"", "spectral_radius = 1"];
    assert!(!scene(PRESSED, &set).time.retry, "generalized-alpha without damping");
}

#[test]
fn what_shortens_its_steps_by_itself_cannot_be_told_to() {
    let controlled = ["integrator = \"dormand-prince-5\"", "tolerance = 1e-4"];
    assert!(!scene(PRESSED, &controlled).time.retry);
    for (sets, why) in [
        (&[controlled[0], controlled[1], "retry = true"][..], "chosen by their error"),
        (&["analysis = \"static\"", "retry = true"], "load steps"),
        (&["integrator = \"quasi-static\"", "retry = true"], "divides its steps by itself"),
    ] {
        let error = parse(PRESSED, sets).unwrap_err();
        assert!(error.to_string().contains(why) && error.to_string().contains("retry"), "{error}");
        assert_eq!(error.class(), Class::Input);
    }
    assert!(!scene(PRESSED, &["analysis = \"static\"", "retry = false"]).time.retry);
}
