//! [`SoftContact`]: a potential of the depth to which bodies sink into each other.
//!
//! Π = Σ φ(d̂ − g) over vertices at the signed distance g < d̂ from the surface of another closed body, with the φ of
//! obstacles: k p³/6d̂ for p ≤ d̂ and a parabola beyond, k = w κ/d̂. Two flat surfaces so push each other with the pressure κ/2 where they
//! touch, and with κ/d̂ more for each metre of depth. Nothing is infinite, so any method of integration that knows forces serves, and
//! bodies may sink into each other where they are pressed harder than κ/2.
//!
//! Forces act along the line through a vertex and its closest point, so that linear and angular momentum are kept. The tangent is
//! one of two:
//!
//! - [`SoftTangent::Majorant`]: on the diagonal, no smaller than the true one by Σ cᵢcⱼ yᵢyⱼ ≤ Σ |cᵢ| (Σ |cⱼ|) yᵢ². It couples nothing, so
//!   the pattern of the matrix is that of the bodies for ever, and Newton's method converges linearly.
//! - [`SoftTangent::Exact`]: couplings follow the pairs.

mod couplings;
mod meetings;
mod nearest;
mod presses;
mod pressures;
mod scatter;
mod sides;

use std::ops::Range;

use pliant_algebra::vec3::{Vec3, is_finite, scale};
use pliant_forces::assembly::stable_step;
use pliant_forces::{
    Ask, Change, Character, Configuration, Couplings, ForceError, ForceModel, Slots, Workspace,
};

use self::couplings::Declared;
pub use self::meetings::BodyMeetings;
pub use self::presses::Press;
use self::presses::Presses;
use self::scatter::Parts;
use self::sides::Sides;
use crate::normal::Touch;
use crate::resultants::Resultants;
use crate::surface::CollisionSurface;

/// Couplings are named for vertices within this many d̂, so that the pattern need not follow each that comes and goes.
const MARGIN: f64 = 2.0;

/// What stands in the matrix for the potential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoftTangent {
    /// A diagonal that is no smaller.
    Majorant,
    /// Its Hessian.
    Exact,
}

/// Contact of one configuration.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SoftSurvey {
    /// Vertices that press on a body.
    pub pairs: usize,
    /// The smallest signed distance of these, m; none where there are none.
    pub gap: Option<f64>,
    /// d̂ of the two bodies there, m.
    pub distance: f64,
}

/// Contact between bodies, and of bodies with themselves.
#[derive(Debug, Clone)]
pub struct SoftContact {
    surface: CollisionSurface,
    bodies: Vec<Touch>,
    /// Two bodies that touch another way than that, ascending.
    pairs: Vec<([u32; 2], Touch)>,
    with_themselves: bool,
    tangent: SoftTangent,
    sides: Sides,
    /// The simulated vertex of each collision vertex.
    nodes: Vec<u32>,
    /// First vertex and first triangle of each body, and the ends of the last.
    starts: Vec<[usize; 2]>,
    declared: Declared,
    work: Scratch,
}

/// What evaluations keep from one to the next: nothing that a result depends on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scratch {
    presses: Presses,
    /// The same in the order of their vertices.
    order: Vec<Press>,
    parts: Parts,
    pairs: Vec<(u32, u32)>,
}

fn scratch(work: &mut Workspace) -> &mut Scratch {
    work.get::<Scratch>(|_| true, Scratch::default)
}

impl SoftContact {
    /// Contact of the closed bodies of a surface, one [`Touch`] for each. Each collision vertex must be one simulated vertex.
    pub fn new(
        surface: CollisionSurface,
        bodies: Vec<Touch>,
        with_themselves: bool,
        tangent: SoftTangent,
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
        let mut nodes = Vec::with_capacity(surface.vertex_count());
        for v in 0..surface.vertex_count() as u32 {
            let (&[node], &[1.0]) = surface.nodes_of(v) else {
                let text =
                    "soft contact serves surfaces whose vertices are those of linear elements";
                return Err(ForceError::Unsupported(text.into()));
            };
            nodes.push(node);
        }
        let of = surface.bodies();
        let starts = (0..=bodies.len() as u32).map(|body| {
            let first = |t: &[u32; 3]| of[t[0] as usize] < body;
            [of.partition_point(|&b| b < body), surface.triangles().partition_point(first)]
        });
        Ok(Self {
            sides: Sides::new(&surface),
            starts: starts.collect(),
            surface,
            bodies,
            pairs: Vec::new(),
            with_themselves,
            tangent,
            nodes,
            declared: Declared::default(),
            work: Scratch::default(),
        })
    }

