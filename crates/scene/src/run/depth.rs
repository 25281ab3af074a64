//! [`Depths`]: how deep bodies have been inside obstacles.

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::System;
use pliant_forces::obstacles::Obstacle;
use pliant_model::{Body, ContactMode};
use pliant_sections::{SectionError, Sections};
use pliant_units::{number, si};

use crate::run::meetings::Meetings;
use crate::run::touching::Touching;
use crate::spec::scene::Scene;

/// Deeper than this part of its thickness, a body is seen to sink in.
pub const TOO_DEEP: f64 = 0.02;

/// How deep a body has been.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Depth {
    /// The greatest depth of a vertex, m.
    pub greatest: f64,
    /// When that was, s.
    pub time: f64,
    /// In which obstacle, as the scene counts them.
    pub obstacle: usize,
    /// The depth now, m.
    pub now: f64,
    /// Thickness of the body, m.
    pub thickness: f64,
}

impl Depth {
    /// The greatest depth as a part of the body's thickness.
    pub fn part(&self) -> f64 {
        self.greatest / self.thickness
    }
}

/// One for each body.
#[derive(Debug, Default)]
pub(crate) struct Depths {
    bodies: Vec<Depth>,
    /// First vertex of each body in the system.
    first: Vec<u32>,
    /// Contact between bodies, looked at in the same moments.
    pub(crate) touching: Touching,
    /// Bodies that meet without it.
    pub(crate) meetings: Meetings,
}

impl Depths {
    pub(crate) fn new(bodies: &[Body], mode: ContactMode, meetings: Meetings) -> Self {
        let depth = |b: &Body| Depth { thickness: b.thickness(), ..Depth::default() };
        Self {
            bodies: bodies.iter().map(depth).collect(),
            first: bodies.iter().map(|b| b.range.start as u32).collect(),
            touching: Touching::new(mode),
            meetings,
        }
    }

    pub(crate) fn bodies(&self) -> &[Depth] {
        &self.bodies
    }

    /// Takes in positions. Allocates nothing, unless bodies meet that have not met before.
    pub(crate) fn look(&mut self, system: &System, x: &[Vec3], time: f64) {
        self.touching.look(system, x, time);
        self.meetings.look(x, time);
        let Self { bodies, first, .. } = self;
        for body in bodies.iter_mut() {
            body.now = 0.0;
        }
        for (obstacle, model) in system.models_of::<Obstacle>().enumerate() {
            model.depths(x, |vertex, depth| {
                let body = first.partition_point(|first| *first <= vertex) - 1;
                let body = &mut bodies[body];
                body.now = body.now.max(depth);
                if depth > body.greatest {
                    (body.greatest, body.time, body.obstacle) = (depth, time, obstacle);
                }
            });
        }
    }

    pub(crate) fn save(&self, to: &mut Sections) {
        let mut section = to.write("depths");
        for b in &self.bodies {
            section.numbers([b.greatest, b.time]).word(b.obstacle as u64);
        }
        self.touching.save(to);
        self.meetings.save(to);
    }

    pub(crate) fn load(&mut self, from: &Sections) -> Result<(), SectionError> {
        let mut section = from.read("depths")?;
        for b in &mut self.bodies {
            [b.greatest, b.time] = section.numbers()?;
            b.obstacle = section.word()? as usize;
        }
        section.finish()?;
        self.touching.load(from)?;
        self.meetings.load(from)
    }

    /// A sentence for each body that was too deep.
    pub(crate) fn warnings(&self, scene: &Scene) -> Vec<String> {
        let deep = self.bodies.iter().zip(&scene.bodies).filter(|(d, _)| d.part() > TOO_DEEP);
        let text = |(d, spec): (&Depth, &crate::spec::body::BodySpec)| {
            let obstacle = scene.obstacles.get(d.obstacle);
            let (name, given) = obstacle.map_or(("", false), |o| (&o.name, o.stiffness.is_some()));
            let fix = if given {
                format!("raise obstacle.{name}.stiffness")
            } else {
                format!(
                    "take a shorter time.step, or give obstacle.{name} a stiffness (N/m³) of its own"
                )
            };
            format!(
                "body '{}' has sunk into obstacle '{name}' by {}, {} % of its thickness, at t = {}: {fix}",
                spec.name,
                si(d.greatest, "m"),
                number(100.0 * d.part()),
                si(d.time, "s"),
            )
        };
        deep.map(text).chain(self.touching.warning()).collect()
    }
}
