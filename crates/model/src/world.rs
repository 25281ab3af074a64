//! [`WorldBuilder`] and [`World`]: bodies with what holds and pushes them, as a system and its state.

use pliant_algebra::sparse::{BlockMatrix, Csr};
use pliant_algebra::vec3::{Vec3, sub};
use pliant_dynamics::{
    Acting, Constraints, DynamicsError, Integrator, Mass, Motion, Role, State, StaticReport,
    Statics, StepReport, System, Weights,
};
use pliant_forces::ForceModel;
use pliant_forces::loads::{DeadLoad, TimeCurve};
use pliant_forces::obstacles::Stepping;
use pliant_forces::stress::Stress;
use pliant_mesh::SurfaceMesh;

use crate::obstacle::Surroundings;
use crate::support::{moments, reactions};
use crate::weight;
use crate::{
    AXES, Barrier, Body, BodyBuilder, CollisionSurface, Contact, ContactMode, Initial, Joint, Load,
    MassKind, Matrices, ModelError, Numbering, Probe, Scenery, Select, StressModel, Support,
    Weight,
};

/// A body of a [`WorldBuilder`] and of the [`World`] that it makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(usize);

impl BodyId {
    /// Its place among the bodies, from 0 in the order they were added.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A world under construction. Vertices and cells are those of the meshes; each call is checked when it is made.
///
/// Methods that take a [`BodyId`] panic if it is that of another builder with more bodies.
#[derive(Default)]
pub struct WorldBuilder {
    bodies: Vec<Body>,
    rest: Vec<Vec3>,
    x: Vec<Vec3>,
    v: Vec<Vec3>,
    gravity: Vec3,
    weight: Weight,
    /// Inner forces of the bodies.
    inner: Vec<Acting>,
    /// All other forces, in the order of the calls.
    external: Vec<Acting>,
    constraints: Constraints,
    supports: Vec<Support>,
    probes: Vec<Probe>,
    mass: Option<Csr>,
    scenery: Vec<Scenery>,
    /// Obstacles, each with its bodies.
    barriers: Vec<(Barrier, Vec<BodyId>)>,
    stepping: Stepping,
    /// s
    step: f64,
}

impl WorldBuilder {
    /// An empty world without gravity.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets gravity, m/s². It acts on all bodies that have mass.
    pub fn gravity(&mut self, gravity: Vec3) -> &mut Self {
        self.gravity = gravity;
        self
    }

    /// Chooses how the weight of bodies is shared among their vertices; by their masses if this is not called.
    pub fn weight(&mut self, weight: Weight) -> &mut Self {
        self.weight = weight;
        self
    }

    /// Says by which kind of method the world will be stepped, and in steps of how many seconds: friction is smoothed as
    /// it suits them. Without this an implicit method is meant.
    pub fn stepping(&mut self, stepping: Stepping, step: f64) -> &mut Self {
        (self.stepping, self.step) = (stepping, step);
        self
    }

    /// Makes a body.
    pub fn add(&mut self, body: BodyBuilder) -> Result<BodyId, ModelError> {
        if !self.scenery.is_empty() {
            return Err(ModelError::Unsupported {
                text: "a body after scenery".to_owned(),
                hint: "add all bodies first",
            });
        }
        let remembers = |body: &Body| body.memories().iter().flatten().count();
        let memories = self.bodies.iter().map(remembers).sum();
        let (body, models) = body.make(self.rest.len(), memories)?;
        self.rest.extend(body.rest());
        self.x.extend_from_slice(&self.rest[body.range.clone()]);
        self.v.resize(self.rest.len(), [0.0; 3]);
        self.inner.extend(models);
        self.bodies.push(body);
        Ok(BodyId(self.bodies.len() - 1))
    }

