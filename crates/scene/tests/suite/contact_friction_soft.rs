//! Friction between bodies where a potential of the depth keeps them apart, through scenes.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, add_scaled, norm, sub};
use pliant_scene::{Scene, Simulation};

fn build(text: &str) -> Simulation {
    let scene = Scene::parse(text, Path::new("soft.toml")).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.state().time < time - 1e-9 {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// The mean velocity of the block, by masses.
fn velocity(s: &Simulation) -> Vec3 {
    let body = &s.bodies[1];
    let (mut sum, mut mass) = ([0.0; 3], 0.0);
    for (v, m) in s.state().v[body.range.clone()].iter().zip(body.masses()) {
        sum = add_scaled(sum, *v, *m);
        mass += m;
    }
    sum.map(|c| c / mass)
}

/// A block on a slab that is held.
const SLAB: &str = r#"
gravity = GRAVITY
[time]
integrator = "INTEGRATOR"
step = "STEP"
end = "10 s"
SOLVER
[contact]
mode = "MODE"
distance = "0.5 mm"
stiffness = "10 kPa"
self = false
friction = MU
stick = "2 um"
[body.slab]
mesh = { shape = "box", size = [2.4, 0.05, 2.4], cells = [1, 1, 1] }
position = ["-20 cm", "-5 cm", "-10 cm"]
material = { law = "linear", young = "YOUNG", poisson = 0 }
fixed = { box = { min = [-1, -1, -1], max = [3, 3, 3] } }
[body.block]
mesh = { shape = "box", size = [0.1, 0.04, 0.1], cells = [2, 1, 2] }
position = ["3.3 cm", "0.36 mm", 0]
velocity = [SPEED, 0, 0]
material = { law = "linear", young = "YOUNG", poisson = 0 }
[probe.foot]
body = "block"
set = "y-min"
"#;
const SLOPE: &str = "[4.387165373, -8.774330746, 0]";
const LEVEL: &str = "[0, -9.81, 0]";
const EXACT: &str = "[solver]\nnewton_tolerance = 1e-11\nnewton_iterations = 2000";

fn slab(mode: &str, gravity: &str, mu: f64) -> String {
    let text = SLAB.replace("MODE", mode).replace("GRAVITY", gravity);
    text.replace("MU", &format!("{mu}"))
}

fn implicit(text: &str) -> String {
    let text = text.replace("INTEGRATOR", "backward-euler").replace("STEP", "10 ms");
    text.replace("SOLVER", EXACT).replace("YOUNG", "10 GPa").replace("SPEED", "0")
}

#[test]
fn blocks_slide_down_a_soft_slope_as_coulomb_says() {
    for mode in ["soft", "penalty"] {
        for (mu, expected) in [(0.2, 2.632299224), (0.4, 0.877433075)] {
            let mut s = build(&implicit(&slab(mode, SLOPE, mu)));
            run_to(&mut s, 0.3);
            let before = velocity(&s);
            run_to(&mut s, 0.6);
            let found = (velocity(&s)[0] - before[0]) / 0.3;
            println!("{mode} {mu}: {found} m/s², off by {:e}", found / expected - 1.0);
            assert!((found / expected - 1.0).abs() < 1e-5, "{mode} {mu}: {found} {expected}");
        }
    }
}

#[test]
fn blocks_hold_on_a_soft_slope_and_have_given_way_by_the_law() {
    // The load along the slope comes slowly, once the block has settled.
    let load = "[[body.block.load]]\nbody_force = [4387.165373, 0, 0]\ncurve = { kind = \"ramp\", start = \"0.5 s\", end = \"1 s\" }\n";
    for mode in ["soft", "penalty"] {
        let text = implicit(&slab(mode, SLOPE, 0.6)) + load;
        let mut s = build(&text.replace("gravity = [4.387165373", "gravity = [0"));
        run_to(&mut s, 0.5);
        let before = s.displacement(&s.probes[0]);
        run_to(&mut s, 2.0);
        let slip = s.displacement(&s.probes[0])[0] - before[0];
        let expected = 2e-6 * (1.0 - (1.0_f64 - 0.5 / 0.6).sqrt());
        let fastest = s.state().fastest().1;
        println!("{mode}: {slip:e} m, off by {:e}, {fastest:e} m/s", slip / expected - 1.0);
        assert!((slip / expected - 1.0).abs() < 1e-3, "{mode}: {slip:e} {expected:e}");
        assert!(fastest < 1e-9, "{mode}: creeps at {fastest:e} m/s");
        let forces = s.contact_forces();
        let (x, n) = (slip / 2e-6, 8.774330746 * 0.4);
        let stored = 0.6 * n * slip * x * (1.0 - x / 3.0);
        assert!((forces.friction_stored / stored - 1.0).abs() < 1e-2, "{forces:?} {stored:e}");
        let [pair] = &forces.pairs[..] else { panic!("{forces:?}") };
        let force = sub(pair.force, [4.387165373 * 0.4, -n, 0.0]);
        assert!(norm(force) < 1e-6 * n, "{force:?}");
    }
}

/// Methods without a solve for the end of a step take friction by velocities: what slides loses μ times the impulse that presses it.
#[test]
fn explicit_and_linearly_implicit_methods_have_friction_too() {
    for (mode, integrator, step, limit) in [
        ("soft", "verlet", "0.1 ms", 2e-3),
        ("penalty", "central-differences", "0.1 ms", 2e-3),
        ("penalty", "rosenbrock2", "2 ms", 2e-2),
    ] {
        let text = slab(mode, LEVEL, 0.3).replace("INTEGRATOR", integrator);
        let text = text.replace("STEP", step).replace("SOLVER", "").replace("YOUNG", "1 MPa");
        let mut s = build(&text.replace("SPEED", "0.5"));
        run_to(&mut s, 0.01);
        let before = velocity(&s);
        run_to(&mut s, 0.1);
        let after = velocity(&s);
        let impulse = 0.09 * 9.81 + after[1] - before[1];
        let found = (before[0] - after[0]) / impulse;
        println!("{mode} {integrator}: {found}, off by {:e}", found / 0.3 - 1.0);
        assert!((found / 0.3 - 1.0).abs() < limit, "{mode} {integrator}: {found}");
        // It stops, and is not thrown back.
        run_to(&mut s, 0.3);
        let rest = velocity(&s)[0];
        println!("{mode} {integrator}: {rest:e} m/s at the end");
        assert!(rest.abs() < 5e-3, "{mode} {integrator}: {rest}");
        let taken = s.balance().dissipated / (0.5 * 0.4 * 0.25);
        assert!((taken - 1.0).abs() < 0.05, "{mode} {integrator}: {taken}");
    }
}
