//! Middle nodes for tetrahedra, and their removal.

use pliant_algebra::vec3::lerp;

use super::carry::extend_vertex_sets;
use super::{Midpoints, finite};
use crate::cell::{CellType, TET_EDGES};
use crate::error::{ErrorKind, MeshError};
use crate::volume::{NamedSet, VolumeMesh};

fn expect(mesh: &VolumeMesh, cell_type: CellType, hint: &str) -> Result<(), MeshError> {
    mesh.validate()?;
    if mesh.cell_type == cell_type {
        return Ok(());
    }
    let message = format!("the mesh has {} cells, {cell_type} is needed", mesh.cell_type);
    Err(MeshError::new(ErrorKind::Unsupported, message).hint(hint))
}

/// Ten-node tetrahedra from four-node ones, with one shared node in the middle of each edge. The
/// new nodes are numbered after the old ones, in the order in which the cells meet them.
pub fn to_quadratic(mesh: &VolumeMesh) -> Result<VolumeMesh, MeshError> {
    expect(mesh, CellType::Tet4, "split hexahedra into tetrahedra first")?;
    let mut midpoints = Midpoints::new(mesh.vertex_count());
    let mut cells = Vec::with_capacity(mesh.cell_count() * 10);
    for cell in mesh.cells() {
        cells.extend_from_slice(cell);
        cells.extend(TET_EDGES.map(|[a, b]| midpoints.between(cell[a], cell[b]).0));
    }
    let parents = midpoints.finish()?;
    let vertices = parents
        .iter()
        .map(|&[a, b]| lerp(mesh.vertices[a as usize], mesh.vertices[b as usize], 0.5))
        .collect();
    let quadratic = VolumeMesh {
        cell_type: CellType::Tet10,
        vertices,
        cells,
        vertex_sets: extend_vertex_sets(&mesh.vertex_sets, &parents),
        regions: mesh.regions.clone(),
        cell_region: mesh.cell_region.clone(),
        cell_sets: mesh.cell_sets.clone(),
        materials: mesh.materials.clone(),
        cell_data: mesh.cell_data.clone(),
    };
    finite(&quadratic)?;
    Ok(quadratic)
}

/// Four-node tetrahedra on the corners of ten-node ones. Vertices that were only middle nodes are
/// dropped, the others keep their order.
pub fn to_linear(mesh: &VolumeMesh) -> Result<VolumeMesh, MeshError> {
    expect(mesh, CellType::Tet10, "only ten-node tetrahedra have middle nodes to drop")?;
    let mut dropped = vec![false; mesh.vertex_count()];
    for cell in mesh.cells() {
        for &v in &cell[4..] {
            dropped[v as usize] = true;
        }
    }
    for cell in mesh.cells() {
        for &v in &cell[..4] {
            dropped[v as usize] = false;
        }
    }
    let mut new_index = Vec::with_capacity(dropped.len());
    let mut vertices = Vec::new();
    for (&gone, &position) in dropped.iter().zip(&mesh.vertices) {
        new_index.push(vertices.len() as u32);
        if !gone {
            vertices.push(position);
        }
    }
    let renumber = |v: u32| new_index[v as usize];
    Ok(VolumeMesh {
        cell_type: CellType::Tet4,
        vertices,
        cells: mesh.corner_cells().iter().map(|&v| renumber(v)).collect(),
        vertex_sets: mesh
            .vertex_sets
            .iter()
            .map(|set| NamedSet {
                name: set.name.clone(),
                items: set
                    .items
                    .iter()
                    .filter(|&&v| !dropped[v as usize])
                    .map(|&v| renumber(v))
                    .collect(),
            })
            .collect(),
        regions: mesh.regions.clone(),
        cell_region: mesh.cell_region.clone(),
        cell_sets: mesh.cell_sets.clone(),
        materials: mesh.materials.clone(),
        cell_data: mesh.cell_data.clone(),
    })
}
