//! Edges, and which vertices and cells meet.

use super::grouped::{Adjacency, Grouped};
use crate::cell::{CellType, TET_EDGES};
use crate::volume::VolumeMesh;

/// All edges between corners, each once as `[lower, higher]`, sorted.
/// An edge from a vertex to itself (in a collapsed cell) is none.
pub fn edges(mesh: &VolumeMesh) -> Vec<[u32; 2]> {
    let local = mesh.cell_type.edges();
    let mut ends = Grouped::new(mesh.vertex_count(), || {
        mesh.cells().flat_map(|cell| {
            local.iter().map(|&[a, b]| (cell[a].min(cell[b]), cell[a].max(cell[b])))
        })
    });
    let mut edges = Vec::with_capacity(ends.items.len() / 4);
    for low in 0..ends.len() {
        let mut last = low as u32;
        let highs = ends.of_mut(low);
        highs.sort_unstable();
        for &high in &*highs {
            if high != last {
                edges.push([low as u32, high]);
                last = high;
            }
        }
    }
    edges
}

/// For each vertex the vertices at the other ends of its edges, ascending. In a tet10 the edges are
/// the halves on both sides of the middle nodes.
pub fn vertex_neighbours(mesh: &VolumeMesh) -> Adjacency {
    let mut halves = [[0; 2]; 12];
    let local = if mesh.cell_type == CellType::Tet10 {
        for (i, [a, b]) in TET_EDGES.into_iter().enumerate() {
            halves[2 * i] = [a, 4 + i];
            halves[2 * i + 1] = [4 + i, b];
        }
        &halves
    } else {
        mesh.cell_type.edges()
    };
    let mut both = Grouped::new(mesh.vertex_count(), || {
        mesh.cells().flat_map(|cell| {
            local.iter().flat_map(|&[a, b]| [(cell[a], cell[b]), (cell[b], cell[a])])
        })
    });
    // Compacts in place: what is kept never overtakes what is read.
    let mut kept = 0;
    for v in 0..both.len() {
        let (start, end) = (both.offsets[v], both.offsets[v + 1]);
        both.items[start..end].sort_unstable();
        both.offsets[v] = kept;
        let mut last = v as u32;
        for i in start..end {
            let w = both.items[i];
            if w != last && w != v as u32 {
                both.items[kept] = w;
                kept += 1;
                last = w;
            }
        }
    }
    let n = both.len();
    both.offsets[n] = kept;
    both.items.truncate(kept);
    both.items.shrink_to_fit();
    both
}

/// For each vertex the vertices that share a cell with it, ascending, itself excluded: the pattern
/// of the stiffness matrix. The same as [`vertex_neighbours`] for tet4, more for the others.
pub fn vertex_couplings(mesh: &VolumeMesh) -> Adjacency {
    let cells = vertex_cells(mesh);
    let mut couplings = Adjacency { offsets: vec![0], items: Vec::new() };
    let mut row = Vec::new();
    for v in 0..mesh.vertex_count() {
        row.clear();
        for &c in cells.of(v) {
            row.extend(mesh.cell(c as usize).iter().filter(|&&w| w as usize != v));
        }
        row.sort_unstable();
        row.dedup();
        couplings.items.extend_from_slice(&row);
        couplings.offsets.push(couplings.items.len());
    }
    couplings
}

/// For each vertex the cells that it is a node of, ascending, each once.
pub fn vertex_cells(mesh: &VolumeMesh) -> Adjacency {
    Grouped::new(mesh.vertex_count(), || {
        mesh.cells().zip(0..).flat_map(|(cell, index)| {
            cell.iter()
                .enumerate()
                .filter(|&(i, v)| !cell[..i].contains(v))
                .map(move |(_, &v)| (v, index))
        })
    })
}
