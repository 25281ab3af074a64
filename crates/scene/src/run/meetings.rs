//! [`Meetings`]: bodies that pass through each other, or fold into themselves, where a scene has no contact that keeps them apart.

use pliant_algebra::vec3::Vec3;
use pliant_model::{Body, Meeting};
use pliant_sections::{SectionError, Sections};
use pliant_units::si;

use crate::build::simulation::Simulation;
use crate::check::joined;
use crate::error::SceneError;
use crate::spec::scene::Scene;

/// Surfaces are looked at once in so many steps: a look costs a part of one.
const EVERY: u64 = 16;

/// What has met, and when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Met {
    /// Numbers of the bodies, ascending; twice the same for one that has folded into itself.
    pub(crate) bodies: [usize; 2],
    /// s
    pub(crate) time: f64,
}

/// Looks for bodies that meet, of a scene without contact.
#[derive(Debug, Default)]
pub(crate) struct Meetings {
    meeting: Option<Meeting>,
    /// Pairs that are not told: joined on purpose, or tangled from the start.
    expected: Vec<[usize; 2]>,
    met: Vec<Met>,
    looks: u64,
    /// Time of the last look, s.
    last: Option<f64>,
}

impl Meetings {
    /// Of the bodies of a scene; looks at nothing where contact keeps them apart, or is off on purpose.
    pub(crate) fn new(scene: &Scene, bodies: &[Body]) -> Result<Self, SceneError> {
        if scene.contact.is_some() || scene.contact_is_off {
            return Ok(Self::default());
        }
        let meeting = Some(Meeting::new(bodies)?);
        Ok(Self { meeting, expected: joined(scene), ..Self::default() })
    }

    /// What has met so far, each pair once.
    pub(crate) fn met(&self) -> &[Met] {
        &self.met
    }

    /// Takes in the positions at the end of a step; allocates only where bodies meet for the first time.
    pub(crate) fn look(&mut self, x: &[Vec3], time: f64) {
        // The end of a step is looked at once, however often it is asked for.
        if self.last == Some(time) {
            return;
        }
        self.last = Some(time);
        if self.looks.is_multiple_of(EVERY) {
            self.look_now(x, time);
        }
        self.looks += 1;
    }

    /// Looks whatever the step.
    pub(crate) fn look_now(&mut self, x: &[Vec3], time: f64) {
        let Some(meeting) = &mut self.meeting else { return };
        for bodies in meeting.crossings(x) {
            if self.expected.contains(&bodies) {
                continue;
            }
            self.expected.push(bodies);
            // A body that begins tangled is as its mesh is.
            if self.looks > 0 || bodies[0] != bodies[1] {
                self.met.push(Met { bodies, time });
            }
        }
    }

    pub(crate) fn save(&self, to: &mut Sections) {
        let mut section = to.write("meetings");
        section.word(self.looks).maybe_number(self.last).word(self.met.len() as u64);
        for Met { bodies: [a, b], time } in &self.met {
            section.word(*a as u64).word(*b as u64).numbers([*time]);
        }
    }

    pub(crate) fn load(&mut self, from: &Sections) -> Result<(), SectionError> {
        let mut section = from.read("meetings")?;
        (self.looks, self.last) = (section.word()?, section.maybe_number()?);
        self.met.clear();
        for _ in 0..section.word()? {
            let bodies = [section.word()? as usize, section.word()? as usize];
            let [time] = section.numbers()?;
            self.expected.push(bodies);
            self.met.push(Met { bodies, time });
        }
        section.finish()
    }
}

impl Met {
    /// One sentence for people.
    pub(crate) fn text(&self, bodies: &[Body]) -> String {
        let name = |k: usize| bodies.get(k).map_or("", |b| b.name.as_str());
        let [a, b] = self.bodies;
        let what = if a == b {
            format!("body '{}' has folded into itself", name(a))
        } else {
            format!("bodies '{}' and '{}' pass through each other", name(a), name(b))
        };
        format!(
            "{what} by t = {}, as nothing keeps surfaces apart: add a table [contact] with mode = \"barrier\" (mode = \"off\" if it is meant)",
            si(self.time, "s")
        )
    }
}

impl Simulation {
    /// A sentence for each pair of bodies that has met without contact so far; surfaces are looked at once in some steps.
    pub fn met(&self) -> impl Iterator<Item = String> {
        self.meetings().iter().map(|met| met.text(&self.bodies))
    }

    /// The same after a look at where bodies are now.
    pub(crate) fn meeting_warnings(&mut self) -> Vec<String> {
        self.look_for_meetings();
        self.met().collect()
    }
}
