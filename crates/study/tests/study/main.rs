//! Comparisons and convergence of small scenes.

mod named;
mod virtis;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use pliant_scene::{Origin, Scene, Simulation};
use pliant_study::{
    Axis, Comparison, ErrorBy, Plan, Progress, Refine, Refinement, Status, StudyFolder, Theory,
    Verdict, compare, converge,
};

/// A temporary folder that goes away with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("pliant-study-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn scene(&self, text: &str) -> Origin {
        let path = self.0.join("scene.toml");
        std::fs::write(&path, text).unwrap();
        Origin { scene: path.display().to_string(), sets: Vec::new() }
    }

    fn files(&self, folder: &str, extension: &str) -> Vec<PathBuf> {
        let list = std::fs::read_dir(self.0.join(folder)).unwrap().flatten().map(|e| e.path());
        let mut list: Vec<PathBuf> =
            list.filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
        list.sort();
        list
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A block that swings along its length, far from buckling and from any limit of steps.
const BLOCK: &str = r#"
[body.block]
mesh = { shape = "box", size = [0.2, 0.1, 0.1], cells = [2, 1, 1] }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.3 }
fixed = "x-min"
[time]
integrator = "implicit-midpoint"
step = "10 ms"
end = "80 ms"
[solver]
newton_tolerance = 1e-11
[probe.tip]
at = [0.2, 0.05, 0.05]
"#;

fn axes(list: &[&str]) -> Vec<Axis> {
    list.iter().map(|text| Axis::parse(text).unwrap()).collect()
}

fn run(origin: &Origin, list: &[&str], threads: usize) -> Comparison {
    let plan = Plan::new(origin, &axes(list), None).unwrap_or_else(|e| panic!("{e}"));
    compare(&plan, None, threads, &|_| true).unwrap_or_else(|e| panic!("{e}"))
}

fn error(origin: &Origin, list: &[&str]) -> String {
    Plan::new(origin, &axes(list), None).unwrap_err().to_string()
}

fn positions(made: &Comparison) -> Vec<Vec<u64>> {
    let bits = |x: &[[f64; 3]]| x.iter().flatten().map(|c| c.to_bits()).collect();
    made.rows.iter().map(|r| bits(&r.outcome.as_ref().unwrap().positions)).collect()
}

#[test]
fn orders_are_those_of_the_methods() {
    let folder = Folder::new();
    let origin = folder.scene(BLOCK);
    let steps = "time.step=0.002,0.001,0.0005";
    let made = run(&origin, &["time.integrator=backward-euler,implicit-midpoint,bdf3", steps], 2);
    assert_eq!((made.rows.len(), made.error_by), (9, ErrorBy::Positions));
    assert_eq!(made.references[0].reference.method, "dormand-prince-853");
    for (rows, order) in made.rows.chunks(3).zip([1.0, 2.0, 3.0]) {
        assert_eq!(rows[0].order, None);
        let seen = rows[2].order.unwrap();
        assert!((seen - order).abs() < 0.1, "{}: {seen}", rows[2].integrator);
        assert!(rows[2].error < rows[1].error && rows[1].error < rows[0].error);
    }
    // Steps of 2 ms over 80 ms, and Newton in each.
    let outcome = made.rows[0].outcome.as_ref().unwrap();
    assert_eq!(outcome.steps, 40);
    assert!(outcome.tally.newton_iterations >= 40);
}

#[test]
fn runs_side_by_side_give_the_bits_of_runs_one_by_one() {
    let folder = Folder::new();
    let origin = folder.scene(BLOCK);
    let list =
        ["time.integrator=bdf2,rosenbrock2", "solver.linear=cholesky,cg", "time.step=0.01,0.004"];
    let (one, three) = (run(&origin, &list, 1), run(&origin, &list, 3));
    assert_eq!(positions(&one), positions(&three));
    let errors = |made: &Comparison| -> Vec<u64> {
        made.rows.iter().map(|r| r.error.unwrap().to_bits()).collect()
    };
    assert_eq!(errors(&one), errors(&three));
    // And those of a run with all threads.
    let sets =
        ["time.integrator=rosenbrock2", "solver.linear=cg", "time.step=0.004", "time.end=0.08"];
    let scene = Scene::read(Path::new(&origin.scene), &sets.map(str::to_owned)).unwrap();
    let mut simulation = Simulation::build(&scene).unwrap();
    while !simulation.is_done() {
        simulation.step().unwrap();
    }
    let body = &simulation.bodies[0];
    let alone: Vec<u64> = (0..body.mesh.vertex_count() as u32)
        .flat_map(|v| simulation.state().x[body.system_vertex(v) as usize])
        .map(f64::to_bits)
        .collect();
    assert_eq!(positions(&one)[7], alone);
}

