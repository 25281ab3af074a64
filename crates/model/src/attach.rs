//! Springs between bodies, or between a body and the world.

use pliant_algebra::vec3::Vec3;
use pliant_forces::springs::{Attachment, Attachments, End, Point};
use pliant_mesh::embed::Embedding;
use pliant_mesh::refine::{Split, hex_to_tets};
use pliant_mesh::spatial::TriangleTree;
use pliant_mesh::{CellType, MeshError, VolumeMesh};

use crate::{Body, ModelError, Select};

/// How vertices of a body are joined to where they are at rest, in another body or in the world.
#[derive(Clone, Default)]
pub struct Joint {
    /// Which vertices; those of the boundary if none.
    pub on: Option<Select>,
    /// Only vertices nearer to the other body than this, m.
    pub within: Option<f64>,
    /// Of each spring, N/m; stiff by the bodies' materials if none.
    pub stiffness: Option<f64>,
    /// Of each spring, N·s/m.
    pub damping: f64,
}

impl Joint {
    /// Makes the model. `rest` is that of the system.
    pub(crate) fn model(
        &self,
        body: &Body,
        other: Option<&Body>,
        rest: &[Vec3],
    ) -> Result<Attachments, ModelError> {
        if other.is_some_and(|other| other.range == body.range) {
            return Err(ModelError::Unsupported {
                text: "a body cannot be joined to itself".into(),
                hint: "name another body, or none to join it to the world",
            });
        }
        let mut vertices = match &self.on {
            Some(on) => body.select(on)?,
            None => body.boundary().vertex_map.clone(),
        };
        if let (Some(within), Some(other)) = (self.within, other) {
            let tree = TriangleTree::of(&other.boundary().surface);
            let near =
                |v: &u32| tree.nearest_within(body.mesh.vertices[*v as usize], within).is_some();
            vertices.retain(near);
            if vertices.is_empty() {
                let (body, other) = (body.name.clone(), other.name.clone());
                return Err(ModelError::NotNear { body, other, within });
            }
        }
        let stiff = |body: &Body| 10.0 * body.modulus() * body.cell_size();
        let stiffness = self
            .stiffness
            .unwrap_or_else(|| other.map_or(stiff(body), |other| stiff(body).min(stiff(other))));
        let places: Vec<Vec3> = vertices.iter().map(|&v| body.mesh.vertices[v as usize]).collect();
        let bound = other.map(|other| bind(other, &places)).transpose()?;
        let mut list = Vec::with_capacity(vertices.len());
        for (i, &v) in vertices.iter().enumerate() {
            let to = match (&bound, other) {
                (Some(bound), Some(other)) => End::Point(point(bound, i, other)?),
                _ => End::Fixed(places[i]),
            };
            let point = Point::vertex(body.system_vertex(v));
            list.push(Attachment {
                damping: self.damping,
                ..Attachment::new(point, to, stiffness)
            });
        }
        Ok(Attachments::new(rest.len(), list)?)
    }
}

/// Points as means of four vertices: hexahedra are cut into tetrahedra for that.
fn bind(body: &Body, places: &[Vec3]) -> Result<Embedding, MeshError> {
    match body.mesh.cell_type {
        CellType::Hex8 => Embedding::bind(&hex_to_tets(&body.mesh, Split::Six)?, places),
        CellType::Hex20 => {
            let cells = body.mesh.corner_cells().into_owned();
            let corners = VolumeMesh::new(CellType::Hex8, body.mesh.vertices.clone(), cells);
            Embedding::bind(&hex_to_tets(&corners, Split::Six)?, places)
        }
        CellType::Tet4 | CellType::Tet10 => Embedding::bind(&body.mesh, places),
    }
}

fn point(bound: &Embedding, i: usize, body: &Body) -> Result<Point, ModelError> {
    let k = bound.vertices_per_point;
    let range = i * k..(i + 1) * k;
    let vertices: Vec<u32> =
        bound.indices[range.clone()].iter().map(|&v| body.system_vertex(v)).collect();
    let weights = &bound.weights[range];
    // Rounding may leave the sum off by more than is allowed.
    let sum: f64 = weights.iter().sum();
    let weights: Vec<f64> = weights.iter().map(|w| w / sum).collect();
    Ok(Point::barycentric(&vertices, &weights)?)
}
