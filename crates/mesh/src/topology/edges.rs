//! Edges, and which vertices and cells meet.

use super::grouped::{Adjacency, Grouped};
use crate::volume::VolumeMesh;

/// All edges between corners, each once as `[lower, higher]`, sorted.
/// An edge from a vertex to itself (in a collapsed cell) is none.
pub fn edges(mesh: &VolumeMesh) -> Vec<[u32; 2]> {
    let mut edges = Vec::new();
    let local = mesh.cell_type.edges();
    for_each_row(mesh, &corner_cells(mesh), ends(local), |v, row| {
        let higher = row.partition_point(|&w| w < v);
        edges.extend(row[higher..].iter().map(|&w| [v, w]));
    });
    edges
}

/// For each vertex the vertices at the other ends of its edges, ascending. In quadratic cells the edges are
/// the halves on both sides of the middle nodes.
pub fn vertex_neighbours(mesh: &VolumeMesh) -> Adjacency {
    let (edges, corners) = (mesh.cell_type.edges(), mesh.cell_type.corners());
    if !mesh.cell_type.is_quadratic() {
        return rows(mesh, ends(edges));
    }
    let halves: Vec<[usize; 2]> = edges
        .iter()
        .zip(corners..)
        .flat_map(|(&[a, b], middle)| [[a, middle], [middle, b]])
        .collect();
    rows(mesh, ends(&halves))
}

/// For each vertex the vertices that share a cell with it, ascending, itself excluded: the pattern
/// of the stiffness matrix. The same as [`vertex_neighbours`] for tet4, more for the others.
pub fn vertex_couplings(mesh: &VolumeMesh) -> Adjacency {
    rows(mesh, |cell, _, row| row.extend_from_slice(cell))
}

/// For each vertex the cells that it is a node of, ascending, each once.
pub fn vertex_cells(mesh: &VolumeMesh) -> Adjacency {
    incident(mesh, mesh.cell_type.nodes())
}

/// For each vertex the cells that it is a corner of, ascending, each once.
pub(super) fn corner_cells(mesh: &VolumeMesh) -> Adjacency {
    incident(mesh, mesh.cell_type.corners())
}

fn incident(mesh: &VolumeMesh, nodes: usize) -> Adjacency {
    Grouped::new(mesh.vertex_count(), || {
        mesh.cells().zip(0..).flat_map(move |(cell, index)| {
            let cell = &cell[..nodes];
            (0..nodes).filter(|&i| !cell[..i].contains(&cell[i])).map(move |i| (cell[i], index))
        })
    })
}

/// Puts into a row what lies at the other ends of a cell's edges at a vertex.
fn ends(local: &[[usize; 2]]) -> impl Fn(&[u32], u32, &mut Vec<u32>) {
    move |cell, v, row| {
        for &[a, b] in local {
            if cell[a] == v {
                row.push(cell[b]);
            } else if cell[b] == v {
                row.push(cell[a]);
            }
        }
    }
}

fn rows(mesh: &VolumeMesh, gather: impl Fn(&[u32], u32, &mut Vec<u32>)) -> Adjacency {
    let mut rows = Adjacency { offsets: vec![0], items: Vec::new() };
    for_each_row(mesh, &vertex_cells(mesh), gather, |_, row| {
        rows.items.extend_from_slice(row);
        rows.offsets.push(rows.items.len());
    });
    rows
}

/// Gathers for each vertex from each of its cells; visits what came together, ascending, each once
/// and without the vertex itself.
fn for_each_row(
    mesh: &VolumeMesh,
    cells: &Adjacency,
    gather: impl Fn(&[u32], u32, &mut Vec<u32>),
    mut visit: impl FnMut(u32, &[u32]),
) {
    // A vertex comes from many cells: marks remove repetitions before the sort, not after.
    let mut mark = vec![u32::MAX; mesh.vertex_count()];
    let mut row = Vec::new();
    for v in 0..mesh.vertex_count() as u32 {
        row.clear();
        for &cell in cells.of(v as usize) {
            gather(mesh.cell(cell as usize), v, &mut row);
        }
        mark[v as usize] = v;
        row.retain(|&w| std::mem::replace(&mut mark[w as usize], v) != v);
        row.sort_unstable();
        visit(v, &row);
    }
}
