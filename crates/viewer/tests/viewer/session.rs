//! What commands do to a simulation.

use pliant_algebra::vec3::{Vec3, dot, norm, sub};
use pliant_errors::Class;
use pliant_scene::Origin;
use pliant_viewer::{Colour, Command, Session, Setting, describe, frame};

use crate::reader::Picture;

/// A soft bar, held at one end, without weight, that comes to rest soon.
pub(crate) fn bar() -> Session {
    let sets = [
        "gravity=[0, 0, 0]",
        "body.bar.mesh.across=2",
        "body.bar.damping.mass=10",
        "time.integrator=\"backward-euler\"",
    ];
    let sets = sets.map(str::to_owned).to_vec();
    Session::new(Origin { scene: "bar".into(), sets }).unwrap()
}

pub(crate) fn run(session: &mut Session, steps: usize) {
    for _ in 0..steps {
        session.step();
    }
    assert!(session.notice().is_none(), "{:?}", session.notice());
}

/// The triangle of the surface whose middle is farthest along x, and that middle.
pub(crate) fn tip(session: &Session) -> (usize, Vec3) {
    let surface = &session.rest()[0];
    let middle = |t: &[u32; 3]| -> Vec3 {
        std::array::from_fn(|k| {
            t.iter().map(|&v| surface.positions()[v as usize][k]).sum::<f64>() / 3.0
        })
    };
    let middles = surface.triangles().iter().map(middle).enumerate();
    middles.max_by(|a, b| a.1[0].total_cmp(&b.1[0])).unwrap()
}

pub(crate) fn grab(id: u32, triangle: usize, at: Vec3, stiffness: Option<f64>) -> Command {
    Command::Grab { id, body: 0, triangle, weights: [1.0 / 3.0; 3], at, stiffness }
}

/// Mean displacement of the corners of a triangle, and of the farthest vertex from it.
pub(crate) fn moved(session: &mut Session, triangle: usize) -> (Vec3, f64) {
    let rest = session.rest()[0].clone();
    let now = session.simulation().surfaces()[0].clone();
    let corners = rest.triangles()[triangle].map(|v| v as usize);
    let of = |v: usize| sub(now.positions()[v], rest.positions()[v]);
    let mean = std::array::from_fn(|k| corners.iter().map(|&v| of(v)[k]).sum::<f64>() / 3.0);
    let away = |v: &usize| norm(sub(rest.positions()[*v], rest.positions()[corners[0]]));
    let all = 0..rest.positions().len();
    let farthest = all.max_by(|a, b| away(a).total_cmp(&away(b))).unwrap();
    (mean, norm(of(farthest)))
}

#[test]
fn a_pull_moves_what_is_held_towards_the_hand_and_release_lets_it_spring_back() {
    let mut session = bar();
    let (triangle, at) = tip(&session);
    let pull = [0.0, 0.08, 0.03];
    let target = [at[0], at[1] + pull[1], at[2] + pull[2]];
    session.apply(grab(1, triangle, at, Some(500.0)));
    session.apply(Command::Move { id: 1, at: target });
    run(&mut session, 150);
    let (u, far) = moved(&mut session, triangle);
    // Towards the hand, and nowhere else: what is across is a small part.
    let along = dot(u, pull) / norm(pull);
    assert!(along > 0.02 && along < norm(pull), "{u:?}");
    assert!(norm(sub(u, pull.map(|p| p * along / norm(pull)))) < 0.3 * along, "{u:?}");
    // The other end is held.
    assert!(far < 1e-9, "{far}");
    // At rest the hand's force is k times what is left of the way.
    let x = session.simulation().state().x.clone();
    let [(1, hand)] = session.grabs().iter().collect::<Vec<_>>()[..] else {
        panic!("{:?}", session.grabs())
    };
    let way = sub(target, hand.point(&x));
    assert!(norm(sub(hand.force(&x), way.map(|w| 500.0 * w))) < 1e-9);
    session.apply(Command::Release { id: 1 });
    assert!(session.grabs().is_empty());
    run(&mut session, 300);
    assert!(norm(moved(&mut session, triangle).0) < 0.02 * along);
}

