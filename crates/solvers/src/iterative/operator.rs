//! [`Operator`]: a matrix as what it does to a vector, and conjugate gradients on one ([`OperatorCg`]).

use crate::matrix::{Matrix, MatrixProduct};
use crate::sums;

use super::cg_iteration::{Space, Work, run};
use super::system::Settings;
use crate::{Report, SolverError};

/// A linear map of n numbers to n numbers.
pub trait Operator {
    /// n
    fn size(&self) -> usize;
    /// y = A x
    fn apply(&mut self, x: &[f64], y: &mut [f64]);
}

/// A matrix of any kind with the plan of its product.
pub struct MatrixOperator<'a> {
    /// A
    pub matrix: &'a Matrix,
    /// Planned for the shape of A.
    pub product: &'a mut MatrixProduct,
}

impl Operator for MatrixOperator<'_> {
    fn size(&self) -> usize {
        self.matrix.shape().size()
    }

    fn apply(&mut self, x: &[f64], y: &mut [f64]) {
        self.product.apply(self.matrix, x, y);
    }
}

/// Multiplication by a diagonal: the inverse of that of a matrix is the simplest preconditioner.
#[derive(Debug, Clone, Default)]
pub struct Scaling(pub Vec<f64>);

impl Operator for Scaling {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn apply(&mut self, x: &[f64], y: &mut [f64]) {
        for ((y, x), d) in y.iter_mut().zip(x).zip(&self.0) {
            *y = d * x;
        }
    }
}

/// Conjugate gradients on an operator that is symmetric and positive definite, with a preconditioner that is both too.
///
/// ```
/// use pliant_solvers::iterative::{Operator, OperatorCg, Scaling, Settings};
///
/// /// The second difference with fixed ends.
/// struct Difference(usize);
/// impl Operator for Difference {
///     fn size(&self) -> usize {
///         self.0
///     }
///     fn apply(&mut self, x: &[f64], y: &mut [f64]) {
///         for i in 0..self.0 {
///             let before = if i > 0 { x[i - 1] } else { 0.0 };
///             y[i] = 2.0 * x[i] - before - x.get(i + 1).unwrap_or(&0.0);
///         }
///     }
/// }
/// let (b, mut x) = ([1.0; 9], [0.0; 9]);
/// let mut half = Scaling(vec![0.5; 9]);
/// let mut cg = OperatorCg::new(Settings::default());
/// cg.solve(&mut Difference(9), Some(&mut half), &b, &mut x)?;
/// // u″ = −1: i (10 − i) / 2.
/// assert!((x[4] - 12.5).abs() < 1e-10);
/// # Ok::<(), pliant_solvers::SolverError>(())
/// ```
pub struct OperatorCg {
    /// When iterations stop.
    pub settings: Settings,
    work: Work,
}

impl OperatorCg {
    /// With settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, work: Work::default() }
    }

    /// Solves A x = b from a first guess in x. No allocation after the first solve of a size.
    pub fn solve(
        &mut self,
        a: &mut dyn Operator,
        preconditioner: Option<&mut dyn Operator>,
        b: &[f64],
        x: &mut [f64],
    ) -> Result<Report, SolverError> {
        let n = a.size();
        let other = preconditioner.as_ref().map_or(n, |m| m.size());
        if b.len() != n || x.len() != n || other != n {
            return Err(SolverError::Usage(format!(
                "cg: an operator of {n} numbers, but {} in b, {} in x and {other} in the preconditioner",
                b.len(),
                x.len()
            )));
        }
        for (what, list) in [("the right-hand side", b), ("the first guess", &*x)] {
            if let Some(at) = sums::first_not_finite(list) {
                return Err(SolverError::NotFinite { what, vertex: at / 3 });
            }
        }
        self.work.resize(n);
        let tolerance = self.settings.tolerance;
        let mut space = Plain { a, preconditioner, tolerance };
        run(&mut space, self.settings, &mut self.work, b, x)
    }
}

