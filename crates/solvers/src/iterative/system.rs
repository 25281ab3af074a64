//! What all Krylov solvers share: settings, checks, the product with A and with M⁻¹.

use std::sync::Arc;

use pliant_algebra::sparse::{BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use super::preconditioner::Preconditioner;
use super::vectors::{copy, dot, first_not_finite, norm, subtract_from};
use crate::sums;
use crate::{Constraints, Layout, Report, SolverError, StopReason};

/// Residuals above this are not excused by rounding, whatever the size of x.
const LARGEST_NOISE: f64 = 1e-8;

/// What ends an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stop {
    /// ‖b − A x‖ ≤ tolerance ‖b‖.
    #[default]
    Residual,
    /// ‖x − x*‖_A ≤ tolerance ‖x*‖_A, estimated (CG only; others take the residual). The error of
    /// `delay` iterations ago is what has been gained since (Hestenes and Stiefel 1952; Strakoš and
    /// Tichý 2002): a longer delay, up to 64, is safer and costs as many iterations.
    EnergyNorm {
        /// Iterations.
        delay: usize,
    },
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Relative to ‖b‖ or ‖x‖_A.
    pub tolerance: f64,
    /// What is compared with it.
    pub stop: Stop,
    /// Iterations after which it is an error.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-8, stop: Stop::Residual, max_iterations: 10_000 }
    }
}

/// Matrix, preconditioner and constraints as the iterations see them.
pub(super) struct System {
    pub name: &'static str,
    pub settings: Settings,
    pub preconditioner: Box<dyn Preconditioner>,
    pub constraints: Option<Constraints>,
    product: Option<Product>,
    rows: usize,
    /// The largest |a_ij|.
    largest: f64,
    factored: bool,
}

impl System {
    pub(super) fn new(
        name: &'static str,
        preconditioner: Box<dyn Preconditioner>,
        settings: Settings,
    ) -> Self {
        Self {
            name,
            settings,
            preconditioner,
            constraints: None,
            product: None,
            rows: 0,
            largest: 0.0,
            factored: false,
        }
    }

    pub(super) fn analyze(
        &mut self,
        pattern: &Arc<Pattern>,
        layout: &Layout<'_>,
    ) -> Result<(), SolverError> {
        self.factored = false;
        self.rows = pattern.rows();
        self.product = Some(Product::new(pattern));
        self.preconditioner.analyze(pattern, layout)
    }

