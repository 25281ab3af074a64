//! What can touch, and with which weights: gap laws, patch tests, shapes, surfaces of triangles, quadratic and embedded surfaces.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, add, dot, norm, scale, sub, triple};
use pliant_contact::analytic::ShapeContact;
use pliant_contact::barrier::Barrier;
use pliant_contact::normal::NormalContact;
use pliant_forces::{Ask, Configuration, ForceModel, Workspace};
use pliant_scene::{Scene, Simulation};

use crate::temporary::Temporary;

fn parse(text: &str) -> Result<Scene, pliant_scene::SceneError> {
    Scene::parse(text, Path::new("touch.toml"))
}

fn build(text: &str) -> Simulation {
    let scene = parse(text).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn run(text: &str) -> Simulation {
    let mut simulation = build(text);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

fn error(text: &str) -> String {
    match parse(text).and_then(|scene| Simulation::build(&scene).map(drop)) {
        Ok(()) => panic!("no error"),
        Err(e) => e.to_string(),
    }
}

/// The forces of a model on all vertices, N.
fn forces<M: ForceModel>(simulation: &Simulation) -> Vec<Vec3> {
    let x = &simulation.state().x;
    let v = vec![[0.0; 3]; x.len()];
    let mut g = v.clone();
    for model in simulation.system_ref().models_of::<M>() {
        let mut ask = Ask { gradient: Some(&mut g), ..Ask::default() };
        model.evaluate(&Configuration::new(x, &v, 0.0), &mut ask, &mut Workspace::new()).unwrap();
    }
    g.into_iter().map(|g| scale(g, -1.0)).collect()
}

fn sum(list: &[Vec3]) -> Vec3 {
    list.iter().copied().fold([0.0; 3], add)
}

/// A block of 1 kPa on its face that comes to rest on a floor with κ = 10 kPa and d̂ = 1 mm.
const BLOCK: &str = r#"
[time]
integrator = "backward-euler"
step = "20 ms"
end = "1.6 s"
[solver]
newton_tolerance = 1e-11
linear = "cholesky"
[contact]
mode = "barrier"
distance = "1 mm"
stiffness = "10 kPa"
self = false
[obstacle.floor]
shape = "floor"
friction = 0
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 2, 4], CELL }
position = [0, "0.84 mm", 0]
material = { law = "linear", young = "100 MPa", poisson = 0 }
density = "1019.36799 kg/m^3"
damping = { mass = "20 1/s" }
"#;

#[test]
fn a_block_floats_above_a_floor_by_the_law_of_the_barrier() {
    let expected = 1e-3 * Barrier::Log.relative_gap(0.1);
    for (cell, tolerance) in [
        ("cell = \"hex\"", 1e-8),
        ("cell = \"tet6\"", 2e-5),
        ("cell = \"tet10\"", 5e-5),
        ("cell = \"hex20\"", 1e-4),
    ] {
        let simulation = run(&BLOCK.replace("CELL", cell));
        let x = &simulation.state().x;
        let under = |x: &&Vec3| x[1] < 5e-3;
        let inner =
            |x: &&Vec3| under(x) && (1e-3..0.099).contains(&x[0]) && (1e-3..0.099).contains(&x[2]);
        let worst = |list: &mut dyn Iterator<Item = &Vec3>| {
            list.fold(0.0, |worst: f64, x| worst.max((x[1] / expected - 1.0).abs()))
        };
        let (all, inside) =
            (worst(&mut x.iter().filter(under)), worst(&mut x.iter().filter(inner)));
        let weight = 9.81 * simulation.bodies[0].masses().iter().sum::<f64>();
        let held = sum(&forces::<ShapeContact>(&simulation))[1] / weight - 1.0;
        println!("{cell}: gap off by {all:.2e}, {inside:.2e} inside; force by {held:.2e}");
        assert!(inside < tolerance && all < 5.0 * tolerance, "{cell}: {inside:e} {all:e}");
        assert!(held.abs() < 1e-12, "{cell}: {held:e}");
    }
}

