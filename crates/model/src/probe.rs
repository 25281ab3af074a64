//! [`Probe`]: a point that is watched.

use pliant_algebra::vec3::{Vec3, add_scaled};
use pliant_mesh::embed::Embedding;

use crate::{Body, ModelError, Select};

/// A point that is watched.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Its name.
    pub name: String,
    /// Its position at rest, m.
    pub rest: Vec3,
    /// Vertices of the system and their weights.
    weights: Vec<(u32, f64)>,
}

impl Probe {
    /// A point of a body by its position at rest, m.
    pub(crate) fn at_point(name: &str, body: &Body, point: Vec3) -> Result<Self, ModelError> {
        let bound = Embedding::isoparametric(&body.mesh, &[point])?;
        if bound.outside.largest > 1e-6 * body.size() {
            return Err(ModelError::ProbeOutside {
                probe: name.to_owned(),
                at: point,
                distance: bound.outside.largest,
                body: body.name.clone(),
            });
        }
        let system = bound.indices.iter().map(|&v| body.system_vertex(v));
        Ok(Self::new(name, body, system.zip(bound.weights.iter().copied()).collect()))
    }

    /// The mean of vertices.
    pub(crate) fn mean(name: &str, body: &Body, on: &Select) -> Result<Self, ModelError> {
        let list = body.select(on)?;
        let share = 1.0 / list.len() as f64;
        let weights = list.into_iter().map(|v| (body.system_vertex(v), share)).collect();
        Ok(Self::new(name, body, weights))
    }

    fn new(name: &str, body: &Body, weights: Vec<(u32, f64)>) -> Self {
        let rest = body.rest();
        let first = body.range.start;
        let at = |p: Vec3, &(v, w): &(u32, f64)| add_scaled(p, rest[v as usize - first], w);
        let rest = weights.iter().fold([0.0; 3], at);
        Self { name: name.to_owned(), rest, weights }
    }

    /// Returns its position when the vertices of the system are at x, m.
    pub fn at(&self, x: &[Vec3]) -> Vec3 {
        self.weights.iter().fold([0.0; 3], |p, &(v, w)| add_scaled(p, x[v as usize], w))
    }
}
