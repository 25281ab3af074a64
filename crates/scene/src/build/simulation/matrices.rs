//! Matrices of a simulation, in the user's numbering: body after body, each as its mesh counts.

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::State;
use pliant_model::Matrices;

use super::Simulation;
use crate::error::SceneError;

impl Simulation {
    /// The matrices of the state.
    pub fn matrices(&mut self) -> Result<Matrices, SceneError> {
        let numbering = self.numbering();
        Ok(Matrices::of(&mut self.system, &self.state, &numbering)?)
    }

    /// The same with the stiffness that materials which remember have after a long time.
    pub fn matrices_after_long(&mut self) -> Result<Matrices, SceneError> {
        let numbering = self.numbering();
        Ok(Matrices::at(&mut self.system, &self.state.after_long(), &numbering)?)
    }

    /// The matrices of other positions, m, and velocities, m/s, at a time, s: of what was given, supports or not. Bodies remember
    /// nothing there. The state of the simulation stays.
    pub fn matrices_at(
        &mut self,
        positions: &[Vec3],
        velocities: &[Vec3],
        time: f64,
    ) -> Result<Matrices, SceneError> {
        let numbering = self.numbering();
        let (x, v) = (numbering.system(positions)?, numbering.system(velocities)?);
        let mut state = State::new(&x, &v, time);
        state.check(self.system.vertices())?;
        self.system.start_memory(&mut state)?;
        Ok(Matrices::of(&mut self.system, &state, &numbering)?)
    }
}
