//! [`Equilibrium`]: the forces of a body at rest, as a problem for nonlinear solvers.

use pliant_algebra::vec3::Vec3;
use pliant_forces::{ForceError, Inspection};
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::sums;

use crate::newton::{Converged, NewtonReport};
use crate::problem::{Tangled, blocks_of};
use crate::system::{DampingForm, Linearization};
use crate::vector::{add_scaled, set_sum};
use crate::{
    DynamicsError, Evaluation, Iterate, NonlinearSolver, Problem, State, Stopping, System, Weights,
};

/// g(start + u) = 0 at one load factor.
pub(crate) struct Equilibrium<'a> {
    pub(crate) system: &'a mut System,
    /// Where the step to rest begins.
    pub(crate) state: &'a State,
    /// Where u is zero, m.
    pub(crate) start: &'a [Vec3],
    /// Room for start + u.
    pub(crate) x: &'a mut [Vec3],
    /// Zeros.
    pub(crate) still: &'a [Vec3],
    /// The time that passes, s.
    pub(crate) h: f64,
}

impl Equilibrium<'_> {
    /// r(u) and, where it is wanted, ∂r/∂u without constraints, in one pass.
    fn evaluate(
        &mut self,
        u: &[Vec3],
        r: &mut [Vec3],
        linear: Option<Linearization<'_>>,
    ) -> Result<Evaluation, ForceError> {
        set_sum(self.x, self.start, u, 1.0);
        let at = self.state.ahead(self.x, self.still, self.state.time + self.h, self.h);
        let has_energy = self.system.has_energy_at_rest() && self.system.pattern().is_symmetric();
        let forces = self.system.evaluate(&at, r, has_energy, DampingForm::Tangent, linear)?;
        self.system.constraints().filter(r);
        let energy = has_energy.then_some((forces.energy, forces.energy_size));
        Ok(Evaluation { scale: forces.largest, energy, rows: 0.0 })
    }
}

impl Equilibrium<'_> {
    /// Solves for u, within x(q) where the system is restricted to that.
    pub(crate) fn solve(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        u: &mut [Vec3],
    ) -> Result<NewtonReport, DynamicsError> {
        let Some(mut restricted) = self.system.take_restricted() else {
            return solver.solve(self, u.as_flattened_mut());
        };
        let start = self.start;
        let outcome = restricted.solve(solver, self, (start, start, 1.0), u);
        self.system.put_restricted(restricted);
        outcome
    }

    pub(crate) fn prescribe(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        u: &mut [Vec3],
        way: &[Vec3],
    ) -> Result<(), DynamicsError> {
        let Some(mut restricted) = self.system.take_restricted() else {
            return solver.prescribe(self, u.as_flattened_mut(), way.as_flattened());
        };
        let start = self.start;
        let outcome = restricted.prescribe(solver, self, (start, start, 1.0), u, way);
        self.system.put_restricted(restricted);
        outcome
    }

    /// An error where something inadmissible lies between u and u + way.
    pub(crate) fn check_way(&mut self, u: &[Vec3], way: &[Vec3]) -> Result<(), ForceError> {
        let reach = self.admissible(u.as_flattened(), way.as_flattened(), 1.0)?;
        if reach >= 1.0 {
            return Ok(());
        }
        add_scaled(self.x, way, reach);
        Err(self.system.inverted_at(self.x))
    }
}

