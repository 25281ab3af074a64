//! The nonlinear problem of one implicit step.

use pliant_algebra::vec3::{self, Vec3};
use pliant_forces::ForceError;
use pliant_solvers::matrix::{Matrix, Shape};
use pliant_solvers::sums;

use super::{Prediction, Shares, Work};
use crate::newton::{Converged, NewtonReport};
use crate::problem::blocks_of;
use crate::system::{DampingForm, Linearization};
use crate::vector::{dot, norm, set_sum};
use crate::{
    DynamicsError, Evaluation, Iterate, NonlinearSolver, Problem, State, Stopping, System, Weights,
};

/// r(d) of one step.
pub(super) struct StepProblem<'a> {
    pub(super) system: &'a mut System,
    pub(super) state: &'a State,
    pub(super) end: &'a Prediction,
    pub(super) shares: Shares,
    pub(super) form: DampingForm<'a>,
    pub(super) h: f64,
    pub(super) work: &'a mut Work,
}

impl StepProblem<'_> {
    /// x_e and v_e for d; the time there.
    pub(super) fn place(&mut self, d: &[Vec3]) -> f64 {
        let (state, end, shares) = (self.state, self.end, self.shares);
        set_sum(&mut self.work.x, &end.x, d, 1.0);
        set_sum(&mut self.work.v, &end.v, d, end.velocity_slope);
        let blend = |at_end: &mut [Vec3], start: &[Vec3], share: f64| {
            if share != 1.0 {
                for (e, &s) in at_end.iter_mut().zip(start) {
                    *e = vec3::lerp(s, *e, share);
                }
            }
        };
        blend(&mut self.work.x, &state.x, shares.position);
        blend(&mut self.work.v, &state.v, shares.velocity);
        state.time + shares.position * self.h
    }

    /// Sees that nothing inadmissible lies between the start of the step and the first guess. Where supports
    /// alone would cross an inversion, the body is taken along with them, if it is the `last` guess.
    pub(super) fn begin(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        d: &mut [Vec3],
        last: bool,
    ) -> Result<(), DynamicsError> {
        if !self.system.bounds_steps() {
            return Ok(());
        }
        let free = if self.can_shorten() { self.shorten_way(d)? } else { self.is_free(d)? };
        if free {
            return Ok(());
        }
        if !last || !self.system.constraints().moves() {
            return Ok(self.check_way(d)?);
        }
        // From where everything was, supports are moved and what is free follows.
        let mut way = std::mem::take(&mut self.work.way);
        way.resize(d.len(), [0.0; 3]);
        way.copy_from_slice(d);
        set_sum(d, &self.state.x, &self.end.x, -1.0);
        for (way, &d) in way.iter_mut().zip(&*d) {
            *way = vec3::sub(*way, d);
        }
        let contact = self.shares.position == 1.0 && self.system.has_contact();
        let moved =
            if contact { self.lead(solver, d, &mut way) } else { self.prescribe(solver, d, &way) };
        self.work.way = way;
        moved?;
        // What was led has been bounded piece by piece.
        if contact { Ok(()) } else { Ok(self.check_way(d)?) }
    }

    /// Says whether first guesses may be brought nearer to the start of the step.
    fn can_shorten(&self) -> bool {
        self.shares.position == 1.0 && self.system.has_contact()
    }

    /// Brings a first guess that something is in the way of as near as the way is free. Returns false where that keeps what is held
    /// from where it is to be.
    fn shorten_way(&mut self, d: &mut [Vec3]) -> Result<bool, ForceError> {
        let time = self.place(d);
        let mut way = std::mem::take(&mut self.work.way);
        way.resize(d.len(), [0.0; 3]);
        set_sum(&mut way, &self.work.x, &self.state.x, -1.0);
        let at = self.state.ahead(&self.state.x, &self.state.v, time, self.h);
        let found = self.system.safe_length(&at, &way, 1.0).map(|length| {
            if length >= 1.0 {
                return true;
            }
            let (x, rounding) = (&self.work.x, 1e-12 * self.system.size());
            let end = |i: usize| vec3::add_scaled(self.state.x[i], way[i], length);
            let constraints = self.system.constraints();
            let arrive = constraints.vertices().iter().all(|held| {
                let lacks = vec3::sub(x[held.vertex as usize], end(held.vertex as usize));
                vec3::norm(vec3::sub(lacks, held.filtered(lacks))) <= rounding
            });
            if arrive {
                let lacks = self.work.inertia.iter_mut().zip(x).enumerate();
                lacks.for_each(|(i, (lacks, &x))| *lacks = vec3::sub(end(i), x));
                constraints.filter(&mut self.work.inertia);
                for (d, &lacks) in d.iter_mut().zip(&self.work.inertia) {
                    *d = vec3::add(*d, lacks);
                }
            }
            arrive
        });
        self.work.way = way;
        found
    }

    /// Says whether nothing inadmissible lies between the start of the step and d.
    fn is_free(&mut self, d: &[Vec3]) -> Result<bool, ForceError> {
        let time = self.place(d);
        let work = &mut *self.work;
        set_sum(&mut work.inertia, &work.x, &self.state.x, -1.0);
        let at = self.state.ahead(&self.state.x, &self.state.v, time, self.h);
        Ok(self.system.admissible(&at, &work.inertia, 1.0)? >= 1.0)
    }

    /// An error where something inadmissible lies there.
    fn check_way(&mut self, d: &[Vec3]) -> Result<(), ForceError> {
        if self.is_free(d)? {
            return Ok(());
        }
        let time = self.place(d);
        let at = self.state.ahead(&self.state.x, &self.state.v, time, self.h);
        Err(self.system.obstruction(&at, &self.work.inertia, 1.0)?)
    }

    /// Solves for d, within x(q) where the system is restricted to that.
    pub(super) fn solve(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        d: &mut [Vec3],
    ) -> Result<NewtonReport, DynamicsError> {
        let Some(mut restricted) = self.system.take_restricted() else {
            return solver.solve(self, d.as_flattened_mut());
        };
        let at = (&*self.state.x, &*self.end.x, self.shares.position);
        let outcome = restricted.solve(solver, self, at, d);
        self.system.put_restricted(restricted);
        outcome
    }

    pub(super) fn prescribe(
        &mut self,
        solver: &mut dyn NonlinearSolver,
        d: &mut [Vec3],
        way: &[Vec3],
    ) -> Result<(), DynamicsError> {
        let Some(mut restricted) = self.system.take_restricted() else {
            return solver.prescribe(self, d.as_flattened_mut(), way.as_flattened());
        };
        let at = (&*self.state.x, &*self.end.x, self.shares.position);
        let outcome = restricted.prescribe(solver, self, at, d, way);
        self.system.put_restricted(restricted);
        outcome
    }

    /// What a solve is to lower, at d, or as near to it as the way is free: the potential of the step, J, or |r|, N, where there is none.
    /// Infinite where d cannot be reached or evaluated.
    pub(super) fn merit(&mut self, d: &mut [Vec3], r: &mut [Vec3]) -> Result<f64, ForceError> {
        let free = match (self.system.bounds_steps(), self.can_shorten()) {
            (false, _) => Ok(true),
            (true, true) => self.shorten_way(d),
            (true, false) => self.is_free(d),
        };
        if !matches!(free, Ok(true)) {
            return Ok(f64::INFINITY);
        }
        match self.evaluate(d, r, None) {
            Ok(found) => Ok(found.energy.map_or_else(|| norm(r), |(energy, _)| energy)),
            Err(ForceError::Inverted { .. } | ForceError::NotFinite { .. }) => Ok(f64::INFINITY),
            Err(other) => Err(other),
        }
    }

    /// x_e and v_e for d, in `inertia` the ways of x_e where d changes by `way`; the time there.
    fn move_by(&mut self, d: &[f64], way: &[f64]) -> f64 {
        let time = self.place(d.as_chunks().0);
        let share = self.shares.position;
        for (to, &way) in self.work.inertia.iter_mut().zip(way.as_chunks().0) {
            *to = vec3::scale(way, share);
        }
        time
    }

    fn mass_weight(&self) -> f64 {
        self.shares.acceleration * self.end.acceleration_slope
    }

    fn parts(&self) -> Weights {
        Weights {
            mass: self.mass_weight(),
            position: self.shares.position,
            velocity: self.shares.velocity * self.end.velocity_slope,
        }
    }

    /// r(d) and, where it is wanted, ∂r/∂d without constraints, in one pass.
    fn evaluate(
        &mut self,
        d: &[Vec3],
        r: &mut [Vec3],
        linear: Option<Linearization<'_>>,
    ) -> Result<Evaluation, ForceError> {
        let time = self.place(d);
        let weight = self.mass_weight();
        let velocity_weight = self.parts().velocity;
        let has_potentials = self.system.has_energy()
            || velocity_weight > 0.0 && self.system.has_potentials(self.form);
        let has_energy = has_potentials && self.system.pattern().is_symmetric();
        let work = &mut *self.work;
        let at = self.state.ahead(&work.x, &work.v, time, self.h);
        let forces = self.system.evaluate(&at, r, has_energy, self.form, linear)?;
        set_sum(&mut work.a, &work.fixed, d, weight);
        self.system.multiply_mass(&work.a, &mut work.inertia);
        // ½ dᵀ(M a_e + M a_fixed) + Π(x_e)/s + φ(v_e)/w has the gradient M a_e + g, as v_e changes by w d.
        let energy = has_energy.then(|| {
            let kinetic = 0.5 * (dot(d, &work.inertia) + dot(d, &work.fixed_mass));
            let share = self.shares.position;
            let damping = match forces.damping_potential {
                0.0 => 0.0,
                potential => potential / velocity_weight,
            };
            let size = kinetic.abs() + forces.energy_size / share + damping.abs();
            (kinetic + forces.energy / share + damping, size)
        });
        for (r, i) in r.iter_mut().zip(&work.inertia) {
            *r = vec3::add(*r, *i);
        }
        self.system.constraints().filter(r);
        let scale = forces.largest.max(norm(&work.inertia));
        Ok(Evaluation { scale, energy, rows: 0.0 })
    }
}

