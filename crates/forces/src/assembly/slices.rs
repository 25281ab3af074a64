//! [`Slices`]: gradient and matrix, cut apart between those who write to them.

use std::ops::Range;

use pliant_algebra::sparse::Block;
use pliant_algebra::vec3::Vec3;

/// Parts of gradient and matrix, and where the parts start. What was not asked for is empty.
pub(crate) struct Slices<'a> {
    gradient: &'a mut [Vec3],
    vertex: usize,
    blocks: &'a mut [Block],
    block: usize,
}

impl<'a> Slices<'a> {
    /// All of both.
    pub(crate) fn new(gradient: &'a mut [Vec3], blocks: &'a mut [Block]) -> Self {
        Self { gradient, vertex: 0, blocks, block: 0 }
    }

    /// What lies before a vertex and a block, and what from there on.
    pub(crate) fn split(self, (vertex, block): (usize, usize)) -> (Self, Self) {
        let at = (vertex - self.vertex).min(self.gradient.len());
        let (low_gradient, gradient) = self.gradient.split_at_mut(at);
        let at = (block - self.block).min(self.blocks.len());
        let (low_blocks, blocks) = self.blocks.split_at_mut(at);
        let low = Self {
            gradient: low_gradient,
            vertex: self.vertex,
            blocks: low_blocks,
            block: self.block,
        };
        (low, Self { gradient, vertex, blocks, block })
    }

    /// The entries of some vertices and some blocks; nothing of what is empty.
    pub(crate) fn part(
        self,
        vertices: &Range<usize>,
        blocks: &Range<usize>,
    ) -> (&'a mut [Vec3], &'a mut [Block]) {
        (part(self.gradient, vertices, self.vertex), part(self.blocks, blocks, self.block))
    }
}

fn part<'a, T>(slice: &'a mut [T], range: &Range<usize>, first: usize) -> &'a mut [T] {
    if slice.is_empty() { slice } else { &mut slice[range.start - first..range.end - first] }
}