#[test]
fn each_interface_of_a_stack_bears_what_is_above_it() {
    let mut text = BLOCK.split("[body.block]").next().unwrap().replace("1.6 s", "3 s");
    for k in 0..5 {
        text += &format!(
            r#"
[body.block{k}]
mesh = {{ shape = "box", size = [0.1, 0.05, 0.1], cells = [2, 1, 2], cell = "hex" }}
position = [0, "{} mm", 0]
material = {{ law = "linear", young = "10 GPa", poisson = 0 }}
damping = {{ mass = "20 1/s" }}
fixed = [{{ set = "x-min", axes = "x" }}, {{ set = "z-min", axes = "z" }}]
"#,
            0.8 + 50.85 * f64::from(k)
        );
    }
    let simulation = run(&text);
    let (on_floor, between) =
        (forces::<ShapeContact>(&simulation), forces::<NormalContact>(&simulation));
    let weight = 9.81 * simulation.bodies[0].masses().iter().sum::<f64>();
    let of = |list: &[Vec3], k: usize| sum(&list[simulation.bodies[k].range.clone()])[1];
    // Above interface k are the blocks from k on.
    let mut borne = 0.0;
    let mut gaps = Vec::new();
    for k in (0..5).rev() {
        borne += of(&between, k) + of(&on_floor, k);
        let off = borne / ((5 - k) as f64 * weight) - 1.0;
        let x = |k: usize| simulation.bodies[k].range.clone().map(|v| simulation.state().x[v][1]);
        let low = x(k).fold(f64::INFINITY, f64::min);
        let high = if k == 0 { 0.0 } else { x(k - 1).fold(f64::NEG_INFINITY, f64::max) };
        println!("interface {k}: off by {off:.2e}, gap {:.6e}", low - high);
        assert!(off.abs() < 1e-8, "{k}: {off:e}");
        gaps.push(low - high);
    }
    assert!(gaps.windows(2).all(|pair| pair[1] < pair[0]), "{gaps:?}");
    // Blocks that match repel each other by the law but for a few crossing edges.
    for (k, gap) in gaps.iter().enumerate() {
        let law = 1e-3 * Barrier::Log.relative_gap((k + 1) as f64 * weight / 0.01 / 1e4);
        assert!((gap / law - 1.0).abs() < 6e-3, "{k}: {gap:e} {law:e}");
    }
    let expected = 1e-3 * Barrier::Log.relative_gap(5.0 * weight / 0.01 / 1e4);
    assert!((gaps[4] / expected - 1.0).abs() < 1e-5, "{:e} {expected:e}", gaps[4]);
}

