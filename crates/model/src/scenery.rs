//! [`Scenery`]: surfaces that are no bodies: they stand still or are moved, and bodies touch them.

use std::ops::Range;

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::Motion;
use pliant_mesh::SurfaceMesh;
use pliant_mesh::topology::surface_edges;

/// A surface in a world, made by [`WorldBuilder::scenery`](crate::WorldBuilder::scenery). Its vertices are vertices of the system without mass
/// or elements, all of them held, after those of all bodies: so what bounds and reports motions of supports knows them as well.
#[derive(Debug, Clone)]
pub struct Scenery {
    /// Its name.
    pub name: String,
    /// At rest; every vertex is one of a triangle.
    pub surface: SurfaceMesh,
    /// How it moves.
    pub motion: Motion,
    /// Coefficient of dry friction; that of the contact if none.
    pub friction: Option<f64>,
    /// Its vertices in the system.
    pub range: Range<usize>,
}

impl Scenery {
    /// Of a surface whose vertices begin at a number of the system. Vertices without triangles are left out.
    pub(crate) fn new(name: &str, surface: &SurfaceMesh, motion: Motion, first: usize) -> Self {
        let mut new = vec![u32::MAX; surface.vertices.len()];
        let mut vertices: Vec<Vec3> = Vec::new();
        let mut triangles = surface.triangles.clone();
        for v in triangles.as_flattened_mut() {
            let slot = &mut new[*v as usize];
            if *slot == u32::MAX {
                *slot = vertices.len() as u32;
                vertices.push(surface.vertices[*v as usize]);
            }
            *v = *slot;
        }
        let range = first..first + vertices.len();
        let surface = SurfaceMesh::new(vertices, triangles);
        Self { name: name.to_owned(), surface, motion, friction: None, range }
    }

    /// Whether its surface has no rim.
    pub fn is_closed(&self) -> bool {
        surface_edges(&self.surface).is_closed()
    }

    /// Where its vertices are at a time, m.
    pub fn positions(&self, time: f64) -> impl Iterator<Item = Vec3> + '_ {
        self.surface.vertices.iter().map(move |&rest| self.motion.at(rest, time).x)
    }

    /// The vertices of its triangles in the system.
    pub(crate) fn nodes(&self) -> Vec<u32> {
        (self.range.start as u32..self.range.end as u32).collect()
    }
}
