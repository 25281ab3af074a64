//! Ends that are no answers, and the balance of energy, through scenes.

use std::fs;
use std::path::Path;

use pliant_scene::run::{Destination, run};
use pliant_scene::{Folder, Origin, Scene, Simulation, Summary};

use crate::temporary::Temporary;

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("rest.toml")).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs into a folder: the summary, the columns of the history by name, and the page.
fn run_in(name: &str, scene: &Scene, simulation: &mut Simulation) -> (Summary, Table, String) {
    let place = Temporary::new(name);
    let origin = Origin { scene: "rest".into(), sets: Vec::new() };
    let folder = Folder::create(&place.0, &origin, true).unwrap();
    let destination = Destination { folder: &folder, resume: false };
    let outcome = run(scene, simulation, Some(&destination), &mut |_| true).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let history = fs::read_to_string(place.0.join("history.csv")).unwrap();
    let page = fs::read_to_string(place.0.join("report.html")).unwrap_or_default();
    (outcome.summary, Table(history), page)
}

struct Table(String);

impl Table {
    /// The last field of a column, as it is written.
    fn last(&self, column: &str) -> &str {
        let name = |title: &str| title.split(" [").next() == Some(column);
        let at = self.0.lines().next().unwrap().split(',').position(name).unwrap();
        self.0.lines().last().unwrap().split(',').nth(at).unwrap()
    }
}

/// A straight column, clamped below, that is pressed by a part of its length and may move sideways above.
fn column(part: f64, analysis: &str) -> String {
    format!(
        r#"
gravity = [0, 0, 0]
[body.column]
mesh = {{ shape = "box", size = [1, 0.1, 0.1], cells = [10, 1, 1], cell = "hex" }}
material = {{ law = "neo-hookean", young = "100 kPa", poisson = 0 }}
fixed = "x-min"
[body.column.moved]
set = "x-max"
axes = "x"
translation = {{ by = [-{part}, 0, 0], curve = {{ kind = "ramp", start = 0, end = 1 }} }}
[time]
{analysis}
[output]
frames = 0
"#
    )
}

#[test]
fn a_column_pressed_beyond_its_critical_load_is_told_to_be_unstable() {
    // Euler: ε = π² I / (4 A L²) = π² 0.01 / 48 = 0.206 %; a hexahedron a section is far stiffer in bending than that.
    for analysis in
        ["analysis = \"static\"", "analysis = \"quasi-static\"\nstep = \"0.5 s\"\nend = \"1 s\""]
    {
        for (part, stable) in [(0.0005, true), (0.2, false)] {
            let scene = parse(&column(part, analysis));
            let mut simulation = Simulation::build(&scene).unwrap();
            let (summary, history, page) = run_in("column", &scene, &mut simulation);
            let what = format!("{analysis}, {part}: {:?}", summary.warnings);
            assert_eq!((summary.converged, summary.stable), (true, Some(stable)), "{what}");
            assert_eq!(history.last("stable"), if stable { "1" } else { "0" }, "{what}");
            let told =
                summary.warnings.iter().any(|w| w.starts_with("The state of rest is not st"));
            assert_eq!(told, !stable, "{what}");
            // It buckles to two sides alike: directions in which it gives way come in pairs.
            let pivots = summary.negative_pivots;
            let pairs = pivots.is_some_and(|n| n > 0 && n.is_multiple_of(2));
            assert!(if stable { pivots.is_none() } else { pairs }, "{what} {pivots:?}");
            assert_eq!(page.contains("negative pivots"), !stable, "{what}");
            assert_eq!(page.contains("Finished, with a warning"), !stable, "{what}");
            // Straight: J = 1 − part everywhere, as Poisson's ratio is 0 and lateral stretches are free.
            assert_eq!(summary.inverted_points, 0, "{what}");
            let j: f64 = history.last("min_j").parse().unwrap();
            assert!(j > 0.0 && j < 1.0 && summary.min_j == Some(j), "{what} {j}");
            let again = Summary::from_json(&summary.to_json());
            assert_eq!(again, Some(summary));
        }
    }
}

