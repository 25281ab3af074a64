//! [`CollisionSurface`]: the triangles, edges and vertices of all bodies that can touch.
//!
//! A collision vertex is y = Σ W x of a few simulated vertices x: itself for linear elements and cloth, the nodes of a
//! face for quadratic ones, the corners of a cell for an embedded surface. A force g on it becomes Wᵀ g.

mod body;

pub use body::{BodySurface, SurfaceError, VertexNodes};

use pliant_algebra::vec3::{Vec3, add_scaled, cross, norm, norm_squared, sub};

/// The collision surface of all bodies.
#[derive(Debug, Clone, Default)]
pub struct CollisionSurface {
    offsets: Vec<usize>,
    nodes: Vec<u32>,
    weights: Vec<f64>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    bodies: Vec<u32>,
    body_count: u32,
    vertex_areas: Vec<f64>,
    edge_areas: Vec<f64>,
    edge_lengths_squared: Vec<f64>,
}

impl CollisionSurface {
    /// A surface without bodies.
    pub fn new() -> Self {
        Self { offsets: vec![0], ..Self::default() }
    }

    /// Adds a body and returns its number, counted from zero. Nothing is added where it is an error.
    pub fn add(&mut self, body: &BodySurface<'_>) -> Result<u32, SurfaceError> {
        body.check()?;
        let first = self.bodies.len() as u32;
        let start = self.nodes.len();
        match body.nodes {
            VertexNodes::Same(nodes) => {
                self.nodes.extend_from_slice(nodes);
                self.weights.resize(start + nodes.len(), 1.0);
                self.offsets.extend((1..=nodes.len()).map(|k| start + k));
            }
            VertexNodes::Weighted { offsets, nodes, weights } => {
                self.nodes.extend_from_slice(nodes);
                self.weights.extend_from_slice(weights);
                self.offsets.extend(offsets[1..].iter().map(|o| start + o));
            }
        }
        self.bodies.resize(self.bodies.len() + body.rest.len(), self.body_count);
        self.triangles.extend(body.triangles.iter().map(|t| t.map(|v| v + first)));
        match body.areas {
            Some(areas) => self.vertex_areas.extend_from_slice(areas),
            None => self.vertex_areas.extend(thirds(body.rest, body.triangles)),
        }
        for (edge, area) in edges(body) {
            let [a, b] = edge.map(|v| body.rest[v as usize]);
            self.edges.push(edge.map(|v| v + first));
            self.edge_areas.push(area);
            self.edge_lengths_squared.push(norm_squared(sub(b, a)));
        }
        self.body_count += 1;
        Ok(self.body_count - 1)
    }

    /// Number of collision vertices.
    pub fn vertex_count(&self) -> usize {
        self.bodies.len()
    }
    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.body_count as usize
    }
    /// Collision vertices of the triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
    /// Collision vertices of the edges: the lower one first, each edge once, ascending.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }
    /// The body of each collision vertex, ascending. A primitive is of the body of its first vertex.
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }
    /// w_v of each collision vertex, m².
    pub fn vertex_areas(&self) -> &[f64] {
        &self.vertex_areas
    }
    /// w_e of each edge, m²: a third of the triangles at it, at rest; zero for strands.
    pub fn edge_areas(&self) -> &[f64] {
        &self.edge_areas
    }
    /// The squared length of each edge at rest, m².
    pub fn edge_lengths_squared(&self) -> &[f64] {
        &self.edge_lengths_squared
    }
    /// Simulated vertices that collision vertex `vertex` is made of, and their weights.
    pub fn nodes_of(&self, vertex: u32) -> (&[u32], &[f64]) {
        let range = self.offsets[vertex as usize]..self.offsets[vertex as usize + 1];
        (&self.nodes[range.clone()], &self.weights[range])
    }
    /// One more than the highest simulated vertex that is named.
    pub fn simulated_vertices(&self) -> usize {
        self.nodes.iter().max().map_or(0, |&n| n as usize + 1)
    }

    /// Computes y = W x: positions, velocities or displacements of the collision vertices from those of the simulated ones.
    ///
    /// # Panics
    /// Where `x` has fewer than [`CollisionSurface::simulated_vertices`] entries.
    pub fn follow(&self, x: &[Vec3], y: &mut Vec<Vec3>) {
        y.clear();
        y.extend((0..self.vertex_count() as u32).map(|vertex| {
            let (nodes, weights) = self.nodes_of(vertex);
            match nodes {
                // Without the product, which would make −0 of some zeros.
                [node] if weights[0] == 1.0 => x[*node as usize],
                _ => nodes.iter().zip(weights).fold([0.0; 3], |sum, (&node, &weight)| {
                    add_scaled(sum, x[node as usize], weight)
                }),
            }
        }));
    }
}

/// Returns a third of the area of the triangles at each vertex, m².
pub fn thirds(rest: &[Vec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    let mut areas = vec![0.0; rest.len()];
    for t in triangles {
        for &v in t {
            areas[v as usize] += area(rest, *t) / 3.0;
        }
    }
    areas
}

fn area(rest: &[Vec3], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|v| rest[v as usize]);
    0.5 * norm(cross(sub(b, a), sub(c, a)))
}

/// The edges of triangles and strands with their areas: each once, ascending, those from a vertex to itself left out.
fn edges(body: &BodySurface<'_>) -> Vec<([u32; 2], f64)> {
    let mut all = Vec::with_capacity(3 * body.triangles.len() + body.strands.len());
    for &[a, b, c] in body.triangles {
        let third = area(body.rest, [a, b, c]) / 3.0;
        all.extend([[a, b], [b, c], [c, a]].map(|e| (e, third)));
    }
    all.extend(body.strands.iter().map(|&e| (e, 0.0)));
    all.retain(|([a, b], _)| a != b);
    for ([a, b], _) in &mut all {
        (*a, *b) = (*a.min(b), *a.max(b));
    }
    // Stable: areas are added in the order of triangles.
    all.sort_by_key(|(edge, _)| *edge);
    all.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 += later.1;
        }
        same
    });
    all
}
