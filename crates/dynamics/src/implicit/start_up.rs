//! How multistep methods start.

use pliant_algebra::vec3::{self, Vec3};

use super::Implicit;
use crate::integrators::ImplicitMidpoint;
use crate::newton::NewtonReport;
use crate::system::{Accelerations, End};
use crate::vector::set_sum;
use crate::{DynamicsError, State, System};

impl Implicit {
    /// A first step of a multistep method, as accurate as those to come: the implicit midpoint rule with
    /// 1, 2, … substeps, whose errors are even powers of their length, extrapolated to none (Hairer,
    /// Nørsett and Wanner, Solving ODEs I, II.9).
    pub(super) fn start_up(
        &mut self,
        system: &mut System,
        state: &mut State,
        h: f64,
    ) -> Result<NewtonReport, DynamicsError> {
        let scheme = std::mem::replace(&mut self.scheme, Box::new(ImplicitMidpoint));
        let least = if scheme.estimates() { 2 } else { 1 };
        let columns = scheme.order().div_ceil(2).max(least);
        let outcome = self.extrapolate(system, state, h, columns);
        self.scheme = scheme;
        let (report, mut x, mut v) = outcome?;
        let end = End {
            x: &mut x,
            v: &mut v,
            a: Accelerations::Unknown,
            time: state.time + h,
            keep: self.scheme.keeps(),
            followed: None,
        };
        system.end_step(state, end)?;
        self.error_order = self.scheme.estimates().then_some(2 * (columns - 1));
        Ok(report)
    }

    fn extrapolate(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        columns: usize,
    ) -> Result<(NewtonReport, Vec<Vec3>, Vec<Vec3>), DynamicsError> {
        let mut table: Vec<State> = Vec::new();
        let mut report = None;
        for n in 1..=columns {
            let mut fine = state.clone();
            for _ in 0..n {
                report = Some(self.attempt(system, &mut fine, h / n as f64)?);
            }
            // Aitken and Neville in the square of the substep: table[j] is T(n, n − j).
            table.insert(0, fine);
            for j in 1..n {
                let ratio = n as f64 / (n - j) as f64;
                let weight = 1.0 / (ratio * ratio - 1.0);
                let (finer, coarser) = table.split_at_mut(j);
                let improve = |to: &mut [Vec3], from: &[Vec3]| {
                    for (to, &from) in to.iter_mut().zip(from) {
                        *to = vec3::add_scaled(from, vec3::sub(from, *to), weight);
                    }
                };
                improve(&mut coarser[0].x, &finer[j - 1].x);
                improve(&mut coarser[0].v, &finer[j - 1].v);
            }
        }
        match (table.pop(), report) {
            (Some(best), Some(report)) => {
                // The column before has an error of order 2 (columns − 1).
                if let Some(before) = table.last() {
                    set_sum(&mut self.error[0], &best.x, &before.x, -1.0);
                    set_sum(&mut self.error[1], &best.v, &before.v, -1.0);
                }
                Ok((report, best.x, best.v))
            }
            _ => Err(DynamicsError::Unsupported("a method of order 0".into())),
        }
    }
}
