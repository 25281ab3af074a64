//! [`ContactFriction`]: dry friction between the surfaces of bodies, by the law of [`coulomb`](pliant_forces::coulomb).
//!
//! Wherever [`NormalContact`](crate::normal::NormalContact) or [`SoftContact`](crate::soft::SoftContact) presses surfaces together at the start of a step, the slip u = Σ cᵢ (xᵢ − xᵢ⁰) of the closest points
//! along the surface is held back by μ λ f₁(|w|) w/|w| with w = s + u. Each contact remembers its slip s, cut to the
//! stick length ε: what sticks gives way by less than ε, once, and then rests. (Without memory it would creep at a speed of ε/h.)
//! Forces at the two sides are equal and opposite, so that linear momentum stays. They act a gap apart: angular momentum does
//! not change by more than the gap times them.
//!
//! The places, normals and normal forces λ are lagged: those of the start of the step. What meets within a step rubs from the next
//! one on, and what has just parted rubs once more.
//!
//! Where a potential of the depth has a diagonal in the matrix, so has friction: Σ cᵢcⱼ yᵢ·H yⱼ ≤ Σ |cᵢ| (Σ |cⱼ|) yᵢ·H yᵢ for the positive
//! semi-definite H along the surface. Methods that solve for no end of a step remember nothing; for them w = h v, as along
//! [obstacles](pliant_forces::obstacles::Friction), and what sticks creeps.

mod lagged;
mod memory;
mod pressing;
mod rubbing;

use pliant_algebra::vec3::{Vec3, add_scaled, is_finite, scale};
use pliant_forces::coulomb::{Motion, Slipped};
use pliant_forces::obstacles::Stepping;
use pliant_forces::{
    Ask, Change, Character, Configuration, Energy, ForceError, ForceModel, Memory, MemoryLayout,
    Slots, Tried, Velocity, Workspace,
};

use self::lagged::{End, Lagged, Rub};
use self::memory::{WIDTH, key_in, slip};
pub use self::pressing::Pressing;
pub use self::rubbing::{Rubbing, Rubbings};
use crate::distance::Blocks;
use crate::normal::{Node, add_blocks};
use crate::resultants::Resultants;
use crate::surface::add_block;

/// Friction between bodies in contact.
#[derive(Debug, Clone)]
pub struct ContactFriction {
    /// What presses them together. As a model of its own it names the couplings of the places that rub.
    pressing: Pressing,
    rubbings: Rubbings,
    /// By which motion it is asked for.
    stepping: Stepping,
    /// Of the simulated vertices, kg; only explicit methods look at them.
    masses: Vec<f64>,
    /// Where the step began that couplings were named for.
    begun: Vec<Vec3>,
}

fn lagged(work: &mut Workspace) -> &mut Lagged {
    work.get::<Lagged>(|_| true, Lagged::default)
}

impl ContactFriction {
    /// Friction where `pressing` presses surfaces together.
    pub fn new(pressing: impl Into<Pressing>, rubbings: Rubbings) -> Result<Self, ForceError> {
        let pressing = pressing.into();
        let (found, count) = (rubbings.vertices(), pressing.surface().vertex_count());
        if found != count {
            return Err(ForceError::Parameter {
                what: "number of kinds of surface".to_owned(),
                found: found as f64,
                accepted: format!("one is needed for each of {count} collision vertices"),
            });
        }
        let (stepping, masses) = (Stepping::End, Vec::new());
        Ok(Self { pressing, rubbings, stepping, masses, begun: Vec::new() })
    }

    /// For methods that ask for friction by that motion; `masses` are those of the simulated vertices, kg.
    #[must_use]
    pub fn with_stepping(mut self, stepping: Stepping, masses: &[f64]) -> Self {
        self.stepping = stepping;
        if let Stepping::Explicit(_) = stepping {
            self.masses = masses.to_vec();
        }
        self
    }

