//! Folders of runs: locks, scenes that are kept, runs that go on.

use std::process::{Child, Command, Stdio};

use crate::common::{Folder, text};
use serde_json::Value;

/// The common part, and the scene, which includes it.
const BODY: &str = "[body.cube]\nmesh = { shape = \"box\", cells = [1, 1, 1] }\n\
    material = { law = \"corotational\", young = \"10 kPa\", poisson = 0.3 }\nfixed = \"x-min\"\n";
const SCENE: &str = "include = \"body.toml\"\n[time]\nintegrator = \"bdf2\"\nstep = \"10 ms\"\n\
    end = \"0.5 s\"\n[output]\nframes = 0.1\ncheckpoint_every = 10\n[probe.corner]\nat = [1, 1, 1]\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("body.toml", BODY);
    folder.write("cube.toml", SCENE);
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A run of many steps that has begun to write.
fn long_run(folder: &Folder, out: &str) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pliant"))
        .args([
            "run",
            "cube.toml",
            "--set",
            "time.end=2000",
            "--set",
            "output.frames=0",
            "--out",
            out,
        ])
        .current_dir(folder.path(""))
        .env("NO_COLOR", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = std::time::Instant::now();
    while !folder.path(out).join("checkpoint.bin").exists() {
        assert!(child.try_wait().unwrap().is_none() && started.elapsed().as_secs() < 60);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child
}

#[test]
fn a_folder_takes_one_run_at_a_time() {
    let folder = folder();
    let mut child = long_run(&folder, "one");
    let id = child.id().to_string();
    for arguments in
        ["run cube.toml --out one", "run cube.toml --out one --force", "run --resume one"]
    {
        let message = folder.fails(arguments, 2);
        let told = format!("process {id} is running in one");
        assert!(
            message.contains(&told) && message.contains("nothing in it is touched"),
            "{message}"
        );
    }
    assert!(child.try_wait().unwrap().is_none(), "the first run goes on");
    child.kill().unwrap();
    child.wait().unwrap();
    // What a killed process has left is taken over, and that is said.
    let output = folder.run("run cube.toml --out one --set time.steps=3");
    let message = text(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(
        message.contains(&format!("process {id}")) && message.contains("taken over"),
        "{message}"
    );
    assert!(!folder.path("one/run.lock").exists());
    let quiet = folder.run("run cube.toml --out one --set time.steps=3");
    assert!(!text(&quiet.stderr).contains("lock"), "{}", text(&quiet.stderr));
}

#[test]
fn results_of_another_scene_stay_unless_forced() {
    let folder = folder();
    folder.write("other.toml", SCENE);
    folder.json("run cube.toml --out out --set time.steps=3");
    let before = read(&folder, "out/history.csv");
    let message = folder.fails("run other.toml --out out --set time.steps=5", 2);
    assert!(message.contains("another scene") && message.contains("cube.toml"), "{message}");
    assert!(message.contains("--force"), "{message}");
    assert_eq!(read(&folder, "out/history.csv"), before);
    folder.json("run other.toml --out out --set time.steps=5 --force");
    assert_eq!(read(&folder, "out/history.csv").lines().count(), 7);
    // The same scene with other values is the same scene.
    folder.json("run other.toml --out out --set time.steps=2");
}

/// SIGTERM, as batch systems send it, ends a run as Ctrl-C does: with a checkpoint of the last step.
#[cfg(unix)]
#[test]
fn a_terminated_run_goes_on_where_it_was() {
    let folder = folder();
    let child = long_run(&folder, "cut");
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("stopped at t = ") && message.contains("--resume cut"), "{message}");
    let summary: Value = serde_json::from_str(&read(&folder, "cut/summary.json")).unwrap();
    let steps = summary["steps"].as_u64().unwrap();
    assert!(!folder.path("cut/run.lock").exists());
    // Nothing is computed twice.
    let end = format!("run --resume cut --set time.steps={}", steps + 4);
    let summary = folder.json(&end);
    assert_eq!(
        (summary["resumed_at"].as_u64(), summary["steps"].as_u64()),
        (Some(steps), Some(steps + 4))
    );
}

/// Under nohup a terminal that is closed does not end a run.
#[cfg(target_os = "linux")]
#[test]
fn a_run_under_nohup_outlives_its_terminal() {
    let folder = folder();
    let run = "trap '' HUP; exec \"$0\" run cube.toml --out kept --set time.end=2000 --set output.frames=0";
    let mut child = Command::new("sh")
        .args(["-c", run, env!("CARGO_BIN_EXE_pliant")])
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = std::time::Instant::now();
    while !folder.path("kept/checkpoint.bin").exists() {
        assert!(child.try_wait().unwrap().is_none() && started.elapsed().as_secs() < 60);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let hang_up = Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
    assert!(hang_up.success());
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A run of 20 of 50 steps, as if it had been cut off there: its folder says 50, and its last checkpoint is of step 20.
fn cut_off(folder: &Folder) {
    folder.json("run cube.toml --out whole");
    folder.json("run cube.toml --out cut --set time.steps=20");
}

#[test]
fn a_run_is_given_a_later_end() {
    let folder = folder();
    cut_off(&folder);
    for (sets, words) in [
        ("--set time.step=0.02", "time.step"),
        ("--set body.cube.material.young=1e3", "body.cube.material.young"),
        ("--set output.frames=0.2", "output.frames"),
        ("--set time.end=0.1", "step 20, beyond its end at step 10"),
        ("--set time.end=oops", "oops"),
    ] {
        let message = folder.fails(&format!("run --resume cut {sets}"), 2);
        assert!(message.contains(words), "'{words}' is not in: {message}");
    }
    // What was refused has changed nothing: the run is still one of 20 steps, and finished.
    let output = folder.run("run --resume cut --json");
    assert!(text(&output.stderr).contains("is finished"), "{}", text(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["steps"], 20);
    let summary = folder.json("run --resume cut --set time.end=0.5");
    assert_eq!((summary["steps"].as_u64(), summary["resumed_at"].as_u64()), (Some(50), Some(20)));
    for file in ["history.csv", "cube.pvd", "frames/cube_00005.vtu", "checkpoint.bin"] {
        let bytes = |run: &str| std::fs::read(folder.path(run).join(file)).unwrap();
        assert!(bytes("whole") == bytes("cut"), "{file}");
    }
    // Once more without a word about the end: it is kept.
    folder.json("report cut");
    assert_eq!(folder.json("run --resume cut")["steps"], 50);
    let rest = "[time]\nanalysis = \"static\"\n";
    folder.write("rest.toml", &format!("include = \"body.toml\"\n{rest}"));
    folder.json("run rest.toml --out rest");
    let message = folder.fails("run --resume rest --set time.end=2", 2);
    assert!(message.contains("static"), "{message}");
}

/// What was computed belongs to the mesh as it was.
#[test]
fn a_run_does_not_go_on_with_another_mesh() {
    let folder = folder();
    let make = |length: f64| {
        folder.json(&format!("mesh make box --size {length} 1 1 --cells 2 1 1 bar.vtu"));
    };
    make(2.0);
    let scene = "[body.bar]\nmesh = \"bar.vtu\"\nmaterial = { law = \"neo-hookean\", young = \"10 kPa\" }\n\
        fixed = { file = \"held.bou\" }\n[time]\nstep = 0.01\nsteps = 4\n[output]\nframes = 0\n";
    folder.write("bar.toml", scene);
    folder.write("held.bou", "1,2,3,4\n");
    folder.json("run bar.toml --out run");
    let on = "run --resume run --set time.steps=8";
    make(2.1);
    let message = folder.fails(on, 2);
    assert!(message.contains("bar.vtu has changed since the run was started"), "{message}");
    assert!(message.contains("restore the file, add --force"), "{message}");
    std::fs::remove_file(folder.path("bar.vtu")).unwrap();
    let message = folder.fails(on, 2);
    assert!(message.contains("bar.vtu was read when the run was started"), "{message}");
    make(2.0);
    folder.write("held.bou", "1,2,3\n");
    let message = folder.fails(on, 2);
    assert!(message.contains("held.bou has changed"), "{message}");
    folder.write("held.bou", "1,2,3,4\n");
    // Nothing was touched by what was refused.
    assert_eq!(folder.json(on)["steps"], 8);
    // Whoever insists is warned.
    make(2.1);
    let output = folder.run("run --resume run --set time.steps=9 --force");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("bar.vtu has changed"), "{}", text(&output.stderr));
}

#[test]
fn a_run_goes_on_without_its_scene_file() {
    for change in ["gone", "changed"] {
        let folder = folder();
        cut_off(&folder);
        if change == "gone" {
            std::fs::remove_file(folder.path("cube.toml")).unwrap();
            std::fs::remove_file(folder.path("body.toml")).unwrap();
        } else {
            folder.write("body.toml", &BODY.replace("10 kPa", "90 kPa"));
        }
        let output = folder.run("run --resume cut --set time.steps=50");
        let message = text(&output.stderr);
        assert!(output.status.success(), "{message}");
        assert!(message.contains(change) && message.contains("copy"), "{message}");
        assert!(read(&folder, "cut/history.csv") == read(&folder, "whole/history.csv"), "{change}");
        // The report and the matrices of its state are those of the scene that was run, too.
        folder.json("report cut");
        assert_eq!(folder.json("matrices --state cut --out m")["steps"], 50);
        // The copy for people stands by itself.
        let copy = read(&folder, "cut/scene-as-run.toml");
        assert!(copy.contains("10 kPa") && !copy.contains("include"), "{copy}");
        folder.json("run cut/scene-as-run.toml --out again");
        assert!(
            read(&folder, "again/history.csv") == read(&folder, "whole/history.csv"),
            "{change}"
        );
    }
}

#[test]
fn a_run_says_what_solved_its_systems_and_why() {
    let folder = folder();
    let auto = folder.json("run cube.toml --out auto --set time.steps=3");
    let solver = &auto["solver"];
    // 8 vertices, stiff beside their mass: a direct solver, or CG if the reach is short; never 'auto'.
    assert!(solver["linear"].as_str().is_some_and(|name| name != "auto"), "{solver}");
    assert!(solver["why"].as_str().is_some_and(|why| why.contains("vertices")), "{solver}");
    let counted: u64 =
        solver["matrices"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(counted, auto["factorizations"].as_u64().unwrap(), "{auto}");
    let set = "--set time.steps=3 --set solver.linear=";
    let named = folder.json(&format!("run cube.toml --out named {set}cg"));
    assert_eq!(named["solver"]["linear"], "cg");
    assert_eq!(named["solver"]["preconditioner"], "ic0");
    assert_eq!(named["solver"]["why"], "given by name");
    let direct = folder.json(&format!("run cube.toml --out direct {set}cholesky"));
    assert_eq!(direct["solver"]["ordering"], "metis");
    let explicit = "run cube.toml --out explicit --set time.steps=3 --set time.integrator=verlet";
    assert!(folder.json(explicit)["solver"].is_null());
    let output = text(&folder.run("run cube.toml --out auto --set time.steps=3").stdout);
    let why = solver["why"].as_str().unwrap();
    assert!(output.contains("linear solver") && output.contains(why), "{output}");
    let html = read(&folder, "auto/report.html");
    assert!(html.contains("Linear systems solved by") && html.contains(why));
}