#[test]
fn several_hands_pull_at_once_and_too_many_are_refused() {
    let mut session = bar();
    let (triangle, at) = tip(&session);
    for id in 0..10 {
        let target = [at[0] + 0.02, at[1], at[2]];
        session.apply(grab(id, triangle, target, Some(20.0)));
    }
    assert_eq!(session.grabs().len(), 10);
    run(&mut session, 30);
    assert!(moved(&mut session, triangle).0[0] > 1e-3);
    session.apply(grab(10, triangle, at, None));
    assert!(session.notice().unwrap().text.contains("10 hands"));
    session.apply(grab(11, usize::MAX, at, None));
    assert_eq!(session.grabs().len(), 10);
    session.release_all();
    assert!(session.grabs().is_empty());
    // A hand that no longer holds anything moves: nothing happens.
    session.apply(Command::Move { id: 3, at });
}

#[test]
fn pause_step_and_reset_do_what_they_say() {
    let mut session = bar();
    let (triangle, at) = tip(&session);
    let start = session.simulation().state().clone();
    session.apply(grab(1, triangle, [at[0], at[1] + 0.05, at[2]], None));
    run(&mut session, 5);
    session.apply(Command::Pause(true));
    assert!(!session.runs());
    session.apply(Command::Step);
    assert!(session.runs());
    session.step();
    assert!(!session.runs() && session.simulation().state().steps == 6);
    session.apply(Command::Pause(false));
    assert!(session.runs());
    session.apply(Command::Reset);
    assert_eq!(session.simulation().state().x, start.x);
    assert_eq!(session.simulation().state().time, 0.0);
    assert!(session.grabs().is_empty());
}

#[test]
fn a_changed_parameter_acts_from_the_same_state_while_hands_hold_on() {
    let mut session = bar();
    let (triangle, at) = tip(&session);
    session.apply(grab(1, triangle, [at[0], at[1] + 0.05, at[2]], Some(500.0)));
    run(&mut session, 150);
    let (x, generation) = (session.simulation().state().x.clone(), session.generation());
    let soft = moved(&mut session, triangle).0[1];
    let key = "body.bar.material.young";
    session.apply(Command::Set(key.into(), Setting::Number(1e6)));
    assert!(session.notice().is_none(), "{:?}", session.notice());
    assert_eq!(session.simulation().state().x, x);
    assert!(session.generation() > generation && session.grabs().len() == 1);
    run(&mut session, 150);
    let stiff = moved(&mut session, triangle).0[1];
    // Ten times as stiff: less than half of the way, as the hand's spring is soft beside it.
    assert!(stiff < 0.5 * soft, "{stiff} {soft}");
    // Every control takes its own value, but none beyond its bounds.
    for control in session.controls().to_vec() {
        let value = control.json()["value"].clone();
        let own = match value.as_f64() {
            Some(number) => Setting::Number(number),
            None => Setting::Name(value.as_str().unwrap().to_owned()),
        };
        session.apply(Command::Set(control.key.clone(), own));
        assert!(session.notice().is_none(), "{} {:?}", control.key, session.notice());
    }
}

#[test]
fn what_is_not_a_control_cannot_be_set() {
    let mut session = bar();
    let generation = session.generation();
    let bad = [
        ("include", Setting::Name("/etc/passwd".into())),
        ("body.bar.mesh.file", Setting::Name("/etc/passwd".into())),
        ("body.bar.material.young", Setting::Number(-1.0)),
        ("body.bar.material.young", Setting::Name("1e5\ninclude='x'".into())),
        ("time.integrator", Setting::Name("no-such".into())),
        ("time.step", Setting::Number(1e9)),
    ];
    for (number, (key, value)) in bad.into_iter().enumerate() {
        session.apply(Command::Set(key.into(), value));
        assert_eq!(session.notice().unwrap().number, number as u64 + 1, "{key}");
    }
    let scene = |name: &str| Command::Scene { name: name.into(), settings: Vec::new() };
    session.apply(scene("/etc/passwd"));
    assert!(session.notice().unwrap().text.contains("no scene"));
    assert_eq!(session.generation(), generation);
    run_on(&mut session);
}