#[test]
fn a_study_goes_on_with_what_is_missing() {
    let folder = Folder::new();
    let origin = folder.scene(BLOCK);
    let plan = Plan::new(&origin, &axes(&["time.step=0.02,0.01,0.005"]), None).unwrap();
    let open = |again| StudyFolder::open(&folder.0.join("out"), &origin, again).unwrap();
    let begun = AtomicUsize::new(0);
    let watch = |p: Progress| {
        begun.fetch_max(p.finished, Ordering::Relaxed);
        true
    };
    let first = compare(&plan, Some(&open(false)), 2, &watch).unwrap();
    let files = folder.files("out/runs", "json");
    assert_eq!((files.len(), begun.load(Ordering::Relaxed)), (4, 4));
    let stamp = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    let stamps: Vec<_> = files.iter().map(stamp).collect();
    // One is lost, of one the numbers are cut short, and one was being written.
    std::fs::remove_file(&files[0]).unwrap();
    let torn = files[1].with_extension("f64");
    let bytes = std::fs::read(&torn).unwrap();
    std::fs::write(&torn, &bytes[..bytes.len() - 8]).unwrap();
    std::fs::write(folder.0.join("out/runs/0.json.part-1"), "{").unwrap();
    let second = compare(&plan, Some(&open(false)), 2, &|_| true).unwrap();
    assert_eq!(positions(&first), positions(&second));
    let error = |made: &Comparison| made.rows.iter().map(|r| r.error.unwrap()).collect::<Vec<_>>();
    assert_eq!(error(&first), error(&second));
    let made_anew: Vec<bool> = files.iter().zip(&stamps).map(|(f, s)| stamp(f) != *s).collect();
    assert_eq!(made_anew, [true, true, false, false]);
    // A step more is one run more.
    let more = Plan::new(&origin, &axes(&["time.step=0.02,0.01,0.005,0.002"]), None).unwrap();
    compare(&more, Some(&open(false)), 2, &|_| true).unwrap();
    assert_eq!(folder.files("out/runs", "json").len(), 5);
    open(true);
    assert_eq!(folder.files("out/runs", "json").len(), 0);
}

#[test]
fn what_is_stopped_keeps_what_is_finished() {
    let folder = Folder::new();
    let origin = folder.scene(BLOCK);
    let plan = Plan::new(&origin, &axes(&["time.step=0.02,0.01,0.005"]), None).unwrap();
    let out = StudyFolder::open(&folder.0.join("out"), &origin, false).unwrap();
    let made = compare(&plan, Some(&out), 1, &|p| p.finished < 2).unwrap();
    assert!(made.stopped());
    let statuses: Vec<&str> = made.rows.iter().map(|r| r.status().name()).collect();
    assert_eq!(statuses, ["missing", "missing", "done"]);
    assert_eq!(folder.files("out/runs", "json").len(), 2);
    assert!(made.csv().lines().nth(1).unwrap().ends_with(",missing,"), "{}", made.csv());
    assert!(!compare(&plan, Some(&out), 1, &|_| true).unwrap().stopped());
}

#[test]
fn a_step_that_fails_is_not_divided_in_a_comparison() {
    let folder = Folder::new();
    let pressed = "[body.block.moved]\nset = \"x-max\"\n\
        translation = { by = [-0.18, 0, 0], curve = { kind = \"ramp\", end = 0.02 } }\n[time]\n";
    let text = BLOCK.replace("implicit-midpoint", "backward-euler").replace("80 ms", "40 ms");
    // Even where the scene asks for it.
    for retry in ["", "retry = true\n"] {
        let origin = folder.scene(&text.replace("[time]\n", &format!("{pressed}{retry}")));
        let made = run(&origin, &["time.step=0.02,0.0001"], 1);
        let statuses: Vec<Status> = made.rows.iter().map(pliant_study::Row::status).collect();
        assert_eq!(statuses, [Status::Failed, Status::Done]);
        let reason = made.rows[0].outcome.as_ref().unwrap().reason.clone().unwrap();
        assert!(!reason.contains("divided"), "{reason}");
    }
    // A run of the same scene goes on.
    let sets = vec!["time.step=0.02".to_owned()];
    let scene = folder.0.join("scene.toml").display().to_string();
    let mut simulation = Simulation::build(&Origin { scene, sets }.load().unwrap()).unwrap();
    while !simulation.is_done() {
        simulation.step().unwrap();
    }
    assert!(simulation.tally().retries.attempts > 0);
}

