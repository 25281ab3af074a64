//! Checkpoints: bits do not depend on whether and how often they are written, nor on where a run was resumed;
//! a file that was changed is refused.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_dynamics::{Form, IntegratorName, Options};
use pliant_scene::run::{Destination, Progress, run};
use pliant_scene::{Folder, Origin, Scene, Simulation};
use pliant_sections::Sections;

use crate::temporary::Temporary;

/// Steps of every run.
const STEPS: u64 = 10;

/// A short bar that is clamped, bent by a pulse, and soft enough for large deflections.
const BAR: &str = r#"
[body.bar]
mesh = { shape = "bar", length = 0.3, width = 0.1, height = 0.1, across = 1 }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.4 }
HELD
load = { set = "x-max", force = [0, 0, "2 N"], curve = { kind = "pulse", rise = 0.02, hold = 0.1 } }
DAMPING
[time]
TIME
steps = 10
[solver]
SOLVER
[output]
frames = 0
report = false
checkpoint_every = EVERY
[probe.tip]
body = "bar"
at = [0.3, 0.05, 0.05]
"#;

const FIXED: &str = "fixed = \"x-min\"";
const DAMPED: &str = "damping = { mass = \"0.5 1/s\", stiffness = \"1 ms\" }";

/// What a scene is made of.
#[derive(Clone, Copy)]
struct Case<'a> {
    held: &'a str,
    damping: &'a str,
    time: &'a str,
    solver: &'a str,
    /// What cannot be said in a scene.
    adjust: fn(&mut Options),
}

impl<'a> Case<'a> {
    fn new(time: &'a str, solver: &'a str) -> Self {
        Self { held: FIXED, damping: DAMPED, time, solver, adjust: |_| {} }
    }

    fn scene(&self, every: u64) -> Scene {
        let text = BAR
            .replace("HELD", self.held)
            .replace("DAMPING", self.damping)
            .replace("TIME", self.time)
            .replace("SOLVER", self.solver)
            .replace("EVERY", &every.to_string());
        let mut scene = Scene::parse(&text, Path::new("bar.toml")).unwrap();
        (self.adjust)(&mut scene.time.options);
        scene
    }
}

impl std::fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.held, self.time, self.solver)
    }
}

impl Temporary {
    fn checkpoint(&self) -> PathBuf {
        self.0.join("checkpoint.bin")
    }
}

/// What two runs are compared by.
#[derive(PartialEq)]
struct End {
    state: Vec<u8>,
    history: String,
    /// Newton and linear iterations, factorisations, evaluations.
    tally: [u64; 4],
    /// In obstacles, m.
    depth: Option<f64>,
}

/// A run to its end, and the checkpoints it has written on its way.
fn go(scene: &Scene, at: &Temporary, resume: bool) -> (End, Vec<Vec<u8>>) {
    let folder = if resume {
        Folder::open(&at.0).unwrap().0
    } else {
        let origin = Origin { scene: "bar".into(), sets: Vec::new() };
        Folder::create(&at.0, &origin, true).unwrap()
    };
    let mut simulation = Simulation::build(scene).unwrap();
    let mut checkpoints = Vec::new();
    let mut watch = |progress: &Progress| {
        // There is one at the end, too.
        if progress.step < progress.steps
            && let Ok(bytes) = fs::read(at.checkpoint())
            && checkpoints.last() != Some(&bytes)
        {
            checkpoints.push(bytes);
        }
        true
    };
    let place = Destination { folder: &folder, resume };
    let outcome = run(scene, &mut simulation, Some(&place), &mut watch).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let s = &outcome.summary;
    let end = End {
        state: simulation.state().to_bytes(),
        history: fs::read_to_string(at.0.join("history.csv")).unwrap(),
        tally: [s.newton_iterations, s.linear_iterations, s.factorizations, s.force_evaluations],
        depth: s.greatest_depth,
    };
    (end, checkpoints)
}

fn compare(found: &End, expected: &End, what: &str) {
    assert_eq!(found.tally, expected.tally, "{what}: iterations, factorisations, evaluations");
    assert_eq!(found.history, expected.history, "{what}: history.csv");
    assert!(found.state == expected.state, "{what}: the state");
    assert_eq!(found.depth, expected.depth, "{what}: greatest depth");
}

