//! Laws that a scene gives by their energy: the same motion as by name, and errors that point into the formula.

use std::path::Path;

use pliant_scene::{Scene, SceneError, Simulation};

fn build(material: &str) -> Result<Simulation, SceneError> {
    let text = format!(
        r#"
gravity = [0, 0, 0]
[time]
analysis = "static"
[solver]
newton_tolerance = 1e-12
[body.cube]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [2, 2, 2], cell = "tet6" }}
material = {{ {material} }}
fixed = "y-min"
moved = [{{ set = "y-max", translation = {{ by = [0.2, 0.3, 0.1] }} }}]
"#
    );
    Simulation::build(&Scene::parse_with(&text, Path::new("scene.toml"), &[])?)
}

fn run(material: &str) -> Simulation {
    let mut simulation = build(material).unwrap_or_else(|e| panic!("{material}: {e}"));
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{material}: {e}"));
    }
    simulation
}

fn error(material: &str) -> SceneError {
    build(material).err().unwrap_or_else(|| panic!("{material}: an error is needed"))
}

#[test]
fn a_law_by_its_energy_is_the_law_by_its_name() {
    for (energy, law) in [
        (
            r#"energy = "mu/2*(I1 - 3) - mu*log(J) + lambda/2*log(J)^2", mu = "2 kPa", lambda = "5 kPa""#,
            r#"law = "neo-hookean", mu = "2 kPa", lambda = "5 kPa""#,
        ),
        (
            r#"energy = "a*(I1*J^(-2/3) - 3) + b*(I2*J^(-4/3) - 3) + v*(J - 1)^2", a = 600, b = "0.3 kPa", v = "5 kPa""#,
            r#"law = "mooney-rivlin", mu10 = 600, mu01 = 300, v1 = 5000"#,
        ),
        (
            r#"energy = "mu1/alpha1*((l1^alpha1 + l2^alpha1 + l3^alpha1)*J^(-alpha1/3) - 3) + 2500*(J - 1)^2", mu1 = 800, alpha1 = 1.7"#,
            r#"law = "ogden", mu1 = 800, alpha1 = 1.7, kappa = 5000"#,
        ),
        (
            r#"energy = "2 kPa/2*(I1*J^(-2/3) - 3) + K/2*(J - 1)^2", K = "5 kPa", invertible = true"#,
            r#"law = "neo-hookean-isochoric", mu = "1 kPa", kappa = "5 kPa", invertible = true"#,
        ),
    ] {
        let (a, b) = (run(energy), run(law));
        let pairs = a.state().x.iter().flatten().zip(b.state().x.iter().flatten());
        let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-10, "{energy}: {off:e}");
        let (a, b) = (a.balance().energies.elastic, b.balance().energies.elastic);
        assert!((a / b - 1.0).abs() < 1e-10, "{energy}: {a} {b}");
    }
}

/// Fibres go into a matrix that is given by its energy.
#[test]
fn an_energy_takes_fibres() {
    let fibres = r#"fibres = [{ direction = [0, 1, 0], k1 = "3 kPa", k2 = 0.5 }]"#;
    let of = |law: &str| run(&format!("{law}, {fibres}")).balance().energies.elastic;
    let a =
        of(r#"energy = "mu/2*(I1 - 3) - mu*log(J) + lambda/2*log(J)^2", mu = 2000, lambda = 5000"#);
    let b = of(r#"law = "neo-hookean", mu = 2000, lambda = 5000"#);
    assert!((a / b - 1.0).abs() < 1e-10, "{a} {b}");
}

/// The column is that of the character within the line of the material.
#[test]
fn errors_point_into_the_formula() {
    for (formula, constants, part, words) in [
        (
            "mu/2*(I1 - 3) - mu*log(J) + lamda*log(J)^2",
            "mu = 1, lambda = 2",
            "lamda",
            "'lamda' is not known",
        ),
        ("mu/2*(I1 - 3) - mu*log(J", "mu = 1", "\"", "')'"),
        ("mu/2*(I1 - 3) + sin(J)", "mu = 1", "sin", "sin cannot be used"),
        ("mu/2*(I4 - 3)", "mu = 1", "I4", "'I4' is not known"),
        ("mu*(I1 - 3) + 2 m*J", "mu = \"1 kPa\"", "+", "'+' of"),
        ("mu*(I1 - 3)*J", "mu = \"1 m\"", "mu*(", "a length"),
        ("1 < I1", "", "1 <", "not a condition"),
    ] {
        let material = format!(
            "{constants}{}energy = \"{formula}\"",
            if constants.is_empty() { "" } else { ", " }
        );
        let error = error(&material);
        let text = error.to_string();
        assert!(text.contains(words), "{formula}: {text}");
        let line = format!("material = {{ {material} }}");
        let start = line.find(formula).unwrap();
        let column = start + formula.find(part).unwrap_or(formula.len()) + 1;
        assert!(
            text.contains(&format!("scene.toml:10:{column}:")) || text.contains(":9:"),
            "{column}: {text}"
        );
    }
}

/// A tissue has the law and the constants of the table, and takes fibres as any law does.
#[test]
fn a_tissue_has_its_published_constants() {
    let by_name = run("tissue = \"liver\"").balance().energies.elastic;
    let kappa = 2090.0 * 2.98 / 0.06;
    let by_law = format!("law = \"neo-hookean-isochoric\", mu = 1045, kappa = {kappa}");
    let by_law = run(&by_law).balance().energies.elastic;
    assert!((by_name / by_law - 1.0).abs() < 1e-9, "{by_name} {by_law}");
    let fibres = "fibres = [{ direction = [0, 1, 0], k1 = \"1 kPa\", tension = \"2 kPa\" }]";
    let muscle = run(&format!("tissue = \"muscle\", {fibres}, invertible = true"));
    assert!(muscle.balance().energies.elastic > 0.0);
    for (material, words) in [
        ("tissue = \"lever\"", "there are liver, muscle"),
        ("tissue = \"liver\", law = \"linear\"", "its own law"),
        ("tissue = \"liver\", young = 1", "young"),
    ] {
        let text = error(material).to_string();
        assert!(text.contains(words) && text.contains("scene.toml:"), "{text}");
    }
}

#[test]
fn what_is_no_energy_is_refused() {
    for (material, words) in [
        ("energy = \"mu/2*(I1 - 3)\", mu = 1000", "stress at rest is 1000 Pa"),
        ("energy = \"I1 - 3 + (J - 2)^2\"", "at rest is 1 J/m³"),
        ("energy = \"(l1 - 1)^2 + (l2 - 1)^2 + 2*(l3 - 1)^2\"", "not symmetric"),
        ("energy = \"(J - 1)^2\"", "shear modulus is 0 Pa"),
        ("energy = \"mu\", mu = 2", "does not depend"),
        ("energy = \"I1 - 3 + (J - 2)^2 - 1\", nu = 0.3", "nu"),
        ("energy = \"I1 - 3 + (J - 2)^2 - 1\", law = \"neo-hookean\"", "either a law or an energy"),
        ("law = \"energy\"", "needs 'energy'"),
        ("energy = \"(I1 - 3)/2 - log(J) + 25*log(J)^2\", invertible = true", "below that of rest"),
        ("energy = \"mu*(I1 - 3)\", mu = { cell_data = \"mu\" }", "a number, or one with a unit"),
    ] {
        let text = error(material).to_string();
        assert!(text.contains(words) && text.contains("scene.toml:"), "{material}: {text}");
    }
}
