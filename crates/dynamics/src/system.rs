//! [`System`]: force models bound to one matrix, masses and constraints.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{self, Vec3, is_finite, scale};
use pliant_forces::model::State as Place;
use pliant_forces::{Ask, ForceError, ForceModel};
use pliant_solvers::{Choice, Layout, LinearSolver, SolverName};

use crate::vector::{add_scaled, check_length, dot, norm};
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

/// Masses, kg.
#[derive(Debug, Clone)]
pub enum Mass {
    /// One number a vertex.
    Lumped(Vec<f64>),
    /// A matrix with the pattern of the system.
    Consistent(BlockMatrix),
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
    /// Σ ½ v·g of linear dampings, W, likewise: a potential of the velocities.
    pub damping_potential: f64,
    /// The largest |g| of a model, held vertices included, N: where only supports move a body, their
    /// forces are all there is to compare with.
    pub largest: f64,
}

/// What does not change while a body moves.
pub struct System {
    rest: Vec<Vec3>,
    size: f64,
    pub(crate) models: Vec<(Role, Box<dyn ForceModel>)>,
    pattern: Arc<Pattern>,
    /// The places of the diagonal blocks.
    diagonal: Vec<u32>,
    mass: Mass,
    product: Option<Product>,
    /// M with the constraints in it, factored, once accelerations were asked for.
    mass_solver: Option<(Box<dyn LinearSolver>, BlockMatrix)>,
    constraints: Constraints,
    /// Factor of loads and gravity.
    pub(crate) load_factor: f64,
    pub(crate) part: Vec<Vec3>,
    other: Vec<Vec3>,
    evaluations: usize,
}

