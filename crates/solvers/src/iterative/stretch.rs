//! [`Stretch`]: how long a preconditioner that was made of one matrix serves those after it.

use pliant_sections::{SectionReader, SectionWriter};

use crate::SolverError;

/// A stretch of matrices begins with a preconditioner made of the first. Each matrix costs its iterations, and as the
/// preconditioner grows old, more of them. The mean over the stretch, the making included, falls as long as a matrix costs less
/// than it, and rises from there on: then it is made anew.
///
/// Costs are [counts](crate::cost), so that the bits of a run depend neither on the clock nor on the number of threads.
#[derive(Debug, Clone, Default)]
pub(super) struct Stretch {
    /// What it costs to make, and what each iteration with it does.
    costs: [f64; 2],
    /// What the stretch has cost before the present matrix.
    spent: f64,
    /// Matrices of the stretch before the present one.
    age: usize,
    /// Iterations with the present matrix, and with the one that it was made of.
    uses: usize,
    first: usize,
}

impl Stretch {
    /// With these costs.
    pub(super) fn new(making: f64, each: f64) -> Self {
        Self { costs: [making, each], ..Self::default() }
    }

    /// A new one, of the matrix that is to come.
    pub(super) fn begin(&mut self) {
        (self.spent, self.age, self.uses) = (self.costs[0], 0, 0);
    }

    /// Whether the present matrix was the one that raised the mean.
    pub(super) fn is_over(&self) -> bool {
        let cost = self.uses as f64 * self.costs[1];
        cost * (self.age + 1) as f64 > self.spent + cost
    }

    /// Goes on to the next matrix.
    pub(super) fn next(&mut self) {
        if self.age == 0 {
            self.first = self.uses;
        }
        self.spent += self.uses as f64 * self.costs[1];
        (self.age, self.uses) = (self.age.saturating_add(1), 0);
    }

    /// Counts an iteration.
    pub(super) fn count(&mut self) {
        self.uses = self.uses.saturating_add(1);
    }

    /// Matrices since the one it was made of.
    pub(super) fn age(&self) -> usize {
        self.age
    }

    /// Iterations that are not to be borne with one matrix: worth twice the making, and as many as it took with the matrix it was
    /// made of. None with that matrix.
    pub(super) fn patience(&self) -> Option<usize> {
        let [making, each] = self.costs;
        let more = (2.0 * making / each).ceil().max(4.0);
        (self.age > 0 && each > 0.0).then(|| self.first.saturating_add(more as usize))
    }

    pub(super) fn save(&self, to: &mut SectionWriter<'_>) {
        to.count(self.age).count(self.uses).count(self.first).number(self.spent);
    }

    pub(super) fn load(&mut self, from: &mut SectionReader<'_>) -> Result<(), SolverError> {
        (self.age, self.uses, self.first) = (from.count()?, from.count()?, from.count()?);
        self.spent = from.number()?;
        Ok(())
    }
}
