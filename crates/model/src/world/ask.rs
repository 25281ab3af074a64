//! What a world is asked for, and how it moves on.

use pliant_algebra::sparse::{BlockMatrix, Csr};
use pliant_algebra::vec3::{Vec3, sub};
use pliant_dynamics::{Integrator, StaticReport, Statics, StepReport, Weights};
use pliant_forces::stress::Stress;

use super::{BodyId, World};
use crate::support::{moments, reactions};
use crate::{Body, Matrices, ModelError, Numbering, StressModel};

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
