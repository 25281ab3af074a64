//! Pins hold, and the probe pushes with what it shows.

use pliant_algebra::vec3::{Vec3, add_scaled, dot, norm, sub};
use pliant_scene::Origin;
use pliant_viewer::{Command, MOST_PINS, Session, Setting, Tool, describe};

use crate::session::{bar, grab, moved, run, tip};

const THIRDS: [f64; 3] = [1.0 / 3.0; 3];

fn pin(triangle: usize) -> Command {
    Command::Tool(Tool::Pin { body: 0, triangle, weights: THIRDS })
}

fn probe(at: Vec3, radius: f64) -> Command {
    Command::Tool(Tool::Probe { at, radius, stiffness: 1.0 })
}

fn set(session: &mut Session, key: &str, value: f64) {
    session.apply(Command::Set(key.into(), Setting::Number(value)));
    assert!(session.notice().is_none(), "{:?}", session.notice());
}

#[test]
fn a_pin_holds_its_point_against_gravity_until_it_is_taken_out() {
    let mut session = bar();
    let (triangle, _) = tip(&session);
    session.apply(pin(triangle));
    set(&mut session, "gravity", 9.81);
    // It has survived the setting.
    assert_eq!(session.tools().pins.len(), 1);
    run(&mut session, 150);
    let pinned = norm(moved(&mut session, triangle).0);
    let pins = session.pins();
    // It carries a part of the weight, 3 kg, and moves by its force over its stiffness.
    assert!(pins[0].force[1] > 2.0 && pins[0].force[1] < 29.4, "{:?}", pins[0]);
    session.apply(Command::Tool(Tool::Unpin { id: pins[0].id }));
    assert!(session.tools().pins.is_empty());
    run(&mut session, 150);
    let free = norm(moved(&mut session, triangle).0);
    assert!(pinned < 0.01 * free && free > 0.01, "{pinned} {free}");
}

#[test]
fn pins_stay_with_their_scene_and_there_are_only_so_many() {
    let mut session = bar();
    let (triangle, at) = tip(&session);
    session.apply(grab(1, triangle, [at[0], at[1] + 0.05, at[2]], Some(500.0)));
    run(&mut session, 60);
    for _ in 0..MOST_PINS {
        session.apply(pin(triangle));
    }
    assert!(session.notice().is_none());
    session.apply(pin(triangle));
    assert!(session.notice().unwrap().text.contains("64 pins"));
    session.apply(pin(usize::MAX));
    assert_eq!(session.tools().pins.len(), MOST_PINS);
    // Hands let go, pins do not; they hold where the point was.
    session.release_all();
    let held = moved(&mut session, triangle).0;
    for _ in 0..60 {
        session.step();
    }
    assert!(norm(sub(moved(&mut session, triangle).0, held)) < 0.02 * norm(held));
    // Back at the start they hold the point where it is there, and nothing is torn.
    session.apply(Command::Reset);
    for _ in 0..30 {
        session.step();
    }
    assert!(norm(moved(&mut session, triangle).0) < 1e-9);
    session.apply(Command::Scene { name: "jelly".into(), settings: Vec::new() });
    assert!(session.tools().pins.is_empty());
}

#[test]
fn a_pin_gives_way_where_an_explicit_method_could_not_take_it() {
    let mut session = bar();
    let (triangle, _) = tip(&session);
    set(&mut session, "time.step", 2e-4);
    let explicit = Setting::Name("symplectic-euler".into());
    session.apply(Command::Set("time.integrator".into(), explicit));
    session.apply(pin(triangle));
    set(&mut session, "gravity", 9.81);
    run(&mut session, 2000);
    assert!(norm(moved(&mut session, triangle).0) < 0.05);
}

/// Presses on the upper side of the bar near its end, to a depth, and comes to rest.
fn pressed(session: &mut Session, depth: f64) -> Vec3 {
    let radius = 0.03;
    let above = [0.25, 0.1 + radius + 0.002, 0.05];
    session.apply(probe(above, radius));
    run(session, 2);
    assert_eq!(session.tools().probe.force(), [0.0; 3]);
    session.apply(probe([above[0], above[1] - 0.002 - depth, above[2]], radius));
    run(session, 400);
    session.tools().probe.force()
}

