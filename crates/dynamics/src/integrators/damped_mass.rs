//! M + h/2 D, factored: what explicit methods solve with where forces depend on velocities.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Product};
use pliant_algebra::vec3::Vec3;
use pliant_forces::Configuration;
use pliant_sections::{SectionReader, SectionWriter};
use pliant_solvers::{BlockSolver, Choice, Layout, SolverName};

use crate::vector::{add_scaled, check_finite};
use crate::{DynamicsError, System, Weights};

/// M + h/2 D for one step length, D = ∂g/∂v of some state.
pub(super) struct DampedMass {
    solver: Box<dyn BlockSolver>,
    /// As it was factored, without and with constraints.
    plain: BlockMatrix,
    projected: BlockMatrix,
    /// One that may become the next.
    fresh: BlockMatrix,
    product: Product,
    load: Vec<Vec3>,
    imposed: Vec<Vec3>,
    factored: bool,
}

impl DampedMass {
    pub(super) fn new(system: &System) -> Result<Self, DynamicsError> {
        let pattern = system.pattern();
        let name = if pattern.is_symmetric() { SolverName::Cholesky } else { SolverName::Lu };
        let mut solver = Choice { solver: name, ..Choice::default() }.build()?;
        let layout = Layout { positions: Some(system.rest()), elements: None };
        solver.analyze(pattern, &layout)?;
        let zero = || BlockMatrix::zero(pattern.clone());
        Ok(Self {
            solver,
            plain: zero(),
            projected: zero(),
            fresh: zero(),
            product: Product::new(pattern),
            load: vec![[0.0; 3]; system.vertices()],
            imposed: vec![[0.0; 3]; system.vertices()],
            factored: false,
        })
    }

    /// Whether it has the pattern of the system.
    pub(super) fn serves(&self, system: &System) -> bool {
        Arc::ptr_eq(self.plain.pattern(), system.pattern())
    }

    /// Takes D from a state, and factors if that changes anything.
    pub(super) fn renew(
        &mut self,
        system: &mut System,
        at: &Configuration<'_>,
        h: f64,
    ) -> Result<(), DynamicsError> {
        let weights = Weights { mass: 1.0, position: 0.0, velocity: 0.5 * h };
        system.tangent(at, weights, false, &mut self.fresh)?;
        if self.factored && self.fresh.values == self.plain.values {
            return Ok(());
        }
        self.factored = false;
        std::mem::swap(&mut self.fresh, &mut self.plain);
        self.factor(system)
    }

    /// The matrix that is factored, without constraints.
    pub(super) fn save(&self, to: &mut SectionWriter<'_>) {
        to.vectors(&self.plain.values);
    }

    /// Factors the matrix that was factored.
    pub(super) fn load(
        &mut self,
        from: &mut SectionReader<'_>,
        system: &System,
    ) -> Result<(), DynamicsError> {
        self.factored = false;
        self.plain.values = from.vectors_of(self.plain.values.len())?;
        self.factor(system)
    }

    fn factor(&mut self, system: &System) -> Result<(), DynamicsError> {
        self.projected.values.copy_from_slice(&self.plain.values);
        system.constraints().project(&mut self.projected);
        self.solver.factor(&self.projected)?;
        self.factored = true;
        Ok(())
    }

    /// a₁ at the end of a step from positions there and velocities in its middle:
    /// (M + h/2 D) a₁ = −g(x₁, v½), with the accelerations of motions where they hold.
    pub(super) fn accelerations(
        &mut self,
        system: &mut System,
        end: &Configuration<'_>,
        a: &mut [Vec3],
    ) -> Result<(), DynamicsError> {
        system.forces(end, a, false)?;
        let moves = system.constraints().moves();
        if moves {
            // With a = c + S y: S A S y = S (−g − A c).
            self.imposed.fill([0.0; 3]);
            system.constraints().impose_accelerations(end.time, &mut self.imposed);
            self.product.apply(&self.plain.values, &self.imposed, &mut self.load);
            add_scaled(a, &self.load, 1.0);
        }
        for (load, a) in self.load.iter_mut().zip(&*a) {
            *load = a.map(|c| -c);
        }
        system.constraints().filter(&mut self.load);
        a.fill([0.0; 3]);
        self.solver.solve(&self.projected, &self.load, a)?;
        system.constraints().impose_accelerations(end.time, a);
        check_finite("acceleration", a)
    }
}
