//! [`SolverUse`]: the methods that have solved the linear systems of a run, and the reason for them.

use pliant_units::count;

/// The methods that have solved linear systems, by the names users know them by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SolverUse {
    /// The solver; of several, the one that was given the most matrices.
    pub linear: String,
    /// Its preconditioner, if it is iterative.
    pub preconditioner: Option<String>,
    /// Its ordering, if it is direct.
    pub ordering: Option<String>,
    /// The reason for it.
    pub why: String,
    /// How often another method than that of the matrix before was taken.
    pub changes: u64,
    /// Methods with the matrices that each was given, in the order of their first use; empty where the method was given by name and
    /// nothing was counted.
    pub matrices: Vec<(String, u64)>,
}

impl SolverUse {
    /// The solver with its preconditioner or ordering: `cg with ic0`.
    pub fn method(&self) -> String {
        method(&self.linear, self.preconditioner.as_deref().or(self.ordering.as_deref()))
    }

    /// In one line: the method, the reason, and where it changed over how often and for how many matrices each was taken.
    pub fn text(&self) -> String {
        let mut text = self.method();
        if !self.why.is_empty() {
            text += &format!(": {}", self.why);
        }
        if self.changes > 0 {
            let times = if self.changes == 1 { "once" } else { "times" };
            let number = if self.changes == 1 { String::new() } else { count(self.changes) + " " };
            let each = |(name, n): &(String, u64)| {
                format!("{name} for {} {}", count(*n), if *n == 1 { "matrix" } else { "matrices" })
            };
            let list: Vec<String> = self.matrices.iter().map(each).collect();
            text += &format!("; changed over {number}{times}: {}", list.join(", "));
        }
        text
    }
}

/// A solver with what belongs to it.
pub(crate) fn method(solver: &str, with: Option<&str>) -> String {
    with.map_or_else(|| solver.to_owned(), |with| format!("{solver} with {with}"))
}
