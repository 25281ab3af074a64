//! [`Motion`]: who takes the steps of a run.

use crate::build::simulation::Simulation;
use crate::error::SceneError;

/// A simulation by itself, or one that hands act on between steps.
pub trait Motion: Send {
    /// The simulation, as it is now.
    fn simulation(&mut self) -> &mut Simulation;

    /// Does what is to be done before the next step. The number it returns changes when the simulation was made anew.
    fn prepare(&mut self) -> u32;

    /// Takes a step. On error nothing has changed.
    fn step(&mut self) -> Result<(), SceneError>;

    /// Whether the last step was made.
    fn is_done(&self) -> bool;

    /// Whether a checkpoint of the simulation holds all that is needed to go on.
    fn can_resume(&self) -> bool;
}

impl Motion for Simulation {
    fn simulation(&mut self) -> &mut Simulation {
        self
    }

    fn prepare(&mut self) -> u32 {
        0
    }

    fn step(&mut self) -> Result<(), SceneError> {
        Self::step(self)
    }

    fn is_done(&self) -> bool {
        Self::is_done(self)
    }

    fn can_resume(&self) -> bool {
        true
    }
}
