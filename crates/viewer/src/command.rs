//! [`Command`]: what a page may ask for, decoded from text that anyone could have sent.

use pliant_algebra::vec3::Vec3;
use serde_json::{Map, Value};

use crate::tool::Tool;

/// The longest message, bytes. A scene with all its settings takes a part of that.
pub const LONGEST: usize = 16 * 1024;
/// Farther than this no hand reaches, m.
const FARTHEST: f64 = 1e6;
/// Settings that a scene may be asked for with.
const MOST_SETTINGS: usize = 64;
/// The longest name, bytes.
const LONGEST_NAME: usize = 200;

/// A setting of a scene: a number in SI units, or a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// In SI units.
    Number(f64),
    /// One of a list.
    Name(String),
}

/// What surfaces are coloured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// Nothing that the simulation has to compute: plain, or displacements, which the page knows.
    #[default]
    None,
    /// Von Mises stress, Pa.
    VonMises,
    /// Energy density, J/m³.
    EnergyDensity,
    /// Volume over volume at rest, J = det F.
    Volume,
    /// Pressure of contact with bodies and obstacles, Pa.
    ContactPressure,
}

impl Colour {
    /// All of them, as pages call them.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("none", Self::None),
        ("von-mises", Self::VonMises),
        ("energy-density", Self::EnergyDensity),
        ("volume", Self::Volume),
        ("contact-pressure", Self::ContactPressure),
    ];
}

/// A plane through bodies at rest: what is beyond it is hidden.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Of length 1; towards what is hidden.
    pub normal: Vec3,
    /// Its distance from the origin along the normal, m.
    pub at: f64,
}

/// What is drawn besides bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    /// Vertices that are held.
    pub holds: bool,
    /// Forces of loads, contacts and supports.
    pub forces: bool,
}

/// What a page asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Pull at a point of a triangle of a body's surface.
    Grab {
        /// The number by which the page knows it.
        id: u32,
        /// Which body.
        body: usize,
        /// Which triangle of its surface.
        triangle: usize,
        /// Barycentric, of sum 1.
        weights: [f64; 3],
        /// Where the hand is, m.
        at: Vec3,
        /// N/m; chosen by the body if none.
        stiffness: Option<f64>,
    },
    /// Move a hand.
    Move {
        /// Which one.
        id: u32,
        /// To where, m.
        at: Vec3,
    },
    /// Let go.
    Release {
        /// Of which one.
        id: u32,
    },
    /// Stop, or go on.
    Pause(bool),
    /// One step, then stop.
    Step,
    /// Back to the start.
    Reset,
    /// Simulated time for each second of the clock, at most.
    Speed(f64),
    /// Another scene, with settings.
    Scene {
        /// Its name.
        name: String,
        /// Keys and values.
        settings: Vec<(String, Setting)>,
    },
    /// Another value of a setting.
    Set(String, Setting),
    /// Colours.
    Colour(Colour),
    /// Something for a tool.
    Tool(Tool),
    /// Cut bodies open, or close them again.
    Cut(Option<Plane>),
    /// Marks.
    Marks(Marks),
    /// Become the page whose commands count.
    Take,
}

/// What is wrong with a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Too long.
    #[error("a message of {0} bytes: at most {LONGEST} are taken")]
    TooLong(usize),
    /// No JSON.
    #[error("not JSON: {0}")]
    Syntax(String),
    /// JSON, but no object with a text `do`.
    #[error("a message is an object with a text 'do'")]
    NoCommand,
    /// Something else to do.
    #[error("there is no command '{0}'")]
    Unknown(String),
    /// A key that is missing or holds something else.
    #[error("'{key}' of '{command}': {needed} is needed")]
    Key {
        /// The command.
        command: String,
        /// The key.
        key: &'static str,
        /// What it should hold.
        needed: &'static str,
    },
}

/// The object, to be read key by key.
pub(crate) struct Message<'a> {
    pub(crate) command: &'a str,
    pub(crate) keys: &'a Map<String, Value>,
}

