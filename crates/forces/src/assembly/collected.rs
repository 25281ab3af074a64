//! [`Collected`]: what a chunk has for rows that it does not own; [`Table`]: that, and the kernel's own memory.

use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::Vec3;

/// What a chunk has for others, and its energy.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// For shared vertices, in the order of [`Rows::shared`](super::Rows::shared), N.
    pub(crate) gradient: Vec<Vec3>,
    /// For blocks in rows of others, in the order of their [`Target`](super::Target)s.
    pub(crate) blocks: Vec<Block>,
    /// J
    pub(crate) energy: f64,
}

impl Collected {
    /// Clears everything, with room for so many vertices and blocks.
    pub(super) fn clear(&mut self, vertices: usize, blocks: usize) {
        self.gradient.clear();
        self.gradient.resize(vertices, [0.0; 3]);
        self.blocks.clear();
        self.blocks.resize(blocks, [0.0; 9]);
        self.energy = 0.0;
    }
}

/// Memory of one chunk during an evaluation, in the caller's workspace.
#[derive(Debug, Default)]
pub(crate) struct Table<W> {
    pub(crate) collected: Collected,
    pub(crate) data: W,
}
