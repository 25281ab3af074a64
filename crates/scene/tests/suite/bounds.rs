//! What is too much is refused before the work begins, with numbers and the way out.

use std::path::Path;
use std::time::Instant;

use pliant_scene::{Scene, Simulation};

use crate::temporary::Temporary;

const BODY: &str = "material = { law = \"linear\", young = \"1 MPa\" }\n[time]\nsteps = 1\n";

/// The error of a scene, and how long it took, s.
fn error(text: &str, sets: &[&str]) -> (String, f64) {
    let clock = Instant::now();
    let sets: Vec<String> = sets.iter().map(|&s| s.to_owned()).collect();
    let made = Scene::parse_with(text, Path::new("scene.toml"), &sets)
        .and_then(|scene| Simulation::build(&scene).map(|_| ()));
    (made.expect_err("too much").to_string(), clock.elapsed().as_secs_f64())
}

fn refused(text: &str, sets: &[&str], words: &[&str]) {
    let (message, seconds) = error(text, sets);
    for word in words {
        assert!(message.contains(word), "'{word}' is not in: {message}");
    }
    assert!(seconds < 5.0, "{seconds} s: {message}");
}

#[test]
fn meshes_that_do_not_fit_are_refused_at_once() {
    let body = |mesh: &str| format!("[body.b]\nmesh = {mesh}\n{BODY}");
    for (refine, words) in [
        ("30", ["cells", "at most 2^32"]),
        ("11", ["cells", "vertices"]),
        ("1000000000000", ["cells", "at most 2^32"]),
    ] {
        let mesh = format!("{{ shape = \"box\", refine = {refine} }}");
        let hint = format!("{refine} divisions");
        refused(&body(&mesh), &[], &[words[0], words[1], &hint, "scene.toml:2:"]);
    }
    for mesh in [
        "{ shape = \"box\", cells = [1500, 1500, 1500] }",
        "{ shape = \"box\", cells = [100000, 100000, 100000] }",
        "{ shape = \"sphere\", core = 900, rings = 900 }",
        "{ shape = \"bar\", across = 1000 }",
        "{ shape = \"torus\", core = 4000, rings = 4000, around = 4000 }",
    ] {
        refused(&body(mesh), &[], &["cells", "fewer"]);
    }
    // What fits is made.
    let scene =
        Scene::parse(&body("{ shape = \"box\", refine = 2 }"), Path::new("s.toml")).unwrap();
    Simulation::build(&scene).unwrap();
}

#[test]
fn names_are_names() {
    let scene = |name: &str| format!("[body.{name}]\nmesh = {{ shape = \"box\" }}\n{BODY}");
    refused(&scene("\"\""), &[], &["a name is empty"]);
    refused(&scene("\"  \""), &[], &["a name is empty"]);
    refused(&scene(&format!("\"{}\"", "x".repeat(300))), &[], &["300 characters", "1 to 60"]);
    refused(&scene("\"a\\nb\""), &[], &["control character"]);
    for name in [&"x".repeat(60), "\"two words\"", "\"Würfel/1\""] {
        Scene::parse(&scene(name), Path::new("s.toml")).unwrap();
    }
}

impl Temporary {
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn error(&self, name: &str) -> String {
        Scene::read(&self.0.join(name), &[]).expect_err("too much").to_string()
    }
}

