//! What a simulation tells of what touches.

use pliant_algebra::vec3::Vec3;
use pliant_contact::resultants::Resultant;

use super::Simulation;
use super::islands::Islands;
use crate::run::depth::Depth;
use crate::run::meetings::Met;
use crate::run::touching::{ContactForces, ContactTally, MOST_PAIRS, PairForce};
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

impl Simulation {
    /// How deep each body has been inside obstacles since the start.
    pub fn depths(&self) -> &[Depth] {
        self.depths.bodies()
    }

    /// Contact between bodies since the start; none where the scene has none.
    pub fn contact(&self) -> Option<ContactTally> {
        let [islands, asleep] = self.islands().map(|count| count as u64);
        self.depths.touching.tally().map(|tally| ContactTally { islands, asleep, ..tally })
    }

    /// How many sets of bodies were stepped as systems of their own in the last step, and how many of these sleep.
    pub fn islands(&self) -> [usize; 2] {
        self.islands.as_ref().map_or([1, 0], Islands::count)
    }

    /// Pairs of bodies that have met without contact so far.
    pub(crate) fn meetings(&self) -> &[Met] {
        self.depths.meetings.met()
    }

    /// Looks at where bodies are now.
    pub(crate) fn look_for_meetings(&mut self) {
        self.depths.meetings.look_now(&self.state.x, self.state.time);
    }

    /// Whether areas of contact are those of the start of the last step: not where nothing has moved, nor at rest, where they are those
    /// of the state itself.
    pub(super) fn lagged(&self) -> bool {
        self.time.analysis == Analysis::Dynamic
            && self.step_start.time < self.state.time
            && self.step_start.len() == self.state.len()
    }

    /// Forces of contact between bodies now, and what friction has taken since the start.
    pub fn contact_forces(&mut self) -> ContactForces {
        let lagged = self.lagged();
        let Self { depths, system, state, bodies, scenery, step_start, .. } = self;
        let start = lagged.then_some(&step_start.x[..]);
        let [friction_work, friction_stored] = depths.touching.friction(system, state);
        let names: Vec<&String> =
            bodies.iter().map(|b| &b.name).chain(scenery.iter().map(|s| &s.name)).collect();
        let name = |body: u32| names[body as usize].clone();
        let pair = |r: &Resultant| {
            let (force, torque) = (r.force, r.torque);
            PairForce { bodies: r.bodies.map(name), force, torque }
        };
        let pairs = depths.touching.forces(system, state, start).iter().map(pair).collect();
        ContactForces { friction_work, friction_stored, pairs }
    }

    /// The pairs of bodies whose forces are in the history: all, where there is contact and there are not too many.
    pub(crate) fn contact_pairs(&self) -> Vec<[u32; 2]> {
        let bodies = self.bodies.len() as u32;
        let all = bodies + self.scenery.len() as u32;
        let of = |a: u32| (a + 1..all).map(move |b| [a, b]);
        let pairs: Vec<[u32; 2]> = (0..bodies).flat_map(of).collect();
        let few = self.contact().is_some() && pairs.len() as u32 <= MOST_PAIRS;
        if few { pairs } else { Vec::new() }
    }

    /// The name of a body or, numbered after them, of an obstacle of triangles.
    pub(crate) fn touching_name(&self, number: u32) -> &str {
        let (number, bodies) = (number as usize, self.bodies.len());
        let body = self.bodies.get(number).map(|b| &b.name);
        let scenery = || self.scenery.get(number.wrapping_sub(bodies)).map(|s| &s.name);
        body.or_else(scenery).map_or("", |name| name)
    }

    /// Force of each of these pairs, on the first by the second, N, and its torque about the origin, N m.
    pub(crate) fn forces_of(&mut self, pairs: &[[u32; 2]]) -> Vec<[Vec3; 2]> {
        let lagged = self.lagged();
        let Self { depths, system, state, step_start, .. } = self;
        let start = lagged.then_some(&step_start.x[..]);
        let sums = depths.touching.forces(system, state, start);
        let both = |&pair| sums.get(pair).map_or([[0.0; 3]; 2], |r| [r.force, r.torque]);
        pairs.iter().map(both).collect()
    }

    /// What is to be said of bodies that have sunk in.
    pub(crate) fn depth_warnings(&self, scene: &Scene) -> Vec<String> {
        self.depths.warnings(scene)
    }
}