    /// Adds a surface that bodies touch, with a coefficient of friction of its own if it has one, where there is contact ([`WorldBuilder::contact`]), moved as a support is. The support "obstacle.NAME"
    /// tells the force by which it is held. To be called after all bodies were added.
    pub fn scenery(
        &mut self,
        name: &str,
        surface: &SurfaceMesh,
        motion: Motion,
        friction: Option<f64>,
    ) -> Result<&mut Self, ModelError> {
        let first = self.rest.len();
        let scenery = Scenery { friction, ..Scenery::new(name, surface, motion, first) };
        self.rest.extend_from_slice(&scenery.surface.vertices);
        self.x.extend_from_slice(&scenery.surface.vertices);
        self.v.resize(self.rest.len(), [0.0; 3]);
        let hold = self.constraints.holds_made();
        let motion = scenery.motion.clone();
        self.constraints.hold(&scenery.nodes(), &self.rest, &AXES, motion)?;
        let name = format!("obstacle.{name}");
        self.supports.push(Support { name, hold, about: None });
        self.scenery.push(scenery);
        Ok(self)
    }

    /// The scenery, in the order it was added.
    pub fn all_scenery(&self) -> &[Scenery] {
        &self.scenery
    }

    /// The bodies, in the order they were added.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// What the bodies are called in calls, in the order they were added.
    pub fn ids(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len()).map(BodyId)
    }

