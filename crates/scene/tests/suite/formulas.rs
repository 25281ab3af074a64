//! Constants by formulas of the position at rest, and weights of cells: mechanics against closed forms, equal bits by
//! every way of saying the same, and errors.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use pliant_materials::MaterialError;
use pliant_mesh::generate::{BoxShape, CellChoice};
use pliant_mesh::io::{WriteOptions, write_volume};
use pliant_mesh::{CellData, VolumeMesh};
use pliant_scene::{CellQuantity, Scene, SceneError, Simulation};

struct Folder(PathBuf);

impl Folder {
    fn with(mesh: &VolumeMesh) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pliant-formulas-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        write_volume(&path.join("bar.vtu"), mesh, &WriteOptions::default()).unwrap();
        Self(path)
    }

    fn build(&self, text: &str) -> Result<Simulation, SceneError> {
        Simulation::build(&Scene::parse(text, &self.0.join("scene.toml"))?)
    }

    fn run(&self, text: &str) -> Simulation {
        let mut simulation = self.build(text).unwrap_or_else(|e| panic!("{e}"));
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{e}"));
        }
        simulation
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn bar(cell: CellChoice, cells: [usize; 3]) -> VolumeMesh {
    let shape = BoxShape { size: [2.0, 0.5, 0.5], cells, cell, ..BoxShape::default() };
    shape.generate().unwrap()
}

fn centre(mesh: &VolumeMesh, cell: usize) -> f64 {
    let nodes = mesh.cell(cell);
    nodes.iter().map(|&v| mesh.vertices[v as usize][0]).sum::<f64>() / nodes.len() as f64
}

/// With cell data `E` (in kPa: 3 on the left, 11 on the right), `rho` (500 + 1000 x) and `w` (1 and a half).
fn with_data(cell: CellChoice) -> VolumeMesh {
    let mut mesh = bar(cell, [4, 2, 1]);
    let at: Vec<f64> = (0..mesh.cell_count()).map(|c| centre(&mesh, c)).collect();
    let mut add = |name: &str, value: &dyn Fn(f64) -> f64| {
        let values = at.iter().map(|&x| value(x)).collect();
        mesh.cell_data.push(CellData { name: name.into(), values });
    };
    add("E", &|x| if x > 1.0 { 11.0 } else { 3.0 });
    add("rho", &|x| 500.0 + 1000.0 * x);
    add("w", &|x| if x > 1.0 { 0.5 } else { 1.0 });
    add("bad", &|x| 1.0 - x);
    mesh
}

fn bits(simulation: &Simulation) -> Vec<u64> {
    let state = simulation.state();
    state.x.iter().chain(&state.v).flatten().map(|v| v.to_bits()).collect()
}

/// The bar, of a linear material without lateral contraction, its end pulled by 1 cm.
fn pulled(element: &str, keys: &str) -> String {
    format!(
        r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
[body.bar]
mesh = "bar.vtu"
element = "{element}"
fixed = "x-min"
moved = [{{ set = "x-max", translation = {{ by = [0.01, 0, 0] }} }}]
{keys}
"#
    )
}

/// E(x) = E₀ (1 + 2 x): the bar is a spring of k = F/u with u = ∫ F dx / (E A) = F/(2 A E₀) ln(1 + 2 L), and stores
/// ½ k u², to the order of the element. On hexahedra the integral becomes the sum of the midpoint rule, to rounding.
#[test]
fn a_graded_bar_stretches_by_the_integral_of_its_compliance() {
    let (area, young, by) = (0.25, 1e4, 0.01);
    let exact = 0.5 * by * by * area * 2.0 * young / 5.0_f64.ln();
    for (element, cell, order) in [
        ("hex8", CellChoice::Hex, 2.0),
        ("hex8-bbar", CellChoice::Hex, 2.0),
        ("tet4", CellChoice::Tet6, 2.0),
        ("tet10", CellChoice::Tet6, 4.0),
        ("hex20", CellChoice::Hex, 4.0),
    ] {
        let energy = |n: usize| {
            let folder = Folder::with(&bar(cell, [4 * n, n, n]));
            let young = r#"young = { expression = "10 * (1 + 2*X)", unit = "kPa" }"#;
            let keys = format!("material = {{ law = \"linear\", {young}, poisson = 0 }}");
            folder.run(&pulled(element, &keys)).balance().energies.elastic
        };
        let found: Vec<f64> = [1, 2, 4].map(energy).into();
        let errors: Vec<f64> = found.iter().map(|u| (u / exact - 1.0).abs()).collect();
        let seen = (errors[1] / errors[2]).log2();
        println!("{element}: {errors:?}, order {seen:.2}");
        assert!(errors[2] < 0.01 && (seen - order).abs() < 0.35, "{element}: {errors:?} {seen}");
        // With the mean dilatation a linear law is no longer linear in the displacements.
        if element == "hex8" {
            for (n, found) in [1, 2, 4].into_iter().zip(&found) {
                let h = 0.5 / n as f64;
                let middles = (0..4 * n).map(|k| (k as f64 + 0.5) * h);
                let sum: f64 = middles.map(|x| h / (young * (1.0 + 2.0 * x))).sum();
                let discrete = 0.5 * by * by * area / sum;
                assert!((found / discrete - 1.0).abs() < 1e-9, "{element}: {found} {discrete}");
            }
        }
    }
}

