//! Small dense symmetric matrices: Cholesky factors of the coarsest level and of diagonal blocks.

/// The factor L of a symmetric positive definite matrix, row after row.
#[derive(Debug, Clone, Default)]
pub(super) struct Dense {
    n: usize,
    factor: Vec<f64>,
}

impl Dense {
    /// Factors the matrix that `entry` fills in (n × n, row after row); the row where it fails.
    pub(super) fn factor(&mut self, n: usize, fill: impl FnOnce(&mut [f64])) -> Result<(), usize> {
        self.n = n;
        self.factor.clear();
        self.factor.resize(n * n, 0.0);
        fill(&mut self.factor);
        let l = &mut self.factor;
        for i in 0..n {
            let (above, row) = l.split_at_mut(i * n);
            let row = &mut row[..n];
            let before = row[i];
            for j in 0..i {
                let other = &above[j * n..][..=j];
                let sum: f64 = row[..j].iter().zip(other).map(|(a, b)| a * b).sum();
                row[j] = (row[j] - sum) / other[j];
            }
            let sum: f64 = row[..i].iter().map(|a| a * a).sum();
            let pivot = before - sum;
            // Rounding of a singular matrix is no pivot.
            if pivot.is_nan() || pivot <= 1e-13 * before {
                return Err(i);
            }
            row[i] = pivot.sqrt();
        }
        Ok(())
    }

    /// x ← A⁻¹ x
    pub(super) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.factor[i * n..];
            let sum: f64 = row[..i].iter().zip(&*x).map(|(a, b)| a * b).sum();
            x[i] = (x[i] - sum) / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.factor[i * n..i * n + n];
            x[i] /= row[i];
            let (before, rest) = x.split_at_mut(i);
            for (b, a) in before.iter_mut().zip(row) {
                *b -= a * rest[0];
            }
        }
    }

    pub(super) fn memory(&self) -> usize {
        8 * self.factor.len()
    }
}

/// The inverse of a symmetric positive definite block; of one that is not, that of its diagonal.
pub(super) fn inverse<const R: usize>(a: &[[f64; R]; R]) -> [[f64; R]; R] {
    let mut l = *a;
    let mut out = [[0.0; R]; R];
    for i in 0..R {
        for j in 0..i {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            l[i][j] = (l[i][j] - sum) / l[j][j];
        }
        let pivot = a[i][i] - (0..i).map(|k| l[i][k] * l[i][k]).sum::<f64>();
        if pivot.is_nan() || pivot <= 1e-12 * a[i][i] {
            for k in 0..R {
                out[k] = [0.0; R];
                out[k][k] = if a[k][k] > 0.0 { 1.0 / a[k][k] } else { 1.0 };
            }
            return out;
        }
        l[i][i] = pivot.sqrt();
    }
    // Columns of L⁻ᵀ L⁻¹.
    for c in 0..R {
        let mut x = [0.0; R];
        x[c] = 1.0;
        for i in 0..R {
            let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        for i in (0..R).rev() {
            let sum: f64 = (i + 1..R).map(|k| l[k][i] * x[k]).sum();
            x[i] = (x[i] - sum) / l[i][i];
        }
        for r in 0..R {
            out[r][c] = x[r];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_factor_and_block_inverse_agree() {
        let a = [[4.0, 1.0, -0.5], [1.0, 3.0, 0.7], [-0.5, 0.7, 2.0]];
        let mut dense = Dense::default();
        dense.factor(3, |l| l.copy_from_slice(a.as_flattened())).unwrap();
        let mut x = [1.0, -2.0, 3.0];
        let b = x;
        dense.solve(&mut x);
        let inverse = inverse(&a);
        for r in 0..3 {
            let product: f64 = (0..3).map(|c| inverse[r][c] * b[c]).sum();
            assert!((product - x[r]).abs() < 1e-14);
        }
        let singular = [1.0, 1.0, 1.0, 1.0];
        assert_eq!(dense.factor(2, |l| l.copy_from_slice(&singular)), Err(1));
    }
}
