//! [`Part`]: some vertices of a spring network, and the springs that start there.
//!
//! Every spring belongs to its lower end. A part computes the springs of its vertices and adds them
//! to its own rows of gradient and matrix; what is for vertices of other parts it keeps, and that is
//! added afterwards in the order of the parts ([`Incoming`]). So the bits are the same on any number
//! of threads. Parts are made for a numbering in which neighbours are near each other, as that of a
//! [`Partition`](crate::Partition); in any other most is kept and handed over.

use std::ops::Range;

use pliant_algebra::lanes::{F64x8, LANES, Row4};
use pliant_algebra::sparse::Block;

use super::network::Spring;
use crate::error::ForceError;
use crate::slots::Slots;

/// Vertices of a part where the network is small, and the number of parts where it is large.
const LEAST_ROWS: usize = 1024;
const PARTS: usize = 64;
/// Vertices whose rows of the matrix stay in the cache while all that adds to them is computed.
const WINDOW_ROWS: usize = 64;

/// In place of a slot where there is no block: lanes without spring, vertices without springs, and blocks that one
/// triangle does not store.
pub(super) const NO_BLOCK: u32 = u32::MAX;
/// Marks an index among the blocks that are kept for other parts.
pub(super) const KEPT: u32 = 1 << 31;

/// Eight springs. What does not fill a pack is filled up with springs without stiffness from the
/// first vertex to itself.
#[derive(Debug, Clone, Default)]
pub(super) struct SpringPack {
    /// Lower and higher end, as places in the part's table: its own vertices, then those outside.
    pub(super) ends: [[u32; LANES]; 2],
    pub(super) rest: F64x8,
    pub(super) stiffness: F64x8,
}

/// Some vertices of a part (counted from its first), and the packs of the springs that start there.
/// When these and those before are done, the part has nothing more for the vertices.
#[derive(Debug, Clone)]
pub(super) struct Window {
    pub(super) rows: Range<usize>,
    pub(super) packs: Range<usize>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    /// Its vertices.
    pub(super) rows: Range<usize>,
    /// Other vertices that its springs reach, ascending.
    outside: Vec<u32>,
    pub(super) packs: Vec<SpringPack>,
    pub(super) windows: Vec<Window>,
    /// Empty if no spring is damped.
    pub(super) damping: Vec<F64x8>,
    /// Where the block of each spring lies, counted from `blocks.start`, or [`KEPT`]; and the block
    /// on the other side of the diagonal. [`NO_BLOCK`] where the matrix has none; `mirrors` is empty
    /// where it keeps one triangle.
    pub(super) places: Vec<[u32; LANES]>,
    pub(super) mirrors: Vec<[u32; LANES]>,
    /// Where the diagonal block of each vertex lies; [`NO_BLOCK`] for those without springs.
    pub(super) diagonal: Vec<u32>,
    /// The part of the matrix that only this part writes to.
    pub(super) blocks: Range<usize>,
    /// How many blocks it has in the rows of other parts.
    pub(super) elsewhere: usize,
}

/// Tables and results of one part during an evaluation, in the caller's workspace.
#[derive(Debug, Default)]
pub(super) struct PartWork {
    /// Positions and velocities, in the order of the table.
    pub(super) x: Vec<Row4>,
    pub(super) v: Vec<Row4>,
    /// For each vertex of the table the nine entries of its diagonal block, and its gradient.
    pub(super) sums: Vec<[Row4; 3]>,
    /// Blocks in the rows of other parts.
    pub(super) kept: Vec<Block>,
    pub(super) energy: f64,
    pub(super) finite: bool,
}

/// What other parts have for a part.
#[derive(Debug, Clone, Default)]
pub(super) struct Incoming {
    /// (vertex counted from the part's first, from which part, place in its table), ascending.
    pub(super) sums: Vec<(u32, u32, u32)>,
    /// (place in the own blocks, from which part, place among those kept), ascending.
    pub(super) blocks: Vec<(u32, u32, u32)>,
}

/// A spring in a part.
pub(super) struct Member {
    /// Lower and higher end.
    pub(super) ends: [u32; 2],
    pub(super) rest: f64,
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    pack: usize,
    lane: usize,
}

