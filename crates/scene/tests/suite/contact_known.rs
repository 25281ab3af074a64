//! Contact with known answers: bars that meet, a belt around a drum.

use std::f64::consts::PI;
use std::path::Path;

use pliant_algebra::vec3::{Vec3, add_scaled, norm, sub};
use pliant_dynamics::Mass;
use pliant_scene::{Scene, Simulation};

fn build(text: &str) -> Simulation {
    let scene = Scene::parse(text, Path::new("known.toml")).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn step(simulation: &mut Simulation) {
    simulation.step().unwrap_or_else(|e| panic!("at {} s: {e}", simulation.state().time));
}

/// The momentum of a body whose vertices have masses, kg m/s.
fn momentum(simulation: &Simulation, body: usize) -> Vec3 {
    let Mass::Lumped(masses) = simulation.system_ref().mass() else { panic!("lumped masses") };
    let mut sum = [0.0; 3];
    for v in simulation.bodies[body].range.clone() {
        sum = add_scaled(sum, simulation.state().v[v], masses[v]);
    }
    sum
}

/// A bar of 10 m (E = 900 Pa, ρ = 1 kg/m³: waves of 30 m/s) flies at 10 m/s at a wall 5 m away.
const WALL: &str = r#"
gravity = [0, 0, 0]
[time]
integrator = "bdf2"
step = "2.5 ms"
end = "1.4 s"
[contact]
mode = "barrier"
distance = "2 mm"
stiffness = "900 Pa"
self = false
[obstacle.wall]
shape = "plane"
point = [0, 0, 0]
normal = [1, 0, 0]
friction = 0
[body.bar]
mesh = { shape = "box", size = [10, 0.5, 0.5], cells = [40, 1, 1], cell = "hex" }
position = [5, 0, 0]
velocity = [-10, 0, 0]
material = { law = "linear", young = 900, poisson = 0 }
density = 1
"#;

#[test]
fn a_bar_strikes_a_wall_and_leaves_it_after_two_wave_times() {
    let mut simulation = build(WALL);
    let mass = 2.5;
    let mut before = momentum(&simulation, 0)[0];
    let (mut touched, mut left, mut impulse) = (0.0, 0.0, 0.0);
    while !simulation.is_done() {
        step(&mut simulation);
        let now = momentum(&simulation, 0)[0];
        // The mean force over the step, for each area.
        let pressure = (now - before) / 2.5e-3 / 0.25;
        before = now;
        if pressure > 30.0 {
            if touched == 0.0 {
                touched = simulation.state().time;
            }
            left = simulation.state().time;
            impulse += pressure * 2.5e-3;
        }
    }
    let mean = impulse / (left - touched + 2.5e-3);
    let rebound = before / mass;
    println!("from {touched} s to {left} s at {mean} Pa, rebound at {rebound} m/s");
    assert!((touched / 0.5 - 1.0).abs() < 0.01, "{touched}");
    assert!((left / (0.5 + 2.0 / 3.0) - 1.0).abs() < 0.03, "{left}");
    assert!((mean / 300.0 - 1.0).abs() < 0.05, "{mean}");
    assert!((rebound / 10.0 - 1.0).abs() < 0.05, "{rebound}");
}

/// A bar strikes another of its kind, at rest, end on.
const BARS: &str = r#"
gravity = [0, 0, 0]
[time]
integrator = "bdf2"
step = "0.5 ms"
end = "80 ms"
[solver]
linear = "cholesky"
newton_tolerance = 1e-12
[contact]
mode = "barrier"
distance = "0.1 mm"
stiffness = "1 MPa"
self = false
[body.one]
mesh = { shape = "box", size = [1, 0.05, 0.05], cells = [40, 1, 1], cell = "hex" }
velocity = ["0.1 m/s", 0, 0]
material = { law = "linear", young = "1 MPa", poisson = 0 }
[body.other]
mesh = { shape = "box", size = [1, 0.05, 0.05], cells = [40, 1, 1], cell = "hex" }
position = [1.0001, 0, 0]
material = { law = "linear", young = "1 MPa", poisson = 0 }
"#;

#[test]
fn two_bars_exchange_their_velocities() {
    let mut simulation = build(BARS);
    let (start, _) = simulation.momenta();
    let mut last = 0.0;
    while !simulation.is_done() {
        step(&mut simulation);
        let now = momentum(&simulation, 1)[0] / 2.5;
        if now < 0.09 {
            last = simulation.state().time;
        }
    }
    let (end, _) = simulation.momenta();
    let [one, other] = [0, 1].map(|body| momentum(&simulation, body)[0] / 2.5);
    let kept = norm(sub(end, start)) / norm(start);
    println!("{one} and {other} m/s, 0.09 m/s from {last} s on, momentum changed by {kept:e}");
    assert!(kept < 1e-12, "{kept:e}");
    assert!(one.abs() < 0.005 && (other / 0.1 - 1.0).abs() < 0.05, "{one} {other}");
    // Force acts for 2L/c = 63.2 ms: nine tenths are had after nine tenths of that.
    assert!((last / (0.9 * 0.0632) - 1.0).abs() < 0.05, "{last}");
}

/// Two cubes that meet askew.
const ASKEW: &str = r#"
gravity = [0, 0, 0]
[time]
step = "STEP"
end = "0.1 s"
[solver]
linear = "cholesky"
newton_tolerance = 1e-12
[contact]
mode = "barrier"
[body.lower]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
velocity = [0, "1 m/s", 0]
material = { law = "stable-neo-hookean", young = "30 kPa", poisson = 0.4 }
[body.upper]
mesh = { shape = "box", size = [0.08, 0.08, 0.08], cells = [2, 2, 2] }
position = ["2 cm", "11 cm", "1.5 cm"]
rotation = { axis = [0, 1, 0.2], angle = "25 deg" }
material = { law = "stable-neo-hookean", young = "20 kPa", poisson = 0.4 }
"#;

#[test]
fn with_the_barrier_shorter_steps_lose_less_angular_momentum() {
    let lost = ["4 ms", "1 ms"].map(|step_text| {
        let mut simulation = build(&ASKEW.replace("STEP", step_text));
        let (linear, angular) = simulation.momenta();
        while !simulation.is_done() {
            step(&mut simulation);
        }
        let (linear_after, angular_after) = simulation.momenta();
        let linear = norm(sub(linear_after, linear)) / norm(linear);
        assert!(linear < 1e-12, "{linear:e}");
        assert!(simulation.contact().unwrap().steps > 5);
        norm(sub(angular_after, angular)) / norm(angular)
    });
    println!("{lost:?}");
    assert!(lost[0] < 2e-3 && lost[1] < 0.7 * lost[0], "{lost:?}");
}

/// A plate is driven onto a soft cube by 5 mm in each step, fifty times the contact distance.
const DRIVEN: &str = r#"
gravity = [0, 0, 0]
[time]
step = "10 ms"
end = "60 ms"
retry = false
[contact]
mode = "barrier"
distance = "0.1 mm"
[body.cube]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [4, 4, 4], cell = "hex" }
material = { law = "stable-neo-hookean", young = "20 kPa", poisson = 0.3 }
fixed = "y-min"
[body.plate]
mesh = { shape = "box", size = [0.14, 0.02, 0.12], cells = [3, 1, 3], cell = "hex" }
position = ["-2 cm", "10.2 cm", "-1 cm"]
material = { law = "stable-neo-hookean", young = "1 MPa", poisson = 0.3 }
moved = { where = "y > -1", translation = { by = [0, "-2 cm", 0], curve = { kind = "ramp", end = "40 ms" } } }
"#;

