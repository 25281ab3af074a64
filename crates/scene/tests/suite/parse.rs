//! Bad scenes are refused, with the line, the key, and what was meant.

use std::path::Path;

use pliant_errors::Class;
use pliant_scene::{CellQuantity, LoadKind, Scene, SceneError, Simulation};

/// The mesh of the good scene.
const MESH: &str = r#"{ shape = "box", size = ["10 cm", "10 cm", "10 cm"], cells = [1, 1, 1] }"#;

const GOOD: &str = r#"
[body.cube]
mesh = { shape = "box", size = ["10 cm", "10 cm", "10 cm"], cells = [1, 1, 1] }
material = { law = "neo-hookean", young = "100 kPa", poisson = 0.4 }
fixed = "y-max"
[time]
step = "10 ms"
end = "20 ms"
"#;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("scene.toml"))
}

fn build(text: &str) -> Result<Simulation, SceneError> {
    parse(text).and_then(|scene| Simulation::build(&scene))
}

fn refused(text: &str) -> SceneError {
    match build(text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error,
    }
}

#[test]
fn a_good_scene_is_accepted() {
    let simulation = build(GOOD).unwrap();
    assert_eq!((simulation.vertices(), simulation.cells()), (8, 6));
    assert!(simulation.warnings.is_empty(), "{:?}", simulation.warnings);
}

