//! Hexahedra into five or six tetrahedra.

use std::collections::HashMap;

use super::carry::{carry_cells, check_cell_count};
use super::tets::stored_order;
use crate::cell::{CellType, HEX_EDGES, HEX_FACES};
use crate::error::{ErrorKind, MeshError};
use crate::volume::{VolumeMesh, tet_volume};

/// Into how many tetrahedra a hexahedron is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Split {
    /// One in the middle and four at alternating corners. Neighbours must alternate too, which not
    /// every mesh allows.
    Five,
    /// Six around the diagonal from the smallest vertex index; serves every mesh. On a regular
    /// grid it is Freudenthal's (Kuhn's) triangulation.
    #[default]
    Six,
}

/// The local corner across the cell.
const ANTIPODE: [usize; 8] = [6, 7, 4, 5, 2, 3, 0, 1];
/// Whether a corner is an odd number of edges away from corner 0.
const ODD: [bool; 8] = [false, true, false, true, true, false, true, false];
/// Five tetrahedra that keep the even corners together.
const FIVE: [[usize; 4]; 5] =
    [[0, 2, 7, 5], [1, 2, 0, 5], [3, 0, 2, 7], [4, 7, 5, 0], [6, 2, 5, 7]];
/// A quarter turn about the axis through bottom and top: makes odd corners of even ones.
const TURN: [usize; 8] = [1, 2, 3, 0, 5, 6, 7, 4];

/// Splits every hexahedron into tetrahedra that meet face to face across the cells. Vertices and
/// vertex sets stay as they are; tetrahedra inherit regions and cell sets.
///
/// Hexahedra with coinciding corner indices (wedges, pyramids) give fewer tetrahedra under
/// [`Split::Six`]. A cell so distorted that one of its tetrahedra would be flat or inverted is an
/// error that names it.
pub fn hex_to_tets(mesh: &VolumeMesh, split: Split) -> Result<VolumeMesh, MeshError> {
    mesh.validate()?;
    if mesh.cell_type != CellType::Hex8 {
        let message = format!("the mesh has {} cells, hex8 is needed", mesh.cell_type);
        return Err(MeshError::new(ErrorKind::Unsupported, message));
    }
    let parts = if split == Split::Five { 5 } else { 6 };
    check_cell_count(mesh.cell_count().saturating_mul(parts))?;
    let mut cells = Vec::with_capacity(mesh.cell_count() * parts * 4);
    let mut cell_parent = Vec::with_capacity(mesh.cell_count() * parts);
    let odd = if split == Split::Five { alternate(mesh)? } else { Vec::new() };
    for (index, cell) in mesh.cells().enumerate() {
        let hex: [u32; 8] = std::array::from_fn(|i| cell[i]);
        let (in_five, in_six);
        let tets: &[[u32; 4]] = match split {
            Split::Five => {
                in_five = five(&hex, odd[index]);
                &in_five
            }
            Split::Six => {
                in_six = six(&hex);
                &in_six
            }
        };
        for tet in tets {
            if split == Split::Six && has_repetition(tet) {
                continue;
            }
            let volume = tet_volume(tet.map(|v| mesh.vertices[v as usize]));
            if volume.is_nan() || volume <= 0.0 {
                return Err(distorted(index, volume));
            }
            cells.extend_from_slice(tet);
            cell_parent.push(index as u32);
        }
    }
    let mut tets = VolumeMesh::new(CellType::Tet4, mesh.vertices.clone(), cells);
    carry_cells(mesh, &mut tets, &cell_parent);
    tets.vertex_sets.clone_from(&mesh.vertex_sets);
    Ok(tets)
}

fn distorted(index: usize, volume: f64) -> MeshError {
    let message = format!(
        "hexahedron {index} is too distorted to split: one of its tetrahedra has volume {volume:e}"
    );
    MeshError::new(ErrorKind::Geometry, message)
        .hint("repair it first: 'check' lists distorted cells")
}

fn has_repetition(tet: &[u32; 4]) -> bool {
    (1..4).any(|i| tet[..i].contains(&tet[i]))
}

fn five(hex: &[u32; 8], odd: bool) -> [[u32; 4]; 5] {
    FIVE.map(|tet| tet.map(|i| hex[if odd { TURN[i] } else { i }]))
}