#[test]
fn pressure_is_uniform_between_blocks_whose_meshes_do_not_match() {
    // Two blocks of 1 by 0.5 m, the upper one pressed down by 10 mm, with d̂ = 2 mm and κ = 1 MPa.
    let text = r#"
gravity = [0, 0, 0]
[time]
integrator = "backward-euler"
step = "1 s"
end = "14 s"
[solver]
newton_tolerance = 1e-7
linear = "cholesky"
[contact]
mode = "barrier"
distance = "2 mm"
stiffness = "1 MPa"
self = false
[body.lower]
mesh = { shape = "box", size = [1, 0.5, 0.4], cells = [8, 4, 4], CELL }
material = { law = "linear", young = "1 MPa", poisson = 0 }
fixed = [{ set = "y-min" }, { set = "x-min", axes = "x" }, { set = "z-min", axes = "z" }]
[body.upper]
mesh = { shape = "box", size = [1, 0.5, 0.4], cells = [6, 3, 3], CELL }
position = [0, 0.502, 0]
material = { law = "linear", young = "1 MPa", poisson = 0 }
fixed = [{ set = "x-min", axes = "x" }, { set = "z-min", axes = "z" }]
moved = { set = "y-max", expression = [0, "-0.01 * min(t / 10, 1)", 0] }
"#;
    // p = E (u − d̂ (1 − δ)), as both blocks and the layer between them give way.
    let (mut pressure, mut step) = (5e3, 2.5e3);
    while step > 1e-6 {
        let delta = Barrier::Log.relative_gap(pressure / 1e6);
        let way = pressure / 1e6 + 2e-3 * (1.0 - delta);
        pressure += if way < 0.01 { step } else { -step };
        step *= 0.5;
    }
    for (cell, inside, all) in [
        ("cell = \"hex\"", 0.01, 0.1),
        ("cell = \"tet6\"", 0.01, 0.15),
        ("cell = \"tet10\"", 0.01, 0.15),
    ] {
        let simulation = run(&text.replace("CELL", cell));
        let (mut worst, mut inner) = (0.0_f64, 0.0_f64);
        let mut mean = [0.0_f64; 2];
        for body in &simulation.bodies {
            let rest = &body.mesh.vertices;
            let x = body.of_user(&simulation.state().x);
            for cell in body.mesh.cells() {
                // Lateral strains are small: J − 1 is the strain along y.
                let hex = cell.len() == 8;
                let corners = if hex { [0, 1, 3, 4] } else { [0, 1, 2, 3] };
                let volume = |x: &[Vec3]| {
                    let [a, b, c, d] = corners.map(|k| x[cell[k] as usize]);
                    triple(sub(b, a), sub(c, a), sub(d, a))
                };
                let found = -1e6 * (volume(&x) / volume(rest) - 1.0);
                let middle = scale(
                    cell.iter().map(|&v| rest[v as usize]).fold([0.0; 3], add),
                    1.0 / cell.len() as f64,
                );
                let off = (found / pressure - 1.0).abs();
                mean[0] += found * volume(rest);
                mean[1] += volume(rest);
                worst = worst.max(off);
                // Away from the interface by a cell, and from the sides.
                if (middle[1] - 0.5).abs() > 0.2 && (0.2..0.8).contains(&middle[0]) {
                    inner = inner.max(off);
                }
            }
        }
        let mean = mean[0] / mean[1] / pressure - 1.0;
        println!(
            "{cell}: p = {pressure:.1}: mean off by {mean:.2e}, inside by {inner:.2e}, worst {worst:.2e}"
        );
        assert!(inner < inside && worst < all, "{cell}: {inner:e} {worst:e}");
    }
}

#[test]
fn a_bar_bounces_off_a_wall_as_waves_say() {
    // L = 1, E = 1 MPa, ρ = 1000, v = 0.1: 2L/c = 63.2 ms at 3162 Pa.
    let text = r#"
gravity = [0, 0, 0]
[time]
integrator = "bdf2"
step = "0.25 ms"
end = "80 ms"
[contact]
mode = "barrier"
distance = "0.1 mm"
stiffness = "1 MPa"
self = false
[obstacle.wall]
shape = "plane"
point = [0, 0, 0]
normal = [1, 0, 0]
friction = 0
[body.bar]
mesh = { shape = "box", size = [1, 0.05, 0.05], cells = [40, 1, 1], cell = "hex" }
position = ["0.1 mm", 0, 0]
velocity = ["-0.1 m/s", 0, 0]
material = { law = "linear", young = "1 MPa", poisson = 0 }
density = 1000
"#;
    let mut simulation = build(text);
    let (mut pressed, mut impulse) = (0.0, 0.0);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
        let pressure = sum(&forces::<ShapeContact>(&simulation))[0] / 0.0025;
        if pressure > 300.0 {
            pressed += 0.25e-3;
            impulse += pressure * 0.25e-3;
        }
    }
    let (momentum, _) = simulation.momenta();
    let (mean, speed) = (impulse / pressed, momentum[0] / 2.5);
    println!("{:.2} ms at {mean:.0} Pa, rebound at {speed:.4} m/s", 1e3 * pressed);
    assert!((pressed / 0.0632 - 1.0).abs() < 0.05, "{pressed}");
    assert!((mean / 3162.0 - 1.0).abs() < 0.1, "{mean}");
    assert!((speed / 0.1 - 1.0).abs() < 0.05, "{speed}");
}

