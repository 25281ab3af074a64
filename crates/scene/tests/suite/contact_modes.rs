//! The modes of contact besides the barrier, through scenes.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_contact::soft::SoftContact;
use pliant_scene::{Scene, Simulation};

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("modes.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn build(text: &str) -> Simulation {
    Simulation::build(&parse(text)).unwrap_or_else(|e| panic!("{e}"))
}

fn run(text: &str) -> Simulation {
    let mut simulation = build(text);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    simulation
}

/// Two cubes that meet askew in free space; LOWER flies up at 1 m/s.
const MEETING: &str = r#"
gravity = [0, 0, 0]
[time]
TIME
[solver]
SOLVER
[contact]
mode = "MODE"
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

const EXACT: &str = "linear = \"cholesky\"\nnewton_tolerance = 1e-12\nnewton_iterations = 2000";

fn meeting(mode: &str, integrator: &str, step: &str, solver: &str) -> String {
    let time = format!("integrator = \"{integrator}\"\nstep = \"{step}\"\nend = \"0.12 s\"");
    MEETING.replace("TIME", &time).replace("SOLVER", solver).replace("MODE", mode)
}

fn relative(after: Vec3, before: Vec3, size: f64) -> f64 {
    norm(sub(after, before)) / size
}

#[test]
fn bodies_that_meet_keep_their_momenta() {
    for (mode, integrator, step, solver, linear_limit, angular_limit) in [
        ("soft", "implicit-midpoint", "2 ms", EXACT, 1e-12, 1e-10),
        ("penalty", "implicit-midpoint", "2 ms", EXACT, 1e-12, 1e-10),
        ("penalty", "trapezoidal", "2 ms", EXACT, 1e-12, 1e-1),
        ("soft", "verlet", "0.2 ms", "", 1e-12, 1e-10),
        ("penalty", "central-differences", "0.2 ms", "", 1e-12, 1e-10),
    ] {
        let mut simulation = build(&meeting(mode, integrator, step, solver));
        let (linear, angular) = simulation.momenta();
        let energy = simulation.balance().energies.total();
        let (mut worst_energy, mut newton) = (0.0_f64, 0);
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{mode} {integrator}: {e}"));
            let now = simulation.balance().energies.total();
            worst_energy = worst_energy.max((now / energy - 1.0).abs());
            newton += 1;
        }
        let tally = simulation.contact().unwrap();
        let (linear_after, angular_after) = simulation.momenta();
        let linear = relative(linear_after, linear, norm(linear));
        let angular = relative(angular_after, angular, norm(angular));
        println!(
            "{mode} {integrator} {newton} steps: linear {linear:e}, angular {angular:e}, energy {worst_energy:e}, {tally:?} {:?}",
            simulation.tally()
        );
        assert!(tally.steps > 5, "{tally:?}");
        assert!(linear < linear_limit && angular < angular_limit, "{linear:e} {angular:e}");
    }
}
