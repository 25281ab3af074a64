//! [`Tool`]: what a page asks for besides pulling: pins, the probe, recordings.

use pliant_algebra::vec3::Vec3;
use serde_json::Value;

use crate::FrameFormat;
use crate::command::{DecodeError, Message};

/// The longest name of a recording, bytes.
const LONGEST_NAME: usize = 60;
const NAME: &str = "1 to 60 letters, digits, '-' and '_'";

/// A command for one of the tools.
#[derive(Debug, Clone, PartialEq)]
pub enum Tool {
    /// Hold a point of a triangle of a body's surface where it is.
    Pin {
        /// Which body.
        body: usize,
        /// Which triangle of its surface.
        triangle: usize,
        /// Barycentric, of sum 1.
        weights: [f64; 3],
    },
    /// Take a pin out.
    Unpin {
        /// The number that the session gave it.
        id: u32,
    },
    /// Take all pins out.
    UnpinAll,
    /// Put the probe there, or move it.
    Probe {
        /// Where its centre is wanted, m.
        at: Vec3,
        /// m
        radius: f64,
        /// A factor of its stiffness.
        stiffness: f64,
    },
    /// Take the probe away.
    ProbeOff,
    /// Write frames to the folder.
    Record {
        /// What the recording is called; a number is added.
        name: String,
        /// What frames are written as.
        format: FrameFormat,
    },
    /// End the recording.
    RecordEnd,
}

/// Whether a name can be that of a folder in the chosen one, and of nothing else.
pub(crate) fn is_plain(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(plain)
}

impl Tool {
    /// Decodes a message; nothing if it is for no tool.
    pub(crate) fn decode(message: &Message<'_>) -> Result<Option<Self>, DecodeError> {
        Ok(Some(match message.command {
            "pin" => Self::Pin {
                body: message.index("body")? as usize,
                triangle: message.index("triangle")? as usize,
                weights: message.weights()?,
            },
            "unpin" => Self::Unpin { id: message.index("id")? },
            "unpin-all" => Self::UnpinAll,
            "probe" => Self::Probe {
                at: message.vector("at")?,
                radius: message.number("radius", 1e-9, 1e6)?,
                stiffness: match message.keys.get("stiffness") {
                    None => 1.0,
                    Some(_) => message.number("stiffness", 1e-3, 1e3)?,
                },
            },
            "probe-off" => Self::ProbeOff,
            "record" => {
                let name = message.keys.get("name").and_then(Value::as_str);
                let name = name.filter(|name| is_plain(name));
                let name = name.ok_or_else(|| message.wrong("name", NAME))?.to_owned();
                let format = message.name("format")?;
                let known = FrameFormat::parse(&format);
                let format = known.ok_or_else(|| message.wrong("format", "a format of frames"))?;
                Self::Record { name, format }
            }
            "record-end" => Self::RecordEnd,
            _ => return Ok(None),
        }))
    }

    /// Whether a newer one will come that says all this one does.
    pub(crate) fn is_superseded(&self) -> bool {
        matches!(self, Self::Probe { .. })
    }
}
