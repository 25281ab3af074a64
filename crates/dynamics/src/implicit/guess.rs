//! First guesses of the end of a step.

use pliant_algebra::vec3;

use super::step_problem::StepProblem;
use super::{Implicit, Start};
use crate::system::DampingForm;
use crate::vector::set_sum;
use crate::{DynamicsError, State, System};

impl Implicit {
    /// The first guess of d, with held vertices where they are to be at the end.
    pub(super) fn guess(&mut self, system: &System, state: &State, h: f64, start: Start) {
        let (end, d) = (&self.end, &mut self.d);
        let deviation =
            |i: usize, a| vec3::scale(vec3::sub(a, end.a[i]), 1.0 / end.acceleration_slope);
        match start {
            Start::Extrapolation => {
                self.extrapolation.ahead(h, &state.a, |i, a| d[i] = deviation(i, a));
            }
            Start::Acceleration => {
                for (i, d) in d.iter_mut().enumerate() {
                    *d = deviation(i, state.a[i]);
                }
            }
            Start::Positions => set_sum(d, &state.x, &end.x, -1.0),
        }
        // Through positions, as that is what motions prescribe.
        let x = &mut self.work.x;
        set_sum(x, &end.x, &self.d, 1.0);
        system.constraints().impose_positions(state.time + h, x);
        for held in system.constraints().vertices() {
            let i = held.vertex as usize;
            let wanted = vec3::sub(x[i], end.x[i]);
            // The free part stays as it was guessed, without rounding.
            let free = held.filtered(self.d[i]);
            self.d[i] = vec3::add(free, vec3::sub(wanted, held.filtered(wanted)));
        }
    }

    /// Brings guesses into the order of what is to be lowered there: the potential of the step, or |r| where there is none.
    /// Where bodies meet or are damped hard, accelerations jump from step to step, and what is extrapolated from them can lie
    /// further from the end of the step than its start.
    pub(super) fn rank(
        &mut self,
        system: &mut System,
        state: &State,
        form: DampingForm<'_>,
        h: f64,
        starts: &mut [Start],
    ) -> Result<(), DynamicsError> {
        let shares = self.scheme.shares();
        let mut ranked = [(f64::INFINITY, Start::Positions); 3];
        let ranked = &mut ranked[..starts.len()];
        for ((merit, ranked), &mut start) in ranked.iter_mut().zip(&mut *starts) {
            self.guess(system, state, h, start);
            self.fix_accelerations(system, state, h);
            let (end, work) = (&self.end, &mut self.work);
            let mut problem = StepProblem { system, state, end, shares, form, h, work };
            *ranked = start;
            *merit = problem.merit(&mut self.d, &mut self.residual)?;
        }
        // Of equals the first one stays first.
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (start, (_, ranked)) in starts.iter_mut().zip(&*ranked) {
            *start = *ranked;
        }
        Ok(())
    }

    /// The part of a_e that does not depend on d. What is held has the acceleration of its motion instead of
    /// that of the scheme, which is of lower order: with a consistent mass the neighbours feel it.
    pub(super) fn fix_accelerations(&mut self, system: &mut System, state: &State, h: f64) {
        let shares = self.scheme.shares();
        let s = shares.acceleration;
        for (i, fixed) in self.work.fixed.iter_mut().enumerate() {
            *fixed = vec3::scale(self.end.a[i], s);
            if s != 1.0 {
                *fixed = vec3::add_scaled(*fixed, state.a[i], 1.0 - s);
            }
        }
        if system.constraints().moves() {
            let slope = s * self.end.acceleration_slope;
            let time = state.time + shares.position * h;
            set_sum(&mut self.work.a, &self.work.fixed, &self.d, slope);
            system.constraints().impose_accelerations(time, &mut self.work.a);
            for held in system.constraints().vertices() {
                let i = held.vertex as usize;
                let wanted = vec3::add_scaled(self.work.a[i], self.d[i], -slope);
                let free = held.filtered(self.work.fixed[i]);
                self.work.fixed[i] = vec3::add(free, vec3::sub(wanted, held.filtered(wanted)));
            }
        }
        system.multiply_mass(&self.work.fixed, &mut self.work.fixed_mass);
    }
}
