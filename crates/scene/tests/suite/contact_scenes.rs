//! Built-in scenes of bodies that touch, each with what it is to show.

use std::f64::consts::PI;

use pliant_algebra::vec3::{Vec3, add, norm, sub, triple};
use pliant_dynamics::Mass;
use pliant_scene::{Simulation, builtin};

/// A built-in scene with some keys changed.
fn built(name: &str, sets: &[&str]) -> Simulation {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let scene = builtin::scene(name, &sets).unwrap_or_else(|e| panic!("{name}: {e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Steps to the end, and looks at each state.
fn play(simulation: &mut Simulation, mut look: impl FnMut(&mut Simulation)) {
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|e| panic!("at {} s: {e}", simulation.state().time));
        look(simulation);
    }
    let contact = simulation.contact().unwrap();
    println!("{contact:?} {:?}", simulation.tally());
    // A step that ends with an intersection is an error.
    assert_eq!(contact.tested, simulation.state().steps);
    assert!(contact.steps > 0 && contact.smallest_gap > 0.0, "{contact:?}");
}

/// Whether a pair of bodies is this one.
fn is(pair: &[String; 2], one: &str, other: &str) -> bool {
    pair[0] == one && pair[1] == other
}

/// The volume of a body of hexahedra, by the tetrahedra at their corners, m³.
fn volume(simulation: &Simulation, body: usize, x: &[Vec3]) -> f64 {
    let body = &simulation.bodies[body];
    let x = body.of_user(x);
    let of = |cell: &[u32]| {
        let p = |k: usize| x[cell[k] as usize];
        let corner = |a, b, c, d| triple(sub(p(b), p(a)), sub(p(c), p(a)), sub(p(d), p(a)));
        let one = corner(0, 1, 3, 4)
            + corner(2, 3, 1, 6)
            + corner(5, 4, 6, 1)
            + corner(7, 6, 4, 3)
            + corner(1, 3, 4, 6);
        let other = corner(1, 2, 0, 5)
            + corner(3, 0, 2, 7)
            + corner(4, 7, 5, 0)
            + corner(6, 5, 7, 2)
            + corner(0, 7, 5, 2);
        (one + other) / 12.0
    };
    body.mesh.cells().map(of).sum()
}

fn check_chain(sets: &[&str]) {
    let mut simulation = built("chain", sets);
    play(&mut simulation, |_| ());
    let rest = simulation.system_ref().rest().to_vec();
    let weights: Vec<f64> = (0..10).map(|ring| 9810.0 * volume(&simulation, ring, &rest)).collect();
    let forces = simulation.contact_forces();
    assert_eq!(forces.pairs.len(), 9, "{forces:?}");
    for (ring, pair) in forces.pairs.iter().enumerate() {
        assert!(is(&pair.bodies, &format!("ring{}", ring + 1), &format!("ring{}", ring + 2)));
        let below: f64 = weights[ring + 1..].iter().sum();
        let off = -pair.force[1] / below - 1.0;
        println!("ring {}: {:.5} N, off by {off:.1e}", ring + 1, pair.force[1]);
        assert!(off.abs() < 1e-3, "{pair:?} {below}");
        assert!(pair.force[0].hypot(pair.force[2]) < 1e-3 * below, "{pair:?}");
    }
}

#[test]
fn each_ring_of_the_chain_bears_what_hangs_on_it() {
    let sets: Vec<String> = (1..=10).map(|k| format!("body.ring{k}.mesh.around=12")).collect();
    check_chain(&sets.iter().map(String::as_str).collect::<Vec<_>>());
}

fn check_wrung_bar(sets: &[&str]) {
    let mut simulation = built("wrung-bar", sets);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    play(&mut simulation, |simulation| {
        least = least.min(simulation.inspect().unwrap().unwrap().min_j);
        let torque = simulation.moments().unwrap();
        assert!(torque.iter().flatten().all(|c| c.is_finite()));
        most = most.max(simulation.balance().energies.elastic);
    });
    let system = simulation.system_ref();
    let (x, rest) = (&simulation.state().x, system.rest());
    let off = x.iter().zip(rest).map(|(x, r)| norm(sub(*x, *r))).fold(0.0, f64::max);
    let left = simulation.balance().energies.elastic;
    println!(
        "least J {least:.3}, {most:.2} J stored at most and {left:.1e} J in the end, {off:e} m off"
    );
    assert!(least > 0.05, "{least}");
    assert!(simulation.contact().unwrap().steps > 50);
    assert!(most > 3.0, "{most}");
    // 0.3 % of its length.
    assert!(off < 2e-3, "{off}");
}

#[test]
fn the_wrung_bar_touches_itself_and_comes_back() {
    check_wrung_bar(&["body.bar.mesh.cells=[20, 2, 2]", "time.step=\"20 ms\""]);
}

fn check_two_organs(sets: &[&str]) {
    let mut simulation = built("two-organs", sets);
    let Mass::Lumped(masses) = simulation.system_ref().mass() else { panic!("lumped masses") };
    let tool: f64 = simulation.bodies[2].range.clone().map(|v| masses[v]).sum();
    let (mut pressed, mut between) = (0.0_f64, 0.0_f64);
    play(&mut simulation, |simulation| {
        let forces = simulation.contact_forces();
        let on_tool = forces
            .pairs
            .iter()
            .filter(|pair| pair.bodies[1] == "tool")
            .fold([0.0; 3], |sum, pair| sub(sum, pair.force));
        between = forces
            .pairs
            .iter()
            .filter(|pair| is(&pair.bodies, "liver", "kidney"))
            .map(|pair| norm(pair.force))
            .fold(between, f64::max);
        let time = simulation.state().time;
        // About where it turns round.
        if (0.7..0.9).contains(&time) {
            let held = simulation.reactions().unwrap()[2];
            // It is moved by −25 mm sin²(π t / 1.6 s).
            let a = -0.025 * 2.0 * (PI / 1.6).powi(2) * (2.0 * PI * time / 1.6).cos();
            let off = norm(sub(add(held, on_tool), [0.0, tool * a, 0.0])) / norm(on_tool);
            assert!(off < 1e-6, "at {time} s: {held:?} {on_tool:?}");
            pressed = pressed.max(on_tool[1]);
        }
    });
    let system = simulation.system_ref();
    let (x, rest) = (&simulation.state().x, system.rest());
    let off = x.iter().zip(rest).map(|(x, r)| norm(sub(*x, *r))).fold(0.0, f64::max);
    println!("pressed with {pressed:.3} N, organs with {between:.3} N, in the end {off:e} m off");
    assert!(pressed > 0.5 && between > 0.05, "{pressed} {between}");
    // Apart again, and as they were.
    assert!(simulation.contact_forces().pairs.is_empty());
    assert!(off < 1e-3, "{off}");
}

#[test]
fn the_tool_is_pushed_back_by_what_it_presses_on() {
    check_two_organs(&[
        "body.liver.mesh.size=\"22 mm\"",
        "body.kidney.mesh.size=\"18 mm\"",
        "body.tool.mesh.size=\"14 mm\"",
        "time.step=\"20 ms\"",
    ]);
}

fn check_squeeze(sets: &[&str]) {
    let mut simulation = built("squeeze", sets);
    let rest = simulation.system_ref().rest().to_vec();
    let before = volume(&simulation, 0, &rest);
    play(&mut simulation, |_| ());
    let x = &simulation.state().x;
    let after = volume(&simulation, 0, x);
    let back = |x: &[Vec3]| x.iter().map(|x| x[0]).fold(f64::INFINITY, f64::min);
    let behind = back(&x[simulation.bodies[0].range.clone()]);
    println!("volume {after} of {before}, the rear end at {behind} m");
    assert!((after / before - 1.0).abs() < 1e-6, "{after} {before}");
    // Behind the last ring, which is 5 cm thick and stands at 10 cm.
    assert!(behind > 0.125, "{behind}");
    assert!(simulation.contact_forces().pairs.is_empty());
}

#[test]
fn a_ball_is_pulled_through_rings_and_comes_out_as_it_was() {
    check_squeeze(&["body.ball.mesh.core=2", "body.ball.mesh.rings=1"]);
}

/// The force (N) on the whole block at an indentation (m) over that of Hertz.
fn of_hertz(sets: &[&str]) -> f64 {
    let mut simulation = built("hertz", sets);
    play(&mut simulation, |_| ());
    let way = 0.01 * simulation.state().time;
    let hertz = 4.0 / 3.0 * 1e6 / (1.0 - 0.3 * 0.3) * 0.1_f64.sqrt() * way.powf(1.5);
    let force = simulation.reactions().unwrap()[0];
    let part = 4.0 * force[1] / hertz;
    println!("{way} m: {} N, {part} of Hertz", 4.0 * force[1]);
    part
}

#[test]
fn a_ball_presses_on_a_block_with_the_force_of_hertz() {
    let coarse = of_hertz(&[
        "body.block.mesh.cells=[13, 13, 13]",
        "time.step=\"100 ms\"",
        "time.end=\"0.1 s\"",
    ]);
    assert!((coarse - 1.0).abs() < 0.1, "{coarse}");
}

#[test]
#[ignore = "a minute without optimisation: cargo xtask nightly runs it"]
fn nightly_scenes_of_contact_show_what_they_are_to_show() {
    check_chain(&[]);
    check_wrung_bar(&[]);
    check_two_organs(&[]);
    check_squeeze(&[]);
    let part = of_hertz(&["time.end=\"0.1 s\""]);
    assert!((part - 1.0).abs() < 0.05, "{part}");
}
