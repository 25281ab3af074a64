//! `copies`: many bodies, probes and norms of one table.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, add, norm, scale, sub};
use pliant_scene::{Origin, Scene, SceneError, Simulation};

use crate::temporary::Temporary;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("copies.toml"))
}

fn simulation(text: &str) -> Simulation {
    Simulation::build(&parse(text).unwrap_or_else(|e| panic!("{e}")))
        .unwrap_or_else(|e| panic!("{e}"))
}

const RING: &str = r#"
[time]
steps = 2
[contact]
mode = "barrier"
[[contact.between]]
bodies = ["stone-2", "stone-3"]
friction = 0.7
[body.stone]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }
position = [1, 0, 0]
material = { law = "linear", young = "{copy} MPa", poisson = 0 }
copies = { count = 4, translation = [0, 0, "20 cm"], rotation = { axis = [0, 0, 1], angle = "30 deg", centre = [0.5, 0, 0] } }
[body.stone-3]
density = 2000
[probe.stone]
copies = 4
body = "stone-{copy}"
set = "z-min"
[norm.way]
copies = 2
body = "stone-{copy}"
minus = ["0.001 * {copy}", 0, 0]
"#;

fn centre(points: &[Vec3]) -> Vec3 {
    scale(points.iter().copied().fold([0.0; 3], add), 1.0 / points.len() as f64)
}

#[test]
fn copies_are_turned_and_moved_from_each_to_the_next() {
    let simulation = simulation(RING);
    let names: Vec<&str> = simulation.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["stone-1", "stone-2", "stone-3", "stone-4"]);
    for (k, body) in simulation.bodies.iter().enumerate() {
        // The centre of the first is 0.55 m from the axis, at the angle atan(0.05/0.55), in a cube of 0.1 m.
        let angle = (0.05_f64 / 0.55).atan() + k as f64 * 30_f64.to_radians();
        let radius = 0.55_f64.hypot(0.05);
        let expected = [0.5 + radius * angle.cos(), radius * angle.sin(), 0.05 + 0.2 * k as f64];
        let off = norm(sub(centre(&body.mesh.vertices), expected));
        assert!(off < 1e-12, "{}: {off:e}", body.name);
    }
}

#[test]
fn copies_have_their_number_and_what_is_said_of_them_alone() {
    let scene = parse(RING).unwrap();
    let young = |k: usize| format!("{:?}", scene.bodies[k].material.as_ref().unwrap().kind);
    assert!(young(0).contains("young: 1000000.0") && young(3).contains("young: 4000000.0"));
    let simulation = simulation(RING);
    let masses: Vec<f64> = simulation.bodies.iter().map(|b| b.masses().iter().sum()).collect();
    assert!((masses[2] / masses[1] - 2.0).abs() < 1e-12, "{masses:?}");
    assert_eq!(simulation.probes.len(), 4);
    assert_eq!((&*scene.probes[3].name, &*scene.norms[1].name), ("stone-4", "way-2"));
    let copy = scene.bodies[1].copy.as_ref().unwrap();
    assert_eq!((&*copy.name, copy.number), ("stone", 2));
}

#[test]
fn copies_are_changed_together_and_one_by_one() {
    let sets = ["body.stone.copies.count=3", "body.stone.density=500", "body.stone-2.density=700"];
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
    // A table of a fourth one that is not there any more would be another body.
    let text = RING.replace("copies = 4", "copies = 3");
    let scene = Scene::parse_with(&text, Path::new("copies.toml"), &sets).unwrap();
    let simulation = Simulation::build(&scene).unwrap();
    let densities: Vec<f64> =
        simulation.bodies.iter().map(|b| b.masses().iter().sum::<f64>() * 1e3).collect();
    for (found, expected) in densities.iter().zip([500.0, 700.0, 2000.0]) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{densities:?}");
    }
    // What is kept of a run has the copies as they were written, and is the same scene.
    let temporary = Temporary::new("copies");
    std::fs::create_dir_all(&temporary.0).unwrap();
    let file = temporary.0.join("ring.toml");
    std::fs::write(&file, &text).unwrap();
    let saved = Origin { scene: file.display().to_string(), sets }.to_toml().unwrap();
    assert!(saved.contains("copies = { count = 3"), "{saved}");
    let again =
        Simulation::build(&parse(&saved).unwrap_or_else(|e| panic!("{e}\n{saved}"))).unwrap();
    assert_eq!(again.state().x, simulation.state().x);
    assert_eq!(again.bodies[1].masses(), simulation.bodies[1].masses());
}

#[test]
fn copies_may_have_places_of_their_own() {
    let text = RING.replace("[body.stone-3]\ndensity = 2000\n", "");
    let start = text.find("count = 4").unwrap();
    let end = start + text[start..].find(" }\n").unwrap();
    let text = text
        .replace(&text[start..end], "offsets = [[0, 0, 0], [0, \"5 m\", 0], [0, 0, 1], [2, 0, 0]]");
    let simulation = simulation(&text);
    let expected = [[1.05, 0.05, 0.05], [1.05, 5.05, 0.05], [1.05, 0.05, 1.05], [3.05, 0.05, 0.05]];
    for (body, expected) in simulation.bodies.iter().zip(expected) {
        assert!(norm(sub(centre(&body.mesh.vertices), expected)) < 1e-12, "{}", body.name);
    }
}

#[test]
fn wrong_copies_are_refused_with_the_fix() {
    for (from, to, parts) in [
        ("count = 4, ", "", ["body.stone.copies", "count = 5"]),
        ("count = 4", "count = 0", ["1 to 10000", "body.stone.copies"]),
        ("count = 4", "count = 1000000", ["1 to 10000", "1000000"]),
        ("count = 4", "cuont = 4", ["how many", "count"]),
        ("translation = [0, 0, \"20 cm\"], rotation", "turn", ["unknown key 'turn'", "rotation"]),
        ("count = 4, translation", "offsets = [[0, 0, 0]], translation", ["offsets", "or a count"]),
        ("density = 2000", "copies = { count = 2 }", ["stone-3", "another name"]),
        ("\"stone-2\", \"stone-3\"", "\"stone\", \"stone-3\"", ["'stone'", "stone-1 to stone-4"]),
        ("copies = 4", "copies = \"four\"", ["probe.stone.copies", "how many"]),
        ("copies = 4", "copies = 5", ["there is no body 'stone-5'", "stone-4"]),
        ("{copy} MPa", "{copies} MPa", ["young", "{copies}"]),
    ] {
        let text = RING.replacen(from, to, 1);
        assert!(text != RING, "{from}");
        let told = match parse(&text).and_then(|scene| Simulation::build(&scene).map(drop)) {
            Ok(()) => panic!("no error: {to}"),
            Err(e) => e.to_string(),
        };
        for part in parts {
            assert!(told.contains(part), "{to}: '{part}' is not in: {told}");
        }
        assert!(told.contains("copies.toml"), "{told}");
    }
    // All at one place.
    let text =
        "[body.a]\nmesh = { shape = \"box\" }\nmaterial.young = 1e5\ncopies = { count = 2 }\n";
    let told = parse(text).unwrap_err().to_string();
    assert!(
        told.contains("body.a-2.copies would all be at one place") || told.contains("one place"),
        "{told}"
    );
}
