//! States of rest of bodies in contact, through scenes: a block on a floor, patches, Hertz, and paths with friction.

use std::f64::consts::PI;
use std::path::Path;

use pliant_algebra::vec3::Vec3;
use pliant_contact::barrier::Barrier;
use pliant_mesh::io::{WriteOptions, write_volume};
use pliant_mesh::{CellType, VolumeMesh};
use pliant_scene::{Scene, Simulation};

use crate::temporary::Temporary;

fn build_in(text: &str, folder: &Path) -> Result<Simulation, String> {
    let scene = Scene::parse(text, &folder.join("rest.toml")).map_err(|e| e.to_string())?;
    Simulation::build(&scene).map_err(|e| e.to_string())
}

fn outcome(text: &str) -> Result<Simulation, String> {
    let mut simulation = build_in(text, Path::new(""))?;
    while !simulation.is_done() {
        simulation.step().map_err(|e| e.to_string())?;
    }
    Ok(simulation)
}

fn run(text: &str) -> Simulation {
    outcome(text).unwrap_or_else(|e| panic!("{e}"))
}

fn error(text: &str) -> String {
    outcome(text).err().unwrap_or_else(|| panic!("no error"))
}

/// Heights of the lowest vertices of a body, m.
fn under(simulation: &Simulation, body: usize) -> Vec<Vec3> {
    let range = simulation.bodies[body].range.clone();
    let rest = &simulation.system_ref().rest()[range.clone()];
    let lowest = rest.iter().map(|x| x[1]).fold(f64::INFINITY, f64::min);
    let x = &simulation.state().x[range];
    rest.iter().zip(x).filter(|(r, _)| r[1] < lowest + 1e-9).map(|(_, x)| *x).collect()
}

/// A block of 1 kPa on its face, half a centimetre above a floor, with κ = 10 kPa and d̂ = 1 mm.
const BLOCK: &str = r#"
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-11
[contact]
mode = "barrier"
distance = "1 mm"
stiffness = "10 kPa"
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 3, 3], cell = "hex" }
position = [0, "5 mm", 0]
material = { law = "linear", young = "1 MPa", poisson = 0 }
density = "1019.36799 kg/m^3"
[obstacle.floor]
shape = "floor"
friction = MU
"#;

#[test]
fn a_block_that_only_a_floor_holds_rests_at_the_gap_of_the_barrier() {
    let expected = 1e-3 * Barrier::Log.relative_gap(0.1);
    for friction in ["0", "0.4"] {
        let simulation = run(&BLOCK.replace("MU", friction));
        let mut worst = 0.0_f64;
        for x in under(&simulation, 0) {
            worst = worst.max((x[1] / expected - 1.0).abs());
        }
        // It comes down as it was, and neither slides nor turns.
        let range = simulation.bodies[0].range.clone();
        let rest = &simulation.system_ref().rest()[range.clone()];
        let aside = rest
            .iter()
            .zip(&simulation.state().x[range])
            .map(|(r, x)| ((x[0] - r[0]).abs()).max((x[2] - r[2]).abs()));
        let aside = aside.fold(0.0, f64::max);
        println!("friction {friction}: gap off by {worst:e}, aside by {aside:e} m");
        assert!(worst < 1e-6 && aside < 1e-8, "{worst:e} {aside:e}");
    }
}

#[test]
fn blocks_at_rest_bear_what_is_above_them() {
    let block = |name: &str, y: f64, side: f64| {
        format!(
            "[body.{name}]\nmesh = {{ shape = \"box\", size = [{side}, 0.1, {side}], cells = [2, 2, 2] }}\nposition = [{0}, {y}, {0}]\nmaterial = {{ law = \"stable-neo-hookean\", young = \"40 kPa\", poisson = 0.4 }}\n",
            -0.5 * side
        )
    };
    let text = format!(
        "[time]\nanalysis = \"static\"\n[solver]\nnewton_tolerance = 1e-8\n[contact]\nmode = \"barrier\"\nfriction = 0.4\n[obstacle.floor]\nshape = \"floor\"\n{}{}{}",
        block("lower", 0.01, 0.12),
        block("middle", 0.12, 0.1),
        block("upper", 0.23, 0.08)
    );
    let mut simulation = run(&text);
    let forces = simulation.contact_forces();
    let [lower, upper] = &forces.pairs[..] else { panic!("{forces:?}") };
    for (pair, mass) in [(lower, 0.1 * 0.1 * 0.1 + 0.08 * 0.1 * 0.08), (upper, 0.08 * 0.1 * 0.08)] {
        let off = pair.force[1] / (-9.81 * 1000.0 * mass) - 1.0;
        let aside = pair.force[0].hypot(pair.force[2]) / pair.force[1];
        println!("{:?}: {off:e}, aside {aside:e}", pair.bodies);
        // Sideways nothing but friction holds a body: how far it has come to rest there is up to the path.
        assert!(off.abs() < 1e-5 && aside.abs() < 4e-3, "{pair:?}");
    }
}

