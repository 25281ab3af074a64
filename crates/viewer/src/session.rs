//! [`Session`]: a simulation under someone's hands. It knows nothing of threads, clocks or sockets.

mod accessors;

use std::path::PathBuf;

use pliant_algebra::vec3::{Vec3, add_scaled, norm, scale, sub};
use pliant_dynamics::State;
use pliant_errors::Class;
use pliant_forces::springs::Grab;
use pliant_scene::{Analysis, ContactMode, Origin, Scene, SceneError, Simulation, Surface};

use crate::acting;
use crate::command::{Command, Setting};
use crate::controls::Control;
use crate::flight;
use crate::input::{Act, Input};
use crate::load::{Loaded, load};
use crate::pins;
use crate::saved;
use crate::sight::Sight;
use crate::tool::Tool;
use crate::tools::Tools;

/// Hands at the same time.
const MOST_GRABS: usize = 10;
/// How fast a hand goes at most, sizes of the scene a second: what a cursor does between two messages is a jump.
const HAND_SPEED: f64 = 8.0;
/// Steps between states that are kept to come back to.
const KEEP_EVERY: u64 = 20;

/// Something that people should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Counts up: a new number is a new notice.
    pub number: u64,
    /// The class of what failed, if something did.
    pub class: Option<Class>,
    /// What happened.
    pub text: String,
}

/// A simulation under someone's hands.
pub struct Session {
    /// What the command was started with; pages may come back to it.
    origin: Origin,
    /// The name of the scene that runs: built-in, or that of the origin.
    name: String,
    settings: Vec<(String, Setting)>,
    /// Where the scene comes from, with all settings.
    made: Origin,
    scene: Scene,
    controls: Vec<Control>,
    simulation: Simulation,
    /// Surfaces at rest.
    rest: Vec<Surface>,
    sight: Sight,
    /// To come back to: the start, and the last two of the states that are kept now and then.
    start: State,
    kept: [State; 2],
    tools: Tools,
    /// Where hands want to go.
    aims: Vec<(u32, Vec3)>,
    centre: Vec3,
    size: f64,
    generation: u32,
    paused: bool,
    single: bool,
    speed: f64,
    notice: Option<Notice>,
    failures: u32,
    /// Whether the last step was divided: what goes on for a while is said once.
    divided: bool,
    /// How many pairs of bodies that pass through each other have been told of in this scene.
    met: usize,
    /// All that was done since the scene was loaded.
    input: Input,
}

impl Session {
    /// Loads a scene, and stands at its start, running. Nothing can be recorded.
    pub fn new(origin: Origin) -> Result<Self, SceneError> {
        Self::with_folder(origin, None)
    }

    /// The same; recordings go into this folder.
    pub fn with_folder(origin: Origin, folder: Option<PathBuf>) -> Result<Self, SceneError> {
        Self::with_settings(origin, &[], folder)
    }

    /// The same with what a page has set.
    pub(crate) fn with_settings(
        origin: Origin,
        settings: &[(String, Setting)],
        folder: Option<PathBuf>,
    ) -> Result<Self, SceneError> {
        let Loaded { made, scene, controls, mut simulation } = load(&origin, settings)?;
        let input = Input::begin(&origin, settings)?;
        let rest = at_rest(&mut simulation);
        let mut tools = Tools::new(folder);
        tools.move_into(None, &mut simulation, &rest)?;
        let start = simulation.state().clone();
        let mut session = Self {
            name: origin.scene.clone(),
            origin,
            settings: settings.to_vec(),
            made,
            scene,
            controls,
            simulation,
            rest,
            sight: Sight::default(),
            kept: [start.clone(), start.clone()],
            start,
            tools,
            aims: Vec::new(),
            centre: [0.0; 3],
            size: 1.0,
            generation: 1,
            paused: false,
            single: false,
            speed: 1.0,
            notice: None,
            failures: 0,
            divided: false,
            met: 0,
            input,
        };
        session.measure();
        Ok(session)
    }