impl System {
    /// Binds the models to one pattern, which is symmetric if they all are. Masses are zero and nothing
    /// is held, which is enough for statics.
    pub fn new(
        rest: &[Vec3],
        mut models: Vec<(Role, Box<dyn ForceModel>)>,
    ) -> Result<Self, DynamicsError> {
        crate::vector::check_finite("rest position", rest)?;
        let symmetric = models.iter().all(|(_, m)| m.is_symmetric());
        let couplings = |couple: &mut dyn FnMut(u32, u32)| {
            for (_, model) in &models {
                if symmetric || !model.is_symmetric() {
                    model.couplings(couple);
                } else {
                    model.couplings(&mut |i, j| {
                        couple(i, j);
                        couple(j, i);
                    });
                }
            }
        };
        let pattern = if symmetric {
            Pattern::symmetric(rest.len(), couplings)
        } else {
            Pattern::unsymmetric(rest.len(), couplings)
        };
        let pattern = pattern.map_err(|e| DynamicsError::Unsupported(e.to_string()))?;
        for (_, model) in &mut models {
            // A block that a model did not declare has no place: the index is out of range, and the
            // model says so.
            model.bind(&|i, j| pattern.slot(i, j).unwrap_or((u32::MAX, false)));
        }
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
            models,
            // Every pattern has its diagonal.
            diagonal: (0..rest.len() as u32)
                .map(|i| pattern.slot(i, i).map_or(0, |s| s.0))
                .collect(),
            pattern: Arc::new(pattern),
            mass: Mass::Lumped(vec![0.0; rest.len()]),
            product: None,
            mass_solver: None,
            constraints: Constraints::new(),
            load_factor: 1.0,
            part: vec![[0.0; 3]; rest.len()],
            other: vec![[0.0; 3]; rest.len()],
            evaluations: 0,
        })
    }

    /// With masses. A matrix must have the pattern of the system ([`System::pattern`]).
    pub fn with_mass(mut self, mass: Mass) -> Result<Self, DynamicsError> {
        match &mass {
            Mass::Lumped(masses) => {
                check_length("masses", masses.len(), self.rest.len())?;
                if let Some(v) = masses.iter().position(|m| !(*m >= 0.0 && m.is_finite())) {
                    return Err(DynamicsError::Unsupported(format!(
                        "mass of vertex {v} = {}: a finite number of 0 or more is needed",
                        masses[v]
                    )));
                }
                self.product = None;
            }
            Mass::Consistent(matrix) => {
                if **matrix.pattern() != *self.pattern {
                    return Err(DynamicsError::Unsupported(
                        "the mass matrix must have the pattern of the system".into(),
                    ));
                }
                self.product = Some(Product::new(&self.pattern));
            }
        }
        self.mass = mass;
        self.mass_solver = None;
        Ok(self)
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
        constraints.bind(&self.pattern);
        self.constraints = constraints;
        self.mass_solver = None;
        Ok(self)
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

    /// The pattern of all matrices.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// The masses.
    pub fn mass(&self) -> &Mass {
        &self.mass
    }

    /// What is held.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The models.
    pub fn models(&self) -> impl Iterator<Item = (Role, &dyn ForceModel)> {
        self.models.iter().map(|(role, model)| (*role, &**model))
    }

    /// The models, to change a load between steps.
    pub fn models_mut(&mut self) -> impl Iterator<Item = (Role, &mut (dyn ForceModel + 'static))> {
        self.models.iter_mut().map(|(role, model)| (*role, &mut **model))
    }

    /// Whether all forces come from an energy.
    pub fn has_energy(&self) -> bool {
        self.models.iter().all(|(_, m)| m.has_energy())
    }

    /// Whether all forces come from an energy or, as linear damping does, from a potential of the velocities.
    pub(crate) fn has_potentials(&self) -> bool {
        self.models.iter().all(|(_, m)| m.has_energy() || m.is_linear_damping())
    }

    /// Whether the forces on bodies at rest come from an energy.
    pub fn has_energy_at_rest(&self) -> bool {
        self.models.iter().all(|(_, m)| m.has_energy_at_rest())
    }

    /// The factor of loads and gravity: 1 but for static solves that bring them up.
    pub fn set_load_factor(&mut self, factor: f64) {
        self.load_factor = factor;
    }

    /// How often forces were evaluated.
    pub fn evaluations(&self) -> usize {
        self.evaluations
    }

    /// g = Σ of all models, overwriting; the energy too, where it is asked for, in the same pass.
    pub fn forces(
        &mut self,
        place: &Place<'_>,
        g: &mut [Vec3],
        with_energy: bool,
    ) -> Result<Forces, ForceError> {
        let mut sums = Forces::default();
        self.evaluations += 1;
        g.fill([0.0; 3]);
        for (role, model) in &mut self.models {
            let factor = factor(*role, self.load_factor);
            let mut energy = 0.0;
            self.part.fill([0.0; 3]);
            let mut ask = Ask {
                energy: (with_energy && model.stores_energy()).then_some(&mut energy),
                gradient: Some(&mut self.part),
                ..Ask::default()
            };
            model.add(place, &mut ask)?;
            sums.energy += factor * energy;
            sums.energy_size += (factor * energy).abs();
            if with_energy && model.is_linear_damping() {
                sums.damping_potential += 0.5 * factor * dot(place.v, &self.part);
            }
            add_scaled(g, &self.part, factor);
            sums.largest = sums.largest.max(factor.abs() * norm(&self.part));
        }
        if let Some(vertex) = g.iter().position(|&g| !is_finite(g)) {
            return Err(ForceError::NotFinite { vertex, position: place.x[vertex] });
        }
        Ok(sums)
    }

    /// wm M + wx ∂g/∂x + wv ∂g/∂v, overwriting, without constraints.
    pub fn tangent(
        &mut self,
        place: &Place<'_>,
        weights: Weights,
        project: bool,
        matrix: &mut BlockMatrix,
    ) -> Result<(), ForceError> {
        matrix.clear();
        for (role, model) in &mut self.models {
            // What comes from an energy does not depend on velocities.
            if weights.position == 0.0 && model.has_energy() {
                continue;
            }
            let factor = factor(*role, self.load_factor);
            let mut ask = Ask {
                tangent: Some(&mut matrix.values),
                position_weight: factor * weights.position,
                velocity_weight: factor * weights.velocity,
                project,
                ..Ask::default()
            };
            model.add(place, &mut ask)?;
        }
        self.add_mass(weights.mass, matrix);
        Ok(())
    }

    /// Adds s M.
    fn add_mass(&self, s: f64, matrix: &mut BlockMatrix) {
        if s == 0.0 {
            return;
        }
        match &self.mass {
            Mass::Lumped(masses) => {
                for (&place, m) in self.diagonal.iter().zip(masses) {
                    let block = &mut matrix.values[place as usize];
                    for k in [0, 4, 8] {
                        block[k] += s * m;
                    }
                }
            }
            Mass::Consistent(own) => {
                let (to, from) = (&mut matrix.values, &own.values);
                for (to, from) in to.as_flattened_mut().iter_mut().zip(from.as_flattened()) {
                    *to += s * from;
                }
            }
        }
    }

    /// y = M x
    pub fn multiply_mass(&mut self, x: &[Vec3], y: &mut [Vec3]) {
        match (&self.mass, &mut self.product) {
            (Mass::Consistent(matrix), Some(product)) => product.apply(&matrix.values, x, y),
            (Mass::Consistent(_), None) => y.fill([0.0; 3]), // never: both are set together
            (Mass::Lumped(masses), _) => {
                for ((y, &x), &m) in y.iter_mut().zip(x).zip(masses) {
                    *y = scale(x, m);
                }
            }
        }
    }

    /// Accelerations: M a = −g on what is free, as the motions say on what is held. A vertex without
    /// mass is an error.
    pub fn accelerations(
        &mut self,
        place: &Place<'_>,
        a: &mut [Vec3],
    ) -> Result<(), DynamicsError> {
        self.forces(place, a, false)?;
        if let Mass::Lumped(masses) = &self.mass {
            for (v, (a, &m)) in a.iter_mut().zip(masses).enumerate() {
                if m == 0.0 && *a != [0.0; 3] {
                    return Err(massless(v));
                }
                *a = if m == 0.0 { [0.0; 3] } else { scale(*a, -1.0 / m) };
            }
            self.constraints.impose_accelerations(place.time, a);
            return Ok(());
        }
        // With a = c + S y: S M S y = S (−g − M c).
        let mut imposed = std::mem::take(&mut self.other);
        let mut load = std::mem::take(&mut self.part);
        imposed.fill([0.0; 3]);
        self.constraints.impose_accelerations(place.time, &mut imposed);
        self.multiply_mass(&imposed, &mut load);
        for (load, &g) in load.iter_mut().zip(&*a) {
            *load = std::array::from_fn(|k| -g[k] - load[k]);
        }
        self.constraints.filter(&mut load);
        let solved = self.solve_mass(&load, a);
        add_scaled(a, &imposed, 1.0);
        (self.other, self.part) = (imposed, load);
        solved
    }

    /// M a = load with the constraints in M, factored once.
    pub(crate) fn solve_mass(
        &mut self,
        load: &[Vec3],
        a: &mut [Vec3],
    ) -> Result<(), DynamicsError> {
        if self.mass_solver.is_none() {
            let mut matrix = BlockMatrix::zero(self.pattern.clone());
            self.add_mass(1.0, &mut matrix);
            self.constraints.project(&mut matrix);
            let symmetric = self.pattern.is_symmetric();
            let solver = if symmetric { SolverName::Cholesky } else { SolverName::Lu };
            let mut solver = Choice { solver, ..Choice::default() }.build()?;
            let layout = Layout { positions: Some(&self.rest), elements: None };
            solver.analyze(&self.pattern, &layout)?;
            solver.factor(&matrix)?;
            self.mass_solver = Some((solver, matrix));
        }
        let Some((solver, matrix)) = &mut self.mass_solver else { return Ok(()) };
        solver.solve(matrix, load, a)?;
        Ok(())
    }

    /// Whether forces depend on velocities here: models without energy are asked twice, at rest and with
    /// every vertex in motion.
    pub fn depends_on_velocity(&mut self, place: &Place<'_>) -> Result<bool, ForceError> {
        let n = self.rest.len();
        let still = vec![[0.0; 3]; n];
        let speed = self.size;
        // Neither rigid nor uniform: every damping shows.
        let moving: Vec<Vec3> = (0..n)
            .map(|i| [1, 2, 3].map(|k| speed * ((i as f64 + 1.0) * 0.7 * f64::from(k)).sin()))
            .collect();
        for (_, model) in self.models.iter_mut().filter(|(_, m)| !m.has_energy()) {
            for (v, g) in [(&still, &mut self.part), (&moving, &mut self.other)] {
                g.fill([0.0; 3]);
                let place = Place { x: place.x, v, time: place.time };
                model.add(&place, &mut Ask { gradient: Some(g), ..Ask::default() })?;
            }
            if self.part != self.other {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether no vertex has mass: a system for statics alone.
    pub fn is_massless(&self) -> bool {
        matches!(&self.mass, Mass::Lumped(masses) if masses.iter().all(|m| *m == 0.0))
    }
}

pub(crate) fn factor(role: Role, load: f64) -> f64 {
    match role {
        Role::Gravity | Role::Load => load,
        _ => 1.0,
    }
}

fn massless(vertex: usize) -> DynamicsError {
    DynamicsError::Unsupported(format!(
        "vertex {vertex} has no mass but a force acts on it: give its cells a density, remove it, or take an implicit method"
    ))
}