#[test]
fn what_is_wrong_is_named_with_its_line_and_the_right_key() {
    // What is replaced by what, the line of the error, and what it must say.
    let table: &[(&str, &str, u64, &[&str])] = &[
        ("young =", "yuong =", 4, &["yuong", "did you mean 'young'"]),
        ("fixed =", "fxied =", 5, &["unknown key 'fxied' in body.cube", "did you mean 'fixed'"]),
        ("end =", "edn =", 8, &["edn", "did you mean 'end'"]),
        ("[time]", "[tiem]", 6, &["tiem", "did you mean 'time'"]),
        ("\"10 ms\"", "\"10 kg\"", 7, &["time.step", "a mass", "a time", "10 ms"]),
        ("\"10 ms\"", "\"10 msec\"", 7, &["time.step", "unknown unit 'msec'"]),
        ("\"10 ms\"", "-1", 7, &["time.step", "above 0"]),
        ("\"10 ms\"", "[1]", 7, &["time.step", "a time is needed, not a list"]),
        ("\"10 ms\"", "inf", 7, &["time.step", "finite"]),
        ("\"10 cm\", \"10 cm\"]", "\"5 kg\", 1]", 3, &["body.cube.mesh.size", "a length"]),
        ("\"10 cm\", \"10 cm\"]", "1]", 3, &["body.cube.mesh.size", "three numbers", "not 2"]),
        ("\"box\"", "\"bxo\"", 3, &["body.cube.mesh.shape", "bxo", "box"]),
        ("neo-hookean", "neo-hokean", 4, &["body.cube.material.law", "neo-hookean"]),
        ("0.4 }", "0.6 }", 4, &["poisson", "0.5"]),
        ("young = \"100 kPa\", poisson = 0.4", "invertible = true", 4, &["constants", "young ="]),
        ("\"y-max\"", "\"y-mix\"", 5, &["no set 'y-mix'", "did you mean 'y-min'"]),
        ("\"y-max\"", "{ box = { min = [5, 5, 5] } }", 5, &["selects no vertex of body 'cube'"]),
        ("\"y-max\"", "{ sphere = { centre = [9, 9, 9], radius = 1 } }", 5, &["no vertex"]),
        ("\"y-max\"", "{ vertices = [99] }", 5, &["vertex 99", "8 vertices"]),
        ("\"y-max\"", "{ file = \"none.bou\" }", 5, &["none.bou"]),
        ("\"y-max\"", "{ set = \"y-max\", axes = \"xzy\" }", 5, &["axes", "did you mean"]),
        ("\"y-max\"", "{ axes = \"x\" }", 5, &["select by set"]),
        ("\"y-max\"", "{ where = \"x > 9\" }", 5, &["selects no vertex"]),
        ("\"y-max\"", "{ where = \"x < 1 kg\" }", 5, &["where", "a length and a mass"]),
        // What is misspelt beside a required key is named, not the key that is missing.
        ("shape =", "shpae =", 3, &["'shpae'", "did you mean 'shape'"]),
        ("shape = \"box\"", "fiel = \"a.veg\"", 3, &["'fiel'", "did you mean 'file'"]),
        ("shape = \"box\", ", "", 3, &["needs 'shape'", "one of file, shape"]),
        ("mesh =", "mehs =", 3, &["'mehs'", "did you mean 'mesh'"]),
        ("\"y-max\"", "{ sett = \"y-max\" }", 5, &["'sett'", "did you mean 'set'"]),
        ("fixed", "load = { fore = [0, 1, 0] }\nfixed", 5, &["'fore'", "did you mean 'force'"]),
        ("[time]", "[obstacle.o]\nshape = \"box\"\nmax = [1, 1, 1]\n[time]", 6, &["needs 'min'"]),
        ("[time]", "[probe.p]\nta = [0, 0, 0]\n[time]", 7, &["'ta'", "did you mean 'at'"]),
        ("[time]", "[time]\nintegrator = \"bakward-euler\"", 7, &["backward-euler"]),
        ("[time]", "[time]\nsteps = 3", 7, &["either end or steps"]),
        ("[time]", "[solver]\nlinear = \"cholesk\"\n[time]", 7, &["cholesky"]),
        ("[time]", "[probe.p]\nat = [1, 1, 1]\n[time]", 6, &["outside of body 'cube'"]),
        (
            "[time]",
            "[probe.p]\nbody = \"cub\"\nat = [0, 0, 0]\n[time]",
            7,
            &["no body 'cub'", "cube"],
        ),
        ("[time]", "[obstacle.o]\nshape = \"flor\"\n[time]", 7, &["did you mean 'floor'"]),
        ("[time]", "[[attachment]]\nbody = \"cube\"\n[time]", 6, &["which vertices"]),
        ("fixed", "load = { pressure = \"1 N\" }\nfixed", 5, &["pressure", "a force"]),
        ("fixed", "load = { force = [0, 1, 0], curve = { kind = \"ramp\" } }\nfixed", 5, &["end"]),
        // All corners of a face must be there, not some.
        (
            "fixed",
            "load = { where = \"ny > 0.9 && x < 5 cm\", pressure = 1 }\nfixed",
            5,
            &["no face of the surface"],
        ),
        ("fixed", "moved = { set = \"y-min\" }\nfixed", 5, &["translation, rotation"]),
        ("\n[body", "\ninclude = \"none.toml\"\n[body", 2, &["none.toml"]),
        ("end = \"20 ms\"", "end = ", 8, &[]),
        // Files that are not there.
        (MESH, "\"none.veg\"", 3, &["none.veg"]),
        (MESH, "{ surface = \"none.obj\" }", 3, &["none.obj"]),
        ("fixed", "surface = \"none.ply\"\nfixed", 5, &["none.ply"]),
    ];
    for (from, to, line, words) in table {
        let text = GOOD.replacen(from, to, 1);
        let error = refused(&text);
        let details = error.details();
        assert_eq!(details.class, Class::Input, "{error}");
        let place = details.location.as_ref().unwrap_or_else(|| panic!("{to}: no place: {error}"));
        assert_eq!(place.line, *line, "{to}: {error}");
        assert_eq!(place.file, "scene.toml");
        assert!(place.column > 0 && !place.source.is_empty(), "{to}: {error}");
        for word in *words {
            assert!(error.to_string().contains(word), "{to}: '{word}' is not in: {error}");
        }
    }
}

#[test]
fn a_column_points_at_the_key_itself() {
    let error = refused(&GOOD.replacen("poisson =", "poison =", 1));
    let place = error.details().location.clone().unwrap();
    let at = place.column as usize - 1;
    assert_eq!(&place.source[at..at + place.width as usize], "poison");
}

