//! The cells of the background lattice: an octree, fine at the surface, without what is outside.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use rayon::prelude::*;

use crate::error::{ErrorKind, MeshError};
use crate::fill::field::{Ball, Field};
use crate::fill::prepare::Budget;

/// Cells along an edge of the largest octree, as a power of two.
pub(crate) const MAX_DEPTH: u32 = 19;
/// Levels by which cells may be coarser than the finest: what fits into a key.
pub(crate) const MAX_COARSENING: u32 = 15;

/// Distance from the surface in cells within which all cells are of the finest size: an edge that
/// meets the surface is at most one cell long, and the cells across from its ends must not be
/// coarser than the end's.
const MARGIN: f64 = 1.5;

/// A cube of the octree, 2^level finest cells wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    /// Lowest corner, in finest cells.
    pub at: [u32; 3],
    pub level: u32,
    /// Whether it is known to be inside; if not, the surface is near and the level is 0.
    pub inside: bool,
}

impl Cell {
    fn child(self, k: u32) -> Self {
        let level = self.level - 1;
        let at = std::array::from_fn(|d| self.at[d] + ((k >> d & 1) << level));
        Self { at, level, ..self }
    }

    /// Key of the cell for maps.
    pub(crate) fn key(at: [u32; 3], level: u32) -> u64 {
        pack(at, 20) | u64::from(level) << 60
    }

    /// Position along the space-filling curve; children follow where their parent would be.
    fn morton(&self) -> u64 {
        let spread = |x: u32| (0..20).fold(0, |s, b| s | u64::from(x >> b & 1) << (3 * b));
        spread(self.at[0]) | spread(self.at[1]) << 1 | spread(self.at[2]) << 2
    }
}

/// Three numbers of `bits` bits in one.
pub(crate) fn pack(at: [u32; 3], bits: u32) -> u64 {
    u64::from(at[0]) | u64::from(at[1]) << bits | u64::from(at[2]) << (2 * bits)
}

/// Hasher for packed keys, whose bits are already spread evenly enough for a multiplication.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(u64::from(b)));
    }
    fn write_u64(&mut self, key: u64) {
        let product = (self.0 ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product ^ product >> 32;
    }
}

/// A map from packed keys.
pub(crate) type KeyMap = HashMap<u64, u32, BuildHasherDefault<KeyHasher>>;

/// The cells of a cube of 2^`depth` cells that are not outside, none of them larger than
/// 2^`coarsest`, in the order of a space-filling curve.
pub(crate) fn cells(
    field: &Field<'_>,
    depth: u32,
    coarsest: u32,
    budget: &Budget<'_>,
) -> Result<Vec<Cell>, MeshError> {
    let mut found = Vec::new();
    let mut level = vec![Cell { at: [0; 3], level: depth, inside: false }];
    while !level.is_empty() {
        budget.check(found.len() + level.len())?;
        let balls: Vec<Ball> = level.par_iter().map(|cell| around(field, cell)).collect();
        let mut next = Vec::new();
        for (cell, ball) in level.into_iter().zip(balls) {
            match ball {
                Ball::Outside => {}
                Ball::Inside => found.push(Cell { inside: true, ..cell }),
                Ball::Mixed if cell.level == 0 => found.push(cell),
                Ball::Mixed => next.extend((0..8).map(|k| cell.child(k))),
            }
        }
        level = next;
    }
    let fine = |cell: &Cell| 8_usize.saturating_pow(cell.level.saturating_sub(coarsest));
    budget.check(found.iter().map(fine).fold(0, usize::saturating_add))?;
    found = found.into_iter().flat_map(|cell| split_to(cell, coarsest)).collect();
    if coarsest > 0 {
        found = balanced(found);
    }
    found.sort_unstable_by_key(Cell::morton);
    if found.len() > u32::MAX as usize {
        return Err(MeshError::new(ErrorKind::Count, "more than 2^32 − 1 lattice cells"));
    }
    Ok(found)
}

fn around(field: &Field<'_>, cell: &Cell) -> Ball {
    let half = 0.5 * f64::from(1_u32 << cell.level);
    field.ball(cell.at.map(|x| f64::from(x) + half), half * 3f64.sqrt() + MARGIN)
}

/// The cells of level `coarsest` in a cell, or the cell itself if it is finer.
fn split_to(cell: Cell, coarsest: u32) -> Vec<Cell> {
    let mut parts = vec![cell];
    for _ in coarsest..cell.level {
        parts = parts.into_iter().flat_map(|c| (0..8).map(move |k| c.child(k))).collect();
    }
    parts
}

/// Splits cells until those that share a face or an edge differ by one level at most (the weak
/// balance condition of the paper, section 4).
fn balanced(cells: Vec<Cell>) -> Vec<Cell> {
    let top = cells.iter().map(|c| c.level).max().unwrap_or(0);
    let mut map: HashMap<u64, Cell, BuildHasherDefault<KeyHasher>> =
        cells.iter().map(|&c| (Cell::key(c.at, c.level), c)).collect();
    let mut open = cells;
    while let Some(cell) = open.pop() {
        let size = 1_i64 << cell.level;
        for step in 0..27 {
            let step = [step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1];
            if step.iter().filter(|&&s| s == 0).count() == 0 {
                continue;
            }
            let there: [i64; 3] = std::array::from_fn(|k| i64::from(cell.at[k]) + step[k] * size);
            let Ok(there) = there.map(u32::try_from).into_iter().collect::<Result<Vec<_>, _>>()
            else {
                continue;
            };
            for level in (cell.level + 2..=top).rev() {
                let key = Cell::key([0, 1, 2].map(|k| there[k] >> level << level), level);
                if let Some(coarse) = map.remove(&key) {
                    for part in (0..8).map(|k| coarse.child(k)) {
                        map.insert(Cell::key(part.at, part.level), part);
                        open.push(part);
                    }
                }
            }
        }
    }
    map.into_values().collect()
}