#[test]
fn at_rest_the_force_of_the_probe_is_what_the_support_holds_against() {
    let mut session = bar();
    set(&mut session, "solver.newton_tolerance", 1e-9);
    let force = pressed(&mut session, 0.02);
    assert!(force[1] < -0.5, "{force:?}");
    let reaction = session.simulation().reactions().unwrap()[0];
    let sum = add_scaled(force, reaction, 1.0);
    assert!(norm(sum) < 1e-4 * norm(force), "{force:?} {reaction:?}");
    // Twice as deep is about twice the force: the bar bends.
    let mut other = bar();
    let ratio = norm(pressed(&mut other, 0.04)) / norm(force);
    assert!(ratio > 1.7 && ratio < 2.3, "{ratio}");
}

#[test]
fn springs_of_the_probe_and_the_body_are_in_series() {
    // The whole way is what the body gives way and what the sphere enters it: the softer the sphere's
    // springs, the smaller the force, as 1/F = 1/(k d) + 1/(K d).
    let forces = [0.1, 1.0, 10.0].map(|stiffness| {
        let mut session = bar();
        let radius = 0.03;
        let above = [0.25, 0.1 + radius + 0.002, 0.05];
        session.apply(Command::Tool(Tool::Probe { at: above, radius, stiffness }));
        run(&mut session, 2);
        let at = [above[0], above[1] - 0.012, above[2]];
        session.apply(Command::Tool(Tool::Probe { at, radius, stiffness }));
        run(&mut session, 400);
        let (centre, _) = session.tools().probe.sphere().unwrap();
        assert!(norm(sub(centre, at)) < 1e-9, "{centre:?}");
        let proxy = session.tools().probe.proxy().unwrap();
        let entered = radius - dot(sub(centre, proxy.point), proxy.normal);
        let given = 0.01 - entered;
        (norm(session.tools().probe.force()), entered, given)
    });
    // The bar is nearly linear: force over its own way is the same in all three.
    let stiffness = forces.map(|(force, _, given)| force / given);
    for k in [0, 2] {
        assert!((stiffness[k] / stiffness[1] - 1.0).abs() < 0.03, "{forces:?}");
    }
    assert!(forces[0].0 < forces[1].0 && forces[1].0 < forces[2].0, "{forces:?}");
    // More of the surface is touched where the sphere enters deeper, so that it is less than in proportion.
    assert!(forces[0].1 > 2.0 * forces[1].1 && forces[1].1 > 4.0 * forces[2].1, "{forces:?}");
}

#[test]
fn a_free_body_gets_the_momentum_that_the_probe_shows() {
    let sets = ["gravity=[0, 0, 0]", "body.jelly.mesh.cells=[4, 4, 4]"].map(str::to_owned).to_vec();
    let mut session = Session::new(Origin { scene: "jelly".into(), sets }).unwrap();
    set(&mut session, "solver.newton_tolerance", 1e-10);
    let step = session.scene().time.step;
    let (centre, radius) = ([0.06, 0.16, 0.06], 0.02);
    let mut before = session.simulation().momenta().0;
    let mut pushed = 0;
    for k in 0..40 {
        let at = [centre[0] - 0.13 + 0.002 * f64::from(k), centre[1], centre[2]];
        session.apply(probe(at, radius));
        run(&mut session, 1);
        let after = session.simulation().momenta().0;
        let force = session.tools().probe.force();
        // Backward Euler: m Δv = h f at the end of the step.
        let gained = sub(after, before);
        let given = force.map(|f| step * f);
        assert!(norm(sub(gained, given)) < 1e-7 * (1.0 + norm(given)), "{k}: {gained:?} {given:?}");
        pushed += usize::from(norm(force) > 0.0);
        before = after;
    }
    assert!(pushed > 5 && before[0] > 1e-3, "{pushed} {before:?}");
    // Away from the body nothing pushes: the contact ends at once.
    session.apply(Command::Tool(Tool::ProbeOff));
    run(&mut session, 1);
    assert!(norm(sub(session.simulation().momenta().0, before)) < 1e-9);
}

#[test]
fn the_probe_cannot_be_pushed_through_a_body() {
    let mut session = bar();
    let radius = 0.03;
    session.apply(probe([0.25, 0.2, 0.05], radius));
    run(&mut session, 2);
    // Far below the bar, and beyond its end.
    session.apply(probe([0.22, -1.0, 0.05], radius));
    let mut deepest = 0.0_f64;
    for _ in 0..100 {
        session.step();
        let (Some((at, _)), Some(proxy)) =
            (session.tools().probe.sphere(), session.tools().probe.proxy())
        else {
            panic!("the probe is gone: {:?}", session.notice());
        };
        let way = sub(at, proxy.point);
        deepest = deepest.max(radius - dot(way, proxy.normal));
        assert!(dot(way, proxy.normal) > 0.0, "the centre is inside: {at:?} {proxy:?}");
    }
    assert!(deepest > 0.1 * radius && deepest < 0.6 * radius, "{deepest}");
    assert!(session.notice().is_none(), "{:?}", session.notice());
}

