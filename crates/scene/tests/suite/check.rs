//! What is found before a run, and bodies that meet without contact.

use std::path::Path;

use pliant_scene::check::{Check, check};
use pliant_scene::{Scene, Simulation};

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("check.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn checked(text: &str) -> Check {
    check(&parse(text)).unwrap_or_else(|e| panic!("{e}"))
}

/// A cube of 10 cm and another one, at that place.
fn two(place: &str, size: &str, more: &str) -> String {
    format!(
        r#"
[time]
step = "10 ms"
end = "0.3 s"
{more}
[body.lower]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}
material = {{ law = "stable-neo-hookean", young = "50 kPa" }}
fixed = "y-min"
[body.upper]
mesh = {{ shape = "box", size = [{size}, {size}, {size}], cells = [2, 2, 2] }}
position = {place}
material = {{ law = "stable-neo-hookean", young = "50 kPa" }}
"#
    )
}

#[test]
fn overlapping_bodies_are_found_with_their_depth() {
    for contact in ["", "[contact]\nmode = \"barrier\""] {
        let found = checked(&two("[0.02, 0.097, 0.03]", "0.05", contact));
        assert!(!found.is_ok());
        let [overlap] = &found.overlaps[..] else { panic!("{found:?}") };
        assert_eq!(overlap.bodies, ["lower", "upper"]);
        // The lower corners of the upper cube are 3 mm below the top of the lower one.
        let depth = overlap.depth.unwrap();
        assert!((depth - 0.003).abs() < 1e-12, "{depth}");
        assert!((overlap.place[1] - 0.1).abs() < 0.004, "{overlap:?}");
        assert!(overlap.count > 0 && overlap.edge.is_some());
        // It is in the list of overlaps and not told twice.
        assert!(found.problems.iter().all(|p| p.kind != "refused"), "{found:?}");
    }
}

#[test]
fn a_body_inside_another_is_found_though_no_surfaces_cross() {
    let found = checked(&two("[0.03, 0.03, 0.03]", "0.04", ""));
    let [overlap] = &found.overlaps[..] else { panic!("{found:?}") };
    assert_eq!((overlap.count, &overlap.edge), (0, &None));
    // All vertices of the surface of the small cube are 3 cm from the nearest side.
    assert!((overlap.depth.unwrap() - 0.03).abs() < 1e-12, "{overlap:?}");
}

#[test]
fn bodies_apart_are_told_that_nothing_keeps_them_so() {
    let found = checked(&two("[0.02, 0.12, 0.03]", "0.05", ""));
    assert!(found.is_ok(), "{found:?}");
    assert!(found.problems.iter().any(|p| p.kind == "no-contact"), "{found:?}");
    let found = checked(&two("[0.02, 0.12, 0.03]", "0.05", "[contact]\nmode = \"barrier\""));
    assert!(found.is_ok() && found.problems.is_empty(), "{found:?}");
}

#[test]
fn bodies_that_are_glued_to_each_other_may_meet() {
    let glue = "[[attachment]]\nbody = \"upper\"\nto = \"lower\"\nwithin = \"1 mm\"";
    let found = checked(&(two("[0, 0.1, 0]", "0.1", "") + glue));
    assert!(found.is_ok() && found.overlaps.is_empty(), "{found:?}");
}

#[test]
fn a_body_inside_a_floor_and_a_scene_that_is_refused_are_told() {
    let floor = "[obstacle.floor]\nshape = \"floor\"\nheight = \"5 mm\"";
    let text = two("[0.02, 0.12, 0.03]", "0.05", "") + floor;
    let found = checked(&text);
    let inside = found.problems.iter().find(|p| p.kind == "inside-obstacle").unwrap();
    assert!(inside.message.contains("'lower' starts 5"), "{}", inside.message);
    let found = checked(&text.replace("y-min", "nowhere"));
    assert!(!found.is_ok());
    assert!(found.problems[0].is_error && found.problems[0].location.is_some(), "{found:?}");
}

