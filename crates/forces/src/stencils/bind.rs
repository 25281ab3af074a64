//! Where the blocks of stencils lie in the matrix.

use pliant_algebra::sparse::Block;

use super::{Chunk, Local, Stencils, add_block};

/// A place that the storage does not keep: one triangle has the transposed block instead.
const PASS_OVER: u32 = u32::MAX;
/// Marks a place among the collected blocks. Others count from the start of the chunk's own blocks.
const BUFFERED: u32 = 1 << 31;

impl<S: Send + Sync, const N: usize> Stencils<S, N> {
    /// Names the pairs of vertices as
    /// [`ForceModel::couplings`](crate::ForceModel::couplings) wants.
    pub(crate) fn couplings(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.each(|_, nodes, _| crate::places::couple_all(&nodes, self.symmetric, couple));
    }

    /// Looks up the places of all blocks.
    pub(crate) fn bind(&mut self, slot: &dyn Fn(u32, u32) -> (u32, bool)) {
        self.one_triangle = false;
        let mut last = 0;
        for chunk in &mut self.chunks {
            // Rows of inner vertices are this chunk's alone.
            let (mut low, mut high) = (u32::MAX, 0);
            chunk.places.clear();
            for e in 0..chunk.cells.len() {
                let nodes = chunk.vertices(e);
                let mut places = [[PASS_OVER; N]; N];
                for a in 0..N {
                    for b in 0..N {
                        let (place, transposed) = slot(nodes[a], nodes[b]);
                        if transposed {
                            self.one_triangle = true;
                            continue;
                        }
                        places[a][b] = place;
                        last = last.max(place + 1);
                        if chunk.inside.contains(&(nodes[a] as usize)) {
                            (low, high) = (low.min(place), high.max(place + 1));
                        }
                    }
                }
                chunk.places.push(places);
            }
            chunk.blocks = low.min(high) as usize..high as usize;
        }
        self.matrix_blocks = Some(last as usize);
        self.own_ranges_or_none();
        for (chunk, start) in self.chunks.iter_mut().zip(&mut self.starts) {
            start.1 = chunk.blocks.start;
            chunk.collect_the_rest();
        }
    }

    /// Chunks own ranges of the matrix one after another, as the numbering of the partition has it
    /// in storage by rows. In any other none owns anything, and all blocks are collected: slower,
    /// not wrong.
    fn own_ranges_or_none(&mut self) {
        let mut end = 0;
        let mut ordered = true;
        for chunk in &mut self.chunks {
            if chunk.blocks.is_empty() {
                chunk.blocks = end..end;
            }
            ordered &= chunk.blocks.start >= end;
            end = chunk.blocks.end;
        }
        if !ordered {
            self.chunks.iter_mut().for_each(|chunk| chunk.blocks = 0..0);
        }
    }
}

impl<S, const N: usize> Chunk<S, N> {
    /// Turns places in the matrix into places in the own range or among the collected blocks.
    fn collect_the_rest(&mut self) {
        let own = self.blocks.start as u32..self.blocks.end as u32;
        let places = || self.places.iter().flatten().flatten().copied();
        let mut buffered: Vec<u32> =
            places().filter(|p| *p != PASS_OVER && !own.contains(p)).collect();
        buffered.sort_unstable();
        buffered.dedup();
        for place in self.places.iter_mut().flatten().flatten().filter(|p| **p != PASS_OVER) {
            *place = match buffered.binary_search(place) {
                Ok(at) => at as u32 | BUFFERED,
                Err(_) => *place - own.start,
            };
        }
        self.shared_blocks = vec![[0.0; 9]; buffered.len()];
        self.buffered = buffered;
    }
}

/// Adds the blocks of one element to the chunk's own ones or to those that are collected.
pub(super) fn scatter<const N: usize>(
    places: &[[u32; N]; N],
    symmetric: bool,
    local: &Local<N>,
    own: &mut [Block],
    collected: &mut [Block],
) {
    for a in 0..N {
        for b in 0..N {
            let place = places[a][b];
            if place == PASS_OVER {
                continue;
            }
            let to = if place & BUFFERED == 0 {
                &mut own[place as usize]
            } else {
                &mut collected[(place & !BUFFERED) as usize]
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
