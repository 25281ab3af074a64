//! Bodies that are set apart before the first step: those that overlap where the scene asks for it, and always those that only touch or are
//! so near that the barrier would throw them off.
//!
//! Bodies that nothing holds or joins are moved as they are. What others are moved away from is *firm*: what is held, what stands on a
//! shape, and what has been moved already, so that piles are lifted from below.

use pliant_algebra::vec3::{Vec3, add, add_scaled, dot, norm, scale, sub};
use pliant_contact::analytic::ShapeContact;
use pliant_contact::normal::NormalContact;
use pliant_contact::resultants::Resultants;
use pliant_dynamics::{State, System};
use pliant_forces::Workspace;
use pliant_model::{Body, Meeting, Overlap, Scenery};
use pliant_units::{number, vector};

use crate::error::SceneError;
use crate::spec::contact::{ContactSpec, OnOverlap};
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// Rounds in which one body is moved.
const ROUNDS: usize = 200;
/// Halvings of a way that is longer than need be.
const HALVINGS: usize = 24;
/// A body that bears others is accelerated by contact by about gravity; beyond this multiple it is thrown.
const THROWN: f64 = 2.0;
/// Without gravity: the part of the contact distance that contact moves a body by in the first step.
const DRIFT: f64 = 1e-3;
/// How far apart bodies are set, in contact distances.
const BEYOND: f64 = 1.001;

/// Sets bodies apart, and returns warnings that say which and how far.
pub(super) fn set_apart(
    scene: &Scene,
    spec: &ContactSpec,
    (bodies, scenery): (&[Body], &[Scenery]),
    system: &System,
    state: &mut State,
) -> Result<Vec<String>, SceneError> {
    let free = |body: &Body| {
        let held = system.constraints().vertices().iter();
        let held = held.map(|c| c.vertex as usize).any(|v| body.range.contains(&v));
        let joins = |a: &crate::AttachmentSpec| {
            a.body.0 == body.name || a.to.as_ref().is_some_and(|to| to.0 == body.name)
        };
        !held && !scene.attachments.iter().any(joins)
    };
    let free: Vec<bool> = bodies.iter().map(free).collect();
    let firm = free.iter().map(|free| !free).chain(scenery.iter().map(|_| true)).collect();
    let mut setting = Setting {
        spec,
        bodies,
        scenery,
        contact: system.models_of().next(),
        shapes: system.models_of().collect(),
        free,
        firm,
        moved: vec![Moved::default(); bodies.len()],
        work: Workspace::new(),
    };
    setting.off_shapes(&mut state.x);
    setting.off_each_other(&mut state.x)?;
    let mut warnings = Vec::new();
    if scene.time.analysis == Analysis::Dynamic {
        warnings = setting.not_thrown(scene, &mut state.x);
    }
    let mut told = setting.told();
    told.append(&mut warnings);
    Ok(told)
}

/// How far a body was moved, and why.
#[derive(Debug, Clone, Default)]
struct Moved {
    way: Vec3,
    why: String,
}

struct Setting<'a> {
    spec: &'a ContactSpec,
    bodies: &'a [Body],
    scenery: &'a [Scenery],
    contact: Option<&'a NormalContact>,
    shapes: Vec<&'a ShapeContact>,
    /// Bodies that nothing holds or joins.
    free: Vec<bool>,
    /// Bodies and scenery that others are moved away from.
    firm: Vec<bool>,
    moved: Vec<Moved>,
    work: Workspace,
}

