//! Inputs to text and back. Numbers keep every bit.

use pliant_scene::{Origin, SceneError};
use serde_json::{Map, Value, json};

use super::{Act, Event, Input};
use crate::command::{Command, LONGEST, Message, Setting};

/// Of the form of the text. Another number is refused: its steps would be others.
const VERSION: u64 = 1;
/// The key of the first line that says so.
const MARK: &str = "pliant-input";
const HINT: &str = "save the input again from the page, or take the file as pliant view wrote it";

impl Input {
    /// Returns it as text.
    pub fn to_text(&self) -> String {
        let settings: Map<String, Value> =
            self.settings.iter().map(|(key, value)| (key.clone(), value.json())).collect();
        let mut text = json!({
            MARK: VERSION,
            "scene": self.origin.scene,
            "sets": self.origin.sets,
            "settings": settings,
            "fingerprint": self.fingerprint,
        })
        .to_string();
        let mut line = |step: u64, keys: Value| {
            let mut document = Map::new();
            document.insert("step".into(), step.into());
            document.extend(keys.as_object().cloned().unwrap_or_default());
            text.push('\n');
            text += &Value::Object(document).to_string();
        };
        for Event { step, act } in &self.events {
            match act {
                Act::Command(command) => {
                    command.encode().into_iter().for_each(|keys| line(*step, keys));
                }
                Act::ReleaseAll => line(*step, json!({"do": "release-all"})),
            }
        }
        line(self.steps, json!({"do": "end"}));
        text.push('\n');
        text
    }

    /// Reads a text. Errors name the line.
    pub fn from_text(text: &str, name: &str) -> Result<Self, SceneError> {
        let mut lines =
            text.lines().enumerate().map(|(k, text)| Line { name, number: k + 1, text });
        let first = lines.next().unwrap_or(Line { name, number: 1, text: "" });
        let mut input = head(&first)?;
        let mut ended = false;
        for line in lines {
            if ended {
                return Err(line.wrong("there is more after the end"));
            }
            let keys = line.keys()?;
            let step = keys.get("step").and_then(Value::as_u64);
            let step = step.ok_or_else(|| line.wrong("'step' is the number of steps before it"))?;
            let before = input.events.last().map_or(0, |event| event.step);
            if step < before {
                let text = format!("step {step} comes after step {before}: steps never go back");
                return Err(line.wrong(&text));
            }
            match keys.get("do").and_then(Value::as_str) {
                Some("end") => (input.steps, ended) = (step, true),
                Some("release-all") => input.events.push(Event { step, act: Act::ReleaseAll }),
                _ => {
                    let command =
                        Command::of(&keys).map_err(|error| line.wrong(&error.to_string()))?;
                    if command.encode().is_none() {
                        let text = "this command acts on no simulation, and is no input";
                        return Err(line.wrong(text));
                    }
                    input.events.push(Event { step, act: Act::Command(command) });
                }
            }
        }
        if !ended {
            let count = text.lines().count();
            let text = format!("{name}, line {count}: the last line of an input says its end");
            return Err(SceneError::new(text).hint(HINT));
        }
        Ok(input)
    }
}

/// One line, and where it stands.
struct Line<'a> {
    name: &'a str,
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn wrong(&self, what: &str) -> SceneError {
        SceneError::new(format!("{}, line {}: {what}", self.name, self.number)).hint(HINT)
    }

    fn keys(&self) -> Result<Map<String, Value>, SceneError> {
        if self.text.len() > LONGEST {
            let text = format!("{} bytes, at most {LONGEST} are taken", self.text.len());
            return Err(self.wrong(&text));
        }
        match serde_json::from_str(self.text) {
            Ok(Value::Object(keys)) => Ok(keys),
            Ok(_) => Err(self.wrong("an object {…} is needed")),
            Err(error) => Err(self.wrong(&format!("not JSON: {error}"))),
        }
    }
}

/// The first line, as an input in which nothing was done yet.
fn head(line: &Line<'_>) -> Result<Input, SceneError> {
    let keys = line.keys()?;
    match keys.get(MARK).map(Value::as_u64) {
        Some(Some(VERSION)) => {}
        Some(_) => {
            let text = format!("the input is of another version; this program reads {VERSION}");
            return Err(line.wrong(&text));
        }
        None => {
            let text =
                format!("no input of pliant view: it begins with {{\"{MARK}\":{VERSION},…}}");
            return Err(line.wrong(&text));
        }
    }
    let text = |key: &str| keys.get(key).and_then(Value::as_str).map(str::to_owned);
    let scene = text("scene").ok_or_else(|| line.wrong("'scene' is a file or a name"))?;
    let fingerprint =
        text("fingerprint").ok_or_else(|| line.wrong("'fingerprint' is that of the scene"))?;
    let sets = keys.get("sets").and_then(Value::as_array);
    let sets: Option<Vec<String>> =
        sets.and_then(|list| list.iter().map(|set| set.as_str().map(str::to_owned)).collect());
    let sets = sets.ok_or_else(|| line.wrong("'sets' is a list of texts KEY=VALUE"))?;
    let message = Message { command: MARK, keys: &keys };
    let settings: Result<Vec<(String, Setting)>, _> = message.settings("settings");
    let settings = settings.map_err(|error| line.wrong(&error.to_string()))?;
    Ok(Input {
        origin: Origin { scene, sets },
        settings,
        fingerprint,
        events: Vec::new(),
        steps: 0,
        cut: false,
    })
}
