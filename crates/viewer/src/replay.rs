//! [`Replay`]: the steps of an [`Input`] again, without a page and without a clock.

use pliant_scene::run::Motion;
use pliant_scene::{Scene, SceneError, Simulation};

use crate::input::{Act, Input, fingerprint};
use crate::session::Session;

/// A session that is driven by an input: as a [`Motion`], what `pliant run` writes results of.
pub struct Replay {
    session: Session,
    input: Input,
    /// Events that were done.
    done: usize,
    /// Steps that were taken.
    steps: u64,
    /// The notice that was seen last.
    seen: u64,
    told: Vec<String>,
}

impl Replay {
    /// Loads the scene of an input, with more set on top: what is set there and changes forces or steps changes the motion.
    pub fn new(input: Input, sets: &[String]) -> Result<Self, SceneError> {
        let mut told = Vec::new();
        if fingerprint(&input.origin)? != input.fingerprint {
            let text = "the scene has changed since the input was recorded: the same hands lead to another motion";
            told.push(text.to_owned());
        }
        let mut origin = input.origin.clone();
        origin.sets.extend_from_slice(sets);
        let session = Session::with_settings(origin, &input.settings, None)?;
        Ok(Self { session, input, done: 0, steps: 0, seen: 0, told })
    }

    /// The session.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The scene as the session takes it, with an end: that of the input.
    pub fn scene(&self) -> Scene {
        let mut scene = self.session.scene().clone();
        scene.time.end = self.input.steps as f64 * scene.time.step;
        scene
    }

    /// What was said on the page, or had to be said of the replay, since this was asked last.
    pub fn told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }

    /// Whether the page said something new.
    fn listen(&mut self) {
        if let Some(notice) = self.session.notice().filter(|n| n.number > self.seen) {
            self.seen = notice.number;
            self.told.push(format!("after {} steps: {}", self.steps, notice.text));
        }
    }
}

impl Motion for Replay {
    fn simulation(&mut self) -> &mut Simulation {
        self.session.simulation()
    }

    fn prepare(&mut self) -> u32 {
        while let Some(event) = self.input.events.get(self.done).filter(|e| e.step <= self.steps) {
            match &event.act {
                Act::Command(command) => self.session.apply(command.clone()),
                Act::ReleaseAll => self.session.release_all(),
            }
            self.done += 1;
            self.listen();
        }
        self.session.generation()
    }

    /// A failed step is no error: the session goes on as it did under the hands.
    fn step(&mut self) -> Result<(), SceneError> {
        self.session.step();
        self.steps += 1;
        self.listen();
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.steps >= self.input.steps
    }

    /// Hands and pins are no part of a checkpoint.
    fn can_resume(&self) -> bool {
        false
    }
}
