//! [`Found`]: a state of rest that was found, and whether it is an answer.

use pliant_forces::Inspection;

use crate::newton::NewtonReport;

/// Energies that differ by less than this are the same, and one below this part of that of the start is none.
const SAME: f64 = 1e-6;
const NOTHING: f64 = 1e-9;
/// Where J has fallen below this, another round may find better.
const CRUSHED: f64 = 0.3;

/// An end that was found.
pub(super) struct Found {
    pub(super) report: NewtonReport,
    pub(super) seen: Option<Inspection>,
    /// J, where there is an energy.
    pub(super) energy: Option<f64>,
}

impl Found {
    pub(super) fn inverted(&self) -> bool {
        self.seen.is_some_and(|seen| seen.inverted > 0)
    }

    /// Nothing speaks against it.
    pub(super) fn is_clean(&self) -> bool {
        !self.inverted()
            && self.seen.is_none_or(|seen| seen.min_j > CRUSHED)
            && self.report.definite != Some(false)
    }

    /// Clean, and either without energy, or with the least that was found before.
    pub(super) fn is_answer(&self, best: Option<&Self>, start: Option<(f64, f64)>) -> bool {
        let Some(energy) = self.energy else { return self.is_clean() };
        let none = start.is_some_and(|(start, _)| energy.abs() <= NOTHING * start.abs());
        let again = best.filter(|best| best.is_clean()).and_then(|best| best.energy);
        let again = again
            .is_some_and(|least| (energy - least).abs() <= SAME * energy.abs().max(least.abs()));
        self.is_clean() && (none || again)
    }

    /// Clean before anything else, then low energy before high.
    pub(super) fn better_than(&self, other: &Self) -> bool {
        match (!self.is_clean(), !other.is_clean()) {
            (false, true) => true,
            (true, false) => false,
            _ => self.energy.zip(other.energy).is_some_and(|(mine, theirs)| mine < theirs),
        }
    }
}