    /// A body.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.0]
    }

    /// Changes how the mass of a body is spread, and its density, kg/m³.
    pub fn weigh(&mut self, id: BodyId, kind: MassKind, density: f64) -> Result<(), ModelError> {
        let body = &mut self.bodies[id.0];
        (body.mass_kind, body.density) = (kind, vec![density]);
        body.weigh()
    }

    /// Takes a mass matrix of the user's own for all bodies, kg, in the user's numbering, with entries only where
    /// the stiffness may have some. A [`Weight::OfMass`] is of this mass; damping by mass goes on with the bodies' own.
    pub fn mass_matrix(&mut self, mass: Csr) -> &mut Self {
        self.mass = Some(mass);
        self
    }

    /// Chooses how a body starts.
    pub fn start(&mut self, id: BodyId, initial: &Initial) {
        self.bodies[id.0].start(initial, &mut self.x, &mut self.v);
    }

    /// Fixes vertices of a body where they are. The support is called "body.set", or "body.n" as the n-th one.
    pub fn fix(&mut self, id: BodyId, on: impl Into<Select>) -> Result<&mut Self, ModelError> {
        let on = on.into();
        let own = on.set().map_or_else(|| (self.supports.len() + 1).to_string(), str::to_owned);
        let name = format!("{}.{own}", self.bodies[id.0].name);
        self.hold(id, on, &AXES, Motion::Still, Some(name))
    }

    /// Lets motions hold the same direction of a vertex if they agree up to this time, s. Without, only one may.
    pub fn compare_holds_until(&mut self, time: f64) -> &mut Self {
        self.constraints.compare_until(time);
        self
    }

    /// The error of a vertex that is held twice, in the user's numbers.
    fn named_hold(&self, error: DynamicsError) -> ModelError {
        let DynamicsError::HeldTwice { vertex, direction, first, second } = error else {
            return error.into();
        };
        let Some(body) = self.bodies.iter().find(|b| b.range.contains(&vertex)) else {
            return error.into();
        };
        let user = (0..body.mesh.vertex_count() as u32)
            .find(|&v| body.system_vertex(v) as usize == vertex)
            .unwrap_or(0);
        let (at, body) = (self.rest[vertex], body.name.clone());
        ModelError::HeldTwice { body, vertex: user, at, direction, first, second }
    }

    /// Displaces the vertices of a body from where they start by a field of their positions at rest, m.
    pub fn displace(
        &mut self,
        id: BodyId,
        field: impl Fn(Vec3) -> Vec3,
    ) -> Result<&mut Self, ModelError> {
        let body = &self.bodies[id.0];
        body.add_field("displacement", field, &mut self.x)?;
        Ok(self)
    }

    /// Adds a field of the positions at rest, m/s, to the velocities with which the vertices of a body start.
    pub fn set_in_motion(
        &mut self,
        id: BodyId,
        field: impl Fn(Vec3) -> Vec3,
    ) -> Result<&mut Self, ModelError> {
        let body = &self.bodies[id.0];
        body.add_field("velocity", field, &mut self.v)?;
        Ok(self)
    }

    /// Holds vertices of a body along some directions (of length 1) at a point that moves, from where they are at
    /// rest. Several holds of a vertex are joined by axis; along an axis that two hold, their motions must agree. A
    /// support with a name is one whose force [`World::reactions`] tells.
    pub fn hold(
        &mut self,
        id: BodyId,
        on: impl Into<Select>,
        directions: &[Vec3],
        motion: Motion,
        name: Option<String>,
    ) -> Result<&mut Self, ModelError> {
        let list = self.bodies[id.0].select(&on.into())?;
        let hold = self.constraints.holds_made();
        self.hold_vertices(id, &list, directions, motion)?;
        self.supports.extend(name.map(|name| Support { name, hold, about: None }));
        Ok(self)
    }

    /// Asks for the moment of the support of that name about a point, m ([`World::moments`]).
    pub fn moment_about(&mut self, support: &str, point: Vec3) -> &mut Self {
        let found = self.supports.iter_mut().find(|s| s.name == support);
        if let Some(s) = found {
            s.about = Some(point);
        }
        self
    }

    /// Counts a hold that does not act, so that others keep their numbers and supports their places.
    pub fn skip_hold(&mut self, name: Option<String>) -> &mut Self {
        let hold = self.constraints.holds_made();
        self.constraints.skip_hold();
        self.supports.extend(name.map(|name| Support { name, hold, about: None }));
        self
    }

    /// The same for vertices by number, without a name. Returns their numbers in the system.
    pub fn hold_vertices(
        &mut self,
        id: BodyId,
        vertices: &[u32],
        directions: &[Vec3],
        motion: Motion,
    ) -> Result<Vec<u32>, ModelError> {
        let body = &self.bodies[id.0];
        let count = body.mesh.vertex_count();
        if let Some(&vertex) = vertices.iter().find(|v| **v as usize >= count) {
            let (body, vertex) = (body.name.clone(), vertex as usize);
            return Err(ModelError::NoVertex { body, vertex, count });
        }
        let list: Vec<u32> = vertices.iter().map(|&v| body.system_vertex(v)).collect();
        let held = self.constraints.hold(&list, &self.rest, directions, motion);
        held.map_err(|error| self.named_hold(error))?;
        Ok(list)
    }

    /// Adds a load.
    pub fn load(&mut self, id: BodyId, load: &Load) -> Result<&mut Self, ModelError> {
        let model = load.model(&self.bodies[id.0], &self.rest)?;
        Ok(self.act(Role::Load, model))
    }

    /// Adds an obstacle for the surfaces of some bodies. What it is not told is chosen when the world is built, for the
    /// bodies as they start then.
    pub fn obstacle(
        &mut self,
        barrier: &Barrier,
        bodies: &[BodyId],
    ) -> Result<&mut Self, ModelError> {
        self.barriers.push((barrier.clone(), bodies.to_vec()));
        // What is wrong with it is said here.
        let last = self.barriers.len() - 1;
        self.obstacles(last).inspect_err(|_| drop(self.barriers.pop()))?;
        Ok(self)
    }

    fn surroundings<'a>(&'a self, masses: &'a [f64]) -> Surroundings<'a> {
        let Self { rest, x, v, gravity, stepping, step, .. } = self;
        let (gravity, stepping, step) = (*gravity, *stepping, *step);
        Surroundings { rest, x, v, masses, gravity, stepping, step }
    }

    /// The models of the obstacles from one on.
    fn obstacles(&self, first: usize) -> Result<Vec<Acting>, ModelError> {
        let masses = masses(&self.bodies, self.rest.len());
        let world = self.surroundings(&masses);
        let mut models = Vec::new();
        for (barrier, ids) in &self.barriers[first..] {
            let bodies = ids.iter().map(|id| &self.bodies[id.0]);
            let (obstacle, friction) = barrier.models(bodies, &world)?;
            models.push(Acting::new(Role::Other, Box::new(obstacle)));
            models.extend(friction.map(|f| Acting::new(Role::Damping, Box::new(f))));
        }
        Ok(models)
    }

    /// Lets the bodies there are so far touch each other and themselves. `carried` are the surfaces of bodies that do not touch with
    /// the boundary of their mesh. A barrier keeps them out of `obstacles` too, which come with a name and the bodies that they are for;
    /// in other modes these are [`WorldBuilder::obstacle`]s.
    pub fn contact(
        &mut self,
        contact: &Contact,
        carried: &[Option<&CollisionSurface>],
        obstacles: &[(&str, Barrier, Vec<BodyId>)],
    ) -> Result<&mut Self, ModelError> {
        let masses = masses(&self.bodies, self.rest.len());
        if contact.mode != ContactMode::Barrier {
            let Some(tangent) = contact.soft_tangent() else { return Ok(self) };
            let soft = contact.soft(&self.bodies, carried, tangent)?;
            let world = self.surroundings(&masses);
            let friction = contact.friction_model((&self.bodies, &[]), &soft, &world)?;
            self.act(Role::Other, Box::new(soft));
            if let Some(friction) = friction {
                self.act(Role::Damping, Box::new(friction));
            }
            return Ok(self);
        }
        let normal = contact.model(&self.bodies, carried, &self.scenery)?;
        let world = self.surroundings(&masses);
        let friction = contact.friction_model((&self.bodies, &self.scenery), &normal, &world)?;
        let mut models: Vec<(Role, Box<dyn ForceModel>)> = Vec::new();
        for (name, barrier, ids) in obstacles {
            let of: Vec<_> = ids.iter().map(|id| (id.0 as u32, &self.bodies[id.0])).collect();
            let (shape, friction) =
                barrier.touched(name, &normal, &of, &self.surroundings(&masses))?;
            models.push((Role::Other, Box::new(shape)));
            models.extend(friction.map(|f| (Role::Damping, Box::new(f) as Box<dyn ForceModel>)));
        }
        self.act(Role::Other, Box::new(normal));
        if let Some(friction) = friction {
            self.act(Role::Damping, Box::new(friction));
        }
        for (role, model) in models {
            self.act(role, model);
        }
        Ok(self)
    }

    /// Joins a body to another, or to the world.
    pub fn attach(
        &mut self,
        id: BodyId,
        to: Option<BodyId>,
        joint: &Joint,
    ) -> Result<&mut Self, ModelError> {
        let other = to.map(|to| &self.bodies[to.0]);
        let model = joint.model(&self.bodies[id.0], other, &self.rest)?;
        Ok(self.act(Role::Other, Box::new(model)))
    }

    /// Adds a force model of one's own on all vertices there are so far, in the system's numbering
    /// ([`Body::system_vertex`]).
    pub fn act(&mut self, role: Role, model: Box<dyn ForceModel>) -> &mut Self {
        // Bodies that are added later come after these vertices.
        self.external.push(Acting::new(role, model).on(0..self.rest.len()));
        self
    }

    /// Adds a force model of one's own on one body, whose vertices it counts from 0 in the order of the body's
    /// [`Partition`](pliant_forces::Partition).
    pub fn act_on(&mut self, id: BodyId, role: Role, model: Box<dyn ForceModel>) -> &mut Self {
        self.external.push(Acting::new(role, model).on(self.bodies[id.0].range.clone()));
        self
    }

    /// Watches the point of a body that is at `point` at rest, m.
    pub fn probe(&mut self, name: &str, id: BodyId, point: Vec3) -> Result<&mut Self, ModelError> {
        self.probes.push(Probe::at_point(name, &self.bodies[id.0], point)?);
        Ok(self)
    }

    /// Watches the mean of vertices of a body.
    pub fn probe_mean(
        &mut self,
        name: &str,
        id: BodyId,
        on: impl Into<Select>,
    ) -> Result<&mut Self, ModelError> {
        self.probes.push(Probe::mean(name, &self.bodies[id.0], &on.into())?);
        Ok(self)
    }

    /// Binds everything to one system, in the state in which it starts: at time 0.
    pub fn build(self) -> Result<World, ModelError> {
        let obstacles = self.obstacles(0)?;
        let Self { bodies, rest, x, v, gravity, constraints, supports, probes, scenery, .. } = self;
        let mut models = self.inner;
        if gravity != [0.0; 3] {
            let mut forces = weight::forces(&bodies, gravity, self.weight, self.mass.as_ref())?;
            forces.resize(rest.len(), [0.0; 3]);
            let model = DeadLoad::nodal("gravity", &rest, &forces, TimeCurve::default())?;
            models.push(Acting::new(Role::Gravity, Box::new(model)));
        }
        models.extend(self.external);
        models.extend(obstacles);
        let mut state = State::new(&x, &v, 0.0);
        constraints.impose_positions(0.0, &mut state.x);
        constraints.impose_velocities(0.0, &mut state.v);
        let system = System::new(&rest, models)?;
        let mass = match self.mass {
            Some(csr) => {
                let like = BlockMatrix::zero(system.pattern().clone());
                Mass::Consistent(Numbering::of(&bodies).blocks(&csr, &like)?)
            }
            None if bodies.iter().any(|b| b.mass_kind == MassKind::Consistent) => {
                Mass::Consistent(consistent(&bodies, &system)?)
            }
            None => Mass::Lumped(masses(&bodies, rest.len())),
        };
        let mut system = system.with_mass(mass)?.with_constraints(constraints)?;
        system.start_memory(&mut state)?;
        Ok(World { bodies, scenery, probes, supports, system, state })
    }
}

