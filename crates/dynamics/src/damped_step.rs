//! [`DampedStep`]: a step of backward Euler with masses of its own, as a problem for nonlinear solvers. Long steps damp
//! whatever moves.

use pliant_algebra::vec3::Vec3;
use pliant_forces::ForceError;
use pliant_solvers::matrix::{Matrix, Shape};

use crate::newton::Converged;
use crate::problem::{Tangled, blocks_of};
use crate::{DynamicsError, Evaluation, Iterate, Problem, Stopping};

/// w M (y − p) + r(y) = 0 with w = 1/h², from the place p that the body would come to without forces.
pub(crate) struct DampedStep<'a> {
    pub(crate) body: &'a mut dyn Tangled,
    pub(crate) masses: &'a [f64],
    /// w
    pub(crate) weight: f64,
    /// p
    pub(crate) predicted: &'a [f64],
}

impl DampedStep<'_> {
    /// Adds what masses do to the residual and to what is known of it.
    fn add_inertia(&self, y: &[f64], r: &mut [f64], mut found: Evaluation) -> Evaluation {
        let (mut twice, mut square) = (0.0, 0.0);
        for (i, m) in self.masses.iter().enumerate() {
            for k in 3 * i..3 * i + 3 {
                let d = y[k] - self.predicted[k];
                let force = self.weight * m * d;
                r[k] += force;
                twice += force * d;
                square += force * force;
            }
        }
        found.scale = found.scale.max(square.sqrt());
        found.energy =
            found.energy.map(|(energy, size)| (energy + 0.5 * twice, size + 0.5 * twice));
        found
    }

    /// Adds w M to the matrix. What is held stands alone in it, and stays so.
    fn add_masses(&self, matrix: &mut Matrix) -> Result<(), ForceError> {
        let matrix = blocks_of(matrix)?;
        for (i, m) in self.masses.iter().enumerate() {
            let a = self.weight * m;
            matrix.add(i as u32, i as u32, &[a, 0.0, 0.0, 0.0, a, 0.0, 0.0, 0.0, a]);
        }
        Ok(())
    }
}

impl Problem for DampedStep<'_> {
    fn shape(&self) -> Shape {
        self.body.shape()
    }

    fn positions(&self) -> Option<&[Vec3]> {
        self.body.positions()
    }

    fn size(&self) -> f64 {
        self.body.size()
    }

    fn residual(&mut self, y: &[f64], r: &mut [f64]) -> Result<Evaluation, ForceError> {
        let found = self.body.residual(y, r)?;
        Ok(self.add_inertia(y, r, found))
    }

    fn jacobian(
        &mut self,
        y: &[f64],
        project: bool,
        matrix: &mut Matrix,
    ) -> Result<(), ForceError> {
        self.body.jacobian(y, project, matrix)?;
        self.add_masses(matrix)
    }

    fn linearize(
        &mut self,
        y: &[f64],
        r: &mut [f64],
        matrix: &mut Matrix,
    ) -> Result<Evaluation, ForceError> {
        let found = self.body.linearize(y, r, matrix)?;
        self.add_masses(matrix)?;
        Ok(self.add_inertia(y, r, found))
    }

    fn weights(&self) -> [f64; 3] {
        [self.weight, 1.0, 0.0]
    }

    fn longest_move(&mut self, y: &[f64], d: &[f64]) -> f64 {
        self.body.longest_move(y, d)
    }

    fn admissible(&mut self, y: &[f64], d: &[f64], limit: f64) -> Result<f64, ForceError> {
        self.body.admissible(y, d, limit)
    }

    fn follow_couplings(&mut self, y: &[f64]) -> Result<bool, DynamicsError> {
        self.body.follow_couplings(y)
    }

    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged> {
        self.body.solved(rules, iterate)
    }
}
