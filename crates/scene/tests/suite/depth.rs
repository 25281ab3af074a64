//! Bodies on floors: how deep they sink, at rest and on impact, by default.

use std::path::Path;

use pliant_scene::{Scene, Simulation};

fn simulation(text: &str) -> Simulation {
    let scene = Scene::parse(text, Path::new("floor.toml")).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

/// The greatest depth on the way, and the one at the end, as parts of the body's thickness.
fn depths(text: &str) -> (f64, f64) {
    let mut simulation = simulation(text);
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
    let depth = simulation.depths()[0];
    (depth.part(), depth.now / depth.thickness)
}

fn fallen(ball: bool, size: f64, young: f64, height: f64) -> String {
    let (mesh, y) = if ball {
        let radius = 0.5 * size;
        (format!("shape = \"sphere\", radius = {radius}, core = 3, rings = 2"), height + radius)
    } else {
        (format!("shape = \"box\", size = [{size}, {size}, {size}], cells = [3, 3, 3]"), height)
    };
    format!(
        r#"
[time]
step = "20 ms"
end = "2 s"
[body.b]
mesh = {{ {mesh} }}
position = [0, {y}, 0]
material = {{ law = "stable-neo-hookean", young = {young}, poisson = 0.4 }}
damping = {{ mass = "3 1/s" }}
[obstacle.floor]
shape = "floor"
"#
    )
}

/// Sizes from a die to a house, from jelly to hard rubber: half a percent at rest and five on impact.
#[test]
fn bodies_of_every_weight_size_and_modulus_stay_above_the_floor() {
    for ball in [false, true] {
        for size in [0.02, 0.3, 1.0, 3.0] {
            for young in [2e3, 2e4, 1e6, 1e8] {
                // A jelly of 1 m runs apart under its own weight.
                if 9810.0 * size > 2.0 * young {
                    continue;
                }
                for height in [0.0, 0.5 * size] {
                    let (greatest, end) = depths(&fallen(ball, size, young, height));
                    let case = format!("ball {ball}, {size} m, {young} Pa, from {height} m");
                    assert!(end < 0.005, "{case}: {end} at rest");
                    assert!(greatest < 0.05, "{case}: {greatest} on impact");
                }
            }
        }
    }
}

#[test]
fn a_fast_body_is_stopped_before_it_sinks() {
    for (velocity, young) in [(20.0, 2e4), (100.0, 2e6)] {
        let text = format!(
            r#"
[time]
step = "1 ms"
end = "50 ms"
[body.b]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }}
position = [0, 0.05, 0]
velocity = [0, -{velocity}, 0]
material = {{ law = "stable-neo-hookean", young = {young}, poisson = 0.4 }}
[obstacle.floor]
shape = "floor"
"#
        );
        let (greatest, _) = depths(&text);
        assert!(greatest < 0.05, "{velocity} m/s, {young} Pa: {greatest}");
    }
}

/// Each body has a stiffness of its own: a light one beside a heavy one is not thrown back harder than alone.
#[test]
fn a_light_body_does_not_feel_that_a_heavy_one_is_near() {
    let text = |other: &str| {
        format!(
            r#"
[time]
step = "10 ms"
end = "0.5 s"
[solver]
newton_tolerance = 1e-9
[body.light]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }}
position = [0, 0.05, 0]
material = {{ law = "stable-neo-hookean", young = "5 kPa", poisson = 0.4 }}
{other}
[obstacle.floor]
shape = "floor"
"#
        )
    };
    let heavy = "[body.heavy]\nmesh = { shape = \"box\", size = [1, 1, 1], cells = [2, 2, 2] }\nposition = [3, 0.2, 0]\nmaterial = { law = \"stable-neo-hookean\", young = \"10 MPa\", poisson = 0.4 }\ndensity = 3000\n";
    let (mut alone, mut beside) = (simulation(&text("")), simulation(&text(heavy)));
    for _ in 0..50 {
        alone.step().unwrap();
        beside.step().unwrap();
    }
    let (a, b) = (alone.depths()[0], beside.depths()[0]);
    assert!(a.greatest > 0.0 && (a.greatest - b.greatest).abs() < 0.02 * a.greatest, "{a:?} {b:?}");
}