#[test]
fn a_column_points_into_an_expression() {
    let error = refused(&GOOD.replacen("\"y-max\"", "{ where = 'x < 0.1 && radius > 2' }", 1));
    let place = error.details().location.clone().unwrap();
    let at = place.column as usize - 1;
    assert_eq!(&place.source[at..at + place.width as usize], "radius");
    // With escapes the columns of text and file differ: the message counts.
    let text = GOOD.replacen("\"y-max\"", "{ where = \"x\\u0020< radius\" }", 1);
    let error = refused(&text).to_string();
    assert!(error.contains("at character 5 of 'x < radius'"), "{error}");
}

#[test]
fn a_scene_without_bodies_is_refused() {
    let error = refused("[time]\nend = 1\n");
    assert!(error.to_string().contains("no body"), "{error}");
}

#[test]
fn a_vertex_cannot_follow_two_motions() {
    let moved = "moved = { set = \"y-max\", translation = { by = [0, 1, 0] } }\nfixed";
    let error = refused(&GOOD.replacen("fixed", moved, 1));
    assert!(error.to_string().contains("held twice"), "{error}");
}

#[test]
fn odd_values_are_warned_of_with_a_reason() {
    // What is replaced by what, the line that is named (0 for the scene as a whole), and the reason.
    let table = [
        ("0.4 }", "0.4999 }", 4, "cannot keep their volume and bend"),
        ("poisson = 0.4", "poisson = 0.4999", 4, "Poisson's ratio 0.4999 on tet4"),
        (
            "young = \"100 kPa\", poisson = 0.4",
            "lambda = 1e6, mu = 1e3",
            4,
            "Poisson's ratio 0.4995",
        ),
        ("fixed", "density = \"7800 kg/m^3\"\nfixed", 4, "that of metal"),
        ("\"100 kPa\"", "3", 4, "is its unit missing"),
        ("\"100 kPa\"", "\"200000 GPa\"", 4, "above that of diamond"),
        ("fixed", "density = 1e-3\nfixed", 4, "that of a gas"),
        ("fixed", "density = 1\nfixed", 4, "that of a gas"),
        ("fixed", "density = 1e6\nfixed", 4, "that of no solid"),
        ("fixed", "scale = 1e4\nfixed", 2, "as large as a mountain"),
        ("fixed", "scale = 1e-5\nfixed", 2, "as small as a cell"),
        ("\"10 ms\"", "0.2", 0, "10 to 40 ms are usual"),
        ("\n[body", "\ngravity = [0, -9.81e3, 0]\n[body", 0, "1000 times that of the Earth"),
    ];
    for (from, to, line, reason) in table {
        let simulation = build(&GOOD.replacen(from, to, 1)).unwrap();
        let place = if line > 0 { format!("scene.toml:{line}") } else { String::new() };
        let found = simulation.warnings.iter().any(|w| w.contains(reason) && w.contains(&place));
        assert!(found, "{to}: {:?}", simulation.warnings);
        assert_eq!(simulation.warnings.len(), 1, "{:?}", simulation.warnings);
    }
    for poisson in ["0.5", "0.6", "-1"] {
        let error = refused(&GOOD.replacen("0.4 }", &format!("{poisson} }}"), 1));
        assert!(error.to_string().contains("must lie between -1 and 0.5"), "{error}");
    }
}

#[test]
fn a_body_in_pieces_is_warned_of() {
    let parts = "mesh = { size = 0.2, parts = [{ shape = \"sphere\" }, { shape = \"sphere\", at = [3, 0, 0] }] }";
    let line = GOOD.lines().nth(2).unwrap();
    let text = GOOD.replace(line, parts).replace("fixed = \"y-max\"", "");
    let warnings = build(&text).unwrap().warnings;
    assert!(warnings.iter().any(|w| w.contains("2 parts")), "{warnings:?}");
}