fn warnings(text: &str) -> Vec<String> {
    let scene = parse(text);
    let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
    let outcome = pliant_scene::run::run(&scene, &mut simulation, None, &mut |_| true);
    let summary = outcome.unwrap_or_else(|e| panic!("{e}")).summary;
    summary.warnings.into_iter().filter(|w| w.contains("[contact]")).collect()
}

#[test]
fn bodies_that_meet_without_contact_are_told_once() {
    let falling = two("[0.02, 0.12, 0.03]", "0.05", "");
    let told = warnings(&falling);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("bodies 'lower' and 'upper' pass through each other"), "{told:?}");
    assert!(warnings(&falling.replace("0.3 s", "30 ms")).is_empty());
    let off = falling.replace("[body.lower]", "[contact]\nmode = \"off\"\n[body.lower]");
    assert!(warnings(&off).is_empty());
    let contact = "[contact]\nmode = \"barrier\"\n";
    assert!(
        warnings(&falling.replace("[body.lower]", &format!("{contact}[body.lower]"))).is_empty()
    );
}

#[test]
fn a_body_that_folds_into_itself_is_told() {
    let text = r#"
[time]
step = "10 ms"
end = "0.9 s"
CONTACT
[body.strip]
mesh = { shape = "box", size = [0.4, 0.01, 0.04], cells = [32, 1, 2] }
material = { law = "stable-neo-hookean", young = "100 kPa", poisson = 0.3 }
damping = { stiffness = "2 ms" }
fixed = { box = { min = [-1, -1, -1], max = [0.2, 1, 1] } }
moved = { set = "x-max", expression = ["-0.3 * t", "0.11 * sin(pi * t) - 0.02 * t", 0] }
"#;
    let told = warnings(&text.replace("CONTACT", ""));
    assert!(told.len() == 1 && told[0].contains("'strip' has folded into itself"), "{told:?}");
}

/// Runs to the end and returns it with its warnings at the start.
fn run(text: &str) -> (Simulation, Vec<String>) {
    let mut simulation = Simulation::build(&parse(text)).unwrap_or_else(|e| panic!("{e}"));
    let warnings = simulation.warnings.clone();
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    (simulation, warnings)
}

#[test]
fn bodies_that_overlap_are_pushed_apart_by_the_shortest_way() {
    let contact = "[contact]\nmode = \"barrier\"\ndistance = \"1 mm\"\non_overlap = \"push-apart\"";
    let text = two("[0.02, 0.097, 0.03]", "0.05", contact);
    let text = format!("gravity = [0, 0, 0]\n{text}");
    let simulation = Simulation::build(&parse(&text)).unwrap_or_else(|e| panic!("{e}"));
    // Up by the 3 mm that it was too deep and the distance, the lower one being held.
    let start = simulation.bodies[1].of_user(&simulation.state().x);
    assert!((start[0][1] - 0.101).abs() < 1e-5 && start[0][0] == 0.02, "{:?}", start[0]);
    assert!(simulation.warnings[0].contains("body 'upper'"), "{:?}", simulation.warnings);
    let (simulation, _) = run(&text);
    assert_eq!(simulation.contact().unwrap().steps, 0);
    // Held both, they cannot.
    let held = text.replace("position = ", "fixed = \"y-max\"\nposition = ");
    let error = Simulation::build(&parse(&held)).map(drop).unwrap_err().to_string();
    assert!(error.contains("cannot be pushed apart"), "{error}");
}

#[test]
fn bodies_that_overlap_are_ignored_if_asked_for() {
    let contact = "[contact]\nmode = \"barrier\"\non_overlap = \"ignore-pairs\"";
    let text = two("[0.02, 0.097, 0.03]", "0.05", contact);
    let (simulation, warnings) = run(&text);
    assert!(warnings[0].contains("do not touch each other in this run"), "{warnings:?}");
    assert_eq!(simulation.contact().unwrap().steps, 0);
    // It has fallen freely through the other: g t²/2 less what backward Euler is late by, g t h/2.
    let y = simulation.bodies[1].of_user(&simulation.state().x)[0][1];
    let fallen = 0.5 * 9.81 * (0.3 * 0.3 + 0.3 * 0.01);
    assert!((0.097 - y - fallen).abs() < 1e-6, "{y} {fallen}");
}
