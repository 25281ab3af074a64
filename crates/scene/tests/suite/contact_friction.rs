//! Friction between bodies, through scenes.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, scale, sub};
use pliant_dynamics::Role;
use pliant_scene::run::{Destination, run};
use pliant_scene::{Folder, Origin, Scene, Simulation, Summary};

use crate::temporary::Temporary;

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("friction.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn build(text: &str) -> Simulation {
    Simulation::build(&parse(text)).unwrap_or_else(|e| panic!("{e}"))
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.state().time < time - 1e-9 {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Mean velocity of a body, m/s.
fn velocity(simulation: &Simulation, body: usize) -> Vec3 {
    let range = simulation.bodies[body].range.clone();
    let sum = simulation.state().v[range.clone()]
        .iter()
        .fold([0.0; 3], |sum, v| add_scaled(sum, *v, 1.0));
    scale(sum, 1.0 / range.len() as f64)
}

/// How far the first probe has gone, m.
fn way(simulation: &Simulation) -> Vec3 {
    simulation.displacement(&simulation.probes[0])
}

/// A stiff block on a slab that is held.
const SLAB: &str = r#"
gravity = GRAVITY
[time]
integrator = "backward-euler"
step = "STEP"
end = "10 s"
[solver]
newton_tolerance = 1e-10
[contact]
mode = "barrier"
distance = "0.5 mm"
stiffness = "10 kPa"
self = false
friction = MU
stick = "2 um"
[body.slab]
mesh = { shape = "box", size = [2.4, 0.05, 2.4], cells = [1, 1, 1] }
position = ["-20 cm", "-5 cm", "-10 cm"]
material = { law = "linear", young = "10 GPa", poisson = 0 }
fixed = { box = { min = [-1, -1, -1], max = [3, 3, 3] } }
[body.block]
mesh = { shape = "box", size = [0.1, 0.04, 0.1], cells = [2, 1, 2] }
position = ["3.3 cm", "HEIGHT mm", 0]
velocity = VELOCITY
material = { law = "linear", young = "10 GPa", poisson = 0 }
[probe.foot]
body = "block"
set = "y-min"
"#;

/// The settled height of the block on a level slab, and on one whose slope has the tangent ½, mm.
const SETTLED: [&str; 2] = ["0.42348628", "0.42741457"];
const LEVEL: &str = "[0, -9.81, 0]";
const SLOPE: &str = "[4.387165373, -8.774330746, 0]";

fn slab(gravity: &str, mu: f64, height: &str, velocity: &str, step: &str) -> String {
    let text = SLAB.replace("GRAVITY", gravity).replace("MU", &format!("{mu}"));
    text.replace("HEIGHT", height).replace("VELOCITY", velocity).replace("STEP", step)
}

/// The acceleration of the block, m/s², once it has settled.
fn acceleration(text: &str) -> f64 {
    let mut s = build(text);
    run_to(&mut s, 0.2);
    let before = velocity(&s, 1);
    run_to(&mut s, 0.6);
    (velocity(&s, 1)[0] - before[0]) / 0.4
}

#[test]
fn blocks_slide_down_a_slope_as_coulomb_says() {
    for (mu, expected) in [
        (0.0, 4.38717),
        (0.1, 3.50973),
        (0.2, 2.63230),
        (0.3, 1.75487),
        (0.4, 0.877433),
        (0.49, 0.0877433),
    ] {
        let found = acceleration(&slab(SLOPE, mu, SETTLED[1], "[0, 0, 0]", "10 ms"));
        println!("{mu}: {found} m/s², off by {:e}", found / expected - 1.0);
        assert!((found / expected - 1.0).abs() < 5e-6, "{mu}: {found} {expected}");
    }
}

#[test]
fn a_fine_mesh_below_makes_no_difference_to_sliding() {
    // The pressure changes as vertices of the slab come below the block and leave again.
    let text = slab(SLOPE, 0.3, SETTLED[1], "[0, 0, 0]", "10 ms");
    let found = acceleration(&text.replace("cells = [1, 1, 1]", "cells = [20, 1, 20]"));
    println!("{found} m/s², off by {:e}", found / 1.75487 - 1.0);
    assert!((found / 1.75487 - 1.0).abs() < 0.005, "{found}");
}

#[test]
fn blocks_hold_on_a_slope_and_have_given_way_by_the_law() {
    // The load along the slope comes slowly, once the block has settled.
    let load = "[[body.block.load]]\nbody_force = [4387.165373, 0, 0]\ncurve = { kind = \"ramp\", start = \"0.5 s\", end = \"1 s\" }\n";
    for mu in [0.51_f64, 0.6, 1.0] {
        let text = slab(SLOPE, mu, SETTLED[1], "[0, 0, 0]", "10 ms") + load;
        let mut s = build(&text.replace("gravity = [4.387165373", "gravity = [0"));
        run_to(&mut s, 0.5);
        let before = way(&s);
        run_to(&mut s, 3.0);
        let slip = way(&s)[0] - before[0];
        let expected = 2e-6 * (1.0 - (1.0 - 0.5 / mu).sqrt());
        let fastest = s.state().fastest().1;
        println!("{mu}: {slip:e} m, off by {:e}, {fastest:e} m/s", slip / expected - 1.0);
        assert!((slip / expected - 1.0).abs() < 2e-4, "{mu}: {slip:e} {expected:e}");
        assert!(fastest < 1e-9, "{mu}: creeps at {fastest:e} m/s");
        // What friction has taken is stored where it sticks, all but the work of settling.
        let forces = s.contact_forces();
        let x = slip / 2e-6;
        let n = 8.774330746 * 0.4;
        let stored = mu * n * slip * x * (1.0 - x / 3.0);
        // Edges rub by themselves, with their small part of the pressure.
        assert!((forces.friction_stored / stored - 1.0).abs() < 5e-4, "{forces:?} {stored:e}");
        let [pair] = &forces.pairs[..] else { panic!("{forces:?}") };
        assert_eq!(pair.bodies, ["slab", "block"]);
        let force = sub(pair.force, [4.387165373 * 0.4, -n, 0.0]);
        assert!(norm(force) < 1e-6 * n, "{force:?}");
    }
}

#[test]
fn a_sliding_block_stops_after_its_time_and_way() {
    let mut s = build(&slab(LEVEL, 0.3, SETTLED[0], "[2, 0, 0]", "2 ms"));
    run_to(&mut s, 0.4);
    // It loses speed evenly: where it is on its way to the end tells when that is.
    let time = 0.4 + velocity(&s, 1)[0] / (0.3 * 9.81);
    run_to(&mut s, 0.8);
    let far = way(&s)[0];
    println!("stops at {time} s after {far} m, to the side {:e}", way(&s)[2]);
    assert!((time / 0.67958 - 1.0).abs() < 0.005, "{time}");
    assert!((far / 0.67958 - 1.0).abs() < 0.005, "{far}");
    let fastest = s.state().fastest().1;
    assert!(fastest < 1e-6, "{fastest:e} m/s");
}

#[test]
fn friction_is_the_same_in_all_directions() {
    let mut losses = Vec::new();
    for k in 0..16 {
        let (sine, cosine) = (std::f64::consts::TAU * f64::from(k) / 16.0 + 0.1).sin_cos();
        let speed = format!("[{cosine:?}, 0, {sine:?}]");
        let text = slab(LEVEL, 0.3, SETTLED[0], &speed, "10 ms");
        // Away from all edges of the slab.
        let text =
            text.replace("[\"3.3 cm\", ", "[\"95 cm\", ").replace("mm\", 0]", "mm\", \"25 cm\"]");
        let mut s = build(&text);
        run_to(&mut s, 0.05);
        let before = velocity(&s, 1);
        run_to(&mut s, 0.2);
        // Friction over pressure: what the block loses of its speed over what it would gain by its fall.
        let after = velocity(&s, 1);
        let along = |v: Vec3| v[0].hypot(v[2]);
        let press = 0.15 * 9.81 + after[1] - before[1];
        losses.push((along(before) - along(after)) / press);
    }
    let (low, high) =
        losses.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), x| (l.min(*x), h.max(*x)));
    println!("coefficients from {low} to {high}");
    assert!(high - low < 1e-6, "{low} {high}");
    assert!((low / 0.3 - 1.0).abs() < 1e-5, "{low}");
}

