//! Stresses of the bodies of a simulation, beside it: models of their own, so that a writer can compute
//! them while the simulation goes on.

use pliant_algebra::vec3::Vec3;
use pliant_forces::solid::{Parameters, SolidModel, solid};
use pliant_forces::stress::Stress;

use crate::error::SceneError;
use crate::model::Body;

/// The laws of a body on its elements.
pub struct StressModel {
    solids: Vec<Box<dyn SolidModel>>,
    /// What acts on top of them.
    others: Vec<Box<dyn SolidModel>>,
    cells: usize,
}

impl StressModel {
    /// Of a body; none if it is made of springs.
    pub fn new(body: &Body) -> Result<Option<Self>, SceneError> {
        let (mut solids, mut others) = (Vec::new(), Vec::new());
        for group in &body.groups {
            let parameters = Parameters::PerElement(&group.parameters);
            let chosen = |cell: usize| group.cells[cell];
            let (mesh, law) = (&body.mesh, group.material.point());
            solids.push(solid(mesh, &body.partition, body.element, law, parameters, &chosen)?);
            others.extend(group.resisting(body)?);
        }
        let cells = body.mesh.cell_count();
        Ok((!solids.is_empty()).then_some(Self { solids, others, cells }))
    }

    /// The stress of each cell as the user numbers them, when the vertices of the body (as the system
    /// numbers them) are at x. Cells that are inverted where their law cannot take it have none.
    pub fn stresses(&self, x: &[Vec3]) -> Vec<Option<Stress>> {
        let mut all: Vec<Option<Stress>> = vec![None; self.cells];
        for solid in &self.solids {
            if let Ok(list) = solid.stresses(x) {
                for (cell, _, stress) in list {
                    all[cell as usize] = Some(stress);
                }
            }
        }
        for (cell, _, more) in self.others.iter().flat_map(|s| s.stresses(x).unwrap_or_default()) {
            if let Some(stress) = &mut all[cell as usize] {
                stress.cauchy += more.cauchy;
                stress.piola += more.piola;
                stress.energy_density += more.energy_density;
            }
        }
        all
    }
}