const MIRRORED: &str = r#"
gravity = [0, 0, 0]
[body.cube]
mesh = { shape = "box", size = [1, 1, 1], cells = [2, 2, 2], cell = "hex" }
material = { law = "LAW", young = "100 kPa", poisson = 0.3 }
fixed = "x-min"
[time]
analysis = "static"
[solver]
static_method = "METHOD"
[output]
frames = 0
"#;

/// The cube mirrored at the face it is fixed at.
fn mirrored(law: &str, method: &str) -> (Scene, Simulation) {
    let scene = parse(&MIRRORED.replace("LAW", law).replace("METHOD", method));
    let mut simulation = Simulation::build(&scene).unwrap();
    let mut state = simulation.state().clone();
    for x in &mut state.x {
        x[0] = -x[0];
    }
    simulation.adopt(state).unwrap();
    (scene, simulation)
}

#[test]
fn a_tangled_end_is_counted_and_told_and_robust_finds_the_way_out() {
    // The mirror image of a St. Venant-Kirchhoff body has no energy and no forces: it rests inside out.
    let (scene, mut simulation) = mirrored("st-venant-kirchhoff", "newton");
    let (summary, history, page) = run_in("mirror", &scene, &mut simulation);
    assert!((summary.min_j.unwrap() + 1.0).abs() < 1e-12, "{:?}", summary.min_j);
    assert_eq!((summary.inverted_points, history.last("inverted_points")), (64, "64"));
    let warning = summary.warnings.iter().find(|w| w.contains("tangled")).unwrap();
    assert!(
        warning.starts_with("The body is tangled at the end: 64 quadrature points are inverted")
    );
    assert!(page.contains("tangled at the end") && page.contains("inverted points"));

    // A law which pulls inverted elements back has a way out, and robust finds it.
    let (scene, mut simulation) = mirrored("stable-neo-hookean", "robust");
    let (summary, _, _) = run_in("robust", &scene, &mut simulation);
    assert_eq!((summary.inverted_points, summary.stable), (0, Some(true)));
    assert!((summary.min_j.unwrap() - 1.0).abs() < 1e-6, "{:?}", summary.min_j);
    assert!(summary.warnings.is_empty(), "{:?}", summary.warnings);
}

/// A bar of Poisson's ratio 0 whose end is moved by `stretch` − 1 of its length.
fn stretched(length: f64, stretch: f64, analysis: &str) -> String {
    let by = length * (stretch - 1.0);
    format!(
        r#"
gravity = [0, 0, 0]
[body.bar]
mesh = {{ shape = "box", size = [{length}, 0.1, 0.1], cells = [4, 1, 1], cell = "hex" }}
material = {{ law = "neo-hookean", young = "100 kPa", poisson = 0 }}
fixed = "x-min"
[body.bar.moved]
set = "x-max"
translation = {{ by = [{by}, 0, 0], curve = {{ kind = "ramp", start = 0, end = 1 }} }}
[time]
{analysis}
[output]
frames = 0
report = false
"#
    )
}

fn summary(text: &str) -> Summary {
    let scene = parse(text);
    let mut simulation = Simulation::build(&scene).unwrap();
    let outcome = run(&scene, &mut simulation, None, &mut |_| true).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    outcome.summary
}

/// W = V (μ/2 (λ² − 1) − μ ln λ), without lateral strain, as Lamé's λ is 0.
fn stored(length: f64, stretch: f64) -> f64 {
    0.01 * length * 5e4 * (0.5 * (stretch * stretch - 1.0) - stretch.ln())
}

const TIGHT: &str = "[solver]\nnewton_tolerance = 1e-11\n";