#[test]
fn runs_that_fail_stay_rows_with_their_reason() {
    let folder = Folder::new();
    // The longest stable step is below 1 ms.
    let origin = folder.scene(&BLOCK.replace("20 kPa", "20 MPa"));
    let made = run(&origin, &["time.integrator=rk4,backward-euler", "time.step=0.01,0.0001"], 2);
    let statuses: Vec<Status> = made.rows.iter().map(pliant_study::Row::status).collect();
    use Status::{Done, Failed};
    assert_eq!(statuses, [Failed, Done, Done, Done]);
    let reason = made.rows[0].outcome.as_ref().unwrap().reason.clone().unwrap();
    assert!(reason.contains("failed"), "{reason}");
    assert_eq!((made.rows[0].error, made.rows[1].order), (None, None));
    let json = made.json();
    assert_eq!(json["rows"][0]["status"], "failed");
    for key in ["integrator", "step", "error", "wall_seconds", "steps", "newton_iterations"] {
        assert!(json["rows"][1].get(key).is_some(), "{key}");
    }
    assert_eq!(made.csv().lines().count(), 5);
    // Only what has an error is drawn.
    let plot = made.plot();
    let counts: Vec<usize> = plot.curves.iter().map(|c| c.points.len()).collect();
    assert_eq!(counts, [1, 2]);
}

#[test]
fn what_is_lost_is_neither_drawn_nor_given_an_order() {
    let folder = Folder::new();
    // Steps far above the critical one, too few for numbers to overflow; a linear law takes inverted elements.
    let sets = ["time.integrator=rk4", "time.step=0.04,0.02,0.0005"];
    let text = BLOCK.replace("20 kPa", "200 kPa").replace("neo-hookean", "linear");
    let made = run(&folder.scene(&text), &sets, 2);
    let [long, _, short] = &made.rows[..] else { panic!("{}", made.text()) };
    assert!(long.status() == Status::Done && long.is_lost() && !short.is_lost(), "{}", made.text());
    assert_eq!(short.order, None);
    assert!(made.notes.iter().any(|n| n.contains("larger than the body")), "{:?}", made.notes);
    assert_eq!(made.plot().curves[0].points.len(), 1);
}

#[test]
fn errors_of_rounding_have_no_order() {
    let folder = Folder::new();
    // In free fall the trapezoidal rule is exact.
    let made = run(
        &folder.scene(&BLOCK.replace("fixed = \"x-min\"", "")),
        &["time.integrator=backward-euler,trapezoidal", "time.step=0.02,0.01"],
        2,
    );
    assert!((made.rows[1].order.unwrap() - 1.0).abs() < 1e-6, "{}", made.text());
    assert!(made.rows[3].error.unwrap() < 1e-13 && made.rows[3].order.is_none(), "{}", made.text());
}

#[test]
fn each_answer_has_a_reference_of_its_own() {
    let folder = Folder::new();
    let origin = folder.scene(BLOCK);
    let young = "body.block.material.young=20 kPa,40 kPa";
    let made = run(&origin, &[young, "time.step=0.002,0.001"], 2);
    assert_eq!(made.references.len(), 2);
    for rows in made.rows.chunks(2) {
        assert!((rows[1].order.unwrap() - 2.0).abs() < 0.1, "{:?}", rows[1].order);
    }
    let tips: Vec<f64> =
        made.references.iter().map(|r| r.outcome.as_ref().unwrap().probes[0].2[1]).collect();
    assert!((tips[0] - tips[1]).abs() > 1e-4, "{tips:?}");
}

#[test]
fn meshes_are_compared_by_probes() {
    let folder = Folder::new();
    let origin = folder.scene(BLOCK);
    let made = run(&origin, &["body.block.mesh.refine=0,1,2"], 2);
    assert_eq!(made.error_by, ErrorBy::Probes);
    assert!(made.notes.iter().any(|n| n.contains("probes")), "{:?}", made.notes);
    let errors: Vec<f64> = made.rows.iter().map(|r| r.error.unwrap()).collect();
    assert!(errors[0] > errors[1] && errors[1] > 5.0 * errors[2], "{errors:?}");
    let blind = folder.scene(&BLOCK.replace("[probe.tip]\nat = [0.2, 0.05, 0.05]\n", ""));
    let message = error(&blind, &["body.block.mesh.refine=0,1"]);
    assert!(message.contains("only be compared by probes"), "{message}");
}