/// Of all vertices, kg. Scenery has none.
fn masses(bodies: &[Body], count: usize) -> Vec<f64> {
    let mut masses: Vec<f64> = bodies.iter().flat_map(|body| &body.masses).copied().collect();
    masses.resize(count, 0.0);
    masses
}

/// The mass matrix of bodies of which some have a consistent mass.
fn consistent(bodies: &[Body], system: &System) -> Result<BlockMatrix, ModelError> {
    let mut mass = BlockMatrix::zero(system.pattern().clone());
    for body in bodies {
        let first = body.range.start as u32;
        if body.mass_kind != MassKind::Consistent {
            for (i, &m) in body.masses.iter().enumerate() {
                let i = first + i as u32;
                mass.add(i, i, &[m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m]);
            }
            continue;
        }
        for (i, j, block) in body.mass_blocks()? {
            let (i, j) = (first + i, first + j);
            mass.add(i, j, &block);
            if i != j && !system.pattern().is_symmetric() {
                // m I is its own transposed.
                mass.add(j, i, &block);
            }
        }
    }
    Ok(mass)
}

/// Bodies, their system and its state. What a [`BodyId`] asks for is in the numbering of that body's mesh; the
/// system and the state have one of their own ([`World::numbering`]).
///
/// Methods that take a [`BodyId`] panic if it is that of a world with more bodies.
pub struct World {
    /// Bodies, in the order they were added.
    pub bodies: Vec<Body>,
    /// What else bodies touch.
    pub scenery: Vec<Scenery>,
    /// Points that are watched.
    pub probes: Vec<Probe>,
    /// Supports with names.
    pub supports: Vec<Support>,
    /// Models, masses and constraints.
    pub system: System,
    /// Positions, velocities and time.
    pub state: State,
}

