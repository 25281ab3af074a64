//! A run of an integrator: what it cost, and how far it ended from where it should.

use std::time::Duration;

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{
    Adaptive, DynamicsError, IntegratorName, Options, State, StepControl, System,
};

/// One point of a diagram.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// Steps taken.
    pub(crate) steps: usize,
    /// Their length, s, or the tolerance by which they were chosen.
    pub(crate) setting: f64,
    /// By the clock of the task.
    pub(crate) seconds: f64,
    /// Evaluations of the forces.
    pub(crate) evaluations: usize,
    /// Root mean square over all positions (m) and velocities (m/s); none where the run failed.
    pub(crate) error: Option<f64>,
}

/// A motion that ends at a time in a known state.
pub(crate) struct Task<'a> {
    pub(crate) make: &'a dyn Fn() -> Result<(System, State), DynamicsError>,
    pub(crate) end: f64,
    /// Time since something.
    pub(crate) clock: &'a dyn Fn() -> Duration,
    pub(crate) reference: &'a State,
}

impl Task<'_> {
    /// In steps of equal length. That a method does not serve the system is an error; that a run fails is a
    /// sample without error.
    pub(crate) fn run(
        &self,
        name: IntegratorName,
        options: &Options,
        steps: usize,
    ) -> Result<Sample, DynamicsError> {
        let (mut system, mut state) = (self.make)()?;
        let mut integrator = name.build(options)?;
        let h = self.end / steps as f64;
        let before = system.evaluations();
        let start = (self.clock)();
        let mut moved = Ok(());
        for _ in 0..steps {
            if let Err(error) = integrator.step(&mut system, &mut state, h) {
                moved = Err(error);
                break;
            }
        }
        let seconds = (self.clock)().saturating_sub(start).as_secs_f64();
        self.sample(
            moved,
            &state,
            Sample {
                steps,
                setting: h,
                seconds,
                evaluations: system.evaluations() - before,
                error: None,
            },
        )
    }

    /// In steps chosen by a tolerance, for as long as the budget lasts, s: where Newton is less strict than
    /// the tolerance, errors do not fall with the step, and steps become shorter and shorter.
    pub(crate) fn run_controlled(
        &self,
        name: IntegratorName,
        options: &Options,
        tolerance: f64,
        budget: f64,
    ) -> Result<Sample, DynamicsError> {
        let (mut system, mut state) = (self.make)()?;
        let control = StepControl::with_tolerance(tolerance);
        let mut integrator = Adaptive::new(name.build(options)?, control)?;
        let before = system.evaluations();
        let start = (self.clock)();
        let mut seconds = 0.0;
        let mut moved = Ok(());
        while moved.is_ok() && state.time < self.end && seconds < budget {
            moved = integrator.step_once(&mut system, &mut state, self.end).map(drop);
            seconds = (self.clock)().saturating_sub(start).as_secs_f64();
        }
        let in_time = state.time >= self.end;
        let sample = Sample {
            steps: integrator.counts().accepted,
            setting: tolerance,
            seconds,
            evaluations: system.evaluations() - before,
            error: None,
        };
        let sample = self.sample(moved, &state, sample)?;
        Ok(Sample { error: sample.error.filter(|_| in_time), ..sample })
    }

    fn sample(
        &self,
        moved: Result<(), DynamicsError>,
        state: &State,
        sample: Sample,
    ) -> Result<Sample, DynamicsError> {
        match moved {
            Ok(()) => Ok(Sample { error: Some(distance(state, self.reference)), ..sample }),
            Err(error @ DynamicsError::Unsupported(_)) => Err(error),
            Err(_) => Ok(sample),
        }
    }
}

/// Root mean square over positions and velocities (VirTis 5.2.1).
pub(crate) fn distance(a: &State, b: &State) -> f64 {
    let squares = |a: &[Vec3], b: &[Vec3]| {
        let pairs = a.as_flattened().iter().zip(b.as_flattened());
        pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
    };
    ((squares(&a.x, &b.x) + squares(&a.v, &b.v)) / (6 * a.len()) as f64).sqrt()
}