#[test]
fn bodies_rest_on_every_shape_and_no_vertex_enters() {
    for (shape, key) in [
        ("sphere", "centre = [0.05, -0.3, 0.05]\nradius = 0.28"),
        ("box", "min = [-0.2, -0.2, -0.2]\nmax = [0.2, -0.02, 0.2]"),
        ("capsule", "from = [-0.3, -0.2, 0.05]\nto = [0.4, -0.2, 0.05]\nradius = 0.18"),
        ("cylinder", "from = [0.05, -0.2, 0.05]\nto = [0.05, -0.02, 0.05]\nradius = 0.15"),
        ("sphere", "room = true\ncentre = [0.05, 0.1, 0.05]\nradius = 0.14"),
        ("capsule", "room = true\nfrom = [-0.1, 0.1, 0.05]\nto = [0.2, 0.1, 0.05]\nradius = 0.12"),
        (
            "cylinder",
            "room = true\nfrom = [0.05, -0.02, 0.05]\nto = [0.05, 0.3, 0.05]\nradius = 0.1",
        ),
    ] {
        let text = format!(
            r#"
[time]
integrator = "backward-euler"
step = "10 ms"
end = "0.35 s"
CONTACT
[obstacle.it]
shape = "{shape}"
{key}
[body.block]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }}
position = [0, "3 cm", 0]
material = {{ law = "stable-neo-hookean", young = "50 kPa", poisson = 0.3 }}
damping = {{ stiffness = "10 ms" }}
"#
        );
        let simulation = run(&text.replace("CONTACT", "[contact]\nmode = \"barrier\""));
        let model = simulation.system_ref().models_of::<ShapeContact>().next().unwrap();
        model.refuse_inside(&simulation.state().x, &mut Workspace::new()).unwrap();
        let tally = simulation.contact().unwrap();
        let kinetic = simulation.balance().energies.kinetic;
        println!("{shape}: {tally:?}, kinetic {kinetic:.2e} J");
        // It fell by centimetres: 0.1 J and more.
        assert!(tally.steps > 5 && tally.smallest_gap > 0.0 && kinetic < 0.02, "{shape} {kinetic}");
        // The same with a penalty: it sinks in by little.
        let simulation = run(&text.replace("CONTACT", ""));
        let lowest = simulation.state().x.iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
        assert!(lowest > -0.05, "{shape}: {lowest}");
    }
}

const PADDLE: &str = r#"
gravity = [0, 0, 0]
[time]
integrator = "backward-euler"
step = "10 ms"
end = "0.5 s"
[contact]
mode = "barrier"
[obstacle.paddle]
shape = "mesh"
mesh = { shape = "box", size = [0.02, 0.2, 0.2], cells = [1, 1, 1] }
position = ["-3 cm", "-5 cm", "-5 cm"]
moved = { expression = ["0.2 * t", 0, 0] }
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }
material = { law = "stable-neo-hookean", young = "50 kPa", poisson = 0.3 }
damping = { stiffness = "10 ms" }
HELD
"#;

