//! [`Matrices`]: f, K, M and D of a state, in the user's numbering.

use pliant_algebra::sparse::{BlockMatrix, Csr};
use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{State, System, Weights};

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
}

impl Matrices {
    /// Evaluates them in a state.
    pub fn of(
        system: &mut System,
        state: &State,
        numbering: &Numbering,
    ) -> Result<Self, ModelError> {
        // Models that were changed since the last step have other couplings than they were bound with.
        system.follow_couplings(&state.configuration())?;
        let mut matrix = BlockMatrix::zero(system.pattern().clone());
        let at = state.configuration();
        let mut force = vec![[0.0; 3]; at.x.len()];
        system.forces(&at, &mut force, false)?;
        for f in &mut force {
            *f = f.map(|c| -c);
        }
        let mut made = |mass, position, velocity| -> Result<Csr, ModelError> {
            system.tangent(&at, Weights { mass, position, velocity }, false, &mut matrix)?;
            numbering.csr(&matrix)
        };
        Ok(Self {
            stiffness: made(0.0, 1.0, 0.0)?,
            mass: made(1.0, 0.0, 0.0)?,
            damping: made(0.0, 0.0, 1.0)?,
            force: numbering.user(&force)?,
            symmetric: system.pattern().is_symmetric(),
        })
    }
}
