//! Messages to the viewer, which any program on the machine could have sent. The decoder is taken in as files: its crate
//! would bring the server and the simulator along, and minutes of building.
#![no_main]

#[allow(dead_code)]
#[path = "../../crates/viewer/src/command.rs"]
mod command;
#[allow(dead_code)]
#[path = "../../crates/viewer/src/tool.rs"]
mod tool;

use command::{Command, DecodeError, LONGEST};
use libfuzzer_sys::fuzz_target;
use pliant_fuzz as _;

/// Stands for the one of the simulator.
#[derive(Debug, Clone, Copy, PartialEq)]
enum FrameFormat {
    Vtu,
    Obj,
}

impl FrameFormat {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "vtu" => Some(Self::Vtu),
            "obj" => Some(Self::Obj),
            _ => None,
        }
    }
}

/// No hand is farther away, m.
const FARTHEST: f64 = 1e6;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let near = |at: [f64; 3]| at.iter().all(|x| x.abs() <= FARTHEST);
    match Command::decode(text) {
        Err(error) => {
            let told = error.to_string();
            assert!(told.len() > 10 && told.len() < 400, "{told}");
            assert!(!matches!(error, DecodeError::TooLong(_)) || text.len() > LONGEST);
        }
        Ok(Command::Grab { weights, at, stiffness, .. }) => {
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9 && near(weights));
            assert!(near(at) && stiffness.is_none_or(|k| (0.0..=1e12).contains(&k)));
        }
        Ok(Command::Move { at, .. }) => assert!(near(at)),
        Ok(Command::Speed(factor)) => assert!((0.001..=10.0).contains(&factor)),
        Ok(Command::Cut(Some(plane))) => {
            let length: f64 = plane.normal.iter().map(|n| n * n).sum();
            assert!((length - 1.0).abs() < 1e-9 && plane.at.abs() <= FARTHEST);
        }
        Ok(_) => {}
    }
});
