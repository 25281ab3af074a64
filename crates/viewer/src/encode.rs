//! Commands as messages, the way back of [`Command::decode`], for those that act on a simulation.

use serde_json::{Value, json};

use crate::command::{Command, Setting};
use crate::tool::Tool;

impl Command {
    /// Returns the message that is decoded to this command, or nothing for a command that acts on no simulation: colours, the
    /// speed of the clock, recordings. Another scene is not encoded either: an input is of one scene.
    pub fn encode(&self) -> Option<Value> {
        Some(match self {
            Self::Grab { id, body, triangle, weights, at, stiffness } => json!({
                "do": "grab", "id": id, "body": body, "triangle": triangle, "weights": weights,
                "at": at, "stiffness": stiffness,
            }),
            Self::Move { id, at } => json!({"do": "move", "id": id, "at": at}),
            Self::Release { id } => json!({"do": "release", "id": id}),
            Self::Pause(on) => json!({"do": "pause", "on": on}),
            Self::Step => json!({"do": "step"}),
            Self::Reset => json!({"do": "reset"}),
            Self::Set(key, value) => json!({"do": "set", "key": key, "value": value.json()}),
            Self::Tool(tool) => return tool.encode(),
            Self::Speed(_)
            | Self::Scene { .. }
            | Self::Colour(_)
            | Self::Cut(_)
            | Self::Marks(_)
            | Self::Take => return None,
        })
    }
}

impl Tool {
    fn encode(&self) -> Option<Value> {
        Some(match self {
            Self::Pin { body, triangle, weights } => {
                json!({"do": "pin", "body": body, "triangle": triangle, "weights": weights})
            }
            Self::Unpin { id } => json!({"do": "unpin", "id": id}),
            Self::UnpinAll => json!({"do": "unpin-all"}),
            Self::Probe { at, radius, stiffness } => {
                json!({"do": "probe", "at": at, "radius": radius, "stiffness": stiffness})
            }
            Self::ProbeOff => json!({"do": "probe-off"}),
            Self::Record { .. } | Self::RecordEnd => return None,
        })
    }
}

impl Setting {
    /// As messages and inputs have it.
    pub(crate) fn json(&self) -> Value {
        match self {
            Self::Number(n) => json!(n),
            Self::Name(name) => json!(name),
        }
    }
}
