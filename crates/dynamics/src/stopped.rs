//! [`Stopped`]: vertices that enter an obstacle are held at its surface by directions in the linear system.
//!
//! After Hauth (Visual Simulation of Deformable Models, 5.4.2) and Baraff and Witkin (1998): a step in which vertices have entered an
//! obstacle is taken again with nᵀ x₁ = nᵀ p for them, p the nearest point of the surface and n its normal, and nᵀ v₁ = 0. These are rows of
//! the linear system, not forces, so nothing is stiff. A vertex that its constraint has to pull, nᵀ(M a + g) < 0, is let go. The set of
//! one step is what the next begins with, so that a body at rest takes each step once.
//!
//! Where a vertex is put on the surface, energy is taken or put in that no force accounts for: it shows as numerical loss.

use pliant_algebra::vec3::{Vec3, dot};
use pliant_forces::obstacles::Wall;
use pliant_sections::Sections;
use pliant_solvers::SolverUse;

use crate::adaptive::StepCounts;
use crate::integrators::{Estimate, Integrator, Method, StepReport};
use crate::newton::{Counters, Phases};
use crate::{Constraints, DynamicsError, Motion, State, System};

/// Times that a step is taken with other vertices before it counts as it is.
const PASSES: usize = 10;
/// A vertex that is this part of the size of all bodies away from the surface has left it.
const LEFT: f64 = 1e-4;

/// A vertex at a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Held {
    vertex: u32,
    wall: u32,
    /// The nearest point of the surface, m, and the outward normal there.
    point: Vec3,
    normal: Vec3,
}

/// An integrator, and the obstacles that stop vertices.
pub struct Stopped {
    inner: Box<dyn Integrator>,
    walls: Vec<Wall>,
    /// Whether what the method keeps is of one set of constraints.
    keeps_jacobian: bool,
    /// Ascending by vertex, then by wall.
    held: Vec<Held>,
    /// The constraints of the system without those of obstacles.
    base: Option<Constraints>,
    start: State,
    entered: Vec<Held>,
    /// Vertices that were let go in this step.
    released: Vec<u32>,
    anchors: Vec<Vec3>,
    forces: Vec<Vec3>,
}

impl Stopped {
    /// Lets walls stop the vertices of what an integrator moves. `keeps_jacobian` tells that it keeps a Jacobian from step to step, which is then
    /// given up where other vertices are stopped.
    pub fn new(inner: Box<dyn Integrator>, walls: Vec<Wall>, keeps_jacobian: bool) -> Self {
        Self {
            inner,
            walls,
            keeps_jacobian,
            held: Vec::new(),
            base: None,
            start: State::default(),
            entered: Vec::new(),
            released: Vec::new(),
            anchors: Vec::new(),
            forces: Vec::new(),
        }
    }

    /// Moves the points at which vertices are held along curved surfaces, and lets go those that have left.
    fn follow(&mut self, system: &System, x: &[Vec3]) {
        let (walls, reach) = (&self.walls, LEFT * system.size());
        self.held.retain_mut(|held| {
            let wall = walls.get(held.wall as usize);
            let x = x.get(held.vertex as usize);
            let found = wall.zip(x).and_then(|(wall, &x)| wall.along(x, held.normal, reach));
            let Some((point, normal)) = found else { return false };
            (held.point, held.normal) = (point, normal);
            true
        });
    }

