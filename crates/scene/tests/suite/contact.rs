//! Contact between bodies, through scenes.

use std::path::Path;

use pliant_algebra::vec3::{norm, sub};
use pliant_contact::barrier::Barrier;
use pliant_contact::normal::NormalContact;
use pliant_forces::Workspace;
use pliant_scene::{Scene, Simulation, builtin};

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("contact.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn error(text: &str) -> String {
    let scene = Scene::parse(text, Path::new("contact.toml"));
    match scene.and_then(|scene| Simulation::build(&scene).map(drop)) {
        Ok(()) => panic!("no error"),
        Err(e) => e.to_string(),
    }
}

fn run(text: &str) -> Simulation {
    let mut simulation = Simulation::build(&parse(text)).unwrap_or_else(|e| panic!("{e}"));
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

/// Fails where surfaces intersect at the end, or where none has touched another.
fn assert_apart(simulation: &Simulation) {
    let contact = simulation.system_ref().models_of::<NormalContact>().next().unwrap();
    contact.refuse_intersections(&simulation.state().x, &mut Workspace::new()).unwrap();
    let tally = simulation.contact().unwrap();
    assert!(tally.steps > 0 && tally.smallest_gap > 0.0, "{tally:?}");
    assert_eq!(tally.tested, simulation.state().steps);
}

const CUBES: &str = r#"
TIME
[contact]
mode = "barrier"
[body.lower]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
position = [0, "1 cm", 0]
material = { law = "stable-neo-hookean", young = "30 kPa", poisson = 0.4 }
[body.upper]
mesh = { shape = "box", size = [0.08, 0.08, 0.08], cells = [2, 2, 2] }
position = ["2 cm", "14 cm", "1.5 cm"]
rotation = { axis = [0, 1, 0.2], angle = "25 deg" }
material = { law = "stable-neo-hookean", young = "20 kPa", poisson = 0.4 }
MORE
"#;

fn cubes(time: &str, more: &str) -> String {
    CUBES.replace("TIME", &format!("[time]\n{time}")).replace("MORE", more)
}

const FALL: &str = "integrator = \"backward-euler\"\nstep = \"10 ms\"\nend = \"0.6 s\"";
const EXACT: &str = "[solver]\nlinear = \"cholesky\"\nnewton_tolerance = 1e-12\n";
const PLANE: &str = "[obstacle.floor]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\n";

#[test]
fn cubes_that_fall_on_each_other_stay_apart() {
    for integrator in ["backward-euler", "bdf2"] {
        let simulation = run(&cubes(&FALL.replace("backward-euler", integrator), PLANE));
        assert_apart(&simulation);
        println!("{integrator}: {:?} {:?}", simulation.contact(), simulation.tally());
    }
}

#[test]
fn a_stack_of_three_cubes_stays_apart() {
    let mut simulation = Simulation::build(&builtin::scene("stack", &[]).unwrap()).unwrap();
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    assert_apart(&simulation);
    // They have come to rest, 0.2 µJ of the 0.8 J that they fell by, and have not moved to the side.
    let kinetic = simulation.balance().energies.kinetic;
    assert!(kinetic < 1e-6, "{kinetic:e} J");
    let [x, _, z] = simulation.displacement(&simulation.probes[0]);
    assert!(x.hypot(z) < 1e-3, "{x} {z}");
    // Each bears the weight of those above it.
    let forces = simulation.contact_forces();
    let [lower, upper] = &forces.pairs[..] else { panic!("{forces:?}") };
    assert_eq!((&lower.bodies[1], &upper.bodies[0]), (&"middle".to_owned(), &"middle".to_owned()));
    for (pair, mass) in [(lower, 1.512), (upper, 0.512)] {
        assert!((pair.force[1] / (-9.81 * mass) - 1.0).abs() < 0.01, "{pair:?}");
    }
}

#[test]
fn colliding_bodies_keep_their_linear_momentum() {
    let time = format!("{}\n{EXACT}", FALL.replace("0.6", "0.2"));
    let text =
        cubes(&time, "").replace("[body.lower]", "[body.lower]\nvelocity = [0, \"1 m/s\", 0]");
    let scene = parse(&format!("gravity = [0, 0, 0]\n{text}"));
    let mut simulation = Simulation::build(&scene).unwrap();
    let (before, _) = simulation.momenta();
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    assert_apart(&simulation);
    let (after, _) = simulation.momenta();
    let part = norm(sub(after, before)) / norm(before);
    println!("linear momentum changed by {part:e}");
    assert!(part < 1e-12, "{part:e}");
}

#[test]
fn a_weight_rests_at_the_gap_of_the_barrier() {
    // A stiff plate of 1 kPa on a block that is held all over, d̂ = 1 mm, κ = 10 kPa.
    let text = r#"
[time]
integrator = "backward-euler"
step = "20 ms"
end = "2 s"
[solver]
newton_tolerance = 1e-9
[contact]
mode = "barrier"
distance = "1 mm"
stiffness = "10 kPa"
self = false
[body.base]
mesh = { shape = "box", size = [0.2, 0.05, 0.2], cells = [8, 2, 8] }
position = [0, "-5 cm", 0]
material = { law = "linear", young = "1 GPa", poisson = 0 }
fixed = { box = { min = [-1, -1, -1], max = [1, 1, 1] } }
[body.weight]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [CELLS, 2, CELLS] }
position = ["SHIFT mm", "0.9 mm", "SHIFT mm"]
material = { law = "linear", young = "1 GPa", poisson = 0 }
density = "1019.36799 kg/m^3"
damping = { mass = "20 1/s" }
"#;
    for (cells, shift) in [("4", "50"), ("3", "53")] {
        let simulation = run(&text.replace("CELLS", cells).replace("SHIFT", shift));
        let contact = simulation.system_ref().models_of::<NormalContact>().next().unwrap();
        let x = &simulation.state().x;
        let body = &simulation.bodies[1];
        // It tilts a little, as triangles do not share out the pressure evenly.
        let under: Vec<f64> =
            x[body.range.clone()].iter().map(|x| x[1]).filter(|y| *y < 0.01).collect();
        let gap = under.iter().sum::<f64>() / under.len() as f64;
        let area = contact.survey(x, &mut Workspace::new()).area / 0.01;
        let expected = 1e-3 * Barrier::Log.relative_gap(0.1 / area);
        println!("{cells} cells: gap {gap:.6e}, expected {expected:.6e}, Σw/A = {area:.3}");
        assert!((gap / expected - 1.0).abs() < 0.03, "{gap} {expected} {area}");
        assert!((0.9..1.15).contains(&area), "{area}");
    }
}

