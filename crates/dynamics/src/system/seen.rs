//! [`Seen`]: what the last evaluation of the forces has told about one place. A step ends where its nonlinear solver has
//! looked last, so that the balance of energy, and the step after it, need not look again.

use pliant_algebra::vec3::Vec3;

/// Energies of the models of a system at one place.
pub(super) struct Seen {
    x: Vec<Vec3>,
    known: bool,
    /// Whether forces of models damped by their stiffness were kept there.
    forces: bool,
    /// Of one model after the other, before factors of loads.
    energies: Vec<Option<f64>>,
}

impl Seen {
    /// Of nothing yet.
    pub(super) fn new(vertices: usize, models: usize) -> Self {
        let x = vec![[0.0; 3]; vertices];
        Self { x, known: false, forces: false, energies: vec![None; models] }
    }

    /// Forgets, as models have changed, or are about to be evaluated elsewhere.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// Notes the energy of a model, until [`Seen::at`]; none where it is more than a function of positions, or was not
    /// asked for.
    pub(super) fn energy(&mut self, model: usize, energy: Option<f64>) {
        self.energies[model] = energy;
    }

    /// All models were evaluated at x, and forces of damped ones were kept or not.
    pub(super) fn at(&mut self, x: &[Vec3], forces: bool) {
        self.x.copy_from_slice(x);
        (self.known, self.forces) = (true, forces);
    }

    /// Whether what is kept is that of x.
    pub(super) fn knows(&self, x: &[Vec3]) -> bool {
        self.known && self.x == x
    }

    /// The energy of a model there, J.
    pub(super) fn energy_of(&self, model: usize) -> Option<f64> {
        self.energies[model]
    }

    /// Whether the forces that were kept are those of x; they can be had once.
    pub(super) fn take_forces(&mut self, x: &[Vec3]) -> bool {
        self.forces && self.knows(x) && std::mem::take(&mut self.forces)
    }
}
