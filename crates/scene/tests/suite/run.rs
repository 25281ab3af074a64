//! Runs: what they write, how they go on, and what they do not touch.

mod reports;

use std::fs;
use std::path::{Path, PathBuf};

use pliant_errors::Class;
use pliant_scene::run::{Destination, Outcome, Progress, run};
use pliant_scene::{Folder, Origin, Scene, SceneError, Simulation};

use crate::temporary::Temporary;

const SCENE: &str = r#"
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 1 }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.4 }
fixed = "x-min"
damping = { mass = "0.5 1/s" }
load = { set = "x-max", force = [0, 0, "1 N"], curve = { kind = "pulse", start = 0.02, rise = 0.02, hold = 0.1 } }
[time]
integrator = "INTEGRATOR"
step = "10 ms"
end = "0.2 s"
[solver]
newton = "simplified"
[output]
frames = "30 ms"
checkpoint_every = 4
[probe.tip]
at = [0.3, 0.05, 0.05]
"#;

fn origin() -> Origin {
    Origin { scene: "test".into(), sets: Vec::new() }
}

/// The scene with an integrator, and without the form of Newton's method where it has none.
fn text(integrator: &str) -> String {
    let text = SCENE.replace("INTEGRATOR", integrator);
    match integrator {
        "rosenbrock2" | "symplectic-euler" => text.replace("newton = \"simplified\"\n", ""),
        _ => text,
    }
}

fn scene(integrator: &str) -> Scene {
    Scene::parse(&text(integrator), Path::new("test.toml")).unwrap()
}

/// Runs, until `stop` steps were made.
fn go(
    scene: &Scene,
    folder: &Folder,
    resume: bool,
    stop: u64,
) -> Result<(Outcome, Vec<u8>), SceneError> {
    let mut simulation = Simulation::build(scene)?;
    let place = Destination { folder, resume };
    let mut watch = |p: &Progress| p.step < stop;
    let outcome = run(scene, &mut simulation, Some(&place), &mut watch)?;
    Ok((outcome, simulation.state().to_bytes()))
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut list = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap().flatten().map(|e| e.path()) {
            if entry.is_dir() {
                open.push(entry);
            } else {
                list.push((
                    entry.strip_prefix(folder).unwrap().to_owned(),
                    fs::read(&entry).unwrap(),
                ));
            }
        }
    }
    list.sort();
    list
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_last_bit() {
    for integrator in ["backward-euler", "bdf2", "rosenbrock2"] {
        let mut scene = scene(integrator);
        // Pictures take longer than the run: once is enough.
        scene.output.report = integrator == "bdf2";
        let (whole, cut) =
            (Temporary::new(integrator), Temporary::new(&format!("{integrator}-cut")));
        let folder = Folder::create(&whole.0, &origin(), false).unwrap();
        let (outcome, expected) = go(&scene, &folder, false, u64::MAX).unwrap();
        assert!(!outcome.stopped && outcome.failure.is_none(), "{:?}", outcome.failure);
        let folder = Folder::create(&cut.0, &origin(), false).unwrap();
        // Before the first checkpoint, right at one, and between two.
        for stop in [3, 8, 15] {
            let (outcome, _) = go(&scene, &folder, stop > 3, stop).unwrap();
            assert!(outcome.stopped);
            assert!(!outcome.summary.converged);
        }
        let (outcome, state) = go(&scene, &folder, true, u64::MAX).unwrap();
        assert!(state == expected, "{integrator}");
        assert!(outcome.summary.converged);
        let (left, right) = (files(&whole.0), files(&cut.0));
        assert_eq!(left.len(), right.len());
        for ((name, bytes), (other, others)) in left.iter().zip(&right) {
            assert_eq!(name, other);
            // Only the summary and the report hold timings.
            if name.ends_with("report.html") {
                let text = |b: &[u8]| reports::without_timings(std::str::from_utf8(b).unwrap());
                assert_eq!(text(bytes), text(others));
                continue;
            }
            assert!(
                name.ends_with("summary.json") || bytes == others,
                "{integrator}: {}",
                name.display()
            );
        }
    }
}

