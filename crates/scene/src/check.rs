//! [`check`]: what would stop a run or spoil it, found before it.

use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;
use pliant_model::{Body, Meeting, Overlap};
use pliant_units::si;

use crate::build::simulation::Simulation;
use crate::error::{Location, SceneError};
use crate::spec::contact::{ContactSpec, OnOverlap};
use crate::spec::scene::Scene;

/// What [`check`] has found.
#[derive(Debug, Clone, Default)]
pub struct Check {
    /// Bodies that share space at the start.
    pub overlaps: Vec<BodyOverlap>,
    /// Whether the scene says what is to be done with them, other than to refuse them.
    pub resolved: bool,
    /// Everything else.
    pub problems: Vec<Problem>,
}

impl Check {
    /// Returns true if the run would not be refused, and nothing overlaps that the scene does not say what to do with.
    pub fn is_ok(&self) -> bool {
        (self.resolved || self.overlaps.is_empty()) && self.problems.iter().all(|p| !p.is_error)
    }
}

/// Two bodies that share space at the start, or one that intersects itself. Vertices are those of the meshes.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyOverlap {
    /// Names of the bodies; twice the same for one that intersects itself.
    pub bodies: [String; 2],
    /// Pairs of an edge and a triangle that intersect; 0 where one body lies wholly inside the other.
    pub count: usize,
    /// The first edge: its body and vertices.
    pub edge: Option<(String, [u32; 2])>,
    /// The triangle that it passes through: its body and vertices.
    pub triangle: Option<(String, [u32; 3])>,
    /// A point in both bodies, m.
    pub place: Vec3,
    /// How far the deepest vertex of one is below the surface of the other, m.
    pub depth: Option<f64>,
}

impl BodyOverlap {
    fn new(bodies: &[Body], overlap: &Overlap) -> Self {
        let of = |vertex: usize| bodies.iter().find(|b| b.range.contains(&vertex));
        let name = |vertex: usize| of(vertex).map_or_else(String::new, |b| b.name.clone());
        let user = |vertex: usize| of(vertex).map_or(0, |b| b.user_vertex(vertex));
        Self {
            bodies: overlap.bodies.map(|b| bodies[b].name.clone()),
            count: overlap.count,
            edge: overlap.first.map(|(edge, _)| (name(edge[0]), edge.map(user))),
            triangle: overlap.first.map(|(_, triangle)| (name(triangle[0]), triangle.map(user))),
            place: overlap.place,
            depth: overlap.depth,
        }
    }
}

/// Something that would stop a run, or spoil it.
#[derive(Debug, Clone)]
pub struct Problem {
    /// `"refused"`, `"warning"`, `"inside-obstacle"` or `"no-contact"`.
    pub kind: &'static str,
    /// Whether the run would be refused.
    pub is_error: bool,
    /// One sentence.
    pub message: String,
    /// What to do, if it is not in the message.
    pub hint: Option<String>,
    /// Where in the scene.
    pub location: Option<Location>,
}

impl Problem {
    fn refused(error: &SceneError) -> Self {
        let details = error.details();
        Self {
            kind: "refused",
            is_error: true,
            message: details.message.clone(),
            hint: details.hint.clone(),
            location: details.location.clone(),
        }
    }

    fn warning(kind: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, is_error: false, message, hint: None, location: None }
    }
}

/// Looks at a scene as it is at its start: bodies that overlap, and whatever else would stop a run or spoil it.
pub fn check(scene: &Scene) -> Result<Check, SceneError> {
    let mut found = Check::default();
    // Without contact, which refuses bodies that overlap before they can all be listed.
    let mut without = scene.clone();
    without.contact = None;
    without.scenery.clear();
    let plain = match Simulation::build(&without) {
        Ok(simulation) => simulation,
        Err(error) => {
            found.problems.push(Problem::refused(&error));
            return Ok(found);
        }
    };
    let bodies = &plain.bodies;
    let overlaps = Meeting::new(bodies)?.overlaps(&plain.state().x);
    let joined = joined(scene);
    let counts = |overlap: &&Overlap| scene.contact.is_some() || !joined.contains(&overlap.bodies);
    found.overlaps =
        overlaps.iter().filter(counts).map(|overlap| BodyOverlap::new(bodies, overlap)).collect();
    for (body, depth) in bodies.iter().zip(plain.depths()) {
        if depth.now > 1e-6 * depth.thickness {
            let obstacle = scene.obstacles.get(depth.obstacle).map_or("", |o| o.name.as_str());
            let text = format!(
                "body '{}' starts {} inside obstacle '{obstacle}', which pushes it out with energy from nowhere",
                body.name,
                si(depth.now, "m")
            );
            found.problems.push(Problem::warning("inside-obstacle", text));
        }
    }
    let refuses = |contact: &ContactSpec| contact.on_overlap == OnOverlap::Refuse;
    found.resolved = scene.contact.as_ref().is_some_and(|contact| !refuses(contact));
    let warnings = if scene.contact.is_none() {
        if bodies.len() > 1 && found.overlaps.is_empty() && !scene.contact_is_off {
            found.problems.push(Problem {
                hint: Some("add a table [contact] with mode = \"barrier\"".into()),
                ..Problem::warning(
                    "no-contact",
                    "nothing keeps bodies from passing through each other",
                )
            });
        }
        plain.warnings
    } else {
        match Simulation::build(scene) {
            Ok(simulation) => {
                if !found.resolved {
                    // Bodies that only touch are set apart, which a warning tells.
                    found.overlaps.clear();
                }
                simulation.warnings
            }
            // Listed above.
            Err(error) if intersects(&error) && !found.overlaps.is_empty() => plain.warnings,
            Err(error) => {
                found.problems.push(Problem::refused(&error));
                plain.warnings
            }
        }
    };
    found.problems.extend(warnings.into_iter().map(|text| Problem::warning("warning", text)));
    Ok(found)
}

/// Pairs of bodies, by number and ascending, that attachments join: they are meant to meet.
pub(crate) fn joined(scene: &Scene) -> Vec<[usize; 2]> {
    let number = |name: &str| scene.bodies.iter().position(|b| b.name == name);
    let pair = |a: &crate::AttachmentSpec| {
        let (to, _) = a.to.as_ref()?;
        let (one, other) = (number(&a.body.0)?, number(to)?);
        Some([one.min(other), one.max(other)])
    };
    scene.attachments.iter().filter_map(pair).collect()
}

fn intersects(error: &SceneError) -> bool {
    matches!(error.find::<ForceError>(), Some(ForceError::Intersecting { .. }))
}
