//! [`DenseFactor`]: L Lᵀ of small dense matrices that are positive definite, L U with row exchanges of all others.

use crate::matrix::DenseMatrix;

use crate::SolverError;

/// A pivot below this part of the largest entry is zero.
const SINGULAR: f64 = 1e-14;

/// A factor in the memory of the one before it.
#[derive(Debug, Clone, Default)]
pub(super) struct DenseFactor {
    size: usize,
    /// L and Lᵀ, or L (with a unit diagonal) and U, row after row.
    values: Vec<f64>,
    /// Row exchanges of L U; empty for L Lᵀ.
    exchanges: Vec<usize>,
}

impl DenseFactor {
    /// Factors a matrix. A symmetric one that is not positive definite is an error if `definite`, and else taken apart
    /// as an unsymmetric one.
    pub(super) fn factor(
        &mut self,
        matrix: &DenseMatrix,
        definite: bool,
    ) -> Result<(), SolverError> {
        let n = matrix.size();
        if let Some(at) = crate::sums::first_not_finite(&matrix.values) {
            let row = at / n;
            return Err(SolverError::NotFinite { what: "a matrix row", vertex: row / 3 });
        }
        self.size = n;
        self.load(matrix);
        if matrix.is_symmetric() {
            match self.cholesky() {
                Ok(()) => return Ok(()),
                Err(error) if definite => return Err(error),
                Err(_) => self.load(matrix),
            }
        }
        self.lu()
    }

    fn load(&mut self, matrix: &DenseMatrix) {
        self.values.clear();
        self.values.extend_from_slice(&matrix.values);
        self.exchanges.clear();
    }

    /// A = L Lᵀ, row by row.
    fn cholesky(&mut self) -> Result<(), SolverError> {
        let n = self.size;
        for i in 0..n {
            let (above, row) = self.values.split_at_mut(i * n);
            let row = &mut row[..n];
            for j in 0..i {
                let other = &above[j * n..j * n + j];
                let sum: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
                row[j] = (row[j] - sum) / above[j * n + j];
            }
            let square: f64 = row[..i].iter().map(|l| l * l).sum();
            let (diagonal, pivot) = (row[i], row[i] - square);
            if pivot.is_nan() || pivot <= SINGULAR * diagonal.abs() {
                return Err(SolverError::NotPositiveDefinite { vertex: i / 3, axis: i % 3, pivot });
            }
            row[i] = pivot.sqrt();
        }
        Ok(())
    }

    /// P A = L U with the largest pivot of each column.
    fn lu(&mut self) -> Result<(), SolverError> {
        let n = self.size;
        let largest = crate::sums::largest(&self.values);
        for k in 0..n {
            let at = |i: &usize| self.values[i * n + k].abs();
            // The first of equals, so that the choice does not depend on anything else.
            let pivot = (k..n).fold(k, |best, i| if at(&i) > at(&best) { i } else { best });
            if at(&pivot) <= SINGULAR * largest {
                return Err(SolverError::Singular {
                    vertex: k / 3,
                    remedy: format!(
                        "unknown {k} of {n} of a dense matrix has no pivot: fix the body, or take fewer modes"
                    ),
                });
            }
            self.exchanges.push(pivot);
            if pivot != k {
                for j in 0..n {
                    self.values.swap(k * n + j, pivot * n + j);
                }
            }
            let (above, below) = self.values.split_at_mut((k + 1) * n);
            let row = &above[k * n..];
            for other in below.chunks_exact_mut(n) {
                let factor = other[k] / row[k];
                other[k] = factor;
                for j in k + 1..n {
                    other[j] -= factor * row[j];
                }
            }
        }
        Ok(())
    }

    /// Solves in place: b becomes x.
    pub(super) fn solve(&self, x: &mut [f64]) {
        let (n, a) = (self.size, &self.values);
        let triangular = self.exchanges.is_empty();
        for (k, &other) in self.exchanges.iter().enumerate() {
            x.swap(k, other);
        }
        for i in 0..n {
            let sum: f64 = a[i * n..i * n + i].iter().zip(&*x).map(|(l, x)| l * x).sum();
            x[i] -= sum;
            if triangular {
                x[i] /= a[i * n + i];
            }
        }
        for i in (0..n).rev() {
            let sum: f64 = if triangular {
                (i + 1..n).map(|j| a[j * n + i] * x[j]).sum()
            } else {
                a[i * n + i + 1..(i + 1) * n].iter().zip(&x[i + 1..]).map(|(u, x)| u * x).sum()
            };
            x[i] = (x[i] - sum) / a[i * n + i];
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        8 * (self.values.len() + self.exchanges.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(n: usize, symmetric: bool, shift: f64) -> DenseMatrix {
        let mut a = DenseMatrix::zero(n, symmetric);
        for i in 0..n {
            for j in 0..n {
                let (low, high) = if symmetric { (i.min(j), i.max(j)) } else { (i, j) };
                a.row_mut(i)[j] = ((low * low + 7 * high + 3 * low * high) as f64).sin();
            }
            a.row_mut(i)[i] += shift;
        }
        a
    }

    #[test]
    fn definite_indefinite_and_unsymmetric_matrices_are_solved() {
        for (symmetric, shift) in [(true, 20.0), (true, 0.0), (false, 0.0)] {
            let a = matrix(17, symmetric, shift);
            let exact: Vec<f64> = (0..17).map(|i| (0.7 * f64::from(i)).cos()).collect();
            let mut x = vec![0.0; 17];
            a.multiply(&exact, &mut x);
            let mut factor = DenseFactor::default();
            factor.factor(&a, false).unwrap();
            assert_eq!(factor.exchanges.is_empty(), shift > 0.0);
            factor.solve(&mut x);
            let error = x.iter().zip(&exact).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
            assert!(error < 1e-10, "{symmetric} {shift}: {error:e}");
        }
    }

    #[test]
    fn what_is_not_definite_or_singular_is_told() {
        let mut factor = DenseFactor::default();
        let error = factor.factor(&matrix(5, true, 0.0), true).unwrap_err();
        assert!(matches!(error, SolverError::NotPositiveDefinite { .. }), "{error}");
        let error = factor.factor(&DenseMatrix::zero(4, false), false).unwrap_err();
        assert!(error.to_string().contains("unknown 0 of 4"), "{error}");
        let mut bad = matrix(4, false, 1.0);
        bad.row_mut(3)[1] = f64::NAN;
        let error = factor.factor(&bad, false).unwrap_err();
        assert!(matches!(error, SolverError::NotFinite { vertex: 1, .. }), "{error}");
    }
}
