//! Octasection of tetrahedra by Bey's red refinement.
//!
//! Four children stand at the corners; the octahedron between them is cut along the diagonal from
//! the middle of edge 02 to that of 13, where the order of the vertices matters: J. Bey,
//! "Tetrahedral grid refinement", Computing 55 (1995), algorithm RedRefinement3D; "Simplicial grid
//! refinement: on Freudenthal's algorithm and the optimal number of congruence classes", Numer.
//! Math. 85 (2000). With the children in Bey's order all descendants fall into three congruence
//! classes.
//!
//! Bey's order makes some children negative, and a mesh must hold positive cells. One bit is to be
//! kept for each cell: whether its Bey order is positive. It is kept in the order of the nodes. The
//! refinement does not change when Bey's order is reversed, which is an even permutation, so
//! each of the two classes of orders can be written from either end:
//! - stored (a, b, c, d) with index a < d: Bey's order is (a, b, c, d);
//! - stored (a, b, c, d) with index a > d: Bey's order is (a, c, b, d).

use pliant_algebra::vec3::{Vec3, lerp};

use super::carry::{carry_cells, check_cell_count, extend_vertex_sets};
use super::{Midpoints, Refined};
use crate::cell::{CellType, TET_EDGES};
use crate::error::MeshError;
use crate::isoparametric::{Quadratic, Tet10};
use crate::volume::VolumeMesh;

/// Bey's children by the nodes of a tet10, and whether they have the sign of the parent's order.
const CHILDREN: [([usize; 4], bool); 8] = [
    ([0, 4, 6, 7], true),
    ([4, 1, 5, 8], true),
    ([6, 5, 2, 9], true),
    ([7, 8, 9, 3], true),
    ([4, 6, 7, 8], true),
    ([4, 6, 5, 8], false),
    ([6, 7, 8, 9], true),
    ([6, 5, 8, 9], false),
];

/// How to store a cell whose Bey order is `order`: positions in `order`, such that the stored cell
/// is positive and Bey's order can be told from it.
pub(super) fn stored_order(order: [u32; 4], positive: bool) -> [usize; 4] {
    let ascending = order[0] < order[3];
    match (positive, ascending) {
        (true, true) => [0, 1, 2, 3],
        (true, false) => [3, 2, 1, 0],
        (false, false) => [0, 2, 1, 3],
        (false, true) => [3, 1, 2, 0],
    }
}

/// The eight children of a stored cell with nodes numbered as those of a tet10: each as four local
/// nodes of the parent, in the order to store them.
fn children(nodes: &[u32; 10]) -> [[usize; 4]; 8] {
    let positive = nodes[0] < nodes[3];
    let bey: [usize; 10] =
        std::array::from_fn(|i| if positive { i } else { CellType::Tet10.flip()[i] });
    CHILDREN.map(|(child, same_sign)| {
        let local = child.map(|i| bey[i]);
        stored_order(local.map(|i| nodes[i]), same_sign == positive).map(|i| local[i])
    })
}

pub(super) fn octasect_linear(mesh: &VolumeMesh) -> Result<Refined, MeshError> {
    check_cell_count(mesh.cell_count().saturating_mul(8))?;
    let mut midpoints = Midpoints::new(mesh.vertex_count());
    let mut cells = Vec::with_capacity(8 * mesh.cells.len());
    for cell in mesh.cells() {
        let mut nodes = [0; 10];
        nodes[..4].copy_from_slice(cell);
        for (middle, [a, b]) in nodes[4..].iter_mut().zip(TET_EDGES) {
            *middle = midpoints.between(cell[a], cell[b]).0;
        }
        cells.extend(children(&nodes).iter().flatten().map(|&i| nodes[i]));
    }
    let vertex_parents = midpoints.finish()?;
    let vertices = vertex_parents
        .iter()
        .map(|&[a, b]| lerp(mesh.vertices[a as usize], mesh.vertices[b as usize], 0.5))
        .collect();
    Ok(assemble(mesh, vertices, cells, vertex_parents))
}

pub(super) fn octasect_quadratic(mesh: &VolumeMesh) -> Result<Refined, MeshError> {
    check_cell_count(mesh.cell_count().saturating_mul(8))?;
    let mut midpoints = Midpoints::new(mesh.vertex_count());
    let mut cells = Vec::with_capacity(8 * mesh.cells.len());
    let mut vertices = mesh.vertices.clone();
    for index in 0..mesh.cell_count() {
        let nodes: [u32; 10] = std::array::from_fn(|i| mesh.cell(index)[i]);
        let positions = nodes.map(|v| mesh.vertices[v as usize]);
        for child in children(&nodes) {
            cells.extend(child.map(|i| nodes[i]));
            for [a, b] in TET_EDGES {
                let (a, b) = (child[a], child[b]);
                let (vertex, new) = midpoints.between(nodes[a], nodes[b]);
                if new {
                    let xi = lerp(Tet10::node(a), Tet10::node(b), 0.5);
                    vertices.push(Tet10::shape(xi).point(&positions));
                }
                cells.push(vertex);
            }
        }
    }
    let vertex_parents = midpoints.finish()?;
    Ok(assemble(mesh, vertices, cells, vertex_parents))
}

/// Puts a refinement into eight together; for hexahedra too.
pub(super) fn assemble(
    coarse: &VolumeMesh,
    vertices: Vec<Vec3>,
    cells: Vec<u32>,
    vertex_parents: Vec<[u32; 2]>,
) -> Refined {
    let mut mesh = VolumeMesh::new(coarse.cell_type, vertices, cells);
    let cell_parent: Vec<u32> = (0..mesh.cell_count()).map(|c| (c / 8) as u32).collect();
    carry_cells(coarse, &mut mesh, &cell_parent);
    mesh.vertex_sets = extend_vertex_sets(&coarse.vertex_sets, &vertex_parents);
    Refined { mesh, vertex_parents, cell_parent }
}
