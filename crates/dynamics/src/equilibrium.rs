//! [`Equilibrium`]: the forces of a body at rest, as a problem for nonlinear solvers.

use pliant_algebra::vec3::Vec3;
use pliant_forces::{Configuration, ForceError, Inspection};
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::sums;

use crate::newton::{Converged, NewtonReport};
use crate::problem::{Tangled, blocks_of};
use crate::statics::after;
use crate::system::{DampingForm, Linearization};
use crate::vector::{add_scaled, dot, set_sum};
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
    /// Where areas of contact and normal forces of friction are taken from, m; of systems with contact.
    pub(crate) settled: Option<&'a [Vec3]>,
    /// What keeps bodies near a place that nothing else holds.
    pub(crate) anchor: Option<Anchor<'a>>,
}

/// The force σ M (u − u₀).
pub(crate) struct Anchor<'a> {
    /// σ, 1/s².
    pub(crate) strength: f64,
    /// u₀, m.
    pub(crate) at: &'a [Vec3],
    /// Room for u − u₀ and M times it.
    pub(crate) room: &'a mut [Vec<Vec3>; 2],
}

impl Equilibrium<'_> {
    /// The configuration at start + u.
    fn place(&mut self, u: &[Vec3]) -> (Configuration<'_>, &mut System) {
        set_sum(self.x, self.start, u, 1.0);
        let at = self.state.ahead(self.x, self.still, after(self.state, self.h), self.h);
        (Configuration { settled: self.settled, ..at }, self.system)
    }

    fn tangent_weights(&self) -> Weights {
        Weights { mass: self.anchor.as_ref().map_or(0.0, |anchor| anchor.strength), ..STIFFNESS }
    }

    /// r(u) and, where it is wanted, ∂r/∂u without constraints, in one pass.
    fn evaluate(
        &mut self,
        u: &[Vec3],
        r: &mut [Vec3],
        linear: Option<Linearization<'_>>,
    ) -> Result<Evaluation, ForceError> {
        let settles = self.settled.is_some();
        let (at, system) = self.place(u);
        let has_energy = system.has_energy_at_rest() && system.pattern().is_symmetric();
        let forces = system.evaluate(&at, r, has_energy, DampingForm::Tangent, linear)?;
        let mut energy = has_energy.then_some((forces.energy, forces.energy_size));
        if let Some((energy, size)) = energy.as_mut().filter(|_| settles) {
            // Friction resists ways here: its potential is an energy.
            *energy += forces.damping_potential;
            *size += forces.damping_potential.abs();
        }
        if let Some(anchor) = &mut self.anchor {
            let [way, force] = &mut *anchor.room;
            set_sum(way, u, anchor.at, -1.0);
            self.system.multiply_mass(way, force);
            add_scaled(r, force, anchor.strength);
            if let Some((energy, size)) = &mut energy {
                let held = 0.5 * anchor.strength * dot(way, force);
                *energy += held;
                *size += held.abs();
            }
        }
        self.system.constraints().filter(r);
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

    /// Brings u, which is at `from` + `way`, as near as the way is free; returns the part of it.
    pub(crate) fn shorten(
        &mut self,
        from: &[Vec3],
        way: &[Vec3],
        u: &mut [Vec3],
    ) -> Result<f64, DynamicsError> {
        let part = self.safe_length(from.as_flattened(), way.as_flattened(), 1.0)?;
        if part < 1.0 {
            set_sum(u, from, way, part);
        }
        Ok(part)
    }

    /// What is in the way from u to u + way.
    pub(crate) fn obstruction(&mut self, u: &[Vec3], way: &[Vec3]) -> DynamicsError {
        let (at, system) = self.place(u);
        let (Ok(error) | Err(error)) = system.obstruction(&at, way, 1.0);
        error.into()
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
        let weights = self.tangent_weights();
        let (at, system) = self.place(u.as_chunks().0);
        system.tangent(&at, weights, project, matrix)?;
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
        let weights = self.tangent_weights();
        let linear = Linearization { weights, project: false, matrix: &mut *matrix };
        let found = self.evaluate(u.as_chunks().0, r.as_chunks_mut().0, Some(linear))?;
        self.system.constraints().project(matrix);
        Ok(found)
    }

    fn weights(&self) -> [f64; 3] {
        let Weights { mass, position, velocity } = self.tangent_weights();
        [mass, position, velocity]
    }

    fn longest_move(&mut self, _: &[f64], way: &[f64]) -> f64 {
        sums::longest(way.as_chunks().0)
    }

    fn admissible(&mut self, u: &[f64], way: &[f64], limit: f64) -> Result<f64, ForceError> {
        if !self.system.bounds_steps() {
            return Ok(limit);
        }
        let (at, system) = self.place(u.as_chunks().0);
        system.admissible(&at, way.as_chunks().0, limit)
    }

    fn safe_length(&mut self, u: &[f64], way: &[f64], limit: f64) -> Result<f64, ForceError> {
        if !self.system.bounds_steps() {
            return Ok(limit);
        }
        let (at, system) = self.place(u.as_chunks().0);
        system.safe_length(&at, way.as_chunks().0, limit)
    }

    fn follow_couplings(&mut self, u: &[f64]) -> Result<bool, DynamicsError> {
        if !self.system.changes_couplings() {
            return Ok(false);
        }
        let (at, system) = self.place(u.as_chunks().0);
        system.follow_couplings(&at)
    }

    fn has_contact(&self) -> bool {
        self.system.has_contact()
    }

    fn is_majorised(&self) -> bool {
        self.system.is_majorised()
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
        let at = self.state.ahead(self.x, self.still, after(self.state, self.h), self.h);
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
