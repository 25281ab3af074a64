//! [`Cut`]: bodies cut open by a plane, as triangles that move with them.
//!
//! The plane cuts bodies at rest, and the section is carried along: it shows the same material at all times, and is
//! made anew only where the plane moves. Each point of it lies on an edge between two vertices, so that a frame costs one
//! interpolation a point.

use std::collections::HashMap;

use pliant_algebra::vec3::{Vec3, add_scaled, cross, dot, sub};
use pliant_mesh::CellType;
use pliant_scene::{Body, Simulation};

use crate::command::Plane;

/// A hexahedron as six tetrahedra around its diagonal.
const OF_HEX: [[usize; 4]; 6] =
    [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];
/// A tetrahedron of ten nodes as eight: its corners, and what is left around the diagonal from 4 to 9.
const OF_TET10: [[usize; 4]; 8] = [
    [0, 4, 6, 7],
    [4, 1, 5, 8],
    [6, 5, 2, 9],
    [7, 8, 9, 3],
    [4, 5, 6, 9],
    [4, 6, 7, 9],
    [4, 7, 8, 9],
    [4, 8, 5, 9],
];

/// A hexahedron of twenty nodes as tetrahedra: its corners, and what is left without them around node 16, in the middle of
/// edge 04.
const OF_HEX20: [[usize; 4]; 22] = [
    [0, 8, 11, 16],
    [1, 8, 9, 17],
    [2, 9, 10, 18],
    [3, 10, 11, 19],
    [4, 12, 15, 16],
    [5, 12, 13, 17],
    [6, 13, 14, 18],
    [7, 14, 15, 19],
    [16, 11, 10, 9],
    [16, 11, 9, 8],
    [16, 12, 13, 14],
    [16, 12, 14, 15],
    [16, 9, 18, 13],
    [16, 9, 13, 17],
    [16, 10, 19, 14],
    [16, 10, 14, 18],
    [16, 8, 9, 17],
    [16, 9, 10, 18],
    [16, 10, 11, 19],
    [16, 12, 13, 17],
    [16, 13, 14, 18],
    [16, 14, 15, 19],
];

/// Between two vertices of the system, with the weight of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    ends: [u32; 2],
    part: f64,
}

/// How much of a list belongs to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Points of the surface that is left.
    pub skin_points: u32,
    /// Its triangles.
    pub skin_triangles: u32,
    /// Points of the section.
    pub section_points: u32,
    /// Its triangles.
    pub section_triangles: u32,
}

/// What is left of all bodies, and where they are cut.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    shares: Vec<Share>,
}

impl Cut {
    /// Cuts all bodies of a simulation.
    pub fn new(simulation: &Simulation, plane: Plane) -> Self {
        let mut cut = Self::default();
        for body in &simulation.bodies {
            let from = (cut.points.len(), cut.triangles.len());
            let knife = Knife::new(body, plane);
            cut.skin(&knife);
            let middle = (cut.points.len(), cut.triangles.len());
            cut.section(&knife);
            cut.shares.push(Share {
                skin_points: (middle.0 - from.0) as u32,
                skin_triangles: (middle.1 - from.1) as u32,
                section_points: (cut.points.len() - middle.0) as u32,
                section_triangles: (cut.triangles.len() - middle.1) as u32,
            });
        }
        cut
    }

