//! Rigid parts and reduced bodies, through scenes.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_dynamics::ModeSettings;
use pliant_mesh::NamedSet;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::io::{WriteOptions, write_volume};
use pliant_scene::run::{Destination, Outcome, Progress, run};
use pliant_scene::{Folder, Origin, Scene, SceneError, Simulation};

use crate::temporary::Temporary;

/// A clamped bar; `law` and what is added to it and after it.
fn bar(law: &str, more: &str, after: &str) -> String {
    format!(
        r#"
[body.bar]
mesh = {{ shape = "box", size = [0.3, 0.08, 0.1], cells = [3, 1, 1] }}
material = {{ law = "{law}", young = "100 kPa", poisson = 0.3 }}
fixed = "x-min"
{more}
{after}
[output]
frames = 0
report = false
"#
    )
}

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("bar.toml"))
}

fn build(text: &str) -> Simulation {
    let scene = parse(text).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn finish(text: &str) -> Simulation {
    let mut simulation = build(text);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

fn largest(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| norm(sub(a, b))).fold(0.0, f64::max)
}

fn refused(text: &str) -> String {
    let built = parse(text).and_then(|scene| Simulation::build(&scene).map(|_| ()));
    built.expect_err("is refused").to_string()
}

const STRICT: &str = "[solver]\nnewton_tolerance = 1e-11\nlinear = \"cholesky\"";

#[test]
fn with_all_modes_a_reduced_body_moves_as_the_full_one() {
    for (method, law) in [
        ("integrator = \"backward-euler\"", "stable-neo-hookean"),
        ("integrator = \"implicit-midpoint\"", "stable-neo-hookean"),
        ("integrator = \"newmark\"", "stable-neo-hookean"),
        ("analysis = \"static\"", "stable-neo-hookean"),
    ] {
        let time = format!("[time]\n{method}\nstep = \"10 ms\"\nend = \"0.2 s\"\n{STRICT}");
        let full = finish(&bar(law, "", &time));
        let reduced = finish(&bar(law, "reduced = { modes = 36 }", &time));
        let rest = build(&bar(law, "", &time));
        let far = largest(&full.state().x, &rest.state().x);
        let error = largest(&full.state().x, &reduced.state().x);
        println!("{method}: {error:e} of {far}");
        assert!(far > 1e-3 && error < 1e-8 * far, "{method}: {error:e} of {far}");
    }
}

#[test]
fn one_mode_of_a_linear_bar_is_an_oscillator() {
    let time = |step: f64, end: f64| {
        format!("[time]\nintegrator = \"implicit-midpoint\"\nstep = {step}\nend = {end}\n{STRICT}")
    };
    let mode = {
        let mut full = build(&bar("linear", "", &time(0.01, 0.01)));
        let settings = ModeSettings { count: 1, ..ModeSettings::default() };
        full.modes(&settings).unwrap().modes.swap_remove(0)
    };
    let period = 1.0 / mode.frequency();
    let end = 0.7 * period;
    let made = finish(&bar("linear", "reduced = { modes = 1 }", &time(end / 400.0, end)));
    // q″ + ω² q = φᵀ M g from rest: q = f/ω² (1 − cos ω t), and u = φ q.
    let masses = made.bodies[0].masses();
    let force: f64 = mode.shape.iter().zip(masses).map(|(s, m)| -9.81 * m * s[1]).sum();
    let q = force / mode.square * (1.0 - (mode.angular() * made.state().time).cos());
    let rest = build(&bar("linear", "", &time(0.01, 0.01)));
    let exact: Vec<Vec3> = rest
        .state()
        .x
        .iter()
        .zip(&mode.shape)
        .map(|(x, s)| std::array::from_fn(|k| x[k] + q * s[k]))
        .collect();
    let far = largest(&exact, &rest.state().x);
    let error = largest(&made.state().x, &exact);
    assert!(far > 1e-3 && error < 1e-3 * far, "{error:e} of {far}");
}

#[test]
fn the_static_answer_of_a_linear_body_is_the_projection_of_the_full_one() {
    let time = format!("[time]\nanalysis = \"static\"\n{STRICT}");
    let full = finish(&bar("linear", "", &time));
    let reduced = finish(&bar("linear", "reduced = { modes = 4 }", &time));
    let mut rest = build(&bar("linear", "", &time));
    let settings = ModeSettings { count: 4, tolerance: 1e-11, ..ModeSettings::default() };
    let modes = rest.modes(&settings).unwrap().modes;
    let masses = full.bodies[0].masses().to_vec();
    let mut expected = rest.state().x.clone();
    for mode in &modes {
        let along = |(i, s): (usize, &Vec3)| -> f64 {
            let u = sub(full.state().x[i], rest.state().x[i]);
            masses[i] * (0..3).map(|k| s[k] * u[k]).sum::<f64>()
        };
        let q: f64 = mode.shape.iter().enumerate().map(along).sum();
        for (x, s) in expected.iter_mut().zip(&mode.shape) {
            *x = std::array::from_fn(|k| x[k] + q * s[k]);
        }
    }
    let far = largest(&full.state().x, &rest.state().x);
    let error = largest(&reduced.state().x, &expected);
    assert!(error < 1e-7 * far, "{error:e} of {far}");
    // Four modes are not all.
    assert!(largest(&reduced.state().x, &full.state().x) > 1e-4 * far);
}

/// A bar along x whose cells beyond x = 0.2 are the set `block`.
fn bar_with_block(folder: &Path) {
    let shape = BoxShape {
        size: [0.3, 0.1, 0.1],
        cells: [6, 2, 2],
        cell: CellChoice::Tet5,
        ..BoxShape::default()
    };
    let mut mesh = shape.generate().unwrap();
    let beyond =
        |c: &u32| mesh.cell(*c as usize).iter().all(|&v| mesh.vertices[v as usize][0] > 0.199);
    let cells: Vec<u32> = (0..mesh.cell_count() as u32).filter(beyond).collect();
    mesh.cell_sets.push(NamedSet::new("block", cells));
    let path = folder.join("bar.veg");
    write_volume(&path, &mesh, &WriteOptions::default()).unwrap();
}

fn with_block(folder: &Path, more: &str, after: &str) -> Scene {
    let text = format!(
        r#"
[body.bar]
mesh = "bar.veg"
material = {{ law = "stable-neo-hookean", young = "60 kPa", poisson = 0.3 }}
fixed = {{ where = "x < 0.001" }}
{more}
{after}
[output]
frames = 0
report = false
checkpoint_every = 4
"#
    );
    Scene::parse(&text, &folder.join("scene.toml")).unwrap_or_else(|e| panic!("{e}"))
}

const RIGID: &str = "[constraint.tool]\nkind = \"rigid\"\nbody = \"bar\"\non = \"block\"\n";

fn rest_of(scene: &Scene) -> Vec<Vec3> {
    Simulation::build(scene).unwrap().state().x.clone()
}

/// The vertices beyond x = 0.2 at rest.
fn block(rest: &[Vec3]) -> Vec<usize> {
    (0..rest.len()).filter(|&v| rest[v][0] > 0.199).collect()
}

fn distances_are_kept(x: &[Vec3], rest: &[Vec3]) {
    for &i in &block(rest) {
        for &j in &block(rest) {
            let change = norm(sub(x[i], x[j])) - norm(sub(rest[i], rest[j]));
            assert!(change.abs() < 1e-14, "{i} {j}: {change:e}");
        }
    }
}

fn solved(scene: &Scene) -> Simulation {
    let mut simulation = Simulation::build(scene).unwrap_or_else(|e| panic!("{e}"));
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

#[test]
fn a_rigid_part_is_the_limit_of_a_stiff_one() {
    let folder = Temporary::made("limit");
    bar_with_block(&folder.0);
    let time = format!("[time]\nanalysis = \"static\"\n{STRICT}\n");
    let rigid = with_block(&folder.0, "", &format!("{time}{RIGID}"));
    let made = solved(&rigid);
    let rest = rest_of(&rigid);
    distances_are_kept(&made.state().x, &rest);
    let far = largest(&made.state().x, &rest);
    let mut errors = Vec::new();
    for young in ["60 MPa", "600 MPa", "60 GPa"] {
        let law = "law = \"stable-neo-hookean\"";
        let region = format!(
            "[body.bar.region.block]\nmaterial = {{ {law}, young = \"{young}\", poisson = 0.3 }}\n"
        );
        // What a stiff region rounds to is what its forces can be balanced to.
        let time = time.replace("1e-11", "1e-8");
        let stiff = solved(&with_block(&folder.0, &region, &time));
        errors.push(largest(&made.state().x, &stiff.state().x) / far);
    }
    println!("{errors:?} of {far}");
    // In proportion to 1/E, to a millionth at a million times the stiffness.
    assert!(far > 0.01 && errors[2] < 5e-6, "{errors:?} of {far}");
    assert!(errors[1] < 0.2 * errors[0] && errors[2] < 0.2 * errors[1], "{errors:?}");
}

#[test]
fn energies_are_accounted_for_and_distances_kept_in_motion() {
    let folder = Temporary::made("motion");
    bar_with_block(&folder.0);
    for (method, loss) in [("backward-euler", 1.0), ("implicit-midpoint", 0.02), ("newmark", 0.05)]
    {
        let time = format!("[time]\nintegrator = \"{method}\"\nstep = \"2 ms\"\nend = \"0.4 s\"\n");
        let scene = with_block(&folder.0, "", &format!("{time}{RIGID}"));
        let made = solved(&scene);
        distances_are_kept(&made.state().x, &rest_of(&scene));
        let balance = made.balance();
        let scale = balance.energies.elastic + balance.energies.kinetic;
        println!("{method}: {balance:?}");
        assert!(
            scale > 0.0 && balance.numerical_loss.abs() < loss * scale,
            "{method}: {balance:?}"
        );
    }
}

fn go(scene: &Scene, folder: &Path, resume: bool, stop: u64) -> (Outcome, Simulation) {
    let origin = Origin { scene: "bar".into(), sets: Vec::new() };
    let folder = if resume {
        Folder::open(folder).unwrap().0
    } else {
        Folder::create(folder, &origin, false).unwrap()
    };
    let mut simulation = Simulation::build(scene).unwrap();
    let place = Destination { folder: &folder, resume };
    let mut watch = |p: &Progress| p.step < stop;
    let outcome = run(scene, &mut simulation, Some(&place), &mut watch).unwrap();
    (outcome, simulation)
}

#[test]
fn the_same_bits_at_any_number_of_threads_and_after_resume() {
    let folder = Temporary::made("bits");
    bar_with_block(&folder.0);
    for (what, more) in [("rigid", ""), ("reduced", "reduced = { modes = 6 }")] {
        for newton in ["full", "simplified"] {
            let time = "[time]\nstep = \"10 ms\"\nsteps = 10\n";
            let solver = format!("[solver]\nnewton = \"{newton}\"\n");
            let constraint = if what == "rigid" { RIGID } else { "" };
            let scene = with_block(&folder.0, more, &format!("{time}{solver}{constraint}"));
            let whole = solved(&scene).state().to_bytes();
            for threads in [1, 2, 3, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let bytes = pool.install(|| solved(&scene).state().to_bytes());
                assert!(bytes == whole, "{what} {newton} {threads}");
            }
            let out = folder.0.join(format!("out-{what}-{newton}"));
            go(&scene, &out, false, 6);
            let (outcome, made) = go(&scene, &out, true, u64::MAX);
            assert!(outcome.failure.is_none());
            assert!(made.state().to_bytes() == whole, "{what} {newton} resumed");
        }
    }
}

#[test]
fn a_reduced_body_beside_a_free_one_has_a_bordered_matrix() {
    let two = |reduced: &str, solver: &str| {
        let tolerance = if solver == "cg" { "tolerance = 1e-13" } else { "" };
        let after = format!(
            r#"
[body.cube]
mesh = {{ shape = "box", size = [0.1, 0.08, 0.1], cells = [1, 1, 1] }}
position = [0.3, 0, 0]
material = {{ law = "stable-neo-hookean", young = "20 kPa", poisson = 0.3 }}
[[attachment]]
body = "cube"
to = "bar"
within = "1 mm"
kind = "springs"
stiffness = "50 N/m"
[time]
step = "10 ms"
end = "0.2 s"
[solver]
newton_tolerance = 1e-11
linear = "{solver}"
{tolerance}
"#
        );
        bar("stable-neo-hookean", reduced, &after)
    };
    let full = finish(&two("", "cholesky"));
    let rest = build(&two("", "cholesky"));
    let far = largest(&full.state().x, &rest.state().x);
    for solver in ["auto", "cholesky", "ldlt", "cg"] {
        let reduced = finish(&two("reduced = { modes = 36 }", solver));
        let error = largest(&full.state().x, &reduced.state().x);
        println!("{solver}: {error:e} of {far}");
        assert!(far > 1e-3 && error < 1e-7 * far, "{solver}: {error:e} of {far}");
    }
    let text = two("reduced = { modes = 36 }", "minres");
    let error = build(&text).step().unwrap_err().to_string();
    assert!(error.contains("minres") && error.contains("take auto"), "{error}");
}

#[test]
fn what_is_not_served_is_refused_with_its_place_and_a_way_out() {
    let reduced = "reduced = { modes = 4 }";
    let time = |integrator: &str| format!("[time]\nintegrator = \"{integrator}\"\nstep = 1e-4");
    for method in ["rk4", "verlet", "bdf2", "rosenbrock2"] {
        let text = refused(&bar("linear", reduced, &time(method)));
        assert!(text.contains(&format!("integrator {method}")), "{text}");
        assert!(text.contains("take one of backward-euler") && text.contains("bar.toml"), "{text}");
    }
    let relaxed = "[time]\nanalysis = \"static\"\n[solver]\nstatic_method = \"dynamic-relaxation\"";
    let text = refused(&bar("linear", reduced, relaxed));
    assert!(text.contains("static method dynamic-relaxation"), "{text}");
    let text = refused(&bar("linear", reduced, "[time]\ntolerance = 1e-4"));
    assert!(text.contains("time.tolerance"), "{text}");
    let free = bar("linear", reduced, "").replace("fixed = \"x-min\"", "");
    let text = refused(&free);
    assert!(text.contains("moving as a whole") && text.contains("three places"), "{text}");
    let text = refused(&bar("linear", "reduced = { modes = 37 }", ""));
    assert!(text.contains("has 36 modes"), "{text}");
    let text = refused(&bar("linear", "reduced = { modes = 0 }", ""));
    assert!(text.contains("body.bar.reduced.modes"), "{text}");
    let moved =
        "reduced = { modes = 3 }\nmoved = { set = \"x-max\", translation = { by = [0.1, 0, 0] } }";
    let text = refused(&bar("linear", moved, ""));
    assert!(text.contains("its supports move"), "{text}");

    let rigid = |keys: &str| bar("linear", "", &format!("[constraint.tool]\n{keys}"));
    let text = refused(&rigid("kind = \"rigid\"\nbody = \"bar\"\non = \"x-min\""));
    assert!(text.contains("'tool'") && text.contains("held by a support"), "{text}");
    let text = refused(&rigid("kind = \"rigid\"\nbody = \"bar\"\non = { vertices = [3, 7] }"));
    assert!(text.contains("'tool'") && text.contains("on a line"), "{text}");
    let text = refused(&rigid("kind = \"rigid\"\nbody = \"rab\"\non = \"x-max\""));
    assert!(text.contains("no body 'rab'"), "{text}");
    let text = refused(&rigid("kind = \"rigid\"\nbody = \"bar\""));
    assert!(text.contains("needs 'on'"), "{text}");
    let text = refused(&rigid("kind = \"rigit\"\nbody = \"bar\"\non = \"x-max\""));
    assert!(text.contains("rigid"), "{text}");
}
