//! Marks of what holds and pushes bodies.

use std::collections::BTreeMap;

use pliant_algebra::vec3::{Vec3, add, add_scaled, cross, norm, scale};
use pliant_dynamics::Role;
use pliant_forces::{Ask, Velocity, Workspace};
use pliant_scene::Simulation;

/// More marks would hide what they stand on.
const MOST_HOLDS: usize = 1500;
/// Arrows are sums over patches of this part of the scene's size: a force on each of a thousand vertices would be a
/// carpet, and their sum is what people know.
const PATCH: f64 = 0.1;
/// Arrows that are shorter than this part of the longest are left out.
const SHORTEST: f64 = 0.01;

/// A vertex that is held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// Where, m.
    pub at: Vec3,
    /// In how many directions: 1 to 3.
    pub directions: u32,
    /// The one that is held of one; the one that is free of two; zero if all are held.
    pub axis: Vec3,
}

/// Where a force comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A load of the scene.
    Load,
    /// Another body, an obstacle or an attachment: repulsion and friction.
    Contact,
    /// What holds vertices.
    Support,
}

/// The sum of the forces on a patch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrow {
    /// Where it acts: the mean over the patch by force, m.
    pub at: Vec3,
    /// N
    pub force: Vec3,
    /// Where it comes from.
    pub source: Source,
}

/// The vertices that are held, or evenly chosen ones where they are too many.
pub fn holds(simulation: &mut Simulation) -> Vec<Hold> {
    let x = simulation.state().x.clone();
    let held = simulation.system().constraints().vertices();
    let every = held.len().div_ceil(MOST_HOLDS).max(1);
    let chosen = held.iter().step_by(every);
    chosen
        .map(|held| {
            let list: Vec<Vec3> = held.directions().map(|(n, _)| n).collect();
            let axis = match list[..] {
                [n] => n,
                [a, b] => cross(a, b),
                _ => [0.0; 3],
            };
            Hold { at: x[held.vertex as usize], directions: list.len() as u32, axis }
        })
        .collect()
}

/// Forces of loads, of other bodies, obstacles, attachments and supports. What cannot be computed in this state is left out.
///
/// `loads` is how many loads the scene has: models of that kind that come after them are hands, which have
/// arrows of their own.
pub fn arrows(simulation: &mut Simulation, loads: usize) -> Vec<Arrow> {
    let state = simulation.state().clone();
    let at = state.configuration();
    let starts = simulation.bodies.iter().map(|body| body.range.start).collect();
    let system = simulation.system();
    let rest = system.rest().to_vec();
    let mut patches = Patches { side: PATCH * system.size(), sums: BTreeMap::new(), starts };
    let mut gradient = vec![[0.0; 3]; rest.len()];
    let (mut seen, mut memories) = (0, 0);
    for ((role, model), (vertices, _)) in system.models().zip(system.models_on()) {
        // A state has one memory for each model that remembers anything, in their order.
        let memory = if model.character().memory.is_none() {
            &[]
        } else {
            memories += 1;
            at.memory.get(memories - 1..memories).unwrap_or_default()
        };
        let source = match role {
            Role::Load if seen < loads => Source::Load,
            Role::Other => Source::Contact,
            Role::Damping if model.character().velocity == Velocity::Friction => Source::Contact,
            _ => continue,
        };
        seen += usize::from(source == Source::Load);
        let Some(part) = at.part(vertices.clone(), memory) else { continue };
        let own = &mut gradient[vertices.clone()];
        own.fill([0.0; 3]);
        let mut ask = Ask { gradient: Some(&mut *own), ..Ask::default() };
        if model.evaluate(&part, &mut ask, &mut Workspace::new()).is_ok() {
            for (v, g) in vertices.zip(own) {
                patches.add(source, v, [rest[v], state.x[v]], scale(*g, -1.0));
            }
        }
    }
    let mut held = Vec::new();
    if !system.constraints().is_empty() && system.reactions(&state, &mut held).is_ok() {
        for (v, force) in held {
            let v = v as usize;
            patches.add(Source::Support, v, [rest[v], state.x[v]], force);
        }
    }
    patches.arrows()
}

/// The source of a force, the body that it is on, and the patch.
type Patch = (Source, usize, [i64; 3]);

/// Force, place times its size, and size, of each patch of each body; in a fixed order. Forces of two bodies on each other would cancel in one
/// patch of both.
struct Patches {
    side: f64,
    sums: BTreeMap<Patch, (Vec3, Vec3, f64)>,
    /// First vertices of the bodies.
    starts: Vec<usize>,
}

impl Patches {
    fn add(&mut self, source: Source, vertex: usize, [rest, x]: [Vec3; 2], force: Vec3) {
        let weight = norm(force);
        if weight == 0.0 || !weight.is_finite() {
            return;
        }
        let patch = rest.map(|r| (r / self.side).round() as i64);
        let body = self.starts.partition_point(|start| *start <= vertex);
        let sum = self.sums.entry((source, body, patch)).or_default();
        *sum = (add(sum.0, force), add_scaled(sum.1, x, weight), sum.2 + weight);
    }

    fn arrows(self) -> Vec<Arrow> {
        let longest = self.sums.values().map(|sum| norm(sum.0)).fold(0.0, f64::max);
        let long = |sum: &(Vec3, Vec3, f64)| norm(sum.0) > SHORTEST * longest;
        let list = self.sums.into_iter().filter(|(_, sum)| long(sum));
        list.map(|((source, ..), (force, at, weight))| Arrow {
            at: scale(at, 1.0 / weight),
            force,
            source,
        })
        .collect()
    }
}