fn motion(element: &str, keys: &str) -> String {
    format!(
        r#"
[time]
step = "10 ms"
steps = 4
[solver]
newton_tolerance = 1e-9
[body.bar]
mesh = "bar.vtu"
element = "{element}"
fixed = "x-min"
{keys}
"#
    )
}

const ELEMENTS: [(&str, CellChoice); 5] = [
    ("tet4", CellChoice::Tet6),
    ("tet10", CellChoice::Tet6),
    ("hex8", CellChoice::Hex),
    ("hex8-bbar", CellChoice::Hex),
    ("hex20", CellChoice::Hex),
];

#[test]
fn a_formula_that_is_the_same_everywhere_has_the_bits_of_the_number() {
    for (element, cell) in ELEMENTS {
        let folder = Folder::with(&with_data(cell));
        let run = |young: &str, density: &str| {
            let law = "law = \"neo-hookean\", poisson = 0.3, compression_resistance = 20";
            let keys = format!("density = {density}\nmaterial = {{ {law}, young = {young} }}");
            bits(&folder.run(&motion(element, &keys)))
        };
        let number = run("\"7 kPa\"", "900");
        for (young, density) in [
            (r#"{ expression = "7 kPa" }"#, r#"{ expression = "900" }"#),
            (r#"{ expression = "7", unit = "kPa" }"#, r#"{ expression = "900", unit = "kg/m^3" }"#),
            (r#"{ expression = "7e3 + 0*x*y" }"#, r#"{ expression = "900 + 0*Z" }"#),
            (r#"{ expression = "7 kPa + 0 kPa * x / 1 m" }"#, "900"),
        ] {
            assert!(run(young, density) == number, "{element}: {young} {density}");
        }
        assert!(run(r#"{ expression = "7e3 + 1*x" }"#, "900") != number, "{element}");
        assert!(run("\"7 kPa\"", r#"{ expression = "900 + 1*x" }"#) != number, "{element}");
    }
}

/// A step in the middle, where no quadrature point is: constants at points and by cell are the same numbers, and so is
/// what becomes of them.
#[test]
fn a_formula_that_is_the_same_within_cells_has_the_bits_of_cell_data() {
    for (element, cell) in ELEMENTS {
        let folder = Folder::with(&with_data(cell));
        let law = "law = \"neo-hookean\", poisson = 0.3, compression_resistance = 20";
        let run = |young: &str| {
            let keys = format!("material = {{ {law}, young = {young} }}");
            bits(&folder.run(&motion(element, &keys)))
        };
        let step = r#"{ expression = "3 + 8*min(max((x - 1 m) / 1e-9 m, 0), 1)", unit = "kPa" }"#;
        assert!(run(step) == run(r#"{ cell_data = "E", unit = "kPa" }"#), "{element}");
    }
}

/// ρ = 500 + 1000 x is linear, so that cells have their exact mass by the density at their centres.
#[test]
fn a_graded_density_has_its_mass_and_springs_their_stiffness_at_the_centres_of_cells() {
    for (element, cell) in ELEMENTS {
        let folder = Folder::with(&with_data(cell));
        let density = r#"density = { expression = "0.5 + x / 1 m", unit = "g/cm^3" }"#;
        let keys = format!("{density}\nmaterial = {{ law = \"linear\", young = 1e5 }}");
        let simulation = folder.build(&motion(element, &keys)).unwrap();
        let mass: f64 = simulation.bodies[0].masses().iter().sum();
        assert!((mass - 0.25 * (500.0 * 2.0 + 1000.0 * 2.0)).abs() < 1e-9, "{element}: {mass}");
    }
    let folder = Folder::with(&with_data(CellChoice::Tet6));
    let run = |young: &str| {
        let keys = format!("material = {{ law = \"mass-spring\", young = {young} }}");
        folder.run(&motion("tet4", &keys))
    };
    let data = run(r#"{ cell_data = "rho", unit = "kPa" }"#);
    let formula = run(r#"{ expression = "500 + 1000*x", unit = "kPa" }"#);
    for (a, b) in data.state().x.iter().flatten().zip(formula.state().x.iter().flatten()) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

/// Positions are those of the posed body at rest.
#[test]
fn a_formula_sees_the_body_where_it_stands() {
    let folder = Folder::with(&with_data(CellChoice::Hex));
    let mass = |keys: &str| {
        let text = format!("{keys}\nmaterial = {{ law = \"linear\", young = 1e5 }}");
        let simulation = folder.build(&motion("hex8", &text)).unwrap();
        simulation.bodies[0].masses().iter().sum::<f64>()
    };
    let density = r#"density = { expression = "100 * x" }"#;
    let (here, there) = (mass(density), mass(&format!("position = [3, 0, 0]\n{density}")));
    assert!((here - 50.0).abs() < 1e-9 && (there - 200.0).abs() < 1e-9, "{here} {there}");
}

#[test]
fn bad_formulas_are_refused_with_the_element_the_point_the_value_and_the_key() {
    let folder = Folder::with(&with_data(CellChoice::Hex));
    let refused = |young: &str| {
        let keys = format!("material = {{ law = \"linear\", young = {young}, poisson = 0.3 }}");
        folder.build(&motion("hex8", &keys)).err().expect(young)
    };
    for (young, needles) in [
        (
            r#"{ expression = "1e3*(1 - x)" }"#,
            &["element", "of body 'bar', point ", " m, where '1e3*(1 - x)' is -", ": young = -"][..],
        ),
        (r#"{ expression = "1e3 / (x - x)" }"#, &["young = inf", "point 1 at ("]),
        (r#"{ expression = "sqrt(x - 5 m) / 1 m^0" }"#, &["the root of a length"]),
        (
            r#"{ expression = "2 kg * x" }"#,
            &["young.expression", "but a pressure or modulus is needed"],
        ),
        (r#"{ expression = "x / 1 m" }"#, &["this is a pure number, but a pressure"]),
        (
            r#"{ expression = "3 kPa", unit = "kPa" }"#,
            &["this is a pressure or modulus, but a pure number"],
        ),
        (r#"{ expression = "x < 1" }"#, &["a number is needed, as in 2*x, not a condition"]),
        (r#"{ expression = "nx" }"#, &["'nx' is not known: there are x, y, z, abs"]),
        (r#"{ expression = "1 +" }"#, &["ends too early"]),
        (r#"{ expression = "1/0" }"#, &["inf is not a finite number"]),
        (r#"{ expression = "1", cell_data = "E" }"#, &["give either cell_data or expression"]),
        (r#"{ expresion = "1" }"#, &["did you mean 'expression'"]),
        (r#"{ unit = "kPa" }"#, &["needs 'cell_data'", "expression ="]),
    ] {
        let error = refused(young);
        let text = error.to_string();
        assert!(needles.iter().all(|n| text.contains(n)), "{young}: {text}");
        assert!(text.starts_with(&*folder.0.join("scene.toml").display().to_string()), "{text}");
    }
    let error = refused(r#"{ expression = "1e3*(1 - x)" }"#);
    let cause = error.find::<MaterialError>();
    assert!(matches!(cause, Some(MaterialError::OutOfRange { .. })), "{error:?}");
    for (keys, needle) in [
        (
            r#"density = { expression = "1*(x - 1)" }"#,
            "element 0 of body 'bar', where '1*(x - 1)' is -0.75: density = -0.75",
        ),
        (
            r#"density = { expression = "900 * sqrt(0.5 - x / 1 m)" }"#,
            "density = NaN: must be above 0",
        ),
    ] {
        let keys = format!("{keys}\nmaterial = {{ law = \"linear\", young = 1e3 }}");
        let error = folder.build(&motion("hex8", &keys)).err().expect(&keys).to_string();
        assert!(error.contains(needle), "{error}");
    }
    let springs = r#"material = { law = "mass-spring", young = { expression = "1*(x - 1)" } }"#;
    let error = folder.build(&motion("hex8", springs)).err().unwrap().to_string();
    assert!(
        error.contains("where '1*(x - 1)' is -0.75: young = -0.75: must be above 0"),
        "{error}"
    );
}

/// Formulas of a scene are kept by what is saved of it, and can be read by programs.
#[test]
fn formulas_can_be_read_and_asked() {
    let text = "[body.bar]\nmesh = { shape = \"box\" }\n\
        material = { law = \"linear\", young = 1e4 }\ndensity = { expression = \"900 + 5*Y\" }\n";
    let scene = Scene::parse(text, "scene.toml".as_ref()).unwrap();
    let Some(CellQuantity::Formula(formula)) = &scene.bodies[0].density else { panic!("formula") };
    assert_eq!((formula.text.as_str(), formula.value([1.0, 2.0, 3.0])), ("900 + 5*Y", 910.0));
}

/// Weights of 1 and ½ on halves of one stiffness are halves of E and E/2; masses are those of all of the body.
#[test]
fn weights_count_for_stiffness_and_not_for_mass() {
    for (element, cell) in ELEMENTS {
        let folder = Folder::with(&with_data(cell));
        let material = "material = { law = \"linear\", young = \"8 kPa\", poisson = 0 }\n";
        let weighted = format!("{material}weights = {{ cell_data = \"w\" }}");
        let simulation = folder.run(&pulled(element, &weighted));
        let (by, area) = (0.01, 0.25);
        let expected = 0.5 * by * by * area / (1.0 / 8e3 + 1.0 / 4e3);
        let found = simulation.balance().energies.elastic;
        assert!((found / expected - 1.0).abs() < 1e-9, "{element}: {found} {expected}");
        let mass: f64 = simulation.bodies[0].masses().iter().sum();
        assert!((mass - 500.0).abs() < 1e-9, "{element}: {mass}");
        // Weights that are all 1 change no bit; one of 2 is a material twice as stiff, powers of two being exact.
        let run = |keys: &str| bits(&folder.run(&motion(element, keys)));
        let law = "law = \"stable-neo-hookean\", poisson = 0.3";
        let plain = run(&format!("material = {{ {law}, young = \"8 kPa\" }}"));
        let once = run(&format!("weights = 1\nmaterial = {{ {law}, young = \"8 kPa\" }}"));
        assert!(plain == once, "{element}");
        let twice = format!(
            "weights = {{ expression = \"2 + 0*x\" }}\nmaterial = {{ {law}, young = \"8 kPa\" }}"
        );
        let (twice, stiffer) =
            (run(&twice), run(&format!("material = {{ {law}, young = \"16 kPa\" }}")));
        let far = |(a, b): (&u64, &u64)| (f64::from_bits(*a) - f64::from_bits(*b)).abs();
        let difference = twice.iter().zip(&stiffer).map(far).fold(0.0, f64::max);
        assert!(difference < 1e-9 && twice != plain, "{element}: {difference}");
    }
}

/// St. Venant-Kirchhoff as polynomials and resistance to compression go by the same weights.
#[test]
fn weights_count_for_polynomials_and_for_what_resists_compression() {
    let folder = Folder::with(&with_data(CellChoice::Tet6));
    let run = |keys: &str| folder.run(&motion("tet4", keys));
    for (law, tolerance) in [
        ("st-venant-kirchhoff-polynomial\", poisson = 0.3", 1e-9),
        ("neo-hookean\", poisson = 0.3, compression_resistance = 500", 1e-9),
    ] {
        let of = |young: &str| format!("material = {{ law = \"{law}, young = \"{young}\" }}\n");
        let twice = run(&(of("8 kPa") + "weights = 2"));
        let (stiffer, plain) = (run(&of("16 kPa")), run(&of("8 kPa")));
        let far = |other: &Simulation| {
            let pairs = twice.state().x.iter().flatten().zip(other.state().x.iter().flatten());
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(far(&stiffer) < tolerance && far(&plain) > 1e-6, "{law}: {}", far(&stiffer));
    }
}

#[test]
fn bad_weights_are_refused() {
    let folder = Folder::with(&with_data(CellChoice::Hex));
    for (keys, needle) in [
        ("weights = -1", "element 0 of body 'bar': weights = -1: must be a finite number of 0"),
        (
            "weights = { cell_data = \"bad\" }",
            "of body 'bar', where cell data 'bad' is -0.25: weights = -0.25: must be",
        ),
        ("weights = { cell_data = \"ww\" }", "has no cell data 'ww'; did you mean 'w'?"),
        ("weights = \"1 kg\"", "body.bar.weights: '1 kg' is a mass, but a pure number"),
    ] {
        let keys = format!("material = {{ law = \"linear\", young = 1e3 }}\n{keys}");
        let error = folder.build(&motion("hex8", &keys)).err().expect(&keys).to_string();
        assert!(error.contains(needle), "{error}");
    }
    let springs = "material = { law = \"mass-spring\", young = 1e3 }\nweights = 2";
    let error = folder.build(&motion("hex8", springs)).err().unwrap().to_string();
    assert!(error.contains("made of springs, which have no weights"), "{error}");
}
