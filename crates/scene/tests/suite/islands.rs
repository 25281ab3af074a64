//! Islands: bodies that nothing couples are stepped as systems of their own, through scenes.

use std::path::Path;

use pliant_algebra::vec3::{distance, norm, sub};
use pliant_scene::run::{Destination, run};
use pliant_scene::{Folder, Origin, Scene, Simulation};

use crate::temporary::Temporary;

fn parse(text: &str) -> Scene {
    Scene::parse(text, Path::new("islands.toml")).unwrap_or_else(|e| panic!("{e}"))
}

fn build(text: &str) -> Simulation {
    Simulation::build(&parse(text)).unwrap_or_else(|e| panic!("{e}"))
}

fn step(simulation: &mut Simulation) {
    simulation.step().unwrap_or_else(|e| panic!("{e}"));
}

/// Fails unless the bodies of one simulation are, to the last bit, those of the same names of another.
fn assert_same_bits(part: &Simulation, whole: &Simulation) {
    for body in &part.bodies {
        let other = whole.bodies.iter().find(|b| b.name == body.name).unwrap();
        for (a, b) in [(&part.state().x, &whole.state().x), (&part.state().v, &whole.state().v)] {
            let (a, b) = (&a[body.range.clone()], &b[other.range.clone()]);
            assert!(a == b, "{} at t = {}", body.name, part.state().time);
        }
    }
}

const CONTACT: &str = "[contact]\nmode = \"barrier\"\nfriction = 0.3\n";

fn head(integrator: &str, end: f64) -> String {
    format!(
        "[time]\nintegrator = \"{integrator}\"\nstep = \"10 ms\"\nend = \"{end} s\"\n[obstacle.floor]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0.05, 1, 0]\nfriction = 0.3\n"
    )
}

fn cube(name: &str, size: f64, at: [f64; 3], more: &str) -> String {
    let [x, y, z] = at;
    format!(
        "[body.{name}]\nmesh = {{ shape = \"box\", size = [{size}, {size}, {size}], cells = [2, 2, 2] }}\nposition = [{x}, {y}, {z}]\nmaterial = {{ law = \"stable-neo-hookean\", young = \"30 kPa\", poisson = 0.4 }}\n{more}\n"
    )
}

/// A cube that falls onto the floor, and another one that falls onto it a little later.
fn pile(name: &str, x: f64, lower: f64) -> String {
    let turned = "rotation = { axis = [0, 1, 0.2], angle = \"25 deg\" }";
    let first = cube(&format!("{name}-lower"), 0.1, [x, lower - 0.05 * x, 0.0], "");
    first
        + &cube(
            &format!("{name}-upper"),
            0.08,
            [x + 0.02, lower + 0.14 - 0.05 * x, 0.015],
            &format!("velocity = [0, -1, 0]\n{turned}"),
        )
}

#[test]
fn far_piles_change_no_bit_of_each_other_and_cost_the_sum_of_both() {
    for integrator in ["backward-euler", "bdf2"] {
        let (one, other) = (pile("one", 0.0, 0.02), pile("other", 3.0, 0.05));
        let all = head(integrator, 0.25) + CONTACT;
        let mut first = build(&format!("{all}{one}"));
        let mut second = build(&format!("{all}{other}"));
        let mut both = build(&format!("{all}{one}{other}"));
        let mut counts = Vec::new();
        while !both.is_done() {
            for simulation in [&mut first, &mut second, &mut both] {
                step(simulation);
            }
            assert_same_bits(&first, &both);
            assert_same_bits(&second, &both);
            counts.push(both.islands()[0]);
        }
        counts.dedup();
        // The lower and the upper cubes begin apart, and meet.
        assert!(counts.starts_with(&[4, 2]), "{counts:?}");
        let [a, b, sum] = [&first, &second, &both].map(Simulation::tally);
        assert_eq!(a.newton_iterations + b.newton_iterations, sum.newton_iterations);
        assert_eq!(a.linear_iterations + b.linear_iterations, sum.linear_iterations);
        assert_eq!(a.factorizations + b.factorizations, sum.factorizations);
        let tally = both.contact().unwrap();
        assert!(tally.most_pairs > 0 && tally.smallest_gap > 0.0, "{tally:?}");
        assert_eq!(Some(&(tally.islands as usize)), counts.last());
        // One balance for all of them.
        let [a, b, sum] = [&first, &second, &both].map(Simulation::balance);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * sum.energies.total().abs();
        assert!(close(a.energies.total() + b.energies.total(), sum.energies.total()));
        assert!(close(a.dissipated + b.dissipated, sum.dissipated), "{a:?} {b:?} {sum:?}");
        assert!(close(a.numerical_loss + b.numerical_loss, sum.numerical_loss));
        let work = |s: &mut Simulation| s.contact_forces().friction_work;
        assert!(work(&mut first) != 0.0);
        assert!(close(work(&mut first) + work(&mut second), work(&mut both)));
    }
}

