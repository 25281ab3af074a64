//! [`CellFaces`]: faces of cells with all their nodes, and the areas that vertices stand for.

use pliant_algebra::vec3::{Vec3, add, norm, normalized};
use pliant_forces::ForceError;
use pliant_forces::loads::Faces;
use pliant_mesh::topology::boundary_faces;

use crate::{Body, ModelError};

/// Whole faces of cells, outward, with all their nodes: corners, then the middles of edges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CellFaces {
    /// Nodes of a face.
    pub nodes_per_face: usize,
    /// Those of all faces, one face after the other.
    pub nodes: Vec<u32>,
}

impl CellFaces {
    /// Number of faces.
    pub fn len(&self) -> usize {
        self.iter().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes of each face.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, u32> {
        self.nodes.chunks_exact(self.nodes_per_face.max(1))
    }

    /// As loads take them.
    pub fn list(&self) -> Result<Faces<'_>, ForceError> {
        Faces::of_nodes(self.nodes_per_face, &self.nodes)
    }

    /// The area of all faces, m², with their vertices at these positions.
    pub fn area(&self, x: &[Vec3]) -> Result<f64, ForceError> {
        let mut sum = 0.0;
        self.list()?.each_point(x, &mut |point| sum += norm(point.area))?;
        Ok(sum)
    }
}

impl<'a> IntoIterator for &'a CellFaces {
    type Item = &'a [u32];
    type IntoIter = std::slice::ChunksExact<'a, u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Body {
    /// The faces of its cells that bound its mesh, in the user's numbering. Found when they are first asked for.
    pub fn boundary_faces(&self) -> &CellFaces {
        self.faces.get_or_init(|| {
            let mesh = &self.mesh;
            let nodes_per_face = mesh.cell_type.faces().first().map_or(0, |face| face.len());
            let sides = boundary_faces(mesh).sides;
            let nodes = sides.iter().flat_map(|side| side.nodes(mesh)).collect();
            CellFaces { nodes_per_face, nodes }
        })
    }

    /// The mean normal at rest of each face of the boundary, of length 1; none of faces without area.
    pub(crate) fn face_normals(&self) -> Result<Vec<Option<Vec3>>, ModelError> {
        let faces = self.boundary_faces();
        let mut areas = vec![[0.0; 3]; faces.len()];
        faces.list()?.each_point(&self.mesh.vertices, &mut |point| {
            areas[point.face] = add(areas[point.face], point.area);
        })?;
        Ok(areas.into_iter().map(normalized).collect())
    }

    /// ∫ N dA of each vertex over the boundary at rest, m², in the user's numbering: the share of a uniform pressure that
    /// acts at the vertex. Exact on flat faces. Vanishes, up to rounding, at the corners of flat quadratic triangles, and is
    /// 0 inside the body.
    pub fn face_integrals(&self) -> Result<Vec<f64>, ModelError> {
        let mut shares = vec![0.0; self.mesh.vertex_count()];
        self.boundary_faces().list()?.each_point(&self.mesh.vertices, &mut |point| {
            let area = norm(point.area);
            for (&v, n) in point.nodes.iter().zip(point.values) {
                shares[v as usize] += n * area;
            }
        })?;
        Ok(shares)
    }

    /// The area of the boundary at rest that each vertex stands for, m², in the user's numbering: positive on the boundary,
    /// 0 inside, and in sum the area of the boundary.
    ///
    /// On triangles and quadrilaterals with nodes at their corners alone this is [`Body::face_integrals`]. On quadratic faces
    /// those integrals vanish or are negative at corners, which an obstacle would then not see: there a vertex has the part
    /// of the area of each face that its ∫ N² dA has in the sum over the face, as lumped masses have. On a flat quadratic
    /// triangle that is 1/19 at a corner and 16/57 at a middle.
    pub fn face_weights(&self) -> Result<Vec<f64>, ModelError> {
        Ok(self.boundary_faces().list()?.lumped_areas(&self.mesh.vertices)?)
    }
}