#[test]
fn explicit_steps_that_are_too_long_are_warned_of() {
    // Steel by its unit: what an implicit method takes in steps of 10 ms an explicit one does not.
    let steel = GOOD.replacen("100 kPa", "200 GPa", 1);
    assert!(build(&steel).unwrap().warnings.is_empty());
    let text = steel.replacen("[time]", "[time]\nintegrator = \"verlet\"", 1);
    let warnings = build(&text).unwrap().warnings;
    assert!(warnings.iter().any(|w| w.contains("critical step")), "{warnings:?}");
}

#[test]
fn overrides_replace_add_and_are_named_in_errors() {
    let set = |sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
        Scene::parse_with(GOOD, Path::new("scene.toml"), &sets)
    };
    let scene = set(&["time.step=5 ms", "time.end=\"0.1 s\"", "gravity=[0, 0, -1]"]).unwrap();
    assert_eq!((scene.time.step, scene.time.end), (0.005, 0.1));
    assert_eq!(scene.gravity, [0.0, 0.0, -1.0]);
    let scene = set(&["time.steps=7"]).unwrap();
    assert_eq!(scene.time.steps(), 7);
    let scene = set(&["body.cube.density=7"]).unwrap();
    assert_eq!(scene.bodies[0].density, Some(CellQuantity::Uniform(7.0)));
    // Entries of lists by their numbers; an only one needs none, and keeps what is not said.
    let loads = format!(
        "{GOOD}[[body.cube.load]]\nset = \"y-min\"\npressure = 1\n[[body.cube.load]]\nforce = [1, 0, 0]\n"
    );
    let set_in =
        |text: &str, set: &str| Scene::parse_with(text, Path::new("scene.toml"), &[set.to_owned()]);
    let scene = set_in(&loads, "body.cube.load.0.pressure=7 kPa").unwrap();
    assert_eq!(scene.bodies[0].loads[0].kind, LoadKind::Pressure(7000.0));
    assert!(scene.bodies[0].loads[0].on.is_some() && scene.bodies[0].loads.len() == 2);
    let one = loads.split("[[body.cube.load]]\nforce").next().unwrap();
    let scene = set_in(one, "body.cube.load.pressure=7 kPa").unwrap();
    assert_eq!(scene.bodies[0].loads[0].kind, LoadKind::Pressure(7000.0));
    assert!(scene.bodies[0].loads[0].on.is_some());
    for (set, word) in [
        ("body.cube.load.pressure=7", "a list of 2"),
        ("body.cube.load.2.pressure=7", "no entry 2"),
        ("body.cube.load.1.presure=7", "unknown key 'presure'"),
    ] {
        let error = set_in(&loads, set).unwrap_err().to_string();
        assert!(error.contains(word) && error.contains(set), "{error}");
    }
    for (bad, words) in [
        ("time.stp=1", ["--set time.stp=1", "did you mean 'step'"]),
        ("body.cube.material.young=5 kg", ["--set body.cube.material.young=5 kg", "a mass"]),
        ("time", ["--set time", "'='"]),
        ("=3", ["--set =3", "needs a key"]),
    ] {
        let error = set(&[bad]).unwrap_err().to_string();
        assert!(words.iter().all(|w| error.contains(w)), "{bad}: {error}");
    }
}

#[test]
fn included_files_lie_below_and_cycles_are_refused() {
    let folder = std::env::temp_dir().join(format!("pliant-include-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    put("common.toml", &format!("{GOOD}[probe.p]\nat = [0, 0, 0]\n"));
    put("scene.toml", "include = \"common.toml\"\n[time]\nend = \"70 ms\"\n");
    let scene = Scene::read(&folder.join("scene.toml"), &[]).unwrap();
    assert_eq!((scene.time.steps(), scene.probes.len(), scene.bodies.len()), (7, 1, 1));
    put("a.toml", "include = \"b.toml\"\n");
    put("b.toml", "\ninclude = \"a.toml\"\n");
    let error = Scene::read(&folder.join("a.toml"), &[]).unwrap_err();
    assert!(error.to_string().contains("includes itself"), "{error}");
    assert_eq!(error.details().location.as_ref().unwrap().line, 2);
    std::fs::remove_dir_all(&folder).unwrap();
}
