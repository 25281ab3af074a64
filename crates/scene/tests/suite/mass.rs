//! Masses, lumped and consistent, and the weight that comes of them: closed forms through scenes.

use std::f64::consts::FRAC_PI_2;
use std::path::Path;

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_dynamics::ModeSettings;
use pliant_model::{MassKind, Weight};
use pliant_scene::{Analysis, Scene, SceneError, Simulation};

use crate::load_patch::{ELEMENTS, Folder, block};

fn parse(text: &str) -> Result<Simulation, SceneError> {
    Simulation::build(&Scene::parse(text, Path::new("scene.toml"))?)
}

/// A rod that moves along x alone: its lowest modes are those of an axial bar, fixed at one end.
fn rod(mass: &str, more: &str) -> String {
    format!(
        r#"
gravity = [0, 0, 0]
[body.rod]
mesh = {{ shape = "box", size = [1, 0.01, 0.01], cells = [8, 1, 1], cell = "hex" }}
material = {{ law = "linear", young = "1 MPa", poisson = 0 }}
density = 1000
{mass}
fixed = [{{ set = "x-min" }}, {{ box = {{}}, axes = "yz" }}]
{more}
"#
    )
}

/// Of n = 8 elements, with k = (2m − 1) π / 2L: lumped ω = (2c/h) sin(kh/2), consistent ω = (2c/h) sin(kh/2) / √(1 − ⅔ sin²(kh/2)).
#[test]
fn axial_frequencies_are_those_of_the_discrete_bar() {
    let (c, h) = ((1e6_f64 / 1e3).sqrt(), 0.125);
    for (mass, consistent) in
        [("", false), ("mass = \"lumped\"", false), ("mass = \"consistent\"", true)]
    {
        let mut simulation = parse(&rod(mass, "")).unwrap();
        let settings = ModeSettings { count: 8, tolerance: 1e-12, ..ModeSettings::default() };
        let modes = simulation.modes(&settings).unwrap().modes;
        for (m, mode) in modes.iter().enumerate() {
            let k = (2 * m + 1) as f64 * FRAC_PI_2;
            let s = (0.5 * k * h).sin();
            let lumped = 2.0 * c / h * s;
            let exact = if consistent { lumped / (1.0 - 2.0 / 3.0 * s * s).sqrt() } else { lumped };
            let off = (mode.angular() / exact - 1.0).abs();
            assert!(off < 1e-9, "{mass}: mode {m} {} rad/s, not {exact}", mode.angular());
        }
        let kind = simulation.bodies[0].mass_kind();
        assert_eq!(kind, if consistent { MassKind::Consistent } else { MassKind::Lumped });
    }
}

/// Explicit methods solve with the consistent mass; damping by mass is by that mass.
#[test]
fn runs_and_matrices_have_the_mass_of_the_scene() {
    let tip = |mass: &str, integrator: &str| {
        let more = format!(
            "load = {{ set = \"x-max\", force = [0.1, 0, 0] }}\ndamping = {{ mass = \"3 1/s\" }}\n[time]\nintegrator = \"{integrator}\"\nstep = 2e-5\nend = \"20 ms\"\n[probe.tip]\nat = [1, 0, 0]"
        );
        let mut simulation = parse(&rod(&format!("mass = \"{mass}\""), &more)).unwrap();
        let matrices = simulation.matrices().unwrap();
        let (mut total, mut beside) = (0.0, 0.0);
        for row in 0..matrices.mass.rows() {
            let (columns, values) = matrices.mass.row(row);
            for (&column, m) in columns.iter().zip(values) {
                total += m;
                beside += if column as usize == row { 0.0 } else { m.abs() };
            }
            // D = α M, entry by entry.
            let (others, damping) = matrices.damping.row(row);
            let of = |c: u32| others.iter().position(|o| *o == c).map_or(0.0, |k| damping[k]);
            for (&column, m) in columns.iter().zip(values) {
                assert!((of(column) - 3.0 * m).abs() < 1e-15, "{mass} {row} {column}");
            }
        }
        // 0.1 kg along each axis.
        assert!((total - 0.3).abs() < 1e-14, "{total}");
        assert_eq!(beside > 0.0, mass == "consistent");
        while !simulation.is_done() {
            simulation.step().unwrap();
        }
        simulation.displacement(&simulation.probes[0])[0]
    };
    let (lumped, consistent) = (tip("lumped", "trapezoidal"), tip("consistent", "trapezoidal"));
    for integrator in ["central-differences", "explicit-newmark", "rk4"] {
        for (mass, expected) in [("lumped", lumped), ("consistent", consistent)] {
            let got = tip(mass, integrator);
            // Their steps are the same size, their errors are not.
            assert!((got / expected - 1.0).abs() < 1e-3, "{integrator}, {mass}: {got} {expected}");
        }
    }
    assert!((lumped / consistent - 1.0).abs() > 1e-2, "{lumped} {consistent}");
}

