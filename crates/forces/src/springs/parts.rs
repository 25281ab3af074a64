//! [`Part`]: the springs that start at the vertices of one chunk.
//!
//! Every spring belongs to its lower end, and a chunk owns a range of vertices: so all that a spring has lies in rows
//! of its chunk but for the diagonal block and the gradient of its higher end, and in full storage one more block.
//! Unlike the chunks of a [`Partition`](crate::Partition), every vertex is inside one chunk; those that a chunk shares
//! are inside others. They are made for a numbering in which neighbours are near each other, as that of a partition;
//! in any other most is collected.
//!
//! Springs have a traversal of their own, by windows of vertices (`kernel.rs`): a vertex has about 26 springs in a
//! mesh of hexahedra, and its sums stay in registers and in the nearest cache while they are taken.

use std::ops::Range;

use pliant_algebra::lanes::{F64x8, LANES, Row4};
use pliant_algebra::vec3::Vec3;

use super::network::Spring;
use crate::assembly::{Assembly, Chunk, Lookup, Rows, Target};
use crate::error::ForceError;

/// Vertices of a part where the network is small, and the number of parts where it is large.
const LEAST_ROWS: usize = 1024;
const PARTS: usize = 64;
/// Vertices whose rows of the matrix stay in the cache while all that adds to them is computed.
const WINDOW_ROWS: usize = 64;

/// Eight springs. What does not fill a pack is filled up with springs without stiffness from the
/// first vertex to itself.
#[derive(Debug, Clone, Default)]
pub(super) struct SpringPack {
    /// Lower and higher end, local numbers.
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
    pub(super) packs: Vec<SpringPack>,
    pub(super) windows: Vec<Window>,
    /// Empty if no spring is damped.
    pub(super) damping: Vec<F64x8>,
}

/// Where the blocks of a part go.
#[derive(Debug, Clone, Default)]
pub(super) struct PartTargets {
    /// The block of each spring in the row of its lower end. Lanes without spring have nothing, and add it to the
    /// diagonal block of the first vertex.
    pub(super) pairs: Vec<[Target; LANES]>,
    /// The block on the other side of the diagonal; empty where the matrix stores one triangle.
    pub(super) mirrors: Vec<[Target; LANES]>,
    /// The diagonal block of each vertex of the table.
    pub(super) diagonal: Vec<Target>,
}

/// Tables of one part during an evaluation, in the caller's workspace.
#[derive(Debug, Default)]
pub(super) struct PartWork {
    /// Positions and velocities, in the order of the table.
    pub(super) x: Vec<Row4>,
    pub(super) v: Vec<Row4>,
    /// For each vertex of the table the nine entries of its diagonal block, and its gradient.
    pub(super) sums: Vec<[Row4; 3]>,
    pub(super) finite: bool,
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

/// Divides a network into chunks.
pub(super) fn divide(vertex_count: usize, springs: &[Spring]) -> Assembly<Part> {
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
    let chunk = |(p, mut members): (usize, Vec<u32>)| {
        let inside = p * size..((p + 1) * size).min(vertex_count);
        members.sort_unstable_by_key(|&i| (ends(i), i));
        let mut shared: Vec<u32> =
            members.iter().map(|&i| ends(i)[1]).filter(|&b| b as usize >= inside.end).collect();
        shared.sort_unstable();
        shared.dedup();
        let rows = Rows { inside, shared };
        let data = Part::new(&rows, &members, springs, damped);
        Chunk { rows, data }
    };
    Assembly::new(vertex_count, members.into_iter().enumerate().map(chunk).collect())
}

impl Part {
    /// Packs the springs `members`, which are sorted by their ends.
    fn new(vertices: &Rows, members: &[u32], springs: &[Spring], damped: bool) -> Self {
        let mut part = Self::default();
        // Both ends of a member are inside or shared.
        let local = |v: u32| vertices.local(v).unwrap_or_default();
        let mut others = members;
        for first in (0..vertices.inside.len()).step_by(WINDOW_ROWS) {
            let rows = first..(first + WINDOW_ROWS).min(vertices.inside.len());
            let end = (vertices.inside.start + rows.end) as u32;
            let lower = |i: u32| springs[i as usize].ends[0].min(springs[i as usize].ends[1]);
            let (window, rest) = others.split_at(others.partition_point(|&i| lower(i) < end));
            others = rest;
            let start = part.packs.len();
            for chunk in window.chunks(LANES) {
                let (mut pack, mut damping) = (SpringPack::default(), F64x8::default());
                for (lane, &i) in chunk.iter().enumerate() {
                    let spring = &springs[i as usize];
                    let [a, b] = spring.ends;
                    pack.ends[0][lane] = local(a.min(b));
                    pack.ends[1][lane] = local(a.max(b));
                    pack.rest.0[lane] = spring.rest;
                    pack.stiffness.0[lane] = spring.stiffness;
                    damping.0[lane] = spring.damping;
                }
                part.packs.push(pack);
                if damped {
                    part.damping.push(damping);
                }
            }
            part.windows.push(Window { rows, packs: start..part.packs.len() });
        }
        part
    }

    /// The springs of the part.
    pub(super) fn members<'a>(&'a self, rows: &'a Rows) -> impl Iterator<Item = Member> + 'a {
        let lanes = |pack| (0..LANES).map(move |lane| (pack, lane));
        (0..self.packs.len()).flat_map(lanes).filter_map(move |(pack, lane)| {
            let springs = &self.packs[pack];
            let [a, b] = springs.ends.map(|ends| ends[lane]);
            (a != b).then(|| Member {
                ends: [rows.vertex(a), rows.vertex(b)],
                rest: springs.rest.0[lane],
                stiffness: springs.stiffness.0[lane],
                damping: self.damping.get(pack).map_or(0.0, |d| d.0[lane]),
                pack,
                lane,
            })
        })
    }

    /// Copies positions and velocities to the table, and clears what will be added to.
    pub(super) fn prepare(&self, rows: &Rows, table: &mut PartWork, x: &[Vec3], v: &[Vec3]) {
        rows.fill(&mut table.x, x);
        if !self.damping.is_empty() {
            rows.fill(&mut table.v, v);
        }
        table.sums.clear();
        table.sums.resize(rows.table(), [Row4::default(); 3]);
    }

    /// Looks up where the blocks go.
    pub(super) fn look_up(
        &self,
        rows: &Rows,
        lookup: &mut Lookup<'_>,
    ) -> Result<PartTargets, ForceError> {
        let diagonal = (0..rows.table() as u32).map(|local| {
            let v = rows.vertex(local);
            lookup.either(v, v)
        });
        let diagonal: Vec<Target> = diagonal.collect::<Result<_, _>>()?;
        let nothing = diagonal.first().copied().unwrap_or_default();
        let mut pairs = vec![[nothing; LANES]; self.packs.len()];
        let mut mirrors = if lookup.one_triangle() { Vec::new() } else { pairs.clone() };
        for Member { ends: [a, b], pack, lane, .. } in self.members(rows) {
            pairs[pack][lane] = lookup.either(a, b)?;
            if let Some(mirrors) = mirrors.get_mut(pack) {
                mirrors[lane] = lookup.either(b, a)?;
            }
        }
        Ok(PartTargets { pairs, mirrors, diagonal })
    }
}
