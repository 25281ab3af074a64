//! Octasection of hexahedra at the middle of their trilinear or quadratic map.

use pliant_algebra::vec3::{Vec3, lerp};

use super::carry::check_cell_count;
use super::tets::assemble;
use super::{Midpoints, Refined};
use crate::cell::{HEX_CORNERS, HEX_EDGES, HEX_FACES};
use crate::error::MeshError;
use crate::isoparametric::{Hex20, Quadratic};
use crate::volume::VolumeMesh;

/// Index in a 3 × 3 × 3 lattice over the cell of the mean of some of its corners.
fn lattice(corners: &[usize]) -> usize {
    let mean = |axis: usize| {
        let sum: f64 = corners.iter().map(|&c| HEX_CORNERS[c][axis]).sum();
        (1.0 + sum / corners.len() as f64) as usize
    };
    mean(0) + 3 * mean(1) + 9 * mean(2)
}

/// The centre of a face lies between the middles of opposite edges. Of the two pairs it takes the
/// one with the smallest index, so that both cells at the face ask for the same.
fn opposite_pair(middles: [u32; 4]) -> [u32; 2] {
    let [a, b, c, d] = middles;
    if a.min(c) < b.min(d) { [a, c] } else { [b, d] }
}

pub(super) fn octasect(mesh: &VolumeMesh) -> Result<Refined, MeshError> {
    check_cell_count(mesh.cell_count().saturating_mul(8))?;
    let edge_at = HEX_EDGES.map(|edge| lattice(&edge));
    let face_at = HEX_FACES.map(|face| lattice(&face));
    let corner_at: [usize; 8] = std::array::from_fn(|c| lattice(&[c]));
    let face_edges =
        HEX_FACES.map(|f| [0, 1, 2, 3].map(|i: usize| lattice(&[f[i], f[(i + 1) % 4]])));

    let mut midpoints = Midpoints::new(mesh.vertex_count());
    let mut cells = Vec::with_capacity(8 * mesh.cells.len());
    for cell in mesh.cells() {
        let mut node = [0u32; 27];
        for (&at, &vertex) in corner_at.iter().zip(cell) {
            node[at] = vertex;
        }
        for (&at, [a, b]) in edge_at.iter().zip(HEX_EDGES) {
            node[at] = midpoints.between(cell[a], cell[b]).0;
        }
        for (&at, edges) in face_at.iter().zip(face_edges) {
            let [a, b] = opposite_pair(edges.map(|e| node[e]));
            node[at] = midpoints.between(a, b).0;
        }
        // Bottom and top face; the lattice's own middle is 13.
        node[13] = midpoints.between(node[face_at[0]], node[face_at[1]]).0;
        // A child's corners are at its octant's corner, halved, and one lattice step around it.
        for octant in corner_at {
            cells.extend(corner_at.map(|c| node[octant / 2 + c / 2]));
        }
    }
    let vertex_parents = midpoints.finish()?;
    let mut vertices = mesh.vertices.clone();
    for &[a, b] in &vertex_parents[vertices.len()..] {
        vertices.push(lerp(vertices[a as usize], vertices[b as usize], 0.5));
    }
    Ok(assemble(mesh, vertices, cells, vertex_parents))
}

/// The place of a point of the lattice in the reference cell.
fn reference(at: usize) -> Vec3 {
    [at % 3, at / 3 % 3, at / 9].map(|i| i as f64 - 1.0)
}

pub(super) fn octasect_quadratic(mesh: &VolumeMesh) -> Result<Refined, MeshError> {
    check_cell_count(mesh.cell_count().saturating_mul(8))?;
    let edge_at = HEX_EDGES.map(|edge| lattice(&edge));
    let face_at = HEX_FACES.map(|face| lattice(&face));
    let corner_at: [usize; 8] = std::array::from_fn(|c| lattice(&[c]));
    let face_edges =
        HEX_FACES.map(|f| [0, 1, 2, 3].map(|i: usize| lattice(&[f[i], f[(i + 1) % 4]])));

    let mut midpoints = Midpoints::new(mesh.vertex_count());
    let mut vertices = mesh.vertices.clone();
    let mut cells = Vec::with_capacity(8 * mesh.cells.len());
    for cell in mesh.cells() {
        let nodes: [Vec3; 20] = std::array::from_fn(|a| mesh.vertices[cell[a] as usize]);
        let mut between = |a: u32, b: u32, xi: Vec3| {
            let (vertex, new) = midpoints.between(a, b);
            if new {
                vertices.push(Hex20::shape(xi).point(&nodes));
            }
            vertex
        };
        // Corners and edge middles are there already; faces and the cell get theirs.
        let mut node = [0u32; 27];
        for (&at, &vertex) in corner_at.iter().chain(&edge_at).zip(cell) {
            node[at] = vertex;
        }
        for (&at, edges) in face_at.iter().zip(face_edges) {
            let [a, b] = opposite_pair(edges.map(|e| node[e]));
            node[at] = between(a, b, reference(at));
        }
        node[13] = between(node[face_at[0]], node[face_at[1]], reference(13));
        for octant in corner_at {
            let child = corner_at.map(|c| octant / 2 + c / 2);
            cells.extend(child.map(|at| node[at]));
            for [a, b] in HEX_EDGES.map(|edge| edge.map(|i| child[i])) {
                let xi = lerp(reference(a), reference(b), 0.5);
                cells.push(between(node[a], node[b], xi));
            }
        }
    }
    let vertex_parents = midpoints.finish()?;
    Ok(assemble(mesh, vertices, cells, vertex_parents))
}