#[test]
fn a_probe_that_appears_inside_of_a_body_stands_beside_it() {
    let mut session = bar();
    let radius = 0.02;
    session.apply(probe([0.15, 0.06, 0.05], radius));
    run(&mut session, 1);
    // The upper side of the bar is the nearest.
    let (at, _) = session.tools().probe.sphere().unwrap();
    assert!(norm(sub(at, [0.15, 0.1 + radius, 0.05])) < 1e-12, "{at:?}");
    assert!(norm(session.tools().probe.force()) < 1e-9);
    // From there it pushes its way.
    for _ in 0..50 {
        run(&mut session, 1);
        let (at, _) = session.tools().probe.sphere().unwrap();
        let proxy = session.tools().probe.proxy().unwrap();
        assert!(dot(sub(at, proxy.point), proxy.normal) > 0.4 * radius, "{at:?} {proxy:?}");
    }
    assert!(session.tools().probe.force()[1] < -1.0);
    session.release_all();
    assert!(!session.tools().probe.is_held());
    run(&mut session, 1);
}

#[test]
fn the_record_of_the_probe_is_the_curve_of_its_force() {
    let mut session = bar();
    let force = pressed(&mut session, 0.02);
    let rows: Vec<_> = session.tools().probe.rows().copied().collect();
    let last = rows.last().unwrap();
    assert!((last.travel - 0.02).abs() < 1e-6, "{last:?}");
    assert_eq!(last.force, force);
    assert!(last.along > 0.0 && (last.along - norm(force)).abs() < 0.1 * norm(force));
    assert!(rows.windows(2).all(|pair| pair[1].step == pair[0].step + 1));
    let told: serde_json::Value = serde_json::from_str(&describe::tools(&session)).unwrap();
    assert_eq!(told["type"], "tools");
    assert_eq!(told["probe"]["rows"].as_array().unwrap().len(), rows.len());
    assert_eq!(told["probe"]["force"][1].as_f64().unwrap(), force[1]);
    session.apply(Command::Tool(Tool::ProbeOff));
    let told: serde_json::Value = serde_json::from_str(&describe::tools(&session)).unwrap();
    assert!(told["probe"].is_null());
}

#[test]
fn every_built_in_scene_can_be_pinned_and_probed() {
    let mut session = bar();
    for (name, _) in pliant_scene::builtin::SCENES {
        session.apply(Command::Scene { name: (*name).into(), settings: Vec::new() });
        session.step();
        session.apply(pin(0));
        let surface = &session.simulation().surfaces()[0];
        let (place, normal) = (surface.positions()[0], surface.normals()[0]);
        let radius = 0.1 * session.simulation().bodies[0].size();
        session.apply(probe(add_scaled(place, normal, 0.95 * radius), radius));
        session.step();
        session.step();
        assert!(session.notice().is_none(), "{name}: {:?}", session.notice());
        assert!(session.tools().pins.len() == 1 && session.tools().probe.is_held(), "{name}");
    }
}

#[test]
fn on_a_fine_mesh_the_force_does_not_jump_from_step_to_step() {
    // Triangles are smaller than the sphere, and the method damps next to nothing.
    let sets = ["gravity=[0, 0, 0]", "body.bar.mesh.across=6", "body.bar.damping.mass=6"];
    let sets = sets.map(str::to_owned).to_vec();
    let mut session = Session::new(Origin { scene: "bar".into(), sets }).unwrap();
    let radius = 0.0187;
    for k in 0..70 {
        let at = [0.25, 0.1 + radius + 0.002 - 0.0003 * f64::from(k), 0.05];
        session.apply(probe(at, radius));
        run(&mut session, 1);
    }
    // A body that swings has forces that do so, over many steps; those that jump have large second differences.
    let mut forces = Vec::new();
    for _ in 0..40 {
        run(&mut session, 1);
        forces.push(-session.tools().probe.force()[1]);
    }
    let mean = forces.iter().sum::<f64>() / 40.0;
    let jump = |w: &[f64]| (w[0] - 2.0 * w[1] + w[2]).abs();
    let jumps = forces.windows(3).map(jump).sum::<f64>() / 38.0;
    assert!(mean > 1.0 && jumps < 0.05 * mean, "{jumps} {mean}");
}