    /// Does what a page asks for. What cannot be done leaves everything as it was, and says so.
    pub fn apply(&mut self, command: Command) {
        if command.encode().is_some() {
            self.write_down(Act::Command(command.clone()));
        }
        let outcome = match command {
            Command::Grab { id, body, triangle, weights, at, stiffness } => {
                self.grab(id, body, triangle, weights, at, stiffness)
            }
            Command::Move { id, at } => {
                let at = self.reach(at);
                // A hand that let go in the meantime may still be moving.
                if let Some((_, aim)) = self.aims.iter_mut().find(|(known, _)| *known == id) {
                    *aim = at;
                }
                Ok(())
            }
            Command::Release { id } => {
                acting::hands_mut(&mut self.simulation).end(u64::from(id));
                self.aims.retain(|(known, _)| *known != id);
                Ok(())
            }
            Command::Pause(on) => {
                (self.paused, self.failures) = (on, 0);
                Ok(())
            }
            Command::Step => {
                (self.paused, self.single, self.failures) = (true, true, 0);
                Ok(())
            }
            Command::Reset => self.reset(),
            Command::Speed(factor) => {
                self.speed = factor;
                Ok(())
            }
            Command::Colour(colour) => {
                self.sight.set_colour(colour);
                Ok(())
            }
            Command::Cut(plane) => {
                self.sight.set_plane(plane);
                Ok(())
            }
            Command::Marks(marks) => {
                self.sight.set_marks(marks);
                Ok(())
            }
            Command::Scene { name, settings } => self.switch(name, settings),
            Command::Set(key, value) => self.set(key, value),
            Command::Tool(tool) => self.use_tool(tool),
            // A matter of connections.
            Command::Take => Ok(()),
        };
        if let Err(error) = outcome {
            self.say(Some(error.class()), error.to_string());
        }
    }

    fn grab(
        &mut self,
        id: u32,
        body: usize,
        triangle: usize,
        weights: [f64; 3],
        at: Vec3,
        stiffness: Option<f64>,
    ) -> Result<(), SceneError> {
        if self.grabs().len() >= MOST_GRABS {
            let text = format!("{MOST_GRABS} hands pull already: let go of one first");
            return Err(SceneError::new(text));
        }
        if body >= self.simulation.bodies.len() && body < self.rest.len() {
            let text = format!("obstacle '{}' cannot be pulled", self.rest[body].name());
            return Err(SceneError::new(text).hint("it goes where the scene moves it"));
        }
        let nodes = self.rest.get(body).and_then(|surface| surface.point(triangle, weights));
        let Some(nodes) = nodes else {
            let text = format!("body {body} has no triangle {triangle} to pull at");
            return Err(SceneError::new(text));
        };
        let stiffness = stiffness.unwrap_or_else(|| self.simulation.bodies[body].hand_stiffness());
        // It starts where the point is, and goes to where it was pressed.
        let mut grab = Grab { nodes, target: at, stiffness };
        grab.target = grab.point(&self.simulation.state().x);
        let count = self.simulation.vertices();
        acting::hands_mut(&mut self.simulation).start(u64::from(id), grab, count)?;
        let aim = self.reach(at);
        self.aims.retain(|(known, _)| *known != id);
        self.aims.push((id, aim));
        Ok(())
    }

    fn use_tool(&mut self, mut tool: Tool) -> Result<(), SceneError> {
        if let Tool::Probe { at, radius, .. } = &mut tool {
            *at = self.reach(*at);
            *radius = radius.clamp(0.002 * self.size, 0.3 * self.size);
        }
        let (made, scene) = (&self.made, &self.scene);
        let text = || saved::text(made, scene);
        self.tools.apply(tool, scene, &text, &mut self.simulation, &self.rest)
    }

    /// Keeps what is done for a replay.
    fn write_down(&mut self, act: Act) {
        if self.input.add(act) {
            let steps = self.input.steps;
            let text = format!(
                "So much was done by hand that no more is kept: the input to be saved ends after {steps} steps."
            );
            self.say(None, text);
        }
    }

    /// Lets go of everything; pins stay.
    pub fn release_all(&mut self) {
        self.write_down(Act::ReleaseAll);
        self.let_go();
    }

    fn let_go(&mut self) {
        acting::hands_mut(&mut self.simulation).clear();
        self.aims.clear();
        self.tools.probe.lift(&mut self.simulation);
    }

    /// Brings hands nearer to where they want to be, as far as they get in a step.
    fn move_hands(&mut self) -> Result<(), SceneError> {
        let most = HAND_SPEED * self.size * self.scene.time.step;
        self.tools.probe.approach(&mut self.simulation, most)?;
        for &(id, aim) in &self.aims {
            let id = u64::from(id);
            let hand = acting::hands(&self.simulation).iter().find(|(known, _)| *known == id);
            let Some(from) = hand.map(|(_, hand)| hand.target) else { continue };
            let way = sub(aim, from);
            let far = norm(way) > most;
            let now = if far { add_scaled(from, way, most / norm(way)) } else { aim };
            // A hand at rest leaves the system alone, and what that keeps from the step before.
            if now != from {
                acting::hands_mut(&mut self.simulation).move_to(id, now)?;
            }
        }
        Ok(())
    }

    /// No hand goes farther than a few sizes of the scene: a jump of the cursor to the horizon would tear
    /// bodies apart.
    fn reach(&self, at: Vec3) -> Vec3 {
        let from = sub(at, self.centre);
        let (length, most) = (norm(from), 3.0 * self.size);
        if length <= most { at } else { add_scaled(self.centre, scale(from, 1.0 / length), most) }
    }

