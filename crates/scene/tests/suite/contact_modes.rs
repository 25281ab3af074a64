//! The modes of contact besides the barrier, through scenes.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_scene::{Scene, Simulation};

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("modes.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn build(text: &str) -> Simulation {
    Simulation::build(&parse(text)).unwrap_or_else(|e| panic!("{e}"))
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

/// A cube that falls on a floor.
const DROP: &str = r#"
[time]
TIME
[contact]
mode = "MODE"
[obstacle.floor]
shape = "plane"
point = [0, 0, 0]
normal = [0, 1, 0]
friction = 0
[body.cube]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }
position = [0, "2 cm", 0]
material = { law = "stable-neo-hookean", young = "20 kPa", poisson = 0.3 }
damping = { stiffness = "STIFFNESS" }
"#;

fn drop(mode: &str, time: &str, damping: &str) -> String {
    DROP.replace("TIME", time).replace("MODE", mode).replace("STIFFNESS", damping)
}

#[test]
fn a_vertex_that_collides_is_back_after_two_steps() {
    for integrator in ["central-differences", "explicit-newmark"] {
        let time = format!("integrator = \"{integrator}\"\nstep = \"0.2 ms\"\nend = \"0.2 s\"");
        let text = drop("two-step", &time, "0 s");
        let mut simulation = build(&text);
        let (mut before, mut seen, mut worst) = (Vec::<(usize, f64)>::new(), 0, 0.0_f64);
        let mut deepest = 0.0_f64;
        while !simulation.is_done() {
            let (x, v) = (simulation.state().x.clone(), simulation.state().v.clone());
            simulation.step().unwrap_or_else(|e| panic!("{integrator}: {e}"));
            let now = &simulation.state().x;
            for (vertex, y) in before.drain(..) {
                worst = worst.max((now[vertex][1] - y).abs());
                seen += 1;
            }
            // Those that went in before the last step are to be back after the next.
            before.extend(
                (0..x.len()).filter(|&i| x[i][1] < 0.0 && v[i][1] < 0.0).map(|i| (i, x[i][1])),
            );
            deepest = x.iter().fold(deepest, |d, x| d.max(-x[1]));
        }
        println!(
            "{integrator}: {seen} collisions, off by {worst:e} m, deepest {deepest:e} m {:?}",
            simulation.contact()
        );
        assert!(seen > 20 && worst < 1e-15, "{seen} {worst:e}");
        assert!(deepest < 2e-3, "{deepest:e}");
    }
}

#[test]
fn two_bodies_that_collide_in_two_steps_keep_their_linear_momentum() {
    let mut simulation = build(&meeting("two-step", "central-differences", "0.2 ms", ""));
    let (before, _) = simulation.momenta();
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
    let part = relative(simulation.momenta().0, before, norm(before));
    let tally = simulation.contact().unwrap();
    println!("linear {part:e} {tally:?}");
    assert!(part < 1e-13 && tally.steps > 5, "{part:e} {tally:?}");
    assert!(tally.greatest_depth() < 5e-3, "{tally:?}");
}

#[test]
fn constraints_stop_what_enters_and_let_go_what_leaves() {
    for (integrator, step) in
        [("backward-euler", "1 ms"), ("implicit-midpoint", "5 ms"), ("bdf2", "5 ms")]
    {
        let time = format!("integrator = \"{integrator}\"\nstep = \"{step}\"\nend = \"1.5 s\"");
        let mut simulation = build(&drop("constraints", &time, "3 ms"));
        let (mut lowest, mut most, mut highest, mut landed) = (0.0_f64, 0, 0.0_f64, false);
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{integrator}: {e}"));
            let x = &simulation.state().x;
            let bottom = x.iter().fold(f64::INFINITY, |low, x| low.min(x[1]));
            lowest = lowest.min(bottom);
            most = most.max(x.iter().filter(|x| x[1].abs() < 1e-12).count());
            landed |= most > 0;
            if landed {
                highest = highest.max(bottom);
            }
        }
        let kinetic = simulation.balance().energies.kinetic;
        println!(
            "{integrator}: lowest {lowest:e}, {most} on the floor, back up to {highest:e} m, kinetic {kinetic:e} J {:?}",
            simulation.tally()
        );
        assert!(lowest > -1e-9 && most >= 16, "{lowest:e} {most}");
        assert!(kinetic < 1e-7, "{kinetic:e} J");
        assert!(highest > 5e-4, "it does not bounce: {highest:e}");
    }
}
