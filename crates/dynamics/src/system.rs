//! [`System`]: force models bound to one matrix, masses and constraints.

mod bound;
mod collide;
mod damping;
mod evaluate;
mod mass;
mod parts;
mod restricted;
mod seen;
mod steady;
mod step;

pub(crate) use damping::DampingForm;
pub(crate) use evaluate::Linearization;
pub use mass::Mass;
pub use parts::ModelForce;
pub use step::{Accelerations, End};

use std::ops::Range;
use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::{self, Vec3};
use pliant_forces::{
    Character, Configuration, Couplings, ForceError, ForceModel, Memory, Velocity, Workspace,
};
use pliant_solvers::BlockSolver;

use self::bound::Bound;
use self::collide::Collisions;
use self::damping::StiffnessDamping;
use self::mass::MassBinding;
use self::seen::Seen;
use crate::mapped::Restricted;
use crate::{Constraints, DynamicsError};

/// What a model stands for in the balance of energy. Loads and gravity are what static solves bring up
/// step by step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The body itself.
    Elastic,
    /// Its weight.
    Gravity,
    /// What pushes it from outside.
    Load,
    /// What takes energy away.
    Damping,
    /// Anything else: obstacles, attachments.
    Other,
}

/// Weights of what is added up in a matrix: wm M + wx ∂g/∂x + wv ∂g/∂v.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// wm
    pub mass: f64,
    /// wx
    pub position: f64,
    /// wv
    pub velocity: f64,
}

/// What an evaluation of the forces tells besides them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Forces {
    /// The energy of all models that have one, J, if it was asked for.
    pub energy: f64,
    /// Σ |energy of a model|, J: what rounding errors of the energy are relative to.
    pub energy_size: f64,
    /// Σ ½ v·g of linear dampings and φ(v) of friction, W, likewise: a potential of the velocities.
    pub damping_potential: f64,
    /// The largest |g| of a model, held vertices included, N: where only supports move a body, their
    /// forces are all there is to compare with.
    pub largest: f64,
}

/// A force model and its part in a system.
pub struct Acting {
    role: Role,
    model: Box<dyn ForceModel>,
    vertices: Option<Range<usize>>,
    stiffness_damping: f64,
}

impl Acting {
    /// A model that counts vertices as the system does.
    pub fn new(role: Role, model: Box<dyn ForceModel>) -> Self {
        Self { role, model, vertices: None, stiffness_damping: 0.0 }
    }

    /// Restricts it to a range of the system's vertices, which the model counts from 0.
    #[must_use]
    pub fn on(self, vertices: Range<usize>) -> Self {
        Self { vertices: Some(vertices), ..self }
    }

    /// Damps it by β K(x) v with its stiffness of the moment; β in s. The derivative of K(x) is left out of
    /// the tangent, so that Newton's method converges linearly where K changes fast.
    #[must_use]
    pub fn damped(self, beta: f64) -> Self {
        Self { stiffness_damping: beta, ..self }
    }
}

impl From<(Role, Box<dyn ForceModel>)> for Acting {
    fn from((role, model): (Role, Box<dyn ForceModel>)) -> Self {
        Self::new(role, model)
    }
}

/// A model as the system keeps it.
pub(crate) struct Entry {
    pub(crate) role: Role,
    pub(crate) model: Box<dyn ForceModel>,
    pub(crate) vertices: Range<usize>,
    /// β, s
    pub(crate) damping: f64,
    /// As it was when the model was bound.
    pub(crate) character: Character,
    /// Which of the state's memories is its own.
    memory: Option<usize>,
    work: Workspace,
}

impl Entry {
    /// The part of a configuration that concerns this model.
    pub(crate) fn part<'a>(&self, at: &Configuration<'a>) -> Result<Configuration<'a>, ForceError> {
        let memory = match self.memory {
            None => &[],
            Some(k) => at.memory.get(k..=k).unwrap_or_default(),
        };
        at.part(self.vertices.clone(), memory).ok_or_else(|| {
            ForceError::Unsupported(format!(
                "{} vertices, but {} acts on vertices up to {}",
                at.x.len(),
                self.model.name(),
                self.vertices.end
            ))
        })
    }

    /// An error of the model with vertices numbered as in the system.
    pub(crate) fn in_system(&self, error: ForceError) -> ForceError {
        match error {
            ForceError::NotFinite { vertex, position } => {
                ForceError::NotFinite { vertex: vertex + self.vertices.start, position }
            }
            ForceError::Blocked { vertex, other, place } => {
                let first = self.vertices.start;
                ForceError::Blocked { vertex: vertex + first, other: other + first, place }
            }
            ForceError::Intersecting { edge, triangle, place } => {
                let first = self.vertices.start;
                let (edge, triangle) = (edge.map(|v| v + first), triangle.map(|v| v + first));
                ForceError::Intersecting { edge, triangle, place }
            }
            ForceError::Obstacle { vertex, obstacle, place, inside } => {
                let vertex = vertex + self.vertices.start;
                ForceError::Obstacle { vertex, obstacle, place, inside }
            }
            ForceError::Inverted { element, jacobian, law, .. } => {
                ForceError::Inverted { element, jacobian, law, first_vertex: self.vertices.start }
            }
            other => other,
        }
    }

    /// Whether forces depend on velocities in a way that the order of a method hangs on: friction has a kink.
    fn is_damped(&self) -> bool {
        let smooth = matches!(self.character.velocity, Velocity::LinearDamping | Velocity::General);
        self.damping != 0.0 || smooth
    }
}

