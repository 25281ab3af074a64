//! [`Stresses`]: numbers on the vertices of bodies, by which their surfaces are coloured.

use pliant_algebra::vec3::{Vec3, add_scaled, scale};
use pliant_forces::stress::Stress;
use pliant_mesh::volume::{hex_volume, tet_volume};
use pliant_mesh::{CellType, hex20_volume, tet10_volume};
use pliant_scene::{Body, Simulation, StressModel};

use crate::command::Colour;

/// What it takes to compute them.
pub(crate) struct Stresses {
    /// Of each body; none of springs.
    models: Vec<Option<StressModel>>,
    /// Von Mises stress, energy density and volume ratio, of each vertex of the system.
    values: Vec<Vec3>,
    /// Cells that counted.
    counts: Vec<f64>,
}

impl Stresses {
    /// Of a simulation.
    pub(crate) fn new(simulation: &Simulation) -> Self {
        let models = simulation.bodies.iter().map(StressModel::new);
        let count = simulation.vertices();
        Self { models: models.collect(), values: vec![[0.0; 3]; count], counts: vec![0.0; count] }
    }

    /// Means over the cells around each vertex. Cells that have no stress do not count; springs have none, but
    /// the volumes between them.
    pub(crate) fn update(&mut self, simulation: &Simulation) {
        self.values.fill([0.0; 3]);
        self.counts.fill(0.0);
        let (x, memory) = (&simulation.state().x, &simulation.state().memory);
        for (body, model) in simulation.bodies.iter().zip(&self.models) {
            let of = |s: &Stress| Some([s.von_mises(), s.energy_density, s.jacobian]);
            let own = &x[body.range.clone()];
            let stresses = model.as_ref().map(|model| model.values(own, memory, None, &of));
            for cell in 0..body.mesh.cell_count() {
                let here = match &stresses {
                    Some(list) => list[cell],
                    None => Some([0.0, 0.0, volume_ratio(body, cell, x)]),
                };
                let Some(here) = here else { continue };
                for &v in body.mesh.cell(cell) {
                    let v = body.system_vertex(v) as usize;
                    self.values[v] = add_scaled(self.values[v], here, 1.0);
                    self.counts[v] += 1.0;
                }
            }
        }
        for (value, &count) in self.values.iter_mut().zip(&self.counts) {
            // Where nothing can be said, nothing happens.
            *value = if count > 0.0 { scale(*value, 1.0 / count) } else { [0.0, 0.0, 1.0] };
        }
    }

    /// On the vertices of the system.
    pub(crate) fn values(&self) -> &[Vec3] {
        &self.values
    }
}

/// The volume of a cell over that at rest.
fn volume_ratio(body: &Body, cell: usize, x: &[Vec3]) -> f64 {
    let corners = body.mesh.cell(cell);
    let at = |k: usize| x[body.system_vertex(corners[k]) as usize];
    let now = match body.mesh.cell_type {
        CellType::Tet4 => tet_volume(std::array::from_fn(at)),
        CellType::Tet10 => tet10_volume(&std::array::from_fn(at)),
        CellType::Hex8 => hex_volume(&std::array::from_fn(at)),
        CellType::Hex20 => hex20_volume(&std::array::from_fn(at)),
    };
    now / body.mesh.cell_volume(cell)
}

impl Colour {
    /// The one that is shown, of those that are carried to the surface.
    pub(crate) fn of(self, values: Vec3) -> f64 {
        match self {
            Self::None => 0.0,
            Self::VonMises | Self::ContactPressure => values[0],
            Self::EnergyDensity => values[1],
            Self::Volume => values[2],
        }
    }

    /// Its place among the names.
    pub(crate) fn number(self) -> u32 {
        Self::NAMES.iter().position(|(_, colour)| *colour == self).unwrap_or(0) as u32
    }

    /// As pages call it.
    pub(crate) fn name(self) -> &'static str {
        Self::NAMES[self.number() as usize].0
    }
}