    pub(super) fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.factored = false;
        self.suits(matrix)?;
        self.largest = check_values(matrix)?;
        self.preconditioner.factor(matrix)?;
        self.factored = true;
        Ok(())
    }

    /// Writes the tolerance, which may have been changed between solves, and what the preconditioner keeps.
    pub(super) fn save(&self, to: &mut Sections) {
        to.write("linear solver").text(self.name).number(self.settings.tolerance);
        self.preconditioner.save(to);
    }

    /// Reads what [`System::save`] wrote, and sees to the matrix that was factored.
    pub(super) fn load(
        &mut self,
        from: &Sections,
        matrix: Option<&BlockMatrix>,
    ) -> Result<(), SolverError> {
        let mut section = from.read("linear solver")?;
        let name = section.text()?;
        if name != self.name {
            return Err(section.wrong(format!("it is of {name}, not of {}", self.name)).into());
        }
        self.settings.tolerance = section.number()?;
        section.finish()?;
        self.factored = false;
        self.preconditioner.load(from, matrix)?;
        if let Some(matrix) = matrix {
            self.suits(matrix)?;
            self.largest = check_values(matrix)?;
            self.factored = true;
        }
        Ok(())
    }

    fn suits(&self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        if self.product.is_some() && self.rows == matrix.rows() {
            return Ok(());
        }
        Err(SolverError::Usage(format!(
            "{}: the matrix has {} rows, but the pattern that was analyzed has {}",
            self.name,
            matrix.rows(),
            self.rows
        )))
    }

    /// Looks at everything a solve is given, and imposes what the constraints prescribe on x.
    pub(super) fn begin(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<(), SolverError> {
        self.suits(matrix)?;
        if !self.factored {
            return Err(SolverError::Usage(format!(
                "{}: factor a matrix before solving",
                self.name
            )));
        }
        if b.len() != self.rows || x.len() != self.rows {
            return Err(SolverError::Usage(format!(
                "{}: {} rows, but {} entries in b and {} in x",
                self.name,
                self.rows,
                b.len(),
                x.len()
            )));
        }
        for (what, list) in [("the right-hand side", b), ("the first guess", &*x)] {
            if let Some(vertex) = first_not_finite(list) {
                return Err(SolverError::NotFinite { what, vertex });
            }
        }
        if let Some(constraints) = &self.constraints {
            constraints.check(self.rows)?;
            constraints.impose(x);
        }
        Ok(())
    }

    /// y = A x, filtered.
    pub(super) fn multiply(&mut self, matrix: &BlockMatrix, x: &[Vec3], y: &mut [Vec3]) {
        if let Some(product) = &mut self.product {
            product.apply(&matrix.values, x, y);
        }
        self.filter(y);
    }

    /// r = b − A x, filtered, and its norm.
    pub(super) fn residual(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        x: &[Vec3],
        r: &mut [Vec3],
    ) -> f64 {
        let square = if x.iter().all(|x| *x == [0.0; 3]) {
            copy(r, b);
            dot(b, b)
        } else {
            if let Some(product) = &mut self.product {
                product.apply(&matrix.values, x, r);
            }
            subtract_from(r, b)
        };
        if self.constraints.is_some() {
            self.filter(r);
            return norm(r);
        }
        square.sqrt()
    }

    /// What residuals are compared with: ‖b‖, or with constraints the norm of the right-hand side
    /// that eliminating them leaves. `scratch` is overwritten.
    pub(super) fn reference(
        &mut self,
        matrix: &BlockMatrix,
        b: &[Vec3],
        scratch: [&mut [Vec3]; 2],
    ) -> f64 {
        let [c, r] = scratch;
        let Some(constraints) = &self.constraints else { return norm(b) };
        c.fill([0.0; 3]);
        constraints.impose(c);
        self.residual(matrix, b, c, r)
    }

    /// z = M⁻¹ r, filtered.
    pub(super) fn precondition(&mut self, r: &[Vec3], z: &mut [Vec3]) -> Result<(), SolverError> {
        self.preconditioner.apply(r, z)?;
        self.filter(z);
        Ok(())
    }

    fn filter(&self, r: &mut [Vec3]) {
        if let Some(constraints) = &self.constraints {
            constraints.filter(r);
        }
    }

    /// Sets x to the answer where the right-hand side is zero.
    pub(super) fn zero(&self, x: &mut [Vec3]) -> Report {
        x.fill([0.0; 3]);
        if let Some(constraints) = &self.constraints {
            constraints.impose(x);
        }
        Report { iterations: 0, relative_residual: 0.0, reason: StopReason::ZeroRightHandSide }
    }

    /// Whether a residual that does not fall any more is as small as rounding lets it be.
    pub(super) fn is_rounding(&self, residual: f64, x: &[Vec3], reference: f64) -> bool {
        let noise = 20.0 * f64::EPSILON * self.largest * norm(x) / reference;
        residual <= noise.min(LARGEST_NOISE)
    }

    /// How far the residual that a recurrence carries may be from b − A x, relative to `reference`: each iteration adds the
    /// rounding of a product (Greenbaum 1997), in which some eighty blocks of a row take part.
    pub(super) fn drift(&self, iterations: usize, x: &[Vec3], reference: f64) -> f64 {
        let rounding = 100.0 * f64::EPSILON * self.largest * norm(x) / reference;
        (iterations + 1) as f64 * rounding
    }

    /// Why an iteration has failed. The body may be free, which is worth three products to know.
    pub(super) fn failure(
        &mut self,
        matrix: &BlockMatrix,
        iterations: usize,
        residual: f64,
        hint: &str,
        scratch: [&mut [Vec3]; 2],
    ) -> SolverError {
        let [t, y] = scratch;
        let free = self.constraints.as_ref().is_none_or(Constraints::is_empty)
            && (0..3).all(|c| {
                t.fill(std::array::from_fn(|k| if k == c { 1.0 } else { 0.0 }));
                self.multiply(matrix, t, y);
                norm(y) <= 1e-10 * self.largest * (self.rows as f64).sqrt()
            });
        if free {
            return SolverError::Singular {
                vertex: 0,
                remedy: "six rigid modes are free, the matrix does not resist translation; fix three vertices that are not on a line, or add mass".into(),
            };
        }
        SolverError::NotConverged {
            solver: self.name,
            iterations,
            residual,
            tolerance: self.settings.tolerance,
            hint: hint.into(),
        }
    }
}

/// Fails on values that are not finite and on rows that are zero; the largest magnitude.
fn check_values(matrix: &BlockMatrix) -> Result<f64, SolverError> {
    let pattern = matrix.pattern();
    let largest = sums::magnitude(matrix.values.as_flattened());
    if largest.is_nan() {
        let finite = |i: &usize| {
            matrix.values[pattern.range(*i)].as_flattened().iter().all(|v| v.is_finite())
        };
        let vertex = (0..matrix.rows()).find(|i| !finite(i)).unwrap_or(0);
        return Err(SolverError::NotFinite { what: "a matrix block", vertex });
    }
    if matrix.diagonal().all(|block| block.iter().any(|&v| v != 0.0)) {
        return Ok(largest);
    }
    // Some diagonal blocks are zero, which a saddle point may have. A row must not be.
    let mut empty = vec![true; matrix.rows()];
    for i in 0..matrix.rows() {
        for k in pattern.range(i) {
            if matrix.values[k].iter().any(|&v| v != 0.0) {
                empty[i] = false;
                if pattern.is_symmetric() {
                    empty[pattern.columns()[k] as usize] = false;
                }
            }
        }
    }
    match empty.iter().position(|&e| e) {
        Some(vertex) => Err(SolverError::Singular {
            vertex,
            remedy: "its row is zero, as it belongs to no element and has no mass; remove the vertex or fix it".into(),
        }),
        None => Ok(largest),
    }
}
