//! Models that remember, through scenes: one with numbers that creep and one with entries that come and go. Every
//! method steps with them, and a run that is stopped, resumed, retried or spread over threads has the same bits.

mod model;

use std::fs;
use std::path::Path;

use pliant_dynamics::{IntegratorName, Role};
use pliant_forces::ForceModel;
use pliant_scene::run::{Destination, Progress, run};
use pliant_scene::{Folder, Origin, Scene, Simulation};

use crate::temporary::Temporary;

use model::Remembering;

const BAR: &str = r#"
[body.bar]
mesh = { shape = "bar", length = 0.2, width = 0.1, height = 0.1, across = 1 }
material = { law = "LAW", young = "20 kPa", poisson = 0.3 }
fixed = "x-min"
[time]
TIME
steps = 8
[output]
frames = 0
report = false
checkpoint_every = 3
"#;

fn scene(time: &str, law: &str) -> Scene {
    let text = BAR.replace("TIME", time).replace("LAW", law);
    Scene::parse(&text, Path::new("bar.toml")).unwrap()
}

fn build(scene: &Scene) -> Simulation {
    let plain = Simulation::build(scene).unwrap();
    let rest = plain.state().x.clone();
    let model: Box<dyn ForceModel> = Box::new(Remembering::new(rest));
    Simulation::build_with(scene, vec![(Role::Other, model)]).unwrap()
}

/// Runs until `stop` steps are made, anew or from the checkpoint that is there; the state at the end and the history.
fn go(scene: &Scene, at: &Temporary, resume: bool, stop: u64) -> (Vec<u8>, String) {
    let folder = if resume {
        Folder::open(&at.0).unwrap().0
    } else {
        let origin = Origin { scene: "bar".into(), sets: Vec::new() };
        Folder::create(&at.0, &origin, true).unwrap()
    };
    let mut simulation = build(scene);
    let place = Destination { folder: &folder, resume };
    let mut watch = |progress: &Progress| progress.step < stop;
    let outcome = run(scene, &mut simulation, Some(&place), &mut watch).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let history = fs::read_to_string(at.0.join("history.csv")).unwrap();
    (simulation.state().to_bytes(), history)
}

/// Settings of time for every method there is.
fn methods() -> Vec<String> {
    let mut all: Vec<String> = (IntegratorName::ALL.iter())
        .map(|name| {
            // Explicit methods need steps below the time that sound takes across a cell.
            let step = if name.imaginary_interval().is_finite() { "1 ms" } else { "10 ms" };
            format!("integrator = \"{}\"\nstep = \"{step}\"", name.name())
        })
        .collect();
    all.push("integrator = \"dormand-prince-5\"\nstep = \"10 ms\"\ntolerance = 1e-5".into());
    all.push("integrator = \"bdf2\"\nstep = \"10 ms\"\ntolerance = 1e-3".into());
    all.push("analysis = \"quasi-static\"\nstep = \"10 ms\"".into());
    all
}

#[test]
fn every_method_steps_with_memory_and_resumes_to_the_bit() {
    for (k, method) in methods().iter().enumerate() {
        let scene = scene(method, "stable-neo-hookean");
        let whole = Temporary::new(&format!("whole-{k}"));
        let (end, history) = go(&scene, &whole, false, u64::MAX);
        // Stopped one step after its last checkpoint, as if it had been killed.
        let cut = Temporary::new(&format!("cut-{k}"));
        go(&scene, &cut, false, 4);
        let resumed = go(&scene, &cut, true, u64::MAX);
        assert!(end == resumed.0, "{method}");
        assert_eq!(history, resumed.1, "{method}");
    }
}

#[test]
fn memory_creeps_and_entries_come_and_go() {
    let scene = scene("integrator = \"backward-euler\"\nstep = \"10 ms\"", "stable-neo-hookean");
    let mut simulation = build(&scene);
    let mut counts = Vec::new();
    while !simulation.is_done() {
        simulation.step().unwrap();
        let memory = &simulation.state().memory[0];
        counts.push(memory.keyed.len());
        assert!(memory.numbers.iter().any(|q| *q != 0.0));
    }
    assert_eq!(counts[0], 0, "nothing is low after one step");
    assert!(counts.windows(2).any(|pair| pair[0] < pair[1]), "{counts:?}");
    // What crept is lost, and known: q follows u with a time constant, so energy is dissipated in every step.
    let balance = simulation.balance();
    assert!(balance.dissipated > 0.0 && simulation.state().dissipated > 0.0, "{balance:?}");
}

/// A body that is moved in one step and held relaxes by 1/(1 + h/τ) a step, which is exp(−t/τ) for short ones; the
/// reactions of the scene say so.
#[test]
fn reactions_relax_as_the_closed_form() {
    let text = r#"
gravity = [0, 0, 0]
[body.cube]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }
material = { law = "linear", young = "1 kPa", poisson = 0.0 }
[[body.cube.moved]]
where = "x > -1"
keyframes = { times = [0, 0.001], displacements = [[0, 0, 0], [0.01, 0, 0]] }
[time]
integrator = "backward-euler"
step = "1 ms"
steps = 50
"#;
    let scene = Scene::parse(text, Path::new("cube.toml")).unwrap();
    let mut simulation = build(&scene);
    let pull = model::STIFFNESS * 0.01 * simulation.vertices() as f64;
    for step in 1..=50 {
        simulation.step().unwrap();
        // From the second step on nothing moves any more.
        if step > 2 {
            let force = simulation.reactions().unwrap()[0][0];
            let exact = pull / (1.0 + 1e-3 / model::RELAXATION).powi(step);
            assert!((force / exact - 1.0).abs() < 1e-12, "step {step}: {force} and {exact}");
        }
    }
}

#[test]
fn a_step_that_is_divided_keeps_the_memory_of_its_parts() {
    // So few iterations that long steps fail.
    let time = "integrator = \"backward-euler\"\nstep = \"80 ms\"";
    let mut scene = scene(time, "neo-hookean");
    scene.time.options.newton.max_iterations = 3;
    let runs: Vec<_> = [1, 2, 3, 7]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let at = Temporary::new(&format!("threads-{threads}"));
                let end = go(&scene, &at, false, u64::MAX);
                let cut = Temporary::new(&format!("threads-cut-{threads}"));
                go(&scene, &cut, false, 4);
                assert!(end == go(&scene, &cut, true, u64::MAX), "{threads} threads");
                let mut simulation = build(&scene);
                while !simulation.is_done() {
                    simulation.step().unwrap();
                }
                assert!(simulation.tally().retries.attempts > 0, "no step was divided");
                end
            })
        })
        .into();
    assert!(runs.windows(2).all(|pair| pair[0] == pair[1]));
}
