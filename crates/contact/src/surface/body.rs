//! [`BodySurface`]: what a body gives to the collision surface, and what is refused.

use pliant_algebra::vec3::{Vec3, is_finite};
use pliant_errors::Class;
use thiserror::Error;

/// The part of a surface that is one body's. Indices count from zero within the body.
#[derive(Debug, Clone, Copy)]
pub struct BodySurface<'a> {
    /// Positions of the collision vertices at rest, m.
    pub rest: &'a [Vec3],
    /// Collision vertices of each triangle.
    pub triangles: &'a [[u32; 3]],
    /// Edges that are sides of no triangle: those of strands.
    pub strands: &'a [[u32; 2]],
    /// Areas ∫N dA of the corners of each triangle, m², with the shape functions N of the face that the triangle is a part of; a third
    /// of the triangle at each corner if `None`.
    pub areas: Option<&'a [[f64; 3]]>,
    /// Points inside of faces that are contact points as its vertices are, with areas of their own.
    pub samples: &'a [Sample],
    /// Whether it repels on both of its sides, as an open surface does. Of others the corners of triangles that turn away from
    /// what is near do not count.
    pub two_sided: bool,
    /// What collision vertices are made of.
    pub nodes: VertexNodes<'a>,
}

/// A collision vertex that is no corner of a triangle, but a point of a face. Quadrature points inside of faces tell the pressure on
/// another body's mesh far better than corners alone do. One that stands for a face of several triangles has an entry for each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The collision vertex.
    pub vertex: u32,
    /// A triangle of its face.
    pub triangle: u32,
    /// Its part of the area of the point, m².
    pub area: f64,
}

/// Simulated vertices that collision vertices follow.
#[derive(Debug, Clone, Copy)]
pub enum VertexNodes<'a> {
    /// Collision vertex i is simulated vertex `nodes[i]`.
    Same(&'a [u32]),
    /// Collision vertex i is Σ `weights[k]` x of `nodes[k]`, for k from `offsets[i]` to `offsets[i + 1]`.
    Weighted {
        /// One more than there are collision vertices, ascending from zero.
        offsets: &'a [usize],
        /// Simulated vertices.
        nodes: &'a [u32],
        /// Their weights, which add up to one for each collision vertex.
        weights: &'a [f64],
    },
}

/// A surface that cannot be collided with.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SurfaceError {
    /// An index is out of range.
    #[error("{what} {index} names collision vertex {vertex}, but the body has {count}")]
    Vertex {
        /// "triangle", "strand" or "sample".
        what: &'static str,
        /// Which of them.
        index: usize,
        /// The vertex it names.
        vertex: u32,
        /// Collision vertices of the body.
        count: usize,
    },
    /// A list is too short or too long.
    #[error("{found} {what} for {expected}")]
    Count {
        /// The list.
        what: &'static str,
        /// Entries in it.
        found: usize,
        /// Entries that it should have.
        expected: usize,
    },
    /// A number is not finite, or an area is negative.
    #[error("{what} of collision vertex {vertex} is {value}")]
    Value {
        /// The quantity.
        what: &'static str,
        /// The vertex.
        vertex: usize,
        /// Its value.
        value: f64,
    },
    /// Weights of a collision vertex do not add up to one, so that it would not follow a translation.
    #[error("weights of collision vertex {vertex} add up to {sum}, not to 1")]
    Weights {
        /// The vertex.
        vertex: usize,
        /// Σ W
        sum: f64,
    },
}

impl SurfaceError {
    /// The input is wrong.
    pub fn class(&self) -> Class {
        match self {
            Self::Vertex { .. }
            | Self::Count { .. }
            | Self::Value { .. }
            | Self::Weights { .. } => Class::Input,
        }
    }
}

impl BodySurface<'_> {
    /// Refuses what cannot be collided with.
    pub(super) fn check(&self) -> Result<(), SurfaceError> {
        let count = self.rest.len();
        for (vertex, p) in self.rest.iter().enumerate() {
            if !is_finite(*p) {
                let value = p.iter().copied().find(|c| !c.is_finite()).unwrap_or(p[0]);
                return Err(SurfaceError::Value { what: "rest position", vertex, value });
            }
        }
        let outside = |v: &&u32| **v as usize >= count;
        for (index, triangle) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = triangle.iter().find(outside) {
                return Err(SurfaceError::Vertex { what: "triangle", index, vertex, count });
            }
        }
        for (index, strand) in self.strands.iter().enumerate() {
            if let Some(&vertex) = strand.iter().find(outside) {
                return Err(SurfaceError::Vertex { what: "strand", index, vertex, count });
            }
        }
        if let Some(areas) = self.areas {
            expect("areas", areas.len(), self.triangles.len())?;
            let corners = self.triangles.as_flattened().iter().zip(areas.as_flattened());
            for (&vertex, &value) in corners {
                if !(value.is_finite() && value >= 0.0) {
                    let vertex = vertex as usize;
                    return Err(SurfaceError::Value { what: "area", vertex, value });
                }
            }
        }
        for (index, sample) in self.samples.iter().enumerate() {
            let vertex = sample.vertex;
            if vertex as usize >= count {
                return Err(SurfaceError::Vertex { what: "sample", index, vertex, count });
            }
            if sample.triangle as usize >= self.triangles.len() {
                let (found, expected) = (sample.triangle as usize, self.triangles.len());
                return Err(SurfaceError::Count {
                    what: "is the triangle of a sample",
                    found,
                    expected,
                });
            }
            let value = sample.area;
            if !(value.is_finite() && value >= 0.0) {
                let vertex = vertex as usize;
                return Err(SurfaceError::Value { what: "area", vertex, value });
            }
        }
        match self.nodes {
            VertexNodes::Same(nodes) => expect("nodes", nodes.len(), count),
            VertexNodes::Weighted { offsets, nodes, weights } => {
                expect("offsets", offsets.len(), count + 1)?;
                expect("weights", weights.len(), nodes.len())?;
                expect("nodes", nodes.len(), offsets[count])?;
                for vertex in 0..count {
                    let row = weights.get(offsets[vertex]..offsets[vertex + 1]).unwrap_or(&[]);
                    let sum: f64 = row.iter().sum();
                    if (offsets[0] != 0) || (sum - 1.0).abs() > 1e-9 || sum.is_nan() {
                        return Err(SurfaceError::Weights { vertex, sum });
                    }
                }
                Ok(())
            }
        }
    }
}

fn expect(what: &'static str, found: usize, expected: usize) -> Result<(), SurfaceError> {
    if found == expected { Ok(()) } else { Err(SurfaceError::Count { what, found, expected }) }
}