#[test]
fn includes_have_a_depth_a_number_and_a_size() {
    let folder = Temporary::made("includes");
    // A chain of 40, and a tree of which every file includes the next one twice: 2⁴⁰ files.
    for k in 0..40 {
        folder.write(&format!("chain{k}.toml"), &format!("include = \"chain{}.toml\"\n", k + 1));
    }
    assert!(folder.error("chain0.toml").contains("16 deep"), "{}", folder.error("chain0.toml"));
    for k in 0..15 {
        let next = format!("tree{}.toml", k + 1);
        folder.write(&format!("tree{k}.toml"), &format!("include = [\"{next}\", \"{next}\"]\n"));
    }
    folder.write("tree15.toml", "");
    assert!(folder.error("tree0.toml").contains("256 in all"), "{}", folder.error("tree0.toml"));
    // A few are fine, and so is the same one twice.
    folder.write("part.toml", "gravity = [0, 0, 0]\n");
    let body = format!("[body.b]\nmesh = {{ shape = \"box\" }}\n{BODY}");
    folder.write("fine.toml", &format!("include = [\"part.toml\", \"part.toml\"]\n{body}"));
    Scene::read(&folder.0.join("fine.toml"), &[]).unwrap();
    folder.write("self.toml", "include = \"self.toml\"\n");
    assert!(folder.error("self.toml").contains("includes itself"));
    folder.write("folder.toml", "include = \".\"\n");
    assert!(folder.error("folder.toml").contains("not a file"));
    #[cfg(unix)]
    {
        folder.write("endless.toml", "include = \"/dev/zero\"\n");
        assert!(folder.error("endless.toml").contains("not a file"));
        assert!(Scene::read(Path::new("/dev/zero"), &[]).is_err());
        let long = std::fs::File::create(folder.0.join("long.toml")).unwrap();
        long.set_len(300 << 20).unwrap();
        assert!(folder.error("long.toml").contains("300 MB"), "{}", folder.error("long.toml"));
    }
}

/// A value from the command line stands in no line of the file.
#[test]
fn what_was_set_on_top_is_pointed_at_as_such() {
    let scene = "[body.b]\nmesh = { shape = \"box\" }\n[body.b.material]\nlaw = \"neo-hookean\"\n\
        young = \"1 MPa\"\npoisson = 0.3\n[time]\nsteps = 1\n";
    for (set, words) in [
        ("body.b.material.poisson=0.7", "poisson"),
        ("body.b.material.young=-3", "young"),
        ("body.b.mesh.refine=40", "divisions"),
        ("time.step=-1", "time.step"),
    ] {
        let given = format!("--set {set}");
        refused(scene, &[set], &[&given, words]);
    }
    let sets = ["body.b.material.poisson=0.4999".to_owned()];
    let scene = Scene::parse_with(scene, Path::new("scene.toml"), &sets).unwrap();
    let warnings = Simulation::build(&scene).unwrap().warnings;
    assert!(
        warnings.iter().any(|w| w.contains("--set body.b.material.poisson=0.4999")),
        "{warnings:?}"
    );
}

/// Nobody is advised to take what they have.
#[test]
fn advice_on_locking_is_another_element() {
    for (element, poisson, advice) in [
        ("tet4", 0.4999, "tet10-bbar, hex8-bbar, hex20 or tet10"),
        ("tet10", 0.49999, "tet10-bbar or hex8-bbar, or 0.499"),
    ] {
        let text = format!(
            "[body.b]\nmesh = {{ shape = \"box\" }}\nelement = \"{element}\"\n\
             material = {{ law = \"neo-hookean\", young = \"1 MPa\", poisson = {poisson} }}\n[time]\nsteps = 1\n"
        );
        let scene = Scene::parse(&text, Path::new("scene.toml")).unwrap();
        let warnings = Simulation::build(&scene).unwrap().warnings.join("\n");
        assert!(warnings.contains(advice), "{warnings}");
        let advised = warnings.split("take ").nth(1).unwrap_or_default();
        assert!(!advised.contains(&format!("{element},")), "{advised}");
    }
}

/// A value of 1e72 is written so, not with 73 digits.
#[test]
fn messages_hold_no_rows_of_zeros() {
    let scene = "gravity = [0, -1e72, 0]\n[body.b]\nmesh = { shape = \"box\" }\n\
        material = { law = \"linear\", young = 1e-72, poisson = 0.3 }\ndensity = 1e50\n\
        [time]\nsteps = 1\nstep = 1e60\n";
    let scene = Scene::parse(scene, Path::new("scene.toml")).unwrap();
    let warnings = Simulation::build(&scene).unwrap().warnings;
    assert!(warnings.len() >= 4, "{warnings:?}");
    for warning in warnings {
        let row = warning.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
        assert!(row < Some(10), "{warning}");
    }
}
