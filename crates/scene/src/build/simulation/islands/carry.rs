//! [`Link`]: where the vertices and the memory of an island are in the state of the whole, both ways.

use std::ops::Range;

use pliant_algebra::vec3::Vec3;
use pliant_contact::analytic::friction::ShapeFriction;
use pliant_contact::friction::ContactFriction;
use pliant_dynamics::{Past, State, System};
use pliant_forces::obstacles::Friction;
use pliant_forces::{ForceModel, Memory};
use pliant_model::{Body, Scenery};

use super::island::Island;

/// Entries that belong together: of the island, and of the whole.
type Run = (Range<usize>, Range<usize>);

/// How an island lies in the whole.
#[derive(Debug, Default)]
pub(super) struct Link {
    /// Vertices.
    vertices: Vec<Run>,
    /// The vertices of obstacles of triangles, which every island has.
    scenery: Option<Run>,
    /// Numbers of bodies and obstacles of triangles in the whole, by those in the island.
    bodies: Vec<u32>,
    memories: Vec<MemoryLink>,
}

/// One memory of each side.
#[derive(Debug)]
struct MemoryLink {
    island: usize,
    whole: usize,
    numbers: Vec<Run>,
    /// Whether it is that of friction between bodies, whose entries have keys and whose number is a sum.
    rubs: bool,
}

/// Bodies, obstacles of triangles, and system of one side.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) bodies: &'a [Body],
    pub(super) scenery: &'a [Scenery],
    pub(super) system: &'a System,
}

/// The memory of one model.
enum Remembers {
    /// Some bodies, by their number in the whole, with so many numbers each.
    ByBody(Vec<(u32, Range<usize>)>),
    Rubs,
}

impl Link {
    /// Of an island of these bodies of the whole (ascending). None where a model remembers in a way that cannot be
    /// divided by bodies.
    pub(super) fn new(island: Place<'_>, whole: Place<'_>, chosen: &[usize]) -> Option<Self> {
        let mut bodies: Vec<u32> = chosen.iter().map(|&k| k as u32).collect();
        let first = whole.bodies.len() as u32;
        bodies.extend((0..whole.scenery.len() as u32).map(|k| first + k));
        let of =
            |(k, body): (usize, &Body)| (body.range.clone(), whole.bodies[chosen[k]].range.clone());
        let vertices: Vec<Run> = island.bodies.iter().enumerate().map(of).collect();
        let all = |list: &[Scenery]| Some(list.first()?.range.start..list.last()?.range.end);
        let scenery = all(island.scenery).zip(all(whole.scenery));
        let mut link = Self { vertices, scenery, bodies, memories: Vec::new() };
        link.memories = link.memories(island, whole)?;
        Some(link)
    }

    /// Each memory of the island with that of the whole: the next one of the same kind that has some of its bodies.
    fn memories(&self, island: Place<'_>, whole: Place<'_>) -> Option<Vec<MemoryLink>> {
        let mut links = Vec::new();
        let mut others = island.system.remembering().enumerate().peekable();
        for (k, (range, model)) in whole.system.remembering().enumerate() {
            let whole = remembers(whole, &range, model, Some)?;
            let whole = match whole {
                Remembers::Rubs => None,
                Remembers::ByBody(mut runs) => {
                    runs.retain(|(body, _)| self.bodies.contains(body));
                    if runs.is_empty() {
                        continue;
                    }
                    Some(runs)
                }
            };
            let (number, (range, model)) = others.next()?;
            let own = remembers(island, &range, model, |b| self.bodies.get(b as usize).copied())?;
            let (numbers, rubs) = match (own, whole) {
                (Remembers::Rubs, None) => (Vec::new(), true),
                (Remembers::ByBody(own), Some(whole)) => (pair(&own, &whole)?, false),
                _ => return None,
            };
            links.push(MemoryLink { island: number, whole: k, numbers, rubs });
        }
        others.next().is_none().then_some(links)
    }

