//! What broke contact in other systems, as far as other tests do not look at it: see the list in the book.

use std::path::Path;

use pliant_contact::barrier::Barrier;
use pliant_scene::run::{Destination, run as run_scene};
use pliant_scene::{Folder, Origin, Scene, Simulation};

use crate::temporary::Temporary;

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse(text, Path::new("traps.toml")).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn run(text: &str) -> Simulation {
    let mut simulation = simulation(text);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

/// A cube that falls on another one, which lies on a floor.
fn cubes(time: &str, more: &str) -> String {
    format!(
        r#"
[time]
integrator = "backward-euler"
step = "10 ms"
{time}
[contact]
mode = "barrier"
friction = 0.4
[body.lower]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}
position = [0, "2 mm", 0]
material = {{ law = "stable-neo-hookean", young = "30 kPa", poisson = 0.4 }}
[body.upper]
mesh = {{ shape = "box", size = [0.08, 0.08, 0.08], cells = [2, 2, 2] }}
position = ["1 cm", "11.5 cm", "1 cm"]
material = {{ law = "stable-neo-hookean", young = "20 kPa", poisson = 0.4 }}
[obstacle.floor]
shape = "floor"
{more}
"#
    )
}

#[test]
fn neither_projections_nor_patterns_are_made_over_and_over() {
    let simulation = run(&cubes("end = \"0.8 s\"", ""));
    let counters = simulation.counters();
    let contact = simulation.contact().unwrap();
    println!("{counters:?} {contact:?}");
    assert!(contact.steps > 60, "{contact:?}");
    // One Jacobian an iteration, and few more because a direction did not descend.
    assert!(counters.jacobians as f64 <= 1.2 * counters.iterations as f64, "{counters:?}");
    // Each island has a pattern to begin with; what sticks keeps its own.
    assert!(counters.patterns * 8 <= counters.iterations, "{counters:?}");
}

#[test]
fn a_kept_jacobian_leads_to_the_same_end_where_contacts_come_and_go() {
    let end = |newton: &str| {
        let solver = format!(
            "[solver]\nlinear = \"cholesky\"\nnewton = \"{newton}\"\nnewton_tolerance = 1e-11\n"
        );
        run(&cubes("end = \"0.12 s\"", &solver)).state().x.clone()
    };
    let (full, kept) = (end("full"), end("simplified"));
    let far = full.as_flattened().iter().zip(kept.as_flattened());
    let far = far.fold(0.0, |far: f64, (a, b)| far.max((a - b).abs()));
    println!("a kept Jacobian: {far:e} m");
    // 1.2e-7 m, with every step solved to 1e-11 of its forces.
    assert!(far < 1e-6, "{far:e}");
}

#[test]
fn gaps_are_right_by_the_usual_tolerance() {
    // The barrier presses with ten thousand times the weight that is left over.
    let text = r#"
[time]
integrator = "backward-euler"
step = "20 ms"
end = "1 s"
[contact]
mode = "barrier"
distance = "1 mm"
stiffness = "10 kPa"
[body.weight]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2], cell = "hex" }
position = [0, "0.9 mm", 0]
material = { law = "linear", young = "1 GPa", poisson = 0 }
density = "1019.36799 kg/m^3"
damping = { mass = "20 1/s" }
[obstacle.floor]
shape = "floor"
"#;
    let simulation = run(text);
    let gap = simulation.state().x.iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
    let expected = 1e-3 * Barrier::Log.relative_gap(0.1);
    println!("gap {gap:e}, expected {expected:e}");
    assert!((gap / expected - 1.0).abs() < 0.01, "{gap:e} {expected:e}");
}

#[test]
fn a_distance_at_which_a_body_would_repel_itself_is_refused() {
    let text = r#"
[time]
step = "10 ms"
end = "20 ms"
[contact]
mode = "barrier"
distance = "2 mm"
[body.sheet]
mesh = { shape = "box", size = [0.1, 0.001, 0.1], cells = [10, 1, 10] }
material = { law = "stable-neo-hookean", young = "30 kPa", poisson = 0.4 }
"#;
    let scene = Scene::parse(text, Path::new("traps.toml")).unwrap();
    let told = Simulation::build(&scene).map(drop).unwrap_err().to_string();
    assert!(told.contains("sheet") && told.contains("would repel each other"), "{told}");
}

#[test]
fn a_report_says_that_rest_with_friction_depends_on_the_path() {
    let text = r#"
[time]
analysis = "static"
[contact]
mode = "barrier"
friction = 0.4
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }
position = [0, "0.05 mm", 0]
material = { law = "stable-neo-hookean", young = "30 kPa", poisson = 0.3 }
[obstacle.floor]
shape = "floor"
[output]
frames = 0
"#;
    let scene = Scene::parse(text, Path::new("traps.toml")).unwrap();
    let mut simulation = Simulation::build(&scene).unwrap();
    let place = Temporary::new("traps-path");
    let origin = Origin { scene: "traps".into(), sets: Vec::new() };
    let folder = Folder::create(&place.0, &origin, true).unwrap();
    let destination = Destination { folder: &folder, resume: false };
    let outcome = run_scene(&scene, &mut simulation, Some(&destination), &mut |_| true).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    let page = std::fs::read_to_string(place.0.join("report.html")).unwrap();
    assert!(page.contains("a state of rest depends on the path of supports and loads"));
}

#[test]
fn an_impact_does_not_stop_steps_that_are_chosen_by_their_error() {
    let text = cubes("end = \"60 ms\"\ntolerance = 1e-2", "");
    let simulation = run(&text.replace("backward-euler", "bdf2"));
    let (contact, counters) = (simulation.contact().unwrap(), simulation.counters());
    println!("{contact:?} {counters:?}");
    assert!(contact.steps > 0 && contact.smallest_gap > 0.0);
    assert!((simulation.state().time - 0.06).abs() < 1e-12);
    assert!(counters.solves < 2000, "{counters:?}");
}
