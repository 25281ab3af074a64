//! Every control of the panel acts.

use pliant_errors::Class;
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
        Range::Switch { value } => vec![Setting::Number(f64::from(u8::from(!value)))],
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
    assert!(controls.len() >= 13, "{controls:?}");
    // Steps that do not fail are not divided: a test of its own.
    for control in controls.into_iter().filter(|c| c.key != "time.retry") {
        let value = match (control.key.as_str(), others(&control).pop()) {
            // One iteration is not enough, and the step fails.
            ("solver.newton_iterations", _) => Setting::Number(1.0),
            ("time.integrator", _) => Setting::Name("newmark".into()),
            ("solver.linear", _) => Setting::Name("minres".into()),
            // What is nearly the same asks for no other iteration.
            ("solver.newton_tolerance", _) => Setting::Number(1e-8),
            ("solver.absolute_tolerance" | "solver.speed_tolerance", _) => Setting::Number(0.5),
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
        // Copies share the controls of the first.
        let bodies = session.scene().bodies.iter();
        let bodies = bodies.filter(|b| b.copy.as_ref().is_none_or(|copy| copy.number == 1));
        assert!(of_bodies >= 3 * bodies.count(), "{name}");
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

/// Where the bodies of a scene are after some steps with these settings.
fn motion(sets: &[&str], settings: &[(&str, Setting)]) -> Vec<[f64; 3]> {
    motion_of("bar", sets, settings)
}

fn motion_of(scene: &str, sets: &[&str], settings: &[(&str, Setting)]) -> Vec<[f64; 3]> {
    let sets = sets.iter().map(|&set| set.to_owned()).collect();
    let mut session = Session::new(Origin { scene: scene.into(), sets }).unwrap();
    for (key, value) in settings {
        session.apply(Command::Set((*key).to_owned(), value.clone()));
        assert!(session.notice().is_none(), "{key}: {:?}", session.notice());
    }
    (0..5).for_each(|_| session.step());
    session.simulation().state().x.clone()
}

#[test]
fn the_own_constants_of_a_law_are_controls() {
    let file = format!("pliant-own-constants-{}.toml", std::process::id());
    let file = std::env::temp_dir().join(file);
    let text = "[time]\nstep = 0.01\n[body.bar]\nfixed = \"x-min\"\n\
        mesh = { shape = \"box\", size = [0.3, 0.1, 0.1], cells = [6, 2, 2], cell = \"tet6\" }\n\
        material = { law = \"mooney-rivlin\", mu10 = 1e4, mu01 = 5e3, v1 = 2e5 }\n";
    std::fs::write(&file, text).unwrap();
    let scene = file.display().to_string();
    let session = Session::new(Origin { scene: scene.clone(), sets: Vec::new() }).unwrap();
    let keys: Vec<&str> = session.controls().iter().map(|c| c.key.as_str()).collect();
    let plain = motion_of(&scene, &[], &[]);
    for name in ["mu10", "mu01", "v1"] {
        let key = format!("body.bar.material.{name}");
        assert!(keys.contains(&key.as_str()), "{keys:?}");
        let other = motion_of(&scene, &[], &[(&key, Setting::Number(3e4))]);
        assert!(other != plain, "{name} changes nothing");
    }
    std::fs::remove_file(&file).unwrap();
}

/// The activation of a muscle, and constants of an energy that are called as those of laws are.
#[test]
fn activations_and_constants_of_an_energy_are_controls() {
    let file = format!("pliant-panel-muscle-{}.toml", std::process::id());
    let file = std::env::temp_dir().join(file);
    let text = "gravity = [0, 0, 0]\n[time]\nstep = 0.01\n[body.bar]\nfixed = \"x-min\"\n\
        mesh = { shape = \"box\", size = [0.3, 0.1, 0.1], cells = [6, 2, 2], cell = \"tet6\" }\n\
        material = { energy = \"mu/2*(I1 - 3) - mu*log(J) + mu*log(J)^2\", mu = \"5 kPa\", \
        fibres = [{ direction = [1, 0, 0], tension = \"2 kPa\", activation = 0.2 }] }\n";
    std::fs::write(&file, text).unwrap();
    let scene = file.display().to_string();
    let session = Session::new(Origin { scene: scene.clone(), sets: Vec::new() }).unwrap();
    let keys: Vec<&str> = session.controls().iter().map(|c| c.key.as_str()).collect();
    let plain = motion_of(&scene, &[], &[]);
    for (name, value) in [("fibres.0.activation", 0.9), ("mu", 3e4)] {
        let key = format!("body.bar.material.{name}");
        assert!(keys.contains(&key.as_str()), "{keys:?}");
        let other = motion_of(&scene, &[], &[(&key, Setting::Number(value))]);
        assert!(other != plain, "{name} changes nothing");
    }
    std::fs::remove_file(&file).unwrap();
}

/// A block that is pressed to a tenth of its length within the second step: its cells would be turned inside out.
#[test]
fn failed_steps_are_divided_or_not_as_the_panel_says() {
    let file = format!("pliant-panel-retry-{}.toml", std::process::id());
    let file = std::env::temp_dir().join(file);
    let text = r#"
[body.block]
mesh = { shape = "box", size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }
material = { law = "neo-hookean", young = "20 kPa", poisson = 0.3 }
fixed = "x-min"
damping = { mass = "2 1/s" }
[body.block.moved]
set = "x-max"
translation = { by = [-0.09, 0, 0], curve = { kind = "table", times = [0, 0.02, 0.04], values = [0, 0, 1] } }
[time]
step = "20 ms"
"#;
    std::fs::write(&file, text).unwrap();
    let origin = || Origin { scene: file.display().to_string(), sets: Vec::new() };
    for (retry, goes_on) in [(None, true), (Some(1.0), true), (Some(0.0), false)] {
        let mut session = Session::new(origin()).unwrap();
        if let Some(retry) = retry {
            session.apply(Command::Set("time.retry".into(), Setting::Number(retry)));
        }
        assert!(session.notice().is_none(), "{:?}", session.notice());
        (0..3).for_each(|_| session.step());
        let notice = session.notice().expect("the step is divided, or fails");
        assert_eq!(notice.class, (!goes_on).then_some(Class::Computation), "{retry:?}: {notice:?}");
        assert_eq!(session.simulation().state().steps == 3, goes_on, "{retry:?}");
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn a_preconditioner_can_be_chosen_and_goes_with_its_solver() {
    let name = |name: &str| Setting::Name(name.to_owned());
    let sets = ["body.bar.mesh.across=2"];
    let (linear, preconditioner) = ("solver.linear", "solver.preconditioner");
    let cg = motion(&sets, &[(linear, name("cg"))]);
    let diagonal = [(linear, name("cg")), (preconditioner, name("diagonal"))];
    assert!(motion(&sets, &diagonal) != cg);
    let auto = [(linear, name("cg")), (preconditioner, name("auto"))];
    assert_eq!(motion(&sets, &auto), cg);
    // A direct solver takes none: the one that was chosen is left out.
    let back = [(linear, name("cg")), (preconditioner, name("ssor")), (linear, name("cholesky"))];
    assert_eq!(motion(&sets, &back), motion(&sets, &[(linear, name("cholesky"))]));
}

#[test]
fn what_is_asked_for_is_not_chosen_anew() {
    let name = |name: &str| Setting::Name(name.to_owned());
    let sets = ["body.bar.mesh.across=2"];
    let chosen = motion(&sets, &[]);
    // Left to the program in so many words, it is the same.
    for key in ["solver.newton", "solver.linear"] {
        assert_eq!(motion(&sets, &[(key, name("auto"))]), chosen);
    }
    for (key, value) in [("solver.newton", "inexact"), ("solver.linear", "cholesky")] {
        assert!(motion(&sets, &[(key, name(value))]) != chosen, "{key} = {value}");
    }
}

#[test]
fn invertible_is_dropped_with_a_law_that_has_no_such_form() {
    let name = |name: &str| Setting::Name(name.to_owned());
    let (law, invertible) = ("body.bar.material.law", "body.bar.material.invertible");
    let sets = ["body.bar.mesh.across=2"];
    let both = [(invertible, Setting::Number(1.0)), (law, name("linear"))];
    assert_eq!(motion(&sets, &both), motion(&sets, &[(law, name("linear"))]));
}

#[test]
fn a_formula_is_shown_and_changed_in_the_scene_alone() {
    let file = format!("pliant-panel-formula-{}.toml", std::process::id());
    let file = std::env::temp_dir().join(file);
    let text = r#"
[body.bar]
mesh = { shape = "box", size = [0.3, 0.1, 0.1], cells = [3, 1, 1] }
material = { law = "neo-hookean", young = { expression = "1e4 * (1 + x)" }, poisson = 0.3 }
density = { expression = "900 * (1 + y)" }
fixed = "x-min"
"#;
    std::fs::write(&file, text).unwrap();
    let origin = Origin { scene: file.display().to_string(), sets: Vec::new() };
    let mut session = Session::new(origin).unwrap();
    for key in ["body.bar.material.young", "body.bar.density"] {
        let control = session.controls().iter().find(|c| c.key == key).unwrap().clone();
        let shown = |r: &Range| matches!(r, Range::Name { value, .. } if value == "by formula");
        assert!(shown(&control.range), "{control:?}");
        session.apply(Command::Set(key.into(), Setting::Number(1e5)));
        let notice = session.notice().unwrap();
        assert_eq!(notice.class, Some(Class::Input));
        assert!(notice.text.contains("change it in the scene file"), "{notice:?}");
    }
    std::fs::remove_file(&file).unwrap();
}
