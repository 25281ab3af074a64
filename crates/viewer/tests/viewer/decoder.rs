//! Messages that anyone could have sent.

use pliant_scene::FrameFormat;
use pliant_viewer::command::LONGEST;
use pliant_viewer::{Colour, Command, DecodeError, Marks, Plane, Setting, Tool};

const GRAB: &str = r#"{"do":"grab","id":7,"body":0,"triangle":12,"weights":[0.2,0.3,0.5],"at":[0.1,-2,3e-2],"stiffness":50}"#;

#[test]
fn commands_are_what_they_say() {
    assert_eq!(
        Command::decode(GRAB),
        Ok(Command::Grab {
            id: 7,
            body: 0,
            triangle: 12,
            weights: [0.2, 0.3, 0.5],
            at: [0.1, -2.0, 0.03],
            stiffness: Some(50.0),
        })
    );
    assert_eq!(Command::decode(r#"{"do":"pause","on":true}"#), Ok(Command::Pause(true)));
    assert_eq!(Command::decode(r#"{"do":"speed","factor":0.25}"#), Ok(Command::Speed(0.25)));
    assert_eq!(
        Command::decode(
            r#"{"do":"scene","name":"bar","settings":{"gravity":1.5,"time.integrator":"rk4"}}"#
        ),
        Ok(Command::Scene {
            name: "bar".into(),
            settings: vec![
                ("gravity".into(), Setting::Number(1.5)),
                ("time.integrator".into(), Setting::Name("rk4".into())),
            ],
        })
    );
}

#[test]
fn what_is_to_be_seen_is_what_it_says() {
    assert_eq!(
        Command::decode(r#"{"do":"cut","normal":[0,0,-2],"at":0.3}"#),
        Ok(Command::Cut(Some(Plane { normal: [0.0, 0.0, -1.0], at: 0.3 })))
    );
    assert_eq!(Command::decode(r#"{"do":"cut"}"#), Ok(Command::Cut(None)));
    let marks = Command::decode(r#"{"do":"marks","holds":true,"forces":false}"#);
    assert_eq!(marks, Ok(Command::Marks(Marks { holds: true, forces: false })));
    for (name, colour) in Colour::NAMES {
        let text = format!(r#"{{"do":"colour","by":"{name}"}}"#);
        assert_eq!(Command::decode(&text), Ok(Command::Colour(colour)));
    }
}

#[test]
fn hostile_messages_are_refused_by_name() {
    let wrong = |text: &str| Command::decode(text).unwrap_err();
    let key = |text: &str| match wrong(text) {
        DecodeError::Key { key, .. } => key,
        other => panic!("{text}: {other}"),
    };
    assert!(matches!(wrong(""), DecodeError::Syntax(_)));
    assert!(matches!(wrong("\u{0}\u{ffff}"), DecodeError::Syntax(_)));
    assert!(matches!(wrong(&"[".repeat(10_000)), DecodeError::Syntax(_)));
    assert!(matches!(wrong(&" ".repeat(LONGEST + 1)), DecodeError::TooLong(_)));
    assert_eq!(wrong("[1, 2]"), DecodeError::NoCommand);
    assert_eq!(wrong(r#"{"do": 3}"#), DecodeError::NoCommand);
    assert_eq!(wrong(r#"{"do":"rm -rf"}"#), DecodeError::Unknown("rm -rf".into()));
    assert_eq!(key(r#"{"do":"move","id":1,"at":[1,2]}"#), "at");
    assert_eq!(key(r#"{"do":"move","id":1,"at":[1,2,1e300]}"#), "at");
    assert_eq!(key(r#"{"do":"move","id":-1,"at":[1,2,3]}"#), "id");
    assert_eq!(key(r#"{"do":"move","id":4294967296,"at":[1,2,3]}"#), "id");
    assert_eq!(key(&GRAB.replace("0.5]", "0.9]")), "weights");
    assert_eq!(key(&GRAB.replace("0.2,0.3,0.5", "-3,2,2")), "weights");
    assert_eq!(key(&GRAB.replace("50", "-1")), "stiffness");
    assert_eq!(key(r#"{"do":"speed","factor":0}"#), "factor");
    assert_eq!(key(&format!(r#"{{"do":"scene","name":"{}"}}"#, "a".repeat(500))), "name");
    assert_eq!(key(r#"{"do":"set","key":"gravity","value":[1]}"#), "value");
    assert_eq!(key(r#"{"do":"cut","normal":[0,0,0],"at":0}"#), "normal");
    assert_eq!(key(r#"{"do":"cut","normal":[0,0,1]}"#), "at");
    assert_eq!(key(r#"{"do":"cut","normal":[0,0,1],"at":2e6}"#), "at");
    assert_eq!(key(r#"{"do":"marks","holds":true}"#), "forces");
    assert_eq!(key(r#"{"do":"colour","by":"heat"}"#), "by");
    assert!(matches!(wrong(r#"{"do":"speed","factor":1e999}"#), DecodeError::Syntax(_)));
}

#[test]
fn no_truncated_or_mutated_message_panics() {
    for end in 0..GRAB.len() {
        assert!(Command::decode(&GRAB[..end]).is_err());
    }
    // Every byte replaced by every ASCII character: an answer, whatever it is.
    let mut bytes = GRAB.as_bytes().to_vec();
    for at in 0..bytes.len() {
        for byte in 1..128 {
            let old = std::mem::replace(&mut bytes[at], byte);
            let _ = Command::decode(std::str::from_utf8(&bytes).unwrap());
            bytes[at] = old;
        }
    }
}

#[test]
fn tools_are_decoded_within_their_bounds() {
    let tool = |text: &str| match Command::decode(text) {
        Ok(Command::Tool(tool)) => tool,
        other => panic!("{text}: {other:?}"),
    };
    let weights = [0.2, 0.3, 0.5];
    assert_eq!(
        tool(r#"{"do":"pin","body":1,"triangle":2,"weights":[0.2,0.3,0.5]}"#),
        Tool::Pin { body: 1, triangle: 2, weights }
    );
    assert_eq!(tool(r#"{"do":"unpin","id":3}"#), Tool::Unpin { id: 3 });
    assert_eq!(tool(r#"{"do":"unpin-all"}"#), Tool::UnpinAll);
    assert_eq!(
        tool(r#"{"do":"probe","at":[1,2,3],"radius":0.5}"#),
        Tool::Probe { at: [1.0, 2.0, 3.0], radius: 0.5, stiffness: 1.0 }
    );
    assert_eq!(tool(r#"{"do":"probe-off"}"#), Tool::ProbeOff);
    assert_eq!(
        tool(r#"{"do":"record","name":"jelly-2","format":"glb"}"#),
        Tool::Record { name: "jelly-2".into(), format: FrameFormat::Glb }
    );
    assert_eq!(tool(r#"{"do":"record-end"}"#), Tool::RecordEnd);
    let key = |text: &str| match Command::decode(text) {
        Err(DecodeError::Key { key, .. }) => key,
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(key(r#"{"do":"pin","body":0,"triangle":-1,"weights":[1,0,0]}"#), "triangle");
    assert_eq!(key(r#"{"do":"pin","body":0,"triangle":0,"weights":[1,1,1]}"#), "weights");
    assert_eq!(key(r#"{"do":"unpin","id":"3"}"#), "id");
    assert_eq!(key(r#"{"do":"probe","at":[1,2,1e7],"radius":0.5}"#), "at");
    assert_eq!(key(r#"{"do":"probe","at":[1,2,3],"radius":0}"#), "radius");
    assert_eq!(key(r#"{"do":"probe","at":[1,2,3],"radius":1,"stiffness":1e9}"#), "stiffness");
    for name in ["..", "a/b", "a\\\\b", "", ".hidden", "a b", "ü", "con:"] {
        let text = format!(r#"{{"do":"record","name":"{name}","format":"glb"}}"#);
        assert_eq!(key(&text), "name");
    }
    let long = format!(r#"{{"do":"record","name":"{}","format":"glb"}}"#, "a".repeat(61));
    assert_eq!(key(&long), "name");
    assert_eq!(key(r#"{"do":"record","name":"a","format":"exe"}"#), "format");
}