impl World {
    /// A body.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.0]
    }

    /// The numbers of vertices on both sides.
    pub fn numbering(&self) -> Numbering {
        Numbering::of(&self.bodies)
    }

    /// Takes a step of h seconds. On error the state is what it was.
    pub fn step(
        &mut self,
        integrator: &mut dyn Integrator,
        h: f64,
    ) -> Result<StepReport, ModelError> {
        Ok(integrator.step(&mut self.system, &mut self.state, h)?)
    }

    /// Brings all bodies to rest.
    pub fn settle(&mut self, statics: &mut Statics) -> Result<StaticReport, ModelError> {
        Ok(statics.solve(&mut self.system, &mut self.state)?)
    }

    /// Positions of the vertices of a body, m.
    pub fn positions(&self, id: BodyId) -> Vec<Vec3> {
        self.bodies[id.0].of_user(&self.state.x)
    }

    /// Velocities of the vertices of a body, m/s.
    pub fn velocities(&self, id: BodyId) -> Vec<Vec3> {
        self.bodies[id.0].of_user(&self.state.v)
    }

    /// Displacements of the vertices of a body from rest, m.
    pub fn displacements(&self, id: BodyId) -> Vec<Vec3> {
        let rest = &self.bodies[id.0].mesh.vertices;
        self.positions(id).iter().zip(rest).map(|(&x, &rest)| sub(x, rest)).collect()
    }

    /// Moves the vertices of a body to these positions, m, but for what holds them.
    pub fn set_positions(&mut self, id: BodyId, x: &[Vec3]) -> Result<(), ModelError> {
        self.bodies[id.0].set_user(&mut self.state.x, x)?;
        self.system.constraints().impose_positions(self.state.time, &mut self.state.x);
        self.state.restart();
        Ok(())
    }

    /// Gives the vertices of a body these velocities, m/s, but for what holds them.
    pub fn set_velocities(&mut self, id: BodyId, v: &[Vec3]) -> Result<(), ModelError> {
        self.bodies[id.0].set_user(&mut self.state.v, v)?;
        self.system.constraints().impose_velocities(self.state.time, &mut self.state.v);
        self.state.restart();
        Ok(())
    }

    /// Position of a probe, m.
    pub fn watch(&self, probe: &str) -> Option<Vec3> {
        let probe = self.probes.iter().find(|p| p.name == probe)?;
        Some(probe.at(&self.state.x))
    }

    /// Sums of the forces by which each body is held, and then by each of the [`World::supports`], N.
    pub fn reactions(&mut self) -> Result<Vec<Vec3>, ModelError> {
        reactions(&mut self.system, (&self.state, None), &self.bodies, &self.supports)
    }

    /// Moments of the forces of the [`World::supports`] about the points that were asked for, N m; zero for others.
    pub fn moments(&mut self) -> Result<Vec<Vec3>, ModelError> {
        moments(&mut self.system, (&self.state, None), &self.supports)
    }

    /// Forces on the vertices of a body, N, gravity and loads included: −g.
    pub fn forces(&mut self, id: BodyId) -> Result<Vec<Vec3>, ModelError> {
        let mut g = vec![[0.0; 3]; self.state.len()];
        self.system.forces(&self.state.configuration(), &mut g, false)?;
        Ok(self.bodies[id.0].of_user(&g).into_iter().map(|g| g.map(|c| -c)).collect())
    }

    /// K = ∂g/∂x of the state, N/m, as compressed rows in the user's numbering, without supports.
    pub fn stiffness(&mut self) -> Result<Csr, ModelError> {
        self.system.follow_couplings(&self.state.configuration())?;
        let mut matrix = BlockMatrix::zero(self.system.pattern().clone());
        let weights = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
        self.system.tangent(&self.state.configuration(), weights, false, &mut matrix)?;
        self.numbering().csr(&matrix)
    }

    /// f, K, M and D of the state in the user's numbering.
    pub fn matrices(&mut self) -> Result<Matrices, ModelError> {
        let numbering = self.numbering();
        Matrices::of(&mut self.system, &self.state, &numbering)
    }

    /// The stress of each cell of a body; none for springs, and for cells that are inverted where their law
    /// cannot take it.
    pub fn stresses(&self, id: BodyId) -> Vec<Option<Stress>> {
        let body = &self.bodies[id.0];
        let x = &self.state.x[body.range.clone()];
        StressModel::new(body).map_or_else(
            || vec![None; body.mesh.cell_count()],
            |model| model.stresses(x, &self.state.memory),
        )
    }
}
