//! Read access to a session: its scene, its simulation, and the settings of the page.

use pliant_forces::springs::Grabs;
use pliant_scene::{Origin, Scene, Simulation, Surface};

use super::{Notice, Session};
use crate::acting;
use crate::command::{Colour, Marks, Setting};
use crate::controls::Control;
use crate::input::Input;
use crate::pins::Pin;
use crate::sight::Sight;
use crate::tools::Tools;

impl Session {
    /// What people want to see, and what it is to be seen of.
    pub(crate) fn sight(&mut self) -> (&mut Sight, &mut Simulation) {
        (&mut self.sight, &mut self.simulation)
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Its name, as a page asks for it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the scene the command was started with.
    pub(crate) fn own_name(&self) -> &str {
        &self.origin.scene
    }

    /// What the command was started with.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What was changed.
    pub fn settings(&self) -> &[(String, Setting)] {
        &self.settings
    }

    /// What can be changed.
    pub fn controls(&self) -> &[Control] {
        &self.controls
    }

    /// The simulation.
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Surfaces at rest.
    pub fn rest(&self) -> &[Surface] {
        &self.rest
    }

    /// What pulls.
    pub fn grabs(&self) -> &Grabs {
        acting::hands(&self.simulation)
    }

    /// What is pinned, and how it is pulled at.
    pub fn pins(&self) -> Vec<Pin> {
        self.tools.pins.list(&self.simulation)
    }

    /// Pins, probe, recordings.
    pub fn tools(&self) -> &Tools {
        &self.tools
    }

    /// How they stand.
    pub(crate) fn tools_json(&self) -> serde_json::Value {
        self.tools.json(&self.simulation)
    }

    /// Counts scenes and settings: a frame of another generation has other surfaces.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Whether it stands.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Simulated time for each second of the clock, at most.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// What surfaces are coloured by.
    pub fn colour(&self) -> Colour {
        self.sight.colour()
    }

    /// What is marked.
    pub fn marks(&self) -> Marks {
        self.sight.marks()
    }

    /// Counts cuts: another number is another cut.
    pub(crate) fn cuts(&self) -> u32 {
        self.sight.cuts()
    }

    /// What was done by hand since the scene was loaded.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// What people should know.
    pub fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }
}
