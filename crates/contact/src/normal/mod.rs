//! [`NormalContact`]: forces that keep the surfaces of bodies apart.
//!
//! Π = Σ w κ b(d) over all pairs of a vertex and a triangle, and of two edges, that are nearer to each other than d̂. The energy is
//! infinite where surfaces touch and steps are bounded by times of impact, so that surfaces which are apart stay apart. Vertices count by
//! half of the area that faces the other side ([`CollisionSurface::facing_area`]) and each place of a surface counts once ([`fans`]), so that two flat
//! surfaces repel each other with the pressure κ P(δ); pairs of edges
//! begin to repel each other at half of d̂, and add to that where surfaces are bent or pressed hard.
//!
//! The tangent is exact unless a projected one is asked for. A surface that is bent, or the rim of one, has a repulsion that is weaker
//! beside it than before it, with a stiffness of −force/distance along the surface; without that part Newton's method halves the error in
//! an iteration where it would square it. Whoever meets a matrix that is not positive definite asks for the projected one.

mod blocks;
mod candidates;
mod couplings;
mod fans;
mod gather;
mod motion;
mod pressures;
mod scatter;
mod terms;

use std::sync::{Arc, Mutex};

use pliant_algebra::sparse::Pattern;
use pliant_algebra::vec3::{Vec3, is_finite, norm_squared};
use pliant_forces::{
    Ask, Change, Character, Configuration, Couplings, ForceError, ForceModel, Slots, Workspace,
};

pub(crate) use self::blocks::{Node, add_blocks};
use self::candidates::{Candidates, Pool, slack};
use self::couplings::{Covered, Found};
use self::fans::Fans;
use self::motion::Moving;
pub(crate) use self::pressures::Pressure;
use self::scatter::Parts;
use self::terms::{Term, Terms};
use crate::barrier::Barrier;
use crate::surface::CollisionSurface;

/// Part of its area by which a vertex of scenery counts.
const SCENERY: f64 = 0.05;

/// How a body touches others. Two bodies touch with the smaller of both distances and stiffnesses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// d̂, m: the distance below which surfaces repel each other.
    pub distance: f64,
    /// κ, Pa.
    pub stiffness: f64,
}

/// Contact of one configuration.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Survey {
    /// Pairs that repel each other.
    pub pairs: usize,
    /// The smallest distance of these, m; none where there are none.
    pub gap: Option<f64>,
    /// Σ w over pairs, m², each side counted by half: the area in contact, and more where edges cross.
    pub area: f64,
    /// The greatest pressure κ P, Pa.
    pub pressure: f64,
}

/// Contact between bodies, and of bodies with themselves.
#[derive(Debug, Clone)]
pub struct NormalContact {
    /// Shared with the friction along it and contact with shapes, as are the fans with friction.
    surface: Arc<CollisionSurface>,
    bodies: Vec<Touch>,
    /// Two bodies that touch another way than that, ascending.
    pairs: Vec<([u32; 2], Touch)>,
    with_themselves: bool,
    barrier: Barrier,
    /// Pairs of bodies that do not touch each other, ascending.
    ignored: Vec<[u32; 2]>,
    /// The first body that is scenery.
    scenery: u32,
    fans: Arc<Fans>,
    /// The largest d̂, and the size of all bodies at rest, m.
    reach: f64,
    size: f64,
    /// How far vertices may move before candidates are found anew, m.
    slack: f64,
    /// Candidates that were found; shared by clones.
    pool: Arc<Mutex<Pool>>,
    /// Couplings besides those that are always there, ascending.
    declared: Vec<(u32, u32)>,
    covered: Covered,
    /// The pattern without couplings of this model, and the present one.
    base: Option<Pattern>,
    bound: Option<Pattern>,
    /// Counts the patterns there were.
    binding: u64,
    /// Number of the first vertex in the system.
    first: u32,
    work: Scratch,
}

/// What evaluations keep from one to the next: nothing that a result depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    near: Candidates,
    terms: Terms,
    parts: Parts,
    moving: Moving,
    pairs: Vec<(u32, u32)>,
    found: Found,
}

fn scratch(work: &mut Workspace) -> &mut Scratch {
    work.get::<Scratch>(|_| true, Scratch::default)
}