#[test]
fn bodies_that_only_gravity_and_a_floor_act_on_change_no_bit_of_each_other() {
    // Without [contact] nearness does not count: two of them are inside each other.
    for integrator in ["backward-euler", "newmark"] {
        let all = head(integrator, 0.2);
        let one = cube("one", 0.1, [0.0, 0.02, 0.0], "");
        let other = cube("other", 0.1, [0.05, 0.06, 0.0], "velocity = [0.3, -1, 0]");
        let pair = cube("left", 0.1, [1.0, 0.05, 0.0], "")
            + &cube("right", 0.1, [1.1, 0.06, 0.0], "")
            + "[[attachment]]\nbody = \"left\"\nto = \"right\"\nwithin = \"2 cm\"\n";
        let mut parts = [&one, &other, &pair].map(|body| build(&format!("{all}{body}")));
        let mut whole = build(&format!("{all}{one}{other}{pair}"));
        while !whole.is_done() {
            step(&mut whole);
            for part in &mut parts {
                step(part);
                assert_same_bits(part, &whole);
            }
            assert_eq!(whole.islands(), [3, 0]);
        }
    }
}

/// Two cubes that fly at each other, and away again.
fn meeting() -> String {
    let text = cube("left", 0.1, [0.0, 0.0, 0.0], "velocity = [1, 0.1, 0]")
        + &cube("right", 0.08, [0.13, 0.01, 0.02], "velocity = [-1, 0, 0.2]");
    format!(
        "gravity = [0, 0, 0]\n[time]\nstep = \"5 ms\"\nend = \"0.2 s\"\n[solver]\nnewton_tolerance = 1e-10\n{CONTACT}{text}"
    )
}

#[test]
fn bodies_that_meet_and_part_keep_their_momentum_to_rounding() {
    let mut simulation = build(&meeting());
    let (start, _) = simulation.momenta();
    let size = 1000.0 * (1e-3 + 0.512e-3);
    let mut counts = Vec::new();
    while !simulation.is_done() {
        step(&mut simulation);
        let off = norm(sub(simulation.momenta().0, start));
        assert!(off < 1e-13 * size, "{off:e} at t = {}", simulation.state().time);
        counts.push(simulation.islands()[0]);
    }
    counts.dedup();
    assert_eq!(counts, [2, 1, 2]);
    let tally = simulation.contact().unwrap();
    assert!(tally.steps > 0 && tally.smallest_gap > 0.0, "{tally:?}");
}

#[test]
fn a_step_in_which_bodies_meet_against_expectation_is_taken_again_with_both() {
    // At rest 2 mm above the other, the upper one falls by g h² = 3.9 mm in a step.
    let text = "[time]\nstep = \"20 ms\"\nend = \"0.2 s\"\n".to_owned()
        + CONTACT
        + &cube("lower", 0.1, [0.0, 0.0, 0.0], "fixed = \"y-min\"")
        + &cube("upper", 0.08, [0.01, 0.102, 0.01], "");
    let mut simulation = build(&text);
    step(&mut simulation);
    assert_eq!(simulation.islands(), [1, 0]);
    let tally = simulation.contact().unwrap();
    assert!(tally.pairs > 0 && tally.smallest_gap > 0.0, "{tally:?}");
    while !simulation.is_done() {
        step(&mut simulation);
    }
    // What the floor of the lower one carries is the weight of both once they rest: they have not passed through each other.
    assert!(simulation.contact().unwrap().smallest_gap > 0.0);
}