/// Models, masses and constraints, bound to one pattern of matrices. What moves is in a
/// [`State`](crate::State).
pub struct System {
    rest: Vec<Vec3>,
    size: f64,
    pub(crate) entries: Vec<Entry>,
    bound: Bound,
    mass: Mass,
    mass_binding: Option<MassBinding>,
    /// M with the constraints in it, factored, once accelerations were asked for.
    mass_solver: Option<(Box<dyn BlockSolver>, BlockMatrix)>,
    constraints: Constraints,
    stiffness_damping: Option<StiffnessDamping>,
    seen: Seen,
    /// x = x(q), where not all vertices are free.
    restricted: Option<Restricted>,
    /// Factor of loads and gravity.
    pub(crate) load_factor: f64,
    pub(crate) part: Vec<Vec3>,
    other: Vec<Vec3>,
    pub(crate) scratch: [Vec<Vec3>; 2],
    /// Memory that a step under way tries.
    tried: Vec<Memory>,
    evaluations: usize,
    /// How often supports, or the vertices that a model joins, have changed.
    changes: u64,
    /// What bodies collide with, without a force.
    collisions: Collisions,
}

impl System {
    /// Binds the models to one pattern, which is symmetric if they all are. Masses are zero and nothing
    /// is held, which is enough for statics.
    pub fn new(
        rest: &[Vec3],
        models: impl IntoIterator<Item = impl Into<Acting>>,
    ) -> Result<Self, DynamicsError> {
        crate::vector::check_finite("rest position", rest)?;
        let mut memories = 0;
        let mut entries = Vec::new();
        for acting in models {
            let Acting { role, model, vertices, stiffness_damping } = acting.into();
            let vertices = vertices.unwrap_or(0..rest.len());
            if vertices.start > vertices.end || vertices.end > rest.len() {
                return Err(DynamicsError::Unsupported(format!(
                    "{} acts on vertices {vertices:?}, but there are {}",
                    model.name(),
                    rest.len()
                )));
            }
            damping::check(&*model, stiffness_damping)?;
            let character = model.character();
            let memory = (!character.memory.is_none()).then(|| {
                memories += 1;
                memories - 1
            });
            let work = Workspace::new();
            let damping = stiffness_damping;
            entries.push(Entry { role, model, vertices, damping, character, memory, work });
        }
        let bound = Bound::new(rest.len(), &mut entries)?;
        let axis = |k: usize| {
            let bounds = rest.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x[k]), high.max(x[k]))
            });
            bounds.1 - bounds.0
        };
        let diagonal = vec3::norm([axis(0), axis(1), axis(2)]);
        Ok(Self {
            size: if diagonal > 0.0 && diagonal.is_finite() { diagonal } else { 1.0 },
            rest: rest.to_vec(),
            stiffness_damping: StiffnessDamping::of(&entries, bound.pattern()),
            seen: Seen::new(rest.len(), entries.len()),
            entries,
            bound,
            mass: Mass::Lumped(vec![0.0; rest.len()]),
            mass_binding: None,
            mass_solver: None,
            constraints: Constraints::new(),
            restricted: None,
            load_factor: 1.0,
            part: vec![[0.0; 3]; rest.len()],
            other: vec![[0.0; 3]; rest.len()],
            scratch: std::array::from_fn(|_| vec![[0.0; 3]; rest.len()]),
            tried: Vec::new(),
            evaluations: 0,
            changes: 0,
            collisions: Collisions::default(),
        })
    }

    /// With constraints.
    pub fn with_constraints(mut self, mut constraints: Constraints) -> Result<Self, DynamicsError> {
        if let Some(last) = constraints.vertices().last()
            && last.vertex as usize >= self.rest.len()
        {
            return Err(DynamicsError::Unsupported(format!(
                "constraint of vertex {}, but there are {} vertices, numbered from 0",
                last.vertex,
                self.rest.len()
            )));
        }
        constraints.bind(self.bound.pattern());
        self.constraints = constraints;
        self.mass_solver = None;
        self.changes += 1;
        Ok(self)
    }

    /// Puts other constraints in the place of those it has, for a part of a motion: of the same vertices and more.
    pub(crate) fn replace_constraints(&mut self, mut constraints: Constraints) {
        constraints.bind(self.bound.pattern());
        self.constraints = constraints;
        self.mass_solver = None;
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.rest.len()
    }

    /// Rest positions, m.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// The diagonal of the box around the rest positions, m.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The pattern of all matrices. It may change where a step begins or within a solve
    /// ([`System::begin_step`]).
    pub fn pattern(&self) -> &Arc<Pattern> {
        self.bound.pattern()
    }

    /// The constraints.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The models with their roles.
    pub fn models(&self) -> impl Iterator<Item = (Role, &dyn ForceModel)> {
        self.entries.iter().map(|entry| (entry.role, &*entry.model))
    }

    /// The models and the vertices of the system that they act on, which they count from 0.
    pub fn models_on(&self) -> impl Iterator<Item = (Range<usize>, &dyn ForceModel)> {
        self.entries.iter().map(|entry| (entry.vertices.clone(), &*entry.model))
    }

    /// The models, to change a load between steps.
    pub fn models_mut(&mut self) -> impl Iterator<Item = (Role, &mut dyn ForceModel)> {
        self.models_may_change();
        self.entries.iter_mut().map(|entry| (entry.role, &mut *entry.model))
    }

    /// The models of a type, in the order they were given in.
    pub fn models_of<T: ForceModel>(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().filter_map(|e| (&*e.model as &dyn std::any::Any).downcast_ref())
    }

    /// The models of a type that remember something, and what they do in a state.
    pub fn memories_of<'a, T: ForceModel>(
        &'a self,
        state: &'a crate::State,
    ) -> impl Iterator<Item = (&'a T, &'a Memory)> {
        self.entries.iter().filter_map(|e| {
            let model = (&*e.model as &dyn std::any::Any).downcast_ref()?;
            Some((model, state.memory.get(e.memory?)?))
        })
    }

    /// The models that remember something, in the order of the memories of a state, and the vertices that they act on.
    pub fn remembering(&self) -> impl Iterator<Item = (Range<usize>, &dyn ForceModel)> {
        let all = self.entries.iter().filter(|e| e.memory.is_some());
        all.map(|entry| (entry.vertices.clone(), &*entry.model))
    }

    /// The models of a type, to change them between steps, as a hand does that grabs a body.
    pub fn models_of_mut<T: ForceModel>(&mut self) -> impl Iterator<Item = &mut T> {
        self.models_may_change();
        let all = self.entries.iter_mut().map(|e| &mut *e.model as &mut dyn std::any::Any);
        all.filter_map(|model| model.downcast_mut())
    }

    fn models_may_change(&mut self) {
        self.seen.forget();
        self.stiffness_damping.iter_mut().for_each(StiffnessDamping::forget);
    }

    /// Whether all forces come from potentials of positions.
    pub fn has_energy(&self) -> bool {
        self.entries.iter().all(|e| {
            e.damping == 0.0
                && e.character.velocity == Velocity::None
                && e.character.has_potential()
        })
    }

    /// Whether there is damping by stiffness whose forces may be found by secants.
    pub(crate) fn has_secants(&self) -> bool {
        self.stiffness_damping.as_ref().is_some_and(StiffnessDamping::has_secants)
    }

    /// Whether all forces come from a potential of positions or, as linear damping and friction do, of velocities.
    pub(crate) fn has_potentials(&self, form: DampingForm<'_>) -> bool {
        let secant = form != DampingForm::Tangent;
        self.entries.iter().all(|e| (secant || e.damping == 0.0) && e.character.has_potential())
    }

    /// Whether the forces on bodies at rest come from an energy.
    pub fn has_energy_at_rest(&self) -> bool {
        self.entries.iter().all(|e| e.character.has_potential_at_rest())
    }

    /// Whether a model remembers anything from step to step.
    pub fn has_memory(&self) -> bool {
        self.entries.iter().any(|e| e.memory.is_some())
    }

    /// Whether a model bounds how far a state may go along a direction.
    pub fn bounds_steps(&self) -> bool {
        self.entries.iter().any(|e| e.character.bounds_steps)
    }

    /// Whether bodies may be in each other's way.
    pub fn has_contact(&self) -> bool {
        self.activation().is_some()
    }

    /// Whether the matrix of some model is an upper bound.
    pub fn is_majorised(&self) -> bool {
        self.entries.iter().any(|e| e.character.majorised)
    }

    /// The smallest activation distance of models of contact, m; none where there is no such model.
    pub(crate) fn activation(&self) -> Option<f64> {
        self.entries.iter().filter_map(|e| e.character.activation).reduce(f64::min)
    }

    /// Counts how often constraints were replaced, and how often a model has changed which vertices it couples, whether
    /// or not the pattern did: what was found out about how a body is held counts as long as this number stays.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether couplings may change between steps and within solves.
    pub fn changes_couplings(&self) -> bool {
        self.entries.iter().any(|e| e.character.couplings == Couplings::Changing)
    }

    /// Whether forces depend smoothly on velocities; dry friction does not count.
    pub fn is_damped(&self) -> bool {
        self.entries.iter().any(Entry::is_damped)
    }

    /// Whether no vertex has mass: a system for statics alone.
    pub fn is_massless(&self) -> bool {
        self.mass.is_zero()
    }

    /// The factor of loads and gravity: 1 but for static solves that bring them up.
    pub fn set_load_factor(&mut self, factor: f64) {
        self.load_factor = factor;
    }

    /// How often forces were evaluated.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }
}

pub(crate) fn factor(role: Role, load: f64) -> f64 {
    match role {
        Role::Gravity | Role::Load => load,
        _ => 1.0,
    }
}
