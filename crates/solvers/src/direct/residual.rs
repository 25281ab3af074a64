//! What every direct solver does around its factor: checks of what comes in, the residual, and one step
//! of refinement where it pays.

use std::sync::Arc;

use pliant_algebra::sparse::{Block, BlockMatrix, Pattern, Product};
use pliant_algebra::vec3::{self, Vec3};

use super::diagnosis;
use crate::{Report, SolverError, StopReason};

/// A refinement that leaves more of the residual than this is the last.
const GAIN: f64 = 0.5;
/// A solution whose residual is above this part of ‖A‖ ‖x‖ + ‖b‖ is none.
const WRONG: f64 = 1e-8;
/// The same where solutions are refined until they are as good as was asked for.
const ROUNDING: f64 = 1e-15;

/// A factor whose solutions are further off than this part of them is not one.
const TRUSTED: f64 = 1e-3;

/// Solves several systems with the factor at hand: right-hand sides, solutions.
pub(super) type Solve<'a> = &'a mut dyn FnMut(&[&[Vec3]], &mut [&mut [Vec3]]);

/// Memory for residuals of matrices of one pattern.
#[derive(Debug, Clone)]
pub(super) struct Residual {
    pattern: Arc<Pattern>,
    product: Product,
    rest: Vec<Vec3>,
    correction: Vec<Vec3>,
    best: Vec<Vec3>,
    norm: f64,
    /// Residuals above this part of the right-hand side are refined, so many times at most.
    pub(super) refined: f64,
    refinements: usize,
}

impl Residual {
    pub(super) fn new(pattern: &Arc<Pattern>, refined: f64, refinements: usize) -> Self {
        let zero = vec![[0.0; 3]; pattern.rows()];
        Self {
            pattern: Arc::clone(pattern),
            product: Product::new(pattern),
            rest: zero.clone(),
            correction: zero.clone(),
            best: zero,
            norm: 0.0,
            refined,
            refinements,
        }
    }

    /// The same with another way to refine.
    pub(super) fn refining(&self, refined: f64, refinements: usize) -> Self {
        Self { refined, refinements, ..self.clone() }
    }

    /// Whether the matrix has the pattern that was analyzed, finite values and, where it should, symmetric
    /// diagonal blocks.
    pub(super) fn check_matrix(&mut self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        self.check_pattern(matrix)?;
        let symmetric = self.pattern.is_symmetric();
        self.norm = 0.0;
        for i in 0..matrix.rows() {
            for (&j, block) in self.pattern.row(i).iter().zip(&matrix.values[self.pattern.range(i)])
            {
                let size = block.iter().fold(0.0, |sum: f64, b| sum + b.abs());
                if !size.is_finite() {
                    return Err(SolverError::NotFinite { what: "a matrix block", vertex: i });
                }
                if symmetric && j as usize == i && asymmetry(block) > 1e-8 * size {
                    return Err(SolverError::Usage(format!(
                        "the diagonal block of vertex {i} is not symmetric: {block:?}; take lu, bicgstab or gmres with an unsymmetric pattern"
                    )));
                }
                self.norm = self.norm.max(size);
            }
        }
        Ok(())
    }

    fn check_pattern(&self, matrix: &BlockMatrix) -> Result<(), SolverError> {
        if Arc::ptr_eq(&self.pattern, matrix.pattern()) || *self.pattern == **matrix.pattern() {
            Ok(())
        } else {
            Err(SolverError::Usage(
                "the matrix does not have the pattern that was analyzed; analyze its own first"
                    .into(),
            ))
        }
    }

