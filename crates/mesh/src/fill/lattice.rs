//! The background mesh: points and tetrahedra of the body-centred cubic lattice on the octree's
//! cells (Labelle and Shewchuk 2007, sections 2 and 4).

use crate::error::MeshError;
use crate::fill::field::Field;
use crate::fill::octree::{Cell, KeyMap, pack};
use crate::fill::prepare::Progress;
use crate::fill::stencil::Site;

/// Lattice points with their signs, and the tetrahedra between them that have an inside corner.
pub(crate) struct Lattice {
    pub sites: Vec<Site>,
    /// 1 inside, −1 outside, 0 on the surface (after warping).
    pub signs: Vec<i8>,
    /// Positive tetrahedra.
    pub tets: Vec<[u32; 4]>,
}

/// The point ids of a cell: its corners (bit k of the number is the side along axis k), its centre.
type CellPoints = [u32; 9];

struct Builder<'a> {
    cells: &'a [Cell],
    cell_index: KeyMap,
    cell_points: Vec<CellPoints>,
    point_index: KeyMap,
    sites: Vec<Site>,
    signs: Vec<i8>,
}

/// What is across a face of a cell.
enum Across {
    /// Nothing that matters: it is outside.
    Nothing,
    Same(u32),
    Coarser,
    Finer,
}

/// Position of a site in cells.
pub(crate) fn position(site: Site) -> [f64; 3] {
    site.map(|x| 0.5 * f64::from(x))
}

fn site_key(site: Site) -> u64 {
    pack(site.map(|x| x as u32), 21)
}

/// Builds the background mesh of the cells, which come from [`crate::fill::octree::cells`].
pub(crate) fn lattice(
    cells: &[Cell],
    field: &Field<'_>,
    progress: &Progress<'_>,
) -> Result<Lattice, MeshError> {
    let mut builder = Builder {
        cells,
        cell_index: KeyMap::default(),
        cell_points: Vec::with_capacity(cells.len()),
        point_index: KeyMap::default(),
        sites: Vec::new(),
        signs: Vec::new(),
    };
    builder.number_points();
    let unknown: Vec<u32> =
        (0..builder.signs.len() as u32).filter(|&i| builder.signs[i as usize] == 0).collect();
    let inside = progress
        .map(&unknown, 0.15..0.4, |&i| field.inside(position(builder.sites[i as usize])))?;
    for (i, inside) in unknown.into_iter().zip(inside) {
        builder.signs[i as usize] = if inside { 1 } else { -1 };
    }
    Ok(builder.tetrahedra())
}

