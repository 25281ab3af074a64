//! [`Island`]: bodies that are stepped as a system of their own.

use pliant_contact::hulls::Hulls;
use pliant_contact::normal::NormalContact;
use pliant_contact::soft::SoftContact;
use pliant_dynamics::{DynamicsError, Integrator, Ledger, State, StepReport, System};
use pliant_model::{Body, Scenery};

use super::carry::{Link, Place};
use super::part::part;
use crate::build::simulation::make::{Made, make};
use crate::build::simulation::{Driver, load_rule};
use crate::error::SceneError;
use crate::run::retry::{Attempt, Failure, Retries};
use crate::spec::scene::Scene;
use crate::spec::time::TimeSpec;

/// A set of bodies with all that steps them, and their part of the state.
pub(super) struct Island {
    /// Numbers of its bodies in the whole, ascending.
    pub(super) chosen: Vec<usize>,
    pub(super) bodies: Vec<Body>,
    pub(super) scenery: Vec<Scenery>,
    pub(super) link: Link,
    pub(super) system: System,
    pub(super) state: State,
    /// Where the step, or the last part of one, began.
    pub(super) start: State,
    pub(super) integrator: Box<dyn Integrator>,
    pub(super) ledger: Ledger,
    /// Boxes around its bodies on their way through the step; none without contact.
    pub(super) hulls: Option<Hulls>,
    /// Whether it has made the step under way, and how.
    pub(super) stepped: Option<StepReport>,
    /// Whether that was in parts.
    pub(super) retries: Retries,
    /// In how many of the last steps it was calm.
    pub(super) calm: u64,
}

/// The boxes of the bodies of a system that can touch each other.
pub(super) fn hulls(system: &System) -> Option<Hulls> {
    let barrier = system.models_of::<NormalContact>().next().map(Hulls::of_barrier);
    barrier.or_else(|| system.models_of::<SoftContact>().next().map(Hulls::of_soft))
}

impl Island {
    /// Makes the island of some bodies of a scene. None where what models remember cannot be divided by bodies.
    pub(super) fn make(
        scene: &Scene,
        whole: Place<'_>,
        chosen: &[usize],
    ) -> Result<Option<Self>, SceneError> {
        let made = make(&part(scene, whole.bodies, chosen), Vec::new())?;
        let Made { bodies, scenery, mut system, mut state, driver, time, .. } = made;
        let Driver::Steps(integrator) = driver else { return Ok(None) };
        let place = Place { bodies: &bodies, scenery: &scenery, system: &system };
        let Some(link) = Link::new(place, whole, chosen) else { return Ok(None) };
        let ledger = Ledger::of_part(&mut system, &mut state, load_rule(&time))?;
        let hulls = hulls(&system);
        let (chosen, start) = (chosen.to_vec(), State::default());
        let (stepped, retries) = (None, Retries::default());
        Ok(Some(Self {
            chosen,
            bodies,
            scenery,
            link,
            system,
            state,
            start,
            integrator,
            ledger,
            hulls,
            stepped,
            retries,
            calm: 0,
        }))
    }

    /// Begins to be stepped for itself, from a state of the whole: the next step is that of a new system in this state.
    pub(super) fn begin(
        &mut self,
        whole: (&System, &State),
        time: &TimeSpec,
    ) -> Result<(), DynamicsError> {
        self.link.scatter(&self.system, &mut self.state, whole);
        self.integrator.forget();
        self.system.forget_couplings()?;
        (self.stepped, self.calm) = (None, 0);
        self.open_ledger(time)
    }

    /// Counts energies from its state on.
    pub(super) fn open_ledger(&mut self, time: &TimeSpec) -> Result<(), DynamicsError> {
        self.ledger = Ledger::of_part(&mut self.system, &mut self.state, load_rule(time))?;
        Ok(())
    }

    /// One step of h seconds, divided where it fails if that is wanted.
    pub(super) fn step(&mut self, h: f64, divide: bool) -> Result<(), Failure> {
        let Self { system, state, start, integrator, ledger, hulls, .. } = self;
        let made = state.steps;
        if let Some(hulls) = hulls {
            hulls.clear();
            hulls.cover(&state.x);
        }
        let mut seen = |state: &State| {
            if let Some(hulls) = hulls {
                hulls.cover(&state.x);
            }
        };
        self.retries = Retries::default();
        let integrator = &mut **integrator;
        let mut attempt = Attempt { integrator, system, state, ledger, start, seen: &mut seen };
        let report = attempt.step(h, divide.then_some(&mut self.retries))?;
        self.state.steps = made + 1;
        self.stepped = Some(report);
        Ok(())
    }
}
