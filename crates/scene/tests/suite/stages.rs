//! `[[stage]]`: states of rest and motions in one run.

use std::fs;
use std::path::Path;

use pliant_algebra::vec3::norm;
use pliant_scene::run::{Destination, Progress, run};
use pliant_scene::{Folder, Origin, Scene, SceneError, Simulation, Summary};

use crate::temporary::Temporary;

/// A rod of linear material, Poisson's ratio 0, that hangs from y = 0: speed of waves c = √(E/ρ) = 10 m/s, stretched by
/// ρ g L²/(2 E) = 0.05 m under 10 m/s².
const ROD: &str = r#"
gravity = [0, -10, 0]
[body.rod]
mesh = { shape = "box", size = [0.1, 1, 0.1], cells = [1, 40, 1], cell = "hex" }
position = [0, -1, 0]
material = { law = "linear", young = 1e5, poisson = 0 }
fixed = "y-max"
[solver]
newton_tolerance = 1e-10
[[stage]]
name = "hang"
analysis = "static"
SECOND
[probe.bottom]
at = [0.05, -1, 0.05]
[probe.top]
at = [0.05, 0, 0.05]
"#;

const MOTION: &str = "integrator = \"implicit-midpoint\"\nstep = \"1 ms\"\n";

fn parsed(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("rod.toml"))
}