impl Problem for Equilibrium<'_> {
    fn shape(&self) -> Shape {
        Shape::Blocks(self.system.pattern().clone())
    }

    fn positions(&self) -> Option<&[Vec3]> {
        Some(self.system.rest())
    }

    fn size(&self) -> f64 {
        self.system.size()
    }

    fn residual(&mut self, u: &[f64], r: &mut [f64]) -> Result<Evaluation, ForceError> {
        self.evaluate(u.as_chunks().0, r.as_chunks_mut().0, None)
    }

    fn jacobian(
        &mut self,
        u: &[f64],
        project: bool,
        matrix: &mut Matrix,
    ) -> Result<(), ForceError> {
        let matrix = blocks_of(matrix)?;
        set_sum(self.x, self.start, u.as_chunks().0, 1.0);
        let at = self.state.ahead(self.x, self.still, self.state.time + self.h, self.h);
        self.system.tangent(&at, STIFFNESS, project, matrix)?;
        self.system.constraints().project(matrix);
        Ok(())
    }

    fn linearize(
        &mut self,
        u: &[f64],
        r: &mut [f64],
        matrix: &mut Matrix,
    ) -> Result<Evaluation, ForceError> {
        let matrix = blocks_of(matrix)?;
        let linear = Linearization { weights: STIFFNESS, project: false, matrix: &mut *matrix };
        let found = self.evaluate(u.as_chunks().0, r.as_chunks_mut().0, Some(linear))?;
        self.system.constraints().project(matrix);
        Ok(found)
    }

    fn weights(&self) -> [f64; 3] {
        [0.0, 1.0, 0.0]
    }

    fn longest_move(&mut self, _: &[f64], way: &[f64]) -> f64 {
        sums::longest(way.as_chunks().0)
    }

    fn admissible(&mut self, u: &[f64], way: &[f64], limit: f64) -> Result<f64, ForceError> {
        if !self.system.bounds_steps() {
            return Ok(limit);
        }
        set_sum(self.x, self.start, u.as_chunks().0, 1.0);
        let at = self.state.ahead(self.x, self.still, self.state.time + self.h, self.h);
        self.system.admissible(&at, way.as_chunks().0, limit)
    }

    fn safe_length(&mut self, u: &[f64], way: &[f64], limit: f64) -> Result<f64, ForceError> {
        if !self.system.bounds_steps() {
            return Ok(limit);
        }
        set_sum(self.x, self.start, u.as_chunks().0, 1.0);
        let at = self.state.ahead(self.x, self.still, self.state.time + self.h, self.h);
        self.system.safe_length(&at, way.as_chunks().0, limit)
    }

    fn follow_couplings(&mut self, u: &[f64]) -> Result<bool, DynamicsError> {
        if !self.system.changes_couplings() {
            return Ok(false);
        }
        set_sum(self.x, self.start, u.as_chunks().0, 1.0);
        let at = self.state.ahead(self.x, self.still, self.state.time + self.h, self.h);
        self.system.follow_couplings(&at)
    }

    fn has_contact(&self) -> bool {
        self.system.has_contact()
    }

    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged> {
        let (size, h) = (self.system.size(), None);
        match self.system.activation() {
            Some(activation) => rules.met_in_contact(iterate, size, h, activation),
            None => rules.met(iterate, size, h),
        }
    }

    fn tangled(&mut self) -> Option<&mut dyn Tangled> {
        Some(self)
    }
}

impl Tangled for Equilibrium<'_> {
    fn inspect(&mut self, u: &[f64]) -> Result<Option<Inspection>, ForceError> {
        set_sum(self.x, self.start, u.as_chunks().0, 1.0);
        self.system.inspect(self.x)
    }

    fn rest_jacobian(&mut self, matrix: &mut Matrix) -> Result<(), ForceError> {
        let matrix = blocks_of(matrix)?;
        self.x.copy_from_slice(self.system.rest());
        let at = self.state.ahead(self.x, self.still, self.state.time + self.h, self.h);
        self.system.tangent(&at, STIFFNESS, false, matrix)?;
        self.system.constraints().project(matrix);
        Ok(())
    }

    fn stand_in(&mut self, on: bool) -> bool {
        self.system.stand_in(on)
    }

    fn filter(&self, d: &mut [f64]) {
        self.system.constraints().filter(d.as_chunks_mut().0);
    }
}

/// The tangent of statics is the stiffness.
pub(crate) const STIFFNESS: Weights = Weights { mass: 0.0, position: 1.0, velocity: 0.0 };