#[test]
fn a_run_writes_what_scripts_rely_on() {
    let temporary = Temporary::new("contract");
    let folder = Folder::create(&temporary.0, &origin(), false).unwrap();
    let (outcome, _) = go(&scene("backward-euler"), &folder, false, u64::MAX).unwrap();
    let s = outcome.summary.to_json();
    for key in [
        "scene",
        "vertices",
        "cells",
        "steps",
        "simulated_seconds",
        "wall_seconds",
        "converged",
        "newton_iterations",
        "linear_iterations",
        "factorizations",
    ] {
        assert!(!s[key].is_null(), "{key}");
    }
    for key in ["kinetic", "elastic", "gravity", "dissipated", "external_work", "numerical_loss"] {
        assert!(s["energy"][key].is_number(), "{key}");
    }
    assert_eq!((s["steps"].as_u64(), s["converged"].as_bool()), (Some(20), Some(true)));
    assert_eq!(s["momentum"]["linear"].as_array().map(Vec::len), Some(3));
    assert!(s["probes"]["tip"]["displacement"][1].as_f64().unwrap() < -1e-4);
    let written = fs::read_to_string(temporary.0.join("summary.json")).unwrap();
    assert!(written.contains("\"numerical_loss\""));

    let history = fs::read_to_string(temporary.0.join("history.csv")).unwrap();
    let lines: Vec<&str> = history.lines().collect();
    assert_eq!(lines.len(), 22);
    let columns = lines[0].split(',').count();
    assert!(lines.iter().all(|l| l.split(',').count() == columns));
    assert!(lines[0].contains("time [s]") && lines[0].contains("probe.tip.x [m]"), "{}", lines[0]);
    assert!(lines[0].contains("reaction.bar.y [N]") && !lines[0].contains("wall"));

    // 0, 30, …, 180 ms, and the end.
    let series = fs::read_to_string(temporary.0.join("bar.pvd")).unwrap();
    assert_eq!(series.matches("<DataSet").count(), 8);
    for frame in 0..8 {
        let file = temporary.0.join(format!("frames/bar_{frame:05}.vtu"));
        let text = fs::read_to_string(&file).unwrap();
        for array in ["displacement", "velocity", "von_mises", "energy_density", "stress"] {
            assert!(text.contains(&format!("Name=\"{array}\"")), "{array}");
        }
        let mesh = pliant_mesh::io::read_volume(&file).unwrap().mesh;
        assert_eq!(mesh.vertex_count() as u64, s["vertices"].as_u64().unwrap());
    }
    let names: Vec<_> = files(&temporary.0).into_iter().map(|f| f.0).collect();
    assert!(names.iter().all(|n| !n.to_string_lossy().contains("part")), "{names:?}");
}

#[test]
fn a_folder_of_others_is_not_touched() {
    let temporary = Temporary::new("foreign");
    fs::create_dir_all(&temporary.0).unwrap();
    let precious = temporary.0.join("thesis.txt");
    fs::write(&precious, "precious").unwrap();
    let error = Folder::create(&temporary.0, &origin(), false).unwrap_err().to_string();
    assert!(error.contains("--force"), "{error}");
    assert_eq!(fs::read_dir(&temporary.0).unwrap().count(), 1);
    // With force a run goes in beside it; what is there stays.
    Folder::create(&temporary.0, &origin(), true).unwrap();
    Folder::create(&temporary.0, &origin(), false).unwrap();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
}

#[test]
fn a_checkpoint_of_another_scene_or_of_garbage_is_refused() {
    let temporary = Temporary::new("garbage");
    let folder = Folder::create(&temporary.0, &origin(), false).unwrap();
    go(&scene("backward-euler"), &folder, false, 6).unwrap();
    let error = go(&scene("bdf2"), &folder, true, 9).unwrap_err().to_string();
    assert!(error.contains("the scene has changed"), "{error}");
    let file = temporary.0.join("checkpoint.bin");
    let good = fs::read(&file).unwrap();
    for bad in [&good[..50], &good[..good.len() - 8], b"no checkpoint"] {
        fs::write(&file, bad).unwrap();
        assert!(go(&scene("backward-euler"), &folder, true, 9).is_err());
    }
    let error = Folder::open(Path::new("/nonexistent")).unwrap_err().to_string();
    assert!(error.contains("cannot be resumed"), "{error}");
}

#[test]
fn a_run_that_fails_keeps_what_there_is_and_says_so() {
    let temporary = Temporary::new("fails");
    let folder = Folder::create(&temporary.0, &origin(), false).unwrap();
    // Far above the critical step.
    let text = text("symplectic-euler").replace("10 ms", "40 ms").replace("0.2 s", "40 s");
    let scene = Scene::parse(&text, Path::new("test.toml")).unwrap();
    let (outcome, _) = go(&scene, &folder, false, u64::MAX).unwrap();
    let error = outcome.failure.expect("it explodes");
    assert_eq!(error.class(), Class::Computation);
    assert!(!outcome.summary.converged);
    assert_eq!(outcome.summary.error, Some(error.to_string()));
    assert!(temporary.0.join("history.csv").is_file() && temporary.0.join("bar.pvd").is_file());
}

/// Steps of more than a quarter of a turn: the midpoint rule makes energy, and the run says so; backward Euler does not.
#[test]
fn a_method_that_makes_energy_is_warned_of() {
    let spin = |integrator: &str| {
        let text = format!(
            "gravity = [0, 0, 0]\n[time]\nintegrator = \"{integrator}\"\nstep = 0.1\nsteps = 20\n\
             [output]\nframes = 0\nreport = false\n[body.b]\nmesh = {{ shape = \"box\", cells = [1, 1, 1] }}\n\
             material = {{ law = \"corotational\", young = \"300 kPa\" }}\n\
             spin = {{ axis = [0.7, -0.7, 0.02], rate = 18 }}\n"
        );
        let scene = Scene::parse(&text, Path::new("spin.toml")).unwrap();
        let mut simulation = Simulation::build(&scene).unwrap();
        let _ = run(&scene, &mut simulation, None, &mut |_| true).unwrap();
        simulation.warnings.iter().any(|w| w.contains("has made"))
    };
    assert!(spin("implicit-midpoint"));
    assert!(!spin("backward-euler"));
}
