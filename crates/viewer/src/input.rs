//! [`Input`]: what hands have done to a scene, command by command, with the number of steps made before each. It is all that
//! a [`Replay`](crate::Replay) needs to take the same steps again, bit for bit: no step looks at a clock.
//!
//! As text, an input has one JSON document on each line: the scene, the commands in the words of the page, and the end.
//!
//! ```text
//! {"pliant-input":1,"scene":"jelly","sets":[],"settings":{},"fingerprint":"0f3c…"}
//! {"step":12,"do":"grab","id":1,"body":0,"triangle":57,"weights":[0.2,0.3,0.5],"at":[0.1,0.4,0.0],"stiffness":null}
//! {"step":13,"do":"move","id":1,"at":[0.1,0.5,0.0]}
//! {"step":240,"do":"end"}
//! ```

mod text;

use pliant_scene::{Origin, SceneError};

use crate::command::{Command, Setting};
use crate::tool::Tool;

/// Commands that are kept. Moves between two steps count as one, so that this is more than half an hour of pulling at 100 steps a second.
const MOST_EVENTS: usize = 200_000;

/// What acts on a simulation between two steps.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A command of a page that [`Command::encode`] has a message for.
    Command(Command),
    /// The page that held the handle was left: hands let go.
    ReleaseAll,
}

/// Something that was done, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Steps that were taken before, failed ones included. It never goes back, whatever happens to the time of the simulation.
    pub step: u64,
    /// What was done.
    pub act: Act,
}

/// All that was done to a scene since it was loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The scene.
    pub origin: Origin,
    /// What a page had set when it asked for the scene.
    pub settings: Vec<(String, Setting)>,
    /// Of the scene's text, 16 hexadecimal digits.
    pub fingerprint: String,
    /// In their order.
    pub events: Vec<Event>,
    /// Steps that were taken in all.
    pub steps: u64,
    /// Whether there was more than is kept: the input ends where it was cut off.
    cut: bool,
}

impl Input {
    /// Begins the input of a scene that stands at its start.
    pub(crate) fn begin(
        origin: &Origin,
        settings: &[(String, Setting)],
    ) -> Result<Self, SceneError> {
        Ok(Self {
            origin: origin.clone(),
            settings: settings.to_vec(),
            fingerprint: fingerprint(origin)?,
            events: Vec::new(),
            steps: 0,
            cut: false,
        })
    }

    /// Adds what is done now. True if this was the first that is not kept.
    pub(crate) fn add(&mut self, act: Act) -> bool {
        if self.cut {
            return false;
        }
        let event = Event { step: self.steps, act };
        if let Some(old) = self.superseded(&event) {
            self.events[old] = event;
        } else if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.cut = true;
        }
        self.cut
    }

    /// Where a hand goes twice before a step, only the second place counts.
    fn superseded(&self, new: &Event) -> Option<usize> {
        let aim = |event: &Event| match &event.act {
            Act::Command(Command::Move { id, .. }) => Some(Some(*id)),
            Act::Command(Command::Tool(Tool::Probe { .. })) => Some(None),
            _ => None,
        };
        let wanted = aim(new)?;
        let of_now = self.events.iter().enumerate().rev().take_while(|(_, e)| e.step == new.step);
        // Only as long as nothing but aims lies between.
        let mut aims = of_now.map_while(|(k, e)| aim(e).map(|of| (k, of)));
        aims.find(|(_, of)| *of == wanted).map(|(k, _)| k)
    }

    /// A step is taken.
    pub(crate) fn step(&mut self) {
        self.steps += u64::from(!self.cut);
    }
}

/// Of the text of a scene, as pages take it.
pub(crate) fn fingerprint(origin: &Origin) -> Result<String, SceneError> {
    Ok(format!("{:016x}", origin.for_page()?.load()?.fingerprint()))
}