#[test]
fn the_work_of_a_moved_support_is_the_energy_that_a_bar_stores() {
    // The one that is pressed is so short that it does not buckle.
    for (length, stretch) in [(0.5, 1.4), (0.2, 0.7)] {
        let exact = stored(length, stretch);
        let e = summary(&(stretched(length, stretch, "analysis = \"static\"") + TIGHT)).energy;
        assert!((e.elastic.unwrap() / exact - 1.0).abs() < 1e-9, "{e:?} {exact}");
        assert!((e.external_work / exact - 1.0).abs() < 1e-9, "{e:?} {exact}");
        assert_eq!(e.numerical_loss, None);
        // By the reactions along the way: the trapezoidal rule is of second order, with an error of
        // −h²/12 (f'(λ) − f'(1)), f' = μ A (1 + 1/λ²).
        let error = |steps: u32| {
            let step = 1.0 / f64::from(steps);
            let analysis = format!("analysis = \"quasi-static\"\nend = \"1 s\"\nstep = {step}");
            let e = summary(&(stretched(length, stretch, &analysis) + TIGHT)).energy;
            assert_eq!((e.numerical_loss, e.kinetic), (None, 0.0));
            assert!((e.elastic.unwrap() / exact - 1.0).abs() < 1e-9, "{e:?} {exact}");
            e.external_work - exact
        };
        let errors = [10, 20, 40].map(error);
        let h = 0.1 * (stretch - 1.0);
        let expected = h * h / 12.0 * length * 0.01 * 5e4 * (1.0 / (stretch * stretch) - 1.0);
        assert!((errors[0] / expected - 1.0).abs() < 0.02, "{errors:?} {expected}");
        for pair in errors.windows(2) {
            assert!((3.9..4.1).contains(&(pair[0] / pair[1])), "{errors:?}");
        }
    }
}

#[test]
fn a_slender_bar_that_is_pressed_between_clamps_buckles() {
    // Euler: at a strain of π²/3 (0.1/0.5)² = 13 %. Pressed by 3 % it is straight, by 30 % it stores less than it would then.
    for (stretch, straight) in [(0.97, true), (0.7, false)] {
        let s = summary(&(stretched(0.5, stretch, "analysis = \"static\"") + TIGHT));
        let less = 1.0 - s.energy.elastic.unwrap() / stored(0.5, stretch);
        assert_eq!(s.stable, Some(true), "{stretch} {less:e}");
        assert!(if straight { less.abs() < 1e-9 } else { less > 1e-3 }, "{stretch} {less:e}");
    }
}

/// A cube whose vertices are thrown about by expressions of their place, all but those at X = 0.
const SCATTERED: &str = r#"
gravity = [0, 0, 0]
[body.cube]
mesh = { shape = "box", size = [1, 1, 1], cells = [3, 3, 3], cell = "hex" }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.45, invertible = true }
fixed = "x-min"
initial = { displacement = ["1.3*X*sin(91*X + 57*Y + 23*Z)", "X*sin(37*X + 83*Y + 61*Z)", "X*sin(71*X + 29*Y + 97*Z)"] }
[probe.corner]
body = "cube"
at = [1, 1, 1]
[time]
analysis = "static"
[solver]
static_method = "METHOD"
newton_tolerance = 1e-10
[output]
frames = 0
report = false
"#;

#[test]
fn robust_brings_back_a_cube_that_a_scene_has_scattered() {
    let scene = parse(&SCATTERED.replace("METHOD", "robust"));
    let mut simulation = Simulation::build(&scene).unwrap();
    let seen = simulation.inspect().unwrap().unwrap();
    assert!(seen.inverted > 50 && seen.min_j < -1.0, "the start is hardly tangled: {seen:?}");
    let outcome = run(&scene, &mut simulation, None, &mut |_| true).unwrap();
    let summary = outcome.summary;
    assert!(outcome.failure.is_none() && summary.warnings.is_empty(), "{summary:?}");
    assert_eq!((summary.inverted_points, summary.stable), (0, Some(true)));
    assert!((summary.min_j.unwrap() - 1.0).abs() < 1e-6, "{:?}", summary.min_j);
    let moved = summary.probes[0].displacement;
    assert!(moved.iter().all(|u| u.abs() < 1e-6), "{moved:?}");
    assert!(summary.energy.elastic.unwrap().abs() < 1e-8, "{:?}", summary.energy);
}