impl Setting<'_> {
    /// Whether overlaps of any depth are mended, and not only what touches.
    fn mends_all(&self) -> bool {
        self.spec.on_overlap == OnOverlap::PushApart
    }

    fn name(&self, body: usize) -> String {
        match self.bodies.get(body) {
            Some(body) => format!("body '{}'", body.name),
            None => format!("obstacle '{}'", self.scenery[body - self.bodies.len()].name),
        }
    }

    /// The contact distance of two bodies, m.
    fn distance(&self, [a, b]: [usize; 2]) -> f64 {
        self.contact.map_or(0.0, |contact| contact.distance(a as u32, b as u32))
    }

    /// How far a body has been moved, m; scenery stays where it is.
    fn way(&self, body: usize) -> f64 {
        self.moved.get(body).map_or(0.0, |moved| norm(moved.way))
    }

    fn mass(&self, body: usize) -> f64 {
        self.bodies[body].masses().iter().sum()
    }

    fn shift(&mut self, x: &mut [Vec3], body: usize, way: Vec3, why: String) {
        shift(x, &self.bodies[body], way);
        let moved = &mut self.moved[body];
        moved.way = add(moved.way, way);
        if moved.why.is_empty() {
            moved.why = why;
        }
        self.firm[body] = true;
    }

    /// The body of a pair that is moved away from the other: one that is not firm, and the lighter one of two.
    fn mover(&self, pair: [usize; 2]) -> Option<usize> {
        let free = |b: &usize| self.free.get(*b) == Some(&true);
        let order = |a: &usize, b: &usize| {
            let by_mass = self.mass(*a).total_cmp(&self.mass(*b));
            self.firm[*a].cmp(&self.firm[*b]).then(by_mass).then(b.cmp(a))
        };
        pair.into_iter().filter(free).min_by(order)
    }

    /// Moves what touches a shape to the contact distance from it.
    fn off_shapes(&mut self, x: &mut [Vec3]) {
        for body in (0..self.bodies.len()).filter(|&b| self.free[b]).collect::<Vec<_>>() {
            let number = body as u32;
            // One shape may push it into another.
            for _ in 0..8 {
                let mut inside = None;
                for shape in &self.shapes {
                    let Some(gap) = shape.nearest(number, x, &mut self.work) else { continue };
                    let reach = shape.distance(number);
                    self.firm[body] |= gap.distance < reach;
                    let mends = self.mends_all() || gap.distance > -reach;
                    if gap.distance <= 0.0 && mends && inside.is_none() {
                        let way = scale(gap.normal, BEYOND * reach - gap.distance);
                        inside = Some((way, format!("touches obstacle '{}'", shape.name())));
                    }
                }
                let Some((way, why)) = inside else { break };
                self.shift(x, body, way, why);
            }
        }
    }

    /// Moves bodies that overlap or touch by the shortest way, until none does.
    fn off_each_other(&mut self, x: &mut [Vec3]) -> Result<(), SceneError> {
        let mut meeting = Meeting::new(self.bodies)?.with_scenery(self.scenery)?;
        let mut left: Vec<[usize; 2]> = Vec::new();
        for _ in 0..ROUNDS {
            let overlaps = meeting.overlaps(x);
            let counts = |o: &&Overlap| o.bodies[0] != o.bodies[1] && !left.contains(&o.bodies);
            let one_is_firm = |o: &&Overlap| self.firm[o.bodies[0]] != self.firm[o.bodies[1]];
            let mut all = overlaps.iter().filter(counts);
            let from_below = all.clone().find(one_is_firm);
            let Some(&Overlap { bodies: pair, depth, .. }) = from_below.or_else(|| all.next())
            else {
                break;
            };
            let reach = self.distance(pair);
            let Some(mover) = self.mover(pair) else {
                if !self.mends_all() {
                    left.push(pair);
                    continue;
                }
                let [a, b] = pair.map(|b| self.name(b));
                let text = format!(
                    "{a} and {b} overlap at the start and cannot be pushed apart, as both are held or attached"
                );
                let hint =
                    "move them apart in the scene, or take contact.on_overlap = \"ignore-pairs\"";
                return Err(SceneError::new(text).at(&self.spec.location).hint(hint));
            };
            // What was lifted into another body has not been put there by the scene.
            let touches = reach + pair.map(|b| self.way(b)).iter().sum::<f64>();
            if !self.mends_all() && depth.is_some_and(|depth| depth > touches) {
                left.push(pair);
                continue;
            }
            let (length, n) = self.shortest(&mut meeting, pair, mover, x);
            if !self.mends_all() && length > touches {
                left.push(pair);
                continue;
            }
            let other = self.name(if mover == pair[0] { pair[1] } else { pair[0] });
            let word = if length > touches { "overlaps" } else { "touches" };
            self.shift(x, mover, scale(n, length + BEYOND * reach), format!("{word} {other}"));
        }
        Ok(())
    }

    /// The shortest of some ways on which one of a pair comes free of the other: its length and direction.
    fn shortest(
        &self,
        meeting: &mut Meeting,
        pair: [usize; 2],
        mover: usize,
        x: &[Vec3],
    ) -> (f64, Vec3) {
        let other = if mover == pair[0] { pair[1] } else { pair[0] };
        let mover = &self.bodies[mover];
        let (other, centre) = match self.bodies.get(other) {
            Some(body) => (body.range.clone(), Some(body.centre(x))),
            None => (self.scenery[other - self.bodies.len()].range.clone(), None),
        };
        let mut directions: Vec<Vec3> = (0..3)
            .flat_map(|k| {
                [1.0, -1.0].map(|sign| std::array::from_fn(|i| if i == k { sign } else { 0.0 }))
            })
            .collect();
        let between = centre.map_or([0.0; 3], |centre| sub(mover.centre(x), centre));
        if norm(between) > 0.0 {
            directions.push(scale(between, 1.0 / norm(between)));
        }
        let mut best: Option<(f64, Vec3)> = None;
        let mut y = x.to_vec();
        for n in directions {
            // Beyond this way a plane separates them.
            let farthest = x[other.clone()].iter().map(|p| dot(*p, n));
            let nearest = x[mover.range.clone()].iter().map(|p| dot(*p, n));
            let whole =
                farthest.fold(f64::NEG_INFINITY, f64::max) - nearest.fold(f64::INFINITY, f64::min);
            let mut overlap_after = |way: f64| {
                y.copy_from_slice(x);
                shift(&mut y, mover, scale(n, way));
                meeting.overlap(pair, &y)
            };
            let (mut inside, mut outside) = (0.0, whole * (1.0 + 1e-9));
            for _ in 0..HALVINGS {
                let middle = 0.5 * (inside + outside);
                if overlap_after(middle) {
                    inside = middle;
                } else {
                    outside = middle;
                }
            }
            if best.is_none_or(|(way, _)| outside < way) {
                best = Some((outside, n));
            }
        }
        best.unwrap_or_default()
    }

    /// Moves what contact would throw off by the contact distance, and tells of what it throws all the same.
    fn not_thrown(&mut self, scene: &Scene, x: &mut [Vec3]) -> Vec<String> {
        let gravity = norm(scene.gravity);
        let all: f64 = (0..self.bodies.len()).map(|b| self.mass(b)).sum();
        let mut told = Vec::new();
        let mut left = vec![false; self.bodies.len()];
        for _ in 0..ROUNDS {
            let pairs = self.pairs(x);
            let mut next = None;
            for body in (0..self.bodies.len()).filter(|&b| !left[b]) {
                let on_shapes = self.on_shapes(body, x);
                let by_bodies = pairs.iter().filter_map(|(pair, force)| match pair {
                    [a, _] if *a == body => Some(*force),
                    [_, b] if *b == body => Some(scale(*force, -1.0)),
                    _ => None,
                });
                let total =
                    on_shapes.iter().map(|found| found.1).chain(by_bodies).fold([0.0; 3], add);
                let reach = self.reach(body);
                // What is held bears whatever stands on it.
                let mass = if self.free[body] { self.mass(body) } else { all };
                let usual = if gravity > 0.0 {
                    THROWN * gravity
                } else {
                    DRIFT * reach / (scene.time.step * scene.time.step)
                };
                if norm(total) <= usual * mass {
                    continue;
                }
                next = Some((body, on_shapes, usual * mass, norm(total) / mass));
                break;
            }
            let Some((body, on_shapes, usual, acceleration)) = next else { break };
            let strong = on_shapes.into_iter().find(|(_, force)| norm(*force) > usual);
            if let Some((shape, force)) = strong.filter(|_| self.free[body]) {
                let found = self.shapes[shape].nearest(body as u32, x, &mut self.work);
                let gap = found.map_or(0.0, |gap| gap.distance);
                let length = BEYOND * self.shapes[shape].distance(body as u32) - gap;
                let why = format!("is nearer to obstacle '{}'", self.shapes[shape].name());
                self.shift(x, body, scale(force, length / norm(force)), why);
                continue;
            }
            let strong = pairs.iter().find(|(pair, f)| pair.contains(&body) && norm(*f) > usual);
            if let Some(&(pair, force)) = strong
                && let Some(mover) = self.mover(pair)
            {
                let sign = if mover == pair[0] { 1.0 } else { -1.0 };
                let other = self.name(if mover == pair[0] { pair[1] } else { pair[0] });
                let way = scale(force, sign * BEYOND * self.distance(pair) / norm(force));
                self.shift(x, mover, way, format!("is nearer to {other}"));
                continue;
            }
            left[body] = true;
            told.push(format!(
                "{}: {} starts nearer to something than the contact distance, and contact accelerates it by {} m/s² with energy from nowhere: begin farther away, or take a smaller contact.distance",
                self.spec.location,
                self.name(body),
                number(acceleration)
            ));
        }
        told
    }

    /// The smallest contact distance of a body, m.
    fn reach(&self, body: usize) -> f64 {
        let own = self.contact.map(|contact| contact.touches()[body].distance);
        let shapes = self.shapes.iter().map(|shape| shape.distance(body as u32));
        own.into_iter().chain(shapes).fold(f64::INFINITY, f64::min)
    }

    /// The forces on a body by shapes, N, with the numbers of these.
    fn on_shapes(&mut self, body: usize, x: &[Vec3]) -> Vec<(usize, Vec3)> {
        let force = |(k, shape): (usize, &&ShapeContact)| {
            let force = shape.force(body as u32, x, &mut self.work);
            (norm(force) > 0.0).then_some((k, force))
        };
        self.shapes.iter().enumerate().filter_map(force).collect()
    }

    /// The forces of pairs on the first of both, N.
    fn pairs(&mut self, x: &[Vec3]) -> Vec<([usize; 2], Vec3)> {
        let Some(contact) = self.contact else { return Vec::new() };
        let mut sums = Resultants::default();
        contact.resultants(x, None, &mut self.work, &mut sums);
        sums.iter().map(|r| (r.bodies.map(|b| b as usize), r.force)).collect()
    }

    /// What is said of bodies that were moved.
    fn told(&self) -> Vec<String> {
        let moved = self.bodies.iter().zip(&self.moved).filter(|(_, m)| norm(m.way) > 0.0);
        let text = |(body, moved): (&Body, &Moved)| {
            let than =
                if moved.why.starts_with("is nearer") { " than the contact distance" } else { "" };
            format!(
                "{}: body '{}' {}{than} at the start, and begins {} away from where the scene puts it",
                self.spec.location,
                body.name,
                moved.why,
                vector(moved.way, "m")
            )
        };
        moved.map(text).collect()
    }
}

fn shift(x: &mut [Vec3], body: &Body, way: Vec3) {
    for x in &mut x[body.range.clone()] {
        *x = add_scaled(*x, way, 1.0);
    }
}
