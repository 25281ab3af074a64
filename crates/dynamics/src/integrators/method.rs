//! [`Method`]: what every way of taking steps tells and keeps, whether explicit, implicit or made of others.

use pliant_algebra::vec3::Vec3;
use pliant_sections::Sections;

use crate::adaptive::StepCounts;
use crate::{DynamicsError, System};

/// How far the end of a step is believed to be from the exact motion that starts where the step started.
#[derive(Debug, Clone, Copy)]
pub struct Estimate<'a> {
    /// Error of the positions, m.
    pub x: &'a [Vec3],
    /// Error of the velocities, m/s.
    pub v: &'a [Vec3],
    /// q: the estimate shrinks like h^(q+1).
    pub order: usize,
}

/// What a method tells about itself and its last step, and what it keeps from step to step.
pub trait Method: Send {
    /// The name users know it by.
    fn name(&self) -> &'static str;
    /// Its order.
    fn order(&self) -> usize;
    /// The error of the last step, of methods that know it.
    fn estimate(&self) -> Option<Estimate<'_>> {
        None
    }
    /// A second estimate, of lower order, that tempers the first as in Hairer's DOP853: with the norms e
    /// of the first and r of this one, e² / √(e² + r²/100) is the error.
    fn rough_estimate(&self) -> Option<Estimate<'_>> {
        None
    }
    /// Positions and velocities within the last step, at the share theta of it; false, and nothing
    /// written, from methods that have no formula of their own.
    fn interpolate(
        &mut self,
        _system: &mut System,
        _theta: f64,
        _x: &mut [Vec3],
        _v: &mut [Vec3],
    ) -> Result<bool, DynamicsError> {
        Ok(false)
    }
    /// The steps that were chosen automatically since it was made, of methods that do so.
    fn step_counts(&self) -> Option<StepCounts> {
        None
    }
    /// Writes what it keeps from step to step besides the state: a Jacobian, accelerations of steps before, the next
    /// step length, and all that its solvers keep. What it could make again from the state to the last bit
    /// is not written.
    fn save(&self, to: &mut Sections);
    /// Goes on where the method that wrote these sections was, with the same system: with the state of that
    /// moment, the next step has the bits of the one that it would have made. After an error the method is to
    /// be put in order by [`Method::forget`].
    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError>;
    /// Forgets what it keeps from step to step besides the state, such as a factored Jacobian: for whoever goes on
    /// from another state. Methods that keep nothing have nothing to do.
    fn forget(&mut self) {}
}