/// An operator without constraints.
struct Plain<'a, 'b> {
    a: &'a mut dyn Operator,
    preconditioner: Option<&'b mut dyn Operator>,
    tolerance: f64,
}

impl Space for Plain<'_, '_> {
    fn multiply(&mut self, x: &[f64], y: &mut [f64]) {
        self.a.apply(x, y);
    }

    fn residual(&mut self, b: &[f64], x: &[f64], r: &mut [f64]) -> f64 {
        self.a.apply(x, r);
        sums::subtract_from(r, b).sqrt()
    }

    fn reference(&mut self, b: &[f64], _: [&mut [f64]; 2]) -> f64 {
        sums::norm(b)
    }

    fn precondition(&mut self, r: &[f64], z: &mut [f64]) -> Result<(), SolverError> {
        match &mut self.preconditioner {
            Some(m) => m.apply(r, z),
            None => sums::copy(z, r),
        }
        Ok(())
    }

    fn zero(&self, x: &mut [f64]) {
        x.fill(0.0);
    }

    /// The size of A is not known: rounding of a residual is at least that of b.
    fn is_rounding(&self, residual: f64, _: &[f64], _: f64) -> bool {
        residual <= 1e-13
    }

    /// Nor is its rounding: residuals are always computed.
    fn drift(&self, _: usize, _: &[f64], _: f64) -> f64 {
        f64::INFINITY
    }

    fn failure(
        &mut self,
        iterations: usize,
        residual: f64,
        hint: &str,
        _: [&mut [f64]; 2],
    ) -> SolverError {
        SolverError::NotConverged {
            solver: "cg",
            iterations,
            residual,
            tolerance: self.tolerance,
            hint: hint.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::DenseMatrix;

    fn hilbert_like(n: usize) -> Matrix {
        let mut a = DenseMatrix::zero(n, true);
        for i in 0..n {
            for j in 0..n {
                a.row_mut(i)[j] = 1.0 / (1.0 + (i as f64 - j as f64).powi(2))
                    + f64::from(u8::from(i == j)) * (1.0 + i as f64);
            }
        }
        Matrix::Dense(a)
    }

    #[test]
    fn a_dense_matrix_is_solved_and_the_diagonal_saves_iterations() {
        let matrix = hilbert_like(40);
        let exact: Vec<f64> = (0..40).map(|i| (0.3 * f64::from(i)).cos()).collect();
        let mut product = MatrixProduct::new(&matrix.shape());
        let mut b = vec![0.0; 40];
        product.apply(&matrix, &exact, &mut b);
        let mut a = MatrixOperator { matrix: &matrix, product: &mut product };
        let settings = Settings { tolerance: 1e-12, ..Settings::default() };
        let mut cg = OperatorCg::new(settings);
        let Matrix::Dense(dense) = &matrix else { unreachable!() };
        let mut diagonal = Scaling((0..40).map(|i| 1.0 / dense.row(i)[i]).collect());
        let mut counts = Vec::new();
        for with in [false, true] {
            let mut x = vec![0.0; 40];
            let m = with.then_some(&mut diagonal as &mut dyn Operator);
            counts.push(cg.solve(&mut a, m, &b, &mut x).unwrap().iterations);
            let error = x.iter().zip(&exact).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
            assert!(error < 1e-10, "{error:e}");
        }
        assert!(counts[1] < counts[0], "{counts:?}");
    }

    #[test]
    fn lengths_and_indefinite_operators_are_errors() {
        let mut cg = OperatorCg::new(Settings::default());
        let mut negative = Scaling(vec![-1.0; 4]);
        let error = cg.solve(&mut negative, None, &[1.0; 4], &mut [0.0; 4]).unwrap_err();
        assert!(matches!(error, SolverError::Indefinite { .. }), "{error}");
        let error = cg.solve(&mut negative, None, &[1.0; 5], &mut [0.0; 4]).unwrap_err();
        assert!(error.to_string().contains("an operator of 4 numbers, but 5 in b"), "{error}");
    }
}
