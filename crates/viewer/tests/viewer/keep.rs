//! What can be kept of a session: its scene as a file, and frames in the chosen folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pliant_errors::Class;
use pliant_scene::run::run;
use pliant_scene::{FrameFormat, Origin, Scene, Simulation};
use pliant_viewer::{Command, Session, Setting, Tool};

use crate::session::bar;

/// A folder that goes away.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-keep-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn recording(name: &str) -> (Session, Folder) {
    let folder = Folder::new(name);
    let sets = ["body.bar.mesh.across=2", "time.step=0.01"].map(str::to_owned).to_vec();
    let origin = Origin { scene: "bar".into(), sets };
    (Session::with_folder(origin, Some(folder.0.clone())).unwrap(), folder)
}

fn record(format: FrameFormat) -> Command {
    Command::Tool(Tool::Record { name: "fall".into(), format })
}

/// What is said when all is on disk.
fn said(session: &mut Session) -> String {
    let before = session.notice().map_or(0, |n| n.number);
    let limit = Instant::now() + Duration::from_mins(1);
    while session.notice().map_or(0, |n| n.number) == before {
        session.look_around();
        assert!(Instant::now() < limit, "the recording does not end");
    }
    session.notice().unwrap().text.clone()
}

fn files(folder: &Path) -> Vec<String> {
    let list = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap());
    let mut names: Vec<String> =
        list.map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_saved_scene_makes_the_same_motion() {
    let sets = ["body.bar.mesh.across=2", "time.end=0.2"].map(str::to_owned).to_vec();
    let mut session = Session::new(Origin { scene: "bar".into(), sets }).unwrap();
    let settings: [(&str, Setting); 6] = [
        ("gravity", Setting::Number(3.25)),
        ("body.bar.material.law", Setting::Name("stable-neo-hookean".into())),
        ("body.bar.material.young", Setting::Number(2.5e5)),
        ("body.bar.damping.stiffness", Setting::Number(0.003)),
        ("solver.newton_iterations", Setting::Number(30.0)),
        ("solver.newton_tolerance", Setting::Number(1e-5)),
    ];
    for (key, value) in settings {
        session.apply(Command::Set(key.into(), value));
    }
    session.apply(Command::Reset);
    assert!(session.notice().is_none(), "{:?}", session.notice());
    let text = session.to_toml().unwrap();
    let scene =
        Scene::parse(&text, "saved.toml".as_ref()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(scene.title, session.scene().title);
    assert_eq!(scene.gravity, [0.0, -3.25, 0.0]);
    assert_eq!(scene.time.options.newton.max_iterations, 30);
    // As `pliant run` does, to its end.
    let mut simulation = Simulation::build(&scene).unwrap();
    let outcome = run(&scene, &mut simulation, None, &mut |_| true).unwrap();
    assert_eq!(outcome.summary.steps, 20);
    for _ in 0..20 {
        session.step();
    }
    assert_eq!(session.simulation().state().x, simulation.state().x);
}

#[test]
fn every_built_in_scene_is_saved_as_it_is() {
    let mut session = bar();
    for (name, _) in pliant_scene::builtin::SCENES {
        session.apply(Command::Scene { name: (*name).into(), settings: Vec::new() });
        let text = session.to_toml().unwrap();
        let scene = Scene::parse(&text, "saved.toml".as_ref())
            .unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        let own = pliant_scene::builtin::scene(name, &[]).unwrap();
        let output = |scene: &Scene| format!("{:?}", scene.output);
        assert_eq!((scene.time.end, output(&scene)), (own.time.end, output(&own)), "{name}");
        assert_eq!(scene.probes.len(), own.probes.len(), "{name}");
        let mut simulation = Simulation::build(&scene).unwrap();
        session.step();
        simulation.step().unwrap();
        assert!(session.notice().is_none(), "{name}: {:?}", session.notice());
        let (x, own) = (&session.simulation().state().x, &simulation.state().x);
        // Under hands all bodies are one system, whose solves end where the last of them has converged.
        let near = |(x, own): (&[f64; 3], &[f64; 3])| (0..3).all(|k| (x[k] - own[k]).abs() < 1e-6);
        let apart = simulation.islands()[0] > 1;
        assert!(x == own || apart && x.iter().zip(own).all(near), "{name}\n{text}");
    }
}

#[test]
fn a_saved_scene_names_its_files_by_their_whole_path() {
    let folder = Folder::new("files");
    let mesh = "vertices";
    let scene = format!(
        "[time]\nsteps = 4\n[body.\"a \\\"b\\\"\"]\nmesh = {{ shape = \"box\" }}\nmaterial = {{ young = 1e4 }}\n\
         fixed = [{{ file = \"{mesh}.bou\" }}]\n"
    );
    std::fs::write(folder.0.join(format!("{mesh}.bou")), "1,\n2,\n3,\n4,\n").unwrap();
    let file = folder.0.join("own.toml");
    std::fs::write(&file, scene).unwrap();
    let origin = Origin { scene: file.display().to_string(), sets: vec!["time.end=0.5".into()] };
    let text = origin.to_toml().unwrap();
    let saved = Scene::parse(&text, "/elsewhere/saved.toml".as_ref());
    let saved = saved.unwrap_or_else(|e| panic!("{e}\n{text}"));
    // Of the end and the number of steps, the one that was set counts.
    assert_eq!(saved.time.end, 0.5);
    assert_eq!(saved.bodies[0].name, "a \"b\"");
    Simulation::build(&saved).unwrap_or_else(|e| panic!("{e}\n{text}"));
}

#[test]
fn frames_go_into_a_new_folder_and_nothing_is_overwritten() {
    let (mut session, folder) = recording("frames");
    std::fs::create_dir(folder.0.join("fall-001")).unwrap();
    session.apply(record(FrameFormat::Obj));
    assert!(session.notice().is_none(), "{:?}", session.notice());
    for _ in 0..30 {
        session.step();
    }
    // A frame at the start, and one every 3 steps of 10 ms.
    assert_eq!(session.tools().recording.standing().unwrap().frames, 11);
    session.apply(record(FrameFormat::Obj));
    assert!(session.notice().unwrap().text.contains("under way"));
    session.apply(Command::Tool(Tool::RecordEnd));
    let text = said(&mut session);
    assert!(text.contains("11 frames") && text.contains("fall-002"), "{text}");
    assert!(session.tools().recording.standing().is_none());
    assert_eq!(files(&folder.0), ["fall-001", "fall-002"]);
    assert!(files(&folder.0.join("fall-001")).is_empty());
    let made = folder.0.join("fall-002");
    assert_eq!(files(&made), ["frames", "history.csv", "scene.toml"]);
    assert_eq!(files(&made.join("frames")).len(), 11);
    let history = std::fs::read_to_string(made.join("history.csv")).unwrap();
    assert_eq!(history.lines().count(), 12);
    let scene = std::fs::read_to_string(made.join("scene.toml")).unwrap();
    Scene::parse(&scene, "scene.toml".as_ref()).unwrap();
}

#[test]
fn every_format_can_be_recorded_and_a_change_of_the_scene_ends_it() {
    let (mut session, folder) = recording("formats");
    for (count, &format) in FrameFormat::ALL.iter().enumerate() {
        let name = format.name();
        session.apply(record(format));
        for _ in 0..7 {
            session.step();
        }
        session.apply(Command::Set("gravity".into(), Setting::Number(1.0 + count as f64)));
        let text = said(&mut session);
        assert!(text.contains("3 frames"), "{name}: {text}");
        let made = folder.0.join(format!("fall-{:03}", count + 1));
        let all = [files(&made), files(&made.join("frames"))].concat();
        assert!(all.iter().any(|file| file.ends_with(&format!(".{name}"))), "{name}: {all:?}");
    }
}

#[test]
fn a_disk_that_fails_ends_the_recording_and_not_the_simulation() {
    let (mut session, folder) = recording("disk");
    session.apply(record(FrameFormat::Ply));
    session.step();
    std::fs::remove_dir_all(folder.0.join("fall-001")).unwrap();
    let before = session.simulation().state().steps;
    let limit = Instant::now() + Duration::from_mins(1);
    while session.notice().is_none() && Instant::now() < limit {
        session.step();
        session.look_around();
    }
    let notice = session.notice().unwrap();
    assert!(notice.class == Some(Class::Output) && notice.text.contains("fall-001"), "{notice:?}");
    assert!(session.simulation().state().steps > before);
    session.look_around();
    for _ in 0..3 {
        session.step();
    }
    // And the next one is fine again.
    let limit = Instant::now() + Duration::from_mins(1);
    while session.tools().recording.standing().is_some() && Instant::now() < limit {
        session.look_around();
    }
    session.apply(record(FrameFormat::Ply));
    session.step();
    session.apply(Command::Tool(Tool::RecordEnd));
    assert!(said(&mut session).contains("1 frame is in"));
}

#[test]
fn without_a_folder_nothing_is_recorded() {
    let mut session = bar();
    session.apply(record(FrameFormat::Glb));
    assert!(session.notice().unwrap().text.contains("no folder"));
    // Names that lead elsewhere are refused, even by those who did not come through the decoder.
    let (mut session, folder) = recording("names");
    for name in ["../out", "/tmp/x", "a/b", "..", "", "a\0b", &"x".repeat(61)] {
        let format = FrameFormat::Obj;
        session.apply(Command::Tool(Tool::Record { name: name.into(), format }));
        assert!(session.notice().is_some() && session.tools().recording.standing().is_none());
    }
    assert!(files(&folder.0).is_empty());
}
