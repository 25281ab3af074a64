//! [`Stabilized`]: explicit methods that take as many stages as a step needs to be stable.

use pliant_sections::Sections;

use super::three_term::{Pair, ThreeTerm};
use super::{Estimate, ExplicitScheme, Method, Next};
use crate::spectral_radius::SpectralRadius;
use crate::{DynamicsError, State, System};

/// A family of methods, one for every number of stages.
pub trait Family: Default + Send {
    /// The name users know it by.
    const NAME: &'static str;
    /// The numbers of stages that it has.
    const STAGES: std::ops::RangeInclusive<usize>;
    /// What is said of another number.
    const STAGES_ACCEPTED: &'static str;
    /// Its error estimate shrinks with one power of h more than this.
    const ERROR_ORDER: usize;

    /// Stages of the last step.
    fn stages(&self) -> usize;
    /// Takes this many.
    fn take(&mut self, stages: usize);
    /// Takes as many as h times the spectral radius needs.
    fn take_for(&mut self, z: f64) -> Result<(), DynamicsError>;
    /// Runs through all stages.
    fn run(
        &self,
        stages: &mut Stages,
        system: &mut System,
        state: &State,
    ) -> Result<(), DynamicsError>;
    /// Writes the error, where [`Family::run`] has not.
    fn estimate(&self, _stages: &mut Stages, _state: &State, _next: &Next) {}
}

/// The stages of a step, and its error.
#[derive(Default)]
pub struct Stages {
    pub(super) recursion: ThreeTerm,
    pub(super) error: Pair,
    pub(super) h: f64,
}

/// A method of order 2 for motion that damping rules.
#[derive(Default)]
pub struct Stabilized<F> {
    /// A number of stages that was asked for.
    fixed: Option<usize>,
    family: F,
    radius: SpectralRadius,
    stages: Stages,
    stepped: bool,
}

impl<F: Family> Stabilized<F> {
    /// With as many stages as each step needs.
    pub fn new() -> Self {
        Self::default()
    }

    /// With a fixed number of stages.
    pub fn with_stages(stages: usize) -> Result<Self, DynamicsError> {
        if !F::STAGES.contains(&stages) {
            let (found, accepted) = (stages as f64, F::STAGES_ACCEPTED);
            return Err(DynamicsError::Setting { what: "stages", found, accepted });
        }
        Ok(Self { fixed: Some(stages), ..Self::default() })
    }

    /// Stages of the last step.
    pub fn stages(&self) -> usize {
        self.family.stages()
    }
}

impl<F: Family> Method for Stabilized<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn order(&self) -> usize {
        2
    }

    fn estimate(&self) -> Option<Estimate<'_>> {
        let (x, v) = &self.stages.error;
        self.stepped.then_some(Estimate { x, v, order: F::ERROR_ORDER })
    }

    fn save(&self, to: &mut Sections) {
        self.radius.save(to);
    }

    fn load(&mut self, from: &Sections, system: &System) -> Result<(), DynamicsError> {
        Ok(self.radius.load(from, system.vertices())?)
    }

    fn forget(&mut self) {
        self.radius.forget();
    }
}

impl<F: Family> ExplicitScheme for Stabilized<F> {
    fn takes_velocity_forces(&self) -> bool {
        true
    }

    fn advance(
        &mut self,
        system: &mut System,
        state: &State,
        h: f64,
        next: &mut Next,
    ) -> Result<bool, DynamicsError> {
        let Self { fixed, family, radius, stages, stepped } = self;
        *stepped = false;
        stages.h = h;
        stages.recursion.begin(system, state, h)?;
        if let Some(number) = *fixed {
            family.take(number);
        } else {
            let z = h * radius.estimate(system, state, &stages.recursion.first)?;
            family.take_for(z)?;
        }
        for list in [&mut stages.error.0, &mut stages.error.1] {
            list.resize(state.len(), [0.0; 3]);
        }
        let outcome = family.run(stages, system, state);
        // Where it failed, for the report.
        next.x.copy_from_slice(&stages.recursion.last.0);
        outcome?;
        stages.recursion.end(system, state, next)?;
        family.estimate(stages, state, next);
        system.constraints().filter(&mut stages.error.0);
        system.constraints().filter(&mut stages.error.1);
        *stepped = true;
        Ok(true)
    }
}