    /// Whether slips are remembered from step to step.
    pub fn remembers(&self) -> bool {
        self.stepping == Stepping::End
    }

    /// How vertices move.
    fn motion<'a>(&self, at: &Configuration<'a>) -> Motion<'a> {
        match self.stepping {
            Stepping::End => Motion::to_end(at),
            Stepping::Stages(h) | Stepping::Explicit(h) => Motion::of_velocities(at, h),
        }
    }

    /// Lets pairs of bodies pass through each other: see [`NormalContact::ignore`].
    pub fn ignore(&mut self, pairs: &[[u32; 2]]) {
        self.pressing.ignore(pairs);
    }

    /// The key of an entry in the memory of friction between some of the same bodies, or between more than these; `body` tells the
    /// number there of a body here. None where one of the two bodies that rub is not there. Ascending keys stay so if bodies do.
    pub fn key_in(&self, other: &Self, key: u64, body: impl Fn(u32) -> Option<u32>) -> Option<u64> {
        key_in(other.pressing.surface(), self.pressing.surface(), key, body)
    }

    /// The work that friction has taken since the start, ΣF·Δu, J. What places that stick have stored of it is
    /// [`ContactFriction::stored`].
    pub fn work(memory: &Memory) -> f64 {
        memory.numbers.first().copied().unwrap_or(0.0)
    }

    /// The part of the work of friction that places which stick would give back if they were let go, Σ μ λ f₀(|s|), J.
    pub fn stored(&self, x: &[Vec3], memory: &Memory, work: &mut Workspace) -> f64 {
        let stored = |rub: &Rub| {
            let slip = slip(Some(&memory.keyed), rub.key, rub.pressed.normal);
            rub.pressed.force * rub.pressed.slipped(slip).potential
        };
        lagged(work).update(self, x, Some(&memory.keyed)).iter().map(stored).sum()
    }

    /// Adds the forces of friction between bodies at the end of a step.
    pub fn resultants(
        &self,
        x: &[Vec3],
        memory: &Memory,
        work: &mut Workspace,
        sums: &mut Resultants,
    ) {
        for rub in lagged(work).update(self, x, Some(&memory.keyed)) {
            let way = slip(Some(&memory.keyed), rub.key, rub.pressed.normal);
            self.push(rub, way, x, sums);
        }
    }

    /// The same for methods that remember nothing.
    pub fn resultants_moving(
        &self,
        (x, v): (&[Vec3], &[Vec3]),
        work: &mut Workspace,
        sums: &mut Resultants,
    ) {
        let h = match self.stepping {
            Stepping::Stages(h) | Stepping::Explicit(h) => h,
            Stepping::End => 0.0,
        };
        for rub in lagged(work).update(self, x, None) {
            let way = scale(self.difference(rub, |node| v[node]), h);
            self.push(rub, way, x, sums);
        }
    }

    /// Adds the forces of a place that has slipped.
    fn push(&self, rub: &Rub, way: Vec3, x: &[Vec3], sums: &mut Resultants) {
        let g = rub.pressed.gradient(&rub.pressed.slipped(way));
        let first = rub.stencil.first_vertices();
        let body = |i: usize| self.pressing.surface().bodies()[rub.vertices[i] as usize];
        for i in 0..rub.stencil.vertices() {
            let pair = if i < first { [body(0), body(first)] } else { [body(first), body(0)] };
            let at = carried(self, rub.vertices[i], |node| x[node]);
            sums.add(pair, at, scale(g, -rub.weights[i]));
        }
    }

    /// Slips of a place since the start of the step, and the velocity of its end.
    fn slipped(&self, rub: &Rub, motion: &Motion<'_>, at: &Configuration<'_>) -> (Slipped, Vec3) {
        let v = self.difference(rub, |node| motion.rate(at, node));
        let memory = at.memory.first().map(|memory| &memory.keyed);
        let slip = slip(memory, rub.key, rub.pressed.normal);
        (rub.pressed.slipped(add_scaled(slip, v, motion.h)), v)
    }

    /// Σ c of what is known of simulated vertices.
    fn difference(&self, rub: &Rub, of: impl Fn(usize) -> Vec3) -> Vec3 {
        let used = rub.stencil.vertices();
        rub.vertices[..used]
            .iter()
            .zip(rub.weights)
            .fold([0.0; 3], |sum, (&vertex, c)| add_scaled(sum, carried(self, vertex, &of), c))
    }

    /// Writes what is remembered from now on: of each key the slip along the side that was pressed hardest, and the normal force.
    /// Returns the work of the step, J.
    fn end_step(
        &self,
        at: &Configuration<'_>,
        lagged: &mut Lagged,
        tried: &mut Tried<'_>,
    ) -> Result<f64, ForceError> {
        let motion = Motion::to_end(at);
        let (rubs, ends) = lagged.ends(self, at.x, at.lagged());
        let mut work = 0.0;
        let mut ends = ends.iter().peekable();
        for same in rubs.chunk_by(|one, other| one.key == other.key) {
            let (mut hardest, mut slip, mut along) = (0.0, [0.0; 3], [0.0; 3]);
            for rub in same {
                let (slipped, _) = self.slipped(rub, &motion, at);
                let way = self.difference(rub, |node| motion.way(at, node));
                work += rub.pressed.work(&slipped, way);
                if rub.pressed.force > hardest {
                    hardest = rub.pressed.force;
                    (slip, along) = (rub.pressed.kept(&slipped), rub.pressed.normal);
                }
            }
            let key = same[0].key;
            while let Some(new) = ends.next_if(|end| end.key < key) {
                remember(tried, new, [0.0; 3], new.normal)?;
            }
            // What has parted is forgotten.
            if let Some(end) = ends.next_if(|end| end.key == key) {
                remember(tried, end, slip, along)?;
            }
        }
        for new in ends {
            remember(tried, new, [0.0; 3], new.normal)?;
        }
        let before = at.memory.first().map_or(0.0, Self::work);
        tried.numbers.fill(before + work);
        Ok(work)
    }
}

