//! Built-in scenes that friction holds together, each with a number.

use pliant_algebra::vec3::{Vec3, add_scaled, norm, scale, sub};
use pliant_contact::normal::NormalContact;
use pliant_forces::Workspace;
use pliant_scene::{Simulation, builtin};

fn build(name: &str, sets: &[&str]) -> Simulation {
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
    let scene = builtin::scene(name, &sets).unwrap_or_else(|e| panic!("{e}"));
    Simulation::build(&scene).unwrap_or_else(|e| panic!("{e}"))
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.state().time < time - 1e-9 {
        simulation.step().unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Fails where surfaces intersect, or where a step has not been tested for that.
fn assert_apart(simulation: &Simulation) {
    let contact = simulation.system_ref().models_of::<NormalContact>().next().unwrap();
    contact.refuse_intersections(&simulation.state().x, &mut Workspace::new()).unwrap();
    let tally = simulation.contact().unwrap();
    assert!(tally.steps > 0 && tally.smallest_gap > 0.0, "{tally:?}");
    assert_eq!(tally.tested, simulation.state().steps);
}

/// The place of a body in the list of all.
fn body(simulation: &Simulation, name: &str) -> usize {
    simulation.bodies.iter().position(|b| b.name == name).unwrap()
}

/// The mean of the vertices of a body.
fn mean(list: &[Vec3], simulation: &Simulation, body: usize) -> Vec3 {
    let range = simulation.bodies[body].range.clone();
    let sum = list[range.clone()].iter().fold([0.0; 3], |sum, v| add_scaled(sum, *v, 1.0));
    scale(sum, 1.0 / range.len() as f64)
}

#[test]
fn blocks_on_a_slope_keep_to_their_marks() {
    let mut s = build("slope", &[]);
    let start = s.state().x.clone();
    run_to(&mut s, 1.0);
    assert_apart(&s);
    let mut still = 0.0_f64;
    for k in 1..=10 {
        let friction = 0.1 * f64::from(k) - 0.05;
        let [block, mark] = ["block", "mark"].map(|of| body(&s, &format!("{of}-{k}")));
        let [gone, marked] =
            [block, mark].map(|b| sub(mean(&s.state().x, &s, b), mean(&start, &s, b)));
        // Down the slope by ½ g (sin θ − μ cos θ) t² with tan θ = ½.
        let law = 0.5 * 9.81 * (0.5 - friction).max(0.0) / 1.25_f64.sqrt();
        let way = [law / 1.25_f64.sqrt(), -0.5 * law / 1.25_f64.sqrt(), 0.0];
        assert!(norm(sub(marked, way)) < 1e-12, "mark {k}: {marked:?} {way:?}");
        let off = norm(sub(gone, way));
        let range = s.bodies[block].range.clone();
        let fastest = s.state().v[range].iter().map(|v| norm(*v)).fold(0.0, f64::max);
        println!("{friction:.2}: {law:.5} m, off by {off:.2e} m, {fastest:.1e} m/s");
        if law > 0.0 {
            assert!(off < 0.005 * law, "{friction}: {off:e} of {law}");
        } else {
            still = still.max(fastest);
            assert!(off < 2e-5, "{friction}: {off:e} m");
        }
    }
    assert!(still < 1e-9, "what sticks moves with {still:e} m/s");
}

/// How far the crown of the arch is below where it began after a time, with a friction in all joints.
fn crown_sinks(friction: &str, time: f64) -> f64 {
    let floor = format!("obstacle.floor.friction={friction}");
    let mut s = build("arch", &[&format!("contact.friction={friction}"), &floor]);
    run_to(&mut s, time);
    assert_apart(&s);
    let fastest = s.state().fastest().1;
    let sinks = -s.displacement(&s.probes[0])[1];
    println!("μ = {friction}: the crown is {sinks:.2e} m lower after {time} s, {fastest:.1e} m/s");
    sinks
}

/// Clear span of the arch, m.
const SPAN: f64 = 1.8;

#[test]
fn an_arch_stands_by_friction() {
    // It does not move any more after a part of a second: the nightly run takes it to 5 s.
    let sinks = crown_sinks("0.5", 0.5);
    assert!(sinks > 0.0 && sinks < 3e-3 * SPAN, "{sinks}");
}

#[test]
#[ignore = "minutes without optimisation: cargo xtask nightly runs it"]
fn an_arch_stands_for_five_seconds() {
    let sinks = crown_sinks("0.5", 5.0);
    assert!(sinks > 0.0 && sinks < 3e-3 * SPAN, "{sinks}");
}

#[test]
fn an_arch_falls_where_friction_is_too_low() {
    let sinks = crown_sinks("0.2", 0.5);
    assert!(sinks > 0.01 * SPAN, "{sinks}");
}

/// How far the highest card of the house has moved, and the fastest vertex then, m and m/s.
fn card_house(time: f64) -> (f64, f64) {
    let mut s = build("card-house", &[]);
    run_to(&mut s, time);
    assert_apart(&s);
    let (moved, fastest) = (norm(s.displacement(&s.probes[0])), s.state().fastest().1);
    println!("the highest card has moved by {moved:.2e} m after {time} s, {fastest:.1e} m/s");
    (moved, fastest)
}

#[test]
fn a_house_of_cards_comes_to_rest() {
    let (moved, fastest) = card_house(0.5);
    assert!(moved < 1e-3 && fastest < 1e-6, "{moved:e} {fastest:e}");
}

#[test]
#[ignore = "minutes without optimisation: cargo xtask nightly runs it"]
fn a_house_of_cards_stands_for_five_seconds() {
    let (moved, fastest) = card_house(5.0);
    assert!(moved < 1e-3 && fastest < 1e-6, "{moved:e} {fastest:e}");
}

/// The height of the lowest vertex of a body, and of its highest.
fn heights(s: &Simulation, body: usize) -> [f64; 2] {
    let y = s.bodies[body].range.clone().map(|v| s.state().x[v][1]);
    y.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], y| [low.min(y), high.max(y)])
}