/// Two free bodies that fly against each other aslant.
const RUBBING: &str = r#"
gravity = [0, 0, 0]
[time]
integrator = "INTEGRATOR"
step = "5 ms"
end = "0.15 s"
[solver]
linear = "cholesky"
newton_tolerance = 1e-12
newton_iterations = 2000
[contact]
mode = "barrier"
friction = 0.5
[body.lower]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }
velocity = [0.3, 1, 0.1]
material = { law = "stable-neo-hookean", young = "30 kPa", poisson = 0.4 }
[body.upper]
mesh = { shape = "box", size = [0.08, 0.08, 0.08], cells = [2, 2, 2] }
position = ["2 cm", "10.5 cm", "1.5 cm"]
velocity = [-0.5, -0.2, 0]
material = { law = "stable-neo-hookean", young = "20 kPa", poisson = 0.4 }
"#;

#[test]
fn bodies_that_rub_keep_their_linear_momentum() {
    for (mode, integrator, limit) in [
        ("barrier", "backward-euler", 1e-12),
        ("barrier", "bdf2", 1e-12),
        // Newton's method converges linearly by the upper bound, and ends at its tolerance.
        ("soft", "backward-euler", 1e-8),
        ("penalty", "bdf2", 1e-12),
    ] {
        let text = RUBBING.replace("INTEGRATOR", integrator);
        let mut s = build(&text.replace("barrier", mode));
        let (before, _) = s.momenta();
        run_to(&mut s, 0.15);
        let (after, _) = s.momenta();
        let part = norm(sub(after, before)) / norm(before);
        let work = s.contact_forces().friction_work;
        println!("{mode}, {integrator}: momentum changed by {part:e}, friction took {work} J");
        assert!(part < limit, "{mode}, {integrator}: {part:e}");
        assert!(work > 0.01, "{integrator}: {work}");
    }
}

