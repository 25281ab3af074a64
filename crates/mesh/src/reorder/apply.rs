//! Applying an order to a mesh, and measuring what it brings.

use super::permutation::Permutation;
use crate::topology::edges;
use crate::volume::{CellData, NamedSet, VolumeMesh};

/// The mesh with vertices and cells in new orders; regions, sets and cell data follow, and nodes keep their
/// order within a cell.
///
/// # Panics
/// Where a permutation is not as long as what it permutes.
#[must_use]
pub fn reordered(mesh: &VolumeMesh, vertices: &Permutation, cells: &Permutation) -> VolumeMesh {
    assert_eq!(vertices.len(), mesh.vertex_count(), "one vertex order for all vertices");
    assert_eq!(cells.len(), mesh.cell_count(), "one cell order for all cells");
    let mut nodes = Vec::with_capacity(mesh.cells.len());
    cells.new_to_old().iter().for_each(|&c| nodes.extend_from_slice(mesh.cell(c as usize)));
    vertices.renumber(&mut nodes);
    let sets = |sets: &[NamedSet], order: &Permutation| {
        let renumbered = |set: &NamedSet| {
            let mut items = set.items.clone();
            order.renumber(&mut items);
            NamedSet::new(set.name.clone(), items)
        };
        sets.iter().map(renumbered).collect()
    };
    let cell_region =
        if mesh.cell_region.is_empty() { Vec::new() } else { cells.apply(&mesh.cell_region) };
    VolumeMesh {
        cell_type: mesh.cell_type,
        vertices: vertices.apply(&mesh.vertices),
        cells: nodes,
        regions: mesh.regions.clone(),
        cell_region,
        cell_sets: sets(&mesh.cell_sets, cells),
        vertex_sets: sets(&mesh.vertex_sets, vertices),
        materials: mesh.materials.clone(),
        cell_data: mesh
            .cell_data
            .iter()
            .map(|d| CellData { name: d.name.clone(), values: cells.apply(&d.values) })
            .collect(),
    }
}

/// Cells sorted by the lowest of their vertices in the new vertex order, so that a sweep over cells
/// sweeps over vertices; ties keep their order.
pub fn cells_by_lowest_vertex(mesh: &VolumeMesh, vertices: &Permutation) -> Permutation {
    let new = vertices.old_to_new();
    let lowest = |cell: &[u32]| cell.iter().map(|&v| new[v as usize]).min();
    Permutation::sorting(&mesh.cells().map(lowest).collect::<Vec<_>>())
}

/// Half bandwidth of the stiffness matrix: the greatest difference of two indices in one cell.
pub fn bandwidth(mesh: &VolumeMesh) -> usize {
    let width = |cell: &[u32]| {
        let (low, high) = cell.iter().fold((u32::MAX, 0), |(l, h), &v| (l.min(v), h.max(v)));
        (high - low) as usize
    };
    mesh.cells().map(width).max().unwrap_or(0)
}

/// Mean difference of the indices at the two ends of an edge; 0 without edges.
pub fn mean_index_distance(mesh: &VolumeMesh) -> f64 {
    let edges = edges(mesh);
    let sum: u64 = edges.iter().map(|&[a, b]| u64::from(b - a)).sum();
    sum as f64 / edges.len().max(1) as f64
}
