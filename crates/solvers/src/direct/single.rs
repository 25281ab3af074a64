//! [`CholeskySingle`]: a factor in numbers of four bytes, which takes half the time and half the memory, and solutions
//! that are refined in numbers of eight (Wilkinson 1963; Buttari and others, Mixed precision iterative refinement,
//! 2007).

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::cholesky::{Cholesky, Multifrontal};
use super::outer::Outer;
use crate::ordering::OrderingName;
use crate::{BlockSolver, Layout, Report, SolverError};

/// After so many matrices in a row for which four bytes were not enough, they are not tried again.
const TRIES: usize = 3;

/// [`Cholesky`] in single precision. A matrix for which that is not enough is factored in double precision.
#[derive(Debug, Clone)]
pub struct CholeskySingle {
    single: Outer<Multifrontal<f32>>,
    double: Option<Cholesky>,
    /// Which of them has the factor.
    is_double: bool,
    failures: usize,
    tolerance: f64,
}

impl CholeskySingle {
    /// A solver with that ordering, whose solutions have at most that relative residual.
    pub fn new(ordering: OrderingName, tolerance: f64) -> Self {
        Self {
            single: Outer::new(ordering),
            double: None,
            is_double: false,
            failures: 0,
            tolerance,
        }
    }

    /// Factors in double precision. All memory for it is taken the first time.
    fn factor_double(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.failures += 1;
        let double = match &mut self.double {
            Some(double) => double,
            none => {
                let outer = self.single.with_engine(Multifrontal::in_double);
                none.insert(Cholesky(outer))
            }
        };
        self.is_double = true;
        double.factor(matrix)
    }
}

impl CholeskySingle {
    /// x = (L Lᵀ)⁻¹ b with the factor there is, as it is: for those who look at residuals themselves.
    pub(crate) fn apply_factor(&mut self, b: &[Vec3], x: &mut [Vec3]) -> Result<(), SolverError> {
        match (&mut self.double, self.is_double) {
            (Some(double), true) => double.0.solve_unchecked(&[b], &mut [x]),
            _ => self.single.solve_unchecked(&[b], &mut [x]),
        }
    }
}

/// Whether more digits may help.
fn lacks_digits(error: &SolverError) -> bool {
    matches!(error, SolverError::NotPositiveDefinite { .. } | SolverError::Singular { .. })
}

impl BlockSolver for CholeskySingle {
    fn name(&self) -> &'static str {
        "cholesky-single"
    }

    fn takes_unsymmetric(&self) -> bool {
        false
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>, layout: &Layout<'_>) -> Result<(), SolverError> {
        (self.double, self.is_double, self.failures) = (None, false, 0);
        self.single.analyze(pattern, layout)?;
        self.single.set_tolerance(self.tolerance);
        Ok(())
    }

    fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.is_double = false;
        if self.failures < TRIES {
            match self.single.factor(matrix) {
                Err(error) if lacks_digits(&error) => {}
                Ok(()) => {
                    self.failures = 0;
                    return Ok(());
                }
                other => return other,
            }
        }
        self.factor_double(matrix)
    }

    fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        if !self.is_double {
            let mut report = None;
            let done = self.single.solve(matrix, &[b], &mut [x], &mut |r| report = Some(r));
            match (done, report) {
                (Ok(()), Some(report)) => return Ok(report),
                (Err(error), _) if !lacks_digits(&error) => return Err(error),
                _ => self.factor_double(matrix)?,
            }
        }
        match &mut self.double {
            Some(double) => double.solve(matrix, b, x),
            None => Err(SolverError::Usage("cholesky-single: factor the matrix first".into())),
        }
    }

    fn set_tolerance(&mut self, relative: f64) {
        self.tolerance = relative;
        self.single.set_tolerance(relative);
    }

    /// How often single precision was not enough, and which factor the last matrix has.
    fn save(&self, to: &mut Sections) {
        let mut section = to.write("cholesky-single");
        section.count(self.failures).flag(self.is_double).number(self.tolerance);
    }

    fn load(&mut self, from: &Sections, matrix: Option<&BlockMatrix>) -> Result<(), SolverError> {
        let mut section = from.read("cholesky-single")?;
        let (failures, is_double) = (section.count()?, section.flag()?);
        self.set_tolerance(section.number()?);
        section.finish()?;
        match matrix {
            Some(matrix) if is_double => self.factor_double(matrix)?,
            Some(matrix) => self.single.factor(matrix)?,
            None => {}
        }
        (self.failures, self.is_double) = (failures.min(TRIES), is_double);
        Ok(())
    }

    fn memory(&self) -> usize {
        self.single.memory() + self.double.as_ref().map_or(0, BlockSolver::memory)
    }

    fn factor_nonzeros(&self) -> Option<u64> {
        self.single.nonzeros()
    }

    fn factor_flops(&self) -> Option<f64> {
        self.single.flops()
    }

    fn note(&self) -> Option<String> {
        self.is_double.then(|| "single precision was not enough: double is used".to_owned())
    }
}
