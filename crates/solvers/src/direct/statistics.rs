//! [`Statistics`]: what a factorisation costs, known before it is made.

/// What a factorisation costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Non-zero entries of L, the diagonal included.
    pub nonzeros: u64,
    /// Entries that are stored as L: the same and the zeros inside dense panels.
    pub stored: u64,
    /// Floating-point operations of a factorisation, zeros inside panels included: multiplications and
    /// additions counted apart.
    pub flops: f64,
    /// Bytes held, plan and all.
    pub memory: u64,
    /// Dense panels.
    pub supernodes: usize,
    /// Columns of the widest panel.
    pub widest: usize,
    /// Parts of the tree that may be worked on at the same time.
    pub tasks: usize,
}
