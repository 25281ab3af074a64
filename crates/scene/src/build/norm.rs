//! [`Norm`]: one number of a field over vertices of a body.

use pliant_algebra::vec3::{Vec3, norm, sub};
use pliant_dynamics::State;
use pliant_model::Body;

use crate::error::SceneError;
use crate::spec::field::VectorField;
use crate::spec::norm::{NormKind, NormOf};
use crate::spec::scene::Scene;

/// A norm with its vertices.
#[derive(Debug, Clone)]
pub struct Norm {
    /// Its name.
    pub name: String,
    of: NormOf,
    kind: NormKind,
    minus: Option<VectorField>,
    /// Vertices of the system, and where they are at rest, m.
    vertices: Vec<(u32, Vec3)>,
}

impl Norm {
    /// Its value in a state, SI. Summed up in the user's order of vertices. Allocates nothing.
    pub fn value(&self, state: &State) -> f64 {
        let (mut sum, mut largest) = (0.0, 0.0_f64);
        for &(vertex, rest) in &self.vertices {
            let field = match self.of {
                NormOf::Displacement => sub(state.x[vertex as usize], rest),
                NormOf::Velocity => state.v[vertex as usize],
            };
            let minus = self.minus.as_ref().map_or([0.0; 3], |f| f.value(rest, state.time));
            let length = norm(sub(field, minus));
            sum += if self.kind == NormKind::Rms { length * length } else { length };
            // A number that is none is not lost.
            largest = if length > largest || length.is_nan() { length } else { largest };
        }
        let mean = sum / self.vertices.len() as f64;
        match self.kind {
            NormKind::Rms => mean.sqrt(),
            NormKind::Max => largest,
            NormKind::Mean => mean,
        }
    }

    /// Its unit.
    pub fn unit(&self) -> &'static str {
        self.of.unit()
    }
}

/// All norms of a scene.
pub(crate) fn norms(scene: &Scene, bodies: &[Body]) -> Result<Vec<Norm>, SceneError> {
    let mut list = Vec::new();
    for spec in &scene.norms {
        let body =
            &bodies[scene.body_or_only(spec.body.as_ref(), "norm", &spec.name, &spec.location)?];
        let vertices = match &spec.on {
            Some(on) => on.vertices(body)?,
            None => (0..body.mesh.vertex_count() as u32).collect(),
        };
        let at = |v: u32| (body.system_vertex(v), body.mesh.vertices[v as usize]);
        list.push(Norm {
            name: spec.name.clone(),
            of: spec.of,
            kind: spec.kind,
            minus: spec.minus.clone(),
            vertices: vertices.into_iter().map(at).collect(),
        });
    }
    Ok(list)
}