impl Problem for StepProblem<'_> {
    fn shape(&self) -> Shape {
        Shape::Blocks(self.system.pattern().clone())
    }

    fn positions(&self) -> Option<&[Vec3]> {
        Some(self.system.rest())
    }

    fn size(&self) -> f64 {
        self.system.size()
    }

    fn residual(&mut self, d: &[f64], r: &mut [f64]) -> Result<Evaluation, ForceError> {
        self.evaluate(d.as_chunks().0, r.as_chunks_mut().0, None)
    }

    fn jacobian(
        &mut self,
        d: &[f64],
        project: bool,
        matrix: &mut Matrix,
    ) -> Result<(), ForceError> {
        let matrix = blocks_of(matrix)?;
        let time = self.place(d.as_chunks().0);
        let weights = self.parts();
        let at = self.state.ahead(&self.work.x, &self.work.v, time, self.h);
        self.system.tangent_with(&at, weights, self.form, project, matrix)?;
        self.system.constraints().project(matrix);
        Ok(())
    }

    fn linearize(
        &mut self,
        d: &[f64],
        r: &mut [f64],
        matrix: &mut Matrix,
    ) -> Result<Evaluation, ForceError> {
        let matrix = blocks_of(matrix)?;
        let weights = self.parts();
        let linear = Linearization { weights, project: false, matrix: &mut *matrix };
        let found = self.evaluate(d.as_chunks().0, r.as_chunks_mut().0, Some(linear))?;
        self.system.constraints().project(matrix);
        Ok(found)
    }

    fn weights(&self) -> [f64; 3] {
        let Weights { mass, position, velocity } = self.parts();
        [mass, position, velocity]
    }

    fn longest_move(&mut self, _: &[f64], way: &[f64]) -> f64 {
        sums::longest(way.as_chunks().0)
    }

    fn admissible(&mut self, d: &[f64], way: &[f64], limit: f64) -> Result<f64, ForceError> {
        if !self.system.bounds_steps() {
            return Ok(limit);
        }
        let time = self.move_by(d, way);
        let at = self.state.ahead(&self.work.x, &self.work.v, time, self.h);
        self.system.admissible(&at, &self.work.inertia, limit)
    }

    fn safe_length(&mut self, d: &[f64], way: &[f64], limit: f64) -> Result<f64, ForceError> {
        if !self.system.bounds_steps() {
            return Ok(limit);
        }
        let time = self.move_by(d, way);
        let at = self.state.ahead(&self.work.x, &self.work.v, time, self.h);
        self.system.safe_length(&at, &self.work.inertia, limit)
    }

    fn follow_couplings(&mut self, d: &[f64]) -> Result<bool, DynamicsError> {
        if !self.system.changes_couplings() {
            return Ok(false);
        }
        let time = self.place(d.as_chunks().0);
        let at = self.state.ahead(&self.work.x, &self.work.v, time, self.h);
        self.system.follow_couplings(&at)
    }

    fn has_contact(&self) -> bool {
        self.system.has_contact()
    }

    fn is_majorised(&self) -> bool {
        self.system.is_majorised()
    }

    fn solved(&self, rules: &Stopping, iterate: &Iterate) -> Option<Converged> {
        let (size, h) = (self.system.size(), Some(self.h));
        match self.system.activation() {
            Some(activation) => rules.met_in_contact(iterate, size, h, activation),
            None => rules.met(iterate, size, h),
        }
    }
}