const PUSHED: &str = r#"
gravity = [0, 0, 0]
[body.bar]
mesh = { shape = "box", size = [0.3, 0.1, 0.1], cells = [3, 1, 1], cell = "hex" }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.3 }
fixed = "x-min"
load = { set = "x-max", force = [0, 0, "1 N"], curve = CURVE }
[time]
integrator = "METHOD"
step = "STEP"
end = "0.2 s"
[solver]
SOLVER
[output]
frames = 0
report = false
"#;

/// Loads within a step: a table whose points are all between the steps, pulses as short as one, and a slow wave.
#[test]
fn loads_that_change_within_a_step_do_their_work() {
    let curves = [
        "{ kind = \"table\", times = [0, 0.005, 0.01, 0.015, 0.02], values = [0, 1, 0, -1, 0] }",
        "{ kind = \"pulse\", start = 0.02, rise = 0, hold = 0.01 }",
        "{ kind = \"pulse\", start = 0.023, rise = 0, hold = 0.03 }",
        "{ kind = \"ramp\", start = 0, end = 0.1, from = 0, to = 1 }",
    ];
    for (method, step) in [
        ("backward-euler", "10 ms"),
        ("implicit-midpoint", "10 ms"),
        ("trapezoidal", "10 ms"),
        ("newmark", "10 ms"),
        ("symplectic-euler", "1 ms"),
        ("rk4", "1 ms"),
    ] {
        for (k, curve) in curves.iter().enumerate() {
            let solver = if step == "10 ms" { "newton_tolerance = 1e-10" } else { "" };
            let text = PUSHED.replace("METHOD", method).replace("STEP", step);
            let text = text.replace("CURVE", curve).replace("SOLVER", solver);
            let text = if solver.is_empty() { text.replace("[solver]\n", "") } else { text };
            let scene = parse(&text);
            let mut simulation = Simulation::build(&scene).unwrap();
            let (summary, history, _) = run_in("pushed", &scene, &mut simulation);
            let e = summary.energy;
            let balance = simulation.balance();
            let what = format!("{method}, curve {k}: {e:?}, through {}", balance.through);
            println!("{what}");
            // The summary and the history say the same.
            let loss = e.numerical_loss.unwrap();
            assert_eq!(history.last("numerical_loss").parse(), Ok(loss), "{what}");
            // Long steps of backward Euler may leave nothing of a pulse, and then say so.
            let told =
                summary.warnings.iter().filter(|w| w.contains("by numerical damping")).count();
            assert_eq!(told, usize::from(balance.lost_part() > 0.9), "{what}");
            assert!(told == 0 || method == "backward-euler", "{what}");
            assert_eq!(summary.warnings.len(), told, "{what}");
            // What is there came from outside; a method that loses energy does not make it.
            let (low, high) = match method {
                "backward-euler" => (-1e-6, 1.0),
                "implicit-midpoint" | "trapezoidal" => (-2e-2, 2e-2),
                _ => (-0.5, 0.5),
            };
            let part = balance.lost_part();
            assert!((low..=high).contains(&part), "{part} {what}");
        }
    }
}

/// A support that starts and stops with a jerk gives its masses their energy.
#[test]
fn a_support_that_starts_with_a_jerk_makes_no_energy() {
    let text =
        stretched(0.5, 1.2, "integrator = \"implicit-midpoint\"\nstep = \"2 ms\"\nend = \"1.2 s\"");
    let text = text.replace("start = 0, end = 1 }", "start = 0.1, end = 0.4 }");
    let scene = parse(&text);
    let mut simulation = Simulation::build(&scene).unwrap();
    let outcome = run(&scene, &mut simulation, None, &mut |_| true).unwrap();
    let balance = simulation.balance();
    println!("{balance:?}");
    assert_eq!(outcome.summary.warnings, [""; 0]);
    assert!(balance.lost_part().abs() < 0.02, "{balance:?}");
    assert!(balance.external_work > 0.5 * balance.energies.elastic, "{balance:?}");
}

