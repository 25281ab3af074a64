//! What steps are chosen by, and how many there were.

use pliant_sections::{SectionError, SectionReader, SectionWriter};

use crate::DynamicsError;

/// What steps are chosen by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepControl {
    /// Error of a step that is allowed relative to displacements and velocities.
    pub relative: f64,
    /// Error of positions that is allowed anyway, as a share of the size of the body.
    pub absolute_position: f64,
    /// Error of velocities that is allowed anyway, sizes of the body per second.
    pub absolute_velocity: f64,
    /// A step is planned this much shorter than what the estimate allows.
    pub safety: f64,
    /// A step is at least this part of the one before, unless that one failed.
    pub shrink: f64,
    /// And at most this multiple.
    pub grow: f64,
    /// How much the error before the last one counts (β (q + 1)): 0 is the plain controller.
    pub memory: f64,
    /// The first step, s; found from the forces where there is none.
    pub first: Option<f64>,
    /// No step is longer, s.
    pub largest: f64,
    /// A step shorter than this part of the time to go is an error.
    pub smallest: f64,
}

impl Default for StepControl {
    fn default() -> Self {
        Self::with_tolerance(1e-4)
    }
}

impl StepControl {
    /// One tolerance for all.
    pub fn with_tolerance(tolerance: f64) -> Self {
        Self {
            relative: tolerance,
            absolute_position: tolerance,
            absolute_velocity: tolerance,
            safety: 0.9,
            shrink: 0.2,
            grow: 5.0,
            memory: 0.2,
            first: None,
            largest: f64::INFINITY,
            smallest: 1e-10,
        }
    }

    pub(super) fn check(&self) -> Result<(), DynamicsError> {
        let refuse = |what, found, accepted| Err(DynamicsError::Setting { what, found, accepted });
        for (what, found) in [
            ("relative tolerance", self.relative),
            ("absolute tolerance of positions", self.absolute_position),
            ("absolute tolerance of velocities", self.absolute_velocity),
        ] {
            if !(found >= 0.0 && found.is_finite()) {
                return refuse(what, found, "a finite number of 0 or more is needed");
            }
        }
        // Where a displacement is zero, nothing else says what a small error is.
        for (what, found) in [
            ("absolute tolerance of positions", self.absolute_position),
            ("absolute tolerance of velocities", self.absolute_velocity),
            ("largest step", self.largest),
            ("first step", self.first.unwrap_or(1.0)),
        ] {
            if found.is_nan() || found <= 0.0 {
                return refuse(what, found, "a number above 0 is needed");
            }
        }
        for (what, found) in [
            ("safety of steps", self.safety),
            ("shrinking of steps", self.shrink),
            ("smallest step", self.smallest),
        ] {
            if !(found > 0.0 && found < 1.0) {
                return refuse(what, found, "a number between 0 and 1 is needed");
            }
        }
        if !(self.grow > 1.0 && self.grow.is_finite()) {
            return refuse("growth of steps", self.grow, "a finite number above 1 is needed");
        }
        if !(0.0..1.0).contains(&self.memory) {
            return refuse("memory of step control", self.memory, "a number in [0, 1) is needed");
        }
        Ok(())
    }
}

/// Steps that were made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepCounts {
    /// Steps that were taken.
    pub accepted: usize,
    /// Steps that were not, as their error was too large.
    pub rejected: usize,
    /// Steps that failed: an element inverted, Newton did not converge, a number was none.
    pub failed: usize,
    /// The shortest step taken, s; infinite before the first. The last one of an advance, which is cut to
    /// end in time, does not count unless it is the only one.
    pub smallest: f64,
    /// The longest step taken, s.
    pub largest: f64,
}

impl StepCounts {
    pub(crate) fn save(&self, to: &mut SectionWriter<'_>) {
        to.count(self.accepted).count(self.rejected).count(self.failed);
        to.number(self.smallest).number(self.largest);
    }

    pub(crate) fn load(from: &mut SectionReader<'_>) -> Result<Self, SectionError> {
        Ok(Self {
            accepted: from.count()?,
            rejected: from.count()?,
            failed: from.count()?,
            smallest: from.number()?,
            largest: from.number()?,
        })
    }
}

impl Default for StepCounts {
    fn default() -> Self {
        Self { accepted: 0, rejected: 0, failed: 0, smallest: f64::INFINITY, largest: 0.0 }
    }
}
