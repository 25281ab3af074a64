//! Loads on faces: nodal forces ∫ N t dA over the surface at rest, for faces of every element.

use pliant_algebra::vec3::{Vec3, add_scaled, norm, scale};
use pliant_forces::loads::Faces;
use pliant_mesh::VolumeMesh;

use crate::VerifyError;

/// The faces of cells all of whose nodes are chosen, outward: so many nodes each, middle nodes after corners.
pub(crate) fn faces(mesh: &VolumeMesh, chosen: &[u32]) -> (usize, Vec<u32>) {
    let mut on = vec![false; mesh.vertex_count()];
    for &v in chosen {
        on[v as usize] = true;
    }
    let faces = mesh.cell_type.faces();
    let mut found = Vec::new();
    for cell in mesh.cells() {
        for face in faces {
            if face.iter().all(|&i| on[cell[i] as usize]) {
                found.extend(face.iter().map(|&i| cell[i]));
            }
        }
    }
    (faces[0].len(), found)
}

/// Nodal forces of a traction t(x, n) on the faces between chosen vertices, n the normal of length 1.
pub(crate) fn traction(
    mesh: &VolumeMesh,
    chosen: &[u32],
    traction: impl Fn(Vec3, Vec3) -> Vec3,
) -> Result<Vec<Vec3>, VerifyError> {
    let mut forces = vec![[0.0; 3]; mesh.vertex_count()];
    let (count, nodes) = faces(mesh, chosen);
    Faces::of_nodes(count, &nodes)?.each_point(&mesh.vertices, &mut |point| {
        let area = norm(point.area);
        let t = traction(point.x, scale(point.area, 1.0 / area));
        for (&v, n) in point.nodes.iter().zip(point.values) {
            forces[v as usize] = add_scaled(forces[v as usize], t, n * area);
        }
    })?;
    Ok(forces)
}
