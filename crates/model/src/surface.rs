//! [`CollisionSurface`]: a surface that a body carries along, y = W x.

use pliant_algebra::vec3::Vec3;
use pliant_mesh::SurfaceMesh;
use pliant_mesh::embed::{Embedding, Outside};

use crate::{Body, ModelError, Scenery};

/// Triangles whose vertices are fixed combinations of the vertices of a body: y = W x. W is a part of the identity
/// for the boundary of the body's mesh, and holds the weights of an embedding for a surface that is drawn in its
/// place. Vertices of the body are in the system's numbering.
#[derive(Debug, Clone)]
pub struct CollisionSurface {
    triangles: Vec<[u32; 3]>,
    weights: Weights,
}

/// The rows of W.
#[derive(Debug, Clone)]
enum Weights {
    /// Each is a vertex.
    Vertices(Vec<u32>),
    /// Each is somewhere in a cell.
    Points(Embedding),
}

impl CollisionSurface {
    /// The boundary of the body's mesh.
    pub fn boundary(body: &Body) -> Self {
        let boundary = body.boundary();
        let vertices = boundary.vertex_map.iter().map(|&v| body.system_vertex(v)).collect();
        let triangles = boundary.surface.triangles.clone();
        Self { triangles, weights: Weights::Vertices(vertices) }
    }

    /// All of a surface that is no body's.
    pub fn of_scenery(scenery: &Scenery) -> Self {
        let triangles = scenery.surface.triangles.clone();
        Self { triangles, weights: Weights::Vertices(scenery.nodes()) }
    }

    /// A surface whose vertices belong to the cells they are in at rest, or to the nearest ones: on quadratic
    /// cells by quadratic weights. Also returns how far it sticks out.
    pub fn embedded(body: &Body, surface: &SurfaceMesh) -> Result<(Self, Outside), ModelError> {
        let bound = Embedding::isoparametric(&body.mesh, &surface.vertices)?;
        let outside = bound.outside;
        Ok((Self::bound(body, &surface.triangles, bound)?, outside))
    }

    /// A surface by weights of its own: of each vertex, vertices of the body in the user's numbering.
    pub fn bound(
        body: &Body,
        triangles: &[[u32; 3]],
        mut weights: Embedding,
    ) -> Result<Self, ModelError> {
        let (count, points) = (body.mesh.vertex_count(), weights.point_count());
        let wrong = weights.indices.iter().find(|v| **v as usize >= count);
        if let Some(&vertex) = wrong {
            let (body, vertex) = (body.name.clone(), vertex as usize);
            return Err(ModelError::NoVertex { body, vertex, count });
        }
        let last = triangles.as_flattened().iter().max();
        if let Some(&last) = last.filter(|last| **last as usize >= points) {
            let what = format!("weights of the surface of body '{}'", body.name);
            return Err(ModelError::Count { what, found: points, needed: last as usize + 1 });
        }
        for v in &mut weights.indices {
            *v = body.system_vertex(*v);
        }
        Ok(Self { triangles: triangles.to_vec(), weights: Weights::Points(weights) })
    }

    /// Number of vertices of the surface.
    pub fn vertices(&self) -> usize {
        match &self.weights {
            Weights::Vertices(list) => list.len(),
            Weights::Points(embedding) => embedding.point_count(),
        }
    }

    /// Its vertices, three a triangle, outward.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Computes y = W x: positions, velocities or other values of the surface from those of the system. Allocates
    /// nothing.
    ///
    /// # Panics
    /// If `y` has another length than there are vertices of the surface, or `x` is shorter than the system.
    pub fn carry(&self, x: &[Vec3], y: &mut [Vec3]) {
        match &self.weights {
            Weights::Vertices(list) => {
                assert_eq!(y.len(), list.len(), "one value for each vertex");
                for (y, &v) in y.iter_mut().zip(list) {
                    *y = x[v as usize];
                }
            }
            Weights::Points(embedding) => embedding.interpolate(x, y),
        }
    }

    /// Calls `put` with each vertex of the system that carries a vertex of the surface, and its weight.
    fn each(&self, vertex: usize, mut put: impl FnMut(u32, f64)) {
        match &self.weights {
            Weights::Vertices(list) => {
                if let Some(&v) = list.get(vertex) {
                    put(v, 1.0);
                }
            }
            Weights::Points(embedding) => {
                let k = embedding.vertices_per_point;
                let range = vertex * k..(vertex + 1) * k;
                let weights = embedding.weights.get(range.clone()).unwrap_or_default();
                let vertices = embedding.indices.get(range).unwrap_or_default();
                vertices.iter().zip(weights).for_each(|(&v, &w)| put(v, w));
            }
        }
    }

    /// The vertices of the system that carry a vertex of the surface, with their weights: a row of W.
    pub fn vertex(&self, vertex: usize) -> Vec<(u32, f64)> {
        let mut row = Vec::new();
        self.each(vertex, |v, w| row.push((v, w)));
        row
    }

    /// The vertices of the system that carry a point of a triangle, with their weights; none if there is no
    /// such triangle.
    pub fn point(&self, triangle: usize, weights: [f64; 3]) -> Option<Vec<(u32, f64)>> {
        let corners = self.triangles.get(triangle)?;
        let mut nodes: Vec<(u32, f64)> = Vec::new();
        for (&corner, weight) in corners.iter().zip(weights) {
            self.each(corner as usize, |v, w| match nodes.iter_mut().find(|n| n.0 == v) {
                Some(node) => node.1 += weight * w,
                None => nodes.push((v, weight * w)),
            });
        }
        Some(nodes)
    }
}