#[test]
fn friction_has_the_same_bits_on_any_number_of_threads() {
    let text = RUBBING.replace("INTEGRATOR", "backward-euler");
    let bytes = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut s = build(&text);
            run_to(&mut s, 0.03);
            assert!(!s.contact_forces().pairs.is_empty());
            s.state().to_bytes()
        })
    };
    let one = bytes(1);
    for threads in [2, 3] {
        assert!(bytes(threads) == one, "{threads} threads");
    }
}

#[test]
fn the_balance_of_energy_closes_with_friction() {
    for mode in ["barrier", "soft", "penalty"] {
        closes(mode);
    }
}

fn closes(mode: &str) {
    let text = RUBBING.replace("INTEGRATOR", "backward-euler").replace("barrier", mode);
    let mut s = build(&text);
    // The loss of backward Euler, of the forces that have a potential alone: ½ Δv·M Δv − Σ (ΔΠ − g₁·Δx). Whatever friction does
    // wrong in its work is missing there.
    let (mut loss, mut through) = (0.0, 0.0_f64);
    while s.state().time < 0.15 - 1e-9 {
        let start = s.state().clone();
        let before = s.balance();
        s.step().unwrap();
        let (end, after) = (s.state().clone(), s.balance());
        let v: Vec<Vec3> = start.v.iter().zip(&end.v).map(|(a, b)| sub(*b, *a)).collect();
        let mut p = v.clone();
        s.system().multiply_mass(&v, &mut p);
        let h = end.time - start.time;
        let at = start.ahead(&end.x, &end.v, end.time, h);
        let forces = s.system().forces_by_model(&at).unwrap();
        let mut kept = 0.0;
        for model in forces.iter().filter(|m| m.role != Role::Damping) {
            for ((f, a), b) in model.force.iter().zip(&start.x).zip(&end.x) {
                kept -= dot(*f, sub(*b, *a));
            }
        }
        let kinetic: f64 = v.iter().zip(&p).map(|(v, p)| 0.5 * dot(*v, *p)).sum();
        let stored = |b: &pliant_dynamics::Balance| b.energies.elastic + b.energies.other;
        loss += kinetic - (stored(&after) - stored(&before)) + kept;
        through = through.max(after.energies.kinetic);
        let off = (after.numerical_loss - loss) / through;
        assert!(off.abs() < 1e-10, "{mode}: at t = {}: {off:e}", end.time);
    }
    println!("{mode}: lost {loss} J, friction {} J", s.contact_forces().friction_work);
    assert!(s.balance().dissipated == s.contact_forces().friction_work);
}

