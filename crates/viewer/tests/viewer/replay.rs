//! What hands did can be kept, and leads to the same bits again.

use std::path::Path;

use pliant_scene::run::{Destination, run};
use pliant_scene::{Folder as RunFolder, Origin};
use pliant_viewer::input::{Act, Event};
use pliant_viewer::{Colour, Command, Input, Replay, Session, Setting, Tool, describe};

use crate::keep::Folder;
use crate::session::{grab, tip};

const WEIGHTS: [f64; 3] = [0.25, 0.25, 0.5];

/// A bar that falls on nothing, held at one end.
fn origin() -> Origin {
    let sets = ["body.bar.mesh.across=2", "time.step=0.01", "output.frames=0.02"];
    Origin { scene: "bar".into(), sets: sets.map(str::to_owned).to_vec() }
}

fn steps(session: &mut Session, count: usize) {
    for _ in 0..count {
        session.step();
        // As the page does: what is looked at changes nothing.
        describe::frame(session, describe::Clock::default());
    }
}

/// Pulls, a pin, a probe, parameters and pauses, from a moment in the life of a session on. The end is some steps after `last`.
fn hands(session: &mut Session) {
    let (triangle, at) = tip(session);
    steps(session, 3);
    session.apply(Command::Tool(Tool::Pin { body: 0, triangle: 0, weights: WEIGHTS }));
    session.apply(grab(7, triangle, at, None));
    session.apply(Command::Colour(Colour::VonMises));
    for k in 0..12 {
        let way = 0.004 * f64::from(k);
        // The second place counts.
        session.apply(Command::Move { id: 7, at: [at[0], at[1] - 1.0, at[2]] });
        session.apply(Command::Move { id: 7, at: [at[0] + 0.1 * way, at[1] + way, at[2] - way] });
        steps(session, 1);
    }
    session.apply(Command::Pause(true));
    session.apply(Command::Set("body.bar.material.young".into(), Setting::Number(3.21e5)));
    session.apply(Command::Pause(false));
    steps(session, 5);
    session.apply(Command::Release { id: 7 });
    session.apply(Command::Tool(Tool::Unpin { id: 1 }));
    let probe =
        |y: f64| Tool::Probe { at: [at[0], at[1] + y, at[2]], radius: 0.05, stiffness: 2.0 };
    session.apply(Command::Tool(probe(0.1)));
    steps(session, 2);
    session.apply(Command::Tool(probe(0.0)));
    steps(session, 8);
    session.release_all();
    steps(session, 3);
}

fn bits(session: &mut Session) -> Vec<u64> {
    let state = session.simulation().state();
    state.x.iter().chain(&state.v).flatten().map(|n| n.to_bits()).collect()
}

/// The bits at the end of a replay that writes all that a run writes, and the rows of its history.
fn replayed(text: &str, threads: usize, folder: &Path) -> (Vec<u64>, Vec<String>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut replay = Replay::new(Input::from_text(text, "input").unwrap(), &[]).unwrap();
        let (scene, origin) = (replay.scene(), replay.session().origin().clone());
        let place = RunFolder::create(folder, &origin, true).unwrap();
        place.keep(&scene, &origin).unwrap();
        let to = Destination { folder: &place, resume: false };
        let outcome = run(&scene, &mut replay, Some(&to), &mut |_| true).unwrap();
        assert!(outcome.failure.is_none() && outcome.summary.converged);
        assert_eq!(replay.told(), Vec::<String>::new());
        assert!(!folder.join("checkpoint.bin").exists());
        let history = std::fs::read_to_string(folder.join("history.csv")).unwrap();
        (bits(replay.session()), history.lines().map(str::to_owned).collect())
    })
}

#[test]
fn a_replay_gives_the_same_bits_at_every_thread_count() {
    let mut session = Session::new(origin()).unwrap();
    hands(&mut session);
    assert!(session.notice().is_none(), "{:?}", session.notice());
    let text = session.input().to_text();
    let wanted = bits(&mut session);
    let folder = Folder::new("replay");
    let one = replayed(&text, 1, &folder.0.join("one"));
    let three = replayed(&text, 3, &folder.0.join("three"));
    assert!(one.0 == wanted, "the replay is another motion");
    assert!(one == three, "another number of threads is another motion");
    // A row for the start and one for each of the steps, each once.
    let numbers: Vec<u64> =
        one.1[1..].iter().map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(numbers, (0..=33).collect::<Vec<_>>());
    // Frames of the start, of every second step, and of the end.
    let frames = std::fs::read_dir(folder.0.join("one/frames")).unwrap();
    let frames = frames
        .filter(|f| f.as_ref().unwrap().path().extension().is_some_and(|e| e == "vtu"))
        .count();
    assert_eq!(frames, 18);
    // Without the hand it is another motion.
    let without: Vec<&str> = text.lines().filter(|line| !line.contains("\"move\"")).collect();
    let still = replayed(&without.join("\n"), 1, &folder.0.join("still"));
    assert!(still.0 != wanted);
}