impl NormalContact {
    /// Contact of the bodies of a surface, one [`Touch`] for each. `size` is the length of parts in which motions are
    /// followed, such as that of the largest body, m.
    pub fn new(
        surface: CollisionSurface,
        bodies: Vec<Touch>,
        with_themselves: bool,
        size: f64,
    ) -> Result<Self, ForceError> {
        let refuse = |what: &str, found: f64, accepted: &str| {
            let (what, accepted) = (what.to_owned(), accepted.to_owned());
            Err(ForceError::Parameter { what, found, accepted })
        };
        if bodies.len() != surface.body_count() {
            let accepted = format!("one is needed for each of {} bodies", surface.body_count());
            return refuse("number of contact distances", bodies.len() as f64, &accepted);
        }
        for touch in &bodies {
            for (what, value) in
                [("contact distance", touch.distance), ("contact stiffness", touch.stiffness)]
            {
                if !(value > 0.0 && value.is_finite()) {
                    return refuse(what, value, "must be above 0 and finite");
                }
            }
        }
        if !(size > 0.0 && size.is_finite()) {
            return refuse("size of bodies in contact", size, "must be above 0 and finite");
        }
        Ok(Self {
            fans: Arc::new(Fans::new(&surface)),
            reach: bodies.iter().fold(0.0, |reach, t| reach.max(t.distance)),
            slack: slack(&surface),
            pool: Arc::default(),
            surface: Arc::new(surface),
            bodies,
            pairs: Vec::new(),
            with_themselves,
            barrier: Barrier::default(),
            ignored: Vec::new(),
            scenery: u32::MAX,
            size,
            declared: Vec::new(),
            covered: Covered::default(),
            base: None,
            bound: None,
            binding: 0,
            first: 0,
            work: Scratch::default(),
        })
    }

    /// Makes the bodies from this one on scenery: all that can move is moved from outside. Scenery does not touch scenery, and where it touches a
    /// body the vertices of the body count by all of their area, however large the triangles of the scenery are. Its own vertices are only to
    /// keep it from passing between those of the body.
    #[must_use]
    pub fn with_scenery(mut self, first: u32) -> Self {
        (self.scenery, self.pool) = (first, Arc::default());
        self
    }

    /// Takes another potential of the gap.
    #[must_use]
    pub fn with_barrier(mut self, barrier: Barrier) -> Self {
        self.barrier = barrier;
        self
    }

    /// The potential of the gap.
    pub fn barrier(&self) -> Barrier {
        self.barrier
    }

    /// The part of its area by which a vertex of one body counts against another body.
    fn part_of_area(&self, own: u32, other: u32) -> f64 {
        match (own >= self.scenery, other >= self.scenery) {
            (false, false) => 0.5,
            (false, true) => 1.0,
            (true, _) => SCENERY,
        }
    }

    /// The surface of all bodies.
    pub fn surface(&self) -> &Arc<CollisionSurface> {
        &self.surface
    }

    /// d̂ and κ of each body.
    pub fn touches(&self) -> &[Touch] {
        &self.bodies
    }

    /// The largest distance at which bodies begin to repel each other, m.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Returns the distance at which two bodies begin to repel each other, m.
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        self.between(a, b).0
    }

    /// Lets pairs of bodies pass through each other from now on; twice the same number for a body and itself.
    pub fn ignore(&mut self, pairs: &[[u32; 2]]) {
        self.ignored.extend(pairs.iter().map(|[a, b]| [*a.min(b), *a.max(b)]));
        self.pool = Arc::default();
    }

    /// Whether primitives with these collision vertices may collide.
    fn may_touch(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|v| self.surface.bodies()[v as usize]);
        let may =
            if a == b { self.with_themselves && a < self.scenery } else { a.min(b) < self.scenery };
        may && (self.ignored.is_empty() || !self.ignored.contains(&[a.min(b), a.max(b)]))
    }

    /// d̂ and κ of two bodies.
    fn between(&self, a: u32, b: u32) -> (f64, f64) {
        if let Ok(k) = self.pairs.binary_search_by_key(&[a.min(b), a.max(b)], |(pair, _)| *pair) {
            let Touch { distance, stiffness } = self.pairs[k].1;
            return (distance, stiffness);
        }
        let (a, b) = (self.bodies[a as usize], self.bodies[b as usize]);
        (a.distance.min(b.distance), a.stiffness.min(b.stiffness))
    }

    fn body_of_triangle(&self, triangle: u32) -> u32 {
        self.surface.bodies()[self.surface.triangles()[triangle as usize][0] as usize]
    }

    /// Looks at contact in a configuration. No allocation after the first call with the same workspace.
    pub fn survey(&self, x: &[Vec3], work: &mut Workspace) -> Survey {
        let Scratch { near, terms, .. } = scratch(work);
        near.update(self, x, None, self.reach);
        terms.find(self, near, 1.0);
        let mut found = Survey::default();
        for term in terms.iter() {
            let d = term.stencil.closest(&term.positions(&near.y)).distance;
            found.pairs += 1;
            found.gap = Some(found.gap.map_or(d, |gap| gap.min(d)));
            found.area += term.area;
            found.pressure = found.pressure.max(term.pressure(d));
        }
        found
    }

    /// Fails with the first pair where surfaces intersect.
    pub fn refuse_intersections(&self, x: &[Vec3], work: &mut Workspace) -> Result<(), ForceError> {
        scratch(work).moving.intersections(self, x)
    }

    /// Writes the couplings of terms that are not always there, ascending.
    fn couplings_of<'a>(&self, terms: impl Iterator<Item = &'a Term>, to: &mut Vec<(u32, u32)>) {
        let (Some(base), first) = (&self.base, self.first) else { return };
        to.clear();
        for term in terms {
            let used = &term.vertices[..term.stencil.vertices()];
            let nodes = || used.iter().flat_map(|&v| self.surface.nodes_of(v).0);
            for &i in nodes() {
                for &j in nodes().filter(|&&j| i < j) {
                    if base.slot(first + i, first + j).is_none() {
                        to.push((i, j));
                    }
                }
            }
        }
        to.sort_unstable();
        to.dedup();
    }
}

