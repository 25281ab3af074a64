//! Middle nodes of quadratic cells on the curved sides of generated bodies.
//!
//! A generator with twice as many cells along every direction has a vertex wherever a hexahedron of the coarse mesh has
//! the middle of an edge, a face or the cell itself, and so wherever one of its tetrahedra has the middle of an edge:
//! all of them where the shape's own map puts them.

use std::collections::HashMap;

use pliant_algebra::vec3::{Vec3, add, lerp, sub};

use super::{CellChoice, Shape};
use crate::cell::{HEX_CORNERS, HEX_EDGES};
use crate::error::{ErrorKind, MeshError};
use crate::refine::to_quadratic;
use crate::topology::{Adjacency, vertex_cells};
use crate::volume::VolumeMesh;

impl Shape {
    /// Adds middle nodes to a mesh that this shape generated without, whose vertices may have been moved since: tet10
    /// from tet4, hex20 from hex8. The middle nodes of curved shapes lie where the shape has them, on its sides and
    /// inside, moved by as much as their edge was.
    pub fn quadratic(&self, linear: &VolumeMesh) -> Result<VolumeMesh, MeshError> {
        let mut mesh = to_quadratic(linear)?;
        if !self.is_curved() {
            return Ok(mesh);
        }
        let mut coarse = self.clone();
        *coarse.cell_mut() = CellChoice::Hex;
        let mut fine = coarse.clone();
        fine.double();
        let (coarse, fine) = (coarse.generate()?, fine.generate()?);
        if coarse.vertex_count() != linear.vertex_count() {
            let (n, of) = (linear.vertex_count(), coarse.vertex_count());
            let text = format!("a mesh of {n} vertices is not that of a {} of {of}", self.name());
            return Err(MeshError::new(ErrorKind::Count, text));
        }
        let (corners, edges) = (mesh.cell_type.corners(), mesh.cell_type.edges());
        let mut middle_of: HashMap<[u32; 2], u32> = HashMap::new();
        for cell in mesh.cells() {
            for (&[a, b], &middle) in edges.iter().zip(&cell[corners..]) {
                middle_of.insert(key(cell[a], cell[b]), middle);
            }
        }
        let halves = Halves::new(&coarse, &fine)?;
        for cell in coarse.cells() {
            let parts = halves.parts(cell)?;
            for j in 1..8 {
                for i in 0..j {
                    let Some(&middle) = middle_of.get(&key(cell[i], cell[j])) else { continue };
                    let place = fine.vertices[halves.between(&parts, cell, [i, j])? as usize];
                    let ends = [cell[i], cell[j]].map(|v| v as usize);
                    let [was, is] = [&coarse, linear].map(|m| ends.map(|v| m.vertices[v]));
                    mesh.vertices[middle as usize] = if was == is {
                        place
                    } else {
                        let straight = |[a, b]: [Vec3; 2]| lerp(a, b, 0.5);
                        add(place, sub(straight(is), straight(was)))
                    };
                }
            }
        }
        Ok(mesh)
    }
}

fn key(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// A mesh of hexahedra, and one whose cells are its cells cut into eight.
struct Halves<'a> {
    fine: &'a VolumeMesh,
    /// The fine vertex of each coarse one.
    same: Vec<u32>,
    /// The fine cells at each fine vertex.
    around: Adjacency,
}

/// Fine cells at the corners of a coarse one, and the vertex in its middle, which they share.
struct CellParts {
    at: [u32; 8],
    middle: u32,
}

impl<'a> Halves<'a> {
    /// Lines of a mesh twice as fine are halved exactly, so that vertices agree in every bit.
    fn new(coarse: &VolumeMesh, fine: &'a VolumeMesh) -> Result<Self, MeshError> {
        // Adding zero makes one zero of the two.
        let bits = |p: &Vec3| p.map(|c| (c + 0.0).to_bits());
        let place: HashMap<[u64; 3], u32> =
            fine.vertices.iter().zip(0..).map(|(p, v)| (bits(p), v)).collect();
        let same = coarse.vertices.iter().map(|p| place.get(&bits(p)).copied());
        let same = same.collect::<Option<Vec<u32>>>().ok_or_else(not_halved)?;
        Ok(Self { fine, same, around: vertex_cells(fine) })
    }

    /// The vertex across a fine cell from one of its corners.
    fn across(&self, part: u32, corner: u32) -> Option<u32> {
        let part = self.fine.cell(part as usize);
        let local = part.iter().position(|&v| v == corner)?;
        let opposite = HEX_CORNERS[local].map(|s| -s);
        HEX_CORNERS.iter().position(|s| *s == opposite).map(|i| part[i])
    }

    /// The parts of a coarse cell: those at its corners that have one vertex in common, across from each of them.
    fn parts(&self, cell: &[u32]) -> Result<CellParts, MeshError> {
        let corner = |i: usize| self.same[cell[i] as usize];
        let with_middle = |i: usize, middle: u32| {
            let mut parts = self.around.of(corner(i) as usize).iter().copied();
            parts.find(|&part| self.across(part, corner(i)) == Some(middle))
        };
        for &first in self.around.of(corner(0) as usize) {
            let Some(middle) = self.across(first, corner(0)) else { continue };
            let mut at = [first; 8];
            if (1..8).all(|i| with_middle(i, middle).map(|part| at[i] = part).is_some()) {
                return Ok(CellParts { at, middle });
            }
        }
        Err(not_halved())
    }

    /// The fine vertex midway between two corners of a coarse cell: on an edge, a face, or in the cell.
    fn between(
        &self,
        parts: &CellParts,
        cell: &[u32],
        [i, j]: [usize; 2],
    ) -> Result<u32, MeshError> {
        let apart = (0..3).filter(|&k| HEX_CORNERS[i][k] != HEX_CORNERS[j][k]).count();
        if apart == 3 {
            return Ok(parts.middle);
        }
        let [first, second] = [i, j].map(|c| self.fine.cell(parts.at[c] as usize));
        let corner = self.same[cell[i] as usize];
        // Parts across a face share an edge from its centre to the middle; parts along an edge share a face, of which
        // only the vertex on that edge is next to a corner of the cell.
        let next = |local: usize| {
            apart == 2
                || HEX_EDGES.iter().any(|&[a, b]| {
                    a == local && first[b] == corner || b == local && first[a] == corner
                })
        };
        let shared = |local: &usize| {
            let v = first[*local];
            v != parts.middle && second.contains(&v) && next(*local)
        };
        (0..8).find(shared).map(|local| first[local]).ok_or_else(not_halved)
    }
}

fn not_halved() -> MeshError {
    let text = "the finer mesh does not have the vertices of the coarse one".to_owned();
    MeshError::new(ErrorKind::Geometry, text).hint("move the shape nearer to the origin")
}