    /// Solves with the factor, checks the residual and refines where it is worth it.
    pub(super) fn solve(
        &mut self,
        matrix: &BlockMatrix,
        b: &[&[Vec3]],
        x: &mut [&mut [Vec3]],
        solve: Solve<'_>,
        report: &mut dyn FnMut(Report),
    ) -> Result<(), SolverError> {
        self.check_pattern(matrix)?;
        let n = self.pattern.rows();
        if b.len() != x.len() {
            return Err(SolverError::Usage(format!(
                "{} right-hand sides for {} solutions",
                b.len(),
                x.len()
            )));
        }
        for (b, x) in b.iter().zip(x.iter()) {
            if b.len() != n || x.len() != n {
                return Err(SolverError::Usage(format!(
                    "right-hand side of {} and solution of {} vertices for a matrix of {n}",
                    b.len(),
                    x.len()
                )));
            }
            if let Some(vertex) = b.iter().position(|&b| !vec3::is_finite(b)) {
                return Err(SolverError::NotFinite { what: "the right-hand side", vertex });
            }
        }
        solve(b, x);
        for (b, x) in b.iter().zip(x) {
            let size = norm(b);
            if size == 0.0 {
                x.fill([0.0; 3]);
                report(Report {
                    iterations: 0,
                    relative_residual: 0.0,
                    reason: StopReason::ZeroRightHandSide,
                });
                continue;
            }
            let mut error = self.residual_of(matrix, b, x);
            let mut steps = 0;
            while error > self.refined * size && steps < self.refinements {
                self.best.copy_from_slice(x);
                solve(&[&self.rest], &mut [&mut self.correction]);
                for (x, d) in x.iter_mut().zip(&self.correction) {
                    *x = vec3::add(*x, *d);
                }
                let refined = self.residual_of(matrix, b, x);
                if refined >= error {
                    x.copy_from_slice(&self.best);
                    break;
                }
                let gain = refined / error;
                (error, steps) = (refined, steps + 1);
                if gain > GAIN {
                    break;
                }
            }
            // Turned round so that a residual that is not a number fails.
            let rounding = if self.refinements > 1 { ROUNDING } else { WRONG };
            let right = error <= (rounding * (self.norm * norm(x) + size)).max(self.refined * size);
            if !right {
                let found =
                    format!("the relative residual stays at {:.1e} after refinement", error / size);
                return Err(diagnosis::singular(matrix, None, largest(x), &found));
            }
            report(Report {
                iterations: steps,
                relative_residual: error / size,
                reason: StopReason::Direct,
            });
        }
        Ok(())
    }

    /// Solves A x = A e for a known e. Where x is far from it, the matrix is singular to working
    /// precision, or the factorisation has failed without a word.
    pub(super) fn try_out(
        &mut self,
        matrix: &BlockMatrix,
        positions: Option<&[Vec3]>,
        solve: Solve<'_>,
    ) -> Result<(), SolverError> {
        // All signs and sizes in turn, so that it is near no rigid motion and no smooth mode.
        for (k, e) in self.best.iter_mut().enumerate() {
            let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
            *e = [sign, 0.5 + 0.25 * (k % 3) as f64, -0.75 + 0.5 * (k % 5) as f64];
        }
        self.product.apply(&matrix.values, &self.best, &mut self.rest);
        solve(&[&self.rest], &mut [&mut self.correction]);
        for (x, e) in self.correction.iter_mut().zip(&self.best) {
            *x = vec3::sub(*x, *e);
        }
        let error = norm(&self.correction) / norm(&self.best);
        if error <= TRUSTED {
            return Ok(());
        }
        let vertex = largest(&self.correction);
        let found = format!("a known solution comes back with an error of {error:.1e}");
        Err(diagnosis::singular(matrix, positions, vertex, &found))
    }

    /// ‖b − A x‖, and the vector itself in `self.rest`.
    fn residual_of(&mut self, matrix: &BlockMatrix, b: &[Vec3], x: &[Vec3]) -> f64 {
        self.product.apply(&matrix.values, x, &mut self.rest);
        for (r, b) in self.rest.iter_mut().zip(b) {
            *r = vec3::sub(*b, *r);
        }
        norm(&self.rest)
    }
}

/// The vertex with the longest vector, or the first whose vector is not finite.
fn largest(x: &[Vec3]) -> usize {
    let size = |v: Vec3| if vec3::is_finite(v) { vec3::norm_squared(v) } else { f64::INFINITY };
    let mut best = 0;
    for k in 1..x.len() {
        if size(x[k]) > size(x[best]) {
            best = k;
        }
    }
    best
}

fn asymmetry(b: &Block) -> f64 {
    (b[1] - b[3]).abs().max((b[2] - b[6]).abs()).max((b[5] - b[7]).abs())
}

fn norm(x: &[Vec3]) -> f64 {
    x.iter().map(|&v| vec3::norm_squared(v)).sum::<f64>().sqrt()
}