/// Without checkpoints, with one every step and every three, and resumed from each of them: the same bits.
fn check(name: &str, case: Case<'_>) {
    let folder = Temporary::new(name);
    let (expected, none) = go(&case.scene(1000), &folder, false);
    assert!(none.is_empty());
    for every in [3, 1] {
        let _ = fs::remove_file(folder.checkpoint());
        let scene = case.scene(every);
        let (found, checkpoints) = go(&scene, &folder, false);
        compare(&found, &expected, &format!("{case}: checkpoints every {every} steps"));
        assert_eq!(checkpoints.len() as u64, (STEPS - 1) / every);
        for (k, bytes) in checkpoints.iter().enumerate() {
            fs::write(folder.checkpoint(), bytes).unwrap();
            let (found, _) = go(&scene, &folder, true);
            let step = (k as u64 + 1) * every;
            compare(&found, &expected, &format!("{case}: resumed at step {step} of {STEPS}"));
        }
    }
}

#[test]
fn every_integrator_has_the_same_bits_with_and_without_checkpoints() {
    for &integrator in IntegratorName::ALL {
        let implicit = integrator.imaginary_interval().is_infinite();
        let step = if implicit { "10 ms" } else { "2 ms" };
        let time = format!("integrator = \"{}\"\nstep = \"{step}\"", integrator.name());
        let damping = if integrator == IntegratorName::Verlet { "" } else { DAMPED };
        check("integrators", Case { damping, ..Case::new(&time, "") });
    }
}

/// What sticks remembers where, and the greatest depth may be behind.
#[test]
fn bodies_on_a_floor_have_the_same_bits_with_and_without_checkpoints() {
    let held = "velocity = [\"5 cm/s\", \"-20 cm/s\", 0]";
    let damping = format!("{DAMPED}\n[obstacle.floor]\nshape = \"floor\"");
    for name in ["backward-euler", "implicit-midpoint", "bdf2", "newmark", "generalized-alpha"] {
        let time = format!("integrator = \"{name}\"\nstep = \"10 ms\"");
        let case = Case { held, damping: &damping, ..Case::new(&time, "") };
        check("floor", case);
        let folder = Temporary::new("deep");
        let depth = go(&case.scene(1000), &folder, false).0.depth;
        assert!(depth.is_some_and(|depth| depth > 1e-5), "{name}: {depth:?}");
    }
}

#[test]
fn a_damping_matrix_that_is_kept_has_the_same_bits_with_and_without_checkpoints() {
    let time = "integrator = \"central-differences\"\nstep = \"2 ms\"";
    check("kept", Case { adjust: |o| o.refactor_every = 4, ..Case::new(time, "") });
}

/// Supports that move make the balance of energy ask for their forces.
#[test]
fn moving_supports_have_the_same_bits_with_and_without_checkpoints() {
    let held = "moved = { set = \"x-min\", oscillation = { by = [0, 0, \"5 mm\"], frequency = \"4 Hz\" } }";
    for time in [
        "integrator = \"generalized-alpha\"\nstep = \"10 ms\"",
        "integrator = \"dormand-prince-5\"\nstep = \"2 ms\"",
        "analysis = \"quasi-static\"\nstep = \"10 ms\"",
    ] {
        check("moving", Case { held, ..Case::new(time, "") });
    }
}

#[test]
fn steps_that_are_chosen_have_the_same_bits_with_and_without_checkpoints() {
    let names =
        ["dormand-prince-5", "dormand-prince-853", "rkc2", "rock2", "bdf2", "bdf3", "rosenbrock2"];
    for name in names {
        let time = format!("integrator = \"{name}\"\nstep = \"10 ms\"\ntolerance = 1e-4");
        check("control", Case::new(&time, ""));
    }
}

#[test]
fn every_solver_has_the_same_bits_with_and_without_checkpoints() {
    let mut solvers: Vec<String> =
        ["auto", "cholesky", "cholesky-single", "ldlt", "lu", "minres", "bicgstab", "gmres"]
            .map(|name| format!("linear = \"{name}\""))
            .into();
    let preconditioners = [
        "diagonal",
        "block-diagonal",
        "ssor",
        "eisenstat",
        "ic0",
        "ict",
        "multigrid",
        "stale-cholesky",
    ];
    solvers.extend(
        preconditioners.map(|name| format!("linear = \"cg\"\npreconditioner = \"{name}\"")),
    );
    let time = "integrator = \"backward-euler\"\nstep = \"10 ms\"";
    for linear in &solvers {
        for newton in ["full", "simplified", "inexact"] {
            let solver = format!("{linear}\nnewton = \"{newton}\"");
            let adjust: fn(&mut Options) =
                if newton == "full" { |o| o.newton.form = Form::Full } else { |_| {} };
            check("solvers", Case { adjust, ..Case::new(time, &solver) });
        }
    }
}

