//! [`PairList`]: pairs that tasks have found, in ascending order.

/// Sorted pairs, and the buffers that they were collected in.
#[derive(Debug, Clone, Default)]
pub(super) struct PairList {
    chunks: Vec<Vec<[u32; 2]>>,
    used: usize,
    /// For each number of a column, where its next pair goes.
    places: [Vec<u32>; 2],
    by_second: Vec<[u32; 2]>,
    pub(super) pairs: Vec<[u32; 2]>,
}

impl PairList {
    /// Empty lists for `count` tasks.
    pub(super) fn chunks(&mut self, count: usize) -> &mut [Vec<[u32; 2]>] {
        self.used = count;
        if self.chunks.len() < count {
            self.chunks.resize_with(count, Vec::new);
        }
        let used = &mut self.chunks[..count];
        used.iter_mut().for_each(Vec::clear);
        used
    }

    /// Gathers what tasks have found, by two counting sorts: by the second numbers, then, without disturbing equal ones, by the
    /// first. Numbers are below `limits`. Linear in pairs and numbers, without a comparison.
    pub(super) fn sort(&mut self, limits: [usize; 2]) {
        let Self { chunks, used, places, by_second, pairs } = self;
        let chunks = &chunks[..*used];
        for (places, limit) in places.iter_mut().zip(limits) {
            places.clear();
            places.resize(limit, 0);
        }
        for &[first, second] in chunks.iter().flatten() {
            places[0][first as usize] += 1;
            places[1][second as usize] += 1;
        }
        for places in places.iter_mut() {
            let mut sum = 0;
            for place in places {
                (*place, sum) = (sum, sum + *place);
            }
        }
        let total = chunks.iter().map(Vec::len).sum();
        by_second.resize(total, [0; 2]);
        pairs.resize(total, [0; 2]);
        for &pair in chunks.iter().flatten() {
            put(pair, &mut places[1][pair[1] as usize], by_second);
        }
        for &pair in by_second.iter() {
            put(pair, &mut places[0][pair[0] as usize], pairs);
        }
    }
}

#[inline]
fn put(pair: [u32; 2], place: &mut u32, out: &mut [[u32; 2]]) {
    out[*place as usize] = pair;
    *place += 1;
}
