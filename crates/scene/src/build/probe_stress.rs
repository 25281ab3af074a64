//! [`ProbeStress`]: the stress at a probe.

use pliant_dynamics::State;
use pliant_forces::stress::Stress;
use pliant_mesh::embed::Embedding;
use pliant_model::{Body, StressModel};

use crate::error::SceneError;
use crate::spec::probe::ProbeAt;
use crate::spec::scene::Scene;

/// Cauchy stress of the cell that a probe is in, or the mean over the cells around the vertices that it follows.
pub(crate) struct ProbeStress {
    /// The name of the probe.
    pub(crate) name: String,
    model: StressModel,
    range: std::ops::Range<usize>,
    /// Cells and their weights.
    cells: Vec<(u32, f64)>,
}

impl ProbeStress {
    /// xx, yy, zz, xy, yz, xz, Pa, in a state of the system; NaN where a cell is inverted.
    pub(crate) fn value(&self, state: &State) -> [f64; 6] {
        let own = &state.x[self.range.clone()];
        let of = |s: &Stress| Stress::six(&s.cauchy);
        let all = self.model.values(own, &state.memory, [f64::NAN; 6], &of);
        let mut sum = [0.0; 6];
        for &(cell, weight) in &self.cells {
            sum.iter_mut().zip(all[cell as usize]).for_each(|(sum, s)| *sum += weight * s);
        }
        sum
    }
}

/// Those of the probes of a scene that ask for it.
pub(crate) fn stresses(scene: &Scene, bodies: &[Body]) -> Result<Vec<ProbeStress>, SceneError> {
    let mut list = Vec::new();
    for spec in scene.probes.iter().filter(|p| p.stress) {
        let body = scene.body_or_only(spec.body.as_ref(), "probe", &spec.name, &spec.location)?;
        let body = &bodies[body];
        let Some(model) = StressModel::new(body) else {
            let text = format!(
                "probe '{}': body '{}' is made of springs and has no stress",
                spec.name, body.name
            );
            return Err(SceneError::new(text).at(&spec.location));
        };
        let cells = match &spec.at {
            ProbeAt::Point(point) => {
                let bound = Embedding::isoparametric(&body.mesh, &[*point]);
                let bound = bound.map_err(|e| SceneError::from(e).at(&spec.location))?;
                bound.cells.iter().map(|&cell| (cell, 1.0)).collect()
            }
            ProbeAt::Vertices(on) => around(body, &on.vertices(body)?),
        };
        let (name, range) = (spec.name.clone(), body.range.clone());
        list.push(ProbeStress { name, model, range, cells });
    }
    Ok(list)
}

/// The cells around vertices, each as often as it has one of them, with weights whose sum is 1.
fn around(body: &Body, vertices: &[u32]) -> Vec<(u32, f64)> {
    let mut cells = Vec::new();
    for (cell, nodes) in body.mesh.cells().enumerate() {
        let count = nodes.iter().filter(|v| vertices.binary_search(v).is_ok()).count();
        if count > 0 {
            cells.push((cell as u32, count as f64));
        }
    }
    let sum: f64 = cells.iter().map(|c| c.1).sum();
    for c in &mut cells {
        c.1 /= sum;
    }
    cells
}
