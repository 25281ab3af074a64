//! What is wrong about contact, each with body, primitive, place and remedy, and with the class that decides the exit status.

use std::path::Path;

use pliant_errors::Class;
use pliant_scene::{Scene, SceneError, Simulation};

use crate::temporary::Temporary;

const TWO: &str = r#"
[contact]
mode = "barrier"
[time]
end = "20 ms"
[body.lower]
mesh = { shape = "box", size = ["10 cm", "10 cm", "10 cm"], cells = [3, 3, 3] }
material = { law = "stable-neo-hookean", young = "50 kPa" }
fixed = "y-min"
[body.upper]
mesh = { shape = "box", size = ["5 cm", "5 cm", "5 cm"], cells = [2, 2, 2] }
position = ["2 cm", "10.3 cm", "3 cm"]
material = { law = "stable-neo-hookean", young = "50 kPa" }
"#;

fn build(text: &str) -> Result<Simulation, SceneError> {
    Scene::parse(text, Path::new("errors.toml")).and_then(|scene| Simulation::build(&scene))
}

/// The error of a scene that is refused.
fn refused(text: &str) -> String {
    let Err(error) = build(text) else { panic!("this was accepted: {text}") };
    assert_eq!(error.class(), Class::Input, "{error}");
    error.to_string()
}

#[test]
fn wrong_contact_is_refused_with_body_place_and_remedy() {
    let folder = Temporary::made("contact-errors");
    let open = folder.0.join("open.obj");
    std::fs::write(&open, "v -1 -0.02 -1\nv 1 -0.02 -1\nv 0 -0.02 1\nf 1 2 3\n").unwrap();
    let obstacle = |more: &str| format!("[obstacle.cup]\nshape = \"mesh\"\n{more}\n[time]");
    let of_file = |file: &str| obstacle(&format!("file = '{file}'"));
    let between = |line: &str| format!("[[contact.between]]\n{line}\n[time]");
    let mode = |line: &str| format!("mode = \"barrier\"\n{line}");
    for (from, to, parts) in [
        (
            "10.3 cm",
            "9.7 cm".to_owned(),
            &["edge", "triangle", "body 'upper'", "body 'lower'", "push-apart"][..],
        ),
        (
            "mode = \"barrier\"",
            mode("distance = \"3 cm\""),
            &["contact.distance", "body 'lower'", "median edge", "smaller"],
        ),
        (
            "mode = \"barrier\"",
            "mode = \"soft\"\ndistance = \"3 cm\"".to_owned(),
            &["contact.distance", "median edge"],
        ),
        ("mode = \"barrier\"", mode("friction = -0.3"), &["contact.friction", "-0.3", "0 or more"]),
        ("[time]", between("bodies = [\"lower\", \"uper\"]\nfriction = 1"), &["'uper'", "upper"]),
        (
            "[time]",
            between("materials = [\"ice\", \"rock\"]\nfriction = 1"),
            &["'ice'", "material.name"],
        ),
        ("[time]", of_file("cup.obj"), &["cup.obj", "errors.toml"]),
        (
            "[time]",
            "[obstacle.f]\nshape = \"floor\"\nheight = 0.02\n[time]".to_owned(),
            &["body 'lower'", "obstacle 'f'", "move the body"],
        ),
    ] {
        let told = refused(&TWO.replacen(from, &to, 1));
        for part in parts {
            assert!(told.contains(part), "{to}: {part}: {told}");
        }
    }
    // A surface has two sides for a barrier, whichever way its triangles look, and may be open; other modes have no such obstacles.
    let with = TWO.replacen("[time]", &of_file(&open.display().to_string()), 1);
    assert!(build(&with).is_ok());
    let inside_out = "mesh = { shape = \"box\", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }\nposition = [1, 0, 0]";
    assert!(build(&TWO.replacen("[time]", &obstacle(inside_out), 1)).is_ok());
    for soft in
        [with.replace("\"barrier\"", "\"soft\""), with.replace("[contact]\nmode = \"barrier\"", "")]
    {
        let told = refused(&soft);
        assert!(told.contains("obstacle 'cup'") && told.contains("\"barrier\""), "{told}");
    }
}

#[test]
fn an_overlap_that_a_potential_would_throw_apart_is_told() {
    for mode in ["soft", "penalty"] {
        let text = TWO.replace("barrier", mode).replace("10.3 cm", "9.7 cm");
        let simulation = build(&text).unwrap_or_else(|e| panic!("{e}"));
        let told = simulation.warnings.join("\n");
        for part in ["'lower' and 'upper' overlap", " deep, at (0.03, 0.1, 0.03)", "push-apart"] {
            assert!(told.contains(part), "{mode}: {told}");
        }
        let apart = TWO.replace("barrier", mode);
        assert!(build(&apart).unwrap().warnings.is_empty());
    }
}

#[test]
fn a_driven_part_that_is_blocked_stops_the_run_with_its_vertex_and_what_is_in_the_way() {
    let text = TWO.replace("fixed = \"y-min\"", "fixed = { where = \"y > -1\" }");
    let text = text.replace("end = \"20 ms\"", "end = \"1 s\"\nstep = \"10 ms\"")
        + "moved = { where = \"y > -1\", translation = { by = [0, -0.1, 0], curve = { kind = \"ramp\", end = \"1 s\" } } }\n";
    let mut simulation = build(&text).unwrap();
    let error = loop {
        assert!(simulation.state().time < 0.1);
        if let Err(error) = simulation.step() {
            break error;
        }
    };
    assert_eq!(error.class(), Class::Computation, "{error}");
    let told = error.to_string();
    for part in ["vertex", "body 'upper'", "body 'lower'", "cannot go on", "stop what drives it"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // The last good state is kept: 3 mm apart, at 0.1 m/s.
    assert!(simulation.state().time < 0.03 + 1e-9, "{}", simulation.state().time);
}
