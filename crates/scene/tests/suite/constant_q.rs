//! Materials of a constant quality factor, through scenes.

use std::f64::consts::TAU;
use std::path::Path;

use pliant_memory_fit::{Band, Complex, ConstantQ};
use pliant_scene::run::run;
use pliant_scene::{Scene, SceneError, Simulation};

/// The rod of Hauth's figure 2.15: 0.1 m, no lateral contraction, |E| = 10 kPa at 2 Hz, drawn by 1 Pa.
const ROD: ConstantQ = ConstantQ { q: 4.8, modulus: 1e4, at: 2.0 };
const LENGTH: f64 = 0.1;
const DENSITY: f64 = 1000.0;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse(text, Path::new("rod.toml"))
}

/// Without lateral contraction the modulus of shear is half of Young's.
fn rod(memory: &str, cells: u32, time: &str) -> String {
    format!(
        r#"
gravity = [0, 0, 0]
[body.rod]
mesh = {{ shape = "box", size = [0.1, 0.01, 0.01], cells = [{cells}, 1, 1], cell = "hex" }}
material = {{ law = "linear", poisson = 0, memory = {{ {memory}q = 4.8, modulus = "5 kPa", at = "2 Hz" }} }}
density = 1000
fixed = "x-min"
load = {{ set = "x-max", traction = [1, 0, 0] }}
[solver]
newton_tolerance = 1e-10
[output]
frames = 0
report = false
[probe.end]
body = "rod"
at = [0.1, 0.005, 0.005]
[time]
{time}
"#
    )
}

/// How far the end has moved when the run ends, m.
fn end_of(text: &str) -> f64 {
    let scene = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let mut simulation = Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(&scene, &mut simulation, None, &mut |_| true).unwrap();
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    outcome.summary.probes[0].displacement[0]
}

#[test]
fn a_rod_creeps_as_the_closed_form_says() {
    let band = r#"from = "0.01 Hz", to = "100 Hz", "#;
    for (end, steps) in [(0.1, 20), (1.0, 40), (4.0, 60)] {
        let step = end / f64::from(steps);
        let time = format!(
            "analysis = \"quasi-static\"\nstart = \"elastic\"\nstep = {step}\nsteps = {steps}"
        );
        let strain = end_of(&rod(band, 4, &time)) / LENGTH;
        let exact = ROD.creep(end);
        assert!((strain / exact - 1.0).abs() < 0.02, "{end}: {strain} for {exact}");
    }
}

/// tan z = −i (e^(2iz) − 1)/(e^(2iz) + 1)
fn tan(z: Complex) -> Complex {
    let e = Complex::new(-2.0 * z.im, 2.0 * z.re).exp();
    let one = Complex::real(1.0);
    Complex::new(0.0, -1.0) * ((e - one) / (e + one))
}

/// The end of the continuous rod under 1 Pa for a second, of a period of 40 s: u(ω) = σ(ω) tan(kL)/(M k) with k = ω √(ρ/M).
fn exact(fit: &dyn Fn(f64) -> Complex, t: f64) -> f64 {
    let period = 40.0;
    let mut sum = LENGTH / (fit(0.0).re * period);
    for n in 1..40_000 {
        let omega = TAU * f64::from(n) / period;
        let m = fit(omega);
        let k = (Complex::real(DENSITY) / m).sqrt().scale(omega);
        let load = (Complex::real(1.0) - Complex::new(0.0, -omega).exp())
            / Complex::new(0.0, omega * period);
        let u = load * tan(k.scale(LENGTH)) / (m * k);
        sum += 2.0 * (u * Complex::new(0.0, omega * t).exp()).re;
    }
    sum
}

#[test]
fn the_rod_of_figure_2_15_rings_and_creeps_as_its_exact_answer() {
    let fit = ROD.fit(Band::DEFAULT, 3).unwrap().relaxation;
    let modulus = |omega: f64| fit.complex(omega);
    // Rings at about c/4L = 8 Hz: the first maximum, the minimum after it, and creep with what is left of the vibration.
    for (end, at) in [("0.064 s", 0.064), ("0.124 s", 0.124), ("0.8 s", 0.8)] {
        let time = format!("integrator = \"implicit-midpoint\"\nstep = \"1 ms\"\nend = \"{end}\"");
        let found = end_of(&rod("terms = 3, ", 40, &time));
        let expected = exact(&modulus, at);
        assert!((found - expected).abs() < 0.01 * expected.abs(), "{end}: {found} for {expected}");
    }
}

#[test]
fn moduli_of_the_law_follow_from_the_fit_and_poissons_ratio() {
    let scene = |memory: &str, poisson: &str| {
        let text = rod(memory, 1, "analysis = \"static\"").replace("poisson = 0,", poisson);
        end_of(&text) / LENGTH
    };
    let fit = ConstantQ { modulus: 5e3, ..ROD }.fit(Band::DEFAULT, 5).unwrap();
    // In the long run: Young's modulus of K and G∞.
    for (memory, bulk_of) in
        [("on = \"all\", ", fit.relaxation.long_term), ("on = \"shear\", ", 5e3)]
    {
        let (g, nu) = (fit.relaxation.long_term, 0.3);
        let k = 2.0 * bulk_of * (1.0 + nu) / (3.0 * (1.0 - 2.0 * nu));
        // The rod is clamped: one cell is compared with one of the same constants.
        let plain = rod("", 1, "analysis = \"static\"");
        let start = plain.find("material").unwrap();
        let line = plain[start..].lines().next().unwrap();
        let (lambda, mu) = (k - 2.0 / 3.0 * g, g);
        let other = format!("material = {{ law = \"linear\", lambda = {lambda:?}, mu = {mu:?} }}");
        let expected = end_of(&plain.replace(line, &other)) / LENGTH;
        let found = scene(memory, "poisson = 0.3,");
        assert!((found / expected - 1.0).abs() < 1e-12, "{memory}: {found} for {expected}");
    }
}

#[test]
fn runs_that_outlast_the_fit_are_warned_of() {
    let warnings = |end: f64| {
        let time = format!("analysis = \"quasi-static\"\nend = {end:?}\nstep = 0.5");
        let simulation = Simulation::build(&parse(&rod("terms = 4, ", 1, &time)).unwrap()).unwrap();
        simulation.warnings.join("; ")
    };
    assert!(warnings(30.0).contains("memory.from"), "{}", warnings(30.0));
    assert!(!warnings(2.0).contains("memory.from"), "{}", warnings(2.0));
}

#[test]
fn wrong_quality_factors_are_refused_with_their_key() {
    let time = "analysis = \"static\"";
    let good = rod("", 1, time);
    parse(&good).unwrap();
    for (from, to, key, word) in [
        ("q = 4.8", "q = 0", "q", "above 0"),
        ("modulus = \"5 kPa\", ", "", "modulus", "needs"),
        (", at = \"2 Hz\"", "", "at", "needs"),
        ("at = \"2 Hz\"", "at = \"2 Hz\", from = \"1 kHz\"", "to", "above that of 'from'"),
        ("at = \"2 Hz\"", "at = \"2 Hz\", terms = 17", "terms", "1 to 16"),
        ("at = \"2 Hz\"", "at = \"2 Hz\", moduli = \"instant\"", "moduli", "follow from the fit"),
        ("poisson = 0", "young = \"1 kPa\"", "young", "poisson alone"),
        ("poisson = 0", "poisson = 0.5", "poisson", "between -1 and 0.5"),
    ] {
        let error = parse(&good.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(key) && error.contains(word), "{to}: {error}");
    }
}
