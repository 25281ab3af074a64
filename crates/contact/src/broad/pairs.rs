//! Pairs of primitives whose boxes overlap.
//!
//! Each group of eight leaves of one tree goes down the other tree as a whole; where two groups meet, pairs of leaves are
//! noted, and later tested 64 pairs of items at a time. A pair is accepted by the boxes of its own two items,
//! so the set depends on positions only, not on the shape of the trees.

use pliant_algebra::dispatch::{Kernel, Level};
use pliant_algebra::lanes::{LANES, Pack};
use pliant_algebra::real::Mask;
use rayon::prelude::*;

use super::boxes::Splat;
use super::sorted::PairList;
use super::tree::Tree;

/// Tells whether primitives with these vertices may collide; dynamic, as the search is compiled for each set of instructions.
pub(super) type Accept<'a> = &'a (dyn Fn(u32, u32) -> bool + Sync);

/// Groups of eight leaves that one task takes down the other tree.
const CHUNK: usize = 8;
/// Depth of the stack: seven siblings wait on each level, and eleven levels hold 2³² items.
const STACK: usize = LANES * 12;

/// Pairs of leaves that are tested in one go.
const WAITING: usize = 256;
/// Pairs of leaves between the request for one and its test.
const AHEAD: usize = 3;
/// Bits 8 i + j with j > i.
const LATER: u64 = {
    let (mut bits, mut i) = (0, 0);
    while i < LANES {
        bits |= ((0xFE << i) & 0xFF) << (LANES * i);
        i += 1;
    }
    bits
};

/// Finds the pairs (i of `a`, j of `b`) that share no vertex, sorted. `accept` is asked with the first
/// vertices of both.
pub(super) fn between<const N: usize, const M: usize>(
    a: &Tree<N>,
    b: &Tree<M>,
    accept: Accept<'_>,
    out: &mut PairList,
) {
    search(a, b, false, accept, out);
}

/// Finds the pairs i < j of one tree that share no vertex, sorted.
pub(super) fn within<const N: usize>(tree: &Tree<N>, accept: Accept<'_>, out: &mut PairList) {
    search(tree, tree, true, accept, out);
}

fn search<const N: usize, const M: usize>(
    a: &Tree<N>,
    b: &Tree<M>,
    same: bool,
    accept: Accept<'_>,
    out: &mut PairList,
) {
    // Without anything to meet there is no root to begin at.
    let groups = if b.leaves.is_empty() { 0 } else { a.levels.first().map_or(0, Vec::len) };
    out.chunks(groups.div_ceil(CHUNK)).par_iter_mut().enumerate().for_each(|(chunk, found)| {
        let range = chunk * CHUNK..groups.min((chunk + 1) * CHUNK);
        Level::best().run(Descent {
            a,
            b,
            same,
            accept,
            range,
            found,
            leaves: [[0; 2]; WAITING],
            waiting: 0,
        });
    });
    out.sort([a.order.len(), b.order.len()]);
}

struct Descent<'a, const N: usize, const M: usize> {
    a: &'a Tree<N>,
    b: &'a Tree<M>,
    same: bool,
    accept: Accept<'a>,
    range: std::ops::Range<usize>,
    found: &'a mut Vec<[u32; 2]>,
    /// Leaves that meet, and how many of them wait to be tested.
    leaves: [[u32; 2]; WAITING],
    waiting: usize,
}

impl<const N: usize, const M: usize> Kernel for Descent<'_, N, M> {
    type Output = ();

    #[inline(always)]
    fn run<P: Pack>(mut self) {
        let top = self.b.levels.len() - 1;
        let mut stack = [(0_u32, 0_u32); STACK];
        for ours in self.range.clone() {
            let around = self.a.levels[0][ours].bounds();
            let bounds = Splat::<P>::new(&around);
            stack[0] = (top as u32, 0);
            let mut depth = 1;
            while depth > 0 {
                depth -= 1;
                let (level, index) = stack[depth];
                if level == 0 {
                    self.meet_groups::<P>(ours, index as usize, &bounds);
                    continue;
                }
                let mut bits = self.b.levels[level as usize][index as usize].overlaps(&bounds);
                while bits != 0 {
                    let lane = bits.trailing_zeros();
                    bits &= bits - 1;
                    let child = index * LANES as u32 + lane;
                    // In one tree each two groups meet once, with the lower one going down.
                    if self.same && (child as usize + 1) << (3 * (level - 1)) <= ours {
                        continue;
                    }
                    stack[depth] = (level - 1, child);
                    depth += 1;
                }
            }
        }
        self.meet_waiting::<P>();
    }
}

