//! [`DenseMatrix`]: all entries, row after row.

/// A square dense matrix.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DenseMatrix {
    size: usize,
    symmetric: bool,
    /// Entries, row after row; those of symmetric matrices in both triangles.
    pub values: Vec<f64>,
}

impl DenseMatrix {
    /// The zero matrix of that size.
    pub fn zero(size: usize, symmetric: bool) -> Self {
        Self { size, symmetric, values: vec![0.0; size * size] }
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns true if it is symmetric by construction.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.size..(i + 1) * self.size]
    }

    /// Row i, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.size..(i + 1) * self.size]
    }

    /// y = A x
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        for (y, row) in y.iter_mut().zip(self.values.chunks_exact(self.size.max(1))) {
            *y = crate::sums::dot(row, x);
        }
    }

    /// Makes a matrix that is symmetric but for rounding symmetric to the bit: the mean of both triangles.
    pub fn symmetrise(&mut self) {
        let n = self.size;
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * (self.values[i * n + j] + self.values[j * n + i]);
                (self.values[i * n + j], self.values[j * n + i]) = (mean, mean);
            }
        }
    }
}
