//! The damped motions of [`Robust`], in explicit and in implicit steps.

use pliant_algebra::vec3::{Vec3, norm_squared};
use pliant_forces::ForceError;
use pliant_solvers::sums::{self, add_scaled, norm};

use super::{Robust, edge};
use crate::damped_step::DampedStep;
use crate::dynamic_relaxation::row_sums;
use crate::problem::{Tangled, blocks_of};
use crate::{DynamicsError, NonlinearSolver};

/// A body is let go for this long, in units of 1/η, and for so many times the steps that this takes at rest.
const LASTS: f64 = 20.0;
const PATIENCE: f64 = 5.0;
/// The part of the longest stable step that is taken.
const SAFE: f64 = 0.9;
/// How far a step may take a vertex, and how far it may have come before the step is bounded anew, in edges.
const FAR: (f64, f64) = (0.2, 0.5);
/// Steps after which the step is bounded anew at the latest.
const RENEW: usize = 40;
/// Kinetic energy, relative to the largest of the motion, at which a body rests.
const RESTS: f64 = 1e-12;
/// Growth of the energy in motion, relative to it, after which steps are taken back.
const GROWTH: f64 = 1.0;

impl Robust {
    /// The longest stable step at y: h² λ ≤ 4 with λ ≤ max Σⱼ|Kᵢⱼ| / mᵢ.
    fn stable_step(&mut self, body: &mut dyn Tangled, y: &[f64]) -> Result<f64, DynamicsError> {
        let Some(matrix) = &mut self.matrix else { return Ok(SAFE) };
        self.counters.jacobians += 1;
        body.jacobian(y, false, matrix)?;
        row_sums(blocks_of(matrix)?, &mut self.rows);
        let fastest = self.rows.iter().zip(&self.masses).map(|(r, m)| r / m).fold(0.0, f64::max);
        Ok(SAFE * 2.0 / fastest.sqrt().max(1e-3))
    }

    /// Lets the body go from y in explicit steps, with damping η M, until it rests or the time is over.
    pub(super) fn let_go(
        &mut self,
        body: &mut dyn Tangled,
        y: &mut [f64],
        eta: f64,
        steps: &mut usize,
    ) -> Result<(), DynamicsError> {
        let edge = edge(body);
        self.counters.residuals += 1;
        let mut here = body.residual(y, &mut self.r)?;
        self.v.fill(0.0);
        let (mut time, mut most, mut shorter) = (0.0, 0.0_f64, 1.0);
        let (mut stable, mut moved, mut since, mut at_rest) = (0.0, 0.0, RENEW, true);
        let mut left = ((PATIENCE * LASTS / eta) as usize).min(*steps);
        *steps -= left;
        // The energy to go back to, and the least potential so far.
        let (mut known, mut least) = (f64::INFINITY, f64::INFINITY);
        while time < LASTS / eta && left > 0 {
            if since >= RENEW || moved > FAR.1 * edge {
                stable = self.stable_step(body, y)?;
                (moved, since) = (0.0, 0);
                shorter = (1.25_f64 * shorter).min(1.0);
                let now = kinetic(&self.v, &self.masses);
                self.history.push(norm(&self.r));
                most = most.max(now);
                if !at_rest && now <= RESTS * most {
                    break;
                }
                let lists = [&*y, &self.v, &self.r];
                for (back, list) in self.back.iter_mut().zip(lists) {
                    back.copy_from_slice(list);
                }
                if let Some((potential, _)) = here.energy {
                    known = potential + 0.5 * now;
                    least = least.min(potential);
                }
            }
            let h = shorter * self.step_length(stable, edge);
            let half = 0.5 * h * eta;
            let kick = if at_rest { 0.5 * h * (1.0 + half) } else { h };
            at_rest = false;
            let (v, r) = (self.v.as_chunks_mut::<3>().0, self.r.as_chunks::<3>().0);
            for ((v, r), m) in v.iter_mut().zip(r).zip(&self.masses) {
                *v =
                    std::array::from_fn(|k| ((1.0 - half) * v[k] - kick * r[k] / m) / (1.0 + half));
            }
            add_scaled(y, h, &self.v);
            (time, since, left) = (time + h, since + 1, left - 1);
            moved += h * sums::longest(self.v.as_chunks().0);
            self.counters.iterations += 1;
            self.counters.residuals += 1;
            let grown = match body.residual(y, &mut self.r) {
                Ok(now) => {
                    here = now;
                    here.energy.is_some_and(|(potential, _)| {
                        let total = potential + 0.5 * kinetic(&self.v, &self.masses);
                        // Velocities are half a step old: what is tolerated is what they may be off by, and more.
                        let most = GROWTH * (known - least.min(potential)).abs();
                        total.is_nan() || total - known > most
                    })
                }
                // A law that takes no inversion, or a step that was much too long.
                Err(ForceError::Inverted { .. } | ForceError::NotFinite { .. }) => true,
                Err(other) => return Err(other.into()),
            };
            if grown {
                // Back to the last place that was looked at, and on with shorter steps.
                self.counters.inversions += 1;
                shorter *= 0.4;
                if shorter < 1e-4 {
                    break;
                }
                y.copy_from_slice(&self.back[0]);
                self.v.copy_from_slice(&self.back[1]);
                here = body.residual(y, &mut self.r)?;
                (since, moved) = (0, 0.0);
            }
        }
        *steps += left;
        Ok(())
    }

    /// The length of an explicit step: stable, and no vertex goes further than a part of an edge, by speed or by force.
    fn step_length(&self, stable: f64, edge: f64) -> f64 {
        let far = FAR.0 * edge;
        let speed = sums::longest(self.v.as_chunks().0);
        let forces = self.r.as_chunks::<3>().0.iter().zip(&self.masses);
        let square = forces.map(|(r, m)| norm_squared(*r) / (m * m)).fold(0.0, f64::max);
        let by_speed = if speed > 0.0 { far / speed } else { f64::INFINITY };
        let by_force = if square > 0.0 { (far / square.sqrt()).sqrt() } else { f64::INFINITY };
        stable.min(by_speed).min(by_force)
    }

    /// Lets the body go from y in so many steps of backward Euler, h long.
    pub(super) fn let_go_implicitly(
        &mut self,
        body: &mut dyn Tangled,
        y: &mut [f64],
        (h, count): (f64, usize),
        steps: &mut usize,
    ) -> Result<(), DynamicsError> {
        self.v.fill(0.0);
        for _ in 0..count {
            if *steps == 0 {
                break;
            }
            *steps -= 1;
            self.back[0].copy_from_slice(y);
            let predicted = &mut self.back[1];
            predicted.copy_from_slice(y);
            add_scaled(predicted, h, &self.v);
            let weight = 1.0 / (h * h);
            let masses = &self.masses;
            let mut step = DampedStep { body: &mut *body, masses, weight, predicted };
            self.stepper.solve(&mut step, y)?;
            for ((v, y), before) in self.v.iter_mut().zip(&*y).zip(&self.back[0]) {
                *v = (y - before) / h;
            }
            if h * sums::longest(self.v.as_chunks().0) < 1e-5 * body.size() * h.min(1.0) {
                break;
            }
        }
        Ok(())
    }
}

/// v·M v
pub(super) fn kinetic(v: &[f64], masses: &[f64]) -> f64 {
    let v: &[Vec3] = v.as_chunks::<3>().0;
    let [sum] = sums::over(v.len(), &|range| [range.map(|i| masses[i] * norm_squared(v[i])).sum()]);
    sum
}