impl ForceModel for NormalContact {
    fn name(&self) -> &'static str {
        "contact"
    }

    fn character(&self) -> Character {
        Character {
            couplings: Couplings::Changing,
            sets_in: true,
            bounds_steps: true,
            activation: Some(self.bodies.iter().fold(f64::INFINITY, |d, t| d.min(t.distance))),
            checks_ends: true,
            ..Character::POTENTIAL
        }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.declared.iter().for_each(|&(i, j)| couple(i, j));
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        for &(i, j) in &self.declared {
            slots.get(i, j)?;
        }
        // Nothing is declared before the first configuration was seen.
        if self.base.is_none() {
            self.base = Some(slots.pattern().clone());
            self.first = slots.first();
        }
        self.bound = Some(slots.pattern().clone());
        self.binding += 1;
        Ok(())
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        if let Some(vertex) = at.x.iter().position(|&x| !is_finite(x)) {
            return Err(ForceError::NotFinite { vertex, position: at.x[vertex] });
        }
        let Scratch { near, terms, parts, .. } = scratch(work);
        near.update(self, at.x, at.lagged(), self.reach);
        terms.find(self, near, 1.0);
        parts.add(self, &near.y, terms, ask);
        Ok(())
    }

    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        // The stiffness of a barrier has no bound.
        0.0
    }

    fn begin(&mut self, at: &Configuration<'_>) -> Result<Change, ForceError> {
        let mut work = std::mem::take(&mut self.work);
        let at_start = at.lagged().is_none_or(|start| start == at.x);
        let change = self.follow(at.x, at_start, &mut work);
        self.work = work;
        Ok(change)
    }

    fn admissible(
        &self,
        at: &Configuration<'_>,
        direction: &[Vec3],
        limit: f64,
        work: &mut Workspace,
    ) -> Result<f64, ForceError> {
        if !direction.iter().all(|&d| is_finite(d)) {
            return Ok(0.0);
        }
        let Scratch { near, moving, .. } = scratch(work);
        Ok(moving.bound(self, near, at.x, direction, limit).0)
    }

    fn obstruction(
        &self,
        at: &Configuration<'_>,
        direction: &[Vec3],
        limit: f64,
        work: &mut Workspace,
    ) -> Option<ForceError> {
        let Scratch { near, moving, .. } = scratch(work);
        let found = moving.bound(self, near, at.x, direction, limit).1;
        let Some([a, b, c, _]) = found else {
            // Nothing is in the way, but it is too far to look at: what moves farthest is told.
            let far = |v: &usize| norm_squared(direction[*v]);
            let vertex = (0..direction.len()).max_by(|a, b| far(a).total_cmp(&far(b)))?;
            return Some(ForceError::Blocked { vertex, other: vertex, place: at.x[vertex] });
        };
        let same_body = self.surface.bodies()[a as usize] == self.surface.bodies()[b as usize];
        // The second vertex is of the same edge, or already of the triangle.
        let edges = self.surface.edges().binary_search(&[a.min(b), a.max(b)]).is_ok() && same_body;
        let other = if edges { c } else { b };
        let [vertex, other] = [a, other].map(|v| self.surface.node(v));
        Some(ForceError::Blocked { vertex, other, place: at.x[vertex] })
    }

    fn check_end(&self, x: &[Vec3], work: &mut Workspace) -> Result<(), ForceError> {
        self.refuse_intersections(x, work)
    }

    fn adopt_couplings(&mut self, pairs: &[(u32, u32)]) {
        self.declared = pairs.to_vec();
        self.covered.forget();
    }
}