#[test]
fn each_joint_of_five_cubes_bears_what_is_above_it() {
    let mut s = build("five-cubes", &["solver.newton_tolerance=1e-12"]);
    run_to(&mut s, 3.0);
    assert_apart(&s);
    let forces = s.contact_forces();
    let mut above = 5.0;
    let (mut last, mut worst) = (0.0, 0.0_f64);
    for k in 1..5 {
        above -= 1.0;
        let weight = 9.81 * above;
        let pair = forces.pairs.iter().find(|pair| pair.bodies[1] == format!("cube-{}", k + 1));
        let force = pair.unwrap().force;
        let off = norm(sub(force, [0.0, -weight, 0.0])) / weight;
        let gap = heights(&s, k)[0] - heights(&s, k - 1)[1];
        println!("joint {k}: force off by {off:.1e}, gap {gap:.4e} m");
        worst = worst.max(off);
        // The more a joint bears, the narrower it is.
        assert!(gap > last, "joint {k}: {gap:e} above {last:e}");
        last = gap;
    }
    assert!(worst < 1e-8, "{worst:e}");
}

#[test]
#[ignore = "minutes without optimisation: cargo xtask nightly runs it"]
fn five_cubes_stand_for_ten_seconds() {
    let mut s = build("five-cubes", &[]);
    run_to(&mut s, 4.0);
    let before = s.state().x.clone();
    run_to(&mut s, 10.0);
    let drift = s.state().x.iter().zip(&before).map(|(x, y)| norm(sub(*x, *y))).fold(0.0, f64::max);
    println!("drift {drift:e} m");
    assert!(drift < 1e-6 * 0.1, "{drift:e}");
}

#[test]
fn creatures_that_meet_in_mid_air_keep_their_momentum() {
    let mut s = build("two-creatures", &["solver.newton_tolerance=1e-10"]);
    let mass: f64 = s.bodies.iter().flat_map(pliant_scene::Body::masses).sum();
    let (start, _) = s.momenta();
    let energy = |s: &mut Simulation| {
        let e = s.balance().energies;
        e.kinetic + e.elastic + e.gravity + e.other
    };
    let mut last = energy(&mut s);
    let mut met = 0;
    while s.state().time < 0.25 - 1e-9 {
        s.step().unwrap_or_else(|e| panic!("{e}"));
        let now = energy(&mut s);
        assert!(
            now < last + 1e-9 * last.abs().max(1.0),
            "t = {}: {last} to {now} J",
            s.state().time
        );
        last = now;
        met = s.contact().unwrap().steps;
        // Gravity alone changes the momentum of both.
        let (momentum, _) = s.momenta();
        let expected = add_scaled(start, [0.0, -9.81 * mass, 0.0], s.state().time);
        let off = norm(sub(momentum, expected)) / mass;
        assert!(off < 1e-11, "t = {}: momentum off by {off:e} m/s", s.state().time);
    }
    assert_apart(&s);
    println!("{met} steps in contact");
    assert!(met > 5, "{met}");
}