impl Builder<'_> {
    fn number_points(&mut self) {
        for (index, cell) in self.cells.iter().enumerate() {
            self.cell_index.insert(Cell::key(cell.at, cell.level), index as u32);
            let low = cell.at.map(|x| 2 * x as i32);
            let half = 1 << cell.level;
            let points = std::array::from_fn(|k| {
                let site = std::array::from_fn(|d| {
                    low[d] + if k == 8 { half } else { 2 * half * (k as i32 >> d & 1) }
                });
                let next = self.sites.len() as u32;
                let id = *self.point_index.entry(site_key(site)).or_insert(next);
                if id == next {
                    self.sites.push(site);
                    self.signs.push(0);
                }
                if cell.inside {
                    self.signs[id as usize] = 1;
                }
                id
            });
            self.cell_points.push(points);
        }
    }

    fn tetrahedra(mut self) -> Lattice {
        let mut tets = Vec::new();
        let mut transitions = Vec::new();
        for index in 0..self.cells.len() {
            for axis in 0..3 {
                for side in [0, 1] {
                    self.behind_face(index, axis, side, &mut tets, &mut transitions);
                }
            }
        }
        // The stencils serve the tetrahedra of the uniform lattice only. Transitions are inside by
        // the margin of the octree; only next to holes, where inside is a matter of degree, they
        // must be told.
        for &p in transitions.iter().flatten() {
            self.signs[p as usize] = 1;
        }
        tets.extend(transitions);
        tets.retain(|t| t.iter().any(|&p| self.signs[p as usize] > 0));
        Lattice { sites: self.sites, signs: self.signs, tets }
    }

    /// The tetrahedra between a cell's centre and one of its faces, or the centre across. Those
    /// between two cells of one size belong to the lower one.
    fn behind_face(
        &self,
        index: usize,
        axis: usize,
        side: u32,
        tets: &mut Vec<[u32; 4]>,
        transitions: &mut Vec<[u32; 4]>,
    ) {
        let cell = self.cells[index];
        let points = &self.cell_points[index];
        let centre = points[8];
        // The face's corners, counter-clockwise seen from outside the cell.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut ring =
            [0, 1 << u, 1 << u | 1 << v, 1 << v].map(|k: usize| k | (side as usize) << axis);
        if side == 0 {
            ring.reverse();
        }
        let corner = ring.map(|k| points[k]);
        let edges = [0, 1, 2, 3].map(|k| (corner[k], corner[(k + 1) % 4]));
        match self.across(&cell, axis, side) {
            Across::Nothing => {}
            Across::Same(_) if side == 0 => {}
            Across::Same(other) => {
                let other = self.cell_points[other as usize][8];
                for (a, b) in edges {
                    // A smaller cell at the edge has put a point on its middle.
                    match self.middle(a, b).filter(|_| cell.level > 0) {
                        None => tets.push([centre, other, a, b]),
                        Some(m) => {
                            transitions.extend([[centre, other, a, m], [centre, other, m, b]])
                        }
                    }
                }
            }
            Across::Coarser => {
                // Two halves of a pyramid, split by the diagonal to the middle of the large face:
                // that corner sits at odd multiples of this cell's size.
                let odd = |p: u32| {
                    let s = self.sites[p as usize];
                    [u, v].iter().all(|&d| s[d] >> (cell.level + 1) & 1 == 1)
                };
                if let Some(k) = (0..4).find(|&k| odd(corner[k])) {
                    let at = |i: usize| corner[(k + i) % 4];
                    transitions
                        .extend([[centre, at(0), at(1), at(2)], [centre, at(0), at(2), at(3)]]);
                }
            }
            Across::Finer => {
                let Some(face) = self.middle(corner[0], corner[2]) else { return };
                for (a, b) in edges {
                    if let Some(m) = self.middle(a, b) {
                        transitions.extend([[centre, face, a, m], [centre, face, m, b]]);
                    }
                }
            }
        }
    }

    /// The lattice point in the middle between two others, if there is one.
    fn middle(&self, a: u32, b: u32) -> Option<u32> {
        let (a, b) = (self.sites[a as usize], self.sites[b as usize]);
        self.point_index.get(&site_key([0, 1, 2].map(|k| (a[k] + b[k]) / 2))).copied()
    }

    fn across(&self, cell: &Cell, axis: usize, side: u32) -> Across {
        let size = 1_u32 << cell.level;
        let mut at = cell.at;
        let there = if side == 1 { Some(at[axis] + size) } else { at[axis].checked_sub(size) };
        let Some(there) = there else { return Across::Nothing };
        at[axis] = there;
        let get = |at: [u32; 3], level: u32| self.cell_index.get(&Cell::key(at, level));
        if let Some(&other) = get(at, cell.level) {
            return Across::Same(other);
        }
        let level = cell.level + 1;
        if get(at.map(|x| x >> level << level), level).is_some() {
            return Across::Coarser;
        }
        if cell.level > 0 {
            // The finer cell that touches the middle of this face's first quarter.
            if side == 0 {
                at[axis] += size / 2;
            }
            if get(at, cell.level - 1).is_some() {
                return Across::Finer;
            }
        }
        Across::Nothing
    }
}
