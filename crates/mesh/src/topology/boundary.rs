//! The boundary of a volume mesh as a triangle surface.

use super::faces::{Side, boundary_faces};
use crate::cell::CellType;
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
/// through its middle nodes, a hex20's six. Triangles that name a vertex twice (of collapsed hexahedra) are left
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
    let cell = mesh.cell(side.cell as usize);
    let face = mesh.cell_type.faces()[side.face as usize];
    let at = |i: usize| cell[face[i]];
    match mesh.cell_type {
        CellType::Tet4 => push([at(0), at(1), at(2)]),
        CellType::Tet10 => {
            let [a, b, c, ab, bc, ca] = std::array::from_fn(at);
            [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]].into_iter().for_each(push);
        }
        CellType::Hex8 => cut(std::array::from_fn(at), push),
        CellType::Hex20 => {
            for i in 0..4 {
                push([at(i), at(4 + i), at(4 + (i + 3) % 4)]);
            }
            cut(std::array::from_fn(|i| at(4 + i)), push);
        }
    }
}

/// Two triangles from the lowest vertex of a quadrilateral.
fn cut(mut quad: [u32; 4], push: &mut impl FnMut([u32; 3])) {
    let lowest = (0..4).min_by_key(|&i| quad[i]).unwrap_or(0);
    quad.rotate_left(lowest);
    let [a, b, c, d] = quad;
    push([a, b, c]);
    push([a, c, d]);
}
