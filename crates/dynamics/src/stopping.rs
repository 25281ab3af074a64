//! [`Stopping`]: when a nonlinear solve is done.

use crate::newton::Converged;
use crate::{DynamicsError, Evaluation};

/// Tolerances of a nonlinear solve. It is done as soon as one of them is met; a tolerance of 0 is never met but by
/// exact zeros. Constraint rows, where a problem has some, must be met besides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stopping {
    /// |r| relative to the largest of the forces that r is the sum of.
    pub relative_force: f64,
    /// |r|, N.
    pub absolute_force: f64,
    /// The largest correction of the last iteration, relative to the size of the body.
    pub correction: f64,
    /// The largest correction of the last iteration over the length of the step, m/s: for steps, not for
    /// statics.
    pub speed: f64,
}

/// Where a solve is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iterate {
    /// |r|, N.
    pub residual: f64,
    /// The largest of the forces that r is the sum of, N.
    pub scale: f64,
    /// The largest correction of the last iteration, m; infinite before the first one.
    pub correction: f64,
    /// Whether the last correction was gone to the full.
    pub whole: bool,
    /// The largest residual of a constraint row over its tolerance; 0 where there are none.
    pub rows: f64,
}

impl Iterate {
    /// Of a residual |r| and what was told beside it, before any correction.
    pub fn new(residual: f64, here: &Evaluation) -> Self {
        let Evaluation { scale, rows, .. } = *here;
        Self { residual, scale, correction: f64::INFINITY, whole: false, rows }
    }
}

impl Stopping {
    /// By forces alone, relative to the largest of them or absolute (N).
    pub fn by_force(relative: f64, absolute: f64) -> Self {
        Self { relative_force: relative, absolute_force: absolute, correction: 0.0, speed: 0.0 }
    }

    /// The |r| that is small enough beside forces of the given size, N.
    pub fn force(&self, scale: f64) -> f64 {
        (self.relative_force * scale).max(self.absolute_force)
    }

    /// Says whether a tolerance is met, and which, for a body of a size (m) and, within a motion, a step of h seconds.
    pub fn met(&self, iterate: &Iterate, size: f64, h: Option<f64>) -> Option<Converged> {
        let Iterate { residual, scale, correction, rows, .. } = *iterate;
        // Infinite forces are small beside infinite ones, and balance nothing.
        if rows > 1.0 || !residual.is_finite() {
            None
        } else if residual <= self.force(scale) {
            Some(Converged::Force)
        } else if correction <= self.correction * size {
            Some(Converged::Displacement)
        } else if h.is_some_and(|h| correction <= self.speed * h) {
            Some(Converged::Speed)
        } else {
            None
        }
    }

    /// The same within a step of a body in contact whose smallest activation distance is given, m: a correction is also small
    /// enough, if it was gone to the full, where it is 10⁴ relative force tolerances of that distance, and over the length of the
    /// step 10⁶ of them a second. By the usual tolerance gaps are good to 1 % of it. Forces must be balanced as well, to 10⁴ relative tolerances of the
    /// largest: where a gap is far smaller than the distance, corrections of its size are small, and the forces that it takes are not.
    pub fn met_in_contact(
        &self,
        iterate: &Iterate,
        size: f64,
        h: Option<f64>,
        activation: f64,
    ) -> Option<Converged> {
        let enough = self.relative_force * activation * h.map_or(1e4, |h| (1e6 * h).min(1e4));
        let Iterate { correction, whole, rows, residual, scale, .. } = *iterate;
        let balanced = residual <= 1e4 * self.relative_force * scale;
        let resolved = whole && correction <= enough && rows <= 1.0 && balanced;
        // A correction that was cut short says nothing of what is left.
        let cut =
            Iterate { correction: if whole { correction } else { f64::INFINITY }, ..*iterate };
        self.met(&cut, size, h).or(resolved.then_some(Converged::Displacement))
    }

    /// Fails where a number is outside its range.
    pub fn check(&self) -> Result<(), DynamicsError> {
        let parts =
            [("force tolerance", self.relative_force), ("displacement tolerance", self.correction)];
        for (what, found) in parts {
            if !(0.0..1.0).contains(&found) {
                let accepted = "0 or more, below 1";
                return Err(DynamicsError::Setting { what, found, accepted });
            }
        }
        let sizes =
            [("absolute force tolerance", self.absolute_force), ("speed tolerance", self.speed)];
        for (what, found) in sizes {
            if !(found >= 0.0 && found.is_finite()) {
                let accepted = "a finite number of 0 or more is needed";
                return Err(DynamicsError::Setting { what, found, accepted });
            }
        }
        Ok(())
    }
}