fn run_on(session: &mut Session) {
    let before = session.simulation().state().steps;
    session.step();
    assert_eq!(session.simulation().state().steps, before + 1);
}

#[test]
fn scenes_switch_with_settings_and_back() {
    let mut session = bar();
    let settings = vec![("gravity".to_owned(), Setting::Number(1.62))];
    session.apply(Command::Scene { name: "jelly".into(), settings });
    assert_eq!(session.scene().title, "Jelly on the floor");
    assert_eq!(session.scene().gravity, [0.0, -1.62, 0.0]);
    assert!(session.notice().is_none());
    run(&mut session, 2);
    session.apply(Command::Scene { name: "bar".into(), settings: Vec::new() });
    // With what the command line had set.
    assert_eq!(session.scene().gravity, [0.0; 3]);
}

#[test]
fn a_step_that_fails_leaves_a_good_state_and_says_so() {
    // A plain law cannot be turned inside out; half a metre in a step of a tenth of a second does that.
    let sets = [
        "time.step=0.1",
        "body.bar.mesh.across=2",
        "solver.newton_iterations=2",
        "time.retry=false",
    ];
    let sets = sets.map(str::to_owned).to_vec();
    let mut session = Session::new(Origin { scene: "bar".into(), sets }).unwrap();
    let (triangle, at) = tip(&session);
    session.apply(grab(1, triangle, [at[0] - 0.5, at[1], at[2]], Some(1e6)));
    let mut steps = 0;
    while session.notice().is_none() && steps < 20 {
        session.step();
        steps += 1;
    }
    assert!(
        session
            .notice()
            .is_some_and(|n| n.class == Some(Class::Computation) && n.text.contains("step failed"))
    );
    assert!(session.grabs().is_empty());
    let good = |x: &[Vec3]| x.iter().all(|x| norm(*x) < 2.0);
    assert!(good(&session.simulation().state().x));
    // It goes on by itself, or stands still; it never breaks down.
    for _ in 0..20 {
        if session.runs() {
            session.step();
        }
        assert!(good(&session.simulation().state().x));
    }
    session.apply(Command::Reset);
    assert_eq!(session.simulation().state().time, 0.0);
}

/// A hand that pulls harder than a step can follow does not end in an error.
#[test]
fn a_step_that_was_divided_is_a_notice_and_the_motion_goes_on() {
    let sets = ["time.step=0.1", "body.bar.mesh.across=2", "solver.newton_iterations=2"];
    let sets = sets.map(str::to_owned).to_vec();
    let mut session = Session::new(Origin { scene: "bar".into(), sets }).unwrap();
    let (triangle, at) = tip(&session);
    session.apply(grab(1, triangle, [at[0] - 0.1, at[1], at[2]], None));
    for _ in 0..20 {
        session.step();
    }
    let notice = session.notice().expect("a step was divided").clone();
    assert!(notice.class.is_none() && notice.text.contains("was divided"), "{notice:?}");
    let retries = session.simulation().tally().retries;
    // What goes on for a while is said once.
    assert!(retries.steps >= notice.number && retries.attempts > 0, "{retries:?}");
    assert!(session.runs() && session.grabs().len() == 1);
    assert_eq!(session.simulation().state().steps, 20);
}

