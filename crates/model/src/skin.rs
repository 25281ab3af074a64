//! [`Skin`]: the surface with which a body touches others.

use pliant_algebra::vec3::{Vec3, add_scaled, norm};
use pliant_contact::surface::{BodySurface, CollisionSurface as Surface, Sample, VertexNodes};
use pliant_forces::ForceError;
use pliant_forces::loads::Faces;

use crate::surface::CollisionSurface;
use crate::{Body, ModelError, Scenery};

/// By the number of nodes of a face: the part of its area that the point in its middle stands for, and shape functions there of corners
/// and of middles of edges. The rest of ∫N dA is at the nodes: positive for all of them, also where ∫N dA itself vanishes or is negative,
/// as at the corners of quadratic faces. The rules are exact for polynomials of second degree at least, those of quadrilaterals of third.
fn middle(nodes: usize) -> (f64, [f64; 2]) {
    match nodes {
        3 => (3.0 / 4.0, [1.0 / 3.0, 0.0]),
        4 => (2.0 / 3.0, [1.0 / 4.0, 0.0]),
        6 => (9.0 / 20.0, [-1.0 / 9.0, 4.0 / 9.0]),
        _ => (4.0 / 9.0, [-1.0 / 4.0, 1.0 / 2.0]),
    }
}

