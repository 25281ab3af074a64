//! [`CollisionSurface`]: the triangles, edges and vertices of all bodies that can touch.
//!
//! A collision vertex is y = Σ W x of a few simulated vertices x: itself for linear elements and cloth, the nodes of a
//! face for quadratic ones, the corners of a cell for an embedded surface. A force g on it becomes Wᵀ g.

mod body;
mod facing;
mod scatter;

pub use body::{BodySurface, Sample, SurfaceError, VertexNodes};
pub(crate) use scatter::add_block;

use pliant_algebra::vec3::{Vec3, add_scaled, cross, norm, norm_squared, sub};

/// A corner of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner {
    /// The triangle.
    pub triangle: u32,
    /// ∫N dA of its vertex over the part of the face that the triangle stands for, at rest, m².
    pub area: f64,
}

/// The collision surface of all bodies.
#[derive(Debug, Clone, Default)]
pub struct CollisionSurface {
    offsets: Vec<usize>,
    nodes: Vec<u32>,
    weights: Vec<f64>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    bodies: Vec<u32>,
    two_sided: Vec<bool>,
    /// Whether a vertex is a point of a face, not a corner.
    samples: Vec<bool>,
    rest: Vec<Vec3>,
    vertex_areas: Vec<f64>,
    /// Triangles around vertex v, with which of their corners it is and its area there: from `corner_offsets[v]` on.
    corners: Vec<Corner>,
    corner_offsets: Vec<usize>,
    edge_areas: Vec<f64>,
    edge_lengths_squared: Vec<f64>,
}

impl CollisionSurface {
    /// A surface without bodies.
    pub fn new() -> Self {
        Self { offsets: vec![0], corner_offsets: vec![0], ..Self::default() }
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
        let number = self.two_sided.len() as u32;
        self.bodies.resize(self.bodies.len() + body.rest.len(), number);
        self.rest.extend_from_slice(body.rest);
        self.add_corners(body);
        self.triangles.extend(body.triangles.iter().map(|t| t.map(|v| v + first)));
        for (edge, area) in edges(body) {
            let [a, b] = edge.map(|v| body.rest[v as usize]);
            self.edges.push(edge.map(|v| v + first));
            self.edge_areas.push(area);
            self.edge_lengths_squared.push(norm_squared(sub(b, a)));
        }
        self.two_sided.push(body.two_sided);
        Ok(number)
    }

    /// Takes in the areas of a body's corners, vertex by vertex.
    fn add_corners(&mut self, body: &BodySurface<'_>) {
        let (start, first) = (self.corners.len(), self.triangles.len() as u32);
        let mut counts = vec![0_usize; body.rest.len()];
        body.triangles.as_flattened().iter().for_each(|&v| counts[v as usize] += 1);
        body.samples.iter().for_each(|sample| counts[sample.vertex as usize] += 1);
        let mut next = Vec::with_capacity(counts.len());
        let mut end = start;
        for count in counts {
            next.push(end);
            end += count;
            self.corner_offsets.push(end);
        }
        self.corners.resize(end, Corner { triangle: 0, area: 0.0 });
        for (t, corners) in body.triangles.iter().enumerate() {
            let third = area(body.rest, *corners) / 3.0;
            let areas = body.areas.map_or([third; 3], |areas| areas[t]);
            for (&v, area) in corners.iter().zip(areas) {
                let slot = &mut next[v as usize];
                self.corners[*slot] = Corner { triangle: first + t as u32, area };
                *slot += 1;
            }
        }
        self.samples.resize(self.bodies.len(), false);
        for sample in body.samples {
            let slot = &mut next[sample.vertex as usize];
            self.corners[*slot] = Corner { triangle: first + sample.triangle, area: sample.area };
            *slot += 1;
            self.samples[self.bodies.len() - body.rest.len() + sample.vertex as usize] = true;
        }
        let sums = self.corner_offsets[self.vertex_areas.len()..].windows(2);
        let sum = |w: &[usize]| self.corners[w[0]..w[1]].iter().map(|c| c.area).sum::<f64>();
        self.vertex_areas.extend(sums.map(sum));
    }

    /// Number of collision vertices.
    pub fn vertex_count(&self) -> usize {
        self.bodies.len()
    }
    /// Number of bodies.
    pub fn body_count(&self) -> usize {
        self.two_sided.len()
    }
    /// Collision vertices of the triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
    /// Collision vertices of the edges: the lower one first, each edge once, ascending.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }
    /// The collision vertices of a pair of a vertex and a triangle.
    pub fn point_and_triangle(&self, [vertex, triangle]: [u32; 2]) -> [u32; 4] {
        let [a, b, c] = self.triangles[triangle as usize];
        [vertex, a, b, c]
    }
    /// The collision vertices of a pair of edges.
    pub fn two_edges(&self, [one, other]: [u32; 2]) -> [u32; 4] {
        let ([a, b], [c, d]) = (self.edges[one as usize], self.edges[other as usize]);
        [a, b, c, d]
    }
    /// The body of each collision vertex, ascending. A primitive is of the body of its first vertex.
    pub fn bodies(&self) -> &[u32] {
        &self.bodies
    }
    /// Whether the surface of a body repels on both of its sides.
    pub fn is_two_sided(&self, body: u32) -> bool {
        self.two_sided[body as usize]
    }
    /// Positions of the collision vertices at rest, m.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }
    /// The triangles around a collision vertex, ascending, each with the area of the vertex in it.
    pub fn corners_of(&self, vertex: u32) -> &[Corner] {
        &self.corners
            [self.corner_offsets[vertex as usize]..self.corner_offsets[vertex as usize + 1]]
    }
    /// Whether a vertex is a point of a face, not a corner of triangles.
    pub fn is_sample(&self, vertex: u32) -> bool {
        self.samples[vertex as usize]
    }
    /// Whether a vertex is a point of a face that a triangle is a part of or next to. Corners are told by their numbers: the broad phase
    /// leaves them out.
    pub fn is_beside(&self, vertex: u32, triangle: u32) -> bool {
        let corners = self.triangles[triangle as usize];
        let meets = |t: u32| self.triangles[t as usize].iter().any(|v| corners.contains(v));
        self.samples[vertex as usize] && self.corners_of(vertex).iter().any(|c| meets(c.triangle))
    }
    /// w_v of each collision vertex, the sum of the areas of its corners, m².
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
