//! [`Reduction`]: sums over what several chunks have for one target, in the order of the chunks.

use std::ops::Range;

use pliant_algebra::sparse::for_each_part;

/// Targets summed by one task.
const PIECE: usize = 512;

/// Which chunks have something for which target, and where among what they collect.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reduction {
    /// Ascending.
    targets: Vec<u32>,
    offsets: Vec<u32>,
    /// (chunk, number among what it collects), by chunk for each target.
    sources: Vec<(u32, u32)>,
    pieces: Vec<Range<usize>>,
}

impl Reduction {
    /// From entries (target, chunk, number).
    pub(super) fn new(mut entries: Vec<(u32, u32, u32)>) -> Self {
        entries.sort_unstable();
        let mut all = Self::default();
        for (target, chunk, at) in entries {
            if all.targets.last() != Some(&target) {
                all.targets.push(target);
                all.offsets.push(all.sources.len() as u32);
            }
            all.sources.push((chunk, at));
        }
        all.offsets.push(all.sources.len() as u32);
        let count = all.targets.len();
        all.pieces =
            (0..count).step_by(PIECE).map(|start| start..(start + PIECE).min(count)).collect();
        all
    }

    /// Calls `add(target, chunk, number)` for each entry, targets in parallel.
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
                let first = targets[piece * PIECE] as usize;
                let (low, high) = data.split_at_mut(first - base);
                ((low, base), (high, first))
            },
            &|piece, (), (data, base)| {
                for t in pieces[piece].clone() {
                    let target = &mut data[targets[t] as usize - base];
                    for &(chunk, at) in &sources[offsets[t] as usize..offsets[t + 1] as usize] {
                        add(target, chunk as usize, at as usize);
                    }
                }
            },
        );
    }
}
