//! [`Stability`]: whether the state of rest of a simulation is stable, asked no more often than is needed.

use pliant_dynamics::{StabilityCheck, State, System};

/// The most vertices for which the tangent of every recorded state of rest is factored once more where the solver cannot
/// tell from its own factor whether the state is stable.
const CHECKED_IN_STEPS: usize = 3_000;
/// The same at the end of a run.
const CHECKED_AT_END: usize = 100_000;

/// What is known of the present state.
#[derive(Default)]
pub(crate) struct Stability {
    check: StabilityCheck,
    /// Whether the state is stable, once that was asked for or told by the solver.
    #[allow(clippy::option_option)]
    known: Option<Option<bool>>,
}

impl Stability {
    /// Takes in what the solver of a new state tells.
    pub(crate) fn told(&mut self, definite: Option<bool>) {
        self.known = definite.map(Some);
    }

    /// Says whether the state is stable; none where that is not known.
    pub(crate) fn look(
        &mut self,
        system: &mut System,
        state: &State,
        at_end: bool,
    ) -> Option<bool> {
        if let Some(known) = self.known {
            return known;
        }
        let most = if at_end { CHECKED_AT_END } else { CHECKED_IN_STEPS };
        let stable = if state.len() <= most {
            // A tangent that cannot be had tells nothing.
            self.check.look(system, state).unwrap_or(None)
        } else {
            None
        };
        self.known = Some(stable);
        stable
    }
    /// Returns the number of negative eigenvalues of the tangent of a state that is not stable; none of others, and where they
    /// cannot be counted.
    pub(crate) fn negative_pivots(&mut self, system: &mut System, state: &State) -> Option<usize> {
        if self.known != Some(Some(false)) || state.len() > CHECKED_AT_END {
            return None;
        }
        // The solver may have told, without a factor that is kept.
        if self.check.look(system, state).ok()? != Some(false) {
            return None;
        }
        self.check.negative_pivots().ok()?.filter(|count| *count > 0)
    }
}
