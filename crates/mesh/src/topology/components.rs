//! Connected parts.

use super::faces::for_each_face;
use super::union_find::UnionFind;
use crate::surface::SurfaceMesh;
use crate::volume::VolumeMesh;

/// The connected parts of a mesh, numbered in the order of their first cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// How many there are.
    pub count: usize,
    /// The part of each cell (or triangle).
    pub label: Vec<u32>,
}

impl Components {
    /// Numbers the roots of `n` cells in order of appearance.
    fn number(n: usize, roots: impl Iterator<Item = u32>) -> Self {
        let mut name = vec![u32::MAX; n];
        let mut count = 0;
        let label = roots
            .map(|root| {
                let name = &mut name[root as usize];
                if *name == u32::MAX {
                    *name = count;
                    count += 1;
                }
                *name
            })
            .collect();
        Self { count: count as usize, label }
    }

    /// Cells in each part.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.count];
        self.label.iter().for_each(|&l| sizes[l as usize] += 1);
        sizes
    }
}

fn by_vertices<'a>(n: usize, cells: impl Iterator<Item = &'a [u32]> + Clone) -> Components {
    let mut sets = UnionFind::new(n);
    for cell in cells.clone() {
        for &v in &cell[1..] {
            sets.unite(cell[0], v);
        }
    }
    Components::number(n, cells.map(|cell| sets.find(cell[0])))
}

/// Parts of a volume mesh, connected where cells share a vertex.
pub fn components(mesh: &VolumeMesh) -> Components {
    by_vertices(mesh.vertex_count(), mesh.cells())
}

/// Parts of a volume mesh, connected only where cells share a face.
pub fn components_by_faces(mesh: &VolumeMesh) -> Components {
    let n = mesh.cell_count();
    let mut sets = UnionFind::new(n);
    for_each_face(mesh, |sides| {
        for side in &sides[1..] {
            sets.unite(sides[0].cell, side.cell);
        }
    });
    Components::number(n, (0..n as u32).map(|c| sets.find(c)))
}

/// Parts of a surface, connected where triangles share a vertex; labels are per triangle.
pub fn surface_components(surface: &SurfaceMesh) -> Components {
    by_vertices(surface.vertices.len(), surface.triangles.iter().map(<[u32; 3]>::as_slice))
}
