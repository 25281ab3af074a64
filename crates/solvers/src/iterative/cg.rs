//! [`Cg`]: preconditioned conjugate gradients.

use pliant_algebra::sparse::BlockMatrix;
use pliant_algebra::vec3::Vec3;

use super::cg_iteration::{Space, Work, run};
use super::krylov::Krylov;
use super::preconditioner::Preconditioner;
use super::system::{Settings, System};
use crate::{Constraints, Report, SolverError};

/// Conjugate gradients for symmetric positive definite matrices (Hestenes and Stiefel 1952).
///
/// The residual that the recurrence carries drifts away from b − A x by rounding. When it says that the tolerance is reached, and
/// the tolerance is not far above what rounding may have done, b − A x is computed, and if that is still above, the iteration
/// restarts from it. With constraints, residuals and directions are filtered (Baraff and Witkin 1998, in the
/// form of Ascher and Boxerman 2003, where the first guess holds the prescribed values).
pub struct Cg {
    system: System,
    work: Work,
}

impl Cg {
    /// Conjugate gradients with that preconditioner.
    pub fn new(preconditioner: Box<dyn Preconditioner>, settings: Settings) -> Self {
        let system = System::new("cg", preconditioner, settings);
        Self { system, work: Work::default() }
    }

    /// The settings, to be changed between solves.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.system.settings
    }

    /// The preconditioner.
    pub fn preconditioner(&self) -> &dyn Preconditioner {
        &*self.system.preconditioner
    }

    /// Constraints of the solves to come. The matrix stays as it is.
    pub fn set_constraints(&mut self, constraints: Option<Constraints>) {
        self.system.constraints = constraints;
    }
}

/// A matrix of blocks with its preconditioner and constraints.
struct OfBlocks<'a> {
    system: &'a mut System,
    matrix: &'a BlockMatrix,
}

impl Space for OfBlocks<'_> {
    fn multiply(&mut self, x: &[f64], y: &mut [f64]) {
        self.system.multiply(self.matrix, x.as_chunks().0, y.as_chunks_mut().0);
    }

    fn residual(&mut self, b: &[f64], x: &[f64], r: &mut [f64]) -> f64 {
        let (b, x) = (b.as_chunks().0, x.as_chunks().0);
        self.system.residual(self.matrix, b, x, r.as_chunks_mut().0)
    }

    fn reference(&mut self, b: &[f64], scratch: [&mut [f64]; 2]) -> f64 {
        let scratch = scratch.map(|list| list.as_chunks_mut().0);
        self.system.reference(self.matrix, b.as_chunks().0, scratch)
    }

    fn precondition(&mut self, r: &[f64], z: &mut [f64]) -> Result<(), SolverError> {
        self.system.precondition(r.as_chunks().0, z.as_chunks_mut().0)
    }

    fn zero(&self, x: &mut [f64]) {
        self.system.zero(x.as_chunks_mut().0);
    }

    fn is_rounding(&self, residual: f64, x: &[f64], reference: f64) -> bool {
        self.system.is_rounding(residual, x.as_chunks().0, reference)
    }

    fn drift(&self, iterations: usize, x: &[f64], reference: f64) -> f64 {
        self.system.drift(iterations, x.as_chunks().0, reference)
    }

    fn failure(
        &mut self,
        iterations: usize,
        residual: f64,
        hint: &str,
        scratch: [&mut [f64]; 2],
    ) -> SolverError {
        let scratch = scratch.map(|list| list.as_chunks_mut().0);
        self.system.failure(self.matrix, iterations, residual, hint, scratch)
    }
}

impl Krylov for Cg {
    const SYMMETRIC: bool = true;

    fn system(&self) -> &System {
        &self.system
    }

    fn system_mut(&mut self) -> &mut System {
        &mut self.system
    }

    fn resize(&mut self, rows: usize) {
        self.work.resize(3 * rows);
    }

    fn bytes(&self) -> usize {
        self.work.memory()
    }

    fn check(&self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        super::needs_positive_diagonal(matrix)
    }

    fn iterate(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<Report, SolverError> {
        self.system.begin(matrix, b, x)?;
        let Self { system, work } = self;
        let settings = system.settings;
        let mut go = |system: &mut System, max_iterations: usize| {
            let settings = Settings { max_iterations, ..settings };
            let (b, x) = (b.as_flattened(), x.as_flattened_mut());
            run(&mut OfBlocks { system, matrix }, settings, work, b, x)
        };
        let most = settings.max_iterations;
        match system.preconditioner.patience() {
            Some(patience) if patience < most => match go(system, patience) {
                Err(SolverError::NotConverged { iterations, .. }) => {
                    system.preconditioner.renew(matrix)?;
                    let report = go(system, most)?;
                    Ok(Report { iterations: report.iterations + iterations, ..report })
                }
                other => other,
            },
            _ => go(system, most),
        }
    }
}