#[test]
fn bodies_that_nothing_can_hold_are_refused_with_the_reason() {
    let text = |gravity: &str, more: &str| {
        format!(
            "{gravity}\n[time]\nanalysis = \"static\"\n[contact]\nmode = \"barrier\"\n[body.free]\nmesh = {{ shape = \"box\", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}\nposition = [1, 0, 0]\nmaterial = {{ law = \"linear\", young = \"1 MPa\", poisson = 0 }}\n[body.held]\nmesh = {{ shape = \"box\", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}\nmaterial = {{ law = \"linear\", young = \"1 MPa\", poisson = 0 }}\nfixed = \"y-min\"\n{more}"
        )
    };
    let falls = error(&text("", ""));
    assert!(falls.contains("nothing stops vertex") && falls.contains("of body 'free'"), "{falls}");
    let floats = error(&text("gravity = [0, 0, 0]", ""));
    assert!(floats.contains("of body 'free' touches nothing"), "{floats}");
    for method in ["robust", "dynamic-relaxation", "nonlinear-cg", "truncated-newton"] {
        let text = text("", &format!("[solver]\nstatic_method = \"{method}\"\n"));
        let refused = error(&text);
        assert!(refused.contains(method) && refused.contains("cannot serve"), "{refused}");
    }
}

/// Two blocks of different meshes, 0.5 mm apart, one on the other; the upper one is pressed down.
const PATCH: &str = r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-8
[contact]
mode = "barrier"
distance = "1 mm"
self = false
[body.lower]
mesh = { shape = "box", size = [1, 0.5, 1], cells = [6, 3, 6], cell = "CELL" }
material = { law = "linear", young = "1 MPa", poisson = 0 }
fixed = "y-min"
[body.upper]
mesh = { shape = "box", size = [1, 0.5, 1], cells = [8, 4, 8], cell = "CELL" }
position = [0, "50.1 cm", 0]
material = { law = "linear", young = "1 MPa", poisson = 0 }
moved = [{ set = "y-max", translation = { by = [0, "-10 mm", 0] } }]
"#;

#[test]
fn two_blocks_that_are_pressed_together_have_one_pressure_inside() {
    // Tetrahedra share the area out less evenly.
    for (cell, allowed) in [("hex", 0.01), ("tet5", 0.015)] {
        let mut simulation = run(&PATCH.replace("CELL", cell));
        // Both blocks and the layer between them in a row.
        let force = -simulation.contact_forces().pairs[0].force[1];
        let x = &simulation.state().x;
        let rest = simulation.system_ref().rest();
        // Strain of the lower block in columns away from its rim, from where its top has gone.
        let mut worst = 0.0_f64;
        for (r, x) in rest.iter().zip(x).take(simulation.bodies[0].range.end) {
            if r[1] > 0.499 && [r[0], r[2]].iter().all(|c| (0.2..0.8).contains(c)) {
                let pressure = (r[1] - x[1]) / 0.5 * 1e6;
                worst = worst.max((pressure / force - 1.0).abs());
            }
        }
        let gap = 1e-3 * Barrier::Log.relative_gap(force / 1e5);
        let expected = 1e6 * (0.01 - (1e-3 - gap)) / 1.0;
        println!("{cell}: {force} N, {expected} N expected, pressure off by {worst:e}");
        assert!((force / expected - 1.0).abs() < 0.01, "{force} {expected}");
        assert!(worst < allowed, "{worst:e}");
    }
}

/// Coordinates from 0: equal cells of a size, then ones that grow by a factor.
fn graded(size: f64, equal: usize, growth: f64, end: f64) -> Vec<f64> {
    let mut at: Vec<f64> = (0..=equal).map(|i| size * i as f64).collect();
    let mut step = size;
    while *at.last().unwrap() < end {
        step *= growth;
        at.push(at.last().unwrap() + step);
    }
    let (last, n) = (*at.last().unwrap(), at.len());
    for (i, x) in at.iter_mut().enumerate().skip(equal + 1) {
        *x *= 1.0 + (end / last - 1.0) * (i - equal) as f64 / (n - 1 - equal) as f64;
    }
    at
}

/// A quarter of a block, fine at the origin, below y = 0.
fn quarter(path: &Path, cell: f64) {
    let xs = graded(cell, (12.5e-3 / cell).round() as usize, 1.7, 0.15);
    let ys = graded(cell, (7.5e-3 / cell).round() as usize, 1.7, 0.15);
    let (n, m) = (xs.len(), ys.len());
    let mut vertices = Vec::new();
    for &z in &xs {
        for &y in ys.iter().rev() {
            vertices.extend(xs.iter().map(|&x| [x, -y, z]));
        }
    }
    let index = |i: usize, j: usize, k: usize| (i + n * (j + m * k)) as u32;
    let mut cells = Vec::new();
    for k in 0..n - 1 {
        for j in 0..m - 1 {
            for i in 0..n - 1 {
                let face = |k| {
                    [index(i, j, k), index(i + 1, j, k), index(i + 1, j + 1, k), index(i, j + 1, k)]
                };
                cells.extend(face(k));
                cells.extend(face(k + 1));
            }
        }
    }
    let mesh = VolumeMesh::new(CellType::Hex8, vertices, cells);
    write_volume(path, &mesh, &WriteOptions::default()).unwrap();
}