/// Divides a network into parts, and says what they will have for each other.
pub(super) fn parts(vertex_count: usize, springs: &[Spring]) -> (Vec<Part>, Vec<Incoming>) {
    let damped = springs.iter().any(|s| s.damping != 0.0);
    let size = LEAST_ROWS.max(vertex_count.div_ceil(PARTS));
    let count = vertex_count.div_ceil(size);
    let ends = |i: u32| {
        let [a, b] = springs[i as usize].ends;
        [a.min(b), a.max(b)]
    };
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    for i in 0..springs.len() as u32 {
        members[ends(i)[0] as usize / size].push(i);
    }
    let mut parts = Vec::with_capacity(count);
    let mut incoming = vec![Incoming::default(); count];
    for (p, mut members) in members.into_iter().enumerate() {
        let rows = p * size..((p + 1) * size).min(vertex_count);
        members.sort_unstable_by_key(|&i| (ends(i), i));
        let mut outside: Vec<u32> =
            members.iter().map(|&i| ends(i)[1]).filter(|&b| b as usize >= rows.end).collect();
        outside.sort_unstable();
        outside.dedup();
        for (at, &v) in outside.iter().enumerate() {
            let (to, row) = (v as usize / size, v as usize % size);
            incoming[to].sums.push((row as u32, p as u32, (rows.len() + at) as u32));
        }
        let mut part = Part { rows, outside, ..Part::default() };
        part.fill(&members, springs, damped);
        parts.push(part);
    }
    for incoming in &mut incoming {
        incoming.sums.sort_unstable();
    }
    (parts, incoming)
}

impl Part {
    /// Packs the springs `members`, which are sorted by their ends.
    fn fill(&mut self, members: &[u32], springs: &[Spring], damped: bool) {
        let mut others = members;
        for first in (0..self.rows.len()).step_by(WINDOW_ROWS) {
            let rows = first..(first + WINDOW_ROWS).min(self.rows.len());
            let end = (self.rows.start + rows.end) as u32;
            let lower = |i: u32| springs[i as usize].ends[0].min(springs[i as usize].ends[1]);
            let (window, rest) = others.split_at(others.partition_point(|&i| lower(i) < end));
            others = rest;
            let start = self.packs.len();
            for chunk in window.chunks(LANES) {
                let (mut pack, mut damping) = (SpringPack::default(), F64x8::default());
                for (lane, &i) in chunk.iter().enumerate() {
                    let spring = &springs[i as usize];
                    let [a, b] = spring.ends;
                    pack.ends[0][lane] = self.local(a.min(b));
                    pack.ends[1][lane] = self.local(a.max(b));
                    pack.rest.0[lane] = spring.rest;
                    pack.stiffness.0[lane] = spring.stiffness;
                    damping.0[lane] = spring.damping;
                }
                self.packs.push(pack);
                if damped {
                    self.damping.push(damping);
                }
            }
            self.windows.push(Window { rows, packs: start..self.packs.len() });
        }
    }

    fn local(&self, vertex: u32) -> u32 {
        match self.outside.binary_search(&vertex) {
            Ok(at) => (self.rows.len() + at) as u32,
            Err(_) => vertex - self.rows.start as u32,
        }
    }

    fn vertex(&self, local: u32) -> u32 {
        match (local as usize).checked_sub(self.rows.len()) {
            None => self.rows.start as u32 + local,
            Some(at) => self.outside[at],
        }
    }

