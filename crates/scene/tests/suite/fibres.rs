//! Fibres through scenes: pulls along and across, simple shear, muscles that pull and contract, directions from expressions and from
//! mesh files, and errors.

use std::path::Path;

use pliant_mesh::CellData;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::io::{WriteOptions, write_volume};
use pliant_scene::{Scene, SceneError, Simulation};

use crate::temporary::Temporary;

/// μ of the matrix: E = 10 kPa, ν = 0.
const MU: f64 = 5e3;

fn parse(text: &str, folder: &Path) -> Result<Scene, SceneError> {
    Scene::parse_with(text, &folder.join("scene.toml"), &[])
}

fn run_in(text: &str, folder: &Path) -> Simulation {
    let scene = parse(text, folder).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

fn run(text: &str) -> Simulation {
    run_in(text, Path::new("."))
}

fn error(text: &str) -> String {
    let built = parse(text, Path::new(".")).and_then(|scene| Simulation::build(&scene));
    built.err().expect("an error").to_string()
}

/// A cube of 1 m in the state of rest; without ν its sides keep their width while it is pulled along x.
fn cube(element: &str, law: &str, fibres: &str, held: &str) -> String {
    let cell = if element.starts_with("tet") { "tet6" } else { "hex" };
    format!(
        r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-13
[body.cube]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [1, 2, 1], cell = "{cell}" }}
element = "{element}"
material = {{ {law}, fibres = [{fibres}] }}
fixed = [{{ set = "x-min", axes = "x" }}, {{ set = "y-min", axes = "y" }}, {{ set = "z-min", axes = "z" }}]
{held}
[probe.end]
at = [1, 1, 1]
"#
    )
}

const MATRIX: &str = "law = \"neo-hookean\", young = \"10 kPa\", poisson = 0";

fn pulled_by(by: f64) -> String {
    format!("moved = [{{ set = \"x-max\", axes = \"x\", translation = {{ by = [{by}, 0, 0] }} }}]")
}

/// The pull at the end in N, which are Pa of rest area.
fn pull(simulation: &mut Simulation) -> f64 {
    simulation.reactions().unwrap().last().unwrap()[0]
}

#[test]
fn a_pull_along_fibres_and_one_across_follow_their_closed_forms() {
    for element in ["hex8", "hex8-bbar", "tet4", "tet10"] {
        for l in [1.2f64, 1.4] {
            let of_matrix = MU * (l - 1.0 / l);
            let e = l * l - 1.0;
            let of_fibres = 2.0 * 4e3 * e * (1.5 * e * e).exp() * l;
            for (direction, expected) in [
                ("[3, 0, 0]", of_matrix + of_fibres),
                ("[0, 1, 1]", of_matrix),
                ("[\"1 + X\", 0, 0]", of_matrix + of_fibres),
            ] {
                let fibres = format!("{{ direction = {direction}, k1 = \"4 kPa\", k2 = 1.5 }}");
                let text = cube(element, MATRIX, &fibres, &pulled_by(l - 1.0));
                let found = pull(&mut run(&text));
                // Mean dilatation lets the sides of this cube move by rounding alone.
                let error = (found / expected - 1.0).abs();
                assert!(error < 1e-9, "{element} along {direction} at {l}: {found} {expected}");
            }
        }
    }
}

/// Fibres across the planes of shear: P₁₂ = μ γ + 2 k₁ E exp(k₂ E²) γ with E = γ².
#[test]
fn simple_shear_follows_its_closed_form() {
    let g: f64 = 0.4;
    let fibres = "{ direction = [0, 1, 0], k1 = \"4 kPa\", k2 = 1.5 }";
    let text = format!(
        r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-13
[body.cube]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [1, 1, 1], cell = "hex" }}
material = {{ {MATRIX}, fibres = [{fibres}] }}
fixed = "y-min"
moved = [{{ set = "y-max", translation = {{ by = [{g}, 0, 0] }} }}]
"#
    );
    let e = g * g;
    let slope = 2.0 * 4e3 * e * (1.5 * e * e).exp();
    let found = *run(&text).reactions().unwrap().last().unwrap();
    assert!((found[0] / (MU * g + slope * g) - 1.0).abs() < 1e-12, "{found:?}");
    // The fibres pull the planes together.
    assert!((found[1] / slope - 1.0).abs() < 1e-12, "{found:?} {slope}");
}