    /// With distances and stiffnesses for some pairs of different bodies in place of the smaller ones of both.
    pub fn with_pairs(mut self, mut pairs: Vec<([u32; 2], Touch)>) -> Result<Self, ForceError> {
        for (pair, touch) in &mut pairs {
            pair.sort_unstable();
            if !(touch.distance > 0.0 && touch.stiffness > 0.0) {
                let what = "contact distance and stiffness of a pair".to_owned();
                let (found, accepted) = (touch.distance, "both must be above 0".to_owned());
                return Err(ForceError::Parameter { what, found, accepted });
            }
        }
        pairs.sort_by_key(|(pair, _)| *pair);
        self.pairs = pairs;
        Ok(self)
    }

    /// The largest distance at which a body and another one begin to repel each other, m.
    pub fn reach_of(&self, body: u32) -> f64 {
        let own = self.bodies.get(body as usize).map_or(0.0, |touch| touch.distance);
        let pairs = self.pairs.iter().filter(|(pair, _)| pair.contains(&body));
        pairs.fold(own, |reach, (_, touch)| reach.max(touch.distance))
    }

    /// The distance at which two bodies begin to repel each other, m.
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        self.between(a as usize, b as usize).distance
    }

    /// d̂ and κ of each body.
    pub fn touches(&self) -> &[Touch] {
        &self.bodies
    }

    /// The surface of all bodies.
    pub fn surface(&self) -> &CollisionSurface {
        &self.surface
    }

    /// The largest distance at which bodies begin to repel each other, m.
    pub fn reach(&self) -> f64 {
        let pairs = self.pairs.iter().map(|(_, touch)| touch);
        self.bodies.iter().chain(pairs).fold(0.0, |reach, touch| reach.max(touch.distance))
    }

    /// Collision vertices of a body.
    fn vertices_of(&self, body: usize) -> Range<usize> {
        self.starts[body][0]..self.starts[body + 1][0]
    }

    /// Triangles of a body.
    fn triangles_of(&self, body: usize) -> Range<usize> {
        self.starts[body][1]..self.starts[body + 1][1]
    }

    /// d̂ and κ of two bodies.
    fn between(&self, a: usize, b: usize) -> Touch {
        let pair = [a.min(b) as u32, a.max(b) as u32];
        if let Ok(k) = self.pairs.binary_search_by_key(&pair, |(pair, _)| *pair) {
            return self.pairs[k].1;
        }
        let (a, b) = (self.bodies[a], self.bodies[b]);
        Touch { distance: a.distance.min(b.distance), stiffness: a.stiffness.min(b.stiffness) }
    }

    /// The largest factor by which distances are ever stretched.
    fn stretch(&self) -> f64 {
        if self.tangent == SoftTangent::Exact { MARGIN } else { 1.0 }
    }

    /// Calls `visit` with each vertex that presses on a body, and its [`Press`]; the vertices are those of the simulation. No allocation
    /// after the first call with the same workspace.
    pub fn each(&self, x: &[Vec3], work: &mut Workspace, mut visit: impl FnMut([u32; 4], &Press)) {
        let Scratch { presses, .. } = scratch(work);
        presses.find(self, x, 1.0);
        for press in presses.iter() {
            visit(press.vertices.map(|v| self.nodes[v as usize]), press);
        }
    }

    /// Adds the forces by which bodies push each other at `x`.
    pub fn resultants(&self, x: &[Vec3], work: &mut Workspace, sums: &mut Resultants) {
        let Scratch { presses, .. } = scratch(work);
        presses.find(self, x, 1.0);
        let of = self.surface.bodies();
        for press in presses.iter() {
            let [_, force, _] = press.potential();
            let [one, other] = [0, 1].map(|i| of[press.vertices[i] as usize]);
            for (i, &vertex) in press.vertices.iter().enumerate() {
                let pair = if i == 0 { [one, other] } else { [other, one] };
                let f = scale(press.closest.normal, force * press.closest.weights[i]);
                sums.add(pair, presses.y[vertex as usize], f);
            }
        }
    }

    /// Looks at contact in a configuration. No allocation after the first call with the same workspace.
    pub fn survey(&self, x: &[Vec3], work: &mut Workspace) -> SoftSurvey {
        let mut found = SoftSurvey::default();
        self.each(x, work, |_, press| {
            let g = press.closest.distance;
            found.pairs += 1;
            if found.gap.is_none_or(|gap| g < gap) {
                (found.gap, found.distance) = (Some(g), press.distance);
            }
        });
        found
    }

    /// Names the couplings of `x` if those that are named do not serve.
    fn follow(&mut self, x: &[Vec3], work: &mut Scratch) -> Change {
        let Scratch { presses, pairs, .. } = work;
        let mut declared = std::mem::take(&mut self.declared);
        let mut find = |stretch: f64, declared: &Declared, pairs: &mut Vec<(u32, u32)>| {
            presses.find(self, x, stretch);
            let lists = presses.iter().map(|p| p.vertices.map(|v| self.nodes[v as usize]));
            declared.missing(lists, pairs);
        };
        find(1.0, &declared, pairs);
        let change = if declared.serves(pairs) && declared.is_short() {
            Change::Same
        } else {
            let serves = declared.serves(pairs);
            find(MARGIN, &declared, pairs);
            declared.take(serves, pairs)
        };
        self.declared = declared;
        change
    }
}