    /// Puts the constraints of the obstacles into the system besides its own.
    fn impose(&mut self, system: &mut System, x: &[Vec3]) -> Result<(), DynamicsError> {
        let Some(base) = &self.base else { return Ok(()) };
        let mut all = base.clone();
        self.anchors.clear();
        self.anchors.extend_from_slice(x);
        for held in &self.held {
            self.anchors[held.vertex as usize] = held.point;
            let made = all.hold(&[held.vertex], &self.anchors, &[held.normal], Motion::Still);
            match made {
                // In the corner of two obstacles that are not at right angles the first one holds it.
                Ok(()) | Err(DynamicsError::HeldTwice { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        system.replace_constraints(all);
        if self.keeps_jacobian {
            self.inner.forget();
        }
        Ok(())
    }

    /// Vertices inside obstacles that are not held there yet; those with supports of their own go where these lead them.
    fn enter(&mut self, x: &[Vec3]) {
        self.entered.clear();
        let supported = self.base.as_ref().map_or(&[][..], |base| base.vertices());
        for (number, wall) in (0..).zip(&self.walls) {
            let (held, entered) = (&self.held, &mut self.entered);
            wall.inside(x, |vertex, point, normal| {
                let known = held.iter().any(|h| h.vertex == vertex && h.wall == number);
                let own = supported.binary_search_by_key(&vertex, |c| c.vertex).is_ok();
                if !known && !own {
                    entered.push(Held { vertex, wall: number, point, normal });
                }
            });
        }
    }

    /// Lets go of the vertices that would have to be pulled at the end of a step; returns true if there are any.
    fn release(&mut self, system: &mut System, state: &State) -> Result<bool, DynamicsError> {
        self.forces.resize(state.len(), [0.0; 3]);
        // Along n the vertex is at rest, so that what its constraint exerts is g alone.
        let all = system.forces(&state.configuration(), &mut self.forces, false)?;
        let (forces, released) = (&self.forces, &mut self.released);
        let before = self.held.len();
        self.held.retain(|held| {
            let pushes = dot(held.normal, forces[held.vertex as usize]);
            let stays = pushes >= -1e-12 * all.largest || released.contains(&held.vertex);
            if !stays {
                released.push(held.vertex);
            }
            stays
        });
        Ok(self.held.len() < before)
    }

    fn passes(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        self.start.copy_from(state);
        self.released.clear();
        self.follow(system, &state.x);
        if !self.held.is_empty() {
            self.impose(system, &state.x)?;
        }
        let mut pass = 0;
        loop {
            pass += 1;
            let report = self.inner.step(system, state, h)?;
            self.enter(&state.x);
            let last = pass == PASSES;
            let lets_go = !self.held.is_empty() && self.release(system, state)?;
            if last || self.entered.is_empty() && !lets_go {
                return Ok(report);
            }
            self.held.append(&mut self.entered);
            self.held.sort_by_key(|held| (held.vertex, held.wall));
            state.copy_from(&self.start);
            self.impose(system, &self.start.x.clone())?;
        }
    }
}

impl Method for Stopped {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn order(&self) -> usize {
        self.inner.order()
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        self.inner.estimate()
    }

    fn step_counts(&self) -> Option<StepCounts> {
        self.inner.step_counts()
    }

    fn save(&self, to: &mut Sections) {
        let mut section = to.write("stopped vertices");
        let words = self.held.iter().map(|h| u64::from(h.vertex) << 32 | u64::from(h.wall));
        let points: Vec<[f64; 6]> = self
            .held
            .iter()
            .map(|Held { point: [a, b, c], normal: [d, e, f], .. }| [*a, *b, *c, *d, *e, *f])
            .collect();
        section.words(&words.collect::<Vec<u64>>()).vectors(&points);
        self.inner.save(to);
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        let mut section = from.read("stopped vertices")?;
        let words = section.words()?;
        let points = section.vectors_of::<6>(words.len())?;
        section.finish()?;
        self.held = words
            .iter()
            .zip(points)
            .map(|(&word, [a, b, c, d, e, f])| Held {
                vertex: (word >> 32) as u32,
                wall: word as u32,
                point: [a, b, c],
                normal: [d, e, f],
            })
            .filter(|held| (held.vertex as usize) < system.vertices())
            .collect();
        self.base = None;
        self.inner.load(from, system)
    }

    fn forget(&mut self) {
        self.held.clear();
        self.base = None;
        self.inner.forget();
    }
}

impl Integrator for Stopped {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, DynamicsError> {
        let base = self.base.get_or_insert_with(|| system.constraints().clone()).clone();
        let before = self.held.clone();
        let outcome = self.passes(system, state, h);
        system.replace_constraints(base);
        if outcome.is_err() {
            // On error everything is what it was, also where a later pass has failed.
            state.copy_from(&self.start);
            self.held = before;
        }
        outcome
    }

    fn counters(&self) -> Counters {
        self.inner.counters()
    }

    fn phases(&self) -> Phases {
        self.inner.phases()
    }

    fn chosen(&self) -> Option<SolverUse> {
        self.inner.chosen()
    }
}
