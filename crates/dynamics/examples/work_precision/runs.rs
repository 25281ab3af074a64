//! A run of an integrator: what it cost, and how far it ended from where it should.

use std::time::Instant;

use pliant_algebra::vec3::Vec3;
use pliant_dynamics::{DynamicsError, IntegratorName, Options, State, StepControl, System};

/// One point of a diagram.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// Steps taken.
    pub(crate) steps: usize,
    /// Their length, s, or the tolerance by which they were chosen.
    pub(crate) setting: f64,
    /// Wall time.
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
        let clock = Instant::now();
        let mut moved = Ok(());
        for _ in 0..steps {
            if let Err(error) = integrator.step(&mut system, &mut state, h) {
                moved = Err(error);
                break;
            }
        }
        let seconds = clock.elapsed().as_secs_f64();
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

    /// In steps chosen by a tolerance.
    pub(crate) fn run_controlled(
        &self,
        name: IntegratorName,
        options: &Options,
        tolerance: f64,
    ) -> Result<Sample, DynamicsError> {
        let (mut system, mut state) = (self.make)()?;
        let control = Some(StepControl::with_tolerance(tolerance));
        let mut integrator = name.build(&Options { control, ..*options })?;
        let before = system.evaluations();
        let clock = Instant::now();
        let moved = integrator.step(&mut system, &mut state, self.end).map(drop);
        let seconds = clock.elapsed().as_secs_f64();
        let steps = integrator.step_counts().map_or(0, |c| c.accepted);
        self.sample(
            moved,
            &state,
            Sample {
                steps,
                setting: tolerance,
                seconds,
                evaluations: system.evaluations() - before,
                error: None,
            },
        )
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
