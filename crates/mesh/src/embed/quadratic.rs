//! Points that follow the quadratic motion of ten-node tetrahedra.

use pliant_algebra::vec3::{Vec3, norm, sub};

use crate::cell::TET_EDGES;
use crate::volume::VolumeMesh;

use super::{Embedding, combine};

/// A point may be off its place at rest by this part of the size of its cell.
const OFF: f64 = 1e-6;

impl Embedding {
    /// The same points bound to all ten nodes of their cells, by the quadratic shape functions of their
    /// barycentric coordinates. Points outside of their cell, where those run away, and points of cells
    /// whose edges are curved at rest stay bound to the corners alone. `volume` is the tet10 mesh that
    /// they were bound to; with any other cells nothing changes.
    #[must_use]
    pub fn quadratic(self, volume: &VolumeMesh) -> Embedding {
        let nodes = volume.cell_type.nodes();
        if nodes != 10 || self.vertices_per_point != 4 || self.cells.is_empty() {
            return self;
        }
        let mut bound = Embedding {
            vertices_per_point: nodes,
            indices: Vec::with_capacity(nodes * self.cells.len()),
            weights: Vec::with_capacity(nodes * self.cells.len()),
            ..self.clone()
        };
        let points = self.indices.chunks_exact(4).zip(self.weights.chunks_exact(4));
        for ((corners, linear), &cell) in points.zip(&self.cells) {
            let cell = volume.cell(cell as usize);
            let mut weights = [0.0; 10];
            for (w, l) in weights.iter_mut().zip(linear) {
                *w = l * (2.0 * l - 1.0);
            }
            for (w, [a, b]) in weights[4..].iter_mut().zip(TET_EDGES) {
                *w = 4.0 * linear[a] * linear[b];
            }
            let place = combine(&volume.vertices, corners, linear);
            let off = norm(sub(combine(&volume.vertices, cell, &weights), place));
            let inside = linear.iter().all(|&l| l >= -OFF);
            if !inside || off > OFF * extent(volume, corners) {
                weights = [0.0; 10];
                weights[..4].copy_from_slice(linear);
            }
            bound.indices.extend(cell);
            bound.weights.extend(weights);
        }
        bound
    }
}

fn extent(volume: &VolumeMesh, corners: &[u32]) -> f64 {
    let at = |v: u32| -> Vec3 { volume.vertices[v as usize] };
    corners[1..].iter().map(|&v| norm(sub(at(v), at(corners[0])))).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::CellType;

    /// One ten-node tetrahedron.
    fn cell() -> VolumeMesh {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.5]];
        let mut mesh = VolumeMesh::new(CellType::Tet10, corners.to_vec(), (0..10).collect());
        let middle =
            |[a, b]: [usize; 2]| std::array::from_fn(|k| 0.5 * (corners[a][k] + corners[b][k]));
        mesh.vertices.extend(TET_EDGES.map(middle));
        mesh
    }

    fn bent([x, y, z]: Vec3) -> Vec3 {
        [x + 0.3 * y * z - 0.2 * x * x, y + 0.1 * x * y, z + 0.4 * x * x - 0.1 * z * y]
    }

    #[test]
    fn points_inside_follow_quadratic_motions_and_points_outside_linear_ones() {
        let mesh = cell();
        let points = [[0.2, 0.3, 0.4], [0.0, 0.0, 0.0], [0.5, 0.0, 0.1], [-0.1, 0.2, 0.2]];
        let linear = Embedding::bind(&mesh, &points).unwrap();
        let bound = linear.clone().quadratic(&mesh);
        let moved: Vec<Vec3> = mesh.vertices.iter().map(|&p| bent(p)).collect();
        let (mut found, mut straight) = (vec![[0.0; 3]; 4], vec![[0.0; 3]; 4]);
        bound.interpolate(&moved, &mut found);
        linear.interpolate(&moved, &mut straight);
        for (p, x) in points.iter().zip(&found).take(3) {
            assert!(norm(sub(*x, bent(*p))) < 1e-15, "{x:?}");
        }
        assert_eq!(found[3], straight[3]);
        assert!(norm(sub(straight[0], found[0])) > 0.01);
    }

    #[test]
    fn points_of_curved_cells_stay_where_they_are_at_rest() {
        let mut mesh = cell();
        mesh.vertices[4][1] -= 0.2;
        let points = [[0.2, 0.3, 0.4]];
        let bound = Embedding::bind(&mesh, &points).unwrap().quadratic(&mesh);
        let mut found = [[0.0; 3]];
        bound.interpolate(&mesh.vertices, &mut found);
        assert!(norm(sub(found[0], points[0])) < 1e-15);
    }
}