/// Every face is cut from its smallest vertex index, which both cells at the face see alike
/// (Dompierre, Labbé, Vallet, Camarero, "How to subdivide pyramids, prisms and hexahedra into
/// tetrahedra", 1999); the cell is then the cone from its own smallest index over the three faces
/// that do not touch it.
fn six(hex: &[u32; 8]) -> [[u32; 4]; 6] {
    let smallest =
        |corners: &[usize]| (0..corners.len()).min_by_key(|&i| hex[corners[i]]).unwrap_or(0);
    let apex = smallest(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let mut tets = [[0; 4]; 6];
    let opposite = HEX_FACES.iter().filter(|face| !face.contains(&apex));
    for (pair, face) in tets.chunks_exact_mut(2).zip(opposite) {
        let s = smallest(face);
        let corner = |i: usize| face[(s + i) % 4];
        for (tet, triangle) in pair
            .iter_mut()
            .zip([[corner(0), corner(1), corner(2)], [corner(0), corner(2), corner(3)]])
        {
            *tet = cone(hex, apex, triangle);
        }
    }
    tets
}

/// The tetrahedron between `apex` and a triangle seen from outside. Where it runs along the cell
/// diagonal it is stored such that octasection takes the path apex, edge, face diagonal, cell
/// diagonal for Bey's order: Freudenthal's tetrahedra then stay similar to themselves.
fn cone(hex: &[u32; 8], apex: usize, triangle: [usize; 3]) -> [u32; 4] {
    let Some(turn) = triangle.iter().position(|&i| i == ANTIPODE[apex]) else {
        return [apex, triangle[0], triangle[1], triangle[2]].map(|i| hex[i]);
    };
    let (b, c, far) = (triangle[(turn + 1) % 3], triangle[(turn + 2) % 3], triangle[turn]);
    let along_edge = HEX_EDGES.iter().any(|e| e.contains(&apex) && e.contains(&b));
    let path = if along_edge { [apex, b, c, far] } else { [apex, c, b, far] }.map(|i| hex[i]);
    stored_order(path, along_edge).map(|i| path[i])
}

/// For each cell whether its odd corners form the middle tetrahedron of the split into five, such
/// that neighbours cut their common face along the same diagonal. Every common face asks two
/// cells to choose alike or unlike; the cells are joined in a forest whose links hold that bit.
fn alternate(mesh: &VolumeMesh) -> Result<Vec<bool>, MeshError> {
    let mut first_at: HashMap<[u32; 4], (usize, bool)> = HashMap::new();
    let mut forest = ParityForest::new(mesh.cell_count());
    for (index, cell) in mesh.cells().enumerate() {
        for face in HEX_FACES {
            let mut key = face.map(|i| cell[i]);
            key.sort_unstable();
            // Whether the face's smallest vertex is an odd corner here.
            let corner = face.into_iter().find(|&i| cell[i] == key[0]).unwrap_or(face[0]);
            let odd = ODD[corner];
            let (other, other_odd) = *first_at.entry(key).or_insert((index, odd));
            if !forest.join(other, index, odd != other_odd) {
                let message = format!(
                    "hexahedra cannot be split into five tetrahedra each: hexahedron {index} closes \
                     a ring of cells that cannot alternate"
                );
                return Err(MeshError::new(ErrorKind::Unsupported, message)
                    .hint("split into six, or use an even number of cells around the ring"));
            }
        }
    }
    Ok((0..mesh.cell_count()).map(|c| forest.find(c).1).collect())
}

/// Union-find in which every link says whether its ends differ. The root of a tree is its smallest
/// member, so that the answer does not depend on the order of the joins.
struct ParityForest {
    parent: Vec<u32>,
    differs: Vec<bool>,
}

impl ParityForest {
    fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect(), differs: vec![false; count] }
    }

    /// The root, and whether `item` differs from it.
    fn find(&mut self, item: usize) -> (usize, bool) {
        let (mut root, mut total) = (item, false);
        while self.parent[root] as usize != root {
            total ^= self.differs[root];
            root = self.parent[root] as usize;
        }
        let (mut at, mut rest) = (item, total);
        while at != root {
            let next = self.parent[at] as usize;
            let link = self.differs[at];
            self.parent[at] = root as u32;
            self.differs[at] = rest;
            rest ^= link;
            at = next;
        }
        (root, total)
    }

    /// Demands that `a` and `b` differ, or not; false when that contradicts earlier demands.
    fn join(&mut self, a: usize, b: usize, differ: bool) -> bool {
        let ((root_a, a_differs), (root_b, b_differs)) = (self.find(a), self.find(b));
        let link = a_differs ^ b_differs ^ differ;
        if root_a == root_b {
            return !link;
        }
        let (root, leaf) = (root_a.min(root_b), root_a.max(root_b));
        self.parent[leaf] = root as u32;
        self.differs[leaf] = link;
        true
    }
}
