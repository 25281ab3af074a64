//! Middle nodes, and their removal.

use pliant_algebra::vec3::lerp;

use super::carry::extend_vertex_sets;
use super::{Midpoints, finite};
use crate::error::{ErrorKind, MeshError};
use crate::volume::{NamedSet, VolumeMesh};

/// Cells with middle nodes from cells without: tet10 from tet4, hex20 from hex8, with one shared node in the
/// middle of each straight edge. The new nodes are numbered after the old ones, in the order in which the cells meet
/// them. For curved bodies that a generator makes see [`Shape::quadratic`](crate::generate::Shape::quadratic).
pub fn to_quadratic(mesh: &VolumeMesh) -> Result<VolumeMesh, MeshError> {
    mesh.validate()?;
    if mesh.cell_type.is_quadratic() {
        let message = format!("the {} cells of the mesh have middle nodes already", mesh.cell_type);
        return Err(MeshError::new(ErrorKind::Unsupported, message));
    }
    let cell_type = mesh.cell_type.quadratic();
    let mut midpoints = Midpoints::new(mesh.vertex_count());
    let mut cells = Vec::with_capacity(mesh.cell_count() * cell_type.nodes());
    for cell in mesh.cells() {
        cells.extend_from_slice(cell);
        cells.extend(cell_type.edges().iter().map(|&[a, b]| midpoints.between(cell[a], cell[b]).0));
    }
    let parents = midpoints.finish()?;
    let vertices = parents
        .iter()
        .map(|&[a, b]| lerp(mesh.vertices[a as usize], mesh.vertices[b as usize], 0.5))
        .collect();
    let quadratic = VolumeMesh {
        cell_type,
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

/// Cells on the corners of quadratic ones: tet4 from tet10, hex8 from hex20. Vertices that were only middle nodes are
/// dropped, the others keep their order.
pub fn to_linear(mesh: &VolumeMesh) -> Result<VolumeMesh, MeshError> {
    mesh.validate()?;
    let corners = mesh.cell_type.corners();
    if !mesh.cell_type.is_quadratic() {
        let message =
            format!("the {} cells of the mesh have no middle nodes to drop", mesh.cell_type);
        return Err(
            MeshError::new(ErrorKind::Unsupported, message).hint("tet10 and hex20 cells have them")
        );
    }
    let mut dropped = vec![false; mesh.vertex_count()];
    for cell in mesh.cells() {
        for &v in &cell[corners..] {
            dropped[v as usize] = true;
        }
    }
    for cell in mesh.cells() {
        for &v in &cell[..corners] {
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
        cell_type: mesh.cell_type.linear(),
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