    /// For each body: first its surface, then its section.
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }

    /// Outward, and towards what is hidden.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Values of the vertices of the system at its points.
    pub fn carry(&self, values: &[Vec3]) -> Vec<Vec3> {
        let at = |p: &Point| {
            let [a, b] = p.ends.map(|v| values[v as usize]);
            add_scaled(a, sub(b, a), p.part)
        };
        self.points.iter().map(at).collect()
    }

    /// The part of the boundary that is not hidden.
    fn skin(&mut self, knife: &Knife<'_>) {
        let mut known = HashMap::new();
        let boundary = knife.body.boundary();
        for triangle in &boundary.surface.triangles {
            let corners = triangle.map(|v| boundary.vertex_map[v as usize]);
            // What is left of a triangle has at most four corners, in its own order.
            let mut left: Vec<u32> = Vec::with_capacity(4);
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                if knife.keeps(a) {
                    left.push(self.point(knife, &mut known, a, a));
                }
                if knife.keeps(a) != knife.keeps(b) {
                    left.push(self.point(knife, &mut known, a, b));
                }
            }
            for k in 2..left.len() {
                self.triangles.push([left[0], left[k - 1], left[k]]);
            }
        }
    }

    /// Where the plane goes through cells.
    fn section(&mut self, knife: &Knife<'_>) {
        let mut known = HashMap::new();
        let mesh = &knife.body.mesh;
        let parts: &[[usize; 4]] = match mesh.cell_type {
            CellType::Tet4 => &[[0, 1, 2, 3]],
            CellType::Tet10 => &OF_TET10,
            CellType::Hex8 => &OF_HEX,
            CellType::Hex20 => &OF_HEX20,
        };
        for cell in mesh.cells() {
            for part in parts {
                let tet = part.map(|k| cell[k]);
                let kept: Vec<u32> = tet.into_iter().filter(|&v| knife.keeps(v)).collect();
                let gone: Vec<u32> = tet.into_iter().filter(|&v| !knife.keeps(v)).collect();
                let pairs: Vec<(u32, u32)> = match (kept.as_slice(), gone.as_slice()) {
                    (&[a], &[b, c, d]) => vec![(a, b), (a, c), (a, d)],
                    (&[b, c, d], &[a]) => vec![(b, a), (c, a), (d, a)],
                    (&[a, b], &[c, d]) => vec![(a, c), (a, d), (b, d), (b, c)],
                    _ => continue,
                };
                let mut left: Vec<u32> =
                    pairs.iter().map(|&(a, b)| self.point(knife, &mut known, a, b)).collect();
                if knife.looks_back(&pairs) {
                    left.reverse();
                }
                for k in 2..left.len() {
                    self.triangles.push([left[0], left[k - 1], left[k]]);
                }
            }
        }
    }

    /// The point where the plane meets the edge from a to b, or a itself; each is made once.
    fn point(
        &mut self,
        knife: &Knife<'_>,
        known: &mut HashMap<(u32, u32), u32>,
        a: u32,
        b: u32,
    ) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        *known.entry((a, b)).or_insert_with(|| {
            let ends = [a, b].map(|v| knife.body.system_vertex(v));
            self.points.push(Point { ends, part: knife.part(a, b) });
            self.points.len() as u32 - 1
        })
    }
}

/// A plane and a body at rest.
struct Knife<'a> {
    body: &'a Body,
    plane: Plane,
    /// Of each vertex beyond the plane, m.
    height: Vec<f64>,
}

impl<'a> Knife<'a> {
    fn new(body: &'a Body, plane: Plane) -> Self {
        let height = body.mesh.vertices.iter().map(|&x| dot(x, plane.normal) - plane.at).collect();
        Self { body, plane, height }
    }

    fn keeps(&self, vertex: u32) -> bool {
        self.height[vertex as usize] <= 0.0
    }

    /// How far along the edge from a to b the plane is; 0 where they are one.
    fn part(&self, a: u32, b: u32) -> f64 {
        let [a, b] = [a, b].map(|v| self.height[v as usize]);
        if a == b { 0.0 } else { a / (a - b) }
    }

    /// Whether a section through these edges is turned away from what is hidden. Of all of it: where the plane goes
    /// through a vertex, some of its triangles are but lines.
    fn looks_back(&self, pairs: &[(u32, u32)]) -> bool {
        let places: Vec<Vec3> = pairs.iter().map(|&(a, b)| self.between(a, b)).collect();
        let area = |k: usize| cross(sub(places[k - 1], places[0]), sub(places[k], places[0]));
        (2..places.len()).map(|k| dot(area(k), self.plane.normal)).sum::<f64>() < 0.0
    }

    /// Where the plane meets an edge, at rest.
    fn between(&self, a: u32, b: u32) -> Vec3 {
        let [x, y] = [a, b].map(|v| self.body.mesh.vertices[v as usize]);
        add_scaled(x, sub(y, x), self.part(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_algebra::vec3::triple;
    use pliant_mesh::generate::{CellChoice, mapped_block};

    #[test]
    fn parts_of_cells_fill_them() {
        for (cell, parts) in [
            (CellChoice::Hex, &OF_HEX[..]),
            (CellChoice::Tet10, &OF_TET10[..]),
            (CellChoice::Hex20, &OF_HEX20[..]),
        ] {
            let mesh = mapped_block([1; 3], cell, |p| p).unwrap();
            let mut volume = 0.0;
            for cell in mesh.cells() {
                for part in parts {
                    let [a, b, c, d] = part.map(|i| mesh.vertices[cell[i] as usize]);
                    volume += triple(sub(b, a), sub(c, a), sub(d, a)).abs() / 6.0;
                }
            }
            assert!((volume - 1.0).abs() < 1e-14, "{cell}: {volume}");
        }
    }
}
