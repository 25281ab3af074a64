//! Obstacles for the surfaces of bodies.

use pliant_algebra::vec3::Vec3;
use pliant_forces::obstacles::{Obstacle, Shape};

use crate::load::area;
use crate::{Body, ModelError};

/// A shape that bodies cannot enter.
#[derive(Debug, Clone)]
pub struct Barrier {
    /// Its form.
    pub shape: Shape,
    /// N/m³: pressure for each metre of depth; chosen by the bodies if none.
    pub stiffness: Option<f64>,
    /// Depth over which that sets in, m; chosen by the bodies if none.
    pub smoothing: Option<f64>,
}

impl Barrier {
    /// With a stiffness that suits the bodies.
    pub fn new(shape: Shape) -> Self {
        Self { shape, stiffness: None, smoothing: None }
    }

    /// Makes the model for some bodies. The vertices of their surfaces count by their areas, so that the result
    /// does not depend on how fine the meshes are. `rest` is that of the system.
    pub(crate) fn model<'a>(
        &self,
        bodies: impl Iterator<Item = &'a Body>,
        rest: &[Vec3],
    ) -> Result<Obstacle, ModelError> {
        let mut areas = vec![0.0; rest.len()];
        let (mut stiffness, mut size) = (0.0_f64, f64::INFINITY);
        for body in bodies {
            for face in body.boundary_triangles() {
                let face = face.map(|v| body.system_vertex(v));
                let share = area(face, rest) / 3.0;
                for v in face {
                    areas[v as usize] += share;
                }
            }
            stiffness = stiffness.max(20.0 * body.modulus() / body.size());
            size = size.min(body.size());
        }
        let on: Vec<u32> = (0..rest.len() as u32).filter(|&v| areas[v as usize] > 0.0).collect();
        let weights: Vec<f64> = on.iter().map(|&v| areas[v as usize]).collect();
        let stiffness = self.stiffness.unwrap_or(stiffness);
        let smoothing = self.smoothing.unwrap_or(0.005 * size);
        Ok(Obstacle::weighted(self.shape, stiffness, smoothing, &on, &weights, rest.len())?)
    }
}
