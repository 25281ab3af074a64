//! [`Matrix`]: the matrices that problems in plain numbers have, and [`Shape`], what is known of one before its values.

mod bordered;
mod dense;

pub use bordered::Bordered;
pub use dense::DenseMatrix;

use std::sync::Arc;

use pliant_algebra::sparse::{Block, BlockMatrix, Pattern, Product};

/// Size and sparsity of a matrix.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Sparse 3×3 blocks.
    Blocks(Arc<Pattern>),
    /// All entries.
    Dense {
        /// Number of rows.
        size: usize,
        /// Whether it is symmetric.
        symmetric: bool,
    },
    /// Sparse symmetric blocks with dense rows and columns around them.
    Bordered {
        /// Of the blocks.
        pattern: Arc<Pattern>,
        /// Number of dense rows.
        border: usize,
    },
}

impl Shape {
    /// Number of rows, of single numbers.
    pub fn size(&self) -> usize {
        match self {
            Self::Blocks(pattern) => 3 * pattern.rows(),
            Self::Dense { size, .. } => *size,
            Self::Bordered { pattern, border } => 3 * pattern.rows() + border,
        }
    }

    /// Returns true if matrices of this shape are symmetric.
    pub fn is_symmetric(&self) -> bool {
        match self {
            Self::Blocks(pattern) => pattern.is_symmetric(),
            Self::Dense { symmetric, .. } => *symmetric,
            Self::Bordered { .. } => true,
        }
    }

    /// Returns true if both are the same to the pattern itself, so that what was set up for one serves the other.
    /// Equal patterns in different places count as different: comparing them would cost as much as a product.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Blocks(a), Self::Blocks(b)) => Arc::ptr_eq(a, b),
            (Self::Dense { size: a, symmetric: s }, Self::Dense { size: b, symmetric: t }) => {
                a == b && s == t
            }
            (
                Self::Bordered { pattern: a, border: m },
                Self::Bordered { pattern: b, border: n },
            ) => Arc::ptr_eq(a, b) && m == n,
            _ => false,
        }
    }

    /// The name of its kind, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Blocks(_) => "a matrix of blocks",
            Self::Dense { .. } => "a dense matrix",
            Self::Bordered { .. } => "a bordered matrix",
        }
    }
}

/// A matrix of one of three kinds. Plain data: solvers look at the kind once a call.
#[derive(Debug, Clone)]
pub enum Matrix {
    /// Sparse 3×3 blocks, one for each pair of vertices that are coupled.
    Blocks(BlockMatrix),
    /// All entries.
    Dense(DenseMatrix),
    /// Sparse symmetric blocks with dense rows and columns around them.
    Bordered(Bordered),
}

impl Matrix {
    /// The zero matrix of a shape.
    pub fn zero(shape: &Shape) -> Self {
        match shape {
            Shape::Blocks(pattern) => Self::Blocks(BlockMatrix::zero(pattern.clone())),
            Shape::Dense { size, symmetric } => Self::Dense(DenseMatrix::zero(*size, *symmetric)),
            Shape::Bordered { pattern, border } => Self::Bordered(Bordered {
                blocks: BlockMatrix::zero(pattern.clone()),
                border: vec![0.0; border * 3 * pattern.rows()],
                corner: DenseMatrix::zero(*border, true),
            }),
        }
    }

