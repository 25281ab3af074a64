//! [`Stresses`]: numbers on the vertices of bodies, by which their surfaces are coloured.

use pliant_algebra::vec3::Vec3;
use pliant_scene::{Simulation, StressModel};

use crate::command::Colour;

/// What it takes to compute them.
pub(crate) struct Stresses {
    /// Of each body; none of springs.
    models: Vec<Option<StressModel>>,
    /// Von Mises stress, energy density and count of cells, of each vertex of the system.
    values: Vec<Vec3>,
}

impl Stresses {
    /// Of a simulation.
    pub(crate) fn new(simulation: &Simulation) -> Self {
        let models = simulation.bodies.iter().map(|body| StressModel::new(body).ok().flatten());
        Self { models: models.collect(), values: vec![[0.0; 3]; simulation.vertices()] }
    }

    /// Means over the cells around each vertex. Cells that have no stress do not count.
    pub(crate) fn update(&mut self, simulation: &Simulation) {
        self.values.fill([0.0; 3]);
        for (body, model) in simulation.bodies.iter().zip(&self.models) {
            let Some(model) = model else { continue };
            let stresses = model.stresses(&simulation.state().x[body.range.clone()]);
            for (cell, stress) in stresses.iter().enumerate() {
                let Some(stress) = stress else { continue };
                let (mises, density) = (stress.von_mises(), stress.energy_density);
                for &v in body.mesh.cell(cell) {
                    let value = &mut self.values[body.system_vertex(v) as usize];
                    *value = [value[0] + mises, value[1] + density, value[2] + 1.0];
                }
            }
        }
        for value in &mut self.values {
            if value[2] > 0.0 {
                *value = [value[0] / value[2], value[1] / value[2], 1.0];
            }
        }
    }

    /// On the vertices of the system.
    pub(crate) fn values(&self) -> &[Vec3] {
        &self.values
    }
}

impl Colour {
    /// The one that is shown, of those that are carried to the surface.
    pub(crate) fn of(self, values: Vec3) -> f64 {
        match self {
            Self::None => 0.0,
            Self::VonMises => values[0],
            Self::EnergyDensity => values[1],
        }
    }
}