    /// The springs of the part.
    pub(super) fn members(&self) -> impl Iterator<Item = Member> + '_ {
        let lanes = |pack| (0..LANES).map(move |lane| (pack, lane));
        (0..self.packs.len()).flat_map(lanes).filter_map(|(pack, lane)| {
            let springs = &self.packs[pack];
            let [a, b] = springs.ends.map(|ends| ends[lane]);
            (a != b).then(|| Member {
                ends: [self.vertex(a), self.vertex(b)],
                rest: springs.rest.0[lane],
                stiffness: springs.stiffness.0[lane],
                damping: self.damping.get(pack).map_or(0.0, |d| d.0[lane]),
                pack,
                lane,
            })
        })
    }

    /// Copies positions and velocities to the table, and clears what will be added to.
    pub(super) fn prepare(
        &self,
        table: &mut PartWork,
        x: &[[f64; 3]],
        v: &[[f64; 3]],
        tangent: bool,
    ) {
        let size = self.rows.len() + self.outside.len();
        let all = || self.rows.clone().chain(self.outside.iter().map(|&v| v as usize));
        let fill = |to: &mut Vec<Row4>, from: &[[f64; 3]]| {
            to.resize(size, Row4::default());
            for (row, i) in to.iter_mut().zip(all()) {
                let [a, b, c] = from[i];
                row.0 = [a, b, c, 0.0];
            }
        };
        fill(&mut table.x, x);
        if !self.damping.is_empty() {
            fill(&mut table.v, v);
        }
        table.sums.clear();
        table.sums.resize(size, [Row4::default(); 3]);
        if tangent {
            table.kept.clear();
            table.kept.resize(self.elsewhere, [0.0; 9]);
        }
    }

    /// Looks up the slots of blocks in the own rows; returns row and slot of the blocks in other rows.
    fn bind(
        &mut self,
        incoming: &Incoming,
        slots: &Slots<'_>,
    ) -> Result<Vec<[u32; 2]>, ForceError> {
        let mut places = vec![[NO_BLOCK; LANES]; self.packs.len()];
        let mut mirrors = places.clone();
        let mut diagonal = vec![NO_BLOCK; self.rows.len()];
        let (mut low, mut high) = (u32::MAX, 0);
        let mut elsewhere = Vec::new();
        let mut own = |at: u32| {
            (low, high) = (low.min(at), high.max(at + 1));
            at
        };
        for Member { ends: [a, b], pack, lane, .. } in self.members() {
            for v in [a, b].into_iter().filter(|&v| self.rows.contains(&(v as usize))) {
                diagonal[v as usize - self.rows.start] = own(slots.get(v, v)?.index());
            }
            let [here, there] = [slots.get(a, b)?.stored(), slots.get(b, a)?.stored()];
            if let Some(here) = here {
                places[pack][lane] = own(here);
            }
            if let Some(there) = there {
                let to = if here.is_none() { &mut places } else { &mut mirrors };
                to[pack][lane] = if self.rows.contains(&(b as usize)) {
                    own(there)
                } else {
                    elsewhere.push([b, there]);
                    (elsewhere.len() - 1) as u32 | KEPT
                };
            }
        }
        for &(row, ..) in &incoming.sums {
            let v = self.rows.start as u32 + row;
            diagonal[row as usize] = own(slots.get(v, v)?.index());
        }
        if slots.one_triangle() {
            mirrors = Vec::new();
        }
        (self.places, self.mirrors, self.diagonal) = (places, mirrors, diagonal);
        self.blocks = low.min(high) as usize..high as usize;
        self.elsewhere = elsewhere.len();
        Ok(elsewhere)
    }

    /// Counts places from the start of the part's own blocks.
    fn shift(&mut self) {
        let start = self.blocks.start as u32;
        let places = self.places.iter_mut().chain(&mut self.mirrors).flatten();
        for place in places.chain(&mut self.diagonal).filter(|p| **p & KEPT == 0) {
            *place -= start;
        }
    }
}

/// How parts are bound to a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Binding {
    /// Whether parts own ranges of the matrix one after another. Else each may write anywhere.
    pub(super) apart: bool,
    /// Blocks that the matrix has.
    pub(super) blocks: usize,
}

/// Looks up the places of all blocks of all parts.
pub(super) fn bind(
    parts: &mut [Part],
    incoming: &mut [Incoming],
    slots: &Slots<'_>,
) -> Result<Binding, ForceError> {
    let mut binding = Binding { apart: true, blocks: slots.blocks() };
    let mut elsewhere = Vec::with_capacity(parts.len());
    for (part, incoming) in parts.iter_mut().zip(&*incoming) {
        elsewhere.push(part.bind(incoming, slots)?);
    }
    // A part owns all blocks in its rows, those of other parts' springs too.
    let owner = |parts: &[Part], row: u32| parts.partition_point(|q| q.rows.end <= row as usize);
    for &[row, place] in elsewhere.iter().flatten() {
        let q = owner(parts, row);
        let (blocks, place) = (&mut parts[q].blocks, place as usize);
        *blocks = blocks.start.min(place)..blocks.end.max(place + 1);
    }
    let mut end = 0;
    for part in &mut *parts {
        if part.blocks.is_empty() {
            part.blocks = end..end;
        }
        binding.apart &= part.blocks.start >= end;
        end = part.blocks.end;
    }
    for part in &mut *parts {
        if !binding.apart {
            part.blocks = 0..binding.blocks;
        }
        part.shift();
    }
    for incoming in &mut *incoming {
        incoming.blocks.clear();
    }
    for (p, others) in (0..).zip(elsewhere) {
        for (at, [row, place]) in (0..).zip(others) {
            let q = owner(parts, row);
            incoming[q].blocks.push((place - parts[q].blocks.start as u32, p, at));
        }
    }
    for incoming in incoming {
        incoming.blocks.sort_unstable();
    }
    Ok(binding)
}