impl<const N: usize, const M: usize> Descent<'_, N, M> {
    /// Pairs of two groups of eight leaves; `bounds` is the box around the first.
    #[inline(always)]
    fn meet_groups<P: Pack>(&mut self, first: usize, second: usize, bounds: &Splat<P>) {
        let (ours, theirs) = (&self.a.levels[0][first], &self.b.levels[0][second]);
        let mut hits = 0_u64;
        let mut lanes = theirs.overlaps(bounds);
        while lanes != 0 {
            let j = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let met = ours.overlaps(&Splat::<P>::new(&theirs.get(j)));
            hits |= u64::from(met) << (LANES * j);
        }
        if self.same && first == second {
            // Bits 8 j + i with i ≤ j.
            hits &= !LATER;
        }
        if self.waiting + hits.count_ones() as usize > WAITING {
            self.meet_waiting::<P>();
        }
        while hits != 0 {
            let bit = hits.trailing_zeros();
            hits &= hits - 1;
            let pair = [first as u32 * 8 + bit % 8, second as u32 * 8 + bit / 8];
            self.leaves[self.waiting] = pair;
            self.waiting += 1;
        }
    }

    /// Tests the leaves that wait, and takes up their pairs.
    #[inline(always)]
    fn meet_waiting<P: Pack>(&mut self) {
        let mut met = [(0_u64, [0_u32; 2]); WAITING];
        let mut count = 0;
        for k in 0..self.waiting {
            if let Some(next) = self.leaves[..self.waiting].get(k + AHEAD) {
                self.b.leaves[next[1] as usize].prefetch();
            }
            let pair = self.leaves[k];
            let hits = self.hits::<P>(pair[0] as usize, pair[1] as usize);
            // Written in any case and kept if there is a hit: a branch would be guessed wrong half of the time.
            met[count] = (hits, pair);
            count += usize::from(hits != 0);
        }
        self.waiting = 0;
        for &(mut hits, [first, second]) in &met[..count] {
            let (ours, theirs) = (&self.a.leaves[first as usize], &self.b.leaves[second as usize]);
            while hits != 0 {
                let (i, j) =
                    (hits.trailing_zeros() as usize / 8, hits.trailing_zeros() as usize % 8);
                hits &= hits - 1;
                if (self.accept)(ours.corners[0].0[i] as u32, theirs.corners[0].0[j] as u32) {
                    let (p, q) = (
                        self.a.order[first as usize * LANES + i],
                        self.b.order[second as usize * LANES + j],
                    );
                    let swap = self.same && q < p;
                    self.found.push(if swap { [q, p] } else { [p, q] });
                }
            }
        }
    }

    /// Bit 8 i + j tells whether item i of one leaf and j of the other are a pair. All 64 are tested, without a branch: a
    /// third of them would be skipped, and a branch that is guessed wrong costs more than the tests of a lane.
    #[inline(always)]
    fn hits<P: Pack>(&self, first: usize, second: usize) -> u64 {
        let (ours, theirs) = (&self.a.leaves[first], &self.b.leaves[second]);
        let mut hits = 0_u64;
        for i in 0..LANES {
            let mut both = theirs.boxes.overlap_mask(&Splat::<P>::new(&ours.boxes.get(i)));
            for n in 0..N {
                let vertex = P::splat(ours.corners[n].0[i]);
                for m in 0..M {
                    both = both & !P::load(&theirs.corners[m]).equals(vertex);
                }
            }
            hits |= u64::from(both.to_bits()) << (LANES * i);
        }
        if self.same && first == second { hits & LATER } else { hits }
    }
}