#[test]
fn a_run_writes_contact_forces_and_the_work_of_friction() {
    let temporary = Temporary::new("contact-friction");
    let origin = Origin { scene: "slab".into(), sets: Vec::new() };
    let folder = Folder::create(&temporary.0, &origin, false).unwrap();
    let text = slab(LEVEL, 0.3, SETTLED[0], "[0.5, 0, 0]", "10 ms");
    let text = text.replace("end = \"10 s\"", "end = \"0.1 s\"");
    let (scene, mut simulation) = (parse(&text), build(&text));
    let place = Destination { folder: &folder, resume: false };
    let outcome = run(&scene, &mut simulation, Some(&place), &mut |_| true).unwrap();
    let summary = outcome.summary;
    assert_eq!(Summary::from_json(&summary.to_json()), Some(summary.clone()));
    let contact = &summary.to_json()["contact"];
    assert_eq!(contact["mode"], "barrier");
    assert!(contact["pairs"].as_u64().unwrap() > 0 && contact["intersections"] == 0);
    assert!(contact["min_gap"].as_f64().unwrap() > 0.0);
    assert!(contact["greatest_pressure"].as_f64().unwrap() > 100.0);
    // 0.3 of the weight of 0.4 kg times the way.
    let work = contact["friction_work"].as_f64().unwrap();
    let expected = 0.3 * 9.81 * 0.4 * way(&simulation)[0];
    assert!((work / expected - 1.0).abs() < 0.01, "{work} {expected}");
    let pair = &contact["forces"][0];
    assert_eq!(pair["bodies"], serde_json::json!(["slab", "block"]));
    let of = |key: &str, k: usize| pair[key][k].as_f64().unwrap();
    // Friction drags the slab along, and the block presses on it.
    assert!((of("force", 0) / (0.3 * 9.81 * 0.4) - 1.0).abs() < 0.01, "{pair}");
    assert!((of("force", 1) / (-9.81 * 0.4) - 1.0).abs() < 0.01, "{pair}");
    // About the z axis the weight has the lever of the place where the block is.
    let lever = 0.083 + way(&simulation)[0];
    assert!((of("torque", 2) / (of("force", 1) * lever) - 1.0).abs() < 0.2, "{pair} {lever}");
    let history = std::fs::read_to_string(temporary.0.join("history.csv")).unwrap();
    let rows: Vec<Vec<&str>> = history.lines().map(|l| l.split(',').collect()).collect();
    for (axis, k) in [("x", 0), ("y", 1), ("z", 2)] {
        let name = format!("contact_slab_block_{axis} [N]");
        let column = rows[0].iter().position(|c| *c == name).unwrap();
        let last: f64 = rows[rows.len() - 1][column].parse().unwrap();
        assert_eq!(last, of("force", k), "{name}");
        let name = format!("contact_slab_block_t{axis} [N m]");
        let column = rows[0].iter().position(|c| *c == name).unwrap();
        let last: f64 = rows[rows.len() - 1][column].parse().unwrap();
        assert_eq!(last, of("torque", k), "{name}");
    }
    let report = std::fs::read_to_string(temporary.0.join("report.html")).unwrap();
    assert!(report.contains("Work of friction") && report.contains("on slab by block"));
}

