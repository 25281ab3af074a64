//! The boundary of a volume mesh as a triangle surface.

use super::faces::{Side, boundary_faces};
use crate::cell::{CellType, HEX_FACES, TET_EDGES, TET_FACES};
use crate::surface::SurfaceMesh;
use crate::volume::VolumeMesh;

/// The boundary of a volume mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Boundary {
    /// Its triangles, outward, and the vertices they use.
    pub surface: SurfaceMesh,
    /// The mesh vertex of each surface vertex, ascending.
    pub vertex_map: Vec<u32>,
    /// The cell behind each triangle.
    pub cell: Vec<u32>,
}

/// The boundary surface, ordered by cell. A quadrilateral is cut from its lowest vertex, so that
/// two sides of one quadrilateral are always cut alike; a tet10's face becomes four triangles
/// through its middle nodes. Triangles that name a vertex twice (of collapsed hexahedra) are left
/// out.
pub fn boundary(mesh: &VolumeMesh) -> Boundary {
    let faces = boundary_faces(mesh);
    let (mut triangles, mut cell) = (Vec::new(), Vec::new());
    for &side in &faces.sides {
        let mut push = |t: [u32; 3]| {
            if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                triangles.push(t);
                cell.push(side.cell);
            }
        };
        triangulate(mesh, side, &mut push);
    }
    let mut used = vec![false; mesh.vertex_count()];
    triangles.as_flattened().iter().for_each(|&v| used[v as usize] = true);
    let mut new = vec![u32::MAX; mesh.vertex_count()];
    let (mut vertices, mut vertex_map) = (Vec::new(), Vec::new());
    for v in (0..used.len()).filter(|&v| used[v]) {
        new[v] = vertices.len() as u32;
        vertices.push(mesh.vertices[v]);
        vertex_map.push(v as u32);
    }
    for v in triangles.as_flattened_mut() {
        *v = new[*v as usize];
    }
    Boundary { surface: SurfaceMesh::new(vertices, triangles), vertex_map, cell }
}

fn triangulate(mesh: &VolumeMesh, side: Side, push: &mut impl FnMut([u32; 3])) {
    let (cell, face) = (mesh.cell(side.cell as usize), side.face as usize);
    match mesh.cell_type {
        CellType::Tet4 => push(TET_FACES[face].map(|i| cell[i])),
        CellType::Tet10 => {
            let [a, b, c] = TET_FACES[face];
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|e| cell[middle(e)]);
            let [a, b, c] = [a, b, c].map(|i| cell[i]);
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]].into_iter().for_each(push);
        }
        CellType::Hex8 => {
            let mut quad = HEX_FACES[face].map(|i| cell[i]);
            let lowest = (0..4).min_by_key(|&i| quad[i]).unwrap_or(0);
            quad.rotate_left(lowest);
            let [a, b, c, d] = quad;
            push([a, b, c]);
            push([a, c, d]);
        }
    }
}

/// The local index of a tet10's node in the middle of an edge between corners.
fn middle([a, b]: [usize; 2]) -> usize {
    let is = |e: &[usize; 2]| *e == [a.min(b), a.max(b)];
    4 + TET_EDGES.iter().position(is).unwrap_or(0)
}