    /// Its shape.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Blocks(a) => Shape::Blocks(a.pattern().clone()),
            Self::Dense(a) => Shape::Dense { size: a.size(), symmetric: a.is_symmetric() },
            Self::Bordered(a) => {
                Shape::Bordered { pattern: a.blocks.pattern().clone(), border: a.corner.size() }
            }
        }
    }

    /// The matrix of blocks, if it is one.
    pub fn blocks(&self) -> Option<&BlockMatrix> {
        match self {
            Self::Blocks(a) => Some(a),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> Option<&mut BlockMatrix> {
        match self {
            Self::Blocks(a) => Some(a),
            _ => None,
        }
    }

    /// Sets all values to zero.
    pub fn clear(&mut self) {
        for list in self.values_mut() {
            list.fill(0.0);
        }
    }

    /// All stored values, in up to three lists: of the blocks, of the border, of what is dense.
    pub fn values(&self) -> [&[f64]; 3] {
        match self {
            Self::Blocks(a) => [a.values.as_flattened(), &[], &[]],
            Self::Dense(a) => [&[], &[], &a.values],
            Self::Bordered(a) => [a.blocks.values.as_flattened(), &a.border, &a.corner.values],
        }
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> [&mut [f64]; 3] {
        match self {
            Self::Blocks(a) => [a.values.as_flattened_mut(), &mut [], &mut []],
            Self::Dense(a) => [&mut [], &mut [], &mut a.values],
            Self::Bordered(a) => {
                [a.blocks.values.as_flattened_mut(), &mut a.border, &mut a.corner.values]
            }
        }
    }

    /// A ← A + part (B − A), for B of the same shape.
    pub fn blend(&mut self, other: &Self, part: f64) {
        for (to, from) in self.values_mut().into_iter().zip(other.values()) {
            for (to, from) in to.iter_mut().zip(from) {
                *to += part * (from - *to);
            }
        }
    }

    /// Diagonal blocks of what is sparse and diagonal entries of what is dense, which [`Matrix::regularise`] changes.
    pub fn save_diagonal(&self, to: &mut Diagonal) {
        to.blocks.clear();
        to.entries.clear();
        if let Self::Blocks(a) | Self::Bordered(Bordered { blocks: a, .. }) = self {
            to.blocks.extend(a.diagonal());
        }
        if let Self::Dense(a) | Self::Bordered(Bordered { corner: a, .. }) = self {
            to.entries.extend((0..a.size()).map(|i| a.row(i)[i]));
        }
    }

    /// Puts a diagonal back that was saved, and forgets it.
    pub fn restore_diagonal(&mut self, from: &mut Diagonal) {
        if let Self::Blocks(a) | Self::Bordered(Bordered { blocks: a, .. }) = self {
            for (i, block) in from.blocks.drain(..).enumerate() {
                if let Some(slot) = a.pattern().slot(i as u32, i as u32) {
                    a.values[slot.index() as usize] = block;
                }
            }
        }
        if let Self::Dense(a) | Self::Bordered(Bordered { corner: a, .. }) = self {
            for (i, value) in from.entries.drain(..).enumerate() {
                a.row_mut(i)[i] = value;
            }
        }
    }

    /// Raises the diagonal of each vertex by `part` of its mean, and each entry of a dense one by `part` of itself
    /// (Levenberg 1944, Marquardt 1963).
    pub fn regularise(&mut self, part: f64) {
        if let Self::Blocks(a) | Self::Bordered(Bordered { blocks: a, .. }) = self {
            for i in 0..a.rows() as u32 {
                let Some(slot) = a.pattern().slot(i, i) else { continue };
                let block = &mut a.values[slot.index() as usize];
                let mean = part * (block[0].abs() + block[4].abs() + block[8].abs()) / 3.0;
                for k in [0, 4, 8] {
                    block[k] += mean;
                }
            }
        }
        if let Self::Dense(a) | Self::Bordered(Bordered { corner: a, .. }) = self {
            for i in 0..a.size() {
                let value = &mut a.row_mut(i)[i];
                *value += part * value.abs();
            }
        }
    }
}

impl From<BlockMatrix> for Matrix {
    fn from(blocks: BlockMatrix) -> Self {
        Self::Blocks(blocks)
    }
}

/// A diagonal that was saved before it was changed.
#[derive(Debug, Clone, Default)]
pub struct Diagonal {
    blocks: Vec<Block>,
    entries: Vec<f64>,
}

impl Diagonal {
    /// Returns true if nothing is saved.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.entries.is_empty()
    }

    /// Forgets what is saved.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.entries.clear();
    }
}

/// The plan of multiplication with matrices of one shape, and the memory it needs.
#[derive(Debug, Clone)]
pub struct MatrixProduct {
    blocks: Option<Product>,
}

