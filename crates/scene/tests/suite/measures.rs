//! Norms, moments, stresses at probes and tables: what a run says in numbers.

use std::fs;
use std::path::Path;

use pliant_mesh::generate::BoxShape;
use pliant_mesh::io::{WriteOptions, read_volume, write_volume};
use pliant_mesh::{CellData, Region, VolumeMesh};
use pliant_scene::run::{Destination, run};
use pliant_scene::{Folder, Origin, Scene, SceneError, Simulation};

use crate::temporary::Temporary;

impl Temporary {
    /// The columns of a table by name.
    fn column(&self, file: &str, name: &str) -> Vec<f64> {
        let text = fs::read_to_string(self.0.join(file)).unwrap();
        let mut rows = text.lines();
        let header: Vec<&str> = rows.next().unwrap().split(',').collect();
        let at = header.iter().position(|h| *h == name).unwrap_or_else(|| panic!("{header:?}"));
        rows.map(|row| row.split(',').nth(at).unwrap().parse().unwrap()).collect()
    }
}

fn go(text: &str, at: &Temporary) {
    let scene = Scene::parse(text, Path::new("test.toml")).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
    let origin = Origin { scene: "test".into(), sets: Vec::new() };
    let folder = Folder::create(&at.0, &origin, true).unwrap();
    let destination = Destination { folder: &folder, resume: false };
    let outcome = run(&scene, &mut simulation, Some(&destination), &mut |_| true).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
}

fn refused(text: &str) -> SceneError {
    let scene = Scene::parse(text, Path::new("test.toml"));
    match scene.and_then(|scene| Simulation::build(&scene)) {
        Ok(_) => panic!("this was accepted: {text}"),
        Err(error) => error,
    }
}

/// A bar of linear material that is pulled and bent at its end: forces and moments at the wall are those of the load,
/// the stress of pure tension is F/A everywhere, and displacements are F x/(E A).
const BAR: &str = r#"
gravity = [0, 0, 0]
[body.bar]
mesh = { shape = "box", size = [1, 0.2, 0.1], cells = [5, 2, 2], cell = "hex" }
material = { law = "linear", young = 1e5, poisson = 0 }
fixed = { set = "x-min", name = "wall", moment_about = [0.25, 0.1, 0.05] }
load = { set = "x-max", force = [FORCE] }
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
[probe.middle]
at = [0.5, 0.1, 0.05]
stress = true
[norm.largest]
kind = "max"
[norm.end]
set = "x-max"
[norm.off]
kind = "max"
minus = ["0.005*X", 0, 0]
[norm.mean]
kind = "mean"
set = "x-max"
[output]
frames = 0
[[output.table]]
name = "axis"
line = { from = [0, 0.1, 0.05], to = [1, 0.1, 0.05], count = 5 }
columns = ["displacement", "stress", "strain", "von_mises", "J"]
[[output.table]]
name = "end"
set = "x-max"
columns = ["position", "velocity"]
every = 1
"#;

#[test]
fn a_bar_in_tension_says_what_its_closed_form_says() {
    let at = Temporary::new("tension");
    go(&BAR.replace("FORCE", "10, 0, 0"), &at);
    let last = |file: &str, name: &str| *at.column(file, name).last().unwrap();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
    near(last("history.csv", "reaction.bar.wall.x [N]"), -10.0);
    // F/A
    near(last("history.csv", "stress.middle.xx [Pa]"), 500.0);
    near(last("history.csv", "stress.middle.xy [Pa]"), 0.0);
    // F L/(E A)
    near(last("history.csv", "norm.largest [m]"), 0.005);
    near(last("history.csv", "norm.end [m]"), 0.005);
    near(last("history.csv", "norm.mean [m]"), 0.005);
    near(last("history.csv", "norm.off [m]"), 0.0);
    near(last("history.csv", "moment.bar.wall.x [N m]"), 0.0);
    let places = at.column("tables/axis.csv", "X [m]");
    assert_eq!(places, [0.0, 0.25, 0.5, 0.75, 1.0]);
    for (x, u) in places.iter().zip(at.column("tables/axis.csv", "displacement.x [m]")) {
        near(u, 0.005 * x);
    }
    for name in ["stress.xx [Pa]", "von_mises [Pa]"] {
        at.column("tables/axis.csv", name).into_iter().for_each(|s| near(s, 500.0));
    }
    // Green strain and the ratio of volumes of a stretch of 1.005.
    let strain = at.column("tables/axis.csv", "strain.xx");
    for e in strain {
        near(e, 0.5 * (1.005 * 1.005 - 1.0));
    }
    at.column("tables/axis.csv", "J").into_iter().for_each(|j| near(j, 1.005));
    // Nine vertices at the start and at the end.
    let ends = at.column("tables/end.csv", "position.x [m]");
    assert_eq!(ends.len(), 18);
    assert!(ends[..9].iter().all(|x| *x == 1.0));
    ends[9..].iter().for_each(|x| near(*x, 1.005));
}

/// The moment of the wall about a point is that of the load with the sign turned: (x − p) × F at the undeformed end, as the
/// linear body hardly moves under a small force.
#[test]
fn the_moment_of_a_support_balances_that_of_the_load() {
    let at = Temporary::new("moment");
    go(&BAR.replace("FORCE", "0, 1e-6, 2e-6"), &at);
    let moment = ["x", "y", "z"].map(|axis| {
        *at.column("history.csv", &format!("moment.bar.wall.{axis} [N m]")).last().unwrap()
    });
    // Of the load about (0.25, 0.1, 0.05): (0.75, 0, 0) × F = (0, −0.75 Fz, 0.75 Fy).
    let expected = [0.0, 0.75 * 2e-6, -0.75 * 1e-6];
    for k in 0..3 {
        assert!((moment[k] - expected[k]).abs() < 1e-11, "{moment:?} {expected:?}");
    }
}