#[test]
fn a_method_that_grows_without_end_is_stopped_while_there_are_numbers() {
    let sets = ["time.integrator=\"explicit-midpoint\"", "body.bar.mesh.across=2"];
    let sets = sets.map(str::to_owned).to_vec();
    let mut session = Session::new(Origin { scene: "bar".into(), sets }).unwrap();
    for law in ["stable-neo-hookean", "linear"] {
        session.apply(Command::Set("body.bar.material.law".into(), Setting::Name(law.into())));
        session.apply(Command::Pause(false));
        let mut steps = 0;
        while session.runs() {
            session.step();
            let bytes = describe::frame(&mut session, describe::Clock::default());
            assert_eq!(Picture::read(&bytes).nonsense(), None);
            steps += 1;
            assert!(steps < 1000);
        }
        assert!(session.notice().is_some_and(|n| n.text.contains("start again")), "{law}");
        assert_eq!(session.simulation().state().time, 0.0);
    }
}

/// How many steps fail, and how many are divided, of a jelly that is pulled at as it happened under random hands: steps
/// themselves succeed, and what is summed up after them does not. No state that is nonsense is ever shown.
fn pulled_at_random(more: &[&str]) -> (u64, u64) {
    let sets = [&["body.jelly.material.law=\"neo-hookean\"", "time.step=0.02"], more].concat();
    let sets = sets.into_iter().map(str::to_owned).collect();
    let mut session = Session::new(Origin { scene: "jelly".into(), sets }).unwrap();
    for (key, value) in [
        ("body.jelly.material.young", 11947.0),
        ("body.jelly.damping.stiffness", 1.33e-3),
        ("body.jelly.material.poisson", 0.256),
        ("gravity", 11.27),
    ] {
        session.apply(Command::Set(key.into(), Setting::Number(value)));
    }
    let (triangle, at) = tip(&session);
    let (mut failed, mut seen) = (0, 0);
    for k in 0..600 {
        if k % 50 == 0 {
            let far = [at[0] + 0.2, at[1] + 0.1 * f64::from(k / 50), at[2]];
            session.apply(grab(1, triangle, far, Some(1e6)));
        }
        if !session.runs() {
            session.apply(Command::Pause(false));
        }
        session.step();
        if let Some(notice) = session.notice().filter(|n| n.number > seen) {
            (failed, seen) = (failed + u64::from(notice.class.is_some()), notice.number);
        }
        let bytes = describe::frame(&mut session, describe::Clock::default());
        let notice = session.notice().map(|n| n.text.clone()).unwrap_or_default();
        assert!(
            !notice.contains("as well") && !notice.contains("It stands:"),
            "step {k}: {notice}"
        );
        assert_eq!(Picture::read(&bytes).nonsense(), None, "step {k}: {notice}");
    }
    (failed, session.simulation().tally().retries.steps)
}

/// The method, and the floor, as they were when it happened: one linear system a stage, soft and slippery.
const AS_IT_HAPPENED: [&str; 4] = [
    "time.integrator=\"rosenbrock4-grk4t\"",
    "obstacle.floor.friction=0",
    "obstacle.floor.stiffness=769800",
    "obstacle.floor.smoothing=0.00104",
];

#[test]
fn a_step_that_ends_in_nonsense_is_not_gone_on_from() {
    let (failed, divided) =
        pulled_at_random(&[&AS_IT_HAPPENED[..], &["time.retry=false"]].concat());
    assert!(failed > 12, "next to nothing broke: this shows nothing");
    assert_eq!(divided, 0);
}

/// But for the step in which a hand takes hold, and now and then the one after: it is where it is from the start of the
/// step on, however short its parts.
#[test]
fn a_step_that_would_end_in_nonsense_is_divided() {
    let (failed, divided) = pulled_at_random(&AS_IT_HAPPENED);
    assert!(failed <= 24, "{failed} steps failed, of 12 grabs");
    assert!(divided > 0, "nothing was divided: this shows nothing");
}

/// With the method, the floor and the friction that people get.
#[test]
fn hands_at_random_break_nothing_by_default() {
    let (failed, divided) = pulled_at_random(&[]);
    assert_eq!(failed, 0, "{divided} were divided");
}