impl MatrixProduct {
    /// Plans for matrices of that shape.
    pub fn new(shape: &Shape) -> Self {
        let blocks = match shape {
            Shape::Blocks(pattern) | Shape::Bordered { pattern, .. } => Some(Product::new(pattern)),
            Shape::Dense { .. } => None,
        };
        Self { blocks }
    }

    /// y = A x
    ///
    /// # Panics
    /// Where a length, or the shape of the matrix, is not what was planned for.
    pub fn apply(&mut self, matrix: &Matrix, x: &[f64], y: &mut [f64]) {
        match (matrix, &mut self.blocks) {
            (Matrix::Blocks(a), Some(product)) => {
                product.apply(&a.values, x.as_chunks().0, y.as_chunks_mut().0);
            }
            (Matrix::Dense(a), None) => a.multiply(x, y),
            (Matrix::Bordered(a), Some(product)) => {
                let (x, z) = x.split_at(a.inner());
                let (high, low) = y.split_at_mut(a.inner());
                product.apply(&a.blocks.values, x.as_chunks().0, high.as_chunks_mut().0);
                a.corner.multiply(z, low);
                a.add_border((x, z), (high, low));
            }
            _ => panic!("the product was planned for another kind of matrix"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[A, Cᵀ], [C, E]] with two vertices and two dense rows.
    fn bordered() -> Matrix {
        let pattern = Arc::new(Pattern::symmetric(2, |couple| couple(0, 1)).unwrap());
        let mut matrix = Matrix::zero(&Shape::Bordered { pattern, border: 2 });
        let Matrix::Bordered(a) = &mut matrix else { unreachable!() };
        let value = |k: usize| (k as f64 * 0.7).sin();
        assert!(a.blocks.add(0, 0, &[4.0, 0.1, 0.2, 0.1, 5.0, 0.3, 0.2, 0.3, 6.0]));
        assert!(a.blocks.add(1, 1, &[3.0, 0.0, 0.1, 0.0, 4.0, 0.2, 0.1, 0.2, 5.0]));
        assert!(a.blocks.add(0, 1, &std::array::from_fn(|k| 0.2 * value(k))));
        for (k, c) in a.border.iter_mut().enumerate() {
            *c = value(k + 9);
        }
        a.corner.values.copy_from_slice(&[2.0, 0.5, 0.5, -1.0]);
        matrix
    }

    #[test]
    fn a_bordered_product_is_that_of_its_four_parts() {
        let matrix = bordered();
        let Matrix::Bordered(a) = &matrix else { unreachable!() };
        let (n, inner) = (matrix.shape().size(), a.blocks.to_dense());
        let entry = |i: usize, j: usize| match (i < 6, j < 6) {
            (true, true) => inner[i * 6 + j],
            (false, true) => a.row(i - 6)[j],
            (true, false) => a.row(j - 6)[i],
            (false, false) => a.corner.row(i - 6)[j - 6],
        };
        let x: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
        let mut y = vec![f64::NAN; n];
        MatrixProduct::new(&matrix.shape()).apply(&matrix, &x, &mut y);
        for (i, y) in y.iter().enumerate() {
            let exact: f64 = (0..n).map(|j| entry(i, j) * x[j]).sum();
            assert!((y - exact).abs() < 1e-13, "{i}: {y} {exact}");
        }
    }

    #[test]
    fn a_regularised_diagonal_is_put_back_to_the_bit() {
        let before = bordered();
        let (mut matrix, mut diagonal) = (before.clone(), Diagonal::default());
        matrix.save_diagonal(&mut diagonal);
        matrix.regularise(0.5);
        assert_ne!(matrix.values(), before.values());
        matrix.restore_diagonal(&mut diagonal);
        assert!(diagonal.is_empty());
        assert_eq!(matrix.values(), before.values());
        let mut other = before.clone();
        other.clear();
        matrix.blend(&other, 0.25);
        assert_eq!(matrix.values()[2], [1.5, 0.375, 0.375, -0.75]);
        assert!(matrix.shape().same(&before.shape()) && matrix.shape().is_symmetric());
    }
}
