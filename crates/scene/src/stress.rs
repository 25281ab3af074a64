//! Stresses of the bodies of a simulation. Elements are shared with the system that steps, so that a writer can
//! compute stresses while the simulation goes on.

use pliant_algebra::vec3::Vec3;
use pliant_forces::solid::SolidModel;
use pliant_forces::stress::Stress;

use crate::model::Body;

/// The laws of a body on its elements.
pub struct StressModel {
    solids: Vec<Box<dyn SolidModel>>,
    /// What acts on top of them.
    others: Vec<Box<dyn SolidModel>>,
    cells: usize,
}

impl StressModel {
    /// Of a body; none if it is made of springs. It shares the body's elements and costs no memory.
    pub fn new(body: &Body) -> Option<Self> {
        let share = |list: &[Box<dyn SolidModel>]| list.iter().map(|solid| solid.share()).collect();
        let (solids, others): (Vec<_>, _) = (share(&body.solids), share(&body.resisting));
        (!solids.is_empty()).then(|| Self { solids, others, cells: body.mesh.cell_count() })
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
