//! Curved bodies on quadratic elements: middle nodes on the sides, files that keep them, and the order of convergence.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use pliant_algebra::vec3::{Vec3, norm, scale, sub};
use pliant_mesh::generate::{CellChoice, QuarterRing};
use pliant_mesh::io::{WriteOptions, gmsh, write_volume};
use pliant_mesh::measure;
use pliant_scene::{Scene, Simulation};

fn build(text: &str, at: &std::path::Path) -> Simulation {
    let scene = Scene::parse(text, at).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn middle_nodes_of_generated_bodies_lie_on_their_sides() {
    let path = PathBuf::from("scene.toml");
    for (element, more) in
        [("tet10", ""), ("hex20", ""), ("tet10", "jitter = 0.3, "), ("hex20", "refine = 1, ")]
    {
        let mesh =
            format!("mesh = {{ shape = \"tube\", {more}radial = 1, around = 8, layers = 2 }}");
        let text = format!(
            "[body.tube]\n{mesh}\nelement = \"{element}\"\nmaterial = {{ young = \"1 MPa\", poisson = 0.3 }}\n"
        );
        let simulation = build(&text, &path);
        let mesh = &simulation.bodies[0].mesh;
        assert_eq!(mesh.cell_type.name(), element);
        for (set, radius) in [("inner", 0.3), ("outer", 0.5)] {
            for &v in &mesh.vertex_set(set).unwrap().items {
                let [x, y, _] = mesh.vertices[v as usize];
                assert!((x.hypot(y) - radius).abs() < 1e-14, "{element} {more}: {}", x.hypot(y));
            }
        }
        // Straight edges would leave a tenth of it out.
        let exact = std::f64::consts::PI * (0.25 - 0.09);
        let off = measure::volume(mesh) / exact - 1.0;
        assert!(off.abs() < 1e-3, "{element} {more}: {off:e}");
        let cells = if element == "hex20" { 16 } else { 96 };
        assert_eq!(mesh.cell_count(), if more.contains("refine") { 8 * cells } else { cells });
    }
    // A kind of cell by name, without an element.
    let text = "[body.ball]\nmesh = { shape = \"sphere\", cell = \"hex20\", core = 1, rings = 1 }\nmaterial = { young = \"1 MPa\", poisson = 0.3 }\n";
    assert_eq!(build(text, &path).bodies[0].element.name(), "hex20");
}

/// Vertices of a ring under a pressure inside, and where they are at rest.
fn ring(text: &str, at: &std::path::Path) -> Vec<(Vec3, Vec3)> {
    let mut simulation = build(text, at);
    simulation.step().unwrap_or_else(|e| panic!("{e}"));
    let probes = simulation.probes.iter();
    let x = &simulation.state().x;
    probes.map(|probe| (probe.rest, sub(probe.at(x), probe.rest))).collect()
}

fn scene(mesh: &str, element: &str) -> String {
    let mut text = format!(
        r#"
gravity = [0, 0, 0]
[body.ring]
mesh = {mesh}
element = "{element}"
material = {{ law = "linear", young = 1, poisson = 0.3 }}
fixed = [{{ set = "x-min", axes = "x" }}, {{ set = "y-min", axes = "y" }}, {{ where = "z > -1", axes = "z" }}]
load = {{ set = "inner", pressure = 1e-3, follows = false }}
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
"#
    );
    // Points that are vertices of no mesh, next to the inner side, the outer one and between.
    for (k, (r, angle)) in [(1.002, 0.23), (1.002, 1.31), (1.37, 0.71), (1.83, 1.17), (1.998, 0.47)]
        .into_iter()
        .enumerate()
    {
        let (sin, cos) = f64::sin_cos(angle);
        text += &format!("[probe.p{k}]\nbody = \"ring\"\nat = [{}, {}, 0.03]\n", r * cos, r * sin);
    }
    text
}

/// u = (1 + ν) p a² / (b² − a²) ((1 − 2ν) r + b² / r), a = 1, b = 2, E = 1, ν = 0.3.
fn lame(rest: Vec3) -> Vec3 {
    let [x, y, _] = rest;
    let u = 1e-3 * 1.3 / 3.0 * (0.4 + 4.0 / (x * x + y * y));
    scale([x, y, 0.0], u)
}

/// The root of the mean of squared errors, relative to 1e-3.
fn error(found: &[(Vec3, Vec3)]) -> f64 {
    let sum: f64 = found.iter().map(|&(rest, u)| norm(sub(u, lame(rest))).powi(2)).sum();
    (sum / found.len() as f64).sqrt() / 1e-3
}

#[test]
fn a_thick_cylinder_converges_at_third_order() {
    let path = PathBuf::from("scene.toml");
    for element in ["tet10", "hex20"] {
        let errors = [2, 4, 8].map(|n| {
            let cells = [2 * n, 3 * n, 1];
            let mesh =
                format!("{{ shape = \"quarter-ring\", thickness = 0.06, cells = {cells:?} }}");
            error(&ring(&scene(&mesh, element), &path))
        });
        let order = (errors[0] / errors[2]).log2() / 2.0;
        assert!(errors[2] < 1.5e-5, "{element}: {errors:?}");
        // At these few points hex20 is lucky on the coarse mesh (5e-5); its order over the whole body is a problem of `verify`.
        assert!(order > if element == "tet10" { 2.8 } else { 1.5 }, "{element}: order {order}");
    }
}

/// A folder, removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_keep_curved_edges_and_give_the_same_run() {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder =
        std::env::temp_dir().join(format!("pliant-curved-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let folder = Folder(folder);
    let path = folder.0.join("scene.toml");
    for (cell, element) in [(CellChoice::Tet10, "tet10"), (CellChoice::Hex20, "hex20")] {
        let shape =
            QuarterRing { thickness: 0.06, cells: [4, 6, 1], cell, ..QuarterRing::default() };
        let mesh = shape.generate().unwrap();
        let generated = "{ shape = \"quarter-ring\", thickness = 0.06, cells = [4, 6, 1] }";
        let expected = ring(&scene(generated, element), &path);
        let v22 = WriteOptions { gmsh_version: gmsh::Version::V22, ..WriteOptions::default() };
        for (file, options) in [
            ("a.msh", WriteOptions::default()),
            ("b.msh", v22),
            ("a.vtu", WriteOptions::default()),
            ("a.vtk", WriteOptions::default()),
        ] {
            write_volume(&folder.0.join(file), &mesh, &options).unwrap();
            let found = ring(&scene(&format!("\"{file}\""), element), &path);
            for ((_, a), (_, b)) in expected.iter().zip(&found) {
                assert!(norm(sub(*a, *b)) < 1e-12 * norm(*a), "{file}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn elements_that_fold_are_refused_by_number() {
    let folder = std::env::temp_dir().join(format!("pliant-folded-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let folder = Folder(folder);
    let shape = QuarterRing { cells: [2, 2, 1], cell: CellChoice::Hex20, ..QuarterRing::default() };
    let mut mesh = shape.generate().unwrap();
    // The middle of an inner arc, drawn through the cell.
    let inner = shape.inner;
    let on_arc = |v: &&u32| {
        let [x, y, _] = mesh.vertices[**v as usize];
        (x.hypot(y) - inner).abs() < 1e-9
    };
    let middle = *mesh.cell(0)[8..].iter().find(on_arc).unwrap() as usize;
    let [x, y, z] = mesh.vertices[middle];
    mesh.vertices[middle] = [1.8 * x, 1.8 * y, z];
    write_volume(&folder.0.join("folded.vtu"), &mesh, &WriteOptions::default()).unwrap();
    let text =
        "[body.ring]\nmesh = \"folded.vtu\"\nmaterial = { young = \"1 MPa\", poisson = 0.3 }\n";
    let scene = Scene::parse(text, &folder.0.join("scene.toml")).unwrap();
    let error = Simulation::build(&scene).err().unwrap().to_string();
    assert!(error.contains("hex20 element 0 is folded at its node"), "{error}");
}