#[test]
fn a_moved_surface_pushes_a_body_and_is_blocked_where_nothing_can_yield() {
    let mut simulation = run(&PADDLE.replace("HELD", ""));
    let tally = simulation.contact().unwrap();
    println!("{tally:?}");
    assert!(tally.steps > 2 && tally.smallest_gap > 0.0, "{tally:?}");
    let (momentum, _) = simulation.momenta();
    // It flies ahead of the paddle, which goes at 0.2 m/s.
    let speed = momentum[0] / simulation.bodies[0].masses().iter().sum::<f64>();
    assert!((0.15..0.35).contains(&speed), "{speed}");
    let paddle = simulation.surfaces()[1].positions().iter().map(|p| p[0]);
    let front = paddle.fold(f64::NEG_INFINITY, f64::max);
    assert!((front - 0.09).abs() < 1e-12, "{front}");
    let text = PADDLE.replace("HELD", "fixed = { box = { min = [-1, -1, -1], max = [1, 1, 1] } }");
    let mut simulation = build(&text);
    let told = loop {
        if let Err(error) = simulation.step() {
            break error.to_string();
        }
        assert!(!simulation.is_done());
    };
    assert!(told.contains("obstacle 'paddle'") && told.contains("body 'block'"), "{told}");
}

#[test]
fn a_body_rests_on_a_ball_of_triangles_as_on_the_shape() {
    let text = |obstacle: &str| {
        format!(
            r#"
[time]
integrator = "backward-euler"
step = "10 ms"
end = "0.4 s"
[contact]
mode = "barrier"
distance = "1 mm"
stiffness = "20 kPa"
[obstacle.ball]
{obstacle}
[body.block]
mesh = {{ shape = "box", size = [0.1, 0.04, 0.1], cells = [4, 2, 4] }}
position = [-0.05, 0.002, -0.05]
material = {{ law = "stable-neo-hookean", young = "50 kPa", poisson = 0.3 }}
damping = {{ stiffness = "5 ms", mass = "20 1/s" }}
fixed = {{ set = "x-min", axes = "x" }}
"#
        )
    };
    let triangles = "shape = \"mesh\"\nmesh = { shape = \"sphere\", radius = 0.2, rings = 3, core = 12 }\nposition = [0, -0.2, 0]";
    let shape = "shape = \"sphere\"\nradius = 0.2\ncentre = [0, -0.2, 0]\nfriction = 0";
    let height = |text: &str| {
        let simulation = run(text);
        let x = &simulation.state().x[simulation.bodies[0].range.clone()];
        x.iter().map(|x| x[1]).sum::<f64>() / x.len() as f64
    };
    let (one, other) = (height(&text(triangles)), height(&text(shape)));
    println!("{one:.5} {other:.5}");
    assert!((one - other).abs() < 1e-3, "{one} {other}");
}

#[test]
fn a_body_touches_with_the_surface_that_it_carries() {
    let folder = Temporary::made("embedded");
    // A tip below a block.
    let skin = "v 0.05 -0.03 0.05\nv 0 0.05 0\nv 0.1 0.05 0\nv 0.1 0.05 0.1\nv 0 0.05 0.1\nv 0.05 0.1 0.05\n\
        f 1 2 3\nf 1 3 4\nf 1 4 5\nf 1 5 2\nf 6 3 2\nf 6 4 3\nf 6 5 4\nf 6 2 5\n";
    std::fs::write(folder.0.join("skin.obj"), skin).unwrap();
    let text = r#"
[time]
integrator = "backward-euler"
step = "10 ms"
end = "0.3 s"
[contact]
mode = "barrier"
distance = "2 mm"
[obstacle.floor]
shape = "floor"
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
surface = "skin.obj"
contact_surface = "embedded"
position = [0, "5 cm", 0]
material = { law = "stable-neo-hookean", young = "100 kPa", poisson = 0.3 }
damping = { mass = "10 1/s" }
fixed = [{ set = "y-max", axes = "xz" }]
"#;
    let scene = Scene::parse(text, &folder.0.join("scene.toml")).unwrap();
    let mut simulation = Simulation::build(&scene).unwrap();
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    let lowest = |list: &[Vec3]| list.iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
    let (tip, body) = (lowest(simulation.surfaces()[0].positions()), lowest(&simulation.state().x));
    println!("tip {tip:.5}, body {body:.5}");
    assert!((0.0..2e-3).contains(&tip) && body > 0.01, "{tip} {body}");
}