#[test]
fn a_bar_that_is_folded_does_not_pass_through_itself() {
    // One half of a strip lies still, and the end of the other half is brought over it and down.
    let text = r#"
[time]
integrator = "backward-euler"
step = "10 ms"
end = "0.9 s"
[contact]
mode = "barrier"
[body.strip]
mesh = { shape = "box", size = [0.4, 0.01, 0.04], cells = [32, 1, 2] }
material = { law = "stable-neo-hookean", young = "100 kPa", poisson = 0.3 }
damping = { stiffness = "2 ms" }
fixed = { box = { min = [-1, -1, -1], max = [0.2, 1, 1] } }
moved = { set = "x-max", expression = ["-0.3 * t", "0.11 * sin(pi * t) + 0.013 * t", 0] }
"#;
    let simulation = run(text);
    println!("{:?} {:?}", simulation.contact(), simulation.tally());
    assert_apart(&simulation);
}

#[test]
fn contact_has_the_same_bits_on_any_number_of_threads() {
    let text = cubes(&FALL.replace("0.6", "0.3"), PLANE);
    for mode in ["barrier", "soft"] {
        let text = text.replace("barrier", mode);
        let bytes = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&text).state().to_bytes())
        };
        let one = bytes(1);
        for threads in [2, 3, 7] {
            assert!(bytes(threads) == one, "{mode}, {threads} threads");
        }
    }
}