    /// Writes the part of the whole's state that is the island's.
    pub(super) fn scatter(&self, system: &System, state: &mut State, from: (&System, &State)) {
        let (whole_system, whole) = from;
        for (to, from) in
            [(&mut state.x, &whole.x), (&mut state.v, &whole.v), (&mut state.a, &whole.a)]
        {
            self.copy_down(to, from);
        }
        (state.knows_acceleration, state.time) = (whole.knows_acceleration, whole.time);
        (state.steps, state.dissipated) = (whole.steps, 0.0);
        state.past.resize_with(whole.past.len(), Past::default);
        for (to, from) in state.past.iter_mut().zip(&whole.past) {
            for list in [&mut to.x, &mut to.v] {
                list.resize(state.x.len(), [0.0; 3]);
            }
            self.copy_down(&mut to.x, &from.x);
            self.copy_down(&mut to.v, &from.v);
            to.time = from.time;
        }
        for link in &self.memories {
            let (Some(to), Some(from)) =
                (state.memory.get_mut(link.island), whole.memory.get(link.whole))
            else {
                continue;
            };
            for (island, whole) in &link.numbers {
                to.numbers[island.clone()].copy_from_slice(&from.numbers[whole.clone()]);
            }
            if let (true, Some(own), Some(other)) =
                (link.rubs, rubbing(system), rubbing(whole_system))
            {
                self.scatter_keyed((own, to), (other, from));
            }
        }
    }

    /// Friction that the whole remembers of the bodies of the island. What it has done so far stays with the whole.
    fn scatter_keyed(
        &self,
        (own, to): (&ContactFriction, &mut Memory),
        (other, from): (&ContactFriction, &Memory),
    ) {
        to.numbers.fill(0.0);
        to.keyed.reset(from.keyed.width());
        let body = |b: u32| self.bodies.binary_search(&b).ok().map(|k| k as u32);
        for &key in from.keyed.keys() {
            if let (Some(new), Some(values)) = (other.key_in(own, key, body), from.keyed.get(key)) {
                // Ascending, as the bodies are.
                let _ = to.keyed.push(new, values);
            }
        }
    }

    fn copy_down(&self, to: &mut [Vec3], from: &[Vec3]) {
        for (island, whole) in self.vertices.iter().chain(&self.scenery) {
            to[island.clone()].copy_from_slice(&from[whole.clone()]);
        }
    }

    /// Writes what is known of the vertices of the island into what is known of those of the whole.
    pub(super) fn copy_up(&self, to: &mut [Vec3], from: &[Vec3]) {
        for (island, whole) in self.vertices.iter().chain(&self.scenery) {
            to[whole.clone()].copy_from_slice(&from[island.clone()]);
        }
    }
}

/// The parts of a model's memory, by bodies of the whole, ascending.
fn remembers(
    place: Place<'_>,
    range: &Range<usize>,
    model: &dyn ForceModel,
    whole: impl Fn(u32) -> Option<u32>,
) -> Option<Remembers> {
    let any = model as &dyn std::any::Any;
    if any.is::<ContactFriction>() {
        return Some(Remembers::Rubs);
    }
    let layout = model.character().memory;
    if layout.keyed > 0 {
        return None;
    }
    let mut bodies: Vec<u32> = Vec::new();
    if let Some(friction) = any.downcast_ref::<ShapeFriction>() {
        bodies.extend(friction.bodies());
    } else if let Some(friction) = any.downcast_ref::<Friction>() {
        let of = |v: &u32| place.bodies.partition_point(|b| b.range.end <= *v as usize) as u32;
        bodies.extend(friction.places().iter().map(of));
    } else {
        let body = place.bodies.iter().position(|b| b.range == *range)? as u32;
        return Some(Remembers::ByBody(vec![(whole(body)?, 0..layout.numbers)]));
    }
    let mut runs: Vec<(u32, Range<usize>)> = Vec::new();
    for same in bodies.chunk_by(|a, b| a == b) {
        let first = runs.last().map_or(0, |(_, run)| run.end);
        runs.push((whole(same[0])?, first..first + 3 * same.len()));
    }
    Some(Remembers::ByBody(runs))
}

