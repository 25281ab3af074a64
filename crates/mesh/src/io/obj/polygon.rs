//! Polygons of a file as triangles, shared by the formats that have polygons.

use pliant_algebra::vec3::{norm_squared, sub};

use crate::error::Note;
use crate::surface::SurfaceMesh;

/// What was cut, so that quadrilaterals can be cut better once all vertices are known.
#[derive(Default)]
pub(in crate::io) struct Polygons {
    /// First of the two triangles of each quadrilateral.
    quads: Vec<usize>,
    count: usize,
}

impl Polygons {
    /// The triangles of a convex polygon, as positions among its `corners`, fanned about the first;
    /// `first` is the number of the first of these triangles in the mesh.
    pub(in crate::io) fn fan(
        &mut self,
        corners: usize,
        first: usize,
    ) -> impl Iterator<Item = [usize; 3]> + use<> {
        if corners == 4 {
            self.quads.push(first);
        }
        self.count += usize::from(corners > 3);
        (2..corners).map(|i| [0, i - 1, i])
    }

    /// Cuts quadrilaterals along the shorter diagonal. All indices must be in range.
    pub(in crate::io) fn finish(self, mesh: &mut SurfaceMesh) -> Option<Note> {
        for first in self.quads {
            let [a, b, c] = mesh.corners(first);
            let d = mesh.corners(first + 1)[2];
            if norm_squared(sub(b, d)) < norm_squared(sub(a, c)) {
                for table in
                    [&mut mesh.triangles, &mut mesh.triangle_texture, &mut mesh.triangle_normals]
                {
                    if let [one, two] = table.get_mut(first..first + 2).unwrap_or_default() {
                        let ([a, b, c], d) = (*one, two[2]);
                        (*one, *two) = ([a, b, d], [b, c, d]);
                    }
                }
            }
        }
        (self.count > 0).then(|| {
            Note::Assumed(format!("{} polygons were cut into triangles, as if convex", self.count))
        })
    }
}
