//! How far to go along a direction, and by which merit.

use pliant_forces::ForceError;
use pliant_solvers::sums::{dot, norm};

use super::Newton;
use crate::line_search::search;
use crate::{DynamicsError, Evaluation, Problem};

/// Steps are lengthened while this part of the slope is left, by at most a factor, up to a length.
const LENGTHEN: (f64, f64, f64) = (0.3, 8.0, 1000.0);

/// Corrections of this part of the size of a body may be lost in rounding.
const LOST: f64 = 1e-12;

/// What is to fall along a direction.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Merit {
    Energy,
    /// The energy by the trapezoidal rule over its slopes at both ends, where it would fall by little more than it
    /// is rounded to, and |r| need not fall, as along directions of a projected stiffness.
    Slopes,
    Residual,
}

impl Merit {
    fn name(self) -> &'static str {
        match self {
            Self::Energy | Self::Slopes => "the energy",
            Self::Residual => "the residual",
        }
    }
}

impl Newton {
    /// A projected or regularised stiffness is stiffer than the body, often by far, where the body is about to give
    /// way: its full step is lengthened as long as the energy falls nearly as steeply as at the start.
    fn lengthen(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
        full: Evaluation,
        descent: f64,
    ) -> Result<(Evaluation, f64), DynamicsError> {
        let (mut best, mut length) = (full, 1.0);
        let longest = problem.safe_length(y, &self.delta, LENGTHEN.2)?;
        while length < longest {
            let slope = dot(&self.next_r, &self.delta);
            if slope > LENGTHEN.0 * descent {
                return Ok((best, length));
            }
            // Where the slope vanishes if it goes on as it does.
            let ahead = length * (descent / (descent - slope)).max(0.0);
            let ahead = if slope > descent { ahead } else { f64::INFINITY };
            let longer = ahead.clamp(2.0 * length, LENGTHEN.1 * length).min(longest);
            let good = match (self.trial(problem, y, longer), best.energy) {
                (Ok(next), Some((before, _))) => {
                    next.energy.filter(|&(energy, _)| energy < before).map(|_| next)
                }
                (Ok(_), None)
                | (Err(ForceError::Inverted { .. } | ForceError::NotFinite { .. }), _) => None,
                (Err(other), _) => return Err(other.into()),
            };
            match good {
                Some(next) => (best, length) = (next, longer),
                // Back to what was good.
                None => return Ok((self.trial(problem, y, length)?, length)),
            }
        }
        Ok((best, length))
    }

    /// As far along δ as is good.
    pub(super) fn advance(
        &mut self,
        problem: &mut dyn Problem,
        y: &[f64],
        here: Evaluation,
        size: f64,
        iteration: usize,
        wanted: f64,
    ) -> Result<(Evaluation, f64), DynamicsError> {
        // No further than models admit, and nothing is crossed on the way.
        let first = problem.safe_length(y, &self.delta, 1.0)?;
        self.counters.inversions += usize::from(first < 1.0);
        if !self.settings.line_search {
            return Ok((self.trial(problem, y, first)?, first));
        }
        let descent = dot(&self.r, &self.delta);
        let rounding = |of: f64| 16.0 * f64::EPSILON * of;
        // ½ |r|² is to fall without an energy; its slope along an exact Newton direction is −|r|².
        let by_residual = (Merit::Residual, 0.5 * size * size, -size * size, 0.0);
        // Where contacts begin and end |r| may rise on the way to a minimum, and so it may along directions of an upper bound.
        let contact = problem.has_contact() || problem.is_majorised();
        let mended = self.projected > 0.0 || self.regularised > 0.0;
        // The energy of strains of 1 is rounded, however small the strain: it is no merit for so small a step.
        let move_length = problem.longest_move(y, &self.delta);
        let far = move_length > 1e-6 * problem.size();
        let (merit, start, slope, noise) = match here.energy {
            Some((energy, of)) if descent < -100.0 * rounding(of) && far => {
                (Merit::Energy, energy, descent, rounding(of))
            }
            Some(_) if mended || contact => (Merit::Slopes, 0.0, descent, 0.0),
            _ => by_residual,
        };
        let free = here.energy.is_none() && self.watchdog.lets_go();
        let mut last = here;
        let found = search(start, slope, noise, first, |alpha| {
            last = self.trial(problem, y, alpha)?;
            let r = norm(&self.next_r);
            Ok(match (merit, last.energy) {
                (Merit::Energy, Some((energy, _))) => energy,
                // Rounding, not the direction, is what keeps a residual this small from falling.
                _ if r <= wanted => f64::NEG_INFINITY,
                (Merit::Slopes, _) => 0.5 * alpha * (descent + dot(&self.next_r, &self.delta)),
                _ if free && alpha == first && r.is_finite() => f64::NEG_INFINITY,
                _ => 0.5 * r * r,
            })
        })?;
        self.counters.shortened += found.trials - 1;
        self.counters.inversions += found.inversions;
        match found.length {
            Some(1.0) if merit == Merit::Energy && mended => {
                self.lengthen(problem, y, last, descent)
            }
            Some(length) => {
                // Newton near a minimum, and |r| hardly falls: that is rounding. With contact corrections must be small
                // beside every gap too.
                let near = if contact {
                    move_length <= LOST * problem.size()
                } else {
                    merit == Merit::Residual
                };
                let stalls = near && here.energy.is_some();
                let stalls = stalls && norm(&self.next_r) > 0.9 * size;
                self.stalled = if stalls { self.stalled + 1 } else { 0 };
                Ok((last, length))
            }
            None if self.regularised == 0.0 && move_length <= LOST * problem.size() => {
                // Corrections of the size of rounding: this is as far as it goes.
                Ok((self.trial(problem, y, 0.0)?, 0.0))
            }
            None => Err(DynamicsError::Stuck {
                iteration,
                residual: size,
                wanted,
                trials: found.trials,
                shortest: found.last,
                merit: merit.name(),
                inverted: found.inverted,
            }),
        }
    }
}