/// Without mass, auto chooses another solver.
#[test]
fn states_of_rest_have_the_same_bits_with_and_without_checkpoints() {
    let time = "analysis = \"quasi-static\"\nstep = \"10 ms\"";
    for method in ["newton", "truncated-newton", "nonlinear-cg", "dynamic-relaxation", "robust"] {
        let solver = format!("static_method = \"{method}\"\nnewton_tolerance = 1e-4");
        check("rest", Case { damping: "", ..Case::new(time, &solver) });
    }
    for solver in
        ["newton = \"simplified\"", "linear = \"cg\"\npreconditioner = \"stale-cholesky\""]
    {
        check("rest", Case { damping: "", ..Case::new(time, solver) });
    }
}

/// The same sections but for one, which is that of `other`.
fn with_section_of(sections: &Sections, name: &str, other: &Sections) -> Sections {
    assert!(sections.has(name), "{name}");
    let mut all = Sections::new();
    for each in sections.names() {
        let mut words = if each == name { other } else { sections }.read(each).unwrap();
        let mut to = all.write(each);
        while let Ok(word) = words.word() {
            to.word(word);
        }
    }
    all
}

/// A checkpoint in which one section is that of a method which has made no step yet leads elsewhere: if the tests above
/// pass without that section, they do not test it.
#[test]
fn what_methods_remember_matters() {
    let euler = "integrator = \"backward-euler\"\nstep = \"10 ms\"";
    let cg = |name: &str| format!("linear = \"cg\"\npreconditioner = \"{name}\"");
    let (ic0, stale, multigrid) = (cg("ic0"), cg("stale-cholesky"), cg("multigrid"));
    for (time, solver, section) in [
        (euler, &*ic0, "extrapolation"),
        (euler, &ic0, "newton"),
        (euler, "newton = \"simplified\"", "newton"),
        (euler, &stale, "stale-cholesky"),
        (euler, &multigrid, "multigrid"),
        (
            "integrator = \"dormand-prince-5\"\nstep = \"10 ms\"\ntolerance = 1e-4",
            "",
            "step control",
        ),
        ("integrator = \"rkc2\"\nstep = \"10 ms\"", "", "spectral radius"),
        ("integrator = \"rock2\"\nstep = \"10 ms\"", "", "spectral radius"),
        ("integrator = \"explicit-newmark\"\nstep = \"10 ms\"", "", "spectral radius"),
        ("integrator = \"explicit-newmark\"\nstep = \"10 ms\"", "", "explicit newmark"),
    ] {
        let case = Case::new(time, solver);
        let folder = Temporary::new("matters");
        let scene = case.scene(6);
        let (expected, checkpoints) = go(&scene, &folder, false);
        let mut fresh = Sections::new();
        scene.time.integrator.build(&scene.time.options).unwrap().save(&mut fresh);
        if !fresh.has(section) {
            // Of a linear solver: nothing is known of its matrices.
            let mut empty = fresh.write(section);
            match section {
                "stale-cholesky" | "multigrid" => {
                    empty.count(0).count(0).count(0).number(0.0).flag(false)
                }
                _ => empty.flag(false),
            };
        }
        let sections = Sections::from_bytes(&checkpoints[0]).unwrap();
        let changed = with_section_of(&sections, section, &fresh);
        fs::write(folder.checkpoint(), changed.to_bytes()).unwrap();
        let (found, _) = go(&scene, &folder, true);
        assert!(found != expected, "{case}: '{section}' changes nothing");
    }
}

/// A checkpoint, its scene, and a simulation that is to read it.
fn checkpoint(name: &str) -> (Temporary, Scene, Simulation, Vec<u8>) {
    let case = Case::new("integrator = \"bdf2\"\nstep = \"10 ms\"", "");
    let folder = Temporary::new(name);
    let scene = case.scene(4);
    let (_, checkpoints) = go(&scene, &folder, false);
    let simulation = Simulation::build(&scene).unwrap();
    (folder, scene, simulation, checkpoints[0].clone())
}