#[test]
fn a_far_body_changes_nothing() {
    let far = r#"
[body.far]
mesh = { shape = "box", size = [0.01, 0.01, 0.01], cells = [1, 1, 1] }
position = [3, 2, 0]
material = { law = "stable-neo-hookean", young = "1 kPa", poisson = 0.4 }
"#;
    let time = format!("{FALL}\n{EXACT}");
    let mut alone = Simulation::build(&parse(&cubes(&time, PLANE))).unwrap();
    let mut with = Simulation::build(&parse(&cubes(&time, &format!("{PLANE}{far}")))).unwrap();
    while !alone.is_done() {
        alone.step().unwrap_or_else(|e| panic!("{e}"));
        with.step().unwrap_or_else(|e| panic!("{e}"));
        assert!(with.state().x.starts_with(&alone.state().x), "t = {}", alone.state().time);
    }
    assert_apart(&with);
}

#[test]
fn driven_bodies_push_others_and_are_blocked_by_what_cannot_yield() {
    let press = |below: &str| {
        format!(
            r#"
gravity = [0, 0, 0]
[time]
integrator = "backward-euler"
step = "10 ms"
end = "0.3 s"
[contact]
mode = "barrier"
[body.lower]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}
material = {{ law = "stable-neo-hookean", young = "30 kPa", poisson = 0.3 }}
{below}
[body.press]
mesh = {{ shape = "box", size = [0.2, 0.02, 0.2], cells = [2, 1, 2] }}
position = ["-5 cm", "10.5 cm", "-5 cm"]
material = {{ law = "stable-neo-hookean", young = "300 kPa", poisson = 0.3 }}
moved = {{ set = "y-max", expression = [0, "-0.1 * t", 0] }}
"#
        )
    };
    let simulation = run(&press("fixed = \"y-min\""));
    assert_apart(&simulation);
    println!("{:?} {:?}", simulation.contact(), simulation.tally());
    // What is held all over gives no way.
    let text = press("fixed = { box = { min = [-1, -1, -1], max = [1, 1, 1] } }");
    let text = text
        .replace("set = \"y-max\", expr", "box = { min = [-1, -1, -1], max = [1, 1, 1] }, expr");
    let mut simulation = Simulation::build(&parse(&text)).unwrap();
    let told = loop {
        if let Err(error) = simulation.step() {
            break error.to_string();
        }
        assert!(!simulation.is_done());
    };
    assert!(told.contains("body 'press'") && told.contains("body 'lower'"), "{told}");
}

#[test]
fn what_contact_does_not_serve_is_refused_with_the_fix() {
    for (integrator, why) in [
        ("verlet", "explicit"),
        ("rosenbrock2", "linear"),
        ("implicit-midpoint", "middle"),
        ("generalized-alpha", "before the end"),
    ] {
        let time = format!("integrator = \"{integrator}\"\nstep = \"1 ms\"\nend = \"2 ms\"");
        let told = error(&cubes(&time, ""));
        assert!(told.contains(why) && told.contains("backward-euler"), "{told}");
    }
    let text = cubes(FALL, "");
    for (from, to, parts) in [
        ("mode = \"barrier\"", "mode = \"barier\"", ["contact.mode", "barrier"]),
        ("mode = \"barrier\"", "mode = \"barrier\"\ndistnce = 1", ["distnce", "distance"]),
        ("mode = \"barrier\"", "mode = \"barrier\"\ndistance = 0", ["contact.distance", "0"]),
        ("mode = \"barrier\"", "mode = \"barrier\"\ndistance = \"4 cm\"", ["lower", "edge"]),
        ("\"14 cm\"", "\"9 cm\"", ["upper", "lower"]),
    ] {
        let told = error(&text.replacen(from, to, 1));
        for part in parts {
            assert!(told.contains(part), "{to}: {told}");
        }
    }
}