impl ForceModel for SoftContact {
    fn name(&self) -> &'static str {
        "soft contact"
    }

    fn character(&self) -> Character {
        let exact = self.tangent == SoftTangent::Exact;
        Character {
            couplings: if exact { Couplings::Changing } else { Couplings::Fixed },
            sets_in: true,
            majorised: !exact,
            ..Character::POTENTIAL
        }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.nodes.iter().for_each(|&v| couple(v, v));
        self.declared.pairs().iter().for_each(|&(i, j)| couple(i, j));
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.declared.bind(slots)
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
        let Scratch { presses, parts, .. } = scratch(work);
        presses.find(self, at.x, 1.0);
        parts.add(self, presses, ask);
        Ok(())
    }

    /// Whatever may yet come into contact: rows of the majorant over masses. A vertex presses with the stiffness of its own area, and
    /// takes what presses on the triangles around it: that of its own area where the other side is finer, and of one vertex of
    /// the other side where that is coarser.
    fn stable_step(&self, _: &Configuration<'_>, mass: &[f64]) -> f64 {
        let areas = self.surface.vertex_areas();
        let largest =
            |body: usize| areas[self.vertices_of(body)].iter().copied().fold(0.0, f64::max);
        let largest: Vec<f64> = (0..self.bodies.len()).map(largest).collect();
        let mut omega_squared: f64 = 0.0;
        for body in 0..self.bodies.len() {
            for other in 0..self.bodies.len() {
                if other == body && !self.with_themselves {
                    continue;
                }
                let Touch { distance, stiffness } = self.between(body, other);
                for v in self.vertices_of(body) {
                    let m = mass[self.nodes[v] as usize];
                    // What has no mass does not move by itself.
                    if m > 0.0 {
                        // |c| Σ|c| ≤ 2, each side by half of its area.
                        let row = areas[v] + areas[v].max(largest[other]);
                        omega_squared = omega_squared.max(row * stiffness / distance / m);
                    }
                }
            }
        }
        stable_step(omega_squared, 0.0)
    }

    fn begin(&mut self, at: &Configuration<'_>) -> Result<Change, ForceError> {
        if !at.x.iter().all(|&x| is_finite(x)) {
            return Ok(Change::Same);
        }
        let mut work = std::mem::take(&mut self.work);
        let change = self.follow(at.x, &mut work);
        self.work = work;
        Ok(change)
    }

    fn adopt_couplings(&mut self, pairs: &[(u32, u32)]) {
        self.declared.adopt(pairs);
    }
}
