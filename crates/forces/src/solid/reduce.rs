//! [`Shared`]: sums over what several chunks have for one target, in the order of the chunks.

use std::ops::Range;

use pliant_algebra::sparse::for_each_part;

/// Targets summed by one task.
const PIECE: usize = 512;

/// Which chunks have something for which target, and where in their tables.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Ascending.
    targets: Vec<u32>,
    offsets: Vec<u32>,
    /// (chunk, place in its table), by chunk for each target.
    sources: Vec<(u32, u32)>,
    pieces: Vec<Range<usize>>,
}

impl Shared {
    /// From entries (target, chunk, place).
    pub(super) fn new(mut entries: Vec<(u32, u32, u32)>) -> Self {
        entries.sort_unstable();
        let mut shared = Self::default();
        for (target, chunk, place) in entries {
            if shared.targets.last() != Some(&target) {
                shared.targets.push(target);
                shared.offsets.push(shared.sources.len() as u32);
            }
            shared.sources.push((chunk, place));
        }
        shared.offsets.push(shared.sources.len() as u32);
        let count = shared.targets.len();
        shared.pieces =
            (0..count).step_by(PIECE).map(|start| start..(start + PIECE).min(count)).collect();
        shared
    }

    /// Calls `add(target, chunk, place)` for each entry, targets in parallel.
    pub(super) fn sum<T: Send>(
        &self,
        data: &mut [T],
        add: &(impl Fn(&mut T, usize, usize) + Sync),
    ) {
        let Self { targets, offsets, sources, pieces } = self;
        for_each_part(
            // Items without size: nothing is allocated.
            &mut vec![(); pieces.len()],
            (data, 0),
            &|(data, base): (&mut [T], usize), piece| {
                let at = targets[piece * PIECE] as usize;
                let (low, high) = data.split_at_mut(at - base);
                ((low, base), (high, at))
            },
            &|piece, (), (data, base)| {
                for t in pieces[piece].clone() {
                    let target = &mut data[targets[t] as usize - base];
                    for &(chunk, place) in &sources[offsets[t] as usize..offsets[t + 1] as usize] {
                        add(target, chunk as usize, place as usize);
                    }
                }
            },
        );
    }
}