impl Message<'_> {
    pub(crate) fn wrong(&self, key: &'static str, needed: &'static str) -> DecodeError {
        DecodeError::Key { command: self.command.to_owned(), key, needed }
    }

    pub(crate) fn index(&self, key: &'static str) -> Result<u32, DecodeError> {
        let number = self.keys.get(key).and_then(Value::as_u64);
        let number = number.and_then(|n| u32::try_from(n).ok());
        number.ok_or_else(|| self.wrong(key, "a number from 0 to 4294967295"))
    }

    pub(crate) fn number(
        &self,
        key: &'static str,
        low: f64,
        high: f64,
    ) -> Result<f64, DecodeError> {
        let number = self.keys.get(key).and_then(Value::as_f64);
        let number = number.filter(|n| (low..=high).contains(n));
        number.ok_or_else(|| self.wrong(key, "a number within its range"))
    }

    pub(crate) fn vector(&self, key: &'static str) -> Result<Vec3, DecodeError> {
        let list = self.keys.get(key).and_then(Value::as_array).filter(|list| list.len() == 3);
        let mut vector = [0.0; 3];
        for (k, slot) in vector.iter_mut().enumerate() {
            let number = list.and_then(|list| list.get(k)).and_then(Value::as_f64);
            let number = number.filter(|n| n.abs() <= FARTHEST);
            *slot = number.ok_or_else(|| self.wrong(key, "a list of three numbers"))?;
        }
        Ok(vector)
    }

    /// Nothing where there is no normal.
    fn plane(&self) -> Result<Option<Plane>, DecodeError> {
        if matches!(self.keys.get("normal"), None | Some(Value::Null)) {
            return Ok(None);
        }
        let normal = self.vector("normal")?;
        let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        if length < 1e-6 {
            return Err(self.wrong("normal", "a direction that is not zero"));
        }
        let at = self.number("at", -FARTHEST, FARTHEST)?;
        Ok(Some(Plane { normal: normal.map(|n| n / length), at }))
    }

    pub(crate) fn name(&self, key: &'static str) -> Result<String, DecodeError> {
        let text = self.keys.get(key).and_then(Value::as_str);
        let text = text.filter(|t| !t.is_empty() && t.len() <= LONGEST_NAME);
        text.map(str::to_owned).ok_or_else(|| self.wrong(key, "a short text"))
    }

    fn switch(&self, key: &'static str) -> Result<bool, DecodeError> {
        let value = self.keys.get(key).and_then(Value::as_bool);
        value.ok_or_else(|| self.wrong(key, "true or false"))
    }

    fn setting(&self, key: &'static str, value: Option<&Value>) -> Result<Setting, DecodeError> {
        match value {
            Some(Value::Number(n)) if n.as_f64().is_some_and(f64::is_finite) => {
                Ok(Setting::Number(n.as_f64().unwrap_or_default()))
            }
            Some(Value::String(text)) if text.len() <= LONGEST_NAME => {
                Ok(Setting::Name(text.clone()))
            }
            _ => Err(self.wrong(key, "a number or a short text")),
        }
    }

    pub(crate) fn settings(
        &self,
        key: &'static str,
    ) -> Result<Vec<(String, Setting)>, DecodeError> {
        let list = match self.keys.get(key) {
            None => return Ok(Vec::new()),
            Some(Value::Object(list)) if list.len() <= MOST_SETTINGS => list,
            Some(_) => return Err(self.wrong(key, "an object of at most 64 settings")),
        };
        let mut settings = Vec::with_capacity(list.len());
        for (name, value) in list {
            if name.len() > LONGEST_NAME {
                return Err(self.wrong(key, "an object with short keys"));
            }
            settings.push((name.clone(), self.setting(key, Some(value))?));
        }
        Ok(settings)
    }

    /// Of sum 1 after rounding on the page.
    pub(crate) fn weights(&self) -> Result<[f64; 3], DecodeError> {
        let weights = self.vector("weights")?;
        let sum: f64 = weights.iter().sum();
        let inside = weights.iter().all(|w| (-0.01..=1.01).contains(w));
        if !inside || (sum - 1.0).abs() > 0.01 {
            return Err(self.wrong("weights", "three numbers from 0 to 1 of sum 1"));
        }
        // What was decoded once stays what it is: inputs are written down and read again.
        let exact = (sum - 1.0).abs() < 1e-12;
        Ok(if exact { weights } else { weights.map(|w| w / sum) })
    }
}

impl Command {
    /// Decodes a message. Never panics, whatever it is.
    pub fn decode(text: &str) -> Result<Self, DecodeError> {
        if text.len() > LONGEST {
            return Err(DecodeError::TooLong(text.len()));
        }
        let value: Value =
            serde_json::from_str(text).map_err(|e| DecodeError::Syntax(e.to_string()))?;
        Self::of(value.as_object().ok_or(DecodeError::NoCommand)?)
    }

    /// Reads the keys of a message; others than those of its command are left alone.
    pub(crate) fn of(keys: &Map<String, Value>) -> Result<Self, DecodeError> {
        let command = keys.get("do").and_then(Value::as_str).ok_or(DecodeError::NoCommand)?;
        let message = Message { command, keys };
        Ok(match command {
            "grab" => Self::Grab {
                id: message.index("id")?,
                body: message.index("body")? as usize,
                triangle: message.index("triangle")? as usize,
                weights: message.weights()?,
                at: message.vector("at")?,
                stiffness: match keys.get("stiffness") {
                    None | Some(Value::Null) => None,
                    Some(_) => Some(message.number("stiffness", 0.0, 1e12)?),
                },
            },
            "move" => Self::Move { id: message.index("id")?, at: message.vector("at")? },
            "release" => Self::Release { id: message.index("id")? },
            "pause" => Self::Pause(message.switch("on")?),
            "step" => Self::Step,
            "reset" => Self::Reset,
            "speed" => Self::Speed(message.number("factor", 0.001, 10.0)?),
            "scene" => {
                Self::Scene { name: message.name("name")?, settings: message.settings("settings")? }
            }
            "set" => Self::Set(message.name("key")?, message.setting("value", keys.get("value"))?),
            "colour" => {
                let name = message.name("by")?;
                let known = Colour::NAMES.iter().find(|(known, _)| *known == name);
                let needed = "none, von-mises, energy-density, volume or contact-pressure";
                Self::Colour(known.ok_or_else(|| message.wrong("by", needed))?.1)
            }
            "cut" => Self::Cut(message.plane()?),
            "marks" => Self::Marks(Marks {
                holds: message.switch("holds")?,
                forces: message.switch("forces")?,
            }),
            "take" => Self::Take,
            other => match Tool::decode(&message)? {
                Some(tool) => Self::Tool(tool),
                None => return Err(DecodeError::Unknown(other.chars().take(40).collect())),
            },
        })
    }
}
