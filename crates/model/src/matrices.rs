//! [`Matrices`]: f, K, M and D of a state, in the user's numbering.

use pliant_algebra::sparse::{BlockMatrix, Csr};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{ModelForce, State, System, Weights};
use pliant_forces::Configuration;

use crate::{ModelError, Numbering};

/// Matrices of a state: M a + g(x, v) = 0, K = ∂g/∂x, D = ∂g/∂v, without supports, in the user's numbering.
#[derive(Debug, Clone)]
pub struct Matrices {
    /// −g: the forces that act on the vertices, N, gravity and loads included.
    pub force: Vec<Vec3>,
    /// K, N/m
    pub stiffness: Csr,
    /// M, kg
    pub mass: Csr,
    /// D, N·s/m
    pub damping: Csr,
    /// Whether K, M and D are symmetric.
    pub symmetric: bool,
    /// Positions, m.
    pub positions: Vec<Vec3>,
    /// Velocities, m/s.
    pub velocities: Vec<Vec3>,
    /// How far each coordinate is held by supports: 1 where it is, 0 where it is free ([`System::held`]).
    pub held: Vec<Vec3>,
    /// The same forces by model, which sum up to `force`; the forces are in the user's numbering, the ranges of vertices those
    /// of the system.
    pub by_model: Vec<ModelForce>,
}

impl Matrices {
    /// Evaluates them in a state.
    pub fn of(
        system: &mut System,
        state: &State,
        numbering: &Numbering,
    ) -> Result<Self, ModelError> {
        Self::at(system, &state.configuration(), numbering)
    }

    /// Evaluates them in a configuration: that of a state after a long time, for materials that remember
    /// ([`State::after_long`]).
    pub fn at(
        system: &mut System,
        at: &Configuration<'_>,
        numbering: &Numbering,
    ) -> Result<Self, ModelError> {
        // Models that were changed since the last step have other couplings than they were bound with.
        system.follow_couplings(at)?;
        let mut matrix = BlockMatrix::zero(system.pattern().clone());
        let mut force = vec![[0.0; 3]; at.x.len()];
        system.forces(at, &mut force, false)?;
        for f in &mut force {
            *f = f.map(|c| -c);
        }
        let mut made = |mass, position, velocity| -> Result<Csr, ModelError> {
            system.tangent(at, Weights { mass, position, velocity }, false, &mut matrix)?;
            numbering.csr(&matrix)
        };
        let (stiffness, mass, damping) =
            (made(0.0, 1.0, 0.0)?, made(1.0, 0.0, 0.0)?, made(0.0, 0.0, 1.0)?);
        let mut by_model = system.forces_by_model(at)?;
        for part in &mut by_model {
            part.force = numbering.user(&part.force)?;
        }
        Ok(Self {
            stiffness,
            mass,
            damping,
            force: numbering.user(&force)?,
            symmetric: system.pattern().is_symmetric(),
            positions: numbering.user(at.x)?,
            velocities: numbering.user(at.v)?,
            held: numbering.user(&system.held())?,
            by_model,
        })
    }
}