/// Runs of both sides; none unless they are of the same bodies and of the same lengths.
fn pair(own: &[(u32, Range<usize>)], whole: &[(u32, Range<usize>)]) -> Option<Vec<Run>> {
    let fits = own.len() == whole.len();
    let pairs = own.iter().zip(whole).map(|((a, own), (b, whole))| {
        (a == b && own.len() == whole.len()).then(|| (own.clone(), whole.clone()))
    });
    fits.then(|| pairs.collect()).flatten()
}

fn rubbing(system: &System) -> Option<&ContactFriction> {
    system.models_of::<ContactFriction>().next()
}

/// Brings the states of all islands together.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    /// Entries of friction: key in the whole, island, place there.
    keys: Vec<(u64, usize, usize)>,
}

impl Gathering {
    /// Writes the states of the active islands into that of the whole, but for time and steps. No allocation once there was room.
    pub(super) fn gather(
        &mut self,
        (system, whole): (&System, &mut State),
        islands: &mut [Island],
        active: &[usize],
    ) {
        whole.knows_acceleration = true;
        for &k in active {
            let Island { link, state, .. } = &islands[k];
            link.copy_up(&mut whole.x, &state.x);
            link.copy_up(&mut whole.v, &state.v);
            link.copy_up(&mut whole.a, &state.a);
            whole.knows_acceleration &= state.knows_acceleration;
        }
        past(whole, islands, active);
        self.memories((system, whole), islands, active);
    }

    fn memories(
        &mut self,
        (system, whole): (&System, &mut State),
        islands: &mut [Island],
        active: &[usize],
    ) {
        self.keys.clear();
        let mut rubs = None;
        for &k in active {
            let Island { link, system: own, state, .. } = &mut islands[k];
            for memory in &link.memories {
                let (Some(from), Some(to)) =
                    (state.memory.get_mut(memory.island), whole.memory.get_mut(memory.whole))
                else {
                    continue;
                };
                for (island, whole) in &memory.numbers {
                    to.numbers[whole.clone()].copy_from_slice(&from.numbers[island.clone()]);
                }
                let (true, Some(own), Some(other)) = (memory.rubs, rubbing(own), rubbing(system))
                else {
                    continue;
                };
                // Sums are the whole's.
                for (to, from) in to.numbers.iter_mut().zip(&mut from.numbers) {
                    *to += std::mem::take(from);
                }
                rubs = Some((memory.whole, from.keyed.width()));
                let body = |b: u32| link.bodies.get(b as usize).copied();
                for (at, &key) in from.keyed.keys().iter().enumerate() {
                    self.keys.extend(own.key_in(other, key, body).map(|key| (key, k, at)));
                }
            }
        }
        let Some((number, width)) = rubs else { return };
        self.keys.sort_unstable();
        let to = &mut whole.memory[number].keyed;
        to.reset(width);
        for &(key, k, at) in &self.keys {
            let Island { link, state, .. } = &islands[k];
            let memory = link.memories.iter().find(|m| m.rubs);
            let from = memory.and_then(|m| state.memory.get(m.island));
            let values = from.and_then(|m| m.keyed.values().get(at * width..(at + 1) * width));
            if let Some(values) = values {
                // Each key once, as a pair is in one island.
                let _ = to.push(key, values);
            }
        }
    }
}

/// Gathers what multistep methods go on from, as far back as the islands agree about the times: a step of one may have been divided,
/// and not that of another.
fn past(whole: &mut State, islands: &[Island], active: &[usize]) {
    let Some((&first, others)) = active.split_first() else { return };
    let times = &islands[first].state.past;
    let agree = |j: &usize| {
        let same =
            |k: &usize| islands[*k].state.past.get(*j).is_some_and(|p| p.time == times[*j].time);
        others.iter().all(same)
    };
    let count = (0..times.len()).take_while(agree).count();
    let n = whole.x.len();
    whole.past.resize_with(count, Past::default);
    for (j, to) in whole.past.iter_mut().enumerate() {
        to.time = times[j].time;
        to.x.resize(n, [0.0; 3]);
        to.v.resize(n, [0.0; 3]);
        for &k in active {
            let Island { link, state, .. } = &islands[k];
            link.copy_up(&mut to.x, &state.past[j].x);
            link.copy_up(&mut to.v, &state.past[j].v);
        }
    }
}