    fn reset(&mut self) -> Result<(), SceneError> {
        self.let_go();
        self.failures = 0;
        self.kept = [self.start.clone(), self.start.clone()];
        self.tools.recording.end();
        self.simulation.adopt(self.start.clone())?;
        pins::follow(&mut self.simulation);
        Ok(())
    }

    fn switch(&mut self, name: String, settings: Vec<(String, Setting)>) -> Result<(), SceneError> {
        let origin = self.origin_of(&name)?;
        let loaded = load(&origin, &settings)?;
        let input = Input::begin(&origin, &settings)?;
        (self.name, self.settings) = (name, settings);
        self.take(loaded, None)?;
        self.input = input;
        Ok(())
    }

    /// Built-in scenes and the one that was asked for, and nothing else.
    fn origin_of(&self, name: &str) -> Result<Origin, SceneError> {
        if name == self.origin.scene {
            return Ok(self.origin.clone());
        }
        if pliant_scene::builtin::text(name).is_some() {
            return Ok(Origin { scene: name.to_owned(), sets: Vec::new() });
        }
        Err(SceneError::new(format!("there is no scene '{name}' here")))
    }

    fn set(&mut self, key: String, value: Setting) -> Result<(), SceneError> {
        let mut settings = self.settings.clone();
        match settings.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => settings.push((key, value)),
        }
        let loaded = load(&self.origin_of(&self.name)?, &settings)?;
        let before = std::mem::replace(&mut self.settings, settings);
        let mode = self.contact_mode();
        let mut state = self.simulation.state().clone();
        // A state of rest stands at the end of its time.
        if loaded.scene.time.analysis == Analysis::Static {
            state.time = loaded.simulation.state().time;
        }
        if let Err(error) = self.take(loaded, Some(state)) {
            self.settings = before;
            return Err(error);
        }
        if self.contact_mode() == mode {
            return Ok(());
        }
        // What has sunk in elsewhere is no state that a barrier could go on from.
        if let Err(error) = self.simulation.check_state() {
            let name = self.contact_mode().map_or("", ContactMode::name);
            self.reset()?;
            let text = format!("With contact by {name} the scene begins anew, as {error}.");
            self.say(None, text);
        }
        Ok(())
    }

    /// How bodies answer that touch each other; none where they do not.
    pub fn contact_mode(&self) -> Option<ContactMode> {
        self.scene.contact.as_ref().map(|spec| spec.contact.mode)
    }

    /// Makes the scene anew, and stands at its start: nothing of the simulation before is used.
    pub fn recover(&mut self) {
        let made = self.origin_of(&self.name).and_then(|origin| {
            Ok((load(&origin, &self.settings)?, Input::begin(&origin, &self.settings)?))
        });
        let outcome = made.and_then(|(loaded, input)| {
            self.take(loaded, None)?;
            self.input = input;
            Ok(())
        });
        self.paused = true;
        let mut text =
            "Pliant made a mistake here: the scene stands at its start again.".to_owned();
        if let Err(error) = outcome {
            text += &format!(" It could not be made anew: {error}");
        }
        self.say(Some(Class::Computation), text);
    }

    /// Puts a scene in the place of the present one; where it is the same but for a setting, it goes on from
    /// the same state, and hands hold on.
    fn take(&mut self, loaded: Loaded, state: Option<State>) -> Result<(), SceneError> {
        let Loaded { made, scene, controls, mut simulation } = loaded;
        let start = simulation.state().clone();
        // What can fail comes first: on error, the present scene goes on.
        let state = state.filter(|state| state.len() == simulation.vertices());
        let before = state.is_some().then_some(&self.simulation);
        let mut begun_anew = false;
        if let Some(mut state) = state {
            if simulation.remembers() && self.scene.differs_in_materials(&scene) {
                // What other materials remember means nothing to these.
                state.memory.clear();
                begun_anew = true;
            }
            simulation.adopt(state)?;
            acting::copy_hands(&self.simulation, &mut simulation)?;
        }
        let rest = at_rest(&mut simulation);
        self.tools.move_into(before, &mut simulation, &rest)?;
        if before.is_none() {
            self.paused = false;
            self.met = 0;
            self.aims.clear();
        }
        (self.made, self.rest) = (made, rest);
        (self.scene, self.controls, self.simulation) = (scene, controls, simulation);
        if begun_anew {
            let text =
                "Materials were changed: what they remember begins anew, relaxed where they are.";
            self.say(None, text.to_owned());
        }
        let now = self.simulation.state().clone();
        self.kept = [now.clone(), now];
        (self.start, self.failures) = (start, 0);
        self.sight.forget();
        self.generation += 1;
        self.measure();
        Ok(())
    }

    fn measure(&mut self) {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in self.rest.iter().flat_map(Surface::positions) {
            low = std::array::from_fn(|k| low[k].min(p[k]));
            high = std::array::from_fn(|k| high[k].max(p[k]));
        }
        self.centre = std::array::from_fn(|k| 0.5 * (low[k] + high[k]));
        self.size = norm(sub(high, low));
    }

    /// Whether a step is due.
    pub fn runs(&self) -> bool {
        !self.paused || self.single
    }

    /// Takes a step. If it fails, hands let go and the simulation goes on from the last good state, at rest; if
    /// that fails too, from one a while before; and then it stands there.
    pub fn step(&mut self) {
        self.single = false;
        self.input.step();
        let divided = self.simulation.tally().retries.steps;
        let stage = self.simulation.stage().map(|(k, _)| k);
        let stepped = self.move_hands().and_then(|()| self.simulation.step());
        let flown = stepped.is_ok();
        let Err(error) = stepped.and_then(|()| flight::check(&self.simulation)) else {
            self.failures = 0;
            self.keep();
            self.tell_divided(self.simulation.tally().retries.steps > divided);
            let now = self.simulation.stage().filter(|(k, _)| Some(*k) != stage);
            if let Some((k, name)) = now {
                let text = format!("Stage {} begins: {name}.", k + 1);
                self.say(None, text);
            }
            let met = self.simulation.met().nth(self.met);
            if let Some(text) = met {
                self.met += 1;
                self.say(None, text);
            }
            self.tools.probe.feel(&self.simulation);
            if let Some(Err(error)) = self.tools.recording.stepped(&mut self.simulation) {
                self.say(Some(error.class()), error.to_string());
            }
            return;
        };
        self.let_go();
        self.failures += 1;
        // The last good state, or one before; what is kept of a flight grew already. The start is good in any case.
        let start = (self.start.clone(), "It stands at its start again.");
        let ways = match self.failures {
            _ if flown => vec![start],
            1 => {
                let last = self.simulation.state().clone();
                vec![(last, "It goes on from the last good state, at rest."), start]
            }
            2 => vec![(self.kept[0].clone(), "It goes on from a state before, at rest."), start],
            _ => {
                let text = "It stands at a good state before: take a smaller step, or reset.";
                vec![(self.kept[0].clone(), text), start]
            }
        };
        let mut outcome = String::new();
        for (k, (mut good, text)) in ways.into_iter().enumerate() {
            good.v.fill([0.0; 3]);
            let taken = self.simulation.adopt(good).and_then(|()| flight::check(&self.simulation));
            self.paused |= flown || k > 0 || self.failures > 2;
            match taken {
                Ok(()) => {
                    text.clone_into(&mut outcome);
                    break;
                }
                Err(error) => outcome = format!("It stands: {error}"),
            }
        }
        let text = format!("The step failed. {outcome} Why: {error}.");
        // A pin must not pull it into the same again.
        pins::follow(&mut self.simulation);
        self.say(Some(error.class()), text);
    }

    /// What happens without steps: recordings come to their end.
    pub fn look_around(&mut self) {
        match self.tools.recording.outcome() {
            Some(Ok(text)) => self.say(None, text),
            Some(Err(error)) => self.say(Some(error.class()), error.to_string()),
            None => {}
        }
    }

    /// The scene with its settings as the text of a scene file, of which `pliant run` makes the same motion.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        saved::text(&self.made, &self.scene)
    }

    /// Keeps the state now and then, without allocating.
    fn keep(&mut self) {
        let state = self.simulation.state();
        if state.steps.is_multiple_of(KEEP_EVERY) {
            self.kept.swap(0, 1);
            self.kept[1].clone_from(state);
        }
    }

    /// Says that a step was divided, unless the one before was too.
    fn tell_divided(&mut self, divided: bool) {
        if divided && !self.divided {
            let shortest = 1e3 * self.simulation.tally().retries.shortest;
            let text = format!(
                "A step was too long here and was divided (shortest part so far: {shortest:.2} ms). The motion goes on."
            );
            self.say(None, text);
        }
        self.divided = divided;
    }

    fn say(&mut self, class: Option<Class>, text: String) {
        let number = self.notice.as_ref().map_or(0, |n| n.number) + 1;
        self.notice = Some(Notice { number, class, text });
    }
}

fn at_rest(simulation: &mut Simulation) -> Vec<Surface> {
    let mut surfaces = simulation.surfaces().to_vec();
    let rest = simulation.system_ref().rest();
    for surface in &mut surfaces {
        surface.move_to(rest);
    }
    surfaces
}
