//! Friction on obstacles against Coulomb's law, through scenes: slopes and blocks that come to rest.

use std::path::Path;

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_scene::{Scene, Simulation};

/// Gravity at right angles to a floor that leans with tan θ = ½.
const SLOPE: &str = "[4.387165372992, -8.774330745985, 0]";
const FLAT: &str = "[0, -9.81, 0]";

/// A stiff block of 10 cm that lies on a floor. Without damping of its swings for explicit methods, which would need far
/// shorter steps with it.
fn block(gravity: &str, speed: f64, friction: f64, time: &str) -> Simulation {
    let explicit = ["verlet", "symplectic", "rk4", "central"].iter().any(|m| time.contains(m));
    let (cells, young, damping) = if explicit { (1, "1 MPa", 0) } else { (2, "10 MPa", 1) };
    let solver = if explicit || time.contains("rosenbrock") {
        ""
    } else {
        "[solver]\nnewton_tolerance = 1e-8"
    };
    let text = format!(
        r#"
gravity = {gravity}
[time]
{time}
{solver}
[body.block]
mesh = {{ shape = "box", size = [0.1, 0.1, 0.1], cells = [{cells}, {cells}, {cells}] }}
material = {{ law = "corotational", young = "{young}", poisson = 0.3 }}
damping = {{ stiffness = "{damping} ms" }}
velocity = [{speed}, 0, 0]
[obstacle.floor]
shape = "floor"
friction = {friction}
"#
    );
    let scene = Scene::parse(&text, Path::new("block.toml")).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn step_to(simulation: &mut Simulation, time: f64) {
    while simulation.state().time < time - 1e-9 {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Velocity of the centre of mass: the block weighs 1 kg.
fn velocity(simulation: &mut Simulation) -> f64 {
    simulation.momenta().0[0]
}

fn centre(simulation: &Simulation) -> Vec3 {
    simulation.bodies[0].centre(&simulation.state().x)
}

/// a = g (sin θ − μ cos θ): 0.08774331 m/s² just below the angle of repose, where two forces fifty times as large
/// nearly balance.
#[test]
fn a_block_slides_down_a_slope_as_coulomb_says() {
    for (friction, expected) in [
        (0.0, 4.38717),
        (0.1, 3.50973),
        (0.2, 2.63230),
        (0.3, 1.75487),
        (0.4, 0.877_433),
        (0.49, 0.087_743_31),
    ] {
        let mut simulation = block(SLOPE, 0.0, friction, "step = \"10 ms\"\nend = \"1 s\"");
        step_to(&mut simulation, 0.5);
        let before = velocity(&mut simulation);
        step_to(&mut simulation, 1.0);
        let found = (velocity(&mut simulation) - before) / 0.5;
        assert!((found - expected).abs() < 1e-4 * 4.38717, "μ = {friction}: {found}");
    }
}

/// What sticks rests, whatever the method: it does not creep.
#[test]
fn a_block_sticks_on_a_slope_that_is_not_steep_enough() {
    for method in ["backward-euler", "bdf2", "implicit-midpoint"] {
        for friction in [0.6, 1.0] {
            let time = format!("step = \"10 ms\"\nend = \"3 s\"\nintegrator = \"{method}\"");
            let mut simulation = block(SLOPE, 0.0, friction, &time);
            step_to(&mut simulation, 2.0);
            let before = centre(&simulation);
            step_to(&mut simulation, 3.0);
            let (after, speed) = (centre(&simulation), velocity(&mut simulation));
            // The midpoint rule keeps what the block swings with, to and fro about the same place.
            let still = if method == "implicit-midpoint" { [1e-6, 1e-7] } else { [1e-9, 1e-10] };
            let way = norm(sub(after, before));
            assert!(
                speed.abs() < still[0] && way < still[1],
                "{method}, {friction}: {speed} {way}"
            );
            // It slips while it lands, by millimetres.
            assert!((before[0] - 0.05).abs() < 5e-3, "{method}, {friction}: {before:?}");
        }
    }
    // Where friction is larger than the slope by 2 % only.
    let mut simulation = block(SLOPE, 0.0, 0.51, "step = \"2 ms\"\nend = \"4 s\"");
    step_to(&mut simulation, 4.0);
    let (moved, speed) = (centre(&simulation)[0], velocity(&mut simulation));
    assert!((moved - 0.05).abs() < 1e-3 && speed.abs() < 1e-9, "{moved} {speed}");
    // What slides is faster by a t = 0.219 m/s at the end.
    let mut simulation = block(SLOPE, 0.0, 0.49, "step = \"5 ms\"\nend = \"2.5 s\"");
    step_to(&mut simulation, 2.5);
    let speed = velocity(&mut simulation);
    assert!(speed > 0.219 && speed < 0.4, "{speed}");
}

/// v₀/μg = 0.67958 s and v₀²/2μg = 0.67958 m, and all of its energy is dissipated by friction.
#[test]
fn a_sliding_block_stops_where_its_energy_is_used_up() {
    for time in [
        "step = \"1 ms\"",
        "step = \"1 ms\"\nintegrator = \"implicit-midpoint\"",
        "step = \"1 ms\"\nintegrator = \"trapezoidal\"",
        "step = \"1 ms\"\nintegrator = \"rosenbrock2\"",
        "step = \"0.1 ms\"\nintegrator = \"verlet\"",
        "step = \"0.1 ms\"\nintegrator = \"central-differences\"",
        "step = \"0.1 ms\"\nintegrator = \"symplectic-euler\"",
        "step = \"0.1 ms\"\nintegrator = \"rk4\"",
    ] {
        let mut simulation = block(FLAT, 2.0, 0.3, &format!("{time}\nend = \"0.9 s\""));
        let told: Vec<bool> = simulation
            .warnings
            .iter()
            .map(|w| w.contains("may chatter") || w.contains("thrown back"))
            .collect();
        let expected = time.contains("trapezoidal") || time.contains("rosenbrock");
        assert_eq!(told, vec![true; usize::from(expected)], "{time}: {:?}", simulation.warnings);
        let mut stopped = None;
        let from = centre(&simulation)[0];
        while !simulation.is_done() {
            simulation.step().unwrap_or_else(|e| panic!("{time}: {e}"));
            if velocity(&mut simulation) < 0.02 {
                stopped.get_or_insert(simulation.state().time);
            }
        }
        let (stopped, way) = (stopped.unwrap(), centre(&simulation)[0] - from);
        // It is down to 2 cm/s 7 ms before.
        assert!((stopped - 0.67958 + 0.0068).abs() < 0.006, "{time}: {stopped}");
        assert!((way - 0.67958).abs() < 0.006 * 0.67958, "{time}: {way}");
        let balance = simulation.balance();
        let (dissipated, start) = (balance.dissipated, 2.0);
        assert!((dissipated - start).abs() < 0.03 * start, "{time}: {dissipated} J");
        if time.contains("1 ms\"") && !time.contains("0.1") {
            let speed = simulation.state().fastest().1;
            assert!(speed < 2e-3, "{time}: {speed}");
        }
    }
}

#[test]
fn friction_turns_a_ball_that_slides_into_one_that_rolls() {
    // A hoop of any kind loses the part I/(I + m r²) of its speed: a ball 2/7.
    let text = r#"
[time]
step = "2 ms"
end = "0.12 s"
[body.ball]
mesh = { shape = "sphere", radius = "10 cm", core = 6, rings = 4 }
position = [0, "10 cm", 0]
velocity = [1, 0, 0]
material = { law = "corotational", young = "1 MPa", poisson = 0.3 }
[obstacle.floor]
shape = "floor"
"#;
    let mut simulation =
        Simulation::build(&Scene::parse(text, Path::new("ball.toml")).unwrap()).unwrap();
    // It slides for 2 v/7 μ g = 73 ms. Later it loses speed from facet to facet.
    step_to(&mut simulation, 0.12);
    let mass: f64 = simulation.bodies[0].masses().iter().sum();
    let (momentum, _) = simulation.momenta();
    let speed = momentum[0] / mass;
    assert!((speed - 5.0 / 7.0).abs() < 0.05, "{speed}");
    // Where it touches the floor it stands.
    let state = simulation.state();
    let lowest = (0..state.len()).min_by(|&a, &b| state.x[a][1].total_cmp(&state.x[b][1])).unwrap();
    assert!(norm(state.v[lowest]) < 0.1, "{:?}", state.v[lowest]);
}

#[test]
fn static_analyses_say_that_they_leave_friction_out() {
    let text = |friction: &str| {
        format!(
            "[time]\nanalysis = \"static\"\n[body.b]\nmesh = {{ shape = \"box\", size = [1, 1, 1], cells = [1, 1, 1] }}\nmaterial = {{ young = 1e5, poisson = 0.3 }}\nfixed = \"y-max\"\n[obstacle.floor]\nshape = \"floor\"\nheight = -1\n{friction}\n"
        )
    };
    let build = |friction| {
        Simulation::build(&Scene::parse(&text(friction), Path::new("s.toml")).unwrap()).unwrap()
    };
    let told = build("friction = 0.3").warnings;
    assert!(
        told.len() == 1 && told[0].contains("friction of obstacle 'floor' is left out"),
        "{told:?}"
    );
    assert!(build("").warnings.is_empty() && build("friction = 0").warnings.is_empty());
    let error = Scene::parse(&text("friction = -1"), Path::new("s.toml")).unwrap_err().to_string();
    assert!(error.contains("obstacle.floor.friction") && error.contains("0 or more"), "{error}");
}
