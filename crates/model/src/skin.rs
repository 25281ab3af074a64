//! [`Skin`]: the surface with which a body touches others.

use pliant_algebra::vec3::{Vec3, norm};
use pliant_contact::surface::{BodySurface, CollisionSurface as Surface, VertexNodes};
use pliant_forces::ForceError;
use pliant_forces::loads::Faces;

use crate::surface::CollisionSurface;
use crate::{Body, ModelError, Scenery};

/// Part of the area of quadratic triangles that is shared out as their mass is. ∫N dA alone leaves nothing to their corners, which
/// then nothing would keep away from a plane.
const AT_CORNERS: f64 = 0.03;

/// Vertices with their weights in the vertices of the system, where they are at rest, and triangles between them.
pub(crate) struct Skin {
    pub(crate) rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// ∫N dA of the corners of the triangles, m².
    areas: Vec<[f64; 3]>,
    /// The nodes of vertex i begin at `offsets[i]`.
    offsets: Vec<usize>,
    nodes: Vec<u32>,
    weights: Vec<f64>,
    two_sided: bool,
}

impl Skin {
    /// The boundary of a body's mesh. Faces of quadratic cells are divided at the middles of their edges.
    pub(crate) fn boundary(body: &Body) -> Result<Self, ModelError> {
        let boundary = body.boundary();
        let map = &boundary.vertex_map;
        let triangles = boundary.surface.triangles.clone();
        let areas = areas(body, &triangles, map)?;
        Ok(Self {
            rest: map.iter().map(|&v| body.mesh.vertices[v as usize]).collect(),
            triangles,
            areas,
            offsets: (0..=map.len()).collect(),
            nodes: map.iter().map(|&v| body.system_vertex(v)).collect(),
            weights: vec![1.0; map.len()],
            two_sided: false,
        })
    }

    /// A surface that a body carries along.
    pub(crate) fn carried(body: &Body, surface: &CollisionSurface) -> Self {
        let mut rest = vec![[0.0; 3]; surface.vertices()];
        let mut system = vec![[0.0; 3]; body.range.end];
        system[body.range.clone()].copy_from_slice(&body.rest());
        surface.carry(&system, &mut rest);
        let (mut offsets, mut nodes, mut weights) = (vec![0], Vec::new(), Vec::new());
        for vertex in 0..rest.len() {
            for (node, weight) in surface.vertex(vertex) {
                if weight != 0.0 {
                    nodes.push(node);
                    weights.push(weight);
                }
            }
            offsets.push(nodes.len());
        }
        let triangles = surface.triangles().to_vec();
        let areas = triangles.iter().map(|&t| [crate::load::area(t, &rest) / 3.0; 3]).collect();
        Self { rest, triangles, areas, offsets, nodes, weights, two_sided: false }
    }

    /// The surface of something that is no body. Its triangles may be much larger than what touches them: no vertex has more than
    /// the area `most`, m².
    pub(crate) fn scenery(scenery: &Scenery, most: f64) -> Self {
        let Scenery { surface, .. } = scenery;
        let triangles = surface.triangles.clone();
        let thirds: Vec<f64> =
            triangles.iter().map(|&t| crate::load::area(t, &surface.vertices) / 3.0).collect();
        let mut all = vec![0.0; surface.vertices.len()];
        for (t, third) in triangles.iter().zip(&thirds) {
            t.iter().for_each(|&v| all[v as usize] += third);
        }
        let part = |v: u32| if all[v as usize] > most { most / all[v as usize] } else { 1.0 };
        let areas = triangles.iter().zip(&thirds);
        let areas = areas.map(|(t, third)| t.map(|v| third * part(v))).collect();
        let nodes = scenery.nodes();
        Self {
            rest: surface.vertices.clone(),
            triangles,
            areas,
            offsets: (0..=nodes.len()).collect(),
            weights: vec![1.0; nodes.len()],
            nodes,
            two_sided: true,
        }
    }

    /// The mean area of a vertex, m².
    pub(crate) fn mean_area(&self) -> f64 {
        self.areas.as_flattened().iter().sum::<f64>() / self.rest.len().max(1) as f64
    }

    /// Adds it to the surface of a system.
    pub(crate) fn add_to(&self, surface: &mut Surface) -> Result<(), ModelError> {
        let Self { offsets, nodes, weights, .. } = self;
        self.add(surface, VertexNodes::Weighted { offsets, nodes, weights })
    }

    fn add(&self, surface: &mut Surface, nodes: VertexNodes<'_>) -> Result<(), ModelError> {
        let Self { rest, triangles, areas, two_sided, .. } = self;
        let areas = Some(areas.as_slice());
        let two_sided = *two_sided;
        let body = BodySurface { rest, triangles, strands: &[], areas, two_sided, nodes };
        surface.add(&body).map_err(|e| ForceError::Unsupported(e.to_string()))?;
        Ok(())
    }

    /// The surface of this body alone, whose vertices are those of the skin.
    pub(crate) fn alone(&self) -> Result<Surface, ModelError> {
        let mut surface = Surface::new();
        let nodes: Vec<u32> = (0..self.rest.len() as u32).collect();
        self.add(&mut surface, VertexNodes::Same(&nodes))?;
        Ok(surface)
    }
}

/// The areas of the corners of the boundary's triangles, which come face by face: what a face gives to a node is shared among
/// its triangles there.
fn areas(body: &Body, triangles: &[[u32; 3]], map: &[u32]) -> Result<Vec<[f64; 3]>, ModelError> {
    let faces = body.boundary_faces();
    let per_face = faces.nodes_per_face;
    // Nodes of their own for each face, so that nothing is added up over faces.
    let own: Vec<u32> = (0..faces.nodes.len() as u32).collect();
    let x: Vec<Vec3> = faces.nodes.iter().map(|&v| body.mesh.vertices[v as usize]).collect();
    let list = Faces::of_nodes(per_face, &own)?;
    let lumped = list.lumped_areas(&x)?;
    let mut shares = vec![0.0; x.len()];
    list.each_point(&x, &mut |point| {
        for (&v, n) in point.nodes.iter().zip(point.values) {
            shares[v as usize] += n * norm(point.area);
        }
    })?;
    for (share, lumped) in shares.iter_mut().zip(&lumped) {
        *share = match per_face {
            // Negative at corners: shared out as mass is.
            8 => *lumped,
            6 => ((1.0 - AT_CORNERS) * *share + AT_CORNERS * lumped).max(0.0),
            _ => *share,
        };
    }
    let mut areas = vec![[0.0; 3]; triangles.len()];
    let mut first = 0;
    for (face, nodes) in faces.iter().enumerate() {
        let place = |v: u32| nodes.iter().position(|&n| n == map[v as usize]);
        let inside = |t: &&[u32; 3]| t.iter().all(|&v| place(v).is_some());
        let most = per_face.saturating_sub(2).max(1);
        let count = triangles[first..].iter().take(most).take_while(inside).count();
        let own = first..first + count;
        for t in own.clone() {
            for k in 0..3 {
                let vertex = triangles[t][k];
                let there = triangles[own.clone()].as_flattened();
                let times = there.iter().filter(|&&v| v == vertex).count() as f64;
                let share = place(vertex).map_or(0.0, |p| shares[face * per_face + p]);
                areas[t][k] = share / times;
            }
        }
        first += count;
    }
    Ok(areas)
}