/// State and history of a run that is stopped after some steps and goes on.
fn run_with_stops(text: &str, stops: &[u64]) -> (Vec<u8>, Vec<u8>) {
    let temporary = Temporary::new("islands");
    let origin = Origin { scene: "islands".into(), sets: Vec::new() };
    let folder = Folder::create(&temporary.0, &origin, false).unwrap();
    let scene = parse(text);
    let mut last = None;
    for (k, stop) in stops.iter().chain([&u64::MAX]).enumerate() {
        let mut simulation = Simulation::build(&scene).unwrap();
        let place = Destination { folder: &folder, resume: k > 0 };
        let outcome = run(&scene, &mut simulation, Some(&place), &mut |p| p.step < *stop).unwrap();
        assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
        last = Some(simulation.state().to_bytes());
    }
    (last.unwrap(), std::fs::read(temporary.0.join("history.csv")).unwrap())
}

#[test]
fn a_run_goes_on_to_the_bit_wherever_it_was_stopped() {
    let output = "[output]\nframes = 0\nreport = false\n";
    let pile = format!("{}{CONTACT}{output}", head("bdf2", 0.25))
        + &pile("one", 0.0, 0.02)
        + &pile("other", 3.0, 0.05);
    // Before bodies meet, in the step in which they do, in contact, and apart again.
    for (text, stops) in
        [(format!("{}{output}", meeting()), vec![1, 4, 9, 30]), (pile, vec![3, 12])]
    {
        let straight = run_with_stops(&text, &[]);
        let stopped = run_with_stops(&text, &stops);
        assert!(straight.0 == stopped.0, "state");
        assert!(straight.1 == stopped.1, "history");
    }
}

#[test]
fn islands_have_the_same_bits_at_any_number_of_threads() {
    let text =
        head("backward-euler", 0.2) + CONTACT + &pile("one", 0.0, 0.02) + &pile("other", 3.0, 0.05);
    let bytes = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = build(&text);
            while !simulation.is_done() {
                step(&mut simulation);
            }
            simulation.state().to_bytes()
        })
    };
    let one = bytes(1);
    for threads in [2, 3, 7] {
        assert!(bytes(threads) == one, "{threads} threads");
    }
}

/// Two cubes that come to rest on each other, a third that falls onto them later, and a fourth one far away that never rests.
fn sleepers(sleep: bool) -> String {
    let damped = "damping = { mass = \"20 1/s\", stiffness = \"5 ms\" }";
    let text = cube("lower", 0.1, [0.0, 0.001, 0.0], damped)
        + &cube("upper", 0.08, [0.01, 0.102, 0.01], damped)
        + &cube("late", 0.08, [0.01, 4.0, 0.01], "velocity = [0, 0, 0]")
        + &cube(
            "swing",
            0.08,
            [3.0, 1.0, 0.0],
            "moved = { set = \"y-max\", oscillation = { by = [0, 0.01, 0], frequency = \"2 Hz\" } }",
        );
    let floor = "[obstacle.floor]\nshape = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 1, 0]\nfriction = 0.3\n";
    format!("[time]\nstep = \"10 ms\"\nend = \"2 s\"\n{floor}{CONTACT}sleep = {sleep}\n{text}")
}

#[test]
fn a_stack_that_sleeps_wakes_when_it_is_hit() {
    let mut awake = build(&sleepers(false));
    let mut sleeping = build(&sleepers(true));
    let mut counts = Vec::new();
    while !awake.is_done() {
        step(&mut awake);
        step(&mut sleeping);
        let [islands, asleep] = sleeping.islands();
        println!(
            "{} {:?} {:?} {:e}",
            awake.state().time,
            awake.islands(),
            [islands, asleep],
            awake.state().fastest().1
        );
        counts.push(asleep);
        let worst = awake.state().x.iter().zip(&sleeping.state().x);
        let worst = worst.map(|(a, b)| distance(*a, *b)).fold(0.0, f64::max);
        if asleep > 0 {
            assert!(worst < 1e-6, "{worst:e}");
        }
    }
    counts.dedup();
    assert_eq!(counts, [0, 1, 0]);
}