/// Appends an entry: a slip, the normal that it is along, and the normal force.
fn remember(
    tried: &mut Tried<'_>,
    end: &End,
    [a, b, c]: Vec3,
    [l, m, n]: Vec3,
) -> Result<(), ForceError> {
    if tried.keyed.push(end.key, &[a, b, c, l, m, n, end.force]) {
        return Ok(());
    }
    let text = "friction between bodies: contacts are out of order";
    Err(ForceError::Unsupported(text.into()))
}

/// Σ W of what is known of simulated vertices, for a collision vertex.
fn carried(friction: &ContactFriction, vertex: u32, of: impl Fn(usize) -> Vec3) -> Vec3 {
    let (nodes, weights) = friction.pressing.surface().nodes_of(vertex);
    nodes
        .iter()
        .zip(weights)
        .fold([0.0; 3], |sum, (&node, &weight)| add_scaled(sum, of(node as usize), weight))
}

impl ForceModel for ContactFriction {
    fn name(&self) -> &'static str {
        "friction between bodies"
    }

    fn character(&self) -> Character {
        let memory = MemoryLayout { numbers: 1, keyed: WIDTH };
        Character {
            energy: Energy::None,
            velocity: Velocity::Friction,
            couplings: self.pressing.changes(),
            majorised: self.pressing.is_majorised(),
            memory: if self.remembers() { memory } else { MemoryLayout::NONE },
            ..Character::POTENTIAL
        }
    }

    fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.pressing.couplings(couple);
    }

    fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        self.pressing.bind(slots)
    }

    /// Couplings are those of the start of the step, and stay until its end.
    fn begin(&mut self, at: &Configuration<'_>) -> Result<Change, ForceError> {
        let x = at.lagged().unwrap_or(at.x);
        if self.begun == x {
            return Ok(Change::Same);
        }
        self.begun.clear();
        self.begun.extend_from_slice(x);
        Ok(self.pressing.name_couplings(x))
    }

    fn evaluate(
        &self,
        at: &Configuration<'_>,
        ask: &mut Ask<'_>,
        work: &mut Workspace,
    ) -> Result<(), ForceError> {
        let motion = self.motion(at);
        let finite = |i: usize| is_finite(motion.x[i]) && is_finite(at.v[i]) && is_finite(at.x[i]);
        if let Some(vertex) = (0..at.x.len()).find(|&i| !finite(i)) {
            return Err(ForceError::NotFinite { vertex, position: at.x[vertex] });
        }
        let lagged = lagged(work);
        // Where a state of rest is looked for, normal forces are those of the last one that was found.
        let memory = at.memory.first().filter(|_| motion.begun.is_none() && self.remembers());
        lagged.update(self, motion.x, memory.map(|memory| &memory.keyed));
        let weight = motion.weight(ask);
        let Lagged { rubs, nodes, .. } = lagged;
        for rub in &*rubs {
            let (slipped, v) = self.slipped(rub, &motion, at);
            let Rub { pressed, vertices, weights, .. } = rub;
            let used = rub.stencil.vertices();
            if let Some(potential) = ask.rate_potential.as_deref_mut() {
                *potential += motion.rate_potential(pressed, &slipped, v);
            }
            if let Some(gradient) = ask.gradient.as_deref_mut() {
                let g = pressed.gradient(&slipped);
                for (&vertex, c) in vertices[..used].iter().zip(weights) {
                    let (nodes, shares) = self.pressing.surface().nodes_of(vertex);
                    for (&node, share) in nodes.iter().zip(shares) {
                        let sum = &mut gradient[node as usize];
                        *sum = add_scaled(*sum, g, c * share);
                    }
                }
            }
            let factor = motion.tangent_weight(pressed, weight);
            if let (Some(tangent), Some((pattern, first))) =
                (ask.tangent.as_deref_mut(), self.pressing.bound())
                && factor != 0.0
            {
                let hessian = pressed.hessian(&slipped);
                if self.pressing.is_majorised() {
                    let total: f64 = weights[..used].iter().map(|c| c.abs()).sum();
                    for (&vertex, c) in vertices[..used].iter().zip(weights) {
                        let nodes = (self.pressing.surface().nodes_of(vertex), first);
                        add_block(pattern, nodes, hessian.scale(factor * total * c.abs()), tangent);
                    }
                    continue;
                }
                let blocks = Blocks::from_fn(|i, j| hessian.scale(weights[i] * weights[j]));
                Node::behind(self.pressing.surface(), &vertices[..used], first, nodes);
                add_blocks(pattern, nodes, &blocks, factor, tangent);
            }
        }
        if let Some(tried) = &mut ask.memory {
            let work = self.end_step(at, lagged, tried)?;
            if let Some(sum) = ask.dissipated.as_deref_mut() {
                *sum += work;
            }
        }
        Ok(())
    }

    /// The place where it named them is not known any more.
    fn adopt_couplings(&mut self, pairs: &[(u32, u32)]) {
        self.pressing.adopt_couplings(pairs);
        self.begun.clear();
    }

    /// None: methods that take it solve for the end of a step.
    fn stable_step(&self, _: &Configuration<'_>, _: &[f64]) -> f64 {
        f64::INFINITY
    }

    /// Nothing has slipped; what touches is pressed as it is.
    fn start_memory(&self, at: &Configuration<'_>, memory: &mut Memory) -> Result<(), ForceError> {
        memory.numbers.fill(0.0);
        memory.keyed.reset(WIDTH);
        let mut lagged = Lagged::default();
        let (_, ends) = lagged.ends(self, at.x, None);
        let Memory { numbers, keyed } = memory;
        let mut tried = Tried { numbers, keyed };
        ends.iter().try_for_each(|end| remember(&mut tried, end, [0.0; 3], end.normal))
    }
}
