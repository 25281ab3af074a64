//! [`Partition`]: a fixed division of cells into chunks, and the numbering that comes with it.

use pliant_algebra::vec3::{Vec3, add, scale};
use pliant_mesh::MeshError;
use pliant_mesh::reorder::{Permutation, hilbert_points};

use super::Rows;
use crate::cells::Cells;

/// Cells in a chunk where the mesh is small: fewer would have more shared vertices than inner ones.
const CHUNK_CELLS: usize = 8192;
/// Chunks of a large mesh.
const CHUNKS: usize = 64;

/// A division of the cells of a mesh into chunks, whatever the number of threads, and a numbering of
/// the vertices: first those inside chunk 0 (in no other chunk), then those inside chunk 1, …, at
/// last those that several chunks share.
///
/// In a matrix that is stored by rows of its upper triangle, each block whose row is inside a chunk
/// is then touched by that chunk alone, and its rows are contiguous. So chunks write to slices of
/// their own; only what couples two shared vertices must be collected and summed afterwards.
///
/// "System numbering" is the numbering of vertices made here; the user's stays outside.
#[derive(Debug, Clone)]
pub struct Partition {
    vertices: Permutation,
    cells: Vec<u32>,
    cell_starts: Vec<usize>,
    rows: Vec<Rows>,
}

impl Partition {
    /// Divides a mesh by halving it across its longest extent, until chunks are small enough;
    /// within a chunk cells follow Hilbert's curve and vertices the cells.
    pub fn new<'a>(cells: impl Into<Cells<'a>>) -> Result<Self, MeshError> {
        let cells = cells.into();
        Self::with_chunk_size(cells, CHUNK_CELLS.max(cells.len().div_ceil(CHUNKS)))
    }

    /// The same with at most `size` cells a chunk.
    pub fn with_chunk_size<'a>(
        cells: impl Into<Cells<'a>>,
        size: usize,
    ) -> Result<Self, MeshError> {
        Self::divide(cells.into(), size)
    }

    fn divide(all: Cells<'_>, size: usize) -> Result<Self, MeshError> {
        all.validate()?;
        let share = 1.0 / all.per_cell() as f64;
        let centre = |cell: &[u32]| {
            cell.iter().fold([0.0; 3], |sum, &v| add(sum, scale(all.rest()[v as usize], share)))
        };
        let centres: Vec<Vec3> = all.iter().map(centre).collect();
        let mut cells: Vec<u32> = (0..centres.len() as u32).collect();
        let mut cell_starts = vec![0];
        let chunks = centres.len().div_ceil(size.max(1)).max(1);
        halve(&centres, &mut cells, chunks, &mut cell_starts);
        drop(centres);

        // Which chunk a vertex is in: none yet, one, or several.
        const NONE: u32 = u32::MAX;
        const SEVERAL: u32 = u32::MAX - 1;
        let mut home = vec![NONE; all.vertex_count()];
        let chunk_cells = |c: usize| cell_starts[c]..cell_starts[c + 1];
        for c in 0..chunks {
            for &cell in &cells[chunk_cells(c)] {
                for &v in all.cell(cell as usize) {
                    let home = &mut home[v as usize];
                    *home = if *home == NONE || *home == c as u32 { c as u32 } else { SEVERAL };
                }
            }
        }
        // Numbers in the order in which the cells meet the vertices.
        let mut order = Vec::with_capacity(home.len());
        let mut tail = Vec::new();
        let mut seen = vec![false; home.len()];
        let mut vertex_starts = vec![0];
        for c in 0..chunks {
            for &cell in &cells[chunk_cells(c)] {
                for &v in all.cell(cell as usize) {
                    if !std::mem::replace(&mut seen[v as usize], true) {
                        if home[v as usize] == SEVERAL { &mut tail } else { &mut order }.push(v);
                    }
                }
            }
            vertex_starts.push(order.len());
        }
        order.append(&mut tail);
        // Vertices of no cell come at the end.
        order.extend((0..home.len() as u32).filter(|&v| !seen[v as usize]));
        let vertices = Permutation::from_new_to_old(order)?;
        let new = vertices.old_to_new();
        let rows = (0..chunks)
            .map(|c| {
                let mut shared: Vec<u32> = cells[chunk_cells(c)]
                    .iter()
                    .flat_map(|&cell| all.cell(cell as usize))
                    .filter(|&&v| home[v as usize] == SEVERAL)
                    .map(|&v| new[v as usize])
                    .collect();
                shared.sort_unstable();
                shared.dedup();
                Rows { inside: vertex_starts[c]..vertex_starts[c + 1], shared }
            })
            .collect();
        Ok(Self { vertices, cells, cell_starts, rows })
    }

    /// From the user's numbering of vertices (old) to the system's (new) and back.
    pub fn vertices(&self) -> &Permutation {
        &self.vertices
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.cell_starts.len() - 1
    }

    /// The cells of chunk `c`, in the order of work, as the user numbers them.
    pub fn cells(&self, c: usize) -> &[u32] {
        &self.cells[self.cell_starts[c]..self.cell_starts[c + 1]]
    }

    /// The vertices of chunk `c`, in system numbering: those in no other chunk, and those that it shares.
    pub fn rows(&self, c: usize) -> &Rows {
        &self.rows[c]
    }

    /// The first vertex that chunks share.
    pub fn first_shared(&self) -> u32 {
        self.rows.last().map_or(0, |rows| rows.inside.end as u32)
    }
}

/// Divides `cells` into `chunks` parts of equal size, each sorted along Hilbert's curve, and notes
/// where each ends.
fn halve(centres: &[Vec3], cells: &mut [u32], chunks: usize, ends: &mut Vec<usize>) {
    if chunks <= 1 {
        let points: Vec<Vec3> = cells.iter().map(|&c| centres[c as usize]).collect();
        let sorted = hilbert_points(&points).apply(cells);
        cells.copy_from_slice(&sorted);
        let start = ends.last().copied().unwrap_or(0);
        ends.push(start + cells.len());
        return;
    }
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for &c in cells.iter() {
        for k in 0..3 {
            low[k] = low[k].min(centres[c as usize][k]);
            high[k] = high[k].max(centres[c as usize][k]);
        }
    }
    let extent = |k: usize| high[k] - low[k];
    let axis = (1..3).fold(0, |best, k| if extent(k) > extent(best) { k } else { best });
    let left = chunks / 2;
    let at = (cells.len() as u128 * left as u128 / chunks as u128) as usize;
    if at < cells.len() {
        // Ties by the other axes, so that cuts through a grid have few corners; then by index.
        let key = |c: u32| {
            let p = centres[c as usize];
            [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]]
        };
        cells.select_nth_unstable_by(at, |&a, &b| {
            let (p, q) = (key(a), key(b));
            p[0].total_cmp(&q[0])
                .then(p[1].total_cmp(&q[1]))
                .then(p[2].total_cmp(&q[2]))
                .then(a.cmp(&b))
        });
    }
    let (before, after) = cells.split_at_mut(at);
    halve(centres, before, left, ends);
    halve(centres, after, chunks - left, ends);
}