#[test]
fn after_a_break_down_the_scene_stands_at_its_start_with_its_settings() {
    let mut session = bar();
    session.apply(Command::Set("gravity".into(), Setting::Number(3.0)));
    run(&mut session, 3);
    session.recover();
    assert!(
        session.is_paused()
            && session.notice().is_some_and(|n| n.class == Some(Class::Computation))
    );
    assert_eq!(session.simulation().state().steps, 0);
    assert_eq!(session.scene().gravity[1], -3.0);
    run_on(&mut session);
}

#[test]
fn a_jump_of_the_cursor_is_a_fast_hand_and_no_blow() {
    let mut session = bar();
    let (triangle, at) = tip(&session);
    session.apply(grab(1, triangle, at, None));
    session.apply(Command::Move { id: 1, at: [at[0], at[1] + 1e5, at[2]] });
    let size = session.simulation().system().size();
    let mut before = at;
    for _ in 0..10 {
        session.step();
        for (_, grab) in session.grabs().iter() {
            // Eight sizes a second, in steps of 10 ms.
            assert!(norm(sub(grab.target, before)) < 0.081 * size);
            before = grab.target;
        }
    }
    assert!(session.notice().is_none(), "{:?}", session.notice());
}

#[test]
fn frames_hold_what_the_page_reads() {
    let mut session = bar();
    let (triangle, at) = tip(&session);
    session.apply(grab(9, triangle, [at[0], at[1] + 0.05, at[2]], Some(100.0)));
    session.apply(Command::Colour(Colour::VonMises));
    run(&mut session, 3);
    let bytes = describe::frame(&mut session, describe::Clock::default());
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let vertices = session.rest()[0].positions().len();
    let shown = Picture::read(&bytes);
    assert_eq!(shown.words, [frame::FRAME, 1, 2, 1 << frame::COLOUR_SHIFT, 1, 3]);
    assert_eq!(word(frame::HEADER), 9);
    assert!((shown.doubles[0] - 0.03).abs() < 1e-12);
    let now = session.simulation().surfaces()[0].positions().to_vec();
    let part = shown.part(frame::Kind::Positions, 0).unwrap();
    assert_eq!(part.count, vertices);
    for (v, place) in now.iter().enumerate() {
        for k in 0..3 {
            // Single precision of 0.3 m, the length of the bar.
            assert!((f64::from(part.values[3 * v + k]) - place[k]).abs() < 2e-8);
        }
    }
    // Stress is where the hand pulls.
    let stress = &shown.part(frame::Kind::Colours, 0).unwrap().values;
    let largest = stress.iter().copied().fold(0.0, f32::max);
    let corners = session.rest()[0].triangles()[triangle];
    assert!(corners.iter().any(|&v| stress[v as usize] > 0.5 * largest) && largest > 0.0);
    let (json, surfaces) = describe::scene(&mut session);
    assert!(json.contains("\"generation\":1"));
    let triangles = session.rest()[0].triangles().len();
    assert_eq!(surfaces.len(), 12 + 8 + 12 * triangles + 12 * vertices);
}

#[test]
fn every_built_in_scene_can_be_watched_and_pulled_at() {
    let mut session = bar();
    for (name, _) in pliant_scene::builtin::SCENES {
        session.apply(Command::Scene { name: (*name).into(), settings: Vec::new() });
        let said = session.notice().map(|notice| notice.number);
        let at = session.rest()[0].positions()[0];
        session.apply(grab(1, 0, at, None));
        session.step();
        session.step();
        // What is pulled at while it touches something slips within a step, which the page says.
        let touches = session.scene().contact.is_some();
        let divided = |text: &str| touches && text.contains("was divided");
        let told = session.notice().filter(|n| Some(n.number) != said && !divided(&n.text));
        assert!(told.is_none(), "{name}: {told:?}");
        assert_eq!(session.grabs().len(), 1, "{name}");
        assert!(describe::frame(&mut session, describe::Clock::default()).len() > frame::HEADER);
    }
}
