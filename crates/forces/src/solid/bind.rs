//! Where the blocks of the elements lie in the matrix.

use std::ops::Range;

use pliant_algebra::lanes::LANES;
use pliant_elements::Element;

use super::Solid;
use super::chunk::Chunk;
use super::reduce::Shared;
use crate::error::ForceError;
use crate::slots::Slots;

/// Marks an index in [`ChunkSlots::slots`] that is one of the chunk's own buffer, not of the matrix.
pub(super) const BUFFERED: u32 = 1 << 31;

/// Slots of all blocks of a solid in one pattern.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) chunks: Vec<ChunkSlots>,
    /// Which chunks have something for a block that no chunk owns.
    pub(super) shared_blocks: Shared,
    /// Whether both triangles are stored.
    pub(super) full: bool,
    /// Blocks that the matrix has.
    pub(super) matrix_blocks: usize,
}

#[derive(Debug)]
pub(super) struct ChunkSlots {
    /// Indices of blocks, relative to `own.start` or [`BUFFERED`]: an entry for each pack and pair.
    pub(super) slots: Vec<[u32; LANES]>,
    /// The part of the matrix that only this chunk writes to.
    pub(super) own: Range<usize>,
    /// Blocks that couple two shared vertices, which the chunk collects in a buffer.
    pub(super) buffered: usize,
}

impl<const N: usize> Chunk<N> {
    /// The vertices of element `e` (in the order of work), in system numbering.
    pub(super) fn element(&self, e: usize) -> [u32; N] {
        std::array::from_fn(|a| {
            let local = self.nodes[e / LANES * N + a][e % LANES] as usize;
            match local.checked_sub(self.inside.len()) {
                None => (self.inside.start + local) as u32,
                Some(at) => self.shared[at],
            }
        })
    }
}

/// Pairs of nodes whose blocks are stored, in the order of the kernel.
fn node_pairs(nodes: usize, full: bool) -> Vec<(usize, usize)> {
    (0..nodes).flat_map(|a| (if full { 0 } else { a }..nodes).map(move |b| (a, b))).collect()
}

impl<E: Element<N>, const N: usize> Solid<E, N> {
    pub(super) fn add_couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        let symmetric = self.law().has_energy();
        let pairs = node_pairs(N, !symmetric);
        for chunk in &self.parts.chunks {
            for e in 0..chunk.cells.len() {
                let nodes = chunk.element(e);
                for &(a, b) in &pairs {
                    let (i, j) = (nodes[a], nodes[b]);
                    if symmetric { couple(i.min(j), i.max(j)) } else { couple(i, j) }
                }
            }
        }
    }

    pub(super) fn look_up(&self, slots: &Slots<'_>) -> Result<Bound, ForceError> {
        slots.check_symmetry(self.law().has_energy())?;
        let full = !slots.one_triangle();
        let pairs = node_pairs(N, full);
        let mut chunks = Vec::with_capacity(self.parts.chunks.len());
        for chunk in &self.parts.chunks {
            let packs = chunk.packs();
            let mut indices = vec![[0; LANES]; packs * pairs.len()];
            let (mut low, mut high) = (u32::MAX, 0);
            // Those that fill up the last pack are the last element again, without weight.
            for e in 0..packs * LANES {
                let nodes = chunk.element(e);
                for (pair, &(a, b)) in pairs.iter().enumerate() {
                    let (i, j) = (nodes[a], nodes[b]);
                    let index = slots.get(i, j)?.index();
                    let row = if full { i } else { i.min(j) };
                    if chunk.inside.contains(&(row as usize)) {
                        (low, high) = (low.min(index), high.max(index + 1));
                    }
                    indices[e / LANES * pairs.len() + pair][e % LANES] = index;
                }
            }
            let own = low.min(high) as usize..high as usize;
            chunks.push(ChunkSlots { slots: indices, own, buffered: 0 });
        }
        own_ranges_or_none(chunks.iter_mut().map(|c| &mut c.own));
        let mut entries = Vec::new();
        for (c, ChunkSlots { slots, own, buffered }) in chunks.iter_mut().enumerate() {
            let own = own.start as u32..own.end as u32;
            let mut shared: Vec<u32> =
                slots.as_flattened().iter().copied().filter(|s| !own.contains(s)).collect();
            shared.sort_unstable();
            shared.dedup();
            for s in slots.as_flattened_mut() {
                *s = match shared.binary_search(s) {
                    Ok(at) => at as u32 | BUFFERED,
                    Err(_) => *s - own.start,
                };
            }
            *buffered = shared.len();
            let entry = |(at, s): (usize, u32)| (s, c as u32, at as u32);
            entries.extend(shared.into_iter().enumerate().map(entry));
        }
        let shared_blocks = Shared::new(entries);
        Ok(Bound { chunks, shared_blocks, full, matrix_blocks: slots.blocks() })
    }
}

/// Chunks own ranges of the matrix one after another, as the numbering of the partition has it in storage by
/// rows. In any other numbering none owns anything, and all blocks are collected: slower, not wrong.
pub(crate) fn own_ranges_or_none<'a>(
    ranges: impl DoubleEndedIterator<Item = &'a mut Range<usize>>,
) {
    let mut ranges: Vec<&mut Range<usize>> = ranges.collect();
    let mut end = 0;
    let mut ordered = true;
    for range in &mut ranges {
        if range.start >= range.end {
            **range = end..end;
        }
        ordered &= range.start >= end;
        end = range.end;
    }
    if !ordered {
        for range in ranges {
            *range = 0..0;
        }
    }
}