#[test]
fn states_of_rest_are_compared_too() {
    let folder = Folder::new();
    let text = BLOCK.replace("integrator = \"implicit-midpoint\"", "analysis = \"static\"");
    // What is odd about the scene is said once, not for every run.
    let text = text.replace("[time]", "density = 1e6\n[time]").replace("20 kPa", "20 GPa");
    let made = run(&folder.scene(&text), &["solver.linear=cholesky,cg,minres"], 2);
    assert!(matches!(made.warnings()[..], [w] if w.contains("density")), "{:?}", made.warnings());
    assert_eq!(made.rows[0].integrator, "static");
    assert!(made.rows.iter().all(|r| r.error.unwrap() < 1e-8), "{}", made.text());
}

#[test]
fn a_scene_that_counts_its_steps_keeps_its_end() {
    let folder = Folder::new();
    let made = run(
        &folder.scene(&BLOCK.replace("end = \"80 ms\"", "steps = 8")),
        &["time.step=0.02,0.004"],
        1,
    );
    for row in &made.rows {
        assert!((row.outcome.as_ref().unwrap().simulated_seconds - 0.08).abs() < 1e-12);
    }
}

#[test]
fn references_are_as_asked_for_and_implicit_where_explicit_ones_are_too_slow() {
    let folder = Folder::new();
    let origin = folder.scene(BLOCK);
    let list = axes(&["time.step=0.02,0.01"]);
    let of = |text: &str| {
        let made =
            compare(&Plan::new(&origin, &list, Some(text)).unwrap(), None, 2, &|_| true).unwrap();
        made.references[0].reference.clone()
    };
    assert_eq!((of("trapezoidal@5e-4").step, of("trapezoidal").step), (Some(5e-4), Some(0.00125)));
    assert_eq!(of("dormand-prince-5").tolerance, Some(1e-12));
    let hard = folder.scene(&BLOCK.replace("20 kPa", "2e15 Pa"));
    let made = run(&hard, &["time.step=0.02,0.01"], 2);
    let reference = &made.references[0].reference;
    assert_eq!((reference.method.as_str(), reference.step), ("implicit-midpoint", Some(0.00125)));
    assert!(reference.why.contains("evaluations of cells"), "{}", reference.why);
    let wrong = Plan::new(&origin, &list, Some("rk5")).unwrap_err().to_string();
    assert!(wrong.contains("did you mean \"rk4\""), "{wrong}");
}

#[test]
fn bad_plans_are_refused() {
    let folder = Folder::new();
    let origin = folder.scene(BLOCK);
    for (list, word) in [
        (&["time.integrator=backward-eule"][..], "did you mean \"backward-euler\""),
        (&["time.stp=1"], "unknown key 'stp'"),
        (&["body.block.material.young=1 kg"], "a mass"),
        (&["time.step=0.01", "time.step=0.02"], "varies twice"),
    ] {
        let message = error(&origin, list);
        assert!(message.contains(word), "{list:?}: {message}");
    }
    std::fs::write(folder.0.join("mine.txt"), "mine").unwrap();
    let message = StudyFolder::open(&folder.0, &origin, true).unwrap_err().to_string();
    assert!(message.contains("was not made by a study"), "{message}");
}

/// A linear bar of one row of hexahedra that hangs from its end: u = ρ g L²/2E at the tip without error,
/// and 3/8 of ρ g L²/E in its middle.
const HANGING: &str = r#"
gravity = [0, -10, 0]
[body.bar]
mesh = { shape = "box", size = [0.1, 0.4, 0.1], cells = [1, 2, 1], cell = "hex" }
material = { law = "linear", young = "100 kPa", poisson = 0 }
density = 1000
fixed = "y-max"
[time]
analysis = "static"
[probe.tip]
at = [0.05, 0, 0.05]
[probe.quarter]
at = [0.05, 0.1, 0.05]
"#;