/// Rows of chosen times are the first steps that end then or later; a run that was stopped writes none twice.
#[test]
fn a_table_has_the_times_that_were_asked_for() {
    let text = r#"
[body.cube]
mesh = { shape = "box", cells = [1, 1, 1] }
material = { law = "linear", young = 1e5 }
[time]
step = 0.01
steps = 10
[output]
frames = 0
checkpoint_every = 1
[[output.table]]
name = "fall"
points = [[0.5, 0.5, 0.5]]
times = [0, 0.03, 0.055, 0.1, 7]
columns = "position"
"#;
    let whole = Temporary::new("times");
    go(text, &whole);
    let times = whole.column("tables/fall.csv", "time [s]");
    let expected = [0.0, 0.03, 0.06, 0.1];
    assert_eq!(times.len(), 4, "{times:?}");
    assert!(times.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{times:?}");
    let scene = Scene::parse(text, Path::new("test.toml")).unwrap();
    for stop in [2, 3, 6, 9] {
        let part = Temporary::new(&format!("times{stop}"));
        let origin = Origin { scene: "test".into(), sets: Vec::new() };
        let folder = Folder::create(&part.0, &origin, true).unwrap();
        for resume in [false, true] {
            let mut simulation = Simulation::build(&scene).unwrap();
            let destination = Destination { folder: &folder, resume };
            let mut watch = |p: &pliant_scene::run::Progress| resume || p.step < stop;
            run(&scene, &mut simulation, Some(&destination), &mut watch).unwrap();
        }
        let read = |at: &Temporary| fs::read(at.0.join("tables/fall.csv")).unwrap();
        assert!(read(&part) == read(&whole), "stopped at {stop}");
    }
}

#[test]
fn measures_that_make_no_sense_are_refused_with_their_place() {
    let text = BAR.replace("FORCE", "1, 0, 0");
    for (from, to, part) in [
        ("count = 5", "count = 1", "at least 2 points"),
        ("name = \"axis\"", "name = \"../axis\"", "it names a file"),
        ("name = \"axis\"", "name = \"end\"", "two tables 'end'"),
        ("\"J\"", "\"jacobian\"", "there is no 'jacobian' here"),
        ("every = 1", "every = 1\ntimes = [1]", "either times or every"),
        ("kind = \"mean\"", "kind = \"mean\"\nof = \"force\"", "displacement, velocity"),
        ("minus = [\"0.005*X\", 0, 0]", "minus = [\"0.005*Q\", 0, 0]", "'Q' is not known"),
        (
            "law = \"linear\", young = 1e5, poisson = 0",
            "law = \"mass-spring\", young = 1e5",
            "has no stress",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let error = refused(&text.replacen(from, to, 1)).to_string();
        assert!(error.contains(part) && error.contains("test.toml:"), "{to}: {error}");
    }
}

/// Cells of frames are in the order of the mesh file, whatever order the solver has them in, and so are their data.
#[test]
fn frames_keep_the_order_of_the_cells_of_the_file() {
    let shape = BoxShape { cells: [6, 5, 4], ..BoxShape::default() };
    let ordered = shape.generate().unwrap();
    let count = ordered.cell_count();
    // A permutation, as 7 does not divide the number of cells.
    assert_ne!(count % 7, 0);
    let shuffled: Vec<usize> = (0..count).map(|k| (7 * k + 3) % count).collect();
    let cells = shuffled.iter().flat_map(|&c| ordered.cell(c).to_vec()).collect();
    let mut mesh = VolumeMesh::new(ordered.cell_type, ordered.vertices.clone(), cells);
    let region = |name: &str| Region { name: name.into(), material: None };
    mesh.regions = vec![region("soft"), region("hard")];
    mesh.cell_region = shuffled.iter().map(|c| u32::from(c % 3 == 0)).collect();
    let values = shuffled.iter().map(|&c| c as f64).collect();
    mesh.cell_data = vec![CellData { name: "number".into(), values }];
    let at = Temporary::new("order");
    fs::create_dir_all(&at.0).unwrap();
    let file = at.0.join("input.vtu");
    write_volume(&file, &mesh, &WriteOptions::default()).unwrap();
    let text = format!(
        "[body.block]\nmesh = {:?}\nmaterial = {{ law = \"neo-hookean\", young = 1e4 }}\n\
         region.hard = {{ material = {{ law = \"neo-hookean\", young = 1e6 }} }}\nfixed = \"x-min\"\n\
         [time]\nstep = 0.01\nsteps = 2\n[output]\nframes = \"20 ms\"\n",
        file.display().to_string()
    );
    go(&text, &at);
    let frame = read_volume(&at.0.join("frames/block_00001.vtu")).unwrap().mesh;
    assert_eq!(frame.cells, mesh.cells);
    assert_eq!((frame.regions, frame.cell_region), (mesh.regions, mesh.cell_region));
    let number = frame.cell_data.iter().find(|d| d.name == "number").unwrap();
    assert_eq!(number.values, mesh.cell_data[0].values);
    assert_ne!(frame.vertices, mesh.vertices);
}
