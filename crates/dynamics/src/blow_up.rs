//! [`BlowUp`]: what is known about a step that failed.

use std::fmt;
use std::ops::Range;

use pliant_algebra::vec3::{Vec3, is_finite};
use pliant_forces::{ForceError, ForceModel, Worst};

use crate::{DynamicsError, State, System};

/// Where a step broke down, and what to try.
#[derive(Debug, Clone, PartialEq)]
pub struct BlowUp {
    /// The first element that was inverted where forces were last asked for; if there was none, the one
    /// nearest to it.
    pub element: Option<Worst>,
    /// The first vertex of the body that it belongs to, as the system counts.
    pub first_vertex: usize,
    /// Whether that is of the state the step began with, as there were no finite numbers later on.
    pub at_start: bool,
    /// What to try, the most promising first.
    pub suggestions: Vec<String>,
}

impl fmt::Display for BlowUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Worst { element, jacobian, stretches: [a, b, c] }) = self.element {
            let (kind, when) = (
                if jacobian > 0.0 { "most compressed" } else { "first inverted" },
                if self.at_start { " before the step" } else { "" },
            );
            write!(
                f,
                "; {kind} element{when}: {element}, J = {jacobian:.3e}, stretches {a:.3e}, {b:.3e}, {c:.3e}"
            )?;
        }
        if !self.suggestions.is_empty() {
            write!(f, "; try {}", self.suggestions.join(", or "))?;
        }
        Ok(())
    }
}

impl BlowUp {
    /// Of a step of h seconds that failed at positions x, or before there were any.
    pub(crate) fn of(
        system: &System,
        state: &State,
        x: &[Vec3],
        h: f64,
        explicit: bool,
        cause: &DynamicsError,
    ) -> Self {
        let usable = x.len() == system.vertices() && x.iter().all(|&x| is_finite(x));
        let x = if usable { x } else { &state.x };
        let mut element: Option<Worst> = None;
        let mut first_vertex = 0;
        let worst = |(range, model): (Range<usize>, &dyn ForceModel)| {
            let start = range.start;
            Some((start, model.worst(x.get(range)?)?))
        };
        for (start, found) in system.models_on().filter_map(worst) {
            // The first of what is inverted, the worst of what is not.
            let replaces = element.is_none_or(|e| found.jacobian < e.jacobian && e.jacobian > 0.0);
            if replaces {
                (element, first_vertex) = (Some(found), start);
            }
        }
        let mut suggestions = Vec::new();
        let inverted = matches!(
            cause,
            DynamicsError::Force(ForceError::Inverted { .. })
                | DynamicsError::Stuck { inverted: Some(_), .. }
        );
        if explicit {
            suggestions.push(format!(
                "a step of {:.1e} s (the critical step of the method is the limit)",
                0.25 * h
            ));
            suggestions.push("an implicit method such as backward-euler".to_owned());
        } else {
            suggestions.push(format!("a step of {:.1e} s", 0.5 * h));
        }
        if inverted {
            suggestions.push("the invertible form of the material".to_owned());
        }
        Self { element, first_vertex, at_start: !usable, suggestions }
    }
}