#[test]
fn what_is_driven_by_many_gaps_in_a_step_takes_along_what_it_meets() {
    let mut simulation = build(DRIVEN);
    while !simulation.is_done() {
        step(&mut simulation);
    }
    let top = simulation.state().x[simulation.bodies[0].range.clone()]
        .iter()
        .map(|x| x[1])
        .fold(0.0, f64::max);
    let gap = 0.082 - top;
    println!("{gap:e} m below the plate after {:?}", simulation.tally());
    // The plate has come 2 cm down, and the cube with it.
    assert!(gap > 0.0 && gap < 1e-4, "{gap:e}");
    assert!(simulation.contact().unwrap().smallest_gap > 0.0);
}

/// A belt lies around half of a drum of 10 cm; 10 N pull at one end of it, and the other is drawn until all of it slides.
const BELT: &str = r#"
gravity = [0, 0, 0]
[time]
analysis = "quasi-static"
step = "50 ms"
end = "1 s"
[contact]
mode = "barrier"
distance = "0.2 mm"
stiffness = "100 kPa"
stick = "5 um"
self = false
[body.belt]
mesh = { shape = "curved-beam", radius = "100.68 mm", width = "1 mm", height = "20 mm", angle = "180 deg", cells = [40, 1, 1], cell = "hex20" }
material = { law = "stable-neo-hookean", young = "100 MPa", poisson = 0 }
load = { set = "start", force = [-10, 0, 0], curve = { kind = "ramp", end = "0.2 s" } }
moved = { set = "end", translation = { by = ["-5 mm", 0, 0], curve = { kind = "ramp", start = "0.2 s", end = "1 s" } } }
[obstacle.drum]
shape = "cylinder"
from = [0, "100.68 mm", -1]
to = [0, "100.68 mm", 1]
radius = "100 mm"
friction = 0.3
"#;

#[test]
fn a_belt_holds_by_the_exponential_of_its_angle() {
    let mut simulation = build(BELT);
    while !simulation.is_done() {
        step(&mut simulation);
    }
    let pull = -0.1 * simulation.reactions().unwrap()[0][0];
    let expected = (0.3 * PI).exp();
    println!("{pull} times the load, {expected} times by Euler and Eytelwein");
    assert!((pull / expected - 1.0).abs() < 0.01, "{pull} {expected}");
}