/// The force of a rigid ball of 10 cm that is pressed into a half space of 1 MPa and ν = 0.3 by a way (m), over that of Hertz.
fn ball(way: f64, cell: f64) -> f64 {
    let folder = Temporary::made("hertz");
    quarter(&folder.0.join("quarter.vtk"), cell);
    let (radius, young, poisson) = (0.1_f64, 1e6_f64, 0.3_f64);
    let hertz = 4.0 / 3.0 * young / (1.0 - poisson * poisson) * radius.sqrt() * way.powf(1.5);
    // Where the block ends the half space has moved as by a point force (Boussinesq), less what the ball has come.
    let scale = hertz * (1.0 + poisson) / (2.0 * PI * young);
    let r = "sqrt(X^2+Y^2+Z^2)";
    let aside = |c: &str| format!("{scale:e}*({c}*(0-Y)/({r})^3 - 0.4*{c}/({r}*({r} - Y)))");
    let down = format!("{way:e} - {scale:e}*(Y^2/({r})^3 + 1.4/{r})");
    let text = format!(
        r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[contact]
mode = "barrier"
distance = "0.02 mm"
stiffness = "1 MPa"
self = false
[body.half]
mesh = "quarter.vtk"
element = "hex8-bbar"
material = {{ law = "linear", young = "1 MPa", poisson = 0.3 }}
fixed = [{{ box = {{ min = [-1, -1, -1], max = [1e-9, 1, 1] }}, axes = "x" }}, {{ box = {{ min = [-1, -1, -1], max = [1, 1, 1e-9] }}, axes = "z" }}]
moved = [
  {{ box = {{ min = [-1, -1, -1], max = [1, -0.1499, 1] }}, name = "far", expression = ["{x}", "{down}", "{z}"] }},
]
[obstacle.ball]
shape = "sphere"
centre = [0, 0.10002, 0]
radius = "10 cm"
friction = 0
"#,
        x = aside("X"),
        z = aside("Z"),
    );
    let mut simulation = build_in(&text, &folder.0).unwrap_or_else(|e| panic!("{e}"));
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    4.0 * simulation.reactions().unwrap()[0][1] / hertz
}

#[test]
fn a_ball_that_is_pressed_into_a_block_has_the_force_of_hertz() {
    let part = ball(1e-3, 2.5e-3);
    println!("{part}");
    assert!((part - 1.0).abs() < 0.05, "{part}");
}

/// A block that is pressed on a floor by its top, 1 mm in the first second, and dragged 1 mm along in the next.
const DRAGGED: &str = r#"
gravity = [0, 0, 0]
[time]
analysis = "quasi-static"
step = "0.25 s"
end = "2 s"
[solver]
newton_tolerance = 1e-9
[contact]
mode = "barrier"
distance = "0.5 mm"
stick = "10 um"
[body.block]
mesh = { shape = "box", size = [0.1, 0.05, 0.1], cells = [4, 2, 4], cell = "hex" }
position = [0, "0.5 mm", 0]
material = { law = "linear", young = "1 MPa", poisson = 0 }
moved = [{ set = "y-max", keyframes = { times = [0, 1, 2], displacements = [[0, 0, 0], [0, "-1 mm", 0], ["2 mm", "-1 mm", 0]] } }]
[obstacle.floor]
shape = "floor"
friction = 0.3
"#;

#[test]
fn a_block_that_is_dragged_slowly_sticks_and_then_slides_with_the_force_of_coulomb() {
    let mut simulation = build_in(DRAGGED, Path::new("")).unwrap_or_else(|e| panic!("{e}"));
    let (mut parts, mut works) = (Vec::new(), [[0.0; 2]; 2]);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
        let force = simulation.reactions().unwrap()[0];
        parts.push(force[0] / -force[1]);
        let balance = simulation.balance();
        works = [works[1], [balance.external_work, balance.dissipated]];
    }
    // Pressed straight down, nothing pulls aside; then shear grows by G Δ/H A until all of it slides.
    assert!(parts[..4].iter().all(|p| p.abs() < 1e-9), "{parts:?}");
    assert!(parts[4] > 0.05 && parts[4] < 0.29, "{parts:?}");
    let off = (parts[7] / 0.3 - 1.0).abs();
    assert!(off < 1e-6, "{parts:?}");
    // In the last step all of it slides, and friction takes what the top does.
    let balance = simulation.balance();
    let [before, after] = works;
    let rubbed = (balance.dissipated - before[1]) / (after[0] - before[0]);
    assert!((rubbed - 1.0).abs() < 1e-4, "{rubbed} {balance:?}");
}
