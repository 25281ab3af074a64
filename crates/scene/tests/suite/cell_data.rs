//! Constants from the cell data of a mesh file: mechanics, equal bits by every way of saying the same, and errors.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::io::{WriteOptions, write_volume};
use pliant_mesh::{CellData, Region, VolumeMesh};
use pliant_scene::{Origin, Scene, SceneError, Simulation};

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pliant-cell-data-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(file: &str, mesh: &VolumeMesh) -> Self {
        let folder = Self::new();
        write_volume(&folder.0.join(file), mesh, &WriteOptions::default()).unwrap();
        folder
    }

    fn parse(&self, text: &str, sets: &[&str]) -> Result<Scene, SceneError> {
        let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
        Scene::parse_with(text, &self.0.join("scene.toml"), &sets)
    }

    fn run(&self, text: &str) -> Simulation {
        let scene = self.parse(text, &[]).unwrap_or_else(|e| panic!("{e}"));
        let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{e}"));
        }
        simulation
    }

    fn error(&self, text: &str) -> String {
        let built = self.parse(text, &[]).and_then(|scene| Simulation::build(&scene));
        built.err().expect("an error").to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A bar of 2 m × 0.5 m × 0.5 m, cut in the middle.
fn bar(cell: CellChoice) -> VolumeMesh {
    let shape = BoxShape { size: [2.0, 0.5, 0.5], cells: [4, 2, 1], cell, ..BoxShape::default() };
    shape.generate().unwrap()
}

fn in_right_half(mesh: &VolumeMesh, cell: usize) -> bool {
    let nodes = mesh.cell(cell);
    let x: f64 = nodes.iter().map(|&v| mesh.vertices[v as usize][0]).sum();
    x / nodes.len() as f64 > 1.0
}

fn add_data(mesh: &mut VolumeMesh, name: &str, value: impl Fn(usize) -> f64) {
    let values = (0..mesh.cell_count()).map(value).collect();
    mesh.cell_data.push(CellData { name: name.into(), values });
}

/// `E` in kPa and `rho` in SI: one value on the left, one on the right; regions `left` and `right`.
fn halves(cell: CellChoice, young: [f64; 2], density: [f64; 2]) -> VolumeMesh {
    let mut mesh = bar(cell);
    let right: Vec<usize> =
        (0..mesh.cell_count()).map(|c| usize::from(in_right_half(&mesh, c))).collect();
    add_data(&mut mesh, "E", |c| young[right[c]]);
    add_data(&mut mesh, "rho", |c| density[right[c]]);
    let region = |name: &str| Region { name: name.into(), material: None };
    mesh.regions = vec![region("left"), region("right")];
    mesh.cell_region = right.iter().map(|&r| r as u32).collect();
    mesh
}

fn bits(simulation: &Simulation) -> Vec<u64> {
    let state = simulation.state();
    state.x.iter().chain(&state.v).flatten().map(|v| v.to_bits()).collect()
}

/// A static scene of the bar with `E` in kPa; `end` says what happens at its right.
fn pulled(file: &str, element: &str, refine: usize, end: &str) -> String {
    format!(
        r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
[body.bar]
mesh = {{ file = "{file}", refine = {refine} }}
element = "{element}"
material = {{ law = "linear", young = {{ cell_data = "E", unit = "kPa" }}, poisson = 0 }}
fixed = "x-min"
{end}
[probe.tip]
at = [2, 0.25, 0.25]
"#
    )
}

/// Two halves in series under an end force: u = F L/2A (1/E₁ + 1/E₂).
#[test]
fn a_bar_of_two_halves_stretches_as_springs_in_series() {
    let (e1, e2, traction) = (3.0e3, 11.0e3, 7.0);
    let expected = traction * 1.0 * (1.0 / e1 + 1.0 / e2);
    let end = format!("load = {{ set = \"x-max\", traction = [{traction}, 0, 0] }}");
    for file in ["bar.vtu", "bar.vtk", "bar.msh"] {
        let folder = Folder::with(file, &halves(CellChoice::Tet6, [3.0, 11.0], [1.0, 1.0]));
        for refine in [0, 1] {
            let simulation = folder.run(&pulled(file, "tet4", refine, &end));
            let u = simulation.displacement(&simulation.probes[0]);
            assert!((u[0] / expected - 1.0).abs() < 1e-9, "{file}: {u:?}, not {expected}");
            assert!(u[1].abs() + u[2].abs() < 1e-9 * expected, "{file}: {u:?}");
        }
    }
}

/// The same with the end moved, on every element: F = u A / (L/2) / (1/E₁ + 1/E₂).
#[test]
fn a_bar_of_two_halves_pulls_back_as_springs_in_series() {
    let (e1, e2, by, area) = (3.0e3, 11.0e3, 0.01, 0.25);
    let expected = by * area / (1.0 / e1 + 1.0 / e2);
    let end = format!("moved = [{{ set = \"x-max\", translation = {{ by = [{by}, 0, 0] }} }}]");
    for (cell, element) in [
        (CellChoice::Hex, "hex8"),
        (CellChoice::Hex, "hex8-bbar"),
        (CellChoice::Hex, "hex20"),
        (CellChoice::Tet6, "tet4"),
        (CellChoice::Tet6, "tet10"),
        (CellChoice::Tet6, "tet10-bbar"),
    ] {
        let folder = Folder::with("bar.vtu", &halves(cell, [3.0, 11.0], [1.0, 1.0]));
        for refine in [0, 1] {
            let mut simulation = folder.run(&pulled("bar.vtu", element, refine, &end));
            let [_, left, right] = simulation.reactions().unwrap()[..] else { panic!("three") };
            assert!((right[0] / expected - 1.0).abs() < 1e-9, "{element}: {right:?} {expected}");
            assert!((left[0] / expected + 1.0).abs() < 1e-9, "{element}: {left:?} {expected}");
        }
    }
}

/// ρ = 500 + 1000 x by cell: mass and weight are sums over the cells.
#[test]
fn a_graded_density_has_its_mass_and_its_weight() {
    let mut mesh = bar(CellChoice::Tet6);
    let centre = |mesh: &VolumeMesh, c: usize| {
        let nodes = mesh.cell(c);
        nodes.iter().map(|&v| mesh.vertices[v as usize][0]).sum::<f64>() / nodes.len() as f64
    };
    // g/cm³
    let density: Vec<f64> = (0..mesh.cell_count()).map(|c| 0.5 + centre(&mesh, c)).collect();
    add_data(&mut mesh, "rho", |c| density[c]);
    let mass: f64 = (0..mesh.cell_count()).map(|c| 1e3 * density[c] * mesh.cell_volume(c)).sum();
    let folder = Folder::with("bar.vtu", &mesh);
    let text = r#"
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
[body.bar]
mesh = "bar.vtu"
density = { cell_data = "rho", unit = "g/cm^3" }
material = { law = "linear", young = "1 GPa", poisson = 0.3 }
fixed = "x-min"
"#;
    let mut simulation = folder.run(text);
    let found: f64 = simulation.bodies[0].masses().iter().sum();
    assert!((found / mass - 1.0).abs() < 1e-14, "{found} {mass}");
    let reaction = simulation.reactions().unwrap()[0];
    assert!((reaction[1] / (9.81 * mass) - 1.0).abs() < 1e-9, "{reaction:?} {}", 9.81 * mass);
}

const MOTION: &str = r#"
[time]
step = "10 ms"
steps = 6
[solver]
newton_tolerance = 1e-9
[body.bar]
mesh = "bar.vtu"
fixed = "x-min"
"#;

/// The same constants by region and by cell data; the same for all, as numbers and as data.
#[test]
fn regions_and_cell_data_and_numbers_that_say_the_same_have_the_same_bits() {
    let folder = Folder::with("bar.vtu", &halves(CellChoice::Tet6, [3.0, 11.0], [900.0, 1100.0]));
    let law = r#"law = "neo-hookean", poisson = 0.3, compression_resistance = 20"#;
    let by_data = folder.run(&format!(
        "{MOTION}density = {{ cell_data = \"rho\" }}
material = {{ {law}, young = {{ cell_data = \"E\", unit = \"kPa\" }} }}"
    ));
    let part = |name: &str, young: &str, density: &str| {
        let material = format!("material = {{ {law}, young = \"{young}\" }}");
        format!("[body.bar.region.{name}]\n{material}\ndensity = {density}\n")
    };
    let by_region = folder.run(
        &(MOTION.to_owned() + &part("left", "3 kPa", "900") + &part("right", "11 kPa", "1100")),
    );
    assert!(bits(&by_data) == bits(&by_region));
    assert!(by_data.state().x != by_data.bodies[0].mesh.vertices);

    let folder = Folder::with("bar.vtu", &halves(CellChoice::Tet6, [7.0; 2], [1000.0; 2]));
    let data = folder.run(&format!(
        "{MOTION}density = {{ cell_data = \"rho\" }}
material = {{ {law}, young = {{ cell_data = \"E\", unit = \"kPa\" }} }}"
    ));
    let numbers = folder.run(&format!("{MOTION}material = {{ {law}, young = \"7 kPa\" }}"));
    assert!(bits(&data) == bits(&numbers));
    // And neither is what the halves do.
    assert!(bits(&data) != bits(&by_data));
}

/// Cell data within a region: what stands outside of it need not make sense.
#[test]
fn a_region_may_have_cell_data_of_its_own() {
    let mesh = halves(CellChoice::Hex, [-1.0, 5.0], [0.0, 2000.0]);
    let folder = Folder::with("bar.vtu", &mesh);
    let text = format!(
        "{MOTION}material = {{ law = \"linear\", young = \"5 kPa\", poisson = 0.2 }}
[body.bar.region.right]
density = {{ cell_data = \"rho\" }}
material = {{ law = \"linear\", young = {{ cell_data = \"E\", unit = \"kPa\" }}, poisson = 0.2 }}
"
    );
    let simulation = folder.run(&text);
    let mass: f64 = simulation.bodies[0].masses().iter().sum();
    assert!((mass - 0.25 * 3000.0).abs() < 1e-9, "{mass}");
}

/// Springs along the edges have van Gelder's constants by cell; other laws their own constants.
#[test]
fn springs_and_own_constants_take_cell_data() {
    let mut mesh = halves(CellChoice::Tet6, [4.0; 2], [1000.0; 2]);
    add_data(&mut mesh, "mu10", |_| 900.0);
    let folder = Folder::with("bar.vtu", &mesh);
    for (data, number) in [
        (
            r#"law = "mass-spring", young = { cell_data = "E", unit = "kPa" }"#,
            r#"law = "mass-spring", young = "4 kPa""#,
        ),
        (
            r#"law = "mooney-rivlin", mu10 = { cell_data = "mu10" }, mu01 = 100, v1 = "2 kPa""#,
            r#"law = "mooney-rivlin", mu10 = 900, mu01 = 100, v1 = "2 kPa""#,
        ),
        (
            r#"law = "linear", lambda = { cell_data = "mu10" }, mu = 500"#,
            r#"law = "linear", lambda = 900, mu = 500"#,
        ),
    ] {
        let run = |material: &str| folder.run(&format!("{MOTION}material = {{ {material} }}"));
        assert!(bits(&run(data)) == bits(&run(number)), "{data}");
    }
}

#[test]
fn errors_say_which_data_there_is_and_which_cell_is_wrong() {
    let mut mesh = halves(CellChoice::Hex, [3.0, 11.0], [1000.0; 2]);
    mesh.cell_data[0].values[5] = -3.0;
    mesh.cell_data[1].values[2] = 0.0;
    add_data(&mut mesh, "nu", |c| if c == 3 { 0.5 } else { 0.3 });
    let folder = Folder::with("bar.vtu", &mesh);
    let material = |young: &str| {
        folder.error(&format!("{MOTION}material = {{ law = \"linear\", young = {young} }}"))
    };
    for (young, parts) in [
        (
            r#"{ cell_data = "Ee" }"#,
            &[
                "scene.toml:10:",
                "body 'bar' has no cell data 'Ee'",
                "did you mean 'E'? (there are E, rho, nu)",
            ][..],
        ),
        (r#"{ cell_data = "stiffness" }"#, &["no cell data 'stiffness'; there are E, rho, nu"]),
        (
            r#"{ cell_data = "E", unit = "kPa" }"#,
            &["element 5 of body 'bar', where cell data 'E' is -3: young = -3000:"],
        ),
        (r#"{ cell_data = "E", unit = "kg" }"#, &["material.young.unit", "kg"]),
        (r#"{ cell_data = "E", unit = "" }"#, &["a unit is needed"]),
        (r#"{ cell_dat = "E" }"#, &["did you mean 'cell_data'"]),
        (r#"{ unit = "kPa" }"#, &["material.young needs 'cell_data'"]),
        ("{ cell_data = 3 }", &["a text is needed"]),
    ] {
        let error = material(young);
        assert!(parts.iter().all(|p| error.contains(p)), "{young}: {error}");
    }
    let nu = "law = \"linear\", young = 1000, poisson = { cell_data = \"nu\" }";
    let error = folder.error(&format!("{MOTION}material = {{ {nu} }}"));
    let found = "element 3 of body 'bar', where cell data 'nu' is 0.5: poisson = 0.5: must lie";
    assert!(error.contains(found), "{error}");
    // The number of the cell is that of the file.
    let finer = MOTION.replace("\"bar.vtu\"", "{ file = \"bar.vtu\", refine = 2 }");
    let error = folder.error(&format!("{finer}material = {{ {nu} }}"));
    assert!(error.contains(found), "{error}");
    let plain = "material = { law = \"linear\", young = 1000 }\n";
    let error = folder.error(&format!("{MOTION}{plain}density = {{ cell_data = \"rho\" }}"));
    let found = "element 2 of body 'bar', where cell data 'rho' is 0: density = 0: must be above 0";
    assert!(error.contains(found), "{error}");

    let generated = MOTION.replace("\"bar.vtu\"", "{ shape = \"bar\" }");
    let young = "material = { law = \"linear\", young = { cell_data = \"E\" } }";
    let error = folder.error(&format!("{generated}{young}"));
    assert!(error.contains("is generated and has no cell data"), "{error}");
    let folder = Folder::with("bar.vtu", &bar(CellChoice::Hex));
    let error = folder.error(&format!("{MOTION}{young}"));
    assert!(error.contains("it has none at all: .vtu"), "{error}");
    let wrong = "material = { law = \"linear\", young = { cell_data = \"E\" }, mu = 3 }";
    let error = folder.error(&format!("{MOTION}{wrong}"));
    assert!(error.contains("linear cannot be made from young, mu"), "{error}");
}

#[test]
fn data_with_holes_is_told_where_it_is_asked_for() {
    let folder = Folder::new();
    let path = folder.0.join("bar.vtu");
    let options = WriteOptions { ascii: true, ..WriteOptions::default() };
    write_volume(&path, &halves(CellChoice::Hex, [3.0, 11.625], [1000.0; 2]), &options).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("11.625", "nan", 1)).unwrap();
    let young = "material = { law = \"linear\", young = { cell_data = \"E\" } }";
    let error = folder.error(&format!("{MOTION}{young}"));
    assert!(error.contains("cell data 'E' is NaN in cell"), "{error}");
}

#[test]
fn overrides_set_and_replace_cell_data_and_saved_scenes_keep_it() {
    let folder = Folder::with("bar.vtu", &halves(CellChoice::Hex, [3.0, 11.0], [1000.0; 2]));
    let text = format!("{MOTION}material = {{ law = \"linear\", young = 1000, poisson = 0 }}");
    let data = ["body.bar.material.young={ cell_data = \"E\", unit = \"kPa\" }"];
    let scene = folder.parse(&text, &data).unwrap();
    let modulus = |scene: &Scene| Simulation::build(scene).unwrap().bodies[0].modulus();
    assert_eq!(modulus(&scene), 11e3);
    let text = text.replace("young = 1000", "young = { cell_data = \"E\", unit = \"MPa\" }");
    assert_eq!(modulus(&folder.parse(&text, &["body.bar.material.young=2 kPa"]).unwrap()), 2e3);
    let unit = ["body.bar.material.young.unit=\"kPa\""];
    assert_eq!(modulus(&folder.parse(&text, &unit).unwrap()), 11e3);

    let path = folder.0.join("scene.toml");
    std::fs::write(&path, &text).unwrap();
    let origin = Origin {
        scene: path.display().to_string(),
        sets: unit.iter().map(|s| (*s).to_owned()).collect(),
    };
    let saved = origin.to_toml().unwrap();
    assert!(saved.contains(r#"young = { cell_data = "E", unit = "kPa" }"#), "{saved}");
    let again = Scene::parse(&saved, Path::new("/elsewhere/scene.toml")).unwrap();
    assert_eq!(modulus(&again), 11e3);
}

#[test]
fn odd_values_of_single_cells_are_warned_about() {
    let folder = Folder::with("bar.vtu", &halves(CellChoice::Hex, [3.0, 1e-3], [1000.0, 1.0]));
    let text = format!(
        "{MOTION}density = {{ cell_data = \"rho\" }}
material = {{ law = \"linear\", young = {{ cell_data = \"E\", unit = \"kPa\" }}, poisson = 0 }}"
    );
    let warnings = folder.run(&text).warnings;
    assert!(
        warnings.iter().any(|w| w.contains("Young's modulus of 1 Pa is below")),
        "{warnings:?}"
    );
    assert!(warnings.iter().any(|w| w.contains("a density of 1 kg/m³")), "{warnings:?}");
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}

/// Springs in series again: the half that a condition chooses has its own modulus, and is a set of the body.
#[test]
fn regions_go_by_conditions_on_cells() {
    let bar = |region: &str| {
        let text = format!(
            r#"
gravity = [0, 0, 0]
[body.bar]
mesh = {{ shape = "box", size = [2, 0.5, 0.5], cells = [4, 1, 1], cell = "hex" }}
position = [1, 0, 0]
material = {{ law = "linear", young = "3 kPa", poisson = 0 }}
fixed = "x-min"
moved = {{ set = "x-max", translation = {{ by = [0.01, 0, 0] }} }}
[body.bar.region.half]
{region}
[time]
analysis = "static"
"#
        );
        let scene = Scene::parse(&text, Path::new("bar.toml")).map_err(|e| e.to_string())?;
        let mut simulation = Simulation::build(&scene).map_err(|e| e.to_string())?;
        simulation.step().map_err(|e| e.to_string())?;
        Ok::<_, String>(simulation)
    };
    let stiff = r#"material = { law = "linear", young = "11 kPa", poisson = 0 }"#;
    let simulation = bar(&format!("where = \"x > 2\"\n{stiff}")).unwrap();
    let (e1, e2, by, area) = (3.0e3, 11.0e3, 0.01, 0.25);
    let energy = 0.5 * by * by * area / (1.0 / e1 + 1.0 / e2);
    let found = simulation.balance().energies.elastic;
    assert!((found / energy - 1.0).abs() < 1e-9, "{found} for {energy}");
    let sets = &simulation.bodies[0].mesh.cell_sets;
    assert_eq!(sets.iter().find(|s| s.name == "half").unwrap().items, [2, 3]);
    for (region, word) in [
        ("where = \"x > 9\"", "no cell of body 'bar'"),
        ("where = \"nx > 0.5\"", "cells have no normal"),
        ("where = \"x >\"", "where"),
        (stiff, "no region 'half'"),
    ] {
        let error = bar(region).err().unwrap();
        assert!(error.contains(word), "{region}: {error}");
    }
}
