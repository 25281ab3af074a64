//! Memory around laws by their energy and around fibres: the same motion as by name, a closed form, and what is refused.

use std::path::Path;

use pliant_scene::{Scene, SceneError, Simulation};

/// A cube of 1 m that is pulled by 0.2 m within the first of two steps of 10 ms, and held.
fn build(material: &str) -> Result<Simulation, SceneError> {
    let text = format!(
        r#"
gravity = [0, 0, 0]
[time]
analysis = "quasi-static"
step = "10 ms"
steps = 2
[solver]
newton_tolerance = 1e-13
[body.cube]
mesh = {{ shape = "box", size = [1, 1, 1], cells = [1, 2, 1], cell = "hex" }}
material = {{ {material} }}
fixed = [{{ set = "x-min", axes = "x" }}, {{ set = "y-min", axes = "y" }}, {{ set = "z-min", axes = "z" }}]
moved = [{{ set = "x-max", axes = "x", translation = {{ by = [0.2, 0, 0], curve = {{ kind = "ramp", end = "10 ms" }} }} }}]
"#
    );
    Simulation::build(&Scene::parse(&text, Path::new("scene.toml"))?)
}

/// The pull at the end of each step, Pa, and the energies of law and branches after the last, J.
fn run(material: &str) -> ([f64; 2], [f64; 2]) {
    let mut simulation = build(material).unwrap_or_else(|e| panic!("{material}: {e}"));
    let pulls = [(); 2].map(|()| {
        simulation.step().unwrap_or_else(|e| panic!("{material}: {e}"));
        simulation.reactions().unwrap().last().unwrap()[0]
    });
    let energies = simulation.balance().energies;
    (pulls, [energies.elastic, energies.memory])
}

fn error(material: &str) -> String {
    build(material).err().unwrap_or_else(|| panic!("{material}: an error is needed")).to_string()
}

const NAMED: &str = "law = \"neo-hookean\", mu = \"5 kPa\", lambda = \"3 kPa\"";
const ENERGY: &str = "energy = \"mu/2*(I1 - 3) - mu*log(J) + lambda/2*log(J)^2\", mu = \"5 kPa\", lambda = \"3 kPa\"";
const TERM: &str = "terms = [{ time = \"20 ms\", strength = 1.5 }]";
const FIBRES: &str = "fibres = [{ direction = [1, 0, 0], k1 = \"4 kPa\", k2 = 1.5 }]";

#[test]
fn an_energy_remembers_as_the_law_of_its_name() {
    for memory in [
        TERM.to_owned(),
        format!("{TERM}, on = \"shear\""),
        format!("{TERM}, form = \"stress\""),
        format!("{TERM}, form = \"stress\", on = \"shear\""),
        // Its strength is that over μ of the law.
        "terms = [{ time = \"20 ms\", modulus = \"7.5 kPa\" }]".to_owned(),
    ] {
        let of = |law: &str| run(&format!("{law}, memory = {{ {memory} }}"));
        let ((pulls, energies), (expected, kept)) = (of(ENERGY), of(NAMED));
        for k in 0..2 {
            let off = (pulls[k] / expected[k] - 1.0).abs().max((energies[k] / kept[k] - 1.0).abs());
            assert!(off < 1e-10, "{memory}: {off:e}");
        }
        let elastic = run(NAMED).0;
        assert!(pulls[0] > pulls[1] && pulls[1] > 1.5 * elastic[1], "{pulls:?} {elastic:?}");
    }
    let instant = format!(
        "{ENERGY}, memory = {{ terms = [{{ time = 1, strength = 0.5 }}], moduli = \"instant\" }}"
    );
    assert!(error(&instant).contains("the constants of an energy need not be moduli"));
}

/// Stresses that grow linearly within the first step: P = Pᵉ (1 + g φ) with φ = (1 − e^(−h/τ)) τ/h, and what is remembered falls by
/// e^(−h/τ) in the second.
#[test]
fn fibres_relax_by_stresses_as_their_closed_form_says() {
    const MATRIX: &str = "law = \"neo-hookean\", young = \"10 kPa\", poisson = 0";
    let (l, k1): (f64, f64) = (1.2, 4e3);
    let e = l * l - 1.0;
    let elastic = 5e3 * (l - 1.0 / l) + 2.0 * k1 * e * (1.5 * e * e).exp() * l;
    let h: f64 = 0.5;
    let phi = (1.0 - (-h).exp()) / h;
    // A part of 0.6 of the stiffness at an instant is 1.5 of the 0.4 that is left.
    let instant = TERM.replace("1.5", "0.6") + ", moduli = \"instant\"";
    for (memory, left) in [(TERM, 1.0), (instant.as_str(), 0.4)] {
        for direction in ["[1, 0, 0]", "[\"1 + X\", 0, 0]"] {
            let fibres = FIBRES.replace("[1, 0, 0]", direction);
            let text = format!("{MATRIX}, {fibres}, memory = {{ {memory}, form = \"stress\" }}");
            let (pulls, _) = run(&text);
            for (k, found) in pulls.into_iter().enumerate() {
                let expected = left * elastic * (1.0 + 1.5 * phi * (-h * k as f64).exp());
                assert!((found / expected - 1.0).abs() < 1e-9, "{text}: {found} {expected}");
            }
        }
    }
}

/// What pulls is not what remembers: a held muscle has its tension beside the relaxing matrix.
#[test]
fn a_muscle_without_stiffness_of_its_own_pulls_beside_its_matrix() {
    let text = format!("{NAMED}, memory = {{ {TERM} }}");
    let muscle = format!("{text}, fibres = [{{ direction = [1, 0, 0], tension = \"2 kPa\" }}]");
    let ((with, _), (without, _)) = (run(&muscle), run(&text));
    // Its sides are free, and do not feel it.
    for k in 0..2 {
        assert!((with[k] - without[k] - 2e3).abs() < 1e-6, "{with:?} {without:?}");
    }
}

#[test]
fn memory_that_fibres_cannot_have_is_refused() {
    let varying = "law = \"neo-hookean\", young = { expression = \"1e4*(1 + x)\" }, poisson = 0.3";
    let artery = "law = \"holzapfel-gasser-ogden\", c10 = 1000, kappa = \"20 kPa\", k1 = 2000, k2 = 1, angle = \"30 deg\"";
    for (law, form, what) in [
        (format!("{NAMED}, {FIBRES}"), "", "form = \"strain\""),
        (format!("{ENERGY}, {FIBRES}"), "", "form = \"strain\""),
        (format!("{varying}, {FIBRES}"), "", "form = \"strain\""),
        (artery.to_owned(), "", "form = \"strain\""),
        (format!("{NAMED}, {FIBRES}"), ", form = \"stress\", on = \"shear\"", "on = \"shear\""),
    ] {
        let text = error(&format!("{law}, memory = {{ {TERM}{form} }}"));
        assert!(text.contains(&format!("memory with {what}: fibres carry nothing")), "{text}");
    }
    let parts = TERM.replace("1.5", "0.6");
    run(&format!("{artery}, memory = {{ {parts}, form = \"stress\", moduli = \"instant\" }}"));
    let q = "memory = { q = 5, modulus = \"3 kPa\", at = \"2 Hz\" }";
    assert!(error(&format!("{ENERGY}, {q}")).contains("an energy has its own"));
    assert!(error(&format!("tissue = \"liver\", {q}")).contains("a tissue has its own"));
    run(&format!("tissue = \"liver\", memory = {{ {TERM} }}"));
}