/// A bar that is given a spin about the end it is held at, without any damping of its own.
fn swinging(integrator: &str, step: &str) -> String {
    format!(
        r#"
gravity = [0, 0, 0]
[body.bar]
mesh = {{ shape = "box", size = [0.3, 0.1, 0.1], cells = [3, 1, 1], cell = "hex" }}
material = {{ law = "neo-hookean", young = "100 kPa", poisson = 0.3 }}
fixed = "x-min"
initial = {{ velocity = [0, 0, "X"] }}
[time]
integrator = "{integrator}"
step = "{step}"
end = "1 s"
[output]
frames = 0
"#
    )
}

#[test]
fn energy_that_vanishes_in_the_method_is_told_in_summary_and_report() {
    for (integrator, step, lost) in
        [("backward-euler", "20 ms", true), ("implicit-midpoint", "2 ms", false)]
    {
        let scene = parse(&swinging(integrator, step));
        let mut simulation = Simulation::build(&scene).unwrap();
        let (summary, _, page) = run_in("swinging", &scene, &mut simulation);
        let part = simulation.balance().lost_part();
        let what = format!("{integrator}: {part} {:?}", summary.warnings);
        assert_eq!((part > 0.9, part.abs() < 0.05), (lost, !lost), "{what}");
        let told = summary.warnings.iter().any(|w| {
            w.starts_with("backward-euler has taken") && w.contains("by numerical damping")
        });
        assert_eq!((told, summary.warnings.len()), (lost, usize::from(lost)), "{what}");
        assert_eq!(page.contains("by numerical damping"), lost, "{what}");
    }
    // A bar that is pulled and comes to rest has lost half of the work or less, which is no reason to warn.
    let text =
        stretched(0.5, 1.0, "integrator = \"backward-euler\"\nstep = \"50 ms\"\nend = \"5 s\"");
    let text =
        text.replace("fixed = \"x-min\"\n[body.bar.moved]", "fixed = \"x-min\"\n[body.bar.load]");
    let (from, _) = text.split_once("[body.bar.load]").unwrap();
    let (_, rest) = text.split_once("[time]").unwrap();
    let text =
        format!("{from}load = {{ set = \"x-max\", force = [\"50 N\", 0, 0] }}\n[time]{rest}");
    let scene = parse(&text);
    let mut simulation = Simulation::build(&scene).unwrap();
    let outcome = run(&scene, &mut simulation, None, &mut |_| true).unwrap();
    let part = simulation.balance().lost_part();
    assert!((0.2..0.6).contains(&part), "{part}");
    assert_eq!(outcome.summary.warnings, [""; 0]);
}

/// The sides of a St. Venant-Kirchhoff bar shrink by λ² = 1 − ν (l² − 1), to nothing at l = 1.79 for ν = 0.45; those of a
/// neo-Hookean one do not.
#[test]
fn a_crushed_end_is_told() {
    let told = |law: &str, by: &str| {
        let text = r#"
gravity = [0, 0, 0]
[time]
analysis = "quasi-static"
step = "40 ms"
end = "1 s"
[body.b]
mesh = { shape = "bar", length = "20 cm", width = "4 cm", height = "4 cm", across = 2 }
material = { law = "LAW", young = "1 MPa", poisson = 0.45 }
fixed = "x-min"
moved = [{ set = "x-max", translation = { by = ["BY", 0, 0], curve = { kind = "ramp", end = "1 s" } } }]
[output]
frames = 0
"#;
        let found = summary(&text.replace("LAW", law).replace("BY", by));
        found.warnings.iter().any(|w| w.starts_with("The body is crushed at the end"))
    };
    assert!(told("st-venant-kirchhoff", "20 cm"));
    assert!(!told("st-venant-kirchhoff", "10 cm"));
    assert!(!told("neo-hookean", "20 cm"));
}
