//! Forces of each model for itself, and what is held: for those who want to look inside a system.

use std::ops::Range;

use pliant_algebra::vec3::Vec3;
use pliant_forces::{Ask, Configuration, ForceError};

use super::{Role, System, factor};

/// What one model exerts.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelForce {
    /// What it is to the balance of energy.
    pub role: Role,
    /// Its name.
    pub name: String,
    /// The vertices of the system that it acts on.
    pub vertices: Range<usize>,
    /// −g on every vertex of the system, N.
    pub force: Vec<Vec3>,
}

impl System {
    /// Returns the forces of each model in the order of the models, then those of damping by stiffness if there is any. Their
    /// sum is −g of [`System::forces`]. Allocates.
    pub fn forces_by_model(
        &mut self,
        at: &Configuration<'_>,
    ) -> Result<Vec<ModelForce>, ForceError> {
        let count = self.vertices();
        let turned = |g: Vec<Vec3>, factor: f64| -> Vec<Vec3> {
            g.into_iter().map(|g| g.map(|c| if c == 0.0 { 0.0 } else { -factor * c })).collect()
        };
        let mut list = Vec::with_capacity(self.entries.len());
        for entry in &mut self.entries {
            let mut g = vec![[0.0; 3]; count];
            let own = &mut g[entry.vertices.clone()];
            let mut ask = Ask { gradient: Some(own), ..Ask::default() };
            let done = entry.model.evaluate(&entry.part(at)?, &mut ask, &mut entry.work);
            done.map_err(|e| entry.in_system(e))?;
            list.push(ModelForce {
                role: entry.role,
                name: entry.model.name().to_owned(),
                vertices: entry.vertices.clone(),
                force: turned(g, factor(entry.role, self.load_factor)),
            });
        }
        if self.stiffness_damping.is_some() {
            let mut g = vec![[0.0; 3]; count];
            self.add_stiffness_damping(at, &mut g)?;
            list.push(ModelForce {
                role: Role::Damping,
                name: "stiffness damping".to_owned(),
                vertices: 0..count,
                force: turned(g, 1.0),
            });
        }
        Ok(list)
    }

    /// Returns how far each coordinate of each vertex is held: 1 where it is, 0 where it is free, and between where a direction
    /// that is held is oblique (the diagonal of the projector on what is held).
    pub fn held(&self) -> Vec<Vec3> {
        let mut held = vec![[0.0; 3]; self.vertices()];
        for vertex in self.constraints().vertices() {
            let of = &mut held[vertex.vertex as usize];
            for (k, part) in of.iter_mut().enumerate() {
                let mut unit = [0.0; 3];
                unit[k] = 1.0;
                *part = 1.0 - vertex.filtered(unit)[k];
            }
        }
        held
    }
}