#[test]
fn masses_that_are_none_are_refused_with_a_reason() {
    let error = parse(&rod("mass = \"heavy\"", "")).err().unwrap().to_string();
    assert!(error.contains("lumped") && error.contains("consistent"), "{error}");
    let springs = rod("mass = \"consistent\"", "").replace(
        "law = \"linear\", young = \"1 MPa\", poisson = 0",
        "law = \"mass-spring\", young = \"1 MPa\"",
    );
    let error = parse(&springs).err().unwrap().to_string();
    assert!(error.contains("springs") && error.contains("'rod'"), "{error}");
}

fn falling(element: &str, mass: &str, more: &str) -> String {
    format!(
        "[body.block]\nmesh = \"block.vtu\"\nelement = \"{element}\"\nmass = \"{mass}\"\nmaterial = {{ young = \"200 kPa\", poisson = 0.3 }}\ndensity = 1200\n{more}"
    )
}

fn displacements(simulation: &Simulation) -> Vec<Vec3> {
    let body = &simulation.bodies[0];
    let x = body.of_user(&simulation.state().x);
    x.iter().zip(&body.mesh.vertices).map(|(&x, &rest)| sub(x, rest)).collect()
}

#[test]
fn a_free_body_falls_without_a_change_of_shape() {
    for element in ELEMENTS {
        let folder = Folder::with(&block(element));
        for mass in ["lumped", "consistent"] {
            for (integrator, step, steps, solver) in [
                ("implicit-midpoint", 0.02, 10, "[solver]\nnewton_tolerance = 1e-13\n"),
                ("verlet", 1e-4, 10, ""),
            ] {
                let more = format!(
                    "[time]\nintegrator = \"{integrator}\"\nstep = {step}\nsteps = {steps}\n{solver}"
                );
                let mut simulation = folder.build(&falling(element, mass, &more));
                while !simulation.is_done() {
                    simulation.step().unwrap();
                }
                let t = step * f64::from(steps);
                let fallen = -0.5 * 9.81 * t * t;
                for u in displacements(&simulation) {
                    let off = norm(sub(u, [0.0, fallen, 0.0]));
                    assert!(off < 1e-12, "{element}, {mass}, {integrator}: {u:?} not {fallen}");
                }
            }
        }
    }
}

/// In statics gravity is the body force ρ g, on cells of any shape.
#[test]
fn at_rest_gravity_is_the_body_force_of_the_density() {
    let end = "fixed = { plane = { point = [0, 0, 0], normal = [1, 0, 0] } }\n";
    let time = "[time]\nanalysis = \"static\"\n[solver]\nnewton_tolerance = 1e-12\n";
    for element in ELEMENTS {
        let folder = Folder::with(&block(element));
        let rest = |more: &str| {
            let mut simulation = folder.build(more);
            simulation.step().unwrap();
            (displacements(&simulation), simulation.reactions().unwrap()[0])
        };
        let weight = falling(element, "lumped", &format!("{end}{time}"));
        let force = "load = { body_force = [0, -11772, 0] }\n";
        let pushed = falling(element, "lumped", &format!("{end}{force}{time}"));
        let (a, reaction) = rest(&weight);
        let (b, _) = rest(&format!("gravity = [0, 0, 0]\n{pushed}"));
        let largest = a.iter().map(|&u| norm(u)).fold(0.0, f64::max);
        assert!(largest > 0.01, "{element}: {largest}");
        for (a, b) in a.iter().zip(&b) {
            assert!(norm(sub(*a, *b)) < 1e-10 * largest, "{element}: {a:?} {b:?}");
        }
        assert!((reaction[1] - 0.8 * 11772.0).abs() < 1e-6 * 11772.0, "{element}: {reaction:?}");
    }
}

#[test]
fn one_motion_among_analyses_makes_gravity_that_of_its_masses() {
    use Analysis::{Dynamic, QuasiStatic, Static};
    assert_eq!(Analysis::weight([Static]), Weight::BodyForce);
    assert_eq!(Analysis::weight([QuasiStatic, Static]), Weight::BodyForce);
    assert_eq!(Analysis::weight([Static, Dynamic]), Weight::OfMass);
    assert_eq!(Analysis::weight([Dynamic]), Weight::OfMass);
}
