//! Where the blocks of the elements lie in the matrix.

use pliant_elements::Element;

use super::Solid;
use super::chunk::{BUFFERED, Chunk};
use super::reduce::Shared;
use pliant_algebra::lanes::LANES;

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

impl<E: Element<N>, const N: usize> Solid<E, N> {
    /// Pairs of nodes whose blocks are stored, in the order of the kernel.
    fn node_pairs(full: bool) -> Vec<(usize, usize)> {
        (0..N).flat_map(|a| (if full { 0 } else { a }..N).map(move |b| (a, b))).collect()
    }

    pub(super) fn add_couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        let symmetric = self.law.has_energy();
        let pairs = Self::node_pairs(!symmetric);
        for chunk in &self.chunks {
            for e in 0..chunk.cells.len() {
                let nodes = chunk.element(e);
                for &(a, b) in &pairs {
                    let (i, j) = (nodes[a], nodes[b]);
                    if symmetric { couple(i.min(j), i.max(j)) } else { couple(i, j) }
                }
            }
        }
    }

    pub(super) fn bind_to(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        // Storage of one triangle has one place for (i, j) and (j, i).
        self.full = self.chunks.iter().find(|c| !c.cells.is_empty()).is_some_and(|chunk| {
            let nodes = chunk.element(0);
            slot(nodes[0], nodes[1]).0 != slot(nodes[1], nodes[0]).0
        });
        let pairs = Self::node_pairs(self.full);
        let mut last = 0;
        for chunk in &mut self.chunks {
            let packs = chunk.packs();
            let mut slots = vec![[0; LANES]; packs * pairs.len()];
            let (mut low, mut high) = (u32::MAX, 0);
            // Those that fill up the last pack are the last element again, without weight.
            for e in 0..packs * LANES {
                let nodes = chunk.element(e);
                for (pair, &(a, b)) in pairs.iter().enumerate() {
                    let (i, j) = (nodes[a], nodes[b]);
                    let place = slot(i, j).0;
                    let row = if self.full { i } else { i.min(j) };
                    if chunk.inside.contains(&(row as usize)) {
                        (low, high) = (low.min(place), high.max(place + 1));
                    }
                    last = last.max(place + 1);
                    slots[e / LANES * pairs.len() + pair][e % LANES] = place;
                }
            }
            chunk.slots = slots;
            chunk.blocks = low.min(high) as usize..high as usize;
            chunk.scratch.reserve(self.law.has_energy());
        }
        self.matrix_blocks = last as usize;
        self.separate_own_blocks();

        let mut entries = Vec::new();
        for (c, chunk) in self.chunks.iter_mut().enumerate() {
            let Chunk { slots, blocks, buffer, .. } = chunk;
            let own = blocks.start as u32..blocks.end as u32;
            let mut buffered: Vec<u32> =
                slots.as_flattened().iter().copied().filter(|s| !own.contains(s)).collect();
            buffered.sort_unstable();
            buffered.dedup();
            for s in slots.as_flattened_mut() {
                *s = match buffered.binary_search(s) {
                    Ok(at) => at as u32 | BUFFERED,
                    Err(_) => *s - own.start,
                };
            }
            *buffer = vec![[0.0; 9]; buffered.len()];
            let place = |(at, s): (usize, u32)| (s, c as u32, at as u32);
            entries.extend(buffered.into_iter().enumerate().map(place));
        }
        self.shared_blocks = Shared::new(entries);
    }

    /// Chunks own ranges of the matrix one after another, as the numbering of the partition has it.
    /// In any other numbering none owns anything, and all blocks are collected: slower, not wrong.
    fn separate_own_blocks(&mut self) {
        let mut end = 0;
        let mut ordered = true;
        for chunk in &mut self.chunks {
            if chunk.blocks.is_empty() {
                chunk.blocks = end..end;
            }
            ordered &= chunk.blocks.start >= end;
            end = chunk.blocks.end;
        }
        for (chunk, start) in self.chunks.iter_mut().zip(&mut self.starts) {
            if !ordered {
                chunk.blocks = 0..0;
            }
            start.1 = chunk.blocks.start;
        }
    }
}
