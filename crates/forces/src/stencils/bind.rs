//! Where the blocks of stencils lie in the matrix.

use std::ops::Range;

use pliant_algebra::sparse::Block;

use super::{Chunk, Local, Stencils, add_block};
use crate::error::ForceError;
use crate::slots::Slots;
use crate::solid::own_ranges_or_none;

/// Slots of all stencils in one pattern.
#[derive(Debug)]
pub(super) struct Bound<const N: usize> {
    pub(super) chunks: Vec<ChunkSlots<N>>,
    /// Blocks that the matrix has.
    pub(super) matrix_blocks: usize,
}

#[derive(Debug)]
pub(super) struct ChunkSlots<const N: usize> {
    /// Where block (a, b) of each element goes.
    pub(super) of: Vec<[[Target; N]; N]>,
    /// The part of the matrix that only this chunk writes to.
    pub(super) own: Range<usize>,
    /// Slots of the other blocks, which the chunk collects.
    pub(super) buffered: Vec<u32>,
}

/// Where a block of an element goes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// Among the chunk's own blocks, counted from the first of them.
    Own(u32),
    /// Among those that it collects.
    Collected(u32),
    /// Nowhere: one triangle has the transposed block instead.
    Mirror,
}

impl<S: Send + Sync, const N: usize> Stencils<S, N> {
    /// Names the pairs of vertices as
    /// [`ForceModel::couplings`](crate::ForceModel::couplings) wants.
    pub(crate) fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.each(|_, nodes, _| crate::block_slots::couple_all(&nodes, self.symmetric, couple));
    }

    /// Looks up the slots of all blocks.
    pub(crate) fn bind(&mut self, slots: &Slots<'_>) -> Result<(), ForceError> {
        slots.check_symmetry(self.symmetric)?;
        let mut all = Vec::with_capacity(self.chunks.len());
        for chunk in &self.chunks {
            all.push(chunk.look_up(slots)?);
        }
        own_ranges_or_none(all.iter_mut().map(|(_, own)| own));
        let chunks = all.into_iter().map(|(stored, own)| divide(&stored, own)).collect();
        self.bound = Some(Bound { chunks, matrix_blocks: slots.blocks() });
        Ok(())
    }
}

type Stored<const N: usize> = Vec<[[Option<u32>; N]; N]>;

impl<S: Sync, const N: usize> Chunk<S, N> {
    /// Slots of all elements that the storage keeps, and the range of those in the rows of inner vertices,
    /// which are this chunk's alone.
    fn look_up(&self, slots: &Slots<'_>) -> Result<(Stored<N>, Range<usize>), ForceError> {
        let (mut low, mut high) = (u32::MAX, 0);
        let mut all = Vec::with_capacity(self.cells.len());
        for e in 0..self.cells.len() {
            let nodes = self.vertices(e);
            let mut stored = [[None; N]; N];
            for a in 0..N {
                for b in 0..N {
                    stored[a][b] = slots.get(nodes[a], nodes[b])?.stored();
                    if let Some(at) = stored[a][b]
                        && self.inside.contains(&(nodes[a] as usize))
                    {
                        (low, high) = (low.min(at), high.max(at + 1));
                    }
                }
            }
            all.push(stored);
        }
        Ok((all, low.min(high) as usize..high as usize))
    }
}

/// Tells slots in the own range from those that are collected.
fn divide<const N: usize>(stored: &Stored<N>, own: Range<usize>) -> ChunkSlots<N> {
    let mine = |slot: u32| own.contains(&(slot as usize));
    let mut buffered: Vec<u32> =
        stored.iter().flatten().flatten().flatten().copied().filter(|&s| !mine(s)).collect();
    buffered.sort_unstable();
    buffered.dedup();
    let target = |slot: Option<u32>| match slot {
        None => Target::Mirror,
        Some(slot) => match buffered.binary_search(&slot) {
            Ok(at) => Target::Collected(at as u32),
            Err(_) => Target::Own(slot - own.start as u32),
        },
    };
    let of = stored.iter().map(|element| element.map(|row| row.map(target))).collect();
    ChunkSlots { of, own, buffered }
}

/// Adds the blocks of one element to the chunk's own ones or to those that are collected.
pub(super) fn scatter<const N: usize>(
    targets: &[[Target; N]; N],
    symmetric: bool,
    local: &Local<N>,
    own: &mut [Block],
    collected: &mut [Block],
) {
    for a in 0..N {
        for b in 0..N {
            let to = match targets[a][b] {
                Target::Own(at) => &mut own[at as usize],
                Target::Collected(at) => &mut collected[at as usize],
                Target::Mirror => continue,
            };
            if symmetric && a > b {
                let k = &local.blocks[b][a];
                add_block(to, &[k[0], k[3], k[6], k[1], k[4], k[7], k[2], k[5], k[8]]);
            } else {
                add_block(to, &local.blocks[a][b]);
            }
        }
    }
}