fn scene(text: &str) -> Scene {
    Scene::parse(text, Path::new("test.toml")).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_hanging_bar_comes_to_its_closed_form() {
    let made = converge(&scene(HANGING), 4, Refine::Both, 2, &|_| true).unwrap().unwrap();
    assert!(
        made.notes.iter().any(|n| n.contains("static analysis has no step")),
        "{:?}",
        made.notes
    );
    let [s] = &made.sequences[..] else { panic!("{:?}", made.sequences) };
    let cells: Vec<usize> = s.levels.iter().map(|l| l.cells).collect();
    assert_eq!((s.refinement, cells), (Refinement::Mesh, vec![2, 16, 128, 1024]));
    let of = |probe: &str| s.estimates.iter().find(|e| e.probe == probe && e.axis == 1).unwrap();
    // Lumped weight is exact at nodes of equal bars: nothing changes at the tip.
    let tip = of("tip");
    let exact = -1000.0 * 10.0 * 0.16 / (2.0 * 1e5);
    assert_eq!(tip.richardson.verdict, Verdict::Settled);
    assert!(tip.values.iter().all(|v| (v - exact).abs() < 1e-9), "{:?} {exact}", tip.values);
    // A quarter above the tip lies in the middle of a cell at first, and on a node afterwards.
    let quarter = of("quarter");
    assert!((quarter.values[1] - 0.9375 * exact).abs() < 1e-9, "{:?}", quarter.values);
    assert_eq!(quarter.richardson.verdict, Verdict::Settled);
}

#[test]
fn bending_has_an_order_and_an_error_that_holds() {
    // A cantilever under its weight: at second order its tip comes to where finer meshes have it.
    let text = HANGING
        .replace("cells = [1, 2, 1]", "cells = [2, 8, 2]")
        .replace("[0, -10, 0]", "[1, 0, 0]");
    let made = converge(&scene(&text), 3, Refine::Meshes, 2, &|_| true).unwrap().unwrap();
    let e = &made.sequences[0].estimates[0];
    assert_eq!((e.probe.as_str(), e.axis, e.richardson.verdict), ("tip", 0, Verdict::Unconfirmed));
    let order = e.richardson.order.unwrap();
    assert!((order - 2.0).abs() < 0.2, "{e:?}");
    // Timoshenko, k = 10/12 for ν = 0: q L⁴/8EI + q L²/(2 k G A).
    let (length, side, young, load) = (0.4_f64, 0.1_f64, 1e5, 1000.0 * 0.1 * 0.1);
    let inertia = side.powi(4) / 12.0;
    let shear = load * length * length / (2.0 * (10.0 / 12.0) * 0.5 * young * side * side);
    let beam = load * length.powi(4) / (8.0 * young * inertia) + shear;
    assert!((e.richardson.limit.unwrap() - beam).abs() < 0.01 * beam, "{e:?} {beam}");
    assert!(e.error_of_scene().unwrap() > 3.0 * e.richardson.error.unwrap());
}

#[test]
fn halved_steps_show_the_order_of_the_method() {
    for (name, order) in [("backward-euler", 1.0), ("implicit-midpoint", 2.0)] {
        let text =
            BLOCK.replace("implicit-midpoint", name).replace("step = \"10 ms\"", "step = \"1 ms\"");
        let made = converge(&scene(&text), 4, Refine::Steps, 2, &|_| true).unwrap().unwrap();
        let s = &made.sequences[0];
        assert_eq!((s.refinement, s.theory), (Refinement::Step, Theory::Order(order as usize)));
        assert!((s.levels[3].step - 0.001 / 8.0).abs() < 1e-15);
        let tip = &s.estimates[1];
        assert!((tip.richardson.order.unwrap() - order).abs() < 0.1, "{name}: {tip:?}");
    }
}

#[test]
fn what_cannot_be_refined_says_so() {
    let refuse = |text: &str, levels, refine| {
        converge(&scene(text), levels, refine, 1, &|_| true).unwrap_err().to_string()
    };
    assert!(refuse(HANGING, 1, Refine::Both).contains("1 levels"));
    assert!(refuse(HANGING, 3, Refine::Steps).contains("no step to refine"));
    let chosen = BLOCK.replace("implicit-midpoint\"", "bdf2\"\ntolerance = 1e-5");
    assert!(refuse(&chosen, 3, Refine::Steps).contains("chooses its steps"));
    let numbered = HANGING.replace("\"y-max\"", "{ vertices = [0, 1] }");
    assert!(refuse(&numbered, 3, Refine::Both).contains("numbers are others"));
    let blind = HANGING.split("[probe").next().unwrap();
    assert!(refuse(blind, 3, Refine::Both).contains("no probe"));
    assert!(converge(&scene(HANGING), 3, Refine::Both, 1, &|_| false).unwrap().is_none());
}