#[test]
fn what_sinks_in_is_told_in_a_plain_sentence() {
    let text = r#"
[time]
step = "10 ms"
end = "0.4 s"
[body.b]
mesh = { shape = "box", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }
material = { law = "stable-neo-hookean", young = "50 kPa", poisson = 0.4 }
[obstacle.floor]
shape = "floor"
stiffness = 1e5
"#;
    let scene = Scene::parse(text, Path::new("soft.toml")).unwrap();
    let mut simulation = Simulation::build(&scene).unwrap();
    let outcome = pliant_scene::run::run(&scene, &mut simulation, None, &mut |_| true).unwrap();
    let [warning] = &outcome.summary.warnings[..] else { panic!("{:?}", outcome.summary.warnings) };
    let start = "body 'b' has sunk into obstacle 'floor' by ";
    assert!(
        warning.starts_with(start) && warning.contains("raise obstacle.floor.stiffness"),
        "{warning}"
    );
    let depth = outcome.summary.bodies[0].depth.unwrap();
    assert_eq!(outcome.summary.greatest_depth, Some(depth.greatest));
    // 1962 Pa on 1e5 N/m³, by half as vertices at the rim count with the areas of the sides too, and twice that as it swings.
    assert!(depth.greatest > 0.015 && depth.greatest < 0.03, "{depth:?}");
    assert!((depth.part - depth.greatest / 0.2).abs() < 1e-12);
}

/// The limit of explicit methods counts the floor before it is touched: with steps just below it nothing explodes.
#[test]
fn the_critical_step_knows_the_floor_before_it_is_touched() {
    let text = |step: f64| {
        format!(
            r#"
[time]
integrator = "symplectic-euler"
step = {step}
end = 0.3
[body.b]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }}
position = [0, 0.05, 0]
material = {{ law = "stable-neo-hookean", young = "5 kPa", poisson = 0.4 }}
[obstacle.floor]
shape = "floor"
"#
        )
    };
    let long = simulation(&text(3e-3));
    assert!(
        long.warnings.iter().any(|w| w.contains("above the critical step")),
        "{:?}",
        long.warnings
    );
    let critical = {
        let warning = &long.warnings[0];
        let number = warning.split("symplectic-euler, ").nth(1).unwrap().split(' ').next().unwrap();
        number.parse::<f64>().unwrap()
    };
    let mut short = simulation(&text(0.85 * critical));
    assert!(short.warnings.is_empty(), "{:?}", short.warnings);
    let energy = short.start_energy();
    while !short.is_done() {
        short.step().unwrap();
    }
    let gain = -short.balance().numerical_loss;
    // It falls with 0.5 J; near the limit the energy of the method swings, and above it it grows without bound.
    assert!(gain < 0.5 * energy.abs().max(0.5), "{gain} of {energy} J");
    assert!(short.depths()[0].greatest > 0.0);
}

/// They land, and lie still on the floor when the scene ends.
#[test]
fn built_in_scenes_with_a_floor_come_to_rest_on_it() {
    for name in ["jelly", "creature"] {
        let scene = pliant_scene::builtin::scene(name, &[]).unwrap();
        let mut simulation = Simulation::build(&scene).unwrap();
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let kinetic = simulation.balance().energies.kinetic;
        for depth in simulation.depths() {
            let end = depth.now / depth.thickness;
            assert!(
                depth.part() > 0.0 && depth.part() < 0.05,
                "{name}: {} on impact",
                depth.part()
            );
            assert!(end < 0.005, "{name}: {end} at the end");
        }
        // The creature arrives with 4 J.
        assert!(kinetic < 0.02, "{name}: {kinetic} J at the end");
    }
}
