//! What a system has in a state: energies, momenta, and the forces of its supports.

use pliant_algebra::vec3::{self, Vec3, cross};
use pliant_forces::{Configuration, ForceError};

use crate::system::{Role, System};
use crate::vector::{add_scaled, dot};
use crate::{DynamicsError, State};

/// Energies of a state, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energies {
    /// ½ vᵀ M v
    pub kinetic: f64,
    /// Of [`Role::Elastic`], but for what is in `memory`.
    pub elastic: f64,
    /// Of what relaxes with time, in materials that remember.
    pub memory: f64,
    /// Of [`Role::Gravity`].
    pub gravity: f64,
    /// Of [`Role::Load`].
    pub load: f64,
    /// Of all other models that have one.
    pub other: f64,
}

impl Energies {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.memory + self.gravity + self.load + self.other
    }
}

impl System {
    /// Energies, J.
    pub fn energies(&mut self, state: &State) -> Result<Energies, ForceError> {
        let mut sums = Energies { kinetic: self.kinetic(&state.v), ..Energies::default() };
        self.stored_energies(&state.configuration(), |role, energy, remembered| {
            sums.memory += remembered;
            let to = match role {
                Role::Elastic => &mut sums.elastic,
                Role::Gravity => &mut sums.gravity,
                Role::Load => &mut sums.load,
                Role::Damping | Role::Other => &mut sums.other,
            };
            *to += energy - remembered;
        })?;
        Ok(sums)
    }

    /// ½ vᵀ M v, J.
    pub fn kinetic(&mut self, v: &[Vec3]) -> f64 {
        let mut momentum = std::mem::take(&mut self.part);
        self.multiply_mass(v, &mut momentum);
        let energy = 0.5 * dot(v, &momentum);
        self.part = momentum;
        energy
    }

    /// Linear (kg m/s) and angular momentum about the origin (kg m²/s).
    pub fn momenta(&mut self, state: &State) -> (Vec3, Vec3) {
        let mut momentum = std::mem::take(&mut self.part);
        self.multiply_mass(&state.v, &mut momentum);
        let sums = sum_and_moment(momentum.iter().zip(&state.x).map(|(&p, &x)| (p, x)), [0.0; 3]);
        self.part = momentum;
        sums
    }

    /// The forces by which supports hold the held vertices, N, in the order of
    /// [`Constraints::vertices`](crate::Constraints::vertices): the held part of M a + g. Accelerations are computed where the state
    /// does not know them.
    pub fn reactions(
        &mut self,
        state: &State,
        to: &mut Vec<(u32, Vec3)>,
    ) -> Result<(), DynamicsError> {
        self.reactions_after(state, None, to)
    }

    /// The same with areas of contact that are those of other positions, as in a step from there they were.
    pub fn reactions_after(
        &mut self,
        state: &State,
        lagged: Option<&[Vec3]>,
        to: &mut Vec<(u32, Vec3)>,
    ) -> Result<(), DynamicsError> {
        let at = Configuration { settled: lagged, ..state.configuration() };
        let (mut a, mut r) =
            (std::mem::take(&mut self.scratch[0]), std::mem::take(&mut self.scratch[1]));
        let found = self.reaction_forces(state, &at, &mut a, &mut r);
        to.clear();
        for held in self.constraints().vertices() {
            let r = r[held.vertex as usize];
            to.push((held.vertex, vec3::sub(r, held.filtered(r))));
        }
        self.scratch = [a, r];
        found
    }

    /// M a + g of a state into `r`.
    fn reaction_forces(
        &mut self,
        state: &State,
        at: &Configuration<'_>,
        a: &mut [Vec3],
        r: &mut [Vec3],
    ) -> Result<(), DynamicsError> {
        if state.knows_acceleration {
            a.copy_from_slice(&state.a);
        } else if self.is_massless() {
            a.fill([0.0; 3]);
        } else {
            self.accelerations(at, a)?;
        }
        self.multiply_mass(a, r);
        self.forces(at, a, false)?;
        add_scaled(r, a, 1.0);
        Ok(())
    }

    /// Adds a rigid spin of `rate` (rad/s) about an axis through `centre`.
    pub fn spin(state: &mut State, centre: Vec3, rate: Vec3) {
        for (v, &x) in state.v.iter_mut().zip(&state.x) {
            *v = vec3::add(*v, cross(rate, vec3::sub(x, centre)));
        }
        state.restart();
    }
}

/// Σ f and Σ (x − centre) × f.
pub fn sum_and_moment(forces: impl Iterator<Item = (Vec3, Vec3)>, centre: Vec3) -> (Vec3, Vec3) {
    forces.fold(([0.0; 3], [0.0; 3]), |(sum, moment), (f, x)| {
        (vec3::add(sum, f), vec3::add(moment, cross(vec3::sub(x, centre), f)))
    })
}