#[test]
fn every_byte_of_a_checkpoint_counts() {
    let (folder, scene, mut simulation, good) = checkpoint("bytes");
    let file = folder.checkpoint();
    let start = simulation.state().clone();
    let mut refused = |bytes: &[u8], what: &str| {
        fs::write(&file, bytes).unwrap();
        let error = simulation.load_checkpoint(&file, &scene).unwrap_err().to_string();
        let named = error.starts_with(&file.display().to_string());
        assert!(named && error.contains("start anew with --force"), "{what}: {error}");
        assert!(*simulation.state() == start, "{what}");
        error
    };
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        let error = refused(&bad, &format!("byte {at}"));
        let expected = match at {
            0..8 => "is not a Pliant checkpoint",
            8..16 => "version of the format",
            _ => "is damaged: ",
        };
        assert!(error.contains(expected), "byte {at}: {error}");
    }
    for length in (0..64).chain((64..good.len()).step_by(7)).chain([good.len() - 1]) {
        let error = refused(&good[..length], &format!("{length} bytes"));
        assert!(error.contains("is damaged: cut off"), "{length} bytes: {error}");
    }
    let long = [&good[..], &[0; 8]].concat();
    assert!(refused(&long, "8 bytes more").contains("is damaged: "));
    // As it was before there were sections.
    let mut old = good.clone();
    old[..8].copy_from_slice(b"pliantC1");
    let error = refused(&old, "old");
    assert!(error.contains("was written by an older version of the format (1, "), "{error}");
    fs::write(&file, &good).unwrap();
    simulation.load_checkpoint(&file, &scene).unwrap();
    assert_eq!(simulation.state().steps, 4);
}

#[test]
fn a_checkpoint_of_another_scene_is_refused() {
    let (folder, _, _, good) = checkpoint("another");
    fs::write(folder.checkpoint(), good).unwrap();
    let case = Case::new("integrator = \"bdf2\"\nstep = \"5 ms\"", "");
    let scene = case.scene(4);
    let mut simulation = Simulation::build(&scene).unwrap();
    let error = simulation.load_checkpoint(&folder.checkpoint(), &scene).unwrap_err().to_string();
    assert!(error.contains("the scene has changed"), "{error}");
}

/// Names that were written are found; what is missing or of another length is named.
#[test]
fn sections_that_do_not_fit_are_named() {
    let (folder, scene, mut simulation, good) = checkpoint("sections");
    let file = folder.checkpoint();
    let sections = Sections::from_bytes(&good).unwrap();
    let names: Vec<String> = sections.names().map(str::to_owned).collect();
    for expected in
        ["scene", "state", "positions", "past", "balance", "tally", "extrapolation", "newton"]
    {
        assert!(names.iter().any(|name| name == expected), "{expected} of {names:?}");
    }
    for left_out in &names {
        let mut fewer = Sections::new();
        for name in names.iter().filter(|name| *name != left_out) {
            let mut words = sections.read(name).unwrap();
            let mut to = fewer.write(name);
            while let Ok(word) = words.word() {
                to.word(word);
            }
        }
        fs::write(&file, fewer.to_bytes()).unwrap();
        let error = simulation.load_checkpoint(&file, &scene).unwrap_err().to_string();
        assert!(error.contains(&format!("section '{left_out}' is missing")), "{error}");
        fewer.write(left_out).word(1);
        fs::write(&file, fewer.to_bytes()).unwrap();
        let error = simulation.load_checkpoint(&file, &scene).unwrap_err().to_string();
        let named = error.contains(&format!("section '{left_out}'"));
        assert!(named || left_out == "scene", "{left_out}: {error}");
    }
    // As if nothing had been tried.
    fs::write(&file, &good).unwrap();
    simulation.load_checkpoint(&file, &scene).unwrap();
    simulation.step().unwrap();
}

/// The pattern of matrices follows contacts with some memory, which checkpoints hold.
#[test]
fn bodies_in_contact_have_the_same_bits_with_and_without_checkpoints() {
    let held = "velocity = [\"5 cm/s\", \"-60 cm/s\", 0]";
    let below = "[body.below]\nmesh = { shape = \"box\", size = [0.3, 0.1, 0.2], cells = [3, 1, 2] }\nposition = [0.02, -0.11, -0.05]\nmaterial = { law = \"neo-hookean\", young = \"20 kPa\", poisson = 0.4 }\nfixed = \"y-min\"\n[contact]\nmode = \"barrier\"";
    for (name, friction) in [
        ("backward-euler", ""),
        ("backward-euler", "friction = 0.4"),
        ("bdf2", "friction = 0.4"),
        ("backward-euler", "soft"),
    ] {
        let damping = match friction {
            "soft" => format!("{DAMPED}\n{below}").replace("barrier", "soft"),
            _ => format!("{DAMPED}\n{below}\n{friction}"),
        };
        let time = format!("integrator = \"{name}\"\nstep = \"10 ms\"");
        let case = Case { held, damping: &damping, ..Case::new(&time, "") };
        check("contact", case);
        let mut simulation = Simulation::build(&case.scene(1000)).unwrap();
        while !simulation.is_done() {
            simulation.step().unwrap();
        }
        let contact = simulation.contact().unwrap();
        assert!((2..STEPS).contains(&contact.steps), "{name}: {contact:?}");
    }
}