/// Held at its length, a muscle pulls with its tension times the activation, at each time.
#[test]
fn a_held_muscle_pulls_with_its_tension() {
    let curve = "{ kind = \"ramp\", start = \"0.1 s\", end = \"0.3 s\" }";
    let fibres = format!("{{ direction = [1, 0, 0], tension = \"20 kPa\", activation = {curve} }}");
    let text = cube("hex8", MATRIX, &fibres, &pulled_by(0.0))
        .replace("\"static\"", "\"quasi-static\"\nstep = \"0.05 s\"\nend = \"0.4 s\"");
    let scene = parse(&text, Path::new(".")).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::build(&scene).unwrap();
    while !simulation.is_done() {
        simulation.step().unwrap();
        let t = simulation.state().time;
        let part = ((t - 0.1) / 0.2).clamp(0.0, 1.0);
        let found = pull(&mut simulation);
        assert!((found - 20e3 * part).abs() < 1e-6, "{found} at {t}");
    }
}

/// Let go, it contracts until the matrix resists: μ (l − 1/l) + T a = 0.
#[test]
fn a_free_muscle_contracts_until_the_matrix_holds_it() {
    for part in [0.25, 1.0] {
        let fibres =
            format!("{{ direction = [1, 0, 0], tension = \"4 kPa\", activation = {part} }}");
        let simulation = run(&cube("hex8", MATRIX, &fibres, ""));
        let s = 4e3 * part / MU;
        let l = 0.5 * ((s * s + 4.0).sqrt() - s);
        let u = simulation.displacement(&simulation.probes[0]);
        assert!((u[0] - (l - 1.0)).abs() < 1e-11, "{u:?} {l}");
        assert!(u[1].abs() + u[2].abs() < 1e-11, "{u:?}");
    }
}

/// What a muscle does is work from outside: in motion, energy and work balance.
#[test]
fn the_work_of_a_muscle_is_in_the_balance() {
    let curve = "{ kind = \"table\", times = [0, 0.05, 0.1, 0.15], values = [0, 1, 0.2, 0.8] }";
    let fibres =
        format!("{{ direction = [1, 0.3, 0], tension = \"4 kPa\", activation = {curve} }}");
    let time =
        "\"dynamic\"\nintegrator = \"implicit-midpoint\"\nstep = \"0.2 ms\"\nend = \"0.02 s\"";
    let text = cube("hex8", MATRIX, &fibres, "").replace("\"static\"", time);
    let simulation = run(&text);
    let balance = simulation.balance();
    let stored = balance.energies.elastic + balance.energies.kinetic;
    let error = stored - balance.external_work;
    assert!(stored > 0.05 && error.abs() < 2e-3 * stored, "{stored} {balance:?}");
}

/// The same directions by numbers, by expressions and by cell data of a mesh that is put in place turned.
#[test]
fn directions_come_from_numbers_expressions_and_mesh_files() {
    let folder = Temporary::made("fibres");
    let shape = BoxShape {
        size: [1.0; 3],
        cells: [2, 1, 1],
        cell: CellChoice::Tet6,
        ..BoxShape::default()
    };
    let mut mesh = shape.generate().unwrap();
    // Along y in the file: along x once it is turned by a quarter about z.
    for (name, value) in [("fx", 0.0), ("fy", -2.0), ("fz", 0.0)] {
        let values = vec![value; mesh.cell_count()];
        mesh.cell_data.push(CellData { name: name.into(), values });
    }
    write_volume(&folder.0.join("a.vtu"), &mesh, &WriteOptions::default()).unwrap();
    let text = |direction: &str| {
        format!(
            r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[body.cube]
mesh = "a.vtu"
rotation = {{ axis = [0, 0, 1], angle = "90 deg" }}
material = {{ {MATRIX}, fibres = [{{ direction = {direction}, k1 = "4 kPa", tension = "1 kPa" }}] }}
fixed = "x-min"
moved = [{{ set = "x-max", translation = {{ by = [0.3, 0, 0] }} }}]
"#
        )
    };
    let positions = |direction: &str| run_in(&text(direction), &folder.0).state().x.clone();
    let expected = positions("[1, 0, 0]");
    let turned = positions("[0, 1, 0]");
    for direction in ["[\"2 + X\", 0, \"0*Y\"]", "{ cell_data = [\"fx\", \"fy\", \"fz\"] }"] {
        let found = positions(direction);
        let off = |a: &[[f64; 3]]| {
            a.iter()
                .flatten()
                .zip(expected.iter().flatten())
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max)
        };
        assert!(off(&found) < 1e-12, "{direction}: {}", off(&found));
        assert!(off(&turned) > 1e-3, "{}", off(&turned));
    }
    let missing = parse(&text("{ cell_data = [\"fx\", \"fy\", \"gz\"] }"), &folder.0)
        .and_then(|scene| Simulation::build(&scene));
    let missing = missing.err().unwrap().to_string();
    assert!(missing.contains("no cell data 'gz'"), "{missing}");
}