/// Vertices with their weights in the vertices of the system, where they are at rest, and triangles between them.
pub(crate) struct Skin {
    pub(crate) rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Areas of the corners of the triangles, m².
    areas: Vec<[f64; 3]>,
    /// Points in the middle of faces; their vertices come after those of triangles.
    samples: Vec<Sample>,
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
        let mut skin = Self {
            rest: map.iter().map(|&v| body.mesh.vertices[v as usize]).collect(),
            triangles: boundary.surface.triangles.clone(),
            areas: vec![[0.0; 3]; boundary.surface.triangles.len()],
            samples: Vec::new(),
            offsets: (0..=map.len()).collect(),
            nodes: map.iter().map(|&v| body.system_vertex(v)).collect(),
            weights: vec![1.0; map.len()],
            two_sided: false,
        };
        skin.share_out(body, map)?;
        Ok(skin)
    }

    /// The same without the points in the middle of faces, whose area goes to the corners: every vertex is one of the body.
    pub(crate) fn without_samples(mut self) -> Self {
        for sample in self.samples.drain(..) {
            self.areas[sample.triangle as usize].iter_mut().for_each(|a| *a += sample.area / 3.0);
        }
        let most = self.triangles.as_flattened().iter().max().map_or(0, |&v| v as usize + 1);
        self.rest.truncate(most);
        self.offsets.truncate(most + 1);
        let nodes = self.offsets.last().copied().unwrap_or(0);
        self.nodes.truncate(nodes);
        self.weights.truncate(nodes);
        self
    }

    /// Adds a contact point that is a combination of vertices of the system, and returns its number.
    fn push(&mut self, place: Vec3, nodes: impl IntoIterator<Item = (u32, f64)>) -> u32 {
        self.rest.push(place);
        for (node, weight) in nodes {
            if weight != 0.0 {
                self.nodes.push(node);
                self.weights.push(weight);
            }
        }
        self.offsets.push(self.nodes.len());
        self.rest.len() as u32 - 1
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
        let (samples, areas) = (Vec::new(), Vec::new());
        let two_sided = false;
        let mut skin = Self { rest, triangles, areas, samples, offsets, nodes, weights, two_sided };
        let (part, [at_corner, _]) = middle(3);
        for (t, corners) in surface.triangles().iter().enumerate() {
            let area = crate::load::area(*corners, &skin.rest);
            skin.areas.push([(1.0 - part) * area / 3.0; 3]);
            let rows = corners.iter().flat_map(|&v| surface.vertex(v as usize));
            let nodes: Vec<_> = rows.map(|(node, weight)| (node, at_corner * weight)).collect();
            let place = corners
                .iter()
                .fold([0.0; 3], |sum, &v| add_scaled(sum, skin.rest[v as usize], at_corner));
            let vertex = skin.push(place, nodes);
            skin.samples.push(Sample { vertex, triangle: t as u32, area: part * area });
        }
        skin
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
            for &v in t {
                all[v as usize] += third;
            }
        }
        let part = |v: u32| if all[v as usize] > most { most / all[v as usize] } else { 1.0 };
        let areas = triangles.iter().zip(&thirds);
        let areas = areas.map(|(t, third)| t.map(|v| third * part(v))).collect();
        let nodes = scenery.nodes();
        Self {
            rest: surface.vertices.clone(),
            triangles,
            areas,
            samples: Vec::new(),
            offsets: (0..=nodes.len()).collect(),
            weights: vec![1.0; nodes.len()],
            nodes,
            two_sided: true,
        }
    }

    /// The mean area of a contact point, m².
    pub(crate) fn mean_area(&self) -> f64 {
        let corners: f64 = self.areas.as_flattened().iter().sum();
        let samples: f64 = self.samples.iter().map(|s| s.area).sum();
        (corners + samples) / self.rest.len().max(1) as f64
    }

    /// Adds it to the surface of a system.
    pub(crate) fn add_to(&self, surface: &mut Surface) -> Result<(), ModelError> {
        let Self { offsets, nodes, weights, .. } = self;
        self.add(surface, VertexNodes::Weighted { offsets, nodes, weights })
    }

    fn add(&self, surface: &mut Surface, nodes: VertexNodes<'_>) -> Result<(), ModelError> {
        let Self { rest, triangles, areas, samples, two_sided, .. } = self;
        let areas = Some(areas.as_slice());
        let two_sided = *two_sided;
        let strands = &[];
        let body = BodySurface { rest, triangles, strands, areas, samples, two_sided, nodes };
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

impl Skin {
    /// Shares the areas of the boundary's faces out to its corners and to points in the middle of faces. Triangles come face by face;
    /// what a face gives to a node is shared among its triangles there.
    fn share_out(&mut self, body: &Body, map: &[u32]) -> Result<(), ModelError> {
        let faces = body.boundary_faces();
        let per_face = faces.nodes_per_face;
        let (part, at_middle) = middle(per_face);
        let corners =
            if per_face.is_multiple_of(2) && per_face > 4 { per_face / 2 } else { per_face };
        let shape = |k: usize| at_middle[usize::from(k >= corners)];
        // Nodes of their own for each face, so that nothing is added up over faces.
        let own: Vec<u32> = (0..faces.nodes.len() as u32).collect();
        let x: Vec<Vec3> = faces.nodes.iter().map(|&v| body.mesh.vertices[v as usize]).collect();
        let mut shares = vec![0.0; x.len()];
        Faces::of_nodes(per_face, &own)?.each_point(&x, &mut |point| {
            for (&v, n) in point.nodes.iter().zip(point.values) {
                shares[v as usize] += n * norm(point.area);
            }
        })?;
        let mut first = 0;
        for (face, nodes) in faces.iter().enumerate() {
            let place = |v: u32| nodes.iter().position(|&n| n == map[v as usize]);
            let inside = |t: &&[u32; 3]| t.iter().all(|&v| place(v).is_some());
            let most = per_face.saturating_sub(2).max(1);
            let count = self.triangles[first..].iter().take(most).take_while(inside).count();
            let own = first..first + count;
            first += count;
            if own.is_empty() {
                continue;
            }
            let shares = &shares[face * per_face..][..per_face];
            let area = part * shares.iter().sum::<f64>();
            for t in own.clone() {
                for k in 0..3 {
                    let vertex = self.triangles[t][k];
                    let there = self.triangles[own.clone()].as_flattened();
                    let times = there.iter().filter(|&&v| v == vertex).count() as f64;
                    let share = place(vertex).map_or(0.0, |p| shares[p] - area * shape(p));
                    self.areas[t][k] = share.max(0.0) / times;
                }
            }
            let rows: Vec<(u32, f64)> =
                nodes.iter().enumerate().map(|(k, &v)| (body.system_vertex(v), shape(k))).collect();
            let at = nodes.iter().enumerate().fold([0.0; 3], |sum, (k, &v)| {
                add_scaled(sum, body.mesh.vertices[v as usize], shape(k))
            });
            let vertex = self.push(at, rows);
            self.samples.extend(own.clone().map(|t| Sample {
                vertex,
                triangle: t as u32,
                area: area / count as f64,
            }));
        }
        Ok(())
    }
}
