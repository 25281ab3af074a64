//! Stages of a [`Simulation`]: how it goes on from one to the next.

use pliant_dynamics::newton::Phases;
use pliant_dynamics::{Balance, DynamicsError, Ledger, Role, State};
use pliant_forces::ForceModel;

use super::fields::Fields;
use super::islands::Islands;
use super::make::{Made, make, stop};
use super::{Driver, Simulation, load_rule};
use crate::error::SceneError;
use crate::spec::scene::Scene;
use crate::spec::time::Analysis;

/// Forces that a scene does not know of, made anew for each stage.
pub type Others = fn() -> Vec<(Role, Box<dyn ForceModel>)>;

/// The stages of a scene, and where in them a simulation is.
pub(super) struct Stages {
    scene: Box<Scene>,
    /// The present one, from 0.
    pub(super) now: usize,
    /// What the methods of motions had lost when a stage that is no motion began, J.
    pub(super) loss: f64,
    others: Option<Others>,
    /// Where the time of nonlinear solves went in stages before.
    pub(super) phases: Phases,
}

impl Stages {
    /// Those of a scene; none if it has none.
    pub(super) fn of(scene: &Scene) -> Option<Self> {
        (!scene.stages.is_empty()).then(|| Self {
            scene: Box::new(scene.clone()),
            now: 0,
            loss: 0.0,
            others: None,
            phases: Phases::default(),
        })
    }
}

impl Simulation {
    /// The number of the present stage, from 0, and its name; none where the scene has no stages.
    pub fn stage(&self) -> Option<(usize, &str)> {
        let stages = self.stages.as_ref()?;
        let spec = stages.scene.stages.get(stages.now)?;
        Some((stages.now, &spec.name))
    }

    /// Makes forces that the scene does not know of act in later stages too.
    pub fn act_in_stages(&mut self, others: Others) {
        if let Some(stages) = &mut self.stages {
            stages.others = Some(others);
        }
    }

    /// What the methods of motions had lost when the present stage began, J.
    pub(crate) fn loss_before(&self) -> Option<f64> {
        self.stages.as_ref().map(|stages| stages.loss)
    }

    /// The same of a checkpoint.
    pub(crate) fn set_loss_before(&mut self, loss: f64) {
        if let Some(stages) = &mut self.stages {
            stages.loss = loss;
        }
    }

    /// Goes on to the next stage if the present one is at its end and there is one.
    pub(super) fn next_stage(&mut self) -> Result<(), SceneError> {
        let Some(stages) = &self.stages else { return Ok(()) };
        if self.state.steps < self.time.steps() || stages.now + 1 >= stages.scene.stage_count() {
            return Ok(());
        }
        let next = stages.now + 1;
        let made = self.made(next)?;
        let islands = self.islands_of(next, &made)?;
        let Made { mut system, state: start, driver, time, .. } = made;
        let Made { bodies, probes, supports, norms, stresses, surfaces, warnings, .. } = made;
        // The state goes on; what methods guess from does not, as forces may have changed at once.
        let mut state = self.state.clone();
        state.restart();
        state.time = start.time;
        let constraints = system.constraints();
        constraints.impose_positions(state.time, &mut state.x);
        constraints.impose_velocities(state.time, &mut state.v);
        system.settle(&mut state);
        stop(&time, &mut state);
        system.start_memory(&mut state)?;
        // Only motions lose energy by their method: what else happens to it between two states is no loss.
        let old = self.balance();
        let loss = match self.time.analysis {
            Analysis::Dynamic => old.numerical_loss,
            Analysis::Static | Analysis::QuasiStatic => self.loss_before().unwrap_or(0.0),
        };
        let energies = Ledger::new(&mut system, &state)?.balance().energies;
        let opening = energies.total() + loss + old.dissipated - old.external_work;
        let balance = Balance { energies, numerical_loss: loss, ..old };
        let [_, gravity, work, dissipation] = self.ledger.carried();
        let carried = [opening, gravity, work, dissipation];
        let ledger = Ledger::resume(&mut system, &state, carried, balance)?;
        let ledger = ledger.with_rule(load_rule(&time));
        let (tally, phases) = (self.tally(), self.phases());
        self.warnings.retain(|w| !warnings.contains(w));
        self.warnings.extend(warnings);
        (self.bodies, self.probes, self.supports) = (bodies, probes, supports);
        self.scenery = made.scenery;
        (self.norms, self.stresses) = (norms, stresses);
        (self.surfaces, self.time, self.driver) = (surfaces, time, driver);
        (self.system, self.state, self.ledger) = (system, state, ledger);
        (self.islands, self.fields) = (islands, Fields::default());
        (self.before, self.uncounted) = (tally, self.counted());
        if let Some(stages) = &mut self.stages {
            (stages.now, stages.loss, stages.phases) = (next, loss, phases);
        }
        Ok(())
    }

    /// Makes the methods and forces of the stage that a run is in after so many steps, whatever the state.
    pub(super) fn enter_stage_of(&mut self, steps: u64) -> Result<(), SceneError> {
        let Some(stages) = &self.stages else { return Ok(()) };
        let stage = stages.scene.stage_at(steps);
        if stage == stages.now {
            return Ok(());
        }
        let made = self.made(stage)?;
        self.islands = self.islands_of(stage, &made)?;
        let Made { system, state, driver, time, .. } = made;
        let Made { bodies, probes, supports, norms, stresses, surfaces, .. } = made;
        (self.bodies, self.probes, self.supports) = (bodies, probes, supports);
        self.scenery = made.scenery;
        (self.norms, self.stresses) = (norms, stresses);
        (self.surfaces, self.time, self.driver) = (surfaces, time, driver);
        (self.system, self.state) = (system, state);
        self.fields = Fields::default();
        if let Some(stages) = &mut self.stages {
            stages.now = stage;
        }
        Ok(())
    }

    fn made(&self, stage: usize) -> Result<Made, SceneError> {
        let Some(stages) = &self.stages else {
            return Err(SceneError::new("the scene has no stages"));
        };
        let others = stages.others.map_or_else(Vec::new, |others| others());
        let mut made = make(&stages.scene.stage(stage), others)?;
        made.time.retry &= !self.never_divided;
        Ok(made)
    }

    /// The islands of a stage, unless forces act that the scene does not know of.
    fn islands_of(&self, stage: usize, made: &Made) -> Result<Option<Islands>, SceneError> {
        match &self.stages {
            Some(stages) if stages.others.is_none() => {
                let mut scene = stages.scene.stage(stage);
                scene.time.retry = made.time.retry;
                Islands::of(&scene, &made.system, &made.state)
            }
            _ => Ok(None),
        }
    }

    /// Goes to the stage of a checkpoint.
    pub(crate) fn stage_of_checkpoint(&mut self, state: &State) -> Result<(), DynamicsError> {
        self.enter_stage_of(state.steps)
            .map_err(|e| DynamicsError::Unsupported(format!("its stage cannot be made: {e}")))
    }
}

impl Driver {
    /// Where the time of its nonlinear solves went.
    pub(super) fn phases(&self) -> Phases {
        match self {
            Self::Steps(integrator) => integrator.phases(),
            Self::Rest(statics) => statics.solver().phases(),
        }
    }
}

/// Sums of both.
pub(super) fn sum(a: Phases, b: Phases) -> Phases {
    Phases {
        residuals: a.residuals + b.residuals,
        jacobians: a.jacobians + b.jacobians,
        factors: a.factors + b.factors,
        solves: a.solves + b.solves,
    }
}