fn rod(second: &str) -> Simulation {
    let scene = parsed(&ROD.replace("SECOND", second)).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn go_on(simulation: &mut Simulation, steps: u64) {
    for _ in 0..steps {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

fn probe(simulation: &Simulation, name: &str) -> f64 {
    let probe = simulation.probes.iter().find(|p| p.name == name).unwrap();
    simulation.displacement(probe)[1]
}

/// What hangs at rest stays at rest when it may move: the weight of the static stage is that of the motion.
#[test]
fn a_motion_that_changes_nothing_begins_without_a_kick() {
    let mut simulation = rod(&format!("[[stage]]\n{MOTION}steps = 20"));
    go_on(&mut simulation, 1);
    let hung = simulation.state().x.clone();
    assert!((probe(&simulation, "bottom") + 0.05).abs() < 1e-9);
    assert_eq!(simulation.stage(), Some((0, "hang")));
    go_on(&mut simulation, 20);
    assert!(simulation.is_done());
    assert_eq!(simulation.stage(), Some((1, "2")));
    assert!((simulation.state().time - 0.02).abs() < 1e-15);
    for (a, b) in simulation.state().x.iter().zip(&hung) {
        assert!(norm(pliant_algebra::vec3::sub(*a, *b)) < 1e-10, "{a:?} {b:?}");
    }
    let (_, speed) = simulation.state().fastest();
    assert!(speed < 1e-7, "{speed}");
}

/// Let go of at the top, the rod falls with its centre, and its lower end learns of it when the wave arrives: until
/// t = L/c = 0.1 s it does not move, while the upper end falls at the constant speed g L/c (d'Alembert's solution with free
/// ends, in the falling frame: u(0, t) = u₀(c t), u(L, t) = u₀(L − c t)).
#[test]
fn a_rod_that_is_released_falls_and_its_lower_end_waits_for_the_wave() {
    let mut simulation = rod(&format!(
        "[[stage]]\nname = \"fall\"\n{MOTION}duration = 0.2\nrelease = \"rod.y-max\""
    ));
    go_on(&mut simulation, 1);
    assert!(simulation.reactions().unwrap()[0][1] > 9.9, "it hangs");
    let centre = simulation.bodies[0].centre(&simulation.state().x)[1];
    let hung = probe(&simulation, "bottom");
    go_on(&mut simulation, 75);
    assert!((probe(&simulation, "bottom") - hung).abs() < 0.01 * 0.05);
    let top = -10.0 / 10.0 * 0.075;
    assert!(
        (probe(&simulation, "top") - top).abs() < 0.02 * top.abs(),
        "{}",
        probe(&simulation, "top")
    );
    assert_eq!(simulation.reactions().unwrap(), [[0.0; 3]]);
    go_on(&mut simulation, 125);
    assert!(simulation.is_done());
    let fallen = simulation.bodies[0].centre(&simulation.state().x)[1] - centre;
    let t = 0.2_f64;
    assert!((fallen + 5.0 * t * t).abs() < 1e-9, "{fallen}");
    assert!(probe(&simulation, "bottom") < hung - 0.05);
}

/// Without gravity the rod swings about its rest: 2 L/c later every point is as far on the other side.
#[test]
fn gravity_that_ends_lets_a_rod_swing_to_the_other_side() {
    let mut simulation = rod(&format!(
        "[[stage]]\n{MOTION}duration = 0.2\ngravity = [0, 0, 0]\n[[stage]]\n{MOTION}end = 0.4"
    ));
    go_on(&mut simulation, 201);
    let up = probe(&simulation, "bottom");
    assert!((up - 0.05).abs() < 0.015 * 0.05, "{up}");
    // Still without gravity: it swings back, and has lost nothing.
    go_on(&mut simulation, 200);
    assert!(simulation.is_done());
    let down = probe(&simulation, "bottom");
    assert!((down + 0.05).abs() < 0.015 * 0.05, "{down}");
    let balance = simulation.balance();
    let scale = balance.energies.elastic;
    assert!(balance.numerical_loss.abs() < 1e-6 * scale, "{balance:?}");
}

/// A load that acts in the first stage alone, and one that acts in the second alone.
#[test]
fn loads_act_in_their_stages() {
    let text = r#"
gravity = [0, 0, 0]
[body.bar]
mesh = { shape = "box", size = [1, 0.1, 0.1], cells = [4, 1, 1], cell = "hex" }
material = { law = "linear", young = 1e5, poisson = 0 }
fixed = "x-min"
[[body.bar.load]]
set = "x-max"
force = [2, 0, 0]
stages = "pull"
[[body.bar.load]]
set = "x-max"
force = [-3, 0, 0]
stages = ["push", "on"]
[[stage]]
name = "pull"
analysis = "static"
[[stage]]
name = "push"
analysis = "static"
[[stage]]
name = "on"
analysis = "quasi-static"
step = 0.5
steps = 2
[probe.end]
at = [1, 0.05, 0.05]
[solver]
newton_tolerance = 1e-12
"#;
    let mut simulation = Simulation::build(&parsed(text).unwrap()).unwrap();
    let end = |simulation: &Simulation| simulation.displacement(&simulation.probes[0])[0];
    // F L/(E A)
    for (force, reaction) in [(2.0, -2.0), (-3.0, 3.0), (-3.0, 3.0), (-3.0, 3.0)] {
        simulation.step().unwrap();
        assert!((end(&simulation) - force / 1e3).abs() < 1e-12, "{}", end(&simulation));
        assert!((simulation.reactions().unwrap()[0][0] - reaction).abs() < 1e-9);
    }
    assert!(simulation.is_done());
    assert!((simulation.state().time - 1.0).abs() < 1e-15);
}

const THREE: &str = r#"
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 1 }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.4 }
fixed = [{ set = "x-min", name = "wall" }, { set = "x-max", stages = ["sag", "swing"], axes = "y" }]
damping = { stiffness = "1 ms" }
[[stage]]
name = "sag"
analysis = "static"
[[stage]]
name = "swing"
integrator = "bdf2"
step = "10 ms"
steps = 4
gravity = [0, -2, 0]
[[stage]]
name = "free"
integrator = "trapezoidal"
step = "5 ms"
duration = "22 ms"
release = "bar.wall"
[output]
frames = "20 ms"
report = true
formats = ["vtu", "glb"]
checkpoint_every = 1
[probe.tip]
at = [0.3, 0.05, 0.05]
"#;

/// Runs, until so many steps were made if it is not to come to its end.
fn run_to(scene: &Scene, at: &Temporary, resume: bool, steps: Option<u64>) -> Summary {
    let folder = if resume {
        Folder::open(&at.0).unwrap().0
    } else {
        let origin = Origin { scene: "bar".into(), sets: Vec::new() };
        Folder::create(&at.0, &origin, true).unwrap()
    };
    let mut simulation = Simulation::build(scene).unwrap();
    let destination = Destination { folder: &folder, resume };
    let mut watch = |p: &Progress| steps.is_none_or(|steps| p.step < steps);
    let outcome = run(scene, &mut simulation, Some(&destination), &mut watch).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    outcome.summary
}

#[test]
fn a_run_that_is_stopped_in_any_stage_goes_on_to_the_last_bit() {
    let scene = parsed(THREE).unwrap();
    assert_eq!(scene.stage_ends(), [1, 5, 10]);
    let whole = Temporary::new("whole");
    let summary = run_to(&scene, &whole, false, None);
    let read = |at: &Temporary, name: &str| fs::read(at.0.join(name)).unwrap();
    let history = String::from_utf8(read(&whole, "history.csv")).unwrap();
    let rows: Vec<&str> = history.lines().collect();
    assert_eq!(rows.len(), 12, "{history}");
    assert!(rows[0].contains("reaction.bar.wall.x [N]") && rows[0].ends_with(",stage"));
    let stages: Vec<&str> = rows[1..].iter().map(|r| r.rsplit(',').next().unwrap()).collect();
    assert_eq!(stages, ["1", "1", "2", "2", "2", "2", "3", "3", "3", "3", "3"]);
    let times: Vec<f64> =
        rows[1..].iter().map(|r| r.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert_eq!(times[1], 0.0);
    assert!((times[5] - 0.04).abs() < 1e-15 && (times[10] - 0.062).abs() < 1e-15, "{times:?}");
    let names: Vec<_> =
        summary.stages.iter().map(|s| (s.name.as_str(), s.last_step, s.done)).collect();
    assert_eq!(names, [("sag", 1, true), ("swing", 5, true), ("free", 10, true)]);
    assert_eq!(Summary::from_json(&summary.to_json()).unwrap().stages, summary.stages);
    // One at the start, every 20 ms of the last stage, and where stages end.
    let frames = |at: &Temporary| fs::read_dir(at.0.join("frames")).unwrap().count();
    let report = String::from_utf8(read(&whole, "report.html")).unwrap();
    assert!(report.contains("Stage 3") && report.contains("without bar.wall"));
    for stop in 1..10 {
        let part = Temporary::new(&format!("part{stop}"));
        let stopped = run_to(&scene, &part, false, Some(stop));
        assert_eq!((stopped.steps, stopped.converged), (stop, false));
        assert_eq!(stopped.stages[0].done, stop >= 1);
        let end = run_to(&scene, &part, true, None);
        assert!(read(&part, "history.csv") == read(&whole, "history.csv"), "stopped at {stop}");
        assert!(read(&part, "animation.glb") == read(&whole, "animation.glb"), "stopped at {stop}");
        assert_eq!(frames(&part), frames(&whole), "stopped at {stop}");
        assert_eq!(end.probes, summary.probes, "stopped at {stop}");
        assert_eq!(end.energy, summary.energy, "stopped at {stop}");
        assert_eq!(
            (end.newton_iterations, end.force_evaluations),
            (summary.newton_iterations, summary.force_evaluations),
            "stopped at {stop}"
        );
    }
}

#[test]
fn stages_that_make_no_sense_are_refused_with_their_place() {
    for (from, to, part) in [
        ("release = \"bar.wall\"", "release = \"bar.walls\"", "there are bar.wall, bar.x-max"),
        ("\"swing\"], axes", "\"swim\"], axes", "there are sag, swing, free"),
        ("[\"sag\", \"swing\"]", "[\"swing\"]", "begins in a later stage"),
        ("[output]", "[time]\nend = 3\n[output]", "an end of its own"),
        ("steps = 4\n", "", "a stage has an end, a duration, or steps"),
        ("steps = 4\n", "steps = 4\nend = 3\n", "one of end, duration and steps"),
        ("duration = \"22 ms\"", "end = 0.01", "begins at 0.04 s"),
        ("name = \"free\"", "name = \"swing\"", "two stages 'swing'"),
        ("integrator = \"bdf2\"", "integrator = \"bdf2\"\nbeta = 0.25", "bdf2 does not take it"),
        ("analysis = \"static\"", "analysis = \"static\"\nsteps = 3", "one step"),
    ] {
        let text = THREE.replacen(from, to, 1);
        assert_ne!(text, THREE, "{from}");
        let error = match parsed(&text) {
            Ok(_) => panic!("{to} was accepted"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(part) && error.contains("rod.toml:"), "{to}: {error}");
    }
}