/// After a reset, results are of the motion since then; what was done before still led there.
#[test]
fn a_replay_follows_hands_back_to_the_start() {
    let mut session = Session::new(origin()).unwrap();
    let (triangle, at) = tip(&session);
    session.apply(grab(1, triangle, [at[0], at[1] + 0.05, at[2]], None));
    steps(&mut session, 9);
    session.apply(Command::Reset);
    session.apply(Command::Set("gravity".into(), Setting::Number(3.0)));
    session.apply(grab(2, triangle, [at[0], at[1], at[2] + 0.05], None));
    steps(&mut session, 4);
    let folder = Folder::new("reset");
    let (bits_again, rows) = replayed(&session.input().to_text(), 1, &folder.0.join("run"));
    assert!(bits_again == bits(&mut session));
    let numbers: Vec<&str> = rows[1..].iter().map(|row| row.split(',').next().unwrap()).collect();
    assert_eq!(numbers, ["0", "1", "2", "3", "4"]);
}

/// Another scene has an input of its own, with what was set when it began.
#[test]
fn an_input_is_of_the_scene_that_runs() {
    let mut session = Session::new(origin()).unwrap();
    hands(&mut session);
    let settings = vec![("gravity".to_owned(), Setting::Number(1.62))];
    session.apply(Command::Scene { name: "bar".into(), settings: settings.clone() });
    assert_eq!((session.input().events.len(), session.input().steps), (0, 0));
    assert_eq!(session.input().settings, settings);
    hands(&mut session);
    let text = session.input().to_text();
    let folder = Folder::new("scene");
    let (again, _) = replayed(&text, 2, &folder.0.join("run"));
    assert!(again == bits(&mut session));
}

#[test]
fn commands_that_act_are_written_and_read_without_loss() {
    let third = 1.0 / 3.0;
    let commands = [
        grab(3, 17, [0.1 + 0.2, -third, 1e-300], Some(123.456)),
        grab(4, 0, [0.0, -0.0, 7.0], None),
        Command::Move { id: 3, at: [third, 2.0 * third, 5e-324] },
        Command::Release { id: 3 },
        Command::Pause(true),
        Command::Step,
        Command::Reset,
        Command::Set("gravity".into(), Setting::Number(9.806_65)),
        Command::Set("time.integrator".into(), Setting::Name("bdf2".into())),
        Command::Tool(Tool::Pin { body: 1, triangle: 2, weights: [0.2, 0.3, 0.5] }),
        Command::Tool(Tool::Unpin { id: 9 }),
        Command::Tool(Tool::UnpinAll),
        Command::Tool(Tool::Probe { at: [third; 3], radius: 0.07, stiffness: 1.1 }),
        Command::Tool(Tool::ProbeOff),
    ];
    let mut input = Session::new(origin()).unwrap().input().clone();
    for (k, command) in commands.iter().enumerate() {
        let message = command.encode().unwrap().to_string();
        assert_eq!(Command::decode(&message).as_ref(), Ok(command), "{message}");
        input.events.push(Event { step: k as u64 / 2, act: Act::Command(command.clone()) });
    }
    input.events.push(Event { step: 12, act: Act::ReleaseAll });
    input.steps = 40;
    let again = Input::from_text(&input.to_text(), "input").unwrap();
    assert_eq!(again, input);
    assert_eq!(again.to_text(), input.to_text());
    for command in [Command::Speed(0.5), Command::Take, Command::Colour(Colour::Volume)] {
        assert_eq!(command.encode(), None);
    }
}

#[test]
fn a_bad_input_is_refused_with_its_line() {
    let good = {
        let mut session = Session::new(origin()).unwrap();
        hands(&mut session);
        session.input().to_text()
    };
    let count = good.lines().count();
    let wrong = |text: &str| Input::from_text(text, "hands.jsonl").unwrap_err().to_string();
    let with = |line: usize, new: &str| {
        let mut lines: Vec<&str> = good.lines().collect();
        lines[line - 1] = new;
        wrong(&lines.join("\n"))
    };
    assert!(wrong("").contains("line 1: not JSON"), "{}", wrong(""));
    assert!(with(1, "{}").contains("line 1: no input of pliant view"));
    assert!(with(1, r#"{"pliant-input":2}"#).contains("line 1: the input is of another version"));
    assert!(with(3, "nonsense").contains("hands.jsonl, line 3: not JSON"));
    assert!(with(3, r#"{"do":"reset"}"#).contains("line 3: 'step'"));
    assert!(with(4, r#"{"step":1,"do":"reset"}"#).contains("line 4: step 1 comes after step 3"));
    let moved = r#"{"step":3,"do":"move","id":7,"at":[0,0]}"#;
    assert!(with(4, moved).contains("line 4: 'at' of 'move': a list of three numbers"));
    let colour = r#"{"step":3,"do":"colour","by":"volume"}"#;
    assert!(with(4, colour).contains("line 4: this command acts on no simulation"));
    assert!(with(4, r#"{"step":3,"do":"fly"}"#).contains("line 4: there is no command 'fly'"));
    assert!(
        with(count, r#"{"step":33,"do":"reset"}"#)
            .contains(&format!("line {count}: the last line"))
    );
    assert!(wrong(&format!("{good}{good}")).contains("there is more after the end"));
    // No part of it panics.
    for end in (0..good.len()).step_by(7).filter(|end| good.is_char_boundary(*end)) {
        assert!(Input::from_text(&good[..end], "input").is_err(), "{end}");
    }
}

#[test]
fn a_scene_that_has_changed_since_is_told_of() {
    let text = Session::new(origin()).unwrap().input().to_text();
    let other = text.replace("time.step=0.01", "time.step=0.02");
    let mut replay = Replay::new(Input::from_text(&other, "input").unwrap(), &[]).unwrap();
    let told = replay.told();
    assert!(told.len() == 1 && told[0].contains("has changed since"), "{told:?}");
}
