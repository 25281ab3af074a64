//! Bodies that touch where a run begins, or are nearer than the contact distance: they are set apart, and not thrown off.

use std::path::Path;

use pliant_algebra::vec3::Vec3;
use pliant_contact::barrier::Barrier;
use pliant_scene::{Scene, Simulation};

fn build(text: &str) -> Result<Simulation, String> {
    let scene = Scene::parse(text, Path::new("touching.toml")).map_err(|e| e.to_string())?;
    Simulation::build(&scene).map_err(|e| e.to_string())
}

fn run(text: &str) -> Simulation {
    let mut simulation = build(text).unwrap_or_else(|e| panic!("{e}"));
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

/// The lowest point of a body, m.
fn bottom(simulation: &Simulation, body: usize) -> f64 {
    let x = &simulation.state().x[simulation.bodies[body].range.clone()];
    x.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min)
}

fn fastest(simulation: &Simulation) -> f64 {
    simulation.state().v.iter().map(|v: &Vec3| v[1].abs()).fold(0.0, f64::max)
}

fn block(name: &str, y: &str) -> String {
    format!(
        "[body.{name}]\nmesh = {{ shape = \"box\", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}\nposition = [0, {y}, 0]\nmaterial = {{ law = \"stable-neo-hookean\", young = \"200 kPa\", poisson = 0.3 }}\n"
    )
}

const BARRIER: &str = "[time]\nstep = \"5 ms\"\nend = \"0.3 s\"\n[contact]\nmode = \"barrier\"\ndistance = \"1 mm\"\n";
const FLOOR: &str = "[obstacle.floor]\nshape = \"floor\"\n";

#[test]
fn a_pile_that_touches_is_lifted_from_below_and_stands() {
    // Without friction a pile slides off itself as a pencil falls off its tip.
    let text = format!(
        "{BARRIER}friction = 0.5\n{FLOOR}{}{}{}",
        block("a", "0"),
        block("b", "\"10 cm\""),
        block("c", "\"20 cm\"")
    )
    .replace("0.3 s", "0.6 s");
    let start = build(&text).unwrap_or_else(|e| panic!("{e}"));
    for (body, above) in [1.001e-3, 2.002e-3, 3.003e-3].into_iter().enumerate() {
        let lifted = bottom(&start, body) - 0.1 * body as f64;
        assert!((lifted - above).abs() < 1e-7, "body {body} is lifted by {lifted:e} m");
    }
    let told = start.warnings.join("\n");
    assert!(told.contains("body 'a' touches obstacle 'floor' at the start"), "{told}");
    assert!(told.contains("body 'b' touches body 'a'") && told.contains("'c' touches"), "{told}");
    // It comes down by less than three contact distances, on which it gains at most 0.24 m/s.
    let mut simulation = build(&text).unwrap_or_else(|e| panic!("{e}"));
    let mut most = 0.0_f64;
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
        most = most.max(fastest(&simulation));
    }
    assert!(most < 0.24, "{most} m/s");
    assert!(fastest(&simulation) < 1e-3, "{} m/s at the end", fastest(&simulation));
}

#[test]
fn a_pile_whose_blocks_lie_askew_is_lifted_too() {
    // The second block's vertices lie inside the first when that has been lifted off the floor, by more than the contact distance.
    let askew = block("b", "\"10 cm\"").replace("position = [0,", "position = [0.02,");
    let text = format!("{BARRIER}{FLOOR}{}{askew}{}", block("a", "0"), block("c", "\"20 cm\""));
    let start = build(&text).unwrap_or_else(|e| panic!("{e}"));
    for (body, above) in [1.001e-3, 2.002e-3, 3.003e-3].into_iter().enumerate() {
        let lifted = bottom(&start, body) - 0.1 * body as f64;
        assert!((lifted - above).abs() < 1e-7, "body {body} is lifted by {lifted:e} m");
    }
    // A block that the scene puts inside another is a mistake as before.
    let deep = text.replace("\"10 cm\"", "\"9.8 cm\"");
    assert!(build(&deep).map(drop).unwrap_err().contains("surfaces intersect at the start"));
}

#[test]
fn a_disc_that_begins_too_near_spins_down_by_coulombs_law() {
    // 0.1 mm above the floor, where the barrier would throw it off with 2.5 times its energy and brake it as hard.
    let text = r#"
[time]
step = "1 ms"
end = "0.15 s"
[contact]
mode = "barrier"
distance = "0.2 mm"
[body.disc]
mesh = { shape = "cylinder", radius = "10 cm", length = "4 cm" }
rotation = { axis = [1, 0, 0], angle = "-90 deg" }
position = [0, "0.1 mm", 0]
spin = { axis = [0, 1, 0], rate = "10 rad/s" }
material = { law = "corotational", young = "2 MPa", poisson = 0.3 }
[obstacle.floor]
shape = "floor"
friction = 0.3
"#;
    let mut simulation = build(text).unwrap_or_else(|e| panic!("{e}"));
    let told = simulation.warnings.join("\n");
    assert!(told.contains("is nearer to obstacle 'floor' than the contact distance"), "{told}");
    let mut momenta = Vec::new();
    while !simulation.is_done() {
        momenta.push((simulation.state().time, simulation.momenta().1[1]));
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    // Mean rate after it has settled: 2/3 μ N R, with N the weight and the radius of the polygon that the mesh has.
    let at = |time: f64| momenta.iter().find(|(t, _)| *t >= time).unwrap();
    let ((t0, l0), (t1, l1)) = (at(0.05), at(0.14));
    let mass: f64 = simulation.bodies[0].masses().iter().sum();
    let torque = 2.0 / 3.0 * 0.3 * mass * 9.81 * 0.1;
    let ratio = (l0 - l1) / (t1 - t0) / torque;
    assert!((ratio - 1.0).abs() < 0.02, "torque is {ratio} of Coulomb's");
}

#[test]
fn what_rests_at_its_gap_is_left_where_it_is() {
    // ρ g H over κ is 0.1.
    let gap = 1e-3 * Barrier::Log.relative_gap(0.1);
    let text = format!(
        "{}stiffness = \"9.81 kPa\"\n{FLOOR}{}",
        BARRIER.replace("0.3 s", "50 ms"),
        block("a", &gap.to_string())
    );
    let simulation = run(&text);
    assert!(simulation.warnings.is_empty(), "{:?}", simulation.warnings);
    assert!((bottom(&simulation, 0) - gap).abs() < 1e-5, "{:e}", bottom(&simulation, 0));
}

#[test]
fn a_block_on_a_table_of_triangles_is_lifted_and_what_is_held_is_refused() {
    let table = "[obstacle.table]\nshape = \"mesh\"\nmesh = { shape = \"box\", size = [1, 0.1, 1], cells = [2, 1, 2] }\nposition = [-0.5, -0.1, -0.5]\n";
    let text = format!("{BARRIER}{table}{}", block("a", "0"));
    let simulation = run(&text);
    assert!(simulation.warnings[0].contains("body 'a' touches obstacle 'table'"));
    let y = bottom(&simulation, 0);
    assert!(y > 0.0 && y < 1e-3 && fastest(&simulation) < 1e-3, "{y:e} {}", fastest(&simulation));
    let held = format!("{text}fixed = \"y-max\"\n");
    let error = build(&held).map(drop).unwrap_err();
    assert!(error.contains("surfaces intersect at the start"), "{error}");
    // Deeper than the contact distance it is a mistake.
    let deep = build(&text.replace("position = [0, 0, 0]", "position = [0, \"-3 mm\", 0]"));
    assert!(deep.map(drop).unwrap_err().contains("surfaces intersect at the start"));
}
