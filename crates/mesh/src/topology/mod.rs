//! Topology: edges, faces, boundary, neighbours, components.
//!
//! Everything is counted into buckets by vertex and sorted within them: no hashing, so results
//! depend on the mesh alone. All functions ask for indices in range, as
//! [`VolumeMesh::validate`](crate::VolumeMesh::validate) checks; geometry is never looked at.

mod boundary;
mod components;
mod edges;
mod faces;
mod grouped;
mod manifold;
mod union_find;

pub use boundary::{Boundary, boundary};
pub use components::{Components, components, components_by_faces, surface_components};
pub use edges::{edges, vertex_cells, vertex_couplings, vertex_neighbours};
pub use faces::{BoundaryFaces, Faces, Side, boundary_faces, cell_neighbours, faces};
pub use grouped::{Adjacency, Grouped};
pub use manifold::{SurfaceEdges, polygon_edges, surface_edges};

pub(crate) use faces::for_each_face;
pub(crate) use manifold::for_each_edge;
pub(crate) use union_find::UnionFind;