#[test]
fn quadratic_bodies_touch_each_other() {
    for cell in ["tet10", "hex20"] {
        let text = format!(
            r#"
gravity = [0, 0, 0]
[time]
integrator = "backward-euler"
step = "10 ms"
end = "0.12 s"
[solver]
linear = "cholesky"
newton_tolerance = 1e-11
[contact]
mode = "barrier"
distance = "2 mm"
[body.one]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1], cell = "{cell}" }}
material = {{ law = "stable-neo-hookean", young = "30 kPa", poisson = 0.3 }}
[body.other]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1], cell = "{cell}" }}
position = [0.02, 0.11, 0.01]
velocity = [0, "-0.5 m/s", 0]
material = {{ law = "stable-neo-hookean", young = "30 kPa", poisson = 0.3 }}
"#
        );
        let mut simulation = run(&text);
        let tally = simulation.contact().unwrap();
        let (momentum, _) = simulation.momenta();
        println!("{cell}: {tally:?} {momentum:?}");
        assert!(tally.steps > 2 && tally.smallest_gap > 0.0, "{cell} {tally:?}");
        assert!((momentum[1] + 0.5).abs() < 1e-9 && norm(momentum) < 0.6, "{cell} {momentum:?}");
        let own = simulation.state().v[simulation.bodies[0].range.clone()].to_vec();
        assert!(dot(sum(&own), [0.0, -1.0, 0.0]) > 0.0, "{cell}");
    }
}

#[test]
fn what_obstacles_and_surfaces_lack_is_told_with_the_fix() {
    let folder = Temporary::made("obstacle-errors");
    std::fs::write(folder.0.join("points.obj"), "v 0 0 0\nv 1 0 0\n").unwrap();
    let path = |name: &str| folder.0.join(name).display().to_string();
    let paddle = PADDLE.replace("HELD", "");
    let mesh = "mesh = { shape = \"box\", size = [0.02, 0.2, 0.2], cells = [1, 1, 1] }";
    for (from, to, parts) in [
        ("[contact]\nmode = \"barrier\"".to_owned(), String::new(), ["paddle", "add [contact]"]),
        (mesh.to_owned(), format!("file = '{}'", path("none.obj")), ["none.obj", "touch.toml"]),
        (mesh.to_owned(), format!("file = '{}'", path("points.obj")), ["points.obj", "0 faces"]),
        (mesh.to_owned(), String::new(), ["file", "mesh"]),
        (mesh.to_owned(), format!("{mesh}\nfriction = -0.4"), ["friction", "-0.4"]),
        (mesh.to_owned(), format!("{mesh}\nroom = true"), ["room", "obstacle.paddle"]),
        ("\"-3 cm\"".to_owned(), "\"3 cm\"".to_owned(), ["obstacle 'paddle'", "body 'block'"]),
        ("[body.block]".to_owned(), "[obstacle.f]\nshape = \"floor\"\nstiffness = 1\n[body.block]".to_owned(), ["obstacle.f.stiffness", "contact.stiffness"]),
        ("[body.block]".to_owned(), "[obstacle.f]\nshape = \"floor\"\nheight = 0.05\n[body.block]".to_owned(), ["obstacle 'f'", "body 'block'"]),
        ("[body.block]".to_owned(), "[body.block]\ncontact_surface = \"embedded\"".to_owned(), ["contact_surface", "skin.obj"]),
        ("[body.block]".to_owned(), "[obstacle.c]\nshape = \"cylinder\"\nradius = 1\nfrom = [0, 0, 0]\nto = [0, 0, 0]\n[body.block]".to_owned(), ["cylinder", "length"]),
        ("[body.block]".to_owned(), "[obstacle.c]\nshape = \"capsule\"\nradius = 1\nfrom = [0, 0, 0]\n[body.block]".to_owned(), ["obstacle.c", "to"]),
    ] {
        let told = error(&paddle.replacen(&from, &to, 1));
        for part in parts {
            assert!(told.contains(part), "{to}: {told}");
        }
    }
}