#[test]
fn pairs_of_bodies_and_materials_rub_by_themselves() {
    let second = r#"
[body.other]
mesh = { shape = "box", size = [0.1, 0.04, 0.1], cells = [2, 1, 2] }
position = ["85.3 cm", "HEIGHT mm", "15.3 cm"]
material = { name = "ice", law = "linear", young = "10 GPa", poisson = 0 }
"#;
    let text =
        slab(SLOPE, 0.2, SETTLED[1], "[0, 0, 0]", "10 ms") + &second.replace("HEIGHT", SETTLED[1]);
    let text = text.replacen(
        "[body.slab]",
        "[[contact.between]]\nbodies = [\"block\", \"slab\"]\nfriction = 0.6\n[[contact.between]]\nmaterials = [\"ice\", \"rock\"]\nfriction = 0.1\n[body.slab]",
        1,
    );
    let text = text.replacen("material = {", "material = { name = \"rock\",", 1);
    let mut s = build(&text);
    run_to(&mut s, 0.1);
    let before = velocity(&s, 2);
    run_to(&mut s, 0.3);
    let a = (velocity(&s, 2)[0] - before[0]) / 0.2;
    println!("{:?}, {a} m/s²", velocity(&s, 1));
    assert!(norm(velocity(&s, 1)) < 1e-5);
    assert!((a / 3.50973 - 1.0).abs() < 0.005, "{a}");
}

#[test]
fn wrong_friction_is_refused_with_the_fix() {
    let text = slab(LEVEL, 0.3, SETTLED[0], "[0, 0, 0]", "10 ms");
    let between = |keys: &str| {
        text.replacen("[body.slab]", &format!("[[contact.between]]\n{keys}\n[body.slab]"), 1)
    };
    let twice = "bodies = [\"slab\", \"block\"]\nfriction = 1\n[[contact.between]]\nbodies = [\"block\", \"slab\"]";
    for (text, parts) in [
        (text.replace("friction = 0.3", "friction = -0.3"), ["contact.friction", "0 or more"]),
        (text.replace("\"2 um\"", "0"), ["contact.stick", "above 0"]),
        (between("bodies = [\"slab\", \"blok\"]"), ["there is no body 'blok'", "slab, block"]),
        (between("materials = [\"ice\", \"rock\"]"), ["called 'ice'", "material.name"]),
        (between("bodies = [\"slab\"]"), ["two names", "not 1"]),
        (between("friction = 0.3"), ["bodies", "materials"]),
        (between("bodies = [\"slab\", \"block\"]\nfriction = -1"), ["friction", "0 or more"]),
        (between(twice), ["twice", "16:1"]),
        (between("bodies = [\"slab\", \"slab\"]\ndistance = \"1 mm\""), ["distance", "different"]),
        (between("bodies = [\"slab\", \"block\"]\ndistance = \"9 cm\""), ["edge", "distance"]),
        (between("bodies = [\"slab\", \"block\"]\nfrction = 1"), ["frction", "friction"]),
    ] {
        let scene = Scene::parse(&text, Path::new("friction.toml"));
        let told = match scene.and_then(|scene| Simulation::build(&scene).map(drop)) {
            Ok(()) => panic!("no error: {parts:?}"),
            Err(e) => e.to_string(),
        };
        for part in parts {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(told.contains("friction.toml"), "{told}");
    }
}
