//! Every control of the panel acts.

use pliant_scene::Origin;
use pliant_viewer::controls::{Control, Range};
use pliant_viewer::{Command, Session, Setting};

use crate::session::bar;

/// Values of a control that differ from the present one.
fn others(control: &Control) -> Vec<Setting> {
    match &control.range {
        Range::Number { value, bounds: (low, high), .. } => {
            let near =
                if 1.5 * value <= *high && *value != 0.0 { 1.5 * value } else { 0.5 * value };
            let other = if *value == 0.0 { low + 0.1 * (high - low) } else { near };
            vec![Setting::Number(other.clamp(*low, *high))]
        }
        Range::Count { value, .. } => vec![Setting::Number(*value as f64 + 1.0)],
        Range::Name { value, choices } => {
            let others = choices.iter().filter(|(name, _)| name != value);
            others.map(|(name, _)| Setting::Name((*name).to_owned())).collect()
        }
    }
}

#[test]
fn every_control_changes_the_motion() {
    let after = |change: Option<(&str, Setting)>| {
        let mut session = bar();
        session.apply(Command::Set("gravity".into(), Setting::Number(9.81)));
        let key = "body.bar.damping.stiffness";
        session.apply(Command::Set(key.into(), Setting::Number(0.002)));
        if let Some((key, value)) = change {
            session.apply(Command::Set(key.into(), value));
        }
        assert!(session.notice().is_none(), "{:?}", session.notice());
        for _ in 0..5 {
            session.step();
        }
        session.simulation().state().x.clone()
    };
    let plain = after(None);
    let controls = bar().controls().to_vec();
    assert!(controls.len() >= 11, "{controls:?}");
    for control in controls {
        let value = match (control.key.as_str(), others(&control).pop()) {
            // One iteration is not enough, and the step fails.
            ("solver.newton_iterations", _) => Setting::Number(1.0),
            ("time.integrator", _) => Setting::Name("newmark".into()),
            ("solver.linear", _) => Setting::Name("minres".into()),
            // What is nearly the same asks for no other iteration.
            ("solver.newton_tolerance", _) => Setting::Number(1e-8),
            ("gravity", _) => Setting::Number(1.62),
            (_, value) => value.unwrap(),
        };
        assert!(after(Some((&control.key, value))) != plain, "{} changes nothing", control.key);
    }
}

#[test]
fn every_control_of_every_built_in_scene_takes_what_it_offers() {
    for (name, _) in pliant_scene::builtin::SCENES {
        let origin = Origin { scene: (*name).into(), sets: Vec::new() };
        let mut session = Session::new(origin).unwrap();
        let of_bodies = session.controls().iter().filter(|c| c.body.is_some()).count();
        assert!(of_bodies >= 3 * session.scene().bodies.len(), "{name}");
        assert!(session.controls().iter().any(|c| c.key == "solver.linear"), "{name}");
        for control in session.controls().to_vec() {
            // The last of a list stands for it: what a list offers is the same in all scenes.
            let Some(other) = others(&control).pop() else { continue };
            let said = session.notice().map(|n| n.number);
            session.apply(Command::Set(control.key.clone(), other.clone()));
            if session.notice().map(|n| n.number) != said {
                // A ball that is inside out can only be made of what takes that, and the page says so.
                let text = &session.notice().unwrap().text;
                let refused = *name == "inverted" && text.contains("inverted or collapsed");
                assert!(refused, "{name}, {} = {other:?}: {text}", control.key);
                continue;
            }
            assert!(session.settings().contains(&(control.key, other)), "{name}");
        }
    }
}