/// `holzapfel-gasser-ogden` has two families by itself, and those of the scene in their place.
#[test]
fn the_tissue_law_takes_directions_in_place_of_its_own() {
    let own = "law = \"holzapfel-gasser-ogden\", c10 = \"4 kPa\", kappa = \"80 kPa\", k1 = \"3 kPa\", k2 = 0.8, dispersion = 0.1";
    let angle = format!("{own}, angle = \"30 deg\"");
    let (sin, cos) = (30.0f64.to_radians().sin(), 30.0f64.to_radians().cos());
    let given =
        format!("{{ direction = [{cos}, {sin}, 0] }}, {{ direction = [{cos}, -{sin}, 0] }}");
    let mut by_angle = run(&cube("hex8", &angle, "", &pulled_by(0.3)));
    let mut by_direction = run(&cube("hex8", own, &given, &pulled_by(0.3)));
    let mut single = run(&cube("hex8", own, "{ direction = [1, 0, 0] }", &pulled_by(0.3)));
    let [a, b, c] = [&mut by_angle, &mut by_direction, &mut single].map(pull);
    assert!((a / b - 1.0).abs() < 1e-12 && (a / c - 1.0).abs() > 0.05, "{a} {b} {c}");
    let from_moduli =
        "law = \"holzapfel-gasser-ogden\", young = \"10 kPa\", poisson = 0.3, k1 = \"3 kPa\"";
    run(&cube("hex8", from_moduli, "", &pulled_by(0.1)));
}

#[test]
fn wrong_fibres_are_refused_with_their_place() {
    let along =
        |rest: &str| cube("hex8", MATRIX, &format!("{{ direction = [1, 0, 0]{rest} }}"), "");
    for (text, words) in [
        (cube("hex8", MATRIX, "{ direction = [0, 0, 0] }", ""), "direction of fibres"),
        (cube("hex8", MATRIX, "{ k1 = 1 }", ""), "needs 'direction'"),
        (cube("hex8", MATRIX, "{ direction = [\"X - 1\", 0, \"Q\"] }", ""), "'Q' is not known"),
        (cube("hex8", MATRIX, "{ direction = { cell_data = [\"a\"] } }", ""), "three arrays"),
        (along(", k1 = -1"), "k1 = -1"),
        (along(", dispersion = 0.5"), "dispersion = 0.5"),
        (along(", tension = -1"), "fibres pull"),
        (along(", activation = 0.5"), "nothing to pull with"),
        (along(", tension = 1, activation = { kind = \"ramp\", end = 0 }"), "ramp"),
        (along(", strength = 1"), "strength"),
        (
            cube(
                "hex8",
                "law = \"linear\", young = 1, poisson = 0",
                "{ direction = [1, 0, 0] }",
                "",
            ),
            "large strains",
        ),
        (cube("hex8", MATRIX, &["{ direction = [1, 0, 0] }"; 4].join(", "), ""), "at most 3"),
    ] {
        let found = error(&text);
        assert!(found.contains(words), "{words}: {found}");
        assert!(found.contains("scene.toml:"), "{found}");
    }
    // No direction in the middle of the cube.
    let text = cube("hex8", MATRIX, "{ direction = [\"max(X - 0.5, 0)\", 0, 0] }", "");
    let found = error(&text);
    assert!(
        found.contains("element 0 of body 'cube', point 1") && found.contains("scene.toml:"),
        "{found}"
    );
}
