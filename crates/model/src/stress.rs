//! Stresses of a body. Elements are shared with the system that steps, so that a writer can compute stresses while
//! the simulation goes on.

use pliant_algebra::vec3::Vec3;
use pliant_forces::Memory;
use pliant_forces::solid::SolidModel;
use pliant_forces::stress::Stress;

use crate::Body;

/// The laws of a body on its elements.
pub struct StressModel {
    solids: Vec<Box<dyn SolidModel>>,
    /// Elements that act on top of them.
    others: Vec<Box<dyn SolidModel>>,
    /// Which of the memories of a state is that of each solid.
    remembers: Vec<Option<usize>>,
    cells: usize,
}

impl StressModel {
    /// Of a body; none if it is made of springs. It shares the body's elements and costs no memory.
    pub fn new(body: &Body) -> Option<Self> {
        let share = |list: &[Box<dyn SolidModel>]| list.iter().map(|solid| solid.share()).collect();
        let (solids, others): (Vec<_>, _) = (share(&body.solids), share(&body.resisting));
        let (remembers, cells) = (body.remembers.clone(), body.mesh.cell_count());
        (!solids.is_empty()).then(|| Self { solids, others, remembers, cells })
    }

    /// Whether a solid remembers something, so that its stresses hang on more than positions.
    pub fn remembers(&self) -> bool {
        self.remembers.iter().any(Option::is_some)
    }

    /// Returns the stress of each cell in the user's numbering, when the vertices of the body (as the system
    /// numbers them) are at x and its materials remember what a state's memories say; without these, stresses are those after a
    /// long time. None has a body with a cell that is inverted where its law cannot take it. A stress takes
    /// 240 bytes: where a few numbers of it will do, [`StressModel::values`] is for that.
    pub fn stresses(&self, x: &[Vec3], memory: &[Memory]) -> Vec<Option<Stress>> {
        let mut all = self.laws(x, memory, None, &|stress| Some(*stress));
        for (cell, _, more) in self.others.iter().flat_map(|s| s.stresses(x).unwrap_or_default()) {
            if let Some(stress) = &mut all[cell as usize] {
                stress.cauchy += more.cauchy;
                stress.piola += more.piola;
                stress.energy_density += more.energy_density;
            }
        }
        all
    }

    /// Returns what `of` takes from the stress of each cell, and `missing` where there is none.
    pub fn values<T: Copy>(
        &self,
        x: &[Vec3],
        memory: &[Memory],
        missing: T,
        of: &dyn Fn(&Stress) -> T,
    ) -> Vec<T> {
        if self.others.is_empty() {
            return self.laws(x, memory, missing, of);
        }
        self.stresses(x, memory).iter().map(|stress| stress.as_ref().map_or(missing, of)).collect()
    }

    /// The same of the laws alone.
    fn laws<T: Copy>(
        &self,
        x: &[Vec3],
        memory: &[Memory],
        missing: T,
        of: &dyn Fn(&Stress) -> T,
    ) -> Vec<T> {
        let mut all = vec![missing; self.cells];
        for (solid, number) in self.solids.iter().zip(&self.remembers) {
            let own = number.and_then(|number| memory.get(number));
            let seen =
                solid.each_stress(x, own, &mut |cell, _, stress| all[cell as usize] = of(stress));
            if seen.is_err() {
                // It ends at the same cell again, so that nothing is left of those before.
                let _ = solid.each_stress(x, own, &mut |cell, _, _| all[cell as usize] = missing);
            }
        }
        all
    }
}
